import { documentOf } from '../support/documents.ts';
import { planFile } from '../../src/plan/fingerprint.ts';
import { makePlan, planAgain } from '../../src/review.ts';
import type { Plan } from '../../src/plan/action.ts';
import { renderPlanMarkdown } from '../../src/render/plan-markdown.ts';
import { noSite } from '../../src/render/review-site.ts';
import type { Code } from '../../src/diagnostics/codes.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { keys } from '../support/organization-blocks.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Told } from '../support/publishing.ts';
import { publishing } from '../support/publishing.ts';
import { acceptDrift } from '../../src/project/drift.ts';
import { applyPlan, plan } from '../../src/reconcile.ts';
import { mirror } from '../support/kind-beyond-document.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import { database, everything, gitProvider, head, idOf, platform, production, reported, stack } from './provoked.ts';

const shop = 'production.compose.shop';
const main = 'production.postgres.main';

/** Applies one manifest, does something, and plans another. */
async function planned(
  made: Bench,
  before: string,
  after: string,
  between: (made: Bench) => Promise<unknown> = () => Promise.resolve(),
) {
  await made.apply(before, everything);
  await between(made);
  return made.plan(after);
}

/** Plans a hot fix that a person accepted for some days, counted from today. */
async function afterAcceptance(days: number): Promise<Plan> {
  const made = platform();
  const text = production(stack('description: ours'));
  await made.apply(text, everything);
  await made.emulator.act('compose.update', { composeId: idOf(made, shop), description: 'theirs' });
  const now = made.clock.wall();
  const until = new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  const request = { subject: shop, field: 'description', until, because: 'Black Friday', by: 'ops' };
  await acceptDrift(await made.manifest(text), made.world(), {
    folder: { folder: made.folder, file: 'trueup.yaml' },
    now,
    request,
  });
  return made.plan(text);
}

/** The obstacles of a plan that nothing permits. */
async function refused(plan: ReturnType<Bench['plan']>) {
  return obstacles(await plan, { dataLoss: false, adoption: false });
}

/** Writes a plan file for a manifest, does something, and plans it again. */
async function reviewed(made: Bench, text: string, between: () => Promise<unknown>) {
  const purpose = { manifest: await made.manifest(text), deploys: true, destroys: false };
  const version = '1.0.0';
  const at = '2025-11-21T10:15:02.310Z';
  const file = planFile(
    await makePlan(purpose, made.world()),
    purpose,
    { version, at, shown: '' },
    await made.store.key(),
  );
  await between();
  return planAgain({ file, name: 'the plan in plan.trueup', version }, purpose.manifest, made.world());
}

const key = head + keys('one');

const redises = (count: number) =>
  production(
    `    redis: { ${Array.from({ length: count }, (_, at) => `r${at}: { dockerImage: "redis:8", databasePassword: x }`).join(', ')} }\n`,
  );

/** The Markdown of a plan that deletes a resource, and many more like it. */
async function manyDeletions(made: Bench, count: number): Promise<Plan> {
  const plan = await planned(made, redises(1), head);
  const actions = plan.actions.flatMap((action) =>
    Array.from({ length: count }, (_none, at) => ({ ...action, address: `${action.address}-${at}-of-a-long-name` })),
  );
  const many = { ...plan, actions };
  renderPlanMarkdown(documentOf(many), noSite, { showing: '', applying: undefined });
  return many;
}

/** Provokes each code that a plan, or its review, reports. */
export const inPlans = {
  'report-too-long': () => reported(() => manyDeletions(platform(), 2_000)),
  'bad-move': () =>
    reported(() => {
      const text = production(database());
      return planned(
        platform(),
        text,
        `${text}moved: [{ from: ${main}, to: ${shop} }]
`,
      );
    }),
  'stale-move': () =>
    reported(() => {
      const text = production(database());
      const entry = `moved: [{ from: production.postgres.old, to: ${shop} }]
`;
      return planned(platform(), text, text + stack() + entry);
    }),
  'state-unusable': () =>
    reported(async () => {
      const made = platform();
      await made.apply(production('    description: x\n'), everything);
      return made.plan(production('').replace('prj_1', 'prj_2').replace('production:\n', 'production: {}\n'));
    }),
  'platform-answer': () =>
    reported(() => {
      const made = platform();
      const { send } = made.emulator;
      made.emulator.send = async (request) => {
        const answer = await send(request);
        return request.path.includes('environment.byProjectId') ? { ...answer, body: '[]' } : answer;
      };
      return made.plan(production(database()));
    }),
  'not-found': () => reported(() => platform().plan(production(database('id: pg_1')))),
  ambiguous: () =>
    reported(async () => {
      const made = platform();
      const input = { name: 'main', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
      for (const dockerImage of ['postgres:17', 'postgres:18'])
        await made.emulator.act('postgres.create', { ...input, dockerImage, environmentId: 'env_prj_1' });
      return made.plan(production(database()));
    }),
  'foreign-object': () =>
    reported(async () => {
      const made = platform();
      const input = { name: 'main', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
      const environmentId = 'env_prj_2';
      await made.emulator.act('postgres.create', { ...input, dockerImage: 'postgres:17', environmentId });
      return made.plan(production(database('id: id_1')));
    }),
  'cannot-create': () =>
    reported(() => platform().plan(`${head}members:\n  new@example.com: { canCreateServices: true }\n`)),
  'no-capabilities': () => {
    const made = bench();
    const { world } = publishing(made, { version: 'v1.0.0', document: 'no' });
    return reported(async () => plan(await made.manifest(head), world()));
  },
  unsupported: () => {
    const made = bench({ kinds: [...kinds, mirror], documentedOnly: true });
    return reported(() => made.plan(production('    mirrors: { main: { databaseName: shop, databaseUser: shop } }\n')));
  },
  'not-served': async () => {
    const made = bench();
    const web = (more: string) =>
      production(`    application: { web: { source: { type: docker, image: nginx }${more} } }\n`);
    await made.apply(web(', ports: { web: { publishedPort: 8080, targetPort: 80 } }'), everything);
    const later = bench({ emulator: made.emulator, clock: made.clock, documentedOnly: true });
    later.store.state = made.store.state;
    return reported(() => later.plan(web('')));
  },
  upgraded: () => {
    const made = bench();
    const told: Told = { version: 'v1.0.0' };
    const world = publishing(made, told).world();
    return reported(async () => {
      const created = await plan(await made.manifest(production(stack())), world);
      const { send } = made.emulator;
      made.emulator.send = async (request) => {
        told.version = 'v2.0.0';
        return send(request.method === 'POST' ? { ...request, path: '/api/stack.create' } : request);
      };
      const options = { permissions: everything, connections: 4, clock: made.clock };
      return applyPlan(created, world, options);
    });
  },
  'cannot-change': () => reported(() => planned(platform(), production(stack()), production(stack('appName: shop-2')))),
  'not-decrypted': () =>
    reported(() => {
      const text = production(stack('env: { REGION: eu }'));
      return planned(platform(), text, text, (made) =>
        made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'enc:v1:AAECAwQFBgcICQ==' }),
      );
    }),
  protected: () =>
    reported(() => planned(platform(), production(database('protect: true')), production('    postgres: {}\n'))),
  'still-protected': () =>
    reported(() => planned(platform(), production(database('protect: true')), production(database()))),
  'backup-moves': () =>
    reported(() => {
      const backup = (prefix: string) =>
        `protect: true, backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: ${prefix} } }`;
      return planned(platform(), production(database(backup('shop/'))), production(database(backup('store/'))));
    }),
  'data-at-risk': () =>
    reported(async () => {
      const made = platform();
      await made.apply(production(database()), everything);
      return refused(made.plan(production('    postgres: {}\n')));
    }),
  'not-empty': () =>
    reported(() => {
      const without = production('    compose: {}\n');
      const theirs = { name: 'reports', databaseName: 'reports', databaseUser: 'u', databasePassword: 'example' };
      return planned(platform(), `${without}  staging: {}\n`, without, (made) =>
        made.emulator.act('postgres.create', {
          ...theirs,
          dockerImage: 'postgres:17',
          environmentId: idOf(made, 'staging'),
        }),
      );
    }),
  'mass-deletion': () => reported(() => planned(platform(), redises(12), redises(1))),
  vanished: () =>
    reported(() => {
      const text = production(database() + stack());
      return planned(platform(), text, text, async (made) => {
        await made.emulator.act('postgres.remove', { postgresId: idOf(made, main) });
        await made.emulator.act('compose.delete', { composeId: idOf(made, shop), deleteVolumes: false });
      });
    }),
  gone: () =>
    reported(() => {
      const text = production(database() + stack());
      return planned(platform(), text, text, (made) =>
        made.emulator.act('postgres.remove', { postgresId: idOf(made, main) }),
      );
    }),
  'other-manifest': () => reported(() => planned(platform(), production(stack()), production(database()))),
  'deletes-everything': () => reported(() => planned(platform(), production(database()), head)),
  consent: () =>
    reported(async () => {
      const made = platform();
      await made.apply(production(database()), everything);
      made.store.state = undefined;
      return refused(made.plan(production(database())));
    }),
  'plan-outdated': () =>
    reported(async () => {
      const made = platform();
      await made.apply(production(database()), everything);
      const update = { postgresId: idOf(made, main), description: 'by hand' };
      return reviewed(made, production(database('description: ours')), () =>
        made.emulator.act('postgres.update', update),
      );
    }),
  'not-needed': () =>
    reported(async () => {
      const made = platform();
      await made.apply(production(database()), everything);
      const update = { postgresId: idOf(made, main), description: 'ours' };
      return reviewed(made, production(database('description: ours')), () =>
        made.emulator.act('postgres.update', update),
      );
    }),
  'not-read': () =>
    reported(async () => {
      const made = platform();
      const text = (tag: string) => redises(3).replace('redis:8', `redis:${tag}`);
      await made.apply(text('8'), everything);
      return reviewed(made, text('8.2'), () => Promise.resolve());
    }),
  hidden: () =>
    reported(() =>
      planned(platform(), key, head, (made) => {
        const { send } = made.emulator;
        made.emulator.send = async (request) => {
          const answer = await send(request);
          return request.path.includes('sshKey.all') ? { ...answer, body: '[]' } : answer;
        };
        return Promise.resolve();
      }),
    ),
  'secret-missing': () =>
    reported(() => platform().plan(production(database()).replace('example', '"${secret:DB_PASSWORD}"'))),
  'too-large': () => reported(() => platform().plan(production(stack(`env: { A: "${'x'.repeat(1_200_000)}" }`)))),
  released: () =>
    reported(() => planned(platform(), production(database('description: ours')), production(database()))),
  'drift-left': () =>
    reported(() =>
      planned(
        platform(),
        production(stack('composeType: docker-compose')),
        production(stack('composeType: docker-compose')),
        (made) => made.emulator.act('compose.update', { composeId: idOf(made, shop), composeType: 'stack' }),
      ),
    ),
  accepted: () => reported(() => afterAcceptance(5)),
  'acceptance-over': () => reported(() => afterAcceptance(-1)),
  'acceptance-void': () => reported(() => afterAcceptance(500)),
  'left-alone': () =>
    reported(() =>
      planned(
        platform(),
        production(stack('env: { A: "1" }')),
        production(stack('env: { A: "2" }, envMode: merge')),
        async (made) => {
          await made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'A=1\nB=2\n' });
          made.store.state = undefined;
        },
      ),
    ),
  differs: () =>
    reported(() =>
      planned(platform(), production(stack() + database()), production(stack()), async (made) => {
        const update = { postgresId: idOf(made, main), dockerImage: 'postgres:16' };
        await made.emulator.act('postgres.update', update);
      }),
    ),
  'goes-along': () => reported(() => planned(platform(), key, head)),
  'not-effective': () =>
    reported(() =>
      planned(
        platform(),
        production(database('deploy: never')),
        production(database('deploy: never').replace('example', 'another')),
      ),
    ),
  'old-secret': () =>
    reported(async () => {
      const made = platform();
      const secret = '${secret:DB_PASSWORD}';
      const text = production(
        database().replace('example', `"${secret}"`) + stack(`env: { URL: "postgres://shop:${secret}@db" }`),
      );
      made.secrets['DB_PASSWORD'] = 'correct-horse-1';
      await made.apply(text, everything);
      made.secrets['DB_PASSWORD'] = 'correct-horse-2';
      return plan(await made.manifest(text), made.world(), { narrowing: readNarrowing({ target: [main] }) });
    }),
  pending: () => reported(() => planned(platform(), gitProvider, gitProvider)),
  'stays-there': () =>
    reported(() =>
      planned(platform(), gitProvider, head, (made) => {
        const [row] = Object.values(made.emulator.world.tables.labgit);
        return made.emulator.act('labgit.connect', { labgitId: row?.['labgitId'] });
      }),
    ),
  'similar-name': () =>
    reported(async () => {
      const made = platform();
      const input = { name: 'mian', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
      await made.emulator.act('postgres.create', { ...input, dockerImage: 'postgres:17', environmentId: 'env_prj_1' });
      return made.plan(production(database()));
    }),
  renamed: () => reported(() => planned(platform(), production(database()), production(database('', 'database')))),
  'not-deployed': () =>
    reported(() =>
      bench({ documentedOnly: true }).plan(
        production(
          '    application:\n      web: { source: { type: git, url: "https://git.example.com/web.git", branch: main }, build: { type: dockerfile, dockerfile: Dockerfile } }\n',
        ),
      ),
    ),
} satisfies Partial<Record<Code, () => ReturnType<typeof reported>>>;

import { documentOf } from '../support/documents.ts';
import { planFile } from '../../src/plan/plan-facts.ts';
import { planAgain } from '../../src/workflow/reviewed.ts';
import type { Plan } from '../../src/plan/action.ts';
import { renderPlanMarkdown } from '../../src/render/plan-markdown.ts';
import { noSite } from '../../src/render/report-links.ts';
import type { Code } from '../../src/diagnostics/codes.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import type { Permissions } from '../../src/plan/safeguard.ts';
import { obstacles } from '../../src/plan/safeguard.ts';
import { keys } from '../support/organization-blocks.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Told } from '../support/publishing.ts';
import { publishing } from '../support/publishing.ts';
import { acceptDrift } from '../../src/drift/drift-run.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { mirror } from '../support/kind-beyond-document.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import type { Provocation } from './provoked.ts';
import { database, everything, gitProvider, head, idOf, production, reported, stack } from './provoked.ts';

export const shop = 'production.compose.shop';
export const main = 'production.postgres.main';
/** A manifest that names its project. */
export const named = (name: string) => production(stack()).replace('prj_1', name);

/** A platform with a host for its dashboard. */
export const dashboard = (host: string) => `${head}webServer: { host: ${host} }\n`;

/** A service whose former version comes back when a deployment of its image fails. */
export function restored(image: string): string {
  return production(
    `    application:\n      web: { source: { type: docker, image: "${image}" }, deploy: { onFailure: restore } }\n`,
  );
}

/** Plans an application with a probe at an entry point of the proxy's own, for an apply that asks addresses. */
export async function asked(made: Bench, probe: string): Promise<Plan> {
  const domain = `shop.example.com: { port: 80, customEntrypoint: inside, probe: ${probe} }`;
  const block = `web: { source: { type: docker, image: "web:1" }, domains: { ${domain} } }`;
  const connection = { ...made.world(), ask: () => Promise.reject(new Error('a plan asks nothing')) };
  return plan(await made.manifest(production(`    application:\n      ${block}\n`)), connection);
}

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
export async function afterAcceptance(made: Bench, days: number): Promise<Plan> {
  const text = production(stack('description: ours'));
  await made.apply(text, everything);
  await made.emulator.act('compose.update', { composeId: idOf(made, shop), description: 'theirs' });
  const now = made.clock.wall();
  const until = new Date(now + days * 86_400_000).toISOString().slice(0, 10);
  const request = { subject: shop, fields: ['description'], until, because: 'Black Friday', by: 'ops' };
  await acceptDrift(await made.manifest(text), made.world(), {
    folder: { folder: made.folder, file: 'trueup.yaml' },
    now,
    request,
  });
  return made.plan(text);
}

/** The obstacles of a plan that nothing permits. */
export async function refused(plan: ReturnType<Bench['plan']>, permitted: Partial<Permissions> = {}) {
  return obstacles(await plan, { dataLoss: false, adoption: false, ...permitted });
}

/** Writes a plan file for a manifest, does something, and plans it again. */
export async function reviewed(
  made: Bench,
  text: string,
  between: () => Promise<unknown> = () => Promise.resolve(),
  reading: { readonly full?: boolean } = {},
) {
  const purpose = { manifest: await made.manifest(text), deploys: true, destroys: false };
  const version = '1.0.0';
  const at = '2025-11-21T10:15:02.310Z';
  const file = planFile(
    await plan(purpose.manifest, made.world(), purpose),
    purpose,
    { version, at, shown: '' },
    await made.store.key(),
  );
  await between();
  return planAgain({ file, name: 'the plan in plan.trueup', version }, purpose.manifest, made.world(), reading);
}

export const key = head + keys('one');

/** A protected database with backups below a prefix. */
export const backedUp = (prefix: string) =>
  database(`protect: true, backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: ${prefix} } }`);

export const redises = (count: number) =>
  production(
    `    redis: { ${Array.from({ length: count }, (_, at) => `r${at}: { dockerImage: "redis:8", databasePassword: x }`).join(', ')} }\n`,
  );

/** A plan that deletes a resource, and many more like it. */
export async function manyDeletions(made: Bench, count: number): Promise<Plan> {
  const plan = await planned(made, redises(1), head);
  const actions = plan.actions.flatMap((action) =>
    Array.from({ length: count }, (_none, at) => ({ ...action, address: `${action.address}-${at}-of-a-long-name` })),
  );
  return { ...plan, actions };
}

/** A database and a stack with the same secret. */
export const sharesSecret = production(
  database().replace('example', '"${secret:DB_PASSWORD}"') +
    stack('env: { URL: "postgres://shop:${secret:DB_PASSWORD}@db" }'),
);

/** Provokes each code that a plan, or its review, reports. */
export const inPlans = {
  'report-too-long': (made) =>
    reported(async () => {
      const plan = await manyDeletions(made, 2_000);
      renderPlanMarkdown(documentOf(plan), noSite, { showing: '', applying: undefined });
      return plan;
    }),
  'bad-move': (made) =>
    reported(() => {
      const text = production(database());
      return planned(
        made,
        text,
        `${text}moved: [{ from: ${main}, to: ${shop} }]
`,
      );
    }),
  'stale-move': (made) =>
    reported(() => {
      const text = production(database());
      const entry = `moved: [{ from: production.postgres.old, to: ${shop} }]
`;
      return planned(made, text, text + stack() + entry);
    }),
  'state-unusable': (made) =>
    reported(async () => {
      await made.apply(production('    description: x\n'), everything);
      return made.plan(production('').replace('prj_1', 'prj_2').replace('production:\n', 'production: {}\n'));
    }),
  'platform-answer': (made) =>
    reported(() => {
      const { send } = made.emulator;
      made.emulator.send = async (request) => {
        const answer = await send(request);
        return request.path.includes('environment.byProjectId') && request.path.includes('prj_1')
          ? { ...answer, body: '[]' }
          : answer;
      };
      return made.plan(production(database()));
    }),
  'not-found': (made) => reported(() => made.plan(production(database('id: pg_1')))),
  ambiguous: (made) =>
    reported(async () => {
      const input = { name: 'main', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
      for (const dockerImage of ['postgres:17', 'postgres:18'])
        await made.emulator.act('postgres.create', { ...input, dockerImage, environmentId: 'env_prj_1' });
      return made.plan(production(database()));
    }),
  'foreign-object': (made) =>
    reported(async () => {
      const input = { name: 'main', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
      const environmentId = 'env_prj_2';
      await made.emulator.act('postgres.create', { ...input, dockerImage: 'postgres:17', environmentId });
      return made.plan(production(database('id: id_1')));
    }),
  'cannot-create': (made) =>
    reported(() => made.plan(`${head}members:\n  new@example.com: { canCreateServices: true }\n`)),
  'no-capabilities': (made) => {
    const { world } = publishing(made, { version: 'v1.0.0', document: 'no' });
    return reported(async () => plan(await made.manifest(head), world()));
  },
  unsupported: () => {
    const made = bench({ kinds: [...kinds, mirror], documentedOnly: true });
    return reported(() => made.plan(production('    mirrors: { main: { databaseName: shop, databaseUser: shop } }\n')));
  },
  'not-served': async (made) => {
    const web = (more: string) =>
      production(`    application: { web: { source: { type: docker, image: nginx }${more} } }\n`);
    await made.apply(web(', ports: { web: { publishedPort: 8080, targetPort: 80 } }'), everything);
    const later = bench({ emulator: made.emulator, clock: made.clock, documentedOnly: true });
    later.store.state = made.store.state;
    return reported(() => later.plan(web('')));
  },
  upgraded: (made) => {
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
  'cannot-change': (made) => reported(() => planned(made, production(stack()), production(stack('appName: shop-2')))),
  'not-decrypted': (made) =>
    reported(() => {
      const text = production(stack('env: { REGION: eu }'));
      return planned(made, text, text, () =>
        made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'enc:v1:AAECAwQFBgcICQ==' }),
      );
    }),
  protected: (made) =>
    reported(() => planned(made, production(database('protect: true')), production('    postgres: {}\n'))),
  'still-protected': (made) =>
    reported(() => planned(made, production(database('protect: true')), production(database()))),
  'backup-moves': (made) =>
    reported(() => {
      return planned(made, production(backedUp('shop/')), production(backedUp('store/')));
    }),
  'dashboard-moves': (made) =>
    reported(() => planned(made, dashboard('deploy.example.com'), dashboard('platform.example.com'))),
  'data-at-risk': (made) =>
    reported(async () => {
      await made.apply(production(database()), everything);
      return refused(made.plan(production('    postgres: {}\n')));
    }),
  'not-empty': (made) =>
    reported(() => {
      const without = production('    compose: {}\n');
      const theirs = { name: 'reports', databaseName: 'reports', databaseUser: 'u', databasePassword: 'example' };
      return planned(made, `${without}  staging: {}\n`, without, () =>
        made.emulator.act('postgres.create', {
          ...theirs,
          dockerImage: 'postgres:17',
          environmentId: idOf(made, 'staging'),
        }),
      );
    }),
  'mass-deletion': (made) => reported(() => planned(made, redises(12), redises(1))),
  vanished: (made) =>
    reported(() => {
      const text = production(database() + stack());
      return planned(made, text, text, async () => {
        await made.emulator.act('postgres.remove', { postgresId: idOf(made, main) });
        await made.emulator.act('compose.delete', { composeId: idOf(made, shop), deleteVolumes: false });
      });
    }),
  gone: (made) =>
    reported(() => {
      const text = production(database() + stack());
      return planned(made, text, text, () => made.emulator.act('postgres.remove', { postgresId: idOf(made, main) }));
    }),
  'other-manifest': (made) => reported(() => planned(made, production(stack()), production(database()))),
  'deletes-everything': (made) => reported(() => planned(made, production(database()), head)),
  consent: (made) =>
    reported(async () => {
      await made.apply(production(database()), everything);
      made.store.state = undefined;
      return refused(made.plan(production(database())));
    }),
  'plan-outdated': (made) =>
    reported(async () => {
      await made.apply(production(database()), everything);
      const update = { postgresId: idOf(made, main), description: 'by hand' };
      return reviewed(made, production(database('description: ours')), () =>
        made.emulator.act('postgres.update', update),
      );
    }),
  'not-needed': (made) =>
    reported(async () => {
      await made.apply(production(database()), everything);
      const update = { postgresId: idOf(made, main), description: 'ours' };
      return reviewed(made, production(database('description: ours')), () =>
        made.emulator.act('postgres.update', update),
      );
    }),
  'not-read': (made) =>
    reported(async () => {
      const text = (tag: string) => redises(3).replace('redis:8', `redis:${tag}`);
      await made.apply(text('8'), everything);
      return reviewed(made, text('8.2'), () => Promise.resolve());
    }),
  hidden: (made) =>
    reported(() =>
      planned(made, key, head, () => {
        const { send } = made.emulator;
        made.emulator.send = async (request) => {
          const answer = await send(request);
          return request.path.includes('sshKey.all') && made.env['SEES_ALL'] === undefined
            ? { ...answer, body: '[]' }
            : answer;
        };
        return Promise.resolve();
      }),
    ),
  'secret-missing': (made) =>
    reported(() => made.plan(production(database()).replace('example', '"${secret:DB_PASSWORD}"'))),
  'too-large': (made) => reported(() => made.plan(production(stack(`env: { A: "${'x'.repeat(1_200_000)}" }`)))),
  released: (made) => reported(() => planned(made, production(database('description: ours')), production(database()))),
  'drift-left': (made) =>
    reported(() =>
      planned(
        made,
        production(stack('composeType: docker-compose')),
        production(stack('composeType: docker-compose')),
        () => made.emulator.act('compose.update', { composeId: idOf(made, shop), composeType: 'stack' }),
      ),
    ),
  'failed-before': (made) =>
    reported(() =>
      planned(made, restored('web:1'), restored('fail:1'), () => made.apply(restored('fail:1'), everything)),
    ),
  'no-restore': (made) => reported(() => made.plan(restored('web:1'))),
  'no-probe': (made) => reported(() => asked(made, '{}')),
  'create-only': (made) =>
    reported(() =>
      planned(
        made,
        production(stack('description: one, createOnly: [description]')),
        production(stack('description: two, createOnly: [description]')),
      ),
    ),
  accepted: (made) => reported(() => afterAcceptance(made, 5)),
  'acceptance-over': (made) => reported(() => afterAcceptance(made, -1)),
  'acceptance-void': (made) => reported(() => afterAcceptance(made, 500)),
  'left-alone': (made) =>
    reported(() =>
      planned(
        made,
        production(stack('env: { A: "1" }')),
        production(stack('env: { A: "2" }, envMode: merge')),
        async () => {
          await made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'A=1\nB=2\n' });
          made.store.state = undefined;
        },
      ),
    ),
  differs: (made) =>
    reported(() =>
      planned(made, production(stack() + database()), production(stack()), () =>
        made.emulator.act('postgres.update', { postgresId: idOf(made, main), dockerImage: 'postgres:16' }),
      ),
    ),
  'goes-along': (made) => reported(() => planned(made, key, head)),
  'not-effective': (made) =>
    reported(() =>
      planned(
        made,
        production(database('deploy: never')),
        production(database('deploy: never').replace('example', 'another')),
      ),
    ),
  'old-secret': (made) =>
    reported(async () => {
      made.secrets['DB_PASSWORD'] = 'correct-horse-1';
      await made.apply(sharesSecret, everything);
      made.secrets['DB_PASSWORD'] = 'correct-horse-2';
      return plan(await made.manifest(sharesSecret), made.world(), { narrowing: readNarrowing({ target: [main] }) });
    }),
  pending: (made) => reported(() => planned(made, gitProvider, gitProvider)),
  'stays-there': (made) =>
    reported(() =>
      planned(made, gitProvider, head, () => {
        const [row] = Object.values(made.emulator.world.tables.gitlab);
        return made.emulator.act('gitlab.connect', { gitlabId: row?.['gitlabId'] });
      }),
    ),
  'similar-name': (made) =>
    reported(async () => {
      const input = { name: 'mian', databaseName: 'shop', databaseUser: 'shop', databasePassword: 'example' };
      await made.emulator.act('postgres.create', { ...input, dockerImage: 'postgres:17', environmentId: 'env_prj_1' });
      return made.plan(production(database()));
    }),
  'project-renamed': (made) =>
    reported(() =>
      planned(made, named('project-1'), named('project-1'), () =>
        made.emulator.act('project.update', { projectId: 'prj_1', name: 'store' }),
      ),
    ),
  renamed: (made) => reported(() => planned(made, production(database()), production(database('', 'database')))),
  'not-deployed': () =>
    reported(() =>
      bench({ documentedOnly: true }).plan(
        production(
          '    application:\n      web: { source: { type: git, url: "https://git.example.com/web.git", branch: main }, build: { type: dockerfile, dockerfile: Dockerfile } }\n',
        ),
      ),
    ),
} satisfies Partial<Record<Code, Provocation>>;

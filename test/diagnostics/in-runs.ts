import { copyFileSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter } from 'yaml';
import type { Send } from '../../src/api/wire.ts';
import { settleOptions } from '../../src/cli/settle-options.ts';
import { readPlanFile } from '../../src/cli/plan-file-on-disk.ts';
import { explain } from '../../src/cli/run-command.ts';
import type { Code } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { loadToWrite } from '../../src/project/load.ts';
import { openStore } from '../../src/project/open-store.ts';
import { enterPreview } from '../../src/project/previews.ts';
import { stageEnvironment } from '../../src/project/stage-environment.ts';
import { locateState } from '../../src/project/state-location.ts';
import { checkPlatform } from '../../src/project/platform-address.ts';
import { editYaml } from '../../src/edit/edit-yaml.ts';
import { plainly } from '../../src/edit/write-yaml.ts';
import { notify } from '../../src/drift/notify.ts';
import { writeFiles } from '../../src/project/write-files.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { anyDocument } from '../../src/render/document-schemas.ts';
import { notificationOf } from '../../src/render/notification-document.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { newState } from '../../src/state/new-state.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { traceSettings } from '../../src/trace/trace-settings.ts';
import { driftCommand, planCommand } from '../cli/asked.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import { exportOf } from '../support/exporting.ts';
import type { Bench } from '../support/world.ts';
import type { Provocation } from './provoked.ts';
import {
  database,
  everything,
  filesIn,
  folderWith,
  head,
  idOf,
  production,
  reported,
  seeded,
  stack,
} from './provoked.ts';

/** Answers the first request of an operation in another way. */
export function once(
  made: Bench,
  operation: string,
  answer: (send: Send, request: Parameters<Send>[0]) => ReturnType<Send>,
) {
  const { send } = made.emulator;
  let isOver = false;
  made.emulator.send = (request) => {
    if (isOver || !request.path.startsWith(`/api/${operation}`)) return send(request);
    isOver = true;
    return answer(send, request);
  };
}

/** The place of a receiver in a manifest. */
const receiverAt = { file: 'trueup.yaml', offset: 60, lines: new LineCounter() };

/** A connection that ends before the answer. */
export function cut(): Error {
  return Object.assign(new Error('the connection ended'), { code: 'ECONNRESET' });
}

const accepted = { status: 200, headers: {}, body: '' };

/** Applies preview 2 of a root file whose preview 1 holds something. */
export async function secondPreview({ most = 1, isFirstGone = false } = {}) {
  const flags = { directory: folderWith({}), connections: '4', lockTimeout: '0', format: 'text', color: false };
  const of = (id: string) => {
    const preview = { id, forMs: undefined, most };
    const platform = { emulator: true } as const;
    const settings = {
      platform,
      project: 'prj_1',
      state: undefined,
      moved: [],
      secrets: [],
      generated: new Map(),
      preview,
    };
    return [
      settings,
      settleOptions({ ...flags, file: 'preview.yaml', preview: id }, { env: {}, cwd: () => '/' }),
    ] as const;
  };
  const [settings, options] = of('1');
  await enterPreview(settings, options, 0);
  const record = { kind: 'environment', id: 'env_1', parent: null, dependsOn: [], pairs: {}, options: {} };
  const store = openStore(locateState(settings, options), options);
  await store.write({ ...newState('org_1', 'prj_1'), resources: isFirstGone ? {} : { 'pr-1': record } });
  await store.close();
  return reported(async () => {
    await enterPreview(...of('2'), 0);
    return [];
  });
}

/** A state that was saved in a folder. */
async function savedState(made: Bench) {
  const folder = join(filesIn(made, { 'trueup.yaml': production('    description: x\n') }), '.trueup');
  await localStore(folder).write({ ...newState('org_1', 'prj_1'), lineage: 'one', serial: 1 });
  return { folder, file: join(folder, 'state.json') };
}

/** Sends a notification to one receiver, whose address is a secret of the environment. */
export async function notified(env: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]> {
  const receiver = { as: 'slack', on: 'new', url: 'HOOK', at: receiverAt } as const;
  const summary = { new: 1, known: 0, accepted: 0, expired: 0, 'not yet applied': 0, ignored: 0, resolved: 0 };
  const document = { exitCode: 2 as const, summary, findings: [], resolved: [] };
  const message = notificationOf({
    document,
    time: '2026-03-01T03:00:00.000Z',
  });
  const about = { env, redactor: createRedactor(), platform: { emulator: true } } as const;
  return (await notify([receiver], message, about)).diagnostics;
}

/** A manifest that asks a sealed file for a password. */
const asksSealedFile = `secrets: [{ sealed: secrets/production.env, recipients: [age1abc] }]\n${production(database()).replace('example', '"${secret:DB_PASSWORD}"')}`;

/** A root file with an environment of its own. */
export const liveStage = head + 'environment: live\n';

/** Plans with a second root file in the folder, and returns what is reported. */
function plannedBeside(made: Bench, other: string): Promise<readonly Diagnostic[]> {
  return reported(async () => {
    const folder = filesIn(made, { 'trueup.yaml': liveStage, 'other.yaml': other });
    const { printed, terminal } = recordingTerminal();
    await execute(planCommand({}), { folder, terminal, format: 'json' });
    const document = anyDocument.parse(JSON.parse(printed.out));
    return 'diagnostics' in document ? (document.diagnostics as readonly Diagnostic[]) : [];
  });
}

/** Reads a stage whose password is in its file, in an environment. */
export function readLive(made: Bench, env: Readonly<Record<string, string>>): Promise<readonly Diagnostic[]> {
  const text = `${liveStage}secrets: [{ file: secrets.env }]\noutputs: { password: "\${secret:DB_PASSWORD}" }\n`;
  const folder = filesIn(made, { 'live.yaml': text, 'secrets.env': 'DB_PASSWORD=correct-horse\n' });
  const about = { folder, file: 'live.yaml', variables: new Map(), redactor: createRedactor(), kinds };
  return reported(async () => (await loadToWrite({ ...about, env: stageEnvironment(env, about) })).warnings);
}

/** Provokes each code that only a run reports. */
export const inRuns = {
  'overridden-secret': (made) => readLive(made, { TRUEUP_SECRET_DB_PASSWORD: 'of-another' }),
  'sealed-file': (made) =>
    reported(async () => {
      const folder = filesIn(made, {
        'trueup.yaml': asksSealedFile,
        'secrets/production.env': '# sealed for age1abc\nDB_PASSWORD=hunter2\n',
      });
      await execute(planCommand({}), { folder, terminal: recordingTerminal().terminal });
      return undefined;
    }),
  'owned-twice': (made) => plannedBeside(made, liveStage),
  'unread-root-file': (made) => plannedBeside(made, 'trueup: 1\n'),
  'under-way': (made) =>
    reported(async () => {
      const folder = filesIn(made, { 'trueup.yaml': production('    description: x\n') });
      const store = localStore(`${folder}/.trueup`);
      await store.lock({ purpose: 'apply' });
      const { printed, terminal } = recordingTerminal();
      await execute(planCommand({}), { folder, terminal, format: 'json' });
      await store.close();
      const document = anyDocument.parse(JSON.parse(printed.out));
      return 'diagnostics' in document ? (document.diagnostics as readonly Diagnostic[]) : [];
    }),
  'state-key': (made) =>
    reported(async () => {
      const { folder } = await savedState(made);
      renameSync(join(folder, 'key'), join(folder, 'key.copy'));
      await localStore(folder).read();
      return [];
    }),
  'state-migrates': (made) =>
    reported(async () => {
      const facts = { lineage: 'one', serial: 1, organizationId: 'org_1', projectId: 'prj_1', resources: {} };
      const folder = filesIn(made, {
        'trueup.yaml': production('    description: x\n'),
        '.trueup/state.json': JSON.stringify({ formatVersion: 2, ...facts, digestKey: 'k'.repeat(43) }),
      });
      const { printed, terminal } = recordingTerminal();
      await execute(planCommand({}), { folder, terminal, format: 'json' });
      const document = anyDocument.parse(JSON.parse(printed.out));
      return 'diagnostics' in document ? (document.diagnostics as readonly Diagnostic[]) : [];
    }),
  'state-forged': (made) =>
    reported(async () => {
      const { folder, file } = await savedState(made);
      copyFileSync(file, `${file}.copy`);
      writeFileSync(file, readFileSync(file, 'utf8').replace('prj_1', 'prj_2'));
      await localStore(folder).read();
      return [];
    }),
  'state-older': (made) =>
    reported(async () => {
      const { folder, file } = await savedState(made);
      const old = readFileSync(file);
      const store = localStore(folder);
      await store.lock({ purpose: 'apply' });
      await store.write({ ...newState('org_1', 'prj_1'), lineage: 'one', serial: 2 });
      await store.close();
      copyFileSync(file, `${file}.newest`);
      writeFileSync(file, old);
      await localStore(folder).read();
      return [];
    }),
  locked: (made) =>
    reported(async () => {
      const { folder } = await savedState(made);
      const store = localStore(folder);
      await store.lock({ purpose: 'apply' });
      try {
        await localStore(folder).lock({ purpose: 'apply' });
      } finally {
        await store.close();
      }
      return [];
    }),
  ignored: (made) =>
    reported(async () => {
      await made.apply(production(database()), everything);
      once(made, 'postgres.update', () => Promise.resolve(accepted));
      return made.apply(production(database('description: ours')), everything);
    }),
  rewritten: (made) =>
    reported(async () => {
      await made.apply(production(database()), everything);
      once(made, 'postgres.update', async (send, request) => {
        const answer = await send(request);
        await made.emulator.act('postgres.update', {
          postgresId: idOf(made, 'production.postgres.main'),
          description: 'OURS',
        });
        return answer;
      });
      return made.apply(production(database('description: ours')), everything);
    }),
  'stored-anyway': (made) =>
    reported(async () => {
      const registry = (url: string) =>
        `${head}registries:\n  images: { registryUrl: ${url}, username: u, password: correct-horse-1 }\n`;
      await made.apply(registry('registry.test'), everything);
      return made.apply(registry('nowhere.example'), everything);
    }),
  unverified: (made) =>
    reported(async () => {
      const { send } = made.emulator;
      let isOver = false;
      made.emulator.send = (request) => {
        isOver ||= request.path === '/api/postgres.create';
        return isOver ? Promise.reject(cut()) : send(request);
      };
      await made.apply(production(database()), everything);
      made.emulator.send = send;
      return made.plan(production('    postgres: {}\n'));
    }),
  'deploy-failed': (made) => reported(() => made.apply(production(stack('', 'fail:1')), everything)),
  'seed-failed': (made) =>
    reported(() => {
      const body = JSON.stringify({ status: 'error', deploymentId: 'id_0', logPath: '/logs/seed.log' });
      once(made, 'schedule.runManually', () => Promise.resolve({ ...accepted, body }));
      return made.apply(seeded, everything);
    }),
  ordered: (made) =>
    reported(async () => {
      const plan = await made.plan(production(stack()));
      const deploying = { waits: false, limitMs: () => 900_000 };
      return applyPlan(plan, made.world(), { permissions: everything, connections: 4, clock: made.clock, deploying });
    }),
  repeated: (made) =>
    reported(async () => {
      once(made, 'postgres.create', () => Promise.reject(cut()));
      return made.apply(production(database()), everything);
    }),
  duplicate: (made) =>
    reported(async () => {
      let arrive: () => Promise<unknown> = () => Promise.resolve();
      once(made, 'postgres.create', (send, request) => {
        arrive = () => send(request);
        return Promise.reject(cut());
      });
      await made.apply(production(database()), everything);
      await arrive();
      return made.plan(production(database()));
    }),
  skipped: (made) =>
    reported(async () => {
      const body = JSON.stringify({ message: 'the disk is full', code: 'BAD_REQUEST' });
      once(made, 'compose.create', () => Promise.resolve({ status: 400, headers: {}, body }));
      return made.apply(production(stack('domains: { shop.example.com: { serviceName: web } }')), everything);
    }),
  unpinned: () =>
    reported(() => {
      const platform = { url: 'https://deploy.example.com' };
      checkPlatform(platform, { env: { CI: 'true' } });
      return Promise.resolve([]);
    }),
  'drift-memory': (made) =>
    reported(async () => {
      const folder = filesIn(made, {
        'trueup.yaml': production('    description: x\n'),
        'drift.yaml': 'trueup-drift: 1\nfindings:\n  - { kind: compose, object: cmp_1, is: gone, since: 2025-11-03 }\n',
      });
      await execute(driftCommand({}), { folder, terminal: recordingTerminal().terminal });
      return [];
    }),
  'accepted-drift': (made) =>
    reported(async () => {
      const folder = filesIn(made, {
        'trueup.yaml': production('    description: x\n'),
        'accepted.yaml':
          'trueup-accepted: 1\naccepted:\n  - { kind: compose, object: cmp_1, until: soon, because: x, by: ops }\n',
      });
      await execute(planCommand({}), { folder, terminal: recordingTerminal().terminal });
      return [];
    }),
  'not-notified': () => notified({}),
  'too-many-previews': () => secondPreview(),
  'not-traced': () => {
    const settings = traceSettings({ OTEL_TRACES_EXPORTER: 'zipkin' });
    return Promise.resolve(settings !== undefined && 'code' in settings ? [settings] : []);
  },
  'plan-file': () =>
    reported(async () => {
      await readPlanFile('/', 'no-such-plan.trueup');
      return [];
    }),
  usage: () =>
    reported(() => {
      settleOptions(
        { file: 'trueup.yaml', connections: 'many', lockTimeout: '0', format: 'text', color: false },
        process,
      );
      return Promise.resolve([]);
    }),
  'not-exported': (made) => reported(async () => (await exportOf(made)).notes),
  'not-in-both': (made) =>
    reported(async () => (await exportOf(made, { objects: [] })).notes.filter(({ code }) => code === 'not-in-both')),
  'file-unwritable': (made) =>
    reported(async () => {
      await writeFiles(filesIn(made, { 'trueup.yaml': head }), [{ path: 'trueup.yaml', content: 'trueup: 1' }]);
      return [];
    }),
  'not-editable': () =>
    reported(() => {
      editYaml('trueup.yaml', 'x-tag: &tag nginx:1.27\nimage: *tag\n', [
        { path: ['x-tag'], value: plainly('nginx:1.28') },
      ]);
      return Promise.resolve([]);
    }),
  defect: () => Promise.resolve(explain(new TypeError('x is undefined'), String).diagnostics),
} satisfies Partial<Record<Code, Provocation>>;

import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LineCounter } from 'yaml';
import type { Send } from '../../src/api/wire.ts';
import { driftCommand } from '../../src/cli/commands/drift.ts';
import { planCommand } from '../../src/cli/commands/plan.ts';
import { settleOptions } from '../../src/cli/options.ts';
import { readPlanFile } from '../../src/cli/plan-file.ts';
import { explain } from '../../src/cli/run.ts';
import type { Code } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { checkPlatform } from '../../src/project/platform-address.ts';
import { editYaml } from '../../src/edit/edit.ts';
import { plainly } from '../../src/export/yaml.ts';
import { notify } from '../../src/project/notify.ts';
import { writeFiles } from '../../src/project/write-files.ts';
import { applyPlan } from '../../src/reconcile.ts';
import { anyDocument } from '../../src/render/documents.ts';
import { notificationOf } from '../../src/render/notification.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { newState } from '../../src/state/new-state.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { traceSettings } from '../../src/trace/settings.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import { exportOf } from '../support/exporting.ts';
import type { Bench } from '../support/world.ts';
import { database, everything, folderWith, head, idOf, platform, production, reported, stack } from './provoked.ts';

/** Answers the first request of an operation in another way. */
function once(made: Bench, operation: string, answer: (send: Send, request: Parameters<Send>[0]) => ReturnType<Send>) {
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
function cut(): Error {
  return Object.assign(new Error('the connection ended'), { code: 'ECONNRESET' });
}

const accepted = { status: 200, headers: {}, body: '' };

/** A state that was saved in a folder. */
async function savedState() {
  const folder = folderWith({});
  await localStore(folder).write({ ...newState('org_1', 'prj_1'), lineage: 'one', serial: 1 });
  return { folder, file: join(folder, 'state.json') };
}

/** Provokes each code that only a run reports. */
export const inRuns = {
  'under-way': () =>
    reported(async () => {
      const folder = folderWith({ 'trueup.yaml': production('    description: x\n') });
      const store = localStore(`${folder}/.trueup`);
      await store.lock({ purpose: 'apply' });
      const { printed, terminal } = recordingTerminal();
      await execute(planCommand({}), { folder, terminal, format: 'json' });
      await store.close();
      const document = anyDocument.parse(JSON.parse(printed.out));
      return 'diagnostics' in document ? (document.diagnostics as readonly Diagnostic[]) : [];
    }),
  'state-key': () =>
    reported(async () => {
      const { folder } = await savedState();
      rmSync(join(folder, 'key'));
      await localStore(folder).read();
      return [];
    }),
  'state-migrates': () =>
    reported(async () => {
      const facts = { lineage: 'one', serial: 1, organizationId: 'org_1', projectId: 'prj_1', resources: {} };
      const folder = folderWith({
        'trueup.yaml': production('    description: x\n'),
        '.trueup/state.json': JSON.stringify({ formatVersion: 2, ...facts, digestKey: 'k'.repeat(43) }),
      });
      const { printed, terminal } = recordingTerminal();
      await execute(planCommand({}), { folder, terminal, format: 'json' });
      const document = anyDocument.parse(JSON.parse(printed.out));
      return 'diagnostics' in document ? (document.diagnostics as readonly Diagnostic[]) : [];
    }),
  'state-forged': () =>
    reported(async () => {
      const { folder, file } = await savedState();
      writeFileSync(file, readFileSync(file, 'utf8').replace('prj_1', 'prj_2'));
      await localStore(folder).read();
      return [];
    }),
  'state-older': () =>
    reported(async () => {
      const { folder, file } = await savedState();
      const old = readFileSync(file);
      const store = localStore(folder);
      await store.lock({ purpose: 'apply' });
      await store.write({ ...newState('org_1', 'prj_1'), lineage: 'one', serial: 2 });
      await store.close();
      writeFileSync(file, old);
      await localStore(folder).read();
      return [];
    }),
  locked: () =>
    reported(async () => {
      const folder = folderWith({});
      const store = localStore(folder);
      await store.lock({ purpose: 'apply' });
      try {
        await localStore(folder).lock({ purpose: 'apply' });
      } finally {
        await store.close();
      }
      return [];
    }),
  ignored: () =>
    reported(async () => {
      const made = platform();
      await made.apply(production(database()), everything);
      once(made, 'postgres.update', () => Promise.resolve(accepted));
      return made.apply(production(database('description: ours')), everything);
    }),
  rewritten: () =>
    reported(async () => {
      const made = platform();
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
  'stored-anyway': () =>
    reported(async () => {
      const made = platform();
      const registry = (url: string) =>
        `${head}registries:\n  images: { registryUrl: ${url}, username: u, password: correct-horse-1 }\n`;
      await made.apply(registry('registry.test'), everything);
      return made.apply(registry('nowhere.example'), everything);
    }),
  unverified: () =>
    reported(async () => {
      const made = platform();
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
  'deploy-failed': () => reported(() => platform().apply(production(stack('', 'fail:1')), everything)),
  ordered: () =>
    reported(async () => {
      const made = platform();
      const plan = await made.plan(production(stack()));
      const deploying = { waits: false, limitMs: () => 900_000 };
      return applyPlan(plan, made.world(), { permissions: everything, connections: 4, clock: made.clock, deploying });
    }),
  repeated: () =>
    reported(async () => {
      const made = platform();
      once(made, 'postgres.create', () => Promise.reject(cut()));
      return made.apply(production(database()), everything);
    }),
  duplicate: () =>
    reported(async () => {
      const made = platform();
      let arrive: () => Promise<unknown> = () => Promise.resolve();
      once(made, 'postgres.create', (send, request) => {
        arrive = () => send(request);
        return Promise.reject(cut());
      });
      await made.apply(production(database()), everything);
      await arrive();
      return made.plan(production(database()));
    }),
  skipped: () =>
    reported(async () => {
      const made = platform();
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
  'drift-memory': () =>
    reported(async () => {
      const folder = folderWith({
        'trueup.yaml': production('    description: x\n'),
        'drift.yaml': 'trueup-drift: 1\nfindings:\n  - { kind: compose, object: cmp_1, is: gone, since: 2025-11-03 }\n',
      });
      await execute(driftCommand({}), { folder, terminal: recordingTerminal().terminal });
      return [];
    }),
  'accepted-drift': () =>
    reported(async () => {
      const folder = folderWith({
        'trueup.yaml': production('    description: x\n'),
        'accepted.yaml':
          'trueup-accepted: 1\naccepted:\n  - { kind: compose, object: cmp_1, until: soon, because: x, by: ops }\n',
      });
      await execute(planCommand({}), { folder, terminal: recordingTerminal().terminal });
      return [];
    }),
  'not-notified': async () => {
    const receiver = { as: 'slack', on: 'new', url: 'HOOK', at: receiverAt } as const;
    const summary = { new: 1, known: 0, accepted: 0, expired: 0, 'not yet applied': 0, ignored: 0, resolved: 0 };
    const document = { exitCode: 2 as const, summary, findings: [], resolved: [] };
    const message = notificationOf({
      document,
      time: '2026-03-01T03:00:00.000Z',
      redact: (text) => text,
    });
    const about = { env: {}, redactor: createRedactor(), platform: 'emulator' } as const;
    return (await notify([receiver], message, about)).diagnostics;
  },
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
      settleOptions({ file: 'trueup.yaml', connections: 'many', format: 'text', color: false }, process);
      return Promise.resolve([]);
    }),
  'not-exported': () => reported(async () => (await exportOf(platform())).notes),
  'not-in-both': () =>
    reported(async () =>
      (await exportOf(platform(), { objects: [] })).notes.filter(({ code }) => code === 'not-in-both'),
    ),
  'file-unwritable': () =>
    reported(async () => {
      await writeFiles(folderWith({ 'trueup.yaml': head }), [{ path: 'trueup.yaml', content: 'trueup: 1' }]);
      return [];
    }),
  'not-editable': () =>
    reported(() => {
      editYaml('trueup.yaml', 'x-tag: &tag nginx:1.27\nimage: *tag\n', [
        { path: ['x-tag'], value: plainly('nginx:1.28') },
      ]);
      return Promise.resolve([]);
    }),
  defect: () => Promise.resolve(explain(new TypeError('x is undefined')).diagnostics),
} satisfies Partial<Record<Code, () => ReturnType<typeof reported>>>;

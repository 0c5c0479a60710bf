import { once } from 'node:events';
import { copyFileSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Asked } from '../support/commands.ts';
import { settleOptions } from '../../src/cli/settle-options.ts';
import { readPlanFile } from '../../src/cli/plan-file-on-disk.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { editYaml } from '../../src/edit/edit-yaml.ts';
import { plainly } from '../../src/edit/write-yaml.ts';
import { checkPlatform } from '../../src/project/platform-address.ts';
import { writeFiles } from '../../src/project/write-files.ts';
import { anyDocument } from '../../src/render/document-schemas.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { givenKey } from '../../src/state/key-sources.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { asksForTraces, traceSettings } from '../../src/trace/trace-settings.ts';
import {
  applyCommand,
  driftCommand,
  logsCommand,
  planCommand,
  stateAcceptOlderCommand,
  stateRebuildCommand,
  stateUnlockCommand,
  statusCommand,
} from '../cli/asked.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import type { Bench } from '../support/world.ts';
import type { inRuns as provocations } from './in-runs.ts';
import { liveStage, notified, readLive, secondPreview } from './in-runs.ts';
import { database, filesIn, folderWith, head, idOf, production, seeded, stack } from './provoked.ts';
import type { Row } from './remedy.ts';
import { applied } from './remedy.ts';

/** Executes a command in a folder; a failure is an error. */
export async function ran({ folder }: Pick<Bench, 'folder'>, command: Asked): Promise<string> {
  const { printed, terminal } = recordingTerminal();
  const exit = await execute(command, { folder, terminal, format: 'json' });
  if (exit === 'failed') throw new Error(printed.err);
  return printed.out;
}

/** Plans in a folder, and returns what the plan reports. */
export async function planned(made: Pick<Bench, 'folder'>): Promise<readonly Diagnostic[]> {
  const document = anyDocument.parse(JSON.parse(await ran(made, planCommand({}))));
  return 'diagnostics' in document ? (document.diagnostics as readonly Diagnostic[]) : [];
}

const stateOf = ({ folder }: Bench) => join(folder, '.trueup');

/** Reads the state of a folder with the key in a file beside it, and plans. */
async function readWith(made: Bench, keyName: string) {
  const folder = stateOf(made);
  await localStore(folder, { keys: givenKey(readFileSync(join(folder, keyName), 'utf8'), 'TRUEUP_STATE_KEY') }).read();
  return [];
}

/** Puts a file of the state of a folder in the place of another one, and plans. */
function restored(from: string, to: string) {
  return (made: Bench) => {
    copyFileSync(join(stateOf(made), from), join(stateOf(made), to));
    return planned(made);
  };
}

/** Applies, and compares with a memory of findings. */
async function drifted(made: Bench, memory: string) {
  await ran(made, applyCommand({ autoApprove: true }));
  filesIn(made, { 'drift.yaml': memory });
  await ran(made, driftCommand({}));
  return [];
}

/** A platform that a manifest names. */
const named = { url: 'https://deploy.example.com' };

/** The remedies of the codes that only a run reports. */
export const inRuns = {
  'under-way': {
    'This plan still shows what that run has yet to do.': 'fact',
    'Plan again when it has ended.': (made) => planned(made),
  },
  'state-key': {
    'Set TRUEUP_STATE_KEY to the key that it was written with,': (made) => readWith(made, 'key.copy'),
    'or restore /srv/infra/.trueup/key.': restored('key.copy', 'key'),
    'If no copy is left, move state.json and the journal beside it away, in a database delete its rows, and make a new one: trueup state rebuild.':
      async (made) => {
        for (const name of readdirSync(stateOf(made)))
          if (/^state\.(?:json|journal)$/.test(name))
            renameSync(join(stateOf(made), name), join(stateOf(made), `${name}.old`));
        await ran(made, stateRebuildCommand({ yes: true }));
        return planned(made);
      },
  },
  'state-forged': {
    'Nothing was sent.': 'fact',
    'Set TRUEUP_STATE_KEY to the key it was written with,': async (made) => {
      const [key, file] = [join(stateOf(made), 'key'), join(stateOf(made), 'state.json')];
      copyFileSync(`${file}.copy`, file);
      renameSync(key, `${key}.copy`);
      writeFileSync(key, newStateKey().text());
      return readWith(made, 'key.copy');
    },
    'or restore a copy of the state.': restored('state.json.copy', 'state.json'),
    'If neither helps, find out who can write it.': { forPeople: 'the state was changed by somebody' },
  },
  'state-migrates': {
    'Keep a copy of the key: without it the state cannot be used.': async (made) => {
      await ran(made, applyCommand({ autoApprove: true }));
      return planned(made);
    },
  },
  'state-older': {
    'Nothing was sent.': 'fact',
    'Restore the newest state.': restored('state.json.newest', 'state.json'),
    'If you mean to go on from this one: trueup state accept-older.': async (made) => {
      await ran(made, stateAcceptOlderCommand({ yes: true }));
      return planned(made);
    },
  },
  locked: {
    'Wait for it to end,': async (made) => {
      const store = localStore(stateOf(made));
      await store.lock({ purpose: 'apply' });
      await store.close();
      return [];
    },
    'or let --lock-timeout wait.': async (made) => {
      const [first, second] = [localStore(stateOf(made)), localStore(stateOf(made))];
      await first.lock({ purpose: 'apply' });
      const waiting = second.lock({ purpose: 'apply', timeoutMs: 60_000 });
      await first.close();
      await waiting;
      await second.close();
      return [];
    },
    'If it is gone for good: trueup state unlock.': async (made) => {
      const gone = localStore(stateOf(made));
      await gone.lock({ purpose: 'apply' });
      await ran(made, stateUnlockCommand({ yes: true }));
      const next = localStore(stateOf(made));
      await next.lock({ purpose: 'apply' });
      await next.close();
      await gone.close();
      return [];
    },
  },
  ignored: {
    'Apply again: Trueup writes an ignored value once more.': (made) =>
      applied(made, production(database('description: ours'))),
  },
  rewritten: {
    'Nothing: later plans compare with the form of the platform.': (made) =>
      applied(made, production(database('description: ours'))),
  },
  'stored-anyway': {
    'Fix what the platform names, and apply again: Trueup sends it again until the platform accepts it.': (made) =>
      applied(
        made,
        `${head}registries:\n  images: { registryUrl: registry.test, username: u, password: correct-horse-1 }\n`,
      ),
  },
  unverified: { 'Look for it on the platform.': (made) => applied(made, production('    postgres: {}\n')) },
  'deploy-failed': {
    'Fix it, and apply again.': (made) => applied(made, production(stack())),
    'trueup logs production.compose.shop --deployment shows more.': async (made) => {
      filesIn(made, { 'trueup.yaml': production(stack('', 'fail:1')) });
      await execute(applyCommand({ autoApprove: true }), {
        folder: made.folder,
        terminal: recordingTerminal().terminal,
      });
      await ran(made, logsCommand('production.compose.shop', { deployment: true }));
      return [];
    },
  },
  'seed-failed': {
    'Fix it, and apply again: it runs at each apply until it succeeds.': (made) => applied(made, seeded),
  },
  ordered: {
    'trueup status shows it.': async (made) => {
      filesIn(made, { 'trueup.yaml': production(stack()) });
      await ran(made, applyCommand({ autoApprove: true, wait: false }));
      const status = await ran(made, statusCommand([], { interval: '2' }));
      if (!status.includes('production.compose.shop')) throw new Error(status);
      return [];
    },
  },
  repeated: {
    'Nothing, unless a later plan warns about a duplicate.': (made) => applied(made, production(database())),
  },
  duplicate: {
    'Look at them on the platform, and delete those that you do not need.': async (made) => {
      const id = idOf(made, 'production.postgres.main');
      for (const other of Object.keys(made.emulator.world.tables.postgres).filter((item) => item !== id))
        await made.emulator.act('postgres.remove', { postgresId: other });
      return applied(made, production(database()));
    },
  },
  skipped: {
    'Correct the cause, then apply again.': (made) =>
      applied(made, production(stack('domains: { shop.example.com: { serviceName: web } }'))),
  },
  'sealed-file': {
    'Remove the line,': (made) => {
      made.secrets['DB_PASSWORD'] = 'correct-horse';
      return applied(made, production(database()).replace('example', '"${secret:DB_PASSWORD}"'));
    },
    'run trueup secret set DB_PASSWORD with a new value,': { forPeople: 'test/cli/commands/secret.test.ts runs it' },
    'and withdraw the old one: git keeps it.': { forPeople: 'only they know where it is used' },
    'Or set TRUEUP_SECRET_DB_PASSWORD: then the source is not needed.': 'fact',
  },
  unpinned: {
    'Set TRUEUP_URL to the address of your platform, where a pull request cannot change it.': () => {
      checkPlatform(named, { env: { CI: 'true', TRUEUP_URL: named.url } });
      return Promise.resolve([]);
    },
    'To let the manifest choose, give --no-pinned': () => {
      checkPlatform(named, { env: { CI: 'true' }, isPinned: false });
      return Promise.resolve([]);
    },
    'or set TRUEUP_PINNED=false.': () => {
      checkPlatform(named, { env: { CI: 'true', TRUEUP_PINNED: 'false' } });
      return Promise.resolve([]);
    },
  },
  'drift-memory': {
    'Correct the file,': async (made) => {
      const path = join(made.folder, 'drift.yaml');
      return drifted(made, readFileSync(path, 'utf8').replace('is: gone', 'is: missing'));
    },
    'or restore an earlier version of it.': (made) => drifted(made, 'trueup-drift: 1\nfindings: []\n'),
    'docs/drift.md has its form.': 'fact',
  },
  'accepted-drift': {
    'Correct the file,': (made) => {
      const path = join(made.folder, 'accepted.yaml');
      writeFileSync(path, readFileSync(path, 'utf8').replace('until: soon', 'until: 2030-01-06'));
      return planned(made);
    },
    'or restore an earlier version of it.': (made) => {
      filesIn(made, { 'accepted.yaml': 'trueup-accepted: 1\naccepted: []\n' });
      return planned(made);
    },
    'docs/drift.md has its form.': 'fact',
  },
  'too-many-previews': {
    'Remove one: trueup destroy -f preview.yaml --preview 1.': () => secondPreview({ isFirstGone: true }),
    'Or run trueup preview prune,': { forPeople: 'it removes previews that are closed or over' },
    'or raise most: in preview.yaml.': () => secondPreview({ most: 2 }),
  },
  'not-notified': {
    'Set TRUEUP_SECRET_HOOK,': async () => {
      const server = createServer((_request, response) => void response.writeHead(200).end());
      await once(server.listen(0, '127.0.0.1'), 'listening');
      const { port } = server.address() as AddressInfo;
      try {
        return await notified({ TRUEUP_SECRET_HOOK: `http://127.0.0.1:${port}/hooks/T0123456789abcdefghij` });
      } finally {
        server.close();
      }
    },
    'or give --no-notify.': { forPeople: 'then nothing is sent' },
    'Notifications use no other source of secrets.': 'fact',
  },
  'not-traced': {
    'Set it to otlp,': () => traced('otlp'),
    'or to none.': () => traced('none'),
  },
  'owned-twice': {
    'Give trueup.yaml another environment,': (made) => {
      filesIn(made, { 'trueup.yaml': liveStage.replace('live', 'staging'), 'other.yaml': liveStage });
      return planned(made);
    },
    'or remove one of the two root files.': (made) => {
      rmSync(join(filesIn(made, { 'trueup.yaml': liveStage, 'other.yaml': '' }), 'other.yaml'));
      return planned(made);
    },
  },
  'overridden-secret': {
    'Unset it to use what secrets.env has.': (made) => readLive(made, {}),
    'If this stage means it, set TRUEUP__LIVE__SECRET_DB_PASSWORD instead.': (made) =>
      readLive(made, { TRUEUP__LIVE__SECRET_DB_PASSWORD: 'of-this-stage' }),
  },
  'unread-root-file': {
    'Run trueup validate -f other.yaml.': (made) => {
      filesIn(made, { 'trueup.yaml': liveStage, 'other.yaml': liveStage.replace('live', 'staging') });
      return planned(made);
    },
  },
  'plan-file': {
    'Write one with trueup plan --out FILE.': async (made) => {
      filesIn(made, { 'trueup.yaml': production('    description: x\n') });
      await ran(made, planCommand({ out: 'no-such-plan.trueup' }));
      await readPlanFile(made.folder, 'no-such-plan.trueup');
      return [];
    },
  },
  usage: {
    'Run trueup --help, or trueup COMMAND --help.': () => {
      settleOptions({ file: 'trueup.yaml', connections: '4', lockTimeout: '0', format: 'text', color: false }, process);
      return Promise.resolve([]);
    },
  },
  'not-exported': {
    'Nothing happens to it: Trueup does not manage what no block declares.': { forPeople: 'it asks for nothing' },
  },
  'not-in-both': {
    'Check whether it was created or deleted in the dashboard, or lost from the Terraform state.': {
      forPeople: 'only they know who created or deleted it',
    },
  },
  'file-unwritable': {
    'trueup export --out DIR exports into another folder,': async () => {
      await writeFiles(folderWith({}), [{ path: 'trueup.yaml', content: 'trueup: 1' }]);
      return [];
    },
    '--unmanaged beside a manifest;': async (made) => {
      await writeFiles(made.folder, [{ path: 'unmanaged.yaml', content: 'trueup: 1' }]);
      return [];
    },
    '--force replaces what is there.': async (made) => {
      await writeFiles(made.folder, [{ path: 'trueup.yaml', content: 'trueup: 1' }], { force: true });
      return [];
    },
  },
  'not-editable': {
    'Change it by hand.': () => {
      const byHand = 'x-tag: nginx:1.27\nimage: nginx:1.27\n';
      editYaml('trueup.yaml', byHand, [{ path: ['x-tag'], value: plainly('nginx:1.28') }]);
      return Promise.resolve([]);
    },
  },
  defect: {
    'Report it.': { forPeople: 'a person writes the report' },
    'TRUEUP_DEBUG=1 shows where it happened.': 'fact',
  },
} satisfies Record<keyof typeof provocations, Row>;

function traced(exporter: string) {
  const env = { OTEL_TRACES_EXPORTER: exporter };
  const settings = asksForTraces(env) ? traceSettings(env) : undefined;
  return Promise.resolve(settings !== undefined && 'code' in settings ? [settings] : []);
}

import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { loadForSession, withLock } from '../../src/cli/locked.ts';
import { readPlanFile } from '../../src/cli/plan-file-on-disk.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { loadManifest } from '../../src/project/load.ts';
import { textView } from '../../src/render/output-format.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { withWrite } from '../../src/state/pending-operation.ts';
import type { Session } from '../../src/workflow/session.ts';
import { applyCommand, destroyCommand } from './asked.ts';
import { execute, recordingTerminal, runIn } from '../support/commands.ts';
import { processOfTest } from '../support/process.ts';
import { project, trueup } from './process.ts';

/** An apply has the lock of its state, and reads what the state knows, while its manifest is checked. */

afterEach(() => {
  vi.unstubAllEnvs();
});

const apiKey = 'right-key';
const names = ['a', 'b', 'c'];
const manifest = (url: string, { description = 'Shop', image = 'redis:8', more = '' } = {}): string => `trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    description: ${description}
    redis:
${names.map((name) => `      ${name}: { dockerImage: "${name === 'b' ? image : 'redis:8'}", databasePassword: password-1, deploy: never }`).join('\n')}
${more}`;
const mistake = { more: '      d: { dockerImage: "redis:8", databasePassword: password-1, dockerImges: x }\n' };
const limits = { purpose: 'apply', request: {} };

/** A platform and a folder whose manifest was applied to it. */
async function applied() {
  vi.stubEnv('TRUEUP_API_KEY', apiKey);
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const server = await serve(emulator);
  onTestFinished(() => server.close());
  const folder = project(manifest(server.url));
  const command = async (...words: string[]) =>
    trueup([...words, '--auto-approve', '-C', folder], { env: { TRUEUP_API_KEY: apiKey } });
  expect(await command('apply', '--adopt')).toMatchObject({ code: 0 });
  const { terminal, printed } = recordingTerminal();
  const run = runIn(folder, textView(terminal), terminal);
  const load = (onSettings?: Parameters<Parameters<typeof loadForSession>[1]>[0]) =>
    loadManifest(run.options, { onSettings });
  /** The requests since the last call, with what they asked for. */
  const requests = () =>
    emulator.log
      .splice(0)
      // A client reads the limit of its key once, whatever it reads then.
      .filter(({ operation }) => operation !== 'user.getBackups')
      .map(({ method, operation, input }) => `${method} ${operation} ${JSON.stringify(input)}`);
  requests();
  const isLocked = async () => (await localStore(join(folder, '.trueup')).holder()) !== undefined;
  const write = (about: Parameters<typeof manifest>[1]) =>
    writeFileSync(join(folder, 'trueup.yaml'), manifest(server.url, about));
  return { emulator, folder, command, run, terminal, printed, load, requests, isLocked, write };
}

test.each([true, false])('sends no request that the old order would not send (bulk reads: %s)', async (bulk) => {
  const { emulator, run, load, requests } = await applied();
  const bulky = { ...run, options: { ...run.options, bulk } };
  const { validated, early } = await loadForSession(
    bulky,
    async (onSettings) => {
      const loaded = await load(onSettings);
      await expect.poll(() => emulator.log.map(({ operation }) => operation)).toContain('redis.one');
      return loaded;
    },
    limits,
  );
  const begun = requests();
  expect(begun.filter((request) => !request.startsWith('GET'))).toEqual([]);
  const seen: string[][] = [];
  await withLock(
    bulky,
    validated.manifest,
    {
      ...limits,
      work: async (session) => {
        expect(hasChanges(await session.plan())).toBe(false);
        seen.push(requests());
        // The next plan reads everything itself.
        expect(hasChanges(await session.plan())).toBe(false);
        seen.push(requests());
        return 'done';
      },
    },
    early,
  );
  const [late = [], again] = seen;
  expect([...begun, ...late].toSorted()).toEqual(again?.toSorted());
});

/** A project where a plan of another image of one service is saved, and a run that loads its manifest. */
async function reviewing() {
  const made = await applied();
  made.write({ image: 'redis:8.2' });
  const { code } = await trueup(['plan', '--out', 'saved.plan', '-C', made.folder], {
    cwd: made.folder,
    env: { TRUEUP_API_KEY: apiKey },
  });
  expect(code).toBe(0);
  made.requests();
  return { ...made, reviewed: await readPlanFile(made.folder, 'saved.plan') };
}

test('reads what a reviewed plan touches while the manifest is checked, and nothing else', async () => {
  const { emulator, run, load, requests, reviewed } = await reviewing();
  const request = { reviewed };
  const { validated, early } = await loadForSession(
    run,
    async (onSettings) => {
      const loaded = await load(onSettings);
      await expect.poll(() => emulator.log.map(({ operation }) => operation)).toContain('redis.one');
      return loaded;
    },
    { ...limits, request },
  );
  const begun = requests().map((one) => String(one.split(' ')[1]));
  expect(begun.toSorted()).toEqual(['environment.byProjectId', 'redis.one', 'user.get']);
  const work = async (session: Session) => {
    const plan = await session.plan(request);
    expect(requests()).toEqual([]);
    await session.apply(plan, { adoption: true, dataLoss: false });
    expect(requests().filter((one) => one.startsWith('POST'))).toHaveLength(1);
    expect(hasChanges(await session.plan())).toBe(false);
    return 'done' as const;
  };
  await withLock(run, validated.manifest, { ...limits, work }, early);
});

test('reads nothing for a plan file that was changed', async () => {
  const { run, load, requests, reviewed, isLocked } = await reviewing();
  const changed = { ...reviewed, file: { ...reviewed.file, madeAt: 'another day' } };
  const { early } = await loadForSession(run, load, { ...limits, request: { reviewed: changed } });
  expect([early, requests(), await isLocked()]).toEqual([undefined, [], false]);
});

test('applies a change, and then plans nothing', async () => {
  const { command, write, requests, isLocked } = await applied();
  write({ description: 'Another' });
  expect((await command('apply')).out).toContain('1 updated');
  expect(requests().filter((request) => request.startsWith('POST'))).toHaveLength(1);
  expect((await command('apply')).out).toContain('No changes.');
  expect(await isLocked()).toBe(false);
  expect((await command('destroy', '--allow-data-loss')).out).toContain('3 deleted');
  expect((await command('destroy', '--allow-data-loss')).code).toBe(0);
  expect(await isLocked()).toBe(false);
});

test('gives the lock back for the mistakes of a manifest, after GETs alone', async () => {
  const { folder, load, run, write, requests, isLocked, terminal } = await applied();
  write(mistake);
  const loading = loadForSession(
    run,
    async (onSettings) => {
      expect(await isLocked()).toBe(false);
      return load(async (settings) => {
        await onSettings(settings);
        expect(await isLocked()).toBe(true);
      });
    },
    limits,
  );
  await expect(loading).rejects.toMatchObject({ failure: 'manifest' });
  expect(await isLocked()).toBe(false);
  for (const command of [applyCommand({ autoApprove: true }), destroyCommand({ autoApprove: true })]) {
    await expect(execute(command, { folder, terminal })).rejects.toMatchObject({ failure: 'manifest' });
  }
  expect(requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
  expect(await isLocked()).toBe(false);
});

test('leaves nothing in a folder for a manifest with a mistake, where there is no state yet', async () => {
  const { folder, command, write, requests } = await applied();
  rmSync(join(folder, '.trueup'), { recursive: true });
  write(mistake);
  expect((await command('apply')).code).not.toBe(0);
  expect(requests()).toEqual([]);
  expect(existsSync(join(folder, '.trueup'))).toBe(false);
});

test('says what the manifest lacks before that another run has the lock, and waits for that one', async () => {
  const { folder, command, write, requests, isLocked } = await applied();
  const other = localStore(join(folder, '.trueup'));
  await other.lock({ purpose: 'import' });
  expect((await command('apply')).err).toContain('which runs import');
  const waiting = command('apply', '--lock-timeout', '60');
  expect(requests()).toEqual([]);
  await other.close();
  expect((await waiting).out).toContain('No changes.');
  const next = localStore(join(folder, '.trueup'));
  await next.lock({ purpose: 'import' });
  write(mistake);
  const { err } = await command('apply');
  expect(err).toContain('dockerImges');
  expect(err).not.toContain('which runs import');
  await next.close();
  expect(await isLocked()).toBe(false);
});

test('reads nothing as long as a request of an earlier run can take effect', async () => {
  const { folder, run, load, requests } = await applied();
  const store = localStore(join(folder, '.trueup'));
  await store.lock({ purpose: 'apply' });
  const state = await store.read();
  const [address = '', record] = Object.entries(state?.resources ?? {}).find(([, { kind }]) => kind === 'redis') ?? [];
  if (state === undefined || record?.id == null) throw new Error('the state has no such service');
  const unknown = withWrite(record, { id: record.id, at: Date.now(), timeoutMs: 60_000 });
  await store.write({
    ...state,
    serial: state.serial + 1,
    resources: { ...state.resources, [address]: unknown },
  });
  await store.close();
  const { early } = await loadForSession(run, load, limits);
  expect(early).toBeDefined();
  expect(early?.connection.ahead).toBeUndefined();
  await early?.close();
  const { early: impatient } = await loadForSession(run, load, { ...limits, inFlightTimeoutMs: 0 });
  expect(impatient?.connection.ahead).toBeDefined();
  await impatient?.close();
  expect(requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
});

test('gives the lock back when a signal ends it before the manifest is checked', async () => {
  const { folder, load, terminal, printed, isLocked } = await applied();
  const signals = processOfTest({ cwd: folder });
  const exits: number[] = [];
  signals.exit = (code: number) => void exits.push(code);
  const run = runIn(folder, textView(terminal), terminal, { signals });
  const held = loadForSession(
    run,
    async (onSettings) => {
      const loaded = await load(onSettings);
      expect(await isLocked()).toBe(true);
      signals.emit('SIGINT', 'SIGINT');
      await expect.poll(() => exits).toEqual([130]);
      return loaded;
    },
    limits,
  );
  await held;
  expect(printed.err).toContain('Interrupted');
  expect(await isLocked()).toBe(false);
  expect(signals.listenerCount('SIGINT')).toBe(0);
});

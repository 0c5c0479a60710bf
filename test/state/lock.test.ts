import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { acquireLock } from '../../src/state/lock.ts';

/** The lock of a folder: one run at a time, whatever became of the ones before. */

const lockModule = resolve(import.meta.dirname, '../../src/state/lock.ts');
const tsx = resolve(import.meta.dirname, '../../node_modules/tsx/dist/esm/index.mjs');

const newFolder = () => mkdtempSync(join(tmpdir(), 'trueup-lock-'));

/** Runs a script in a process of its own; its result is what it prints. */
function run(script: string, ...args: string[]): { pid: number; began: Promise<string>; output: Promise<string> } {
  const child = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', script, lockModule, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const output = new Promise<string>((done) => child.on('close', () => done(text)));
  const began = new Promise<string>((done) => child.stdout.once('data', (chunk: Buffer) => done(chunk.toString())));
  return { pid: child.pid ?? 0, began, output };
}

async function refusal(folder: string): Promise<string> {
  const error = await acquireLock(folder, 'plan').catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('it was let in');
  expect(error.failure).toBe('locked');
  expect(error.diagnostics[0]?.remedy).toMatch('delete the file named lock');
  return error.message;
}

const holder = (more: object = {}) =>
  JSON.stringify({ pid: process.pid, host: hostname(), purpose: 'apply', since: '2025-01-01T00:00:00.000Z', ...more });

describe('a second run', () => {
  test('is told which process is in, on which machine, what it does and since when', async () => {
    const folder = newFolder();
    const lock = await acquireLock(folder, 'apply');
    const message = await refusal(folder);
    expect(message).toMatch(`process ${process.pid} on ${hostname()}`);
    expect(message).toMatch(/runs apply since \d{4}-/);
    await lock.release();
    await (await acquireLock(folder, 'plan')).release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('in another process is kept out, and let in when the first has died', async () => {
    const folder = newFolder();
    const script = `
      const { acquireLock } = await import(process.argv[1]);
      await acquireLock(process.argv[2], 'apply');
      console.log('in');
      setTimeout(() => process.exit(), 20_000);`;
    const other = spawn(process.execPath, ['--import', tsx, '--input-type=module', '-e', script, lockModule, folder], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((done) => other.stdout.once('data', done));
    expect(await refusal(folder)).toMatch(`process ${other.pid ?? 0} `);
    const died = new Promise((done) => other.on('close', done));
    other.kill('SIGKILL');
    await died;
    const lock = await acquireLock(folder, 'apply');
    expect(JSON.parse(readFileSync(join(folder, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('of another machine cannot be known to be dead and is kept out', async () => {
    const folder = newFolder();
    writeFileSync(join(folder, 'lock'), holder({ pid: 1, host: 'elsewhere' }));
    expect(await refusal(folder)).toMatch('on elsewhere');
  });

  test.each([
    ['empty', ''],
    ['torn', '{"pid":1'],
    ['something else', '[]'],
  ])('is let in when the lock is %s, as after a loss of power', async (_title, content) => {
    const folder = newFolder();
    writeFileSync(join(folder, 'lock'), content);
    const lock = await acquireLock(folder, 'apply');
    await lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('that came in after the lock was removed by hand is not locked out by the end of the first', async () => {
    const folder = newFolder();
    const first = await acquireLock(folder, 'apply');
    rmSync(join(folder, 'lock'));
    const second = await acquireLock(folder, 'apply');
    await first.release();
    expect(await refusal(folder)).toMatch('locked by process');
    await second.release();
  });
});

describe('of many that come at once', () => {
  /** Takes the lock as often as it can; while it is in, nobody else may be, which a folder of its own proves. */
  const contender = `
    const { mkdirSync, promises, rmdirSync, writeFileSync } = await import('node:fs');
    const { syncBuiltinESMExports } = await import('node:module');
    // A disk that takes its time, so that the others come in between any two steps.
    for (const name of ['link', 'open', 'readFile', 'rm', 'writeFile']) {
      const original = promises[name];
      promises[name] = async (...args) => {
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
        return original(...args);
      };
    }
    syncBuiltinESMExports();
    const { acquireLock } = await import(process.argv[1]);
    const folder = process.argv[2];
    const dead = process.argv[3];
    const until = Date.now() + 1000;
    let entered = 0;
    let violations = 0;
    while (Date.now() < until) {
      let lock;
      try { lock = await acquireLock(folder, 'apply'); } catch (error) {
        if (error.failure !== 'locked') throw error;
        continue;
      }
      try { mkdirSync(folder + '.inside'); } catch { violations++; }
      entered++;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      try { rmdirSync(folder + '.inside'); } catch { violations++; }
      // Half of the time it leaves as a run does that was killed: the lock stays, of a process that is no more.
      if (entered % 2 === 0) await lock.release();
      else writeFileSync(folder + '/lock', dead);
    }
    console.log(JSON.stringify({ entered, violations }));`;

  test('never two are in, also when they find the lock of a dead process', async () => {
    const folder = newFolder();
    const gone = spawnSync(process.execPath, ['-e', '']);
    const dead = holder({ pid: gone.pid });
    writeFileSync(join(folder, 'lock'), dead);
    const runs = Array.from({ length: 8 }, () => run(contender, folder, dead));
    const results = (await Promise.all(runs.map((item) => item.output))).map(
      (text) => JSON.parse(text) as { entered: number; violations: number },
    );
    expect(results).toHaveLength(8);
    expect(results.reduce((sum, item) => sum + item.violations, 0)).toBe(0);
    expect(results.reduce((sum, item) => sum + item.entered, 0)).toBeGreaterThanOrEqual(8);
  });

  /** Stops at one step of the disk until it is told to go on. */
  const slow = `
    const { existsSync, promises } = await import('node:fs');
    const { syncBuiltinESMExports } = await import('node:module');
    const [, path, folder, name, pattern] = process.argv;
    const original = promises[name];
    let stopped = false;
    promises[name] = async (...args) => {
      if (!stopped && new RegExp(pattern).test(args[0])) {
        stopped = true;
        console.log('stopped');
        while (!existsSync(folder + '.go')) await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return original(...args);
    };
    syncBuiltinESMExports();
    const { acquireLock } = await import(path);
    try { await acquireLock(folder, 'apply'); console.log('in'); } catch (error) { console.log(error.failure); }`;

  test.each([
    ['the lock of the dead is removed', 'rm', 'lock$', ['in', 'locked']],
    ['it is said who removes it', 'writeFile', 'over-', ['in', 'locked']],
  ])('only one takes over, also when another stops before %s', async (_title, step, pattern, both) => {
    const folder = newFolder();
    const gone = spawnSync(process.execPath, ['-e', '']);
    writeFileSync(join(folder, 'lock'), holder({ pid: gone.pid }));
    const other = run(slow, folder, step, pattern);
    expect(await other.began).toBe('stopped\n');
    const mine = await acquireLock(folder, 'apply').then(
      () => 'in',
      (error: unknown) => (error as Stop).failure,
    );
    writeFileSync(`${folder}.go`, '');
    const theirs = (await other.output).trim().split('\n').at(-1);
    expect(both).toEqual(expect.arrayContaining([mine, theirs]));
    expect(mine).not.toBe(theirs);
  });

  test('in one process exactly one is let in', async () => {
    const folder = newFolder();
    const results = await Promise.allSettled(Array.from({ length: 20 }, () => acquireLock(folder, 'apply')));
    expect(results.filter((item) => item.status === 'fulfilled')).toHaveLength(1);
  });
});

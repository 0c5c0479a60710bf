import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { localStore } from '../../src/state/backends/local.ts';
import { nodeDisk } from '../../src/state/disk.ts';
import { thisHost } from '../../src/state/host.ts';
import { bundled } from '../support/bundled.ts';
import { effort } from '../support/whole.ts';
import { stopOf } from '../../src/state/conformance/states.ts';

/** The lease of a folder, held by real processes. */

const [local, ...modules] = bundled([
  'src/state/backends/local.ts',
  'src/state/disk.ts',
  'src/state/lease.ts',
  'src/state/take-lease.ts',
  'src/state/backends/folder-register.ts',
]);
const newFolder = () => mkdtempSync(join(tmpdir(), 'trueup-lease-'));
const filesOf = (folder: string) => readdirSync(join(folder, 'lease')).toSorted();

/** Runs a script in a process of its own. */
function run(script: string, ...args: string[]) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  const output = new Promise<string>((done) => child.on('close', () => done(text)));
  const began = new Promise<string>((done) => child.stdout.once('data', (chunk: Buffer) => done(chunk.toString())));
  return { child, began, output };
}

describe('a run in another process', () => {
  const holding = `
    const { localStore } = await import(process.argv[1]);
    await localStore(process.argv[2]).lock({ purpose: 'apply' });
    console.log('in');
    setTimeout(() => process.exit(), 20_000);`;

  test('keeps others out, and is followed at once when it was killed', async () => {
    const folder = newFolder();
    const other = run(holding, local, folder);
    expect(await other.began).toBe('in\n');
    const stop = await stopOf(localStore(folder).lock({ purpose: 'plan' }));
    expect(stop.message).toContain(`pid ${other.child.pid ?? 0}, which runs apply since `);
    other.child.kill('SIGKILL');
    await other.output;
    const store = localStore(folder);
    const lease = await store.lock({ purpose: 'plan' }); // which waits for nothing
    expect(lease.inherited?.owner).toBe(thisHost().owner.replace(/pid \d+$/, `pid ${other.child.pid ?? 0}`));
    await store.close();
  });

  test('keeps others out when its files get times of long ago, as from a copy or a backup', async () => {
    const folder = newFolder();
    const other = run(holding, local, folder);
    await other.began;
    const then = new Date(Date.now() - 3_600_000);
    for (const name of [...filesOf(folder), '.']) utimesSync(join(folder, 'lease', name), then, then);
    expect((await stopOf(localStore(folder).lock({ purpose: 'plan' }))).failure).toBe('locked');
    other.child.kill('SIGKILL');
    await other.output;
    const store = localStore(folder);
    await store.lock({ purpose: 'plan' });
    await store.close();
  });

  test('that was stopped is not gone, and keeps others out until it expires', async () => {
    const folder = newFolder();
    const other = run(holding, local, folder);
    await other.began;
    other.child.kill('SIGSTOP');
    expect((await stopOf(localStore(folder).lock({ purpose: 'plan' }))).failure).toBe('locked');
    // As if it had been renewed 61 s ago.
    const store = localStore(folder, { disk: { ...nodeDisk, ageOf: () => Promise.resolve(61_000) } });
    await store.lock({ purpose: 'plan' });
    await store.close();
    other.child.kill('SIGKILL');
    await other.output;
  });
});

describe('of many processes that come at once', () => {
  /** Takes the lease as often as it can; while it is in, nobody else may be, which a folder of its own proves. */
  const contender = `
    const [, diskModule, leaseModule, takeModule, registerModule, folder, dead, times] = process.argv;
    const { mkdirSync, rmdirSync } = await import('node:fs');
    const { folderRegister } = await import(registerModule);
    const { leaseContext } = await import(leaseModule);
    const { takeLease } = await import(takeModule);
    const { nodeDisk } = await import(diskModule);
    // A disk that takes its time, so that the others come in between any two steps.
    const disk = Object.fromEntries(Object.entries(nodeDisk).map(([name, work]) => [name, name === 'nameBeside' ? work : async (...about) => {
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 4));
      return work(...about);
    }]));
    const register = folderRegister(folder, { disk, of: 'it' });
    let violations = 0;
    const counters = [];
    while (counters.length < times) {
      let lease;
      try { lease = await takeLease(register, { purpose: 'apply' }, leaseContext()); } catch (error) {
        if (error.failure !== 'locked') throw error;
        continue;
      }
      try { mkdirSync(folder + '.inside'); } catch { violations++; }
      counters.push(lease.counter);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 3));
      try { rmdirSync(folder + '.inside'); } catch { violations++; }
      // Half of the time it leaves as a run does that was killed: the lease stays, of a process that is no more.
      if (counters.length % 2 === 0) await lease.release();
      else {
        const seen = await register.look();
        await register.swap(seen, { ...seen.entry, holder: { ...seen.entry.holder, pid: Number(dead) } });
      }
    }
    console.log(JSON.stringify({ counters, violations }));
    process.exit();`;

  test('never two are in, also when they find the lease of a dead process, and no counter is given twice', async () => {
    const folder = newFolder();
    const gone = spawnSync(process.execPath, ['-e', '']);
    const [processes, times] = effort({ fast: [4, 6], full: [8, 12] });
    const begin = () => run(contender, ...modules, folder, String(gone.pid), String(times));
    const runs = Array.from({ length: processes }, begin);
    const results = (await Promise.all(runs.map((item) => item.output))).map(
      (text) => JSON.parse(text) as { counters: number[]; violations: number },
    );
    expect(results.map((item) => item.counters.length)).toEqual(runs.map(() => times));
    expect(results.reduce((sum, item) => sum + item.violations, 0)).toBe(0);
    const counters = results.flatMap((item) => item.counters);
    expect(new Set(counters).size).toBe(counters.length);
    expect(Math.max(...counters)).toBe(counters.length);
  });
});

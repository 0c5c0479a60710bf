import { mkdirSync, mkdtempSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { folderRegister } from '../../../src/state/backends/folder-register.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import { systemClock } from '../../../src/state/clock.ts';
import { nodeDisk } from '../../../src/state/disk.ts';
import type { LeaseEntry } from '../../../src/state/lease-entry.ts';
import { stopOf } from '../../../src/state/conformance/states.ts';
import type { Hook, Operation } from '../faulty-disk.ts';
import { diskError, hooked } from '../faulty-disk.ts';
import { losingDisk } from '../losing-disk.ts';

/** The files of a lease: on a disk in memory, where each operation can fail, and on a real one. */

const newFolder = () => mkdtempSync(join(tmpdir(), 'trueup-lease-'));
const filesOf = (folder: string) => readdirSync(join(folder, 'lease')).toSorted();

const past = null;
const hold = {
  id: 'run-1',
  owner: 'ops@host pid 7',
  machine: 'host',
  pid: 7,
  purpose: 'apply',
  since: '2030-01-01T00:00:00.000Z',
  beat: 0,
  lastsMs: 60_000,
};
const free = (counter: number): LeaseEntry => ({ counter, holder: null, past });

/** A lease whose disk does what a hook says; without one, what it is told. */
function leaseWith(hook: Hook = (_operation, work) => work()) {
  const { disk } = losingDisk();
  const operations: Operation[] = [];
  const register = folderRegister('state', {
    of: 'the state',
    disk: hooked(disk, (operation, work) => {
      operations.push(operation);
      return hook(operation, work);
    }),
  });
  const put = async (name: string, text: string) => {
    const file = await disk.create(`state/lease/${name}`);
    await file.append(text);
  };
  return { register, disk, put, operations, files: async () => (await disk.list('state/lease')).toSorted() };
}

/** Fails the operations of a name with a code, as often as is said. */
const failing = (name: Operation['name'], code: string, times = Number.POSITIVE_INFINITY): Hook => {
  let left = times;
  return (operation, work) => (operation.name === name && left-- > 0 ? Promise.reject(diskError(code)) : work());
};

describe('the newest file', () => {
  test('is none before the first, nor where the folder is not there', async () => {
    expect(await leaseWith().register.look()).toBeUndefined();
    expect(await leaseWith(failing('list', 'ENOENT')).register.look()).toBeUndefined();
  });

  test('is that of the highest number; drafts and other names are none', async () => {
    const { register, put } = leaseWith();
    for (const name of ['9', '10', '11.run-1', 'x12', '13x', '0']) await put(name, JSON.stringify(free(Number(name))));
    expect(await register.look()).toStrictEqual({ entry: free(10), version: '10', ageMs: 3_600_000 });
    expect(await register.isNewest?.({ entry: free(10), version: '10', ageMs: 0 })).toBe(true);
    expect(await register.isNewest?.({ entry: free(9), version: '9', ageMs: 0 })).toBe(false);
  });

  test('counts its number where it cannot be read after a loss of power', async () => {
    const { register, put } = leaseWith();
    await put('7', '{"counter":');
    expect(await register.look()).toStrictEqual({ entry: free(7), version: '7', ageMs: 3_600_000 });
  });

  test('is read again when it disappeared between two reads, until it is there', async () => {
    const { register, put, operations } = leaseWith(failing('read', 'ENOENT', 99));
    await put('1', JSON.stringify(free(1)));
    expect((await register.look())?.entry).toStrictEqual(free(1));
    expect(operations.filter(({ name }) => name === 'read')).toHaveLength(100);
  });

  test('is not read for ever', async () => {
    const { register, put, operations } = leaseWith(failing('read', 'ENOENT'));
    await put('1', JSON.stringify(free(1)));
    expect((await stopOf(register.look())).message).toBe('the lock state/lease cannot be read (ENOENT)');
    expect(operations.filter(({ name }) => name === 'read')).toHaveLength(100);
  });
});

describe('a disk that fails', () => {
  test.each<[string, Operation['name'], string, string]>([
    ['the folder cannot be listed', 'list', 'EACCES: this user may not', 'Allow this user to read and write there'],
    ['the file cannot be read', 'read', 'EIO: the disk fails', 'Check the disk.'],
    ['the age of the file cannot be told', 'ageOf', 'EISDIR: it is a folder', 'It needs a folder that can be read'],
    ['the draft cannot be looked at', 'list', 'EROFS: the file system can only be read', 'Run in a folder on a file'],
  ])('stops a read at once where %s', async (_what, name, reason, remedy) => {
    const { register, put, operations } = leaseWith(failing(name, reason.slice(0, reason.indexOf(':'))));
    await put('1', JSON.stringify(free(1)));
    const { failure, message, diagnostics, cause } = await stopOf(register.look());
    expect([failure, message]).toEqual(['state', `the lock state/lease cannot be read (${reason})`]);
    // The run may have changed the platform before.
    expect(diagnostics).toMatchObject([
      { code: 'state-unusable', remedy: expect.stringMatching(`^${remedy}.*Then run again\\.$`) as string },
    ]);
    expect(cause).toMatchObject({ code: reason.slice(0, reason.indexOf(':')) });
    expect(operations.filter((operation) => operation.name === name)).toHaveLength(1);
  });

  test('stops a read of the newest', async () => {
    const { register } = leaseWith(failing('list', 'EACCES'));
    const { message } = await stopOf(register.isNewest?.({ entry: free(1), version: '1', ageMs: 0 }) ?? (() => null));
    expect(message).toContain('the lock state/lease cannot be read (EACCES');
  });

  test('of files names the limit', async () => {
    const { register, put } = leaseWith(failing('read', 'EMFILE'));
    await put('1', JSON.stringify(free(1)));
    const { diagnostics } = await stopOf(register.look());
    expect(diagnostics[0]?.remedy).toBe('Allow more open files (ulimit -n). Then run again.');
  });

  test.each<Operation['name']>(['makeFolder', 'create', 'append', 'sync', 'close', 'link', 'list'])(
    'stops a swap at %s, and leaves no draft',
    async (name) => {
      const { register, files } = leaseWith(failing(name, 'ENOSPC'));
      const stop = await stopOf(register.swap(undefined, { counter: 1, holder: hold, past }));
      expect(stop.message).toBe('the lock state/lease cannot be made (ENOSPC: the disk is full)');
      expect(stop.diagnostics[0]?.remedy).toBe(
        'Make room on the disk, or allow this user more of it. Nothing was changed.',
      );
      expect((await files()).filter((file) => file.includes('.'))).toEqual([]);
    },
  );

  test('closes the draft that it cannot write', async () => {
    const { register, operations } = leaseWith(failing('append', 'EIO'));
    await stopOf(register.swap(undefined, free(1)));
    expect(operations.map(({ name }) => name)).toContain('close');
  });

  test('succeeds with a swap where only the old file cannot be removed', async () => {
    const { register, put, files } = leaseWith(failing('remove', 'EIO'));
    await put('3', JSON.stringify(free(3)));
    const seen = { entry: free(3), version: '3', ageMs: 0 };
    expect(await register.swap(seen, free(4))).toStrictEqual({ entry: free(4), version: '4', ageMs: 0 });
    expect(await files()).toContain('4');
  });
});

describe('a swap', () => {
  test('writes a draft named after its holder, syncs it, and gives it the next number as a whole', async () => {
    const { register, operations, files } = leaseWith();
    const entry = { counter: 1, holder: hold, past };
    expect(await register.swap(undefined, entry)).toStrictEqual({ entry, version: '1', ageMs: 0 });
    const steps = operations
      .slice(0, 7)
      .map(({ name, path, text }) => [name, basename(path), ...(text === undefined ? [] : [text])]);
    expect(steps).toEqual([
      ['makeFolder', 'lease'],
      ['create', '1.run-1'],
      ['append', '1.run-1', JSON.stringify(entry)],
      ['sync', '1.run-1'],
      ['close', '1.run-1'],
      ['link', '1'],
      ['remove', '1.run-1'],
    ]);
    expect(await files()).toEqual(['1']);
  });

  test('writes a draft without a holder where nobody holds the lease', async () => {
    const { register, operations } = leaseWith();
    await register.swap(undefined, free(1));
    expect(operations.find(({ name }) => name === 'create')?.path).toBe('state/lease/1.nobody');
  });

  test.each(['EEXIST', 'ENOENT'])(
    'gives nothing where another process was faster (%s), and leaves no draft',
    async (code) => {
      const { register, files } = leaseWith(failing('link', code));
      expect(await register.swap(undefined, free(1))).toBeUndefined();
      expect(await files()).toEqual([]);
    },
  );

  test('gives nothing where a newer one is there, and takes its own away', async () => {
    const { register, put, files } = leaseWith();
    await put('5', JSON.stringify(free(5)));
    expect(await register.swap({ entry: free(1), version: '1', ageMs: 0 }, free(2))).toBeUndefined();
    expect(await files()).toEqual(['5']);
  });

  test('keeps the previous file for a reader that lists the folder meanwhile, and no older file or draft', async () => {
    const { register, put, files } = leaseWith();
    for (const name of ['1', '2', '2.run-0', '3', '3.run-0', '4', 'readme']) await put(name, JSON.stringify(free(1)));
    await register.swap({ entry: free(1), version: '4', ageMs: 0 }, free(2));
    expect(await files()).toEqual(['4', '5', 'readme']);
  });
});

describe('the files of a lease on a real disk', () => {
  test('are two at most, and only the owner can read the holder', async () => {
    const folder = newFolder();
    const store = localStore(folder);
    for (let turn = 0; turn < 5; turn++) await (await store.lock({ purpose: 'apply' })).release();
    expect(filesOf(folder)).toEqual(['10', '9']);
    expect(JSON.parse(readFileSync(join(folder, 'lease/10'), 'utf8'))).toEqual({
      counter: 5,
      holder: null,
      past: null,
    });
  });

  test.each([
    ['empty', ''],
    ['torn', '{"counter":1'],
    ['something else', '[]'],
  ])(
    'lock no process out when the newest is %s, as after a loss of power, and the counter still grows',
    async (_t, text) => {
      const folder = newFolder();
      const store = localStore(folder);
      const { counter } = await store.lock({ purpose: 'apply' });
      mkdirSync(join(folder, 'lease'), { recursive: true });
      writeFileSync(join(folder, 'lease/7'), text);
      const lease = await localStore(folder).lock({ purpose: 'plan' });
      expect(lease.counter).toBeGreaterThan(counter);
      await lease.release();
    },
  );

  test('of which an old one comes back do not count: the newest does', async () => {
    const folder = newFolder();
    const register = folderRegister(folder, { of: 'it' });
    const entry = (counter: number) => ({ counter, holder: null, past: null });
    const first = await register.swap(undefined, entry(1));
    let seen = first;
    for (let counter = 2; counter < 6; counter++) seen = await register.swap(seen, entry(counter));
    // Somebody who looked long ago, and whose next name is free again.
    expect(await register.swap(first, entry(9))).toBeUndefined();
    expect((await register.look())?.entry.counter).toBe(5);
    expect(filesOf(folder)).toEqual(['4', '5']);
  });

  test('are not created by a process when the others removed its draft as a stale one', async () => {
    const folder = newFolder();
    const link = (from: string, to: string) => nodeDisk.remove(from).then(() => nodeDisk.link(from, to));
    const register = folderRegister(folder, { of: 'it', disk: { ...nodeDisk, link } });
    expect(await register.swap(undefined, { counter: 1, holder: null, past: null })).toBeUndefined();
  });

  test('get their age from the clock of the disk, not of the reader', async () => {
    const folder = newFolder();
    const register = folderRegister(folder, { of: 'it' });
    await register.swap(undefined, { counter: 1, holder: null, past: null });
    expect((await register.look())?.ageMs).toBeLessThan(100_000);
    // What anybody can set does not count.
    for (const seconds of [-1_000, 1_000]) {
      const other = new Date(Date.now() + seconds * 1_000);
      utimesSync(join(folder, 'lease/1'), other, other);
      const { ageMs } = (await register.look()) ?? {};
      expect(ageMs).toBeGreaterThanOrEqual(0);
      expect(ageMs).toBeLessThan(100_000);
    }
    expect(filesOf(folder)).toEqual(['1']);
  });
});

test.each([
  ['a name that no number follows', '9007199254740992', free(1)],
  ['a name that no number is exactly', '100000000000000000000', free(1)],
  ['a counter that none follows', '1', free(2 ** 52)],
])('a lease with %s is taken by no run', async (_what, name, entry) => {
  const folder = newFolder();
  mkdirSync(join(folder, 'lease'));
  writeFileSync(join(folder, 'lease', name), JSON.stringify(entry));
  const clock = { ...systemClock, sleep: () => Promise.resolve() };
  const stop = await stopOf(localStore(folder, { clock }).lock({ purpose: 'apply' }));
  expect(stop.message).toContain('cannot be taken');
  expect(stop.diagnostics[0]?.remedy).toContain('remove the lock there: the folder lease');
});

test('a lease with a counter that is too large for an entry is held by one run at a time', async () => {
  const folder = newFolder();
  mkdirSync(join(folder, 'lease'));
  writeFileSync(join(folder, 'lease/1'), JSON.stringify(free(Number.MAX_SAFE_INTEGER)));
  const [one, two] = [localStore(folder), localStore(folder)];
  await one.lock({ purpose: 'apply' });
  expect((await stopOf(two.lock({ purpose: 'apply' }))).failure).toBe('locked');
  await one.close();
});

import { execFileSync } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { existsSync, mkdtempSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import fs, { open } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { makeFolders, nodeDisk, readNoPipe } from '../../src/state/disk.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { recordOf, stateWith } from '../../src/state/conformance/states.ts';

/** What is said to be durable was given to the disk itself, not only to the memory of the system. */

afterEach(() => vi.restoreAllMocks());

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'trueup-disk-')));

/** Notes the paths that are given to the disk from now on, with what each file held then. */
async function watchSyncs(): Promise<{ path: string; held: string | undefined }[]> {
  const handle = await open(folder, 'r');
  const prototype = Object.getPrototypeOf(handle) as FileHandle;
  await handle.close();
  const synced: { path: string; held: string | undefined }[] = [];
  for (const name of ['sync', 'datasync'] as const) {
    const real: unknown = Reflect.get(prototype, name);
    if (typeof real !== 'function') throw new Error(`a file has no ${name}`);
    vi.spyOn(prototype, name).mockImplementation(async function noted(this: FileHandle) {
      const path = readlinkSync(`/proc/self/fd/${this.fd}`);
      const isFile = (await this.stat()).isFile();
      await Reflect.apply(real, this, []);
      synced.push({ path, held: isFile ? readFileSync(path, 'utf8') : undefined });
    });
  }
  return synced;
}

describe.skipIf(process.platform !== 'linux')('what is durable', () => {
  it('is a file, as a whole, and the name of a file in its folder', async () => {
    const synced = await watchSyncs();
    const file = await nodeDisk.create(join(folder, 'one'));
    await file.append('all of it');
    await file.sync();
    await file.close();
    await nodeDisk.syncFolder(folder);
    expect(synced).toEqual([
      { path: join(folder, 'one'), held: 'all of it' },
      { path: folder, held: undefined },
    ]);
  });

  it('is the entry of each new folder in its parent', async () => {
    const synced = await watchSyncs();
    await nodeDisk.makeFolder(join(folder, 'a/b/c'));
    expect(synced.map(({ path }) => path)).toEqual([join(folder, 'a/b'), join(folder, 'a'), folder]);
  });

  it('holds a record before the store reports it as durable, and the state before its journal goes', async () => {
    const store = localStore(join(folder, 'state'));
    await store.lock({ purpose: 'apply' });
    const synced = await watchSyncs();
    await store.append(stateWith({}), 'production.redis.a', recordOf(null));
    const journal = synced.findLast(({ held }) => held?.includes('production.redis.a') === true);
    expect(journal?.path).toBe(join(folder, 'state/state.journal'));
    expect(synced.map(({ path }) => path)).toContain(join(folder, 'state'));
    synced.splice(0);
    await store.write(stateWith({ 'production.redis.b': recordOf('1') }));
    const [state, ...others] = synced;
    expect(state?.held).toContain('production.redis.b');
    expect(others.map(({ path }) => path)).toContain(join(folder, 'state'));
    await store.close();
  });
});

it.skipIf(process.platform === 'win32')(
  'a pipe, which waits for its writer, is not read, and neither is a device',
  async () => {
    const pipe = join(folder, 'pipe');
    execFileSync('mkfifo', [pipe]);
    for (const path of [pipe, '/dev/zero'])
      await expect(readNoPipe(path)).rejects.toMatchObject({ code: 'ENOTFILE', message: 'no file' });
    // A folder has words of its own.
    await expect(readNoPipe(folder)).rejects.toMatchObject({ code: 'EISDIR' });
  },
);

// Node says ENOENT of the first folder that is missing, whatever the system said of it.
it.each([
  ['EROFS', 'EROFS'],
  ['EDQUOT', 'EDQUOT'],
  ['EEXIST', 'ENOENT'],
])('a new folder of which the system says %s fails with %s', async (code, seen) => {
  const fail = (why: string, path: unknown) => Promise.reject(Object.assign(new Error(why), { code: why, path }));
  const missing = join(folder, 'none');
  vi.spyOn(fs, 'mkdir').mockImplementation((path, options) =>
    typeof options === 'object' && options?.recursive === true
      ? fail('ENOENT', missing)
      : fail(path === missing ? code : 'ENOENT', path),
  );
  syncBuiltinESMExports();
  try {
    for (const make of [makeFolders, nodeDisk.makeFolder])
      await expect(make(join(missing, 'lease'))).rejects.toMatchObject({ code: seen });
    const store = localStore(missing);
    await expect(store.lock({ purpose: 'apply' })).rejects.toMatchObject({
      message: expect.stringContaining(`lease cannot be made (${seen}`) as string,
    });
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
});

it('a folder that could not be made for a moment is made, and is the first new one', async () => {
  const missing = join(folder, 'late');
  const refused = Object.assign(new Error('ENOENT'), { code: 'ENOENT', path: missing });
  vi.spyOn(fs, 'mkdir').mockRejectedValueOnce(refused);
  syncBuiltinESMExports();
  try {
    expect(await makeFolders(join(missing, 'lease'))).toBe(missing);
    expect(existsSync(join(missing, 'lease'))).toBe(true);
  } finally {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  }
});

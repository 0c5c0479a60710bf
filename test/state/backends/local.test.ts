import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Stop } from '../../../src/diagnostics/diagnostic.ts';
import { authenticityOf } from '../../../src/state/authenticity.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import type { Disk } from '../../../src/state/disk.ts';
import { nodeDisk } from '../../../src/state/disk.ts';
import { writeLine } from '../../../src/state/wave.ts';
import { newState } from '../../../src/state/new-state.ts';
import type { StateRecord } from '../../../src/state/record.ts';
import type { State } from '../../../src/state/state.ts';
import { keyText, testKey, testKeys } from '../../support/state-key.ts';
import { hooked } from '../faulty-disk.ts';

/** A state in a folder: what a crash, a full disk or a hand leaves behind. */

const record = (id: string): StateRecord => ({
  kind: 'redis',
  id,
  parent: null,
  dependsOn: [],
  pairs: {},
  options: {},
});
const stateWith = (ids: readonly string[], serial = 1): State => ({
  ...newState('org_1', 'prj_1'),
  lineage: 'line',
  serial,
  resources: Object.fromEntries(ids.map((id) => [id, record(id)])),
});

/** Files that are open for writing. Node closes a forgotten one with a warning, and in a later version with an error. */
const openFiles: string[] = [];

/** A disk that counts the files that are open for writing. */
const counting = (disk: Disk) =>
  hooked(disk, async ({ name, path }, work) => {
    const result = await work();
    if (name === 'create') openFiles.push(path);
    if (name === 'close') openFiles.splice(openFiles.indexOf(path), 1);
    return result;
  });

afterEach(() => expect(openFiles.splice(0)).toEqual([]));

/** Opens a state whose key is no file. */
const open = (folder: string, { disk = nodeDisk }: { readonly disk?: Disk } = {}) =>
  localStore(folder, { keys: testKeys, disk: counting(disk) });

/** The text of a state as its own Trueup writes it. */
const sealed = (state: object): string => {
  const authenticity = authenticityOf(testKey, { keyName: 'the key of the test', acceptUnsealed: () => undefined });
  return authenticity.seal(state).parts.join('');
};

function newFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-local-'));
  return { folder, file: join(folder, 'state.json'), journal: join(folder, 'state.journal') };
}

/** A folder after a run that was killed: version 1 holds a and b, and the journal added c and removed a. */
async function afterKill() {
  const made = newFolder();
  const store = open(made.folder);
  await store.write(stateWith(['a', 'b']));
  const base = (await store.read()) ?? stateWith([]);
  await store.append(base, 'c', record('c'));
  await store.append(base, 'a', null);
  await store.read(); // closes the journal
  return made;
}

async function addressesIn(folder: string): Promise<string[]> {
  return Object.keys((await open(folder).read())?.resources ?? {}).toSorted();
}

async function stopOf(reading: Promise<unknown>): Promise<Stop> {
  const error = await reading.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Stop)) throw new Error('it did not stop');
  expect(error.failure).toBe('state');
  expect(error.diagnostics).toMatchObject([
    {
      code: expect.stringMatching(/^state-(unusable|forged)$/) as string,
      remedy: expect.stringContaining('') as string,
    },
  ]);
  return error;
}

describe('the journal of a run that was killed', () => {
  test('is read with the state', async () => {
    const { folder } = await afterKill();
    expect(await addressesIn(folder)).toEqual(['b', 'c']);
  });

  test('is read with a state that is written in parts', async () => {
    const { folder, file, journal } = newFolder();
    const large = stateWith(Array.from({ length: 1_200 }, (_, n) => `ä${n}`));
    const store = open(folder);
    await store.write(large);
    expect(await open(folder).read()).toStrictEqual(large);
    const lines = readFileSync(file, 'utf8').split('\n');
    expect(lines.filter((line) => /^ {2}"ä\d+": \{.*\},?$/.test(line))).toHaveLength(1_200);
    expect(lines.at(-1)).toBe('');
    await store.append(large, 'c', record('c'));
    expect(readFileSync(journal, 'utf8').split('\n')).toHaveLength(3);
    const { resources } = (await open(folder).read()) ?? stateWith([]);
    expect(resources).toStrictEqual({ ...large.resources, c: record('c') });
    await store.close();
  });

  test.each([
    ['a torn line', '1234abcd [["d",{"kin'],
    ['a line that was not all written, as after a loss of power', '1234abcd [["d",{"kin\0\0\0\0\n'],
    ['zeros', '\0'.repeat(4_096)],
  ])('may end in %s', async (_title, end) => {
    const { folder, journal } = await afterKill();
    appendFileSync(journal, end);
    expect(await addressesIn(folder)).toEqual(['b', 'c']);
  });

  test('with one wrong bit anywhere in the middle stops the run', async () => {
    const { folder, journal } = await afterKill();
    const whole = readFileSync(journal);
    const lastLine = whole.lastIndexOf('\n', whole.length - 2) + 1;
    // Without the line feed before it, the last line is no line of its own, and both are one that may be torn.
    for (let at = 0; at < lastLine - 1; at++) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ (1 << (at % 8));
      writeFileSync(journal, damaged);
      expect((await stopOf(open(folder).read())).message).toMatch(/is damaged in line|is not valid JSON/);
    }
  });

  test('may have lost its end at any byte', async () => {
    const { folder, journal } = await afterKill();
    const whole = readFileSync(journal);
    const [header = '', first = '', second = ''] = whole.toString().split('\n');
    const ends = [header, first, second].map((_, index, lines) => lines.slice(0, index + 1).join('\n').length);
    const [begun = 0, one = 0, two = 0] = ends;
    expect(two).toBe(whole.length - 1);
    for (let length = begun + 1; length <= whole.length; length++) {
      writeFileSync(journal, whole.subarray(0, length));
      const expected = length > two ? ['b', 'c'] : length > one ? ['a', 'b', 'c'] : ['a', 'b'];
      expect([length, await addressesIn(folder)]).toEqual([length, expected]);
    }
  });

  test('with a damaged line in the middle stops the run, and the error names the line', async () => {
    const { folder, journal } = await afterKill();
    const lines = readFileSync(journal, 'utf8').split('\n');
    lines[1] = lines[1]?.replace('redis', 'radis') ?? '';
    writeFileSync(journal, lines.join('\n'));
    expect((await stopOf(open(folder).read())).message).toMatch('state.journal is damaged in line 2');
  });

  test('with a record of another form stops the run', async () => {
    const { folder, journal } = await afterKill();
    appendFileSync(journal, writeLine(JSON.stringify([['d', { kind: 5 }]])));
    expect((await stopOf(open(folder).read())).message).toMatch('a record in line 4 that does not follow');
  });

  test.each([
    ['without a MAC', '[["b",null]]'],
    ['after the MAC of another record', `${'A'.repeat(43)} [["b",null]]`],
    ['that is null itself', 'null'],
  ])('with a removal %s stops the run', async (_title, line) => {
    const { folder, journal } = await afterKill();
    appendFileSync(journal, writeLine(line));
    const { message, diagnostics } = await stopOf(open(folder).read());
    expect(message).toMatch('a record in line 4 that does not follow');
    expect(diagnostics[0]?.code).toBe('state-forged');
  });

  test('that is older than the state holds nothing new', async () => {
    const { folder, file, journal } = await afterKill();
    writeFileSync(file, sealed(stateWith(['x'], 2)));
    expect(existsSync(journal)).toBe(true);
    expect(await addressesIn(folder)).toEqual(['x']);
  });

  test('that continues a newer state than the one beside it stops the run', async () => {
    const { folder, file } = await afterKill();
    writeFileSync(file, sealed(stateWith(['x'], 0)));
    expect((await stopOf(open(folder).read())).message).toMatch(/version 1.*older version 0/);
  });

  test('of another lineage stops the run', async () => {
    const { folder, file } = await afterKill();
    writeFileSync(file, sealed({ ...stateWith(['x']), lineage: 'another' }));
    expect((await stopOf(open(folder).read())).message).toMatch(/lineage is line and not another/);
  });

  test('that is empty is none', async () => {
    const { folder, journal } = await afterKill();
    writeFileSync(journal, '');
    expect(await addressesIn(folder)).toEqual(['a', 'b']);
  });

  test('is gone when the next run ends', async () => {
    const { folder, journal } = await afterKill();
    const store = open(folder);
    const state = (await store.read()) ?? stateWith([]);
    await store.write({ ...state, serial: 2 });
    expect(existsSync(journal)).toBe(false);
    expect(await addressesIn(folder)).toEqual(['b', 'c']);
  });
});

describe('a state that cannot be used', () => {
  test.each([
    ['is not JSON', 'hello', 'is not valid JSON'],
    ['is empty', '', 'is not valid JSON'],
    ['was cut off', sealed(stateWith(['a', 'b'])).slice(0, -20), 'is not valid JSON'],
    [
      'is of a newer format',
      sealed({ ...stateWith([]), formatVersion: 5 }),
      'has format 5, which a newer Trueup wrote',
    ],
    ['has no format', sealed({ ...stateWith([]), formatVersion: undefined }), 'is not a state of Trueup'],
    ['is something else', '[]', 'is not a state of Trueup'],
    ['is null', 'null', 'is not a state of Trueup'],
    ['has a member too many', sealed({ ...stateWith([]), more: 1 }), 'is not a state of Trueup'],
    ['has no map of records', sealed({ ...stateWith([]), resources: [] }), 'resources must be a map'],
  ])('because it %s stops the run and stays as it is', async (_title, content, message) => {
    const { folder, file } = newFolder();
    writeFileSync(file, content);
    const stop = await stopOf(open(folder).read());
    expect(stop.message).toMatch(file);
    expect(stop.message).toMatch(message);
    expect(readFileSync(file, 'utf8')).toBe(content);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });

  test('because it is a folder stops the run', async () => {
    const { folder, file } = newFolder();
    mkdirSync(file);
    expect((await stopOf(open(folder).read())).message).toMatch('cannot be read (EISDIR: it is a folder)');
  });
});

describe('writing', () => {
  test('replaces the file as a whole and leaves nothing else', async () => {
    const { folder, file } = newFolder();
    const store = open(folder);
    await store.write(stateWith(['a']));
    const inode = statSync(file).ino;
    await store.write(stateWith(['a', 'b'], 2));
    expect(statSync(file).ino).not.toBe(inode);
    expect(readdirSync(folder)).toEqual(['state.json']);
    expect(statSync(file).mode & 0o077).toBe(0);
  });

  test('leaves no temporary file of a journal, which only its owner can read', async () => {
    const { folder, journal } = await afterKill();
    expect(readdirSync(folder).toSorted()).toEqual(['state.journal', 'state.json']);
    expect(statSync(journal).mode & 0o077).toBe(0);
  });

  test('makes the folder when it is not there', async () => {
    const { folder } = newFolder();
    const store = open(join(folder, 'deep', 'deeper'));
    await store.append(stateWith([], 0), 'a', record('a'));
    await store.write(stateWith(['a']));
    expect(await addressesIn(join(folder, 'deep', 'deeper'))).toEqual(['a']);
  });

  test('that fails stops the run, and the old state stays as it was', async () => {
    const { folder } = newFolder();
    const blocked = join(folder, 'blocked');
    writeFileSync(blocked, 'a file where a folder has to be');
    expect((await stopOf(open(blocked).write(stateWith(['a'])))).message).toMatch('cannot be written');
    expect((await stopOf(open(blocked).append(stateWith([]), 'a', record('a')))).message).toMatch('cannot be written');
    expect((await stopOf(open(blocked).lock({ purpose: 'apply' }))).message).toMatch('lease cannot be read (ENOTDIR');
  });

  test('that fails at the last moment leaves the old state and no temporary file', async () => {
    const { folder, file } = newFolder();
    mkdirSync(file); // a folder cannot be replaced by a file
    expect((await stopOf(open(folder).write(stateWith(['a'])))).message).toMatch('as it was before');
    expect(readdirSync(folder)).toEqual(['state.json']);
  });
});

describe('a folder', () => {
  test('in which killed runs left files is cleaned at the next write, of those and of nothing else', async () => {
    const { folder, file, journal } = newFolder();
    const left = [`${file}.0a1b2c3d.tmp`, `${journal}.4e5f6a7b.tmp`];
    const others = ['notes.tmp', 'state.json.orig', 'other.json.0a1b2c3d.tmp', 'plan'];
    for (const path of [...left, ...others.map((name) => join(folder, name))]) writeFileSync(path, 'x');
    await open(folder).write(stateWith(['a']));
    expect(readdirSync(folder).toSorted()).toEqual(['state.json', ...others].toSorted());
  });

  test('in which a run ends, and the next one begins, while it is read is read as it was or as it is', async () => {
    const { folder, file, journal } = await afterKill();
    const second = newFolder();
    await open(second.folder).write(stateWith(['b', 'c', 'd'], 2));
    const next = open(second.folder);
    const base = (await next.read()) ?? stateWith([]);
    await next.append(base, 'e', record('e'));
    await next.read();
    const reads: string[] = [];
    const disk = hooked(nodeDisk, async ({ name, path }, work) => {
      const content = await work();
      if (name === 'read') reads.push(path);
      if (name !== 'read' || reads.length > 1) return content;
      // Right after the old state was read both files are replaced.
      copyFileSync(second.file, file);
      copyFileSync(second.journal, journal);
      return content;
    });
    const state = await open(folder, { disk }).read();
    expect(Object.keys(state?.resources ?? {}).toSorted()).toEqual(['b', 'c', 'd', 'e']);
    expect(reads).toEqual([file, journal, file, journal]);
  });

  test('in which the journal stays newer than the state is reported after a few reads', async () => {
    const { folder, file, journal } = await afterKill();
    const second = newFolder();
    const other = open(second.folder);
    await other.append(stateWith(['b'], 2), 'e', record('e'));
    await other.read();
    copyFileSync(second.journal, journal);
    const before = readFileSync(file, 'utf8');
    const { message } = await stopOf(open(folder).read());
    expect(message).toContain('goes on from version 2, and the state beside it is the older version 1');
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

describe('without the right to write', () => {
  const probe = `
    const [{ localStore }, { givenKey }] = await Promise.all([import(process.argv[1]), import(process.argv[2])]);
    if (process.getuid() === 0) process.setuid(65534);
    const store = localStore(process.argv[3], { keys: givenKey(process.argv[5], 'a key') });
    const tried = async (what) => { try { await what(); return 'done'; } catch (error) { return error.failure + ': ' + error.message; } };
    const state = JSON.parse(process.argv[4]);
    console.log(JSON.stringify([
      await tried(() => store.read()),
      await tried(() => store.write(state)),
      await tried(() => store.append(state, 'x', null)),
      await tried(() => store.lock({ purpose: 'apply' })),
    ]));`;

  /** Runs as somebody who is not root, to whom every file is open; what it consists of is read before, wherever it is. */
  const asOther = (folder: string): string[] => {
    const module = resolve(import.meta.dirname, '../../../src/state/backends/local.ts');
    const keys = resolve(import.meta.dirname, '../../../src/state/key-sources.ts');
    const tsx = resolve(import.meta.dirname, '../../../node_modules/tsx/dist/esm/index.mjs');
    const output = execFileSync(
      process.execPath,
      [
        '--import',
        tsx,
        '--input-type=module',
        '-e',
        probe,
        module,
        keys,
        folder,
        JSON.stringify(stateWith(['z'], 2)),
        keyText,
      ],
      {
        encoding: 'utf8',
        cwd: '/',
        env: { ...process.env, TSX_DISABLE_CACHE: '1' },
      },
    );
    return JSON.parse(output) as string[];
  };

  test('everything stops the run, and the old bytes stay', async () => {
    const { folder, file } = newFolder();
    await open(folder).write(stateWith(['a']));
    const before = readFileSync(file, 'utf8');
    chmodSync(file, 0o000);
    chmodSync(folder, 0o555);
    try {
      expect(asOther(folder)).toEqual([
        expect.stringMatching(/^state: .*cannot be read \(EACCES: this user may not\)/),
        expect.stringMatching(/^state: .*cannot be written/),
        expect.stringMatching(/^state: .*cannot be written/),
        expect.stringMatching(/^state: .*cannot be made \(EACCES: this user may not\)/),
      ]);
    } finally {
      chmodSync(folder, 0o755);
      chmodSync(file, 0o600);
    }
    expect(readFileSync(file, 'utf8')).toBe(before);
    expect(readdirSync(folder)).toEqual(['state.json']);
  });
});

test.each([
  ['a key that is given', { keys: testKeys }],
  ['the key that the run makes', {}],
])('a state that the first run saves while another one reads is read, with %s', async (_key, about) => {
  const { folder, journal } = newFolder();
  let isSaved = false;
  const disk = hooked(nodeDisk, async ({ name, path }, work) => {
    if (name !== 'read' || path !== journal || isSaved) return work();
    isSaved = true;
    const first = localStore(folder, about);
    await first.lock({ purpose: 'apply' });
    await first.write(stateWith(['a']));
    await first.close();
    return work();
  });
  expect(await localStore(folder, { ...about, disk }).read()).toEqual(stateWith(['a']));
});

describe('records that become ready one after the other', () => {
  afterEach(() => void vi.useRealTimers());

  test('go together: the disk is synced once in 10 ms', async () => {
    const { folder } = newFolder();
    let syncs = 0;
    const disk = hooked(nodeDisk, ({ name, path }, work) => {
      if (name === 'sync' && path.includes('state.journal')) syncs++;
      return work();
    });
    const store = open(folder, { disk });
    const base = stateWith([]);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const until = async (isSo: () => boolean) => {
      while (!isSo()) await new Promise((done) => void setImmediate(done));
    };
    const waits = (count: number) => until(() => vi.getTimerCount() === count);
    const first = store.append(base, 'a', record('a'));
    await waits(1);
    vi.advanceTimersByTime(1);
    await first;
    expect(syncs).toBe(2); // the state that the journal begins with, and the record
    const all = [store.append(base, 'b', record('b'))];
    await waits(2);
    for (const id of ['c', 'd', 'e']) {
      vi.advanceTimersByTime(1);
      all.push(store.append(base, id, record(id)));
      for (let turn = 0; turn < 20; turn++) await new Promise((done) => void setImmediate(done));
    }
    vi.advanceTimersByTime(6);
    expect(syncs).toBe(2);
    vi.advanceTimersByTime(1);
    await Promise.all(all);
    expect(syncs).toBe(3);
    vi.useRealTimers();
    expect(await addressesIn(folder)).toEqual(['a', 'b', 'c', 'd', 'e']);
    await store.close();
  });
});

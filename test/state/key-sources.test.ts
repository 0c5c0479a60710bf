import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { stateWith, stopOf } from '../../src/state/conformance/states.ts';
import { nodeDisk } from '../../src/state/disk.ts';
import { givenKey, keyFile } from '../../src/state/key-sources.ts';
import { hooked } from './faulty-disk.ts';

/** The key of a state in a file, and what stands beside it. */

const newFolder = () => mkdtempSync(join(tmpdir(), 'trueup-keys-'));
/** A process that is gone. */
const gone = Number(execFileSync(process.execPath, ['-p', 'process.pid'], { encoding: 'utf8' }));

test.each(['a key that is kept', 'a lock that is taken'])(
  '%s removes the drafts of killed runs, and nothing else',
  async (by) => {
    const folder = newFolder();
    mkdirSync(folder, { recursive: true });
    const draft = (name: string) => writeFileSync(join(folder, name), 'draft', { mode: 0o600 });
    // The number of a process that is gone may belong to another one by now.
    const pids = [gone, process.ppid];
    const left = pids.flatMap((pid) => ['key', 'key.next', '.gitignore'].map((name) => `${name}.${pid}-0123abcd.tmp`));
    const kept = ['key.mine', 'key.tmp'];
    for (const name of [...left, ...kept]) draft(name);
    const store = localStore(folder);
    await store.keepKey();
    if (by === 'a lock that is taken') {
      for (const name of left) draft(name);
      await store.lock({ purpose: 'apply' });
    }
    await store.close();
    expect(readdirSync(folder).filter((name) => left.includes(name))).toEqual([]);
    expect(readdirSync(folder)).toEqual(expect.arrayContaining(kept));
  },
);

test('a run whose draft another run removes writes the key all the same', async () => {
  const folder = newFolder();
  let removals = 0;
  const disk = hooked(nodeDisk, ({ name }, work) => {
    const drafts = name === 'link' && removals++ === 0 ? readdirSync(folder).filter((one) => one.endsWith('.tmp')) : [];
    for (const draft of drafts) rmSync(join(folder, draft));
    return work();
  });
  const key = newStateKey();
  const keys = keyFile({ folder, disk }, { mayMake: true });
  await keys.keep(key, false);
  expect(removals).toBe(2);
  expect((await keys.find()).key?.text()).toBe(key.text());
  expect(readdirSync(folder).toSorted()).toEqual(['.gitignore', 'key']);
});

test('git takes the state alone, whatever else a run leaves beside it', async () => {
  const folder = newFolder();
  const place = join(folder, '.trueup');
  const store = localStore(place);
  await store.lock({ purpose: 'apply' });
  await store.append(stateWith({}), 'a', null);
  await store.documents.put('drift', '{}');
  expect(existsSync(join(place, 'state.journal'))).toBe(true);
  await localStore(place).keepKey();
  const tracked = (): string => {
    execFileSync('git', ['-C', folder, 'init', '--quiet']);
    execFileSync('git', ['-C', folder, 'add', '--all']);
    return execFileSync('git', ['-C', folder, 'ls-files'], { encoding: 'utf8' });
  };
  expect(tracked()).toBe('.trueup/.gitignore\n');
  await store.write(stateWith({}));
  await store.close();
  expect(tracked()).toBe('.trueup/.gitignore\n.trueup/state.json\n');
});

test('a .gitignore that is there keeps its lines, and ends with those of Trueup', async () => {
  const folder = newFolder();
  writeFileSync(join(folder, '.gitignore'), '!key\n# mine');
  await localStore(folder).keepKey();
  const lines = readFileSync(join(folder, '.gitignore'), 'utf8').split('\n');
  expect(lines.slice(0, 2)).toEqual(['!key', '# mine']);
  expect(lines.slice(-2)).toEqual(['key*', '']);
});

test('a file of a key that holds no key, or a part of one, is an error that leads to a copy, without its text', async () => {
  const folder = newFolder();
  const keys = keyFile({ folder, disk: nodeDisk }, { mayMake: true });
  for (const text of ['', 'no-key-at-all', newStateKey().text().slice(0, -3)]) {
    writeFileSync(join(folder, 'key'), text, { mode: 0o600 });
    const { message, remedy } = (await stopOf(keys.find())).diagnostics[0] ?? expect.fail('it is taken');
    expect(message).toBe(`${join(folder, 'key')} holds no key of a state, or not the whole of one`);
    expect(remedy).toMatch(/^Restore a copy of it\..* trueup state rebuild\.$/);
  }
});

describe('a key that is given as text', () => {
  const key = newStateKey();

  test.each([
    ['that is empty', '', 'is set and empty'],
    ['of blanks', '   ', 'is no key of a state, or not the whole of one'],
    ['that is cut', key.text().slice(0, -3), 'is no key of a state, or not the whole of one'],
  ])('is refused where it is one %s, without its text', async (_title, text, why) => {
    const stop = await stopOf(() => givenKey(text, 'TRUEUP_STATE_KEY'));
    const { message, remedy } = stop.diagnostics[0] ?? expect.fail('it is taken');
    expect(message).toBe(`TRUEUP_STATE_KEY ${why}`);
    expect(remedy).toBe('Set it to the whole line that trueup state key --print shows, or unset it.');
  });

  test('is that key, also with the end of its line, and is kept nowhere', async () => {
    const keys = givenKey(` ${key.text()}\n`, 'TRUEUP_STATE_KEY');
    const found = await keys.find();
    expect(found.key?.text()).toBe(key.text());
    expect(found.unsealed).toBe('never');
    // The key in hand is the only one.
    for (const kept of [keys.keep(key, true), keys.finish(key), keys.removeDrafts()])
      expect(await kept).toBeUndefined();
  });

  test.each(['never', 'at first', 'always'] as const)(
    'takes a state without a MAC only on demand: %s',
    async (asked) => {
      const { unsealed } = await givenKey(key.text(), 'TRUEUP_STATE_KEY', { unsealed: asked }).find();
      expect(unsealed).toBe(asked === 'always' ? 'always' : 'never');
    },
  );

  test('is not rotated: a kill would lose the next one', async () => {
    const next = newStateKey();
    const stop = await stopOf(givenKey(key.text(), 'TRUEUP_STATE_KEY').keepNext(next, key));
    const { message, remedy } = stop.diagnostics[0] ?? expect.fail('it is rotated');
    expect(message).toBe(
      'the key of TRUEUP_STATE_KEY cannot be rotated there: the new one would be lost if this run was killed',
    );
    expect(remedy).toBe('Put it into the key file beside the state (mode 0600), unset TRUEUP_STATE_KEY, and rotate.');
    expect(JSON.stringify(stop.diagnostics)).not.toContain(next.text());
  });
});

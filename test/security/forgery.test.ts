import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createHmac } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isObject, textsIn } from '../../src/formats/json.ts';
import type { Json } from '../../src/formats/json.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { parsePlanFile, planFileText } from '../../src/plan/plan-file.ts';
import { planFile } from '../../src/plan/plan-facts.ts';
import { plan as makePlan } from '../../src/workflow/make-plan.ts';
import { planAgain } from '../../src/workflow/reviewed.ts';
import { session } from '../../src/workflow/session.ts';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { readOf, stopOf } from '../../src/state/conformance/states.ts';
import { digestsOf } from '../../src/state/digests.ts';
import { nodeDisk } from '../../src/state/disk.ts';
import { thisHost } from '../../src/state/host.ts';
import { givenKey, keyFile } from '../../src/state/key-sources.ts';
import { newState } from '../../src/state/new-state.ts';
import type { StateStore } from '../../src/state/state.ts';
import { readLine, writeLine } from '../../src/state/wave.ts';
import { production } from '../support/manifest-texts.ts';
import { thisVersion } from '../support/reviewed.ts';
import { testKey } from '../support/state-key.ts';
import { effort, thinned } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** Whoever can write the state, its journal or a plan file, and does not have the key. */

const main = 'production.postgres.main';
const text = (version: string) =>
  production(
    `    env: { REGION: eu${version} }
    postgres:
      main: { dockerImage: "postgres:17", databaseName: one, databaseUser: u, databasePassword: "48151623", description: "d${version}" }
      other: { dockerImage: "postgres:17", databaseName: two, databaseUser: u, databasePassword: "48151623" }
`,
  );

interface Ground {
  readonly made: Bench;
  readonly folder: string;
  readonly file: string;
  readonly journal: string;
  readonly open: () => StateStore;
  readonly apply: (version: string) => Promise<unknown>;
  readonly plansNothing: (version: string) => Promise<void>;
}

/** A platform, and a state in a folder with its own key. */
function ground(): Ground {
  const made = bench();
  const folder = mkdtempSync(join(tmpdir(), 'trueup-forgery-'));
  const open = () => localStore(folder);
  return {
    made,
    folder,
    file: join(folder, 'state.json'),
    journal: join(folder, 'state.journal'),
    open,
    apply: async (version) => {
      const store = open();
      const world = { ...made.world(), store, close: store.close };
      const platform = { kinds: world.kinds, connect: () => Promise.resolve(world) };
      return session(await made.manifest(text(version)), platform, { purpose: 'apply' }, async (run) =>
        run.apply(await run.plan(), { dataLoss: true, adoption: true, massDeletion: true }),
      );
    },
    plansNothing: async (version) => {
      const plan = await makePlan(await made.manifest(text(version)), { ...made.world(), store: open() });
      expect(hasChanges(plan)).toBe(false);
    },
  };
}

/** Applies, is refused for the state, and sends nothing at all. */
async function refused({ made, apply }: Ground, version = '2'): Promise<string> {
  made.requests('POST');
  made.requests('GET');
  const { failure, diagnostics } = await stopOf(apply(version));
  expect(failure).toBe('state');
  expect([...made.requests('POST'), ...made.requests('GET')]).toEqual([]);
  return diagnostics[0]?.code ?? '';
}

type Path = readonly (string | number)[];

/** Every place in a value, but for the value itself. */
function placesIn(content: Json, path: Path = []): Path[] {
  if (Array.isArray(content))
    return content.flatMap((item: Json, at) => [[...path, at], ...placesIn(item, [...path, at])]);
  if (!isObject(content)) return [];
  return Object.entries(content).flatMap(([name, item]) => [[...path, name], ...placesIn(item, [...path, name])]);
}

function valueAt(content: Json | undefined, [name, ...rest]: Path): Json | undefined {
  if (name === undefined || content === undefined) return content;
  const inner = (content as Record<string, Json> | null)?.[name];
  return valueAt(inner, rest);
}

/** A value with another one at a place; undefined removes what is there. */
function changed(content: Json, [name, ...rest]: Path, other: Json | undefined): Json {
  if (name === undefined) return other ?? null;
  if (Array.isArray(content)) {
    const copy = [...(content as Json[])];
    if (rest.length === 0 && other === undefined) copy.splice(Number(name), 1);
    else copy[Number(name)] = changed(copy[Number(name)] ?? null, rest, other);
    return copy;
  }
  const entries = Object.entries(content as Record<string, Json>).flatMap(([key, item]): [string, Json][] => {
    if (key !== name) return [[key, item]];
    return rest.length === 0 && other === undefined ? [] : [[key, changed(item, rest, other)]];
  });
  return Object.fromEntries(entries);
}

/** JSON in which a member stands twice, the true one last. */
function doubled(content: Json, path: Path, indent?: number): string {
  const mark = '"\u0001":0';
  const [name] = path.slice(-1);
  const above = path.slice(0, -1);
  const inner = valueAt(content, above) as Record<string, Json>;
  const marked = Object.fromEntries(
    Object.entries(inner).flatMap(([key, item]): [string, Json][] =>
      key === name
        ? [
            ['\u0001', 0],
            [key, item],
          ]
        : [[key, item]],
    ),
  );
  const written = JSON.stringify(changed(content, above, marked), null, indent);
  const escaped = JSON.stringify('\u0001');
  const found = written.includes(`${escaped}: 0`) ? `${escaped}: 0` : `${escaped}:0`;
  expect(written, mark).toContain(found);
  return written.replace(found, `${JSON.stringify(name)}: "forged"`);
}

/** Another value of the same type. */
function another(value: Json | undefined): Json {
  if (typeof value === 'string') return `${value}x`;
  if (typeof value === 'number') return value + 1;
  if (typeof value === 'boolean') return !value;
  if (Array.isArray(value)) return [...(value as Json[]), 'x'];
  return isObject(value) ? { ...value, x: 'x' } : 'x';
}

/** Every change of a text that leaves it JSON: each member changed, removed, twice, or as it was before. */
function* forgeries(whole: string, older: string, indent?: number): Iterable<readonly [what: string, text: string]> {
  const [content, before] = [JSON.parse(whole) as Json, JSON.parse(older) as Json];
  const write = (value: Json) => JSON.stringify(value, null, indent);
  for (const path of placesIn(content)) {
    const name = path.join('.');
    const value = valueAt(content, path);
    yield [`${name} changed`, write(changed(content, path, another(value)))];
    yield [`${name} removed`, write(changed(content, path, undefined))];
    if (!Array.isArray(valueAt(content, path.slice(0, -1)))) yield [`${name} twice`, doubled(content, path, indent)];
    const old = valueAt(before, path);
    if (old !== undefined && JSON.stringify(old) !== JSON.stringify(value)) {
      yield [`${name} as it was`, write(changed(content, path, old))];
    }
  }
}

/** Every day one of five forgeries is tried: a member has at most four, so that each way to forge one is among them. */
const oneOf = 5;

describe('S1: a state without its key', () => {
  test('S1: is refused with any member changed, removed, twice or as it was, and nothing is sent', async () => {
    const at = ground();
    await at.apply('1');
    const older = readFileSync(at.file, 'utf8');
    await at.apply('2');
    const whole = readFileSync(at.file, 'utf8');
    const all = [...forgeries(whole, older, 1)];
    expect(all.length).toBeGreaterThan(200);
    for (const [what, forged] of thinned(all, oneOf)) {
      writeFileSync(at.file, forged);
      expect([what, await refused(at)]).toEqual([what, expect.stringMatching(/^state-(forged|unusable)$/)]);
    }
    writeFileSync(at.file, whole.replaceAll('\n', '\r\n')); // as git may check it out
    await at.plansNothing('2');
    writeFileSync(at.file, whole);
    await at.plansNothing('2');
  });

  test('S1: is refused without its MAC, in every format, with a record more, and under another key', async () => {
    const at = ground();
    await at.apply('2');
    const whole = readFileSync(at.file, 'utf8');
    const { mac: _, keyNumber: __, ...content } = JSON.parse(whole) as Record<string, Json>;
    for (const formatVersion of [1, 2]) {
      writeFileSync(at.file, JSON.stringify({ ...content, formatVersion, digestKey: 'k' }));
      expect(await refused(at)).toBe('state-forged');
    }
    const state = JSON.parse(whole) as { resources: Record<string, Json> };
    const foreign = { ...(state.resources[main] as object), id: 'pg_foreign', options: { protect: false } };
    const resources = { ...state.resources, 'production.postgres.more': foreign };
    writeFileSync(at.file, JSON.stringify({ ...state, resources }, null, 1));
    expect(await refused(at)).toBe('state-forged');
    const other = ground();
    await other.apply('2');
    writeFileSync(at.file, readFileSync(other.file));
    expect(await refused(at)).toBe('state-forged');
    writeFileSync(at.file, whole);
    const key = readFileSync(join(at.folder, 'key'));
    rmSync(join(at.folder, 'key'));
    expect(await refused(at)).toBe('state-key');
    writeFileSync(join(at.folder, 'key'), key, { mode: 0o644 });
    expect(await refused(at)).toBe('state-key'); // as git checks a file out
    rmSync(join(at.folder, 'key'));
    writeFileSync(join(at.folder, 'key'), key, { mode: 0o600 });
    await at.plansNothing('2');
  });

  test('S1: is refused as an older version, until somebody accepts that', async () => {
    const at = ground();
    await at.apply('1');
    const older = readFileSync(at.file, 'utf8');
    await at.apply('2');
    const newest = readFileSync(at.file, 'utf8');
    writeFileSync(at.file, older);
    expect(await refused(at)).toBe('state-older');
    expect((await stopOf(at.plansNothing('2'))).diagnostics[0]?.code).toBe('state-older');
    const store = at.open();
    await store.lock({ purpose: 'state accept-older' });
    const state = await store.read({ acceptsOlder: true });
    expect(state?.serial).toBe(1);
    await store.close();
    writeFileSync(at.file, newest);
    await at.plansNothing('2');
  });
});

describe('S1: a journal without its key', () => {
  /** A run that was killed after it wrote four records; and the journal of one before it. */
  const killed = async () => {
    const at = ground();
    await at.apply('2');
    const journals: string[] = [];
    for (const description of ['older', 'newer']) {
      const store = at.open();
      await store.lock({ purpose: 'apply' });
      const state = await readOf(store);
      const record = state.resources[main];
      if (record === undefined) throw new Error('nothing was applied');
      for (const step of [1, 2, 3, 4]) {
        const pairs = { ...record.pairs, [`${description} ${step}`]: { wanted: { value: 1 }, answered: { value: 1 } } };
        await store.append(state, `production.postgres.at${step}`, { ...record, id: `pg_${step}`, pairs });
      }
      await store.close();
      journals.push(readFileSync(at.journal, 'utf8'));
    }
    const [older = '', newer = ''] = journals;
    return { at, older: older.trimEnd().split('\n'), lines: newer.trimEnd().split('\n') };
  };

  test('S1: is refused with any member of any record changed, removed, twice or as it was', async () => {
    const { at, older, lines } = await killed();
    const whole = readFileSync(at.journal, 'utf8');
    let count = 0;
    for (const [index, line] of lines.entries()) {
      // The first line is the state that the records continue; the others have their MAC before them.
      const read = (one = '') => /^([\w-]{43} )?(.*)$/s.exec(readLine(one) ?? '') ?? [];
      const [, mac = '', json = ''] = read(line);
      const [, , before = json] = read(older[index]);
      const all = [...forgeries(json, before)];
      count += all.length;
      for (const [what, forged] of thinned(all, oneOf)) {
        writeFileSync(at.journal, `${lines.with(index, writeLine(mac + forged).trimEnd()).join('\n')}\n`);
        const code = await stopOf(at.open().read()).then(({ diagnostics }) => diagnostics[0]?.code);
        expect([index, what, code]).toEqual([index, what, expect.stringMatching(/^state-(forged|unusable)$/)]);
      }
    }
    expect(count).toBeGreaterThan(400);
    writeFileSync(at.journal, whole);
    expect(Object.keys((await at.open().read())?.resources ?? {})).toContain('production.postgres.at4');
  });

  test('S1: K12: is refused with a record left out, moved, repeated, or taken from an older journal', async () => {
    const { at, older, lines } = await killed();
    const [base = '', a = '', b = '', c = '', d = ''] = lines;
    const others: readonly (readonly string[])[] = [
      [base, b, c, d],
      [base, a, c, d],
      [base, a, b, d],
      [base, b, a, c, d],
      [base, a, c, b, d],
      [base, a, a, b, c, d],
      [base, a, b, c, d, a],
      [base, a, b, c, d, d],
      [base, a, b, c, older[4] ?? ''],
      [base, older[1] ?? '', b, c, d],
      [base, ...older.slice(1)],
    ];
    for (const [index, forged] of others.entries()) {
      writeFileSync(at.journal, `${forged.join('\n')}\n`);
      expect([index, await refused(at)]).toEqual([index, 'state-forged']);
    }
    // A kill leaves the same as whoever removes the end: that is no error.
    writeFileSync(at.journal, `${[base, a, b].join('\n')}\n${c.slice(0, -20)}`);
    const { resources } = await readOf(at.open());
    const isNew = (step: number) => `newer ${step}` in (resources[`production.postgres.at${step}`]?.pairs ?? {});
    expect([1, 2, 3, 4].map(isNew)).toEqual([true, true, false, false]);
  });
});

describe('S3: a plan file without the key', () => {
  const planned = async (at: Ground, version: string, destroys = false) => {
    const manifest = await at.made.manifest(text(version));
    const purpose = { manifest, deploys: true, destroys };
    const store = at.open();
    await store.keepKey();
    const plan = await makePlan(manifest, { ...at.made.world(), store }, purpose);
    return { manifest, file: planFileText(planFile(plan, purpose, thisVersion, await store.key())) };
  };

  test('S3: is refused with any member changed, removed, twice or as it was, before any request', async () => {
    const at = ground();
    await at.apply('1');
    const { file: older } = await planned(at, '2');
    await at.apply('2');
    const { manifest, file: whole } = await planned(at, '3');
    const world = { ...at.made.world(), store: at.open() };
    const apply = async (forged: string) => {
      const file = parsePlanFile(forged);
      return 'problem' in file ? 'no plan file' : planAgain({ file, name: 'the plan', version: '1' }, manifest, world);
    };
    const all = [...forgeries(whole, older, 1)];
    expect(all.length).toBeGreaterThan(100);
    for (const [what, forged] of thinned(all, oneOf)) {
      at.made.requests('GET');
      const outcome = await apply(forged).catch(
        (error: { diagnostics: { code: string }[] }) => error.diagnostics[0]?.code,
      );
      expect([what, outcome]).toEqual([what, expect.stringMatching(/^(no plan file|plan-file)$/)]);
      expect(at.made.requests('GET')).toEqual([]);
    }
    expect(at.made.requests('POST').filter((operation) => operation.endsWith('.remove'))).toEqual([]);
    expect(await apply(whole)).toHaveProperty('actions');
  });

  test('S4: gives away no password, also with the state; equal passwords have unequal digests', async () => {
    const at = ground();
    const { file: first } = await planned(at, '1');
    await at.apply('1');
    const { file: later } = await planned(at, '2');
    const state = await readOf(at.open());
    const digestOf = (address: string) => state.resources[address]?.pairs['databasePassword']?.wanted;
    const digest = expect.stringMatching(/^1\.[\w-]{43}$/) as string;
    expect(digestOf(main)).toEqual({ digest, template: { digest, secrets: {} } });
    expect(digestOf(main)).not.toEqual(digestOf('production.postgres.other'));
    const texts = [first, later, readFileSync(at.file, 'utf8')].flatMap((whole) => {
      const content = JSON.parse(whole) as Json;
      return [...textsIn(content), ...placesIn(content).flatMap((path) => path.map(String))];
    });
    const words = new Set(texts.flatMap((one) => [one, ...one.split(/[. ]/)]));
    // The right password, with everything that stands in the files as the key of its digest.
    const guesses = ['"48151623"', '48151623', JSON.stringify([main, 'databasePassword', '"48151623"'])];
    const found = [...words].filter((key) =>
      guesses.some((guess) => words.has(createHmac('sha256', key).update(guess).digest('base64url'))),
    );
    expect(found).toEqual([]);
    expect([first, later, readFileSync(at.file, 'utf8')].join('')).not.toContain('48151623');
    await at.plansNothing('1');
  });
});

describe('a state of an earlier version', () => {
  /** A state as format 2 had it: digests with a key that stands beside them. */
  const former = async () => {
    const at = ground();
    at.made.store.state = { ...newState('org_1', 'prj_1'), keyNumber: 0 };
    await at.made.apply(text('1'));
    const { keyNumber: _, deployments: _later, rootFile: _name, ...state } = at.made.store.state;
    const digestKey = testKey.digestKey;
    // No pair had a template.
    const without = (key: string, value: unknown) => (key === 'template' ? undefined : value);
    writeFileSync(at.file, JSON.stringify({ ...state, formatVersion: 2, digestKey }, without, 1));
    return { at, digestKey, unsealed: readFileSync(at.file, 'utf8') };
  };

  test('S1: gets a MAC at the first apply, plans nothing before and after it, and is not accepted a second time', async () => {
    const { at, digestKey, unsealed } = await former();
    expect(unsealed).toMatch(/"digest": "[\w-]{43}"/);
    await at.plansNothing('1');
    await at.apply('2');
    await at.plansNothing('2');
    const whole = readFileSync(at.file, 'utf8');
    expect(whole).toContain('"formatVersion": 4');
    expect(whole).not.toContain(digestKey);
    writeFileSync(at.file, unsealed);
    expect(await refused(at)).toBe('state-forged');
    writeFileSync(at.file, whole);
    await at.plansNothing('2');
  });

  test('S1: is refused where one with a MAC was saved, also when the key is gone or is called a draft', async () => {
    const { at, unsealed } = await former();
    await at.apply('2');
    writeFileSync(at.file, unsealed);
    renameSync(join(at.folder, 'key'), join(at.folder, 'key.migrating'));
    expect(await refused(at)).toBe('state-forged');
    rmSync(join(at.folder, 'key.migrating'));
    expect(await refused(at)).toBe('state-forged');
  });

  test('S1: gets no key of its own where everybody shares the state, unless a person says so', async () => {
    const { at } = await former();
    const folder = mkdtempSync(join(tmpdir(), 'trueup-forgery-key-'));
    const open = (unsealed: 'never' | 'always') =>
      localStore(at.folder, { keys: keyFile({ folder, disk: nodeDisk }, { mayMake: true, unsealed }) });
    expect((await stopOf(open('never').read())).diagnostics[0]?.code).toBe('state-forged');
    expect(readdirSync(folder)).toEqual([]);
    expect(await readOf(open('always'))).toMatchObject({ formatVersion: 4 });
  });

  test('S1: is continued when the run that migrates it is killed', async () => {
    const { at } = await former();
    const store = at.open();
    await store.lock({ purpose: 'apply' });
    const state = await readOf(store);
    const record = state.resources[main];
    if (record === undefined) throw new Error('nothing was applied');
    await store.append(state, main, record);
    await store.close();
    await at.plansNothing('1');
    rmSync(at.journal);
    await at.plansNothing('1');
    await at.apply('2');
    await at.plansNothing('2');
    expect(readFileSync(at.file, 'utf8')).toContain('"formatVersion": 4');
  });
});

describe('a lease that somebody wrote', () => {
  /** The newest entry with other members. */
  const forge = (at: Ground, members: object) => {
    const lease = join(at.folder, 'lease');
    const names = readdirSync(lease).map(Number);
    const path = join(lease, String(Math.max(...names)));
    writeFileSync(path, JSON.stringify({ ...(JSON.parse(readFileSync(path, 'utf8')) as object), ...members }));
  };

  test.each([2 ** 53 - 1, 2 ** 52, 1e300, 11.5, -1])(
    'S1: with version %d has no state written that no run reads',
    async (serial) => {
      const at = ground();
      await at.apply('1');
      const { lineage } = await readOf(at.open());
      forge(at, { newest: { lineage, serial } });
      const store = at.open();
      const newest = (await store.lock({ purpose: 'state accept-older' })).newest();
      const state = await store.read({ acceptsOlder: true });
      if (state === undefined) throw new Error('nothing was applied');
      const written = store.write({ ...state, serial: Math.max(state.serial, newest?.serial ?? 0) + 1 });
      await written.catch((error: { failure: string }) => expect(error.failure).toBe('state'));
      await store.close();
      rmSync(join(at.folder, 'lease'), { recursive: true });
      await at.plansNothing('1');
    },
  );

  test('S1: has no older state accepted by a person who looks at it and says no', async () => {
    const at = ground();
    await at.apply('1');
    const older = readFileSync(at.file);
    await at.apply('2');
    writeFileSync(at.file, older);
    const store = at.open();
    await store.lock({ purpose: 'state accept-older' });
    await store.read({ acceptsOlder: true });
    await store.close();
    expect(await refused(at)).toBe('state-older');
  });
});

describe('a new key', () => {
  test('S4: takes the place of the old one, plans nothing before and after the digests are made anew', async () => {
    const at = ground();
    await at.apply('1');
    const whole = readFileSync(at.file, 'utf8');
    const oldKey = readFileSync(join(at.folder, 'key'), 'utf8');
    const store = at.open();
    await store.lock({ purpose: 'state key --rotate' });
    await store.rotateKey(await readOf(store));
    await store.close();
    expect(readFileSync(join(at.folder, 'key'), 'utf8')).not.toBe(oldKey);
    await at.plansNothing('1');
    await at.apply('1');
    await at.plansNothing('1');
    const { earlierKeys, resources } = await readOf(at.open());
    expect(earlierKeys).toBeUndefined();
    expect(resources[main]?.pairs['databasePassword']?.wanted).toMatchObject({
      digest: expect.stringMatching(/^2\./) as string,
    });
    writeFileSync(at.file, whole);
    expect(await refused(at)).toBe('state-forged');
  });

  /** Rotates the key, and is killed at the operation of the disk with a number; tells whether it came so far. */
  const rotateKilled = async (at: Ground, steps: number): Promise<boolean> => {
    let left = steps;
    const step =
      <A extends unknown[], R>(run: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        if (left-- <= 0) throw Object.assign(new Error('killed'), { code: 'EIO' });
        return run(...args);
      };
    const { makeFolder, create, rename, link, remove, syncFolder } = nodeDisk;
    const disk = {
      ...nodeDisk,
      makeFolder: step(makeFolder),
      create: step(async (path: string) => {
        const file = await create(path);
        return { append: step(file.append), sync: step(file.sync), close: file.close };
      }),
      rename: step(rename),
      link: step(link),
      remove: step(remove),
      syncFolder: step(syncFolder),
    };
    const store = localStore(at.folder, { disk, host: gone });
    try {
      await store.lock({ purpose: 'state key --rotate' });
      await store.rotateKey(await readOf(store));
    } catch {
      // It is killed, and the next run finds what it left.
    }
    await store.close().catch(() => undefined);
    return left < 0;
  };

  /** Every earlier process is gone. */
  const gone = { ...thisHost(), isAlive: () => false };

  test('S1: is found when the rotation is killed at any step, with a journal from before it; a second one goes on', async () => {
    const at = ground();
    await at.apply('1');
    const store = at.open();
    await store.lock({ purpose: 'apply' });
    const state = await readOf(store);
    const record = state.resources[main];
    if (record === undefined) throw new Error('nothing was applied');
    await store.append(state, main, record);
    await store.close();
    const whole = mkdtempSync(join(tmpdir(), 'trueup-forgery-whole-'));
    cpSync(at.folder, whole, { recursive: true });
    let isKilled = true;
    let count = 0;
    for (; isKilled; count += effort({ fast: 3, full: 1 })) {
      rmSync(at.folder, { recursive: true });
      cpSync(whole, at.folder, { recursive: true });
      isKilled = await rotateKilled(at, count);
      await at.plansNothing('1');
      // Twice in one process: a wait reads before the plan.
      const next = localStore(at.folder, { host: gone });
      await next.lock({ purpose: 'import' });
      await readOf(next);
      const found = await readOf(next);
      if (count % 2 === 0) await next.rotateKey(found);
      else await next.write({ ...found, serial: found.serial + 1 });
      await next.close();
      expect(readdirSync(at.folder).filter((name) => name.startsWith('key'))).toEqual(['key']);
      await at.plansNothing('1');
    }
    expect(count).toBeGreaterThan(20);
  });

  test('S1: is not what somebody put there as a draft of one', async () => {
    const at = ground();
    await at.apply('1');
    const key = readFileSync(join(at.folder, 'key'), 'utf8');
    writeFileSync(join(at.folder, 'key.migrating'), newStateKey().text(), { mode: 0o600 });
    await at.apply('2');
    expect(readFileSync(join(at.folder, 'key'), 'utf8')).toBe(key);
    await at.plansNothing('2');
  });

  test('S1: beside the present one is none unless the present one proves it', async () => {
    const at = ground();
    await at.apply('1');
    const { keyNumber: _, ...state } = await readOf(at.open());
    const mine = newStateKey();
    const other = mkdtempSync(join(tmpdir(), 'trueup-forgery-mine-'));
    const sealed = localStore(other, { keys: givenKey(mine.text(), 'mine') });
    await sealed.write({ ...state, keyNumber: 1, serial: state.serial + 1 });
    cpSync(join(other, 'state.json'), at.file);
    for (const proof of ['', ` ${mine.stateMac(mine.text(), 'the next key')}`]) {
      writeFileSync(join(at.folder, 'key.next'), `${mine.text()}${proof}\n`, { mode: 0o600 });
      expect(await refused(at)).toBe('state-forged');
    }
  });

  test('S1: that does not fit the earlier keys in a state stops the run', async () => {
    const at = ground();
    await at.apply('1');
    const state = await readOf(at.open());
    const earlierKeys = { 0: newStateKey().encrypt('k') };
    const { diagnostics } = await stopOf(
      (async () => digestsOf(await at.open().key(), { ...state, earlierKeys })(main, 'x')('text', 'without-number'))(),
    );
    expect(diagnostics[0]?.code).toBe('state-key');
  });
});

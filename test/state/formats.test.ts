import { cpSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { localStore } from '../../src/state/backends/local.ts';
import { formerRecordSchema } from '../../src/state/format-3.ts';
import { writeLine } from '../../src/state/wave.ts';
import { readOf, stateWith, stopOf } from '../../src/state/conformance/states.ts';
import { creating, pairOf, recordOf } from '../support/plan-values.ts';
import { migratingKeys } from '../support/state-key.ts';
import { folder, forms, stateOf } from './corpus.ts';

const copyOf = (form: string) => {
  const copy = mkdtempSync(join(tmpdir(), 'trueup-forms-'));
  for (const name of ['state.json', 'state.journal']) cpSync(new URL(`${form}/${name}`, folder), join(copy, name));
  return copy;
};

describe.each(forms)('a state of the form %s', (form) => {
  test('is read with its journal', async () => {
    expect(await localStore(copyOf(form), { keys: migratingKeys }).read()).toStrictEqual(stateOf(form));
  });

  test('is continued, and written in the newest format', async () => {
    const copy = copyOf(form);
    const store = localStore(copy, { keys: migratingKeys });
    await store.lock({ purpose: 'apply' });
    const state = await readOf(store);
    await store.append(state, 'production.redis.open', null);
    const { 'production.redis.open': _, ...resources } = state.resources;
    expect(await localStore(copy, { keys: migratingKeys }).read()).toEqual({ ...state, resources });
    await store.write({ ...state, serial: 4 });
    await store.close();
    expect(await localStore(copy, { keys: migratingKeys }).read()).toEqual({ ...state, serial: 4 });
    expect(readFileSync(join(copy, 'state.json'), 'utf8')).toContain('"formatVersion": 4,');
    expect(readdirSync(copy).toSorted()).toEqual(['lease', 'state.json']);
  });
});

test('what the platform stored with an error stays unproven in the journal and in the state', async () => {
  const copy = mkdtempSync(join(tmpdir(), 'trueup-forms-'));
  const store = localStore(copy, { keys: migratingKeys });
  await store.lock({ purpose: 'apply' });
  const state = stateWith({});
  const pairs = { description: { ...pairOf('two'), unproven: true as const } };
  const pending = { is: 'write', at: 1, timeoutMs: 60_000, unproven: ['description'] } as const;
  const record = recordOf('redis', 'redis_1', { pairs, pending });
  const unfinished = recordOf('redis', null, { pending: { ...creating(), unproven: ['name'] } });
  await store.write(state);
  await store.append(state, 'production.redis.main', record);
  await store.append(state, 'production.redis.open', unfinished);
  const resources = { 'production.redis.main': record, 'production.redis.open': unfinished };
  expect((await localStore(copy, { keys: migratingKeys }).read())?.resources).toStrictEqual(resources);
  await store.write({ ...state, serial: state.serial + 1, resources });
  await store.close();
  expect((await localStore(copy, { keys: migratingKeys }).read())?.resources).toStrictEqual(resources);
});

test.each(['state.json', 'state.journal'])('a newer format in %s stops a run, which changes nothing', async (name) => {
  const copy = copyOf('8-pending');
  const file = join(copy, name);
  const newer = { ...stateOf('8-pending'), formatVersion: 5 };
  writeFileSync(file, name === 'state.json' ? JSON.stringify(newer) : writeLine(JSON.stringify(newer)));
  const before = readFileSync(file, 'utf8');
  const { failure, message, diagnostics } = await stopOf(localStore(copy).read());
  expect([failure, message]).toEqual(['state', `the state ${file} has format 5, which a newer Trueup wrote`]);
  expect(diagnostics[0]?.remedy).toBe('Use that version or a later one. Nothing was changed.');
  expect(readFileSync(file, 'utf8')).toBe(before);
});

test('every member that a record of format 3 can have is in one of the forms', () => {
  const newest = forms.filter((form) => readFileSync(new URL(`${form}/state.json`, folder), 'utf8').includes('n": 3,'));
  const written = newest.map((form) => readFileSync(new URL(`${form}/state.journal`, folder), 'utf8')).join('');
  const missing = membersOf(z.toJSONSchema(formerRecordSchema())).filter((name) => !written.includes(`"${name}":`));
  expect(missing).toEqual([]);
});

/** The names of all members that a form has, those inside of others too. */
function membersOf(form: unknown): string[] {
  if (typeof form !== 'object' || form === null) return [];
  const { properties = {} } = form as { properties?: object };
  return [...Object.keys(properties), ...Object.values(form).flatMap(membersOf)];
}

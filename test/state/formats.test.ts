import { cpSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { localStore } from '../../src/state/backends/local.ts';
import { recordSchema } from '../../src/state/state.ts';

/**
 * Every form that a state was ever written in, each with the journal of a run that did not end, as the Trueup of that
 * time wrote them. They are never changed; a new form gets a folder of its own.
 */
const folder = new URL('../fixtures/states/', import.meta.url);
const forms = readdirSync(folder).toSorted();

/** The members of a record that the forms have beyond those that the first one has. */
const more: Readonly<Record<string, readonly string[]>> = {
  '1-first': [],
  '2-deployments': ['deployed'],
  '3-intents': ['deployed', 'intent'],
  '4-twins': ['deployed', 'intent', 'repeated'],
  '5-checksums': ['deployed', 'intent', 'repeated'],
  '6-sent': ['deployed', 'intent', 'repeated'],
  '7-places': ['deployed', 'intent', 'repeated'],
};

const copyOf = (form: string) => {
  const copy = mkdtempSync(join(tmpdir(), 'trueup-forms-'));
  cpSync(new URL(form, folder), copy, { recursive: true });
  return copy;
};

describe.each(forms)('a state of the form %s', (form) => {
  test('is read with its journal', async () => {
    const state = await localStore(copyOf(form)).read();
    expect(state).toMatchObject({ formatVersion: 1, serial: 3, organizationId: 'org_1', projectId: 'prj_1' });
    const resources = state?.resources ?? {};
    const ids = Object.entries(resources).map(([address, { id }]) => [address, id]);
    expect(Object.fromEntries(ids)).toEqual({
      production: 'env_prj_1',
      'production.redis.main': 'rds_1',
      'production.redis.new': 'rds_3',
      'production.redis.open': null,
    });
    expect(resources['production.redis.main']).toMatchObject({
      parent: 'production',
      dependsOn: ['production'],
      pairs: {
        name: { wanted: { value: 'main' }, answered: { value: 'main' } },
        'env["REGION"]': { wanted: { digest: 'sha256:aa' }, answered: { digest: 'sha256:bb' }, kept: false },
        port: { wanted: { value: 8080 }, answered: { value: null } },
      },
      options: { protect: true, deploy: 'never' },
    });
    const first = ['kind', 'id', 'parent', 'dependsOn', 'pairs', 'options'];
    const members = new Set(Object.values(resources).flatMap((record) => Object.keys(record)));
    expect([...members].filter((name) => !first.includes(name)).toSorted()).toEqual(more[form]);
  });

  test('is gone on with, and written in the form of today', async () => {
    const copy = copyOf(form);
    const store = localStore(copy);
    await store.lock({ purpose: 'apply' });
    const state = await store.read();
    if (state === undefined) throw new Error('nothing was read');
    await store.append(state, 'production.redis.open', null);
    await store.write({ ...state, serial: 4 });
    await store.close();
    expect(await localStore(copy).read()).toEqual({ ...state, serial: 4 });
    expect(readdirSync(copy).toSorted()).toEqual(['lease', 'state.json']);
  });
});

test('every member that a record can have is in one of the forms', () => {
  const written = forms.map((form) => readFileSync(new URL(`${form}/state.journal`, folder), 'utf8')).join('');
  const missing = membersOf(z.toJSONSchema(recordSchema)).filter((name) => !written.includes(`"${name}":`));
  expect(missing).toEqual([]);
});

/** The names of all members that a form has, those inside of others too. */
function membersOf(form: unknown): string[] {
  if (typeof form !== 'object' || form === null) return [];
  const { properties = {} } = form as { properties?: object };
  return [...Object.keys(properties), ...Object.values(form).flatMap(membersOf)];
}

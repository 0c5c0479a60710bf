import { describe, expect, test } from 'vitest';
import type { Outputs, ShapePiece } from '../../src/manifest/wanted.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { matchesTemplate, rotationIn, toStoredTemplate } from '../../src/plan/template.ts';
import { digestsOf } from '../../src/state/digests.ts';
import type { StateRecord, StoredWanted } from '../../src/state/record.ts';
import { declared, secretPart, textOf } from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';

/** Values with secrets, compared by a run that lacks some of them. */

const main = 'production.redis.main';
const redis = (more: string) => `${head}variables: { PORT: { default: '5432' } }
environments:
  production:
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
${more}`;
const url = (text: string) => redis(`        description: "${text}"\n`);

type Made = ReturnType<typeof bench>;
const settledIn = (made: Made, name: string): StoredWanted | undefined =>
  made.store.state?.resources[main]?.pairs[name]?.wanted;

/** How the manifest of a run with these secrets stands to what was settled with `PW` and `USER`. */
async function matching(
  before: string,
  now: string,
  secrets: Readonly<Record<string, string>>,
  name = 'description',
): Promise<string | undefined> {
  const made = bench();
  Object.assign(made.secrets, { PW: 'hunter2-hunter2', USER: 'shop-user' });
  await made.apply(before);
  expect(hasChanges(await made.plan(before))).toBe(false);
  const { state } = made.store;
  const settled = settledIn(made, name);
  for (const secret of Object.keys(made.secrets)) delete made.secrets[secret];
  Object.assign(made.secrets, secrets);
  const resource = (await made.manifest(now)).resources.find(({ address }) => address === main);
  const key = /^env\["(.*)"\]$/.exec(name)?.[1];
  const wanted = key === undefined ? resource?.fields[name] : resource?.maps['env']?.get(key);
  if (state === undefined || settled === undefined || wanted === undefined) throw new Error('nothing was settled');
  const digest = digestsOf(await made.store.key(), state)(main, name);
  return matchesTemplate(wanted, settled, { outputs: noOutputs, digest });
}

const noOutputs: Outputs = () => undefined;
const both = 'postgres://${secret:USER}:${secret:PW}@db:${var:PORT}/shop';

describe('without a secret, a text is', () => {
  test.each<[string, string, Record<string, string>, string]>([
    ['the same with no secret at all', both, {}, 'as settled'],
    ['the same with one of two', both, { PW: 'hunter2-hunter2' }, 'as settled'],
    [
      'the same when the variable is written out',
      'postgres://${secret:USER}:${secret:PW}@db:5432/shop',
      {},
      'as settled',
    ],
    ['edited in its port', 'postgres://${secret:USER}:${secret:PW}@db:5433/shop', {}, 'edited'],
    ['edited where another secret is named', 'postgres://${secret:USER}:${secret:PASS}@db:5432/shop', {}, 'edited'],
    ['edited where two secrets change places', 'postgres://${secret:PW}:${secret:USER}@db:5432/shop', {}, 'edited'],
    ['edited where a secret is named no more', 'postgres://shop-user:${secret:PW}@db:5432/shop', {}, 'edited'],
    ['rotated where one that is there is another', both, { PW: 'hunter3-hunter3' }, 'rotated'],
  ])('%s', async (_, text, secrets, expected) => {
    expect(await matching(url(both), url(text), secrets)).toBe(expected);
  });

  test.each(['{"secret":"PW"}', '","secret":"PW","', '${secret:PW}","', '$${secret:PW}', 'template {"value":""}'])(
    'edited where %s stands for a hole',
    async (text) => {
      const quoted = (one: string) => redis(`        description: '${one}'\n`);
      expect(await matching(quoted('a${secret:PW}'), quoted(`a${text}\${secret:PW}`), {})).toBe('edited');
    },
  );

  test('compared in maps, and as a whole', async () => {
    const env = (value: string) => redis(`        env: { URL: '${value}', B: "x" }\n`);
    expect(await matching(env('a ${secret:PW}'), env('a ${secret:PW}'), {}, 'env["URL"]')).toBe('as settled');
    expect(await matching(env('a ${secret:PW}'), env('b ${secret:PW}'), {}, 'env["URL"]')).toBe('edited');
    const priv = (value: string) => redis(`        private: [URL]\n        env: { URL: '${value}' }\n`);
    expect(await matching(priv('a ${secret:PW}'), priv('a ${secret:PW}'), {}, 'env["URL"]')).toBe('as settled');
    expect(await matching(priv('a ${secret:PW}'), priv('b ${secret:PW}'), {}, 'env["URL"]')).toBe('edited');
    expect(await matching(url('${secret:PW}'), url('${secret:PW}'), {})).toBe('as settled');
    expect(await matching(url('${secret:PW}'), url('${secret:USER}'), {})).toBe('edited');
  });

  test('edited where it held no secret before', async () => {
    for (const before of ['plain', 'x'.repeat(1_100)])
      expect(await matching(url(before), url('plain ${secret:PW}'), {})).toBe('edited');
  });
});

test('what an earlier version wrote does not tell, and tells after the next apply with the secrets', async () => {
  const made = bench();
  made.secrets['PW'] = 'hunter2-hunter2';
  const text = url('a ${secret:PW} b');
  await made.apply(text);
  const now = settledIn(made, 'description');
  expect(now).toHaveProperty('template');
  const { state } = made.store;
  if (state === undefined) throw new Error('there is no state');
  await made.store.write({ ...state, serial: state.serial + 1, resources: formerly(state.resources) });
  const settled = settledIn(made, 'description');
  expect(settled).not.toHaveProperty('template');
  delete made.secrets['PW'];
  const wanted = (await made.manifest(text)).resources.find(({ address }) => address === main)?.fields['description'];
  if (wanted === undefined || settled === undefined) throw new Error('nothing was settled');
  const digest = digestsOf(await made.store.key(), state)(main, 'description');
  expect(matchesTemplate(wanted, settled, { outputs: noOutputs, digest })).toBe('not recorded');
  made.secrets['PW'] = 'hunter2-hunter2';
  expect(hasChanges(await made.plan(text))).toBe(false);
  await made.apply(text);
  expect(settledIn(made, 'description')).toEqual(now);
});

/** Records as format 3 had them. */
function formerly(resources: Readonly<Record<string, StateRecord>>): Record<string, StateRecord> {
  return JSON.parse(
    JSON.stringify(resources, (key, value: unknown) => (key === 'template' ? undefined : value)),
  ) as Record<string, StateRecord>;
}

test('a run without the secret that updates another field keeps the pair', async () => {
  const made = bench();
  made.secrets['PW'] = 'hunter2-hunter2';
  const text = (image: string) => url('a ${secret:PW} b').replace('redis:8', image);
  await made.apply(text('redis:8'));
  const before = settledIn(made, 'description');
  expect(before).toHaveProperty('template');
  delete made.secrets['PW'];
  await made.apply(text('redis:8.2'));
  expect(made.store.state?.resources[main]?.pairs['dockerImage']?.wanted).toEqual({ value: 'redis:8.2' });
  expect(settledIn(made, 'description')).toEqual(before);
  made.secrets['PW'] = 'hunter2-hunter2';
  expect(hasChanges(await made.plan(text('redis:8.2')))).toBe(false);
});

test('equal texts and secrets in two places have different digests, and no digest is that of a value', async () => {
  const made = bench();
  made.secrets['PW'] = 'hunter2-hunter2';
  await made.apply(redis('        env: { A: "${secret:PW}", B: "${secret:PW}" }\n'));
  const [a, b] = ['env["A"]', 'env["B"]'].map((name) => settledIn(made, name));
  const all = [a, b].flatMap((one) => [...JSON.stringify(one).matchAll(/"(\d+\.[\w-]{43})"/g)].map(([, made]) => made));
  expect(all).toHaveLength(6);
  expect(new Set(all).size).toBe(6);
});

describe('the template of', () => {
  const reference = { address: 'production.redis.main', output: 'host' };
  const wanted = textOf('a ', reference, secretPart('PW', 'x1'));
  const digest = (text: string) => text;

  test('a value with references has their values; until they are known it has none', () => {
    expect(toStoredTemplate(wanted, { outputs: () => 'host-1', digest })).toEqual({
      digest: 'template {"text":["a host-1",{"secret":"PW"},""]}',
      secrets: { PW: 'secret ["PW","x1"]' },
    });
    expect(toStoredTemplate(wanted, { outputs: noOutputs, digest })).toBeUndefined();
    expect(matchesTemplate(wanted, { value: 'a' }, { outputs: noOutputs, digest })).toBe('known after apply');
  });

  test('a value that was settled tells which of its secrets have other values, and no secret that is new in it', () => {
    const template = toStoredTemplate(textOf(secretPart('PW', 'x1')), { outputs: noOutputs, digest });
    const rotationOf = (...parts: readonly ShapePiece[]) =>
      rotationIn(textOf(...parts), { digest: 'd', template }, { outputs: noOutputs, digest });
    expect(rotationOf(secretPart('PW', 'x2'))).toEqual({ secrets: new Set(['PW']), isAll: true });
    expect(rotationOf(secretPart('PW', 'x1'))).toEqual({ secrets: new Set(), isAll: true });
    expect(rotationOf(secretPart('PW', 'x1'), secretPart('NEW', 'x2'))).toEqual({ secrets: new Set(), isAll: false });
    expect(rotationOf(secretPart('PW', 'x2'), reference)).toBeUndefined();
    expect(rotationIn(wanted, { value: 'a' }, { outputs: () => 'host-1', digest })).toBeUndefined();
  });

  test('a value without secrets names none: a secret in its place is an edit', () => {
    const template = toStoredTemplate(declared('a'), { outputs: noOutputs, digest });
    expect(template).toEqual({ digest: 'template {"value":"a"}', secrets: {} });
    expect(matchesTemplate(wanted, { digest: 'd', template }, { outputs: () => 'host-1', digest })).toBe('edited');
  });
});

import { describe, expect, test } from 'vitest';
import type { Attribute } from '../../src/kind/attribute.ts';
import type { SettleInput } from '../../src/plan/settle.ts';
import { sentPairs, settle } from '../../src/plan/settle.ts';
import { idSet } from '../../src/kind/codecs.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import { contains } from '../../src/kind/shared-set.ts';
import type { Outputs, Wanted } from '../../src/manifest/wanted.ts';
import type { Action, AttributeChange } from '../../src/plan/action.ts';
import { hasChanges } from '../../src/plan/action.ts';
import type { Decision } from '../../src/plan/decide.ts';
import { secret } from '../../src/secrets/secret.ts';
import { digestsOf } from '../../src/state/digests.ts';
import type { Pair, StateRecord, Stored } from '../../src/state/record.ts';
import { failed, operationOf, plansNothing } from '../support/faults.ts';
import {
  actionOf,
  anything,
  declared,
  here,
  makeDigest,
  makeDigests,
  pairOf,
  attributeChange,
  referring,
} from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';

/** What is remembered after an apply, seen through the emulator. */

const redis = (env: string, more = '') => `${head}environments:
  production:
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
        env: { ${env} }
${more}`;

const main = 'production.redis.main';
type Made = ReturnType<typeof bench>;
const pairsOf = (made: Made) => made.store.state?.resources[main]?.pairs ?? {};

/** Records with each stored value as another one. */
function mapRecords(
  resources: Readonly<Record<string, StateRecord>>,
  as: (address: string, name: string, stored: Stored) => Stored,
): Record<string, StateRecord> {
  const mapped = Object.entries(resources).map(([address, record]) => {
    const pairs = Object.entries(record.pairs).map(([name, { wanted, answered, ...rest }]) => [
      name,
      { ...rest, wanted: as(address, name, wanted), answered: as(address, name, answered) },
    ]);
    return [address, { ...record, pairs: Object.fromEntries(pairs) as StateRecord['pairs'] }];
  });
  return Object.fromEntries(mapped) as Record<string, StateRecord>;
}

describe('the state after an apply', () => {
  test('has a pair for every declared field and every key of env, and for nothing else', async () => {
    const made = bench();
    await made.apply(redis('A: "1", "B.C-D": "2"'));
    expect(Object.keys(pairsOf(made)).toSorted()).toEqual([
      'databasePassword',
      'dockerImage',
      'env["A"]',
      'env["B.C-D"]',
      'name',
    ]);
    expect(pairsOf(made)['dockerImage']).toEqual({ wanted: { value: 'redis:8' }, answered: { value: 'redis:8' } });
  });

  const digest = expect.any(String) as string;
  const twice = <T>(stored: T) => ({ wanted: stored, answered: stored });
  const withoutNames = { wanted: { digest, template: { digest, secrets: {} } }, answered: { digest } };

  test('holds digests of secrets and of everything a secret flowed into or that looks secret, and no text', async () => {
    const made = bench();
    made.secrets['WORD'] = 'top-secret-word';
    const env = 'A: plain-value, A_TOKEN: plain-token, B: "x ${secret:WORD}", C: private-value';
    const text = redis(env, '        private: [C]\n        description: "with ${secret:WORD}"\n');
    await made.apply(text);
    const pairs = pairsOf(made);
    expect(pairs['env["A"]']).toEqual(twice({ value: 'plain-value' }));
    expect(pairs['env["A_TOKEN"]']).toEqual(twice({ digest, secretLines: [] }));
    const around = (before: number) => ({ digest, secretLines: [0], clearAround: [[before, 0]] });
    const template = { digest, secrets: { WORD: digest } };
    expect(pairs['env["B"]']).toEqual({ wanted: { ...around(2), template }, answered: around(2) });
    for (const attribute of ['databasePassword', 'env["C"]']) expect(pairs[attribute]).toEqual(withoutNames);
    expect(pairs['description']).toEqual({ wanted: { ...around(5), template }, answered: around(5) });
    expect(JSON.stringify(made.store.state)).not.toMatch(/plain-token|private-value|top-secret-word|correct-horse/);
    expect(hasChanges(await made.plan(text))).toBe(false);
  });

  test('loses the value of a key that is called private later, at the next apply', async () => {
    const made = bench();
    await made.apply(redis('A: plain-value'));
    expect(JSON.stringify(made.store.state)).toContain('plain-value');
    const later = redis('A: plain-value', '        private: [A]\n');
    expect(hasChanges(await made.plan(later))).toBe(false);
    await made.apply(later);
    expect(pairsOf(made)['env["A"]']).toEqual(withoutNames);
    expect(JSON.stringify(made.store.state)).not.toContain('plain-value');
    expect(hasChanges(await made.plan(later))).toBe(false);
  });

  test('of an earlier version, with digests only, shows no difference, and gets values at the next apply', async () => {
    const made = bench();
    const text = redis('A: plain-value, TOKEN: x1y2');
    await made.apply(text);
    const now = pairsOf(made);
    const state = made.store.state;
    if (state === undefined) throw new Error('there is no state');
    const digests = digestsOf(await made.store.key(), state);
    const resources = mapRecords(state.resources, (address, name, stored) =>
      'value' in stored && name.startsWith('env')
        ? { digest: digests(address, name)(JSON.stringify(stored.value)) }
        : stored,
    );
    await made.store.write({ ...state, serial: state.serial + 1, resources });
    expect(pairsOf(made)['env["A"]']).toEqual(twice({ digest }));
    expect(hasChanges(await made.plan(text))).toBe(false);
    const changed = await made.plan(redis('A: other-value, TOKEN: x1y2'));
    expect(changed.actions.flatMap(({ changes }) => changes)).toMatchObject([
      { path: 'env.A', cause: 'edit', before: { is: 'hidden' }, after: { is: 'value', value: 'other-value' } },
    ]);
    await made.apply(text);
    expect(pairsOf(made)).toEqual(now);
  });

  test('keeps both what was wanted and what the platform made of it', async () => {
    const made = bench();
    await made.apply(redis('A: "1"', '        appName: Shop\n'));
    const { wanted, answered } = pairsOf(made)['appName'] ?? {};
    expect(wanted).toEqual({ value: 'Shop' });
    expect(answered).toEqual({ value: expect.stringMatching(/^shop-[a-z0-9]{6}$/) as string });
  });

  test('has no pair of a key that was removed, and none of a field that was released', async () => {
    const made = bench();
    await made.apply(redis('A: "1", B: "2"', '        description: x\n'));
    await made.apply(redis('A: "1"'));
    expect(Object.keys(pairsOf(made)).filter((attribute) => /env|description/.test(attribute))).toEqual(['env["A"]']);
  });

  test('is the same, byte for byte, when nothing changed', async () => {
    const made = bench();
    await made.apply(redis('A: "1"'));
    const before = JSON.stringify(made.store.state);
    await made.apply(redis('A: "1"'));
    expect(JSON.stringify(made.store.state)).toBe(before);
  });

  test('takes in a hot fix that came into the manifest, without writing it again: it is only deployed', async () => {
    const made = bench();
    await made.apply(redis('A: "1"'));
    const redisId = Object.keys(made.emulator.world.tables.redis)[0] ?? '';
    await made.emulator.act('redis.update', { redisId, dockerImage: 'redis:9' });
    const fixed = redis('A: "1"').replace('redis:8', 'redis:9');
    made.requests('POST');
    await made.apply(fixed);
    expect(made.requests('POST')).toEqual(['redis.changeStatus', 'redis.deploy']);
    expect(pairsOf(made)['dockerImage']).toEqual({ wanted: { value: 'redis:9' }, answered: { value: 'redis:9' } });
  });
});

const growing: Field = { ...anything, codec: contains };
const referringToHost = referring({ address: 'production.redis.main', output: 'host' });

interface Case {
  readonly wanted: Wanted | undefined;
  readonly decision?: Decision;
  readonly attribute?: Attribute;
  readonly field?: Field;
  readonly before?: Json;
  readonly pair?: Pair;
  readonly after: Row | undefined;
  readonly made?: Row;
  readonly wasSent?: boolean;
  readonly outputs?: Outputs;
}

function actionWith(...attributes: readonly AttributeChange[]): Action {
  return actionOf(main, { attributes });
}

/** Settles one field of a redis. */
function settled(about: Case): Omit<ReturnType<typeof settle>, 'pairs'> & {
  readonly pairs: Record<string, Pair>;
  readonly pair: Pair | undefined;
} {
  const { field = 'description', ...key } = about.attribute ?? {};
  const planned = attributeChange(field, {
    attribute: { field, ...key },
    field: about.field ?? anything,
    wanted: about.wanted,
    decision: about.decision ?? { do: 'write', cause: 'edit' },
    before: secret(about.before ?? null),
    pair: about.pair,
  });
  const input: SettleInput = {
    action: actionWith(planned),
    after: about.after,
    made: about.made,
    wasSent: about.wasSent ?? true,
    outputs: about.outputs ?? (() => undefined),
    digests: makeDigests,
  };
  const { pairs: makePairs, ...result } = settle(input);
  const pairs = makePairs();
  return { ...result, pairs, pair: Object.values(pairs)[0] };
}

const codes = ({ notes }: Pick<ReturnType<typeof settle>, 'notes'>) => notes.map(({ code }) => code);

describe('a field that was written', () => {
  test('is remembered with what the platform says now, and with nothing else', () => {
    const result = settled({ wanted: declared('new'), after: { description: 'new' } });
    expect(result).toStrictEqual({
      pairs: { description: pairOf('new') },
      pair: pairOf('new'),
      notes: [],
      isKept: true,
    });
  });

  test('and is not what it was to be is told with where it is declared', () => {
    const result = settled({ wanted: declared('new'), before: 'old', after: { description: 'old' } });
    expect(result.notes).toStrictEqual([
      {
        code: 'ignored',
        severity: 'note',
        message: 'description: the platform answered 200 and ignored the value',
        address: main,
        position: here,
        remedy: 'Apply again: Trueup writes an ignored value once more.',
      },
    ]);
    expect(result.pair).toStrictEqual({ ...pairOf('new', 'old'), ignored: 1 });
  });

  test('and got another form is told as well, which is no failure', () => {
    const result = settled({ wanted: declared('New'), before: 'old', after: { description: 'new' } });
    expect(result.notes).toMatchObject([
      { code: 'rewritten', address: main, position: { line: 2 }, message: expect.stringMatching(/^description: /) },
    ]);
    expect(result.isKept).toBe(true);
    expect(result.pair).toStrictEqual(pairOf('New', 'new'));
  });

  test('is remembered as it was, while the value is not known that was to be written', () => {
    const pair = pairOf('old');
    const about = { wanted: referringToHost, pair, after: { description: 'old' } };
    expect(settled(about)).toMatchObject({ pair, notes: [], isKept: true });
    expect(settled({ ...about, outputs: () => 'cache', after: { description: 'cache' } }).pair).toEqual(
      pairOf('cache'),
    );
  });

  test('of a new object is compared with what its create gave it, where create does not take the field', () => {
    const about = { wanted: declared('4G'), attribute: { field: 'memoryLimit' }, after: { memoryLimit: '1G' } };
    expect(codes(settled({ ...about, made: { memoryLimit: '1G' } }))).toEqual(['ignored']);
    expect(codes(settled({ ...about, made: { memoryLimit: null } }))).toEqual(['rewritten']);
    const taken = {
      wanted: declared('Shop'),
      attribute: { field: 'name' },
      after: { name: 'shop' },
      made: { name: 'shop' },
    };
    expect(codes(settled(taken))).toEqual(['rewritten']);
    expect(codes(settled({ ...about, before: '1G' }))).toEqual(['ignored']);
  });
});

describe('a field that nothing was written to', () => {
  const pair = pairOf('wanted', 'answered');

  test.each<[string, Decision]>([
    ['because the platform has it in another form', { do: 'nothing', settled: false }],
    ['because it is left as it was changed on the platform', { do: 'leave', sentence: 'left' }],
  ])('%s keeps what is known of it, whatever the platform says now', (_why, decision) => {
    const about = { wanted: declared('wanted'), decision, pair, before: 'answered' };
    for (const description of ['answered', 'something else'])
      expect(settled({ ...about, after: { description } })).toMatchObject({ pair, notes: [], isKept: true });
  });

  test('and that is left although it came right meanwhile keeps what is known of it', () => {
    const decision: Decision = { do: 'leave', sentence: 'left' };
    expect(settled({ wanted: declared('wanted'), decision, pair, after: { description: 'wanted' } }).pair).toBe(pair);
  });

  test('because it was let go of is forgotten', () => {
    const result = settled({
      wanted: undefined,
      decision: { do: 'release' },
      pair,
      after: { description: 'answered' },
    });
    expect(result).toMatchObject({ pairs: {}, notes: [], isKept: true });
  });
});

describe('a key that was to be removed', () => {
  const pair = pairOf('1');
  const about = { wanted: undefined, attribute: { field: 'env', key: 'A' }, decision: { do: 'remove' } as const, pair };

  test('is forgotten when it is gone', () => {
    expect(settled({ ...about, after: { env: 'B=2' } })).toMatchObject({ pairs: {}, notes: [], isKept: true });
  });

  test('and is still there is told and stays ours', () => {
    const result = settled({ ...about, after: { env: 'A=1\nB=2' } });
    expect(result).toMatchObject({ pair, isKept: false, notes: [{ code: 'ignored' }] });
    expect(result.notes[0]?.message).toMatch(/^env\.A: /);
  });

  test('stays ours without a word when nothing was sent, or nothing could be read', () => {
    expect(settled({ ...about, wasSent: false, after: { env: 'A=1' } })).toMatchObject({
      pair,
      notes: [],
      isKept: true,
    });
    for (const wasSent of [true, false])
      expect(settled({ ...about, wasSent, after: undefined })).toMatchObject({ pair, notes: [], isKept: true });
  });
});

describe('a key that was to be written', () => {
  const about = { wanted: declared('1'), attribute: { field: 'env', key: 'A' } };

  test('and that somebody took out again is told, and what was known of it stays', () => {
    const pair = pairOf('0');
    const gone = settled({ ...about, pair, before: '0', after: { env: 'B=2' } });
    expect(gone).toMatchObject({ pair, isKept: false, notes: [{ code: 'ignored' }] });
    expect(settled({ ...about, pair, wasSent: false, after: { env: 'B=2' } })).toMatchObject({ pair, notes: [] });
  });

  test('and that has another value is that value', () => {
    const other = settled({ ...about, before: '0', after: { env: 'A=one' } });
    expect(other).toMatchObject({ pair: pairOf('1', 'one'), notes: [{ code: 'rewritten' }] });
    const field = settled({ wanted: declared('1'), before: '0', after: { description: null } });
    expect(field).toMatchObject({ pair: pairOf('1', null), notes: [{ code: 'rewritten' }] });
  });
});

describe('a set that others add to', () => {
  const about = { attribute: { field: 'members' }, field: growing };

  test('is remembered without what others put into it', () => {
    const result = settled({ ...about, wanted: declared(['a']), after: { members: ['a', 'x'] } });
    expect(result).toMatchObject({ pair: pairOf(['a']), notes: [], isKept: true });
  });

  test('keeps what was ours in mind until it is out', () => {
    const pair = pairOf(['a', 'b']);
    const less = { ...about, wanted: declared(['a']), pair };
    expect(settled({ ...less, after: { members: ['a', 'b'] } })).toMatchObject({
      pair,
      notes: [{ code: 'ignored' }],
      isKept: false,
    });
    expect(settled({ ...less, wasSent: false, after: { members: ['a', 'b'] } })).toMatchObject({
      pair,
      notes: [],
      isKept: true,
    });
    expect(settled({ ...less, after: { members: ['a', 'x'] } }).pair).toEqual(pairOf(['a']));
  });

  test('is another thing than one that is declared whole: there, what is too much is what the platform made of it', () => {
    const field = { ...anything, codec: idSet };
    const result = settled({
      attribute: { field: 'members' },
      field,
      wanted: declared(['a']),
      before: ['b', 'c'],
      pair: pairOf(['a', 'b']),
      after: { members: ['a', 'b'] },
    });
    expect(result).toMatchObject({ pair: pairOf(['a'], ['a', 'b']), notes: [{ code: 'rewritten' }] });
  });

  test('loses an id that the platform refused to take out when it is applied again', async () => {
    const allowed = (ids: string) => `${head}members:\n  admin@example.test: { accessedProjects: ${ids} }\n`;
    const made = bench();
    await made.apply(allowed('[prj_1, prj_2]'), { adoption: true });
    const { send } = made.emulator;
    made.emulator.send = (request) =>
      operationOf(request) === 'user.assignPermissions'
        ? Promise.resolve(failed('not now', 403, { code: 'FORBIDDEN' }))
        : send(request);
    const refused = await made.apply(allowed('[prj_1]'));
    expect(refused.outcomes).toMatchObject([{ result: 'failed' }]);
    made.emulator.send = send;
    await made.apply(allowed('[prj_1]'));
    expect(Object.values(made.emulator.world.tables.member)).toMatchObject([{ accessedProjects: ['prj_1'] }]);
    await plansNothing(made, allowed('[prj_1]'));
  });
});

test('what was sent stands for what was answered while an object cannot be read: as far as it is known', () => {
  const attribute = (field: string, wanted: Wanted | undefined) => attributeChange(field, { wanted });
  const action = actionWith(
    attribute('name', declared('lab')),
    attribute('secret', declared('s', true)),
    attribute('url', referringToHost),
    attribute('gone', undefined),
  );
  const hidden = { digest: makeDigest('"s"') };
  expect(sentPairs(action, () => undefined, makeDigests)).toStrictEqual({
    name: pairOf('lab'),
    secret: {
      wanted: { ...hidden, template: { digest: makeDigest('template {"value":"s"}'), secrets: {} } },
      answered: hidden,
    },
  });
  expect(Object.keys(sentPairs(action, () => 'cache', makeDigests))).toEqual(['name', 'secret', 'url']);
});

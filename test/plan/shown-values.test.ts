import { describe, expect, test } from 'vitest';
import type { Field } from '../../src/kind/field.ts';
import { envEntries } from '../../src/kind/codecs.ts';
import type { Json } from '../../src/formats/json.ts';
import type { Resolved, Wanted } from '../../src/manifest/wanted.ts';
import { withHidden } from '../../src/manifest/wanted.ts';
import type { Shown } from '../../src/plan/action.ts';
import type { Showing } from '../../src/plan/shown-values.ts';
import { compareHidden, redactShown, showSides } from '../../src/plan/shown-values.ts';
import { storedPair } from '../../src/plan/stored-pairs.ts';
import type { Rotation } from '../../src/plan/template.ts';
import { secret as hide } from '../../src/secrets/secret.ts';
import type { Pair } from '../../src/state/record.ts';
import {
  anything,
  attributeChange,
  declared,
  lacking,
  makeDigest,
  secretPart,
  textOf,
  wholeOf,
} from '../support/plan-values.ts';

/** What people may see of a value: plans have more readers than manifests. */

const open = anything;
const secret: Field = { ...anything, secrecy: 'secret' };
const text: Field = { ...anything, secrecy: 'private' };
const env: Field = { ...text, map: envEntries };
const hidden = { is: 'hidden' };
const absent = { is: 'absent' };
const shown = (value: unknown) => ({ is: 'value', value });
const masked = (value: unknown) => ({ is: 'masked', value });
const outputs = () => undefined;
const digest = makeDigest;

/** A text into which secrets flowed: those in braces. */
function mixed(written: string): Wanted {
  return textOf(...written.split(/[{}]/).map((piece, at) => (at % 2 === 0 ? piece : secretPart('PW', piece))));
}

interface Sides {
  readonly field?: Field;
  readonly key?: string;
  readonly wanted?: Wanted | undefined;
  readonly resolved?: Resolved;
  readonly before?: Json;
  /** What was settled, and its wanted value. */
  readonly settled?: Wanted;
  readonly pair?: Pair;
  readonly values?: Showing['values'];
  readonly privateKeys?: readonly string[];
  readonly rotation?: Rotation;
}

function sides({
  field = text,
  key,
  wanted,
  resolved,
  before = null,
  settled,
  values = 'usual',
  privateKeys,
  pair,
  rotation,
}: Sides) {
  const attribute = { field: 'value', ...(key === undefined ? {} : { key }) };
  const stored =
    settled === undefined
      ? undefined
      : storedPair({ attribute, field }, settled, [wholeOf(settled)], { outputs, digest }).answered;
  const known = wanted === undefined || wanted.missing.length > 0 ? undefined : wholeOf(wanted);
  const planned = attributeChange('value', {
    attribute,
    field,
    wanted,
    before: hide(before),
    rotation,
    pair: pair ?? (stored === undefined ? undefined : { wanted: stored, answered: stored }),
  });
  return showSides({
    planned,
    resolved: resolved ?? (known === undefined ? undefined : { is: 'known', value: known }),
    values,
    outputs,
    privateKeys: privateKeys === undefined ? undefined : new Set(privateKeys),
  });
}

const after = (value: Json | Wanted, more: Sides = {}) =>
  sides({
    ...more,
    wanted:
      typeof value === 'object' && value !== null && 'content' in value
        ? (value as unknown as Wanted)
        : declared(value),
  }).after;
const before = (value: Json, more: Sides = {}) => sides({ wanted: declared('other'), ...more, before: value }).before;

describe('a value that is declared', () => {
  test('shows where it stands in the manifest in clear', () => {
    for (const field of [open, text]) {
      expect(after('a', { field })).toEqual(shown('a'));
      expect(after(1, { field })).toEqual(shown(1));
      expect(after('a', { field, resolved: { is: 'pending', on: [] } })).toEqual({ is: 'known after apply' });
      expect(after(null, { field })).toEqual(absent);
    }
    expect(after('1.28', { key: 'TAG' })).toEqual(shown('1.28'));
  });

  test('shows the part that is known before the objects are there that it refers to', () => {
    const host = { address: 'production.postgres.main', output: 'host' };
    const pending = { is: 'pending', on: [host] } as const;
    const of = (wanted: Wanted, more: Partial<Sides> = {}) =>
      sides({ wanted, resolved: pending, key: 'URL', ...more }).after;
    const secret = textOf('postgres://shop:', secretPart('PW', 'pw-1234'), '@', host, ':5432/shop');
    expect(of(secret)).toEqual(masked('postgres://shop:(sensitive)@(known after apply):5432/shop'));
    expect(JSON.stringify(of(secret, { key: 'DB_PASSWORD' }))).not.toContain('pw-1234');
    expect(of(secret, { values: 'hidden' })).toEqual(hidden);
    expect(of(secret, { privateKeys: ['URL'] })).toEqual({ is: 'known after apply' });
    expect(of(textOf('http://', host, '/api'))).toEqual(masked('http://(known after apply)/api'));
    expect(of(textOf('http://bot:pw-1234@', host, '/api'))).toEqual(
      masked('http://bot:(sensitive)@(known after apply)/api'),
    );
    expect(of(textOf(host))).toEqual({ is: 'known after apply' });
  });

  test('hides where its field is declared secret, and where this run does not know it', () => {
    expect(after('a', { field: secret })).toEqual(hidden);
    expect(after('a', { field: secret, resolved: { is: 'pending', on: [] } })).toEqual(hidden);
    expect(after(lacking('TOKEN'), { resolved: { is: 'unavailable', secrets: ['TOKEN'] } })).toEqual(hidden);
    expect(after(null, { field: secret })).toEqual(absent);
  });

  test('hides where its name or its form is that of a secret', () => {
    expect(after('hunter2', { key: 'DB_PASSWORD' })).toEqual(hidden);
    expect(after('hunter2', { field: open, key: 'x' })).toEqual(shown('hunter2'));
    expect(after('postgres://shop:hunter2@db/shop', { key: 'URL' })).toEqual(
      masked('postgres://shop:(sensitive)@db/shop'),
    );
    expect(after('https://bot:token@git.example.com/shop.git', { field: open })).toEqual(
      masked('https://bot:(sensitive)@git.example.com/shop.git'),
    );
    expect(after('V1StGXR8Z5jdHi6BmyT9', { field: open })).toEqual(shown('V1StGXR8Z5jdHi6BmyT9'));
  });

  test('shows around the secrets that flow into it, however short they are', () => {
    expect(after(mixed('postgres://shop:{ab}@db/ab'))).toEqual(masked('postgres://shop:(sensitive)@db/ab'));
    expect(after(mixed('{ab}'))).toEqual(hidden);
    expect(after(mixed('a: 1\nb: {one\ntwo}\nc: 3\n'))).toEqual(masked('a: 1\nb: (sensitive)\nc: 3\n'));
    expect(after(declared('ab', true))).toEqual(hidden);
  });

  test('hides where the user calls it private', () => {
    expect(after(declared('eu', true), { key: 'REGION', privateKeys: ['REGION'] })).toEqual(hidden);
    expect(after('REGION: eu\nZONE: a\n', { privateKeys: ['REGION'] })).toEqual(
      masked('REGION: (sensitive)\nZONE: a\n'),
    );
  });

  test('hides in every field that may hold secrets when the values are to be hidden', () => {
    const values = 'hidden';
    expect(after('a', { values })).toEqual(hidden);
    expect(after(mixed('a{b}'), { values, field: open })).toEqual(hidden);
    expect(after('a', { values, field: open })).toEqual(shown('a'));
    expect(before('a', { values })).toEqual(hidden);
    expect(before('a', { values, settled: declared('a') })).toEqual(hidden);
    expect(before('a', { values, field: open })).toEqual(shown('a'));
    expect(before('a', { values, field: open, settled: declared('a') })).toEqual(shown('a'));
    expect(before('a', { values, field: open, settled: declared('a', true) })).toEqual(hidden);
  });
});

describe('a value of the platform', () => {
  test('shows under a declared key, unless it looks secret', () => {
    expect(before('a')).toEqual(shown('a'));
    expect(before('a', { field: open })).toEqual(shown('a'));
    expect(before('a', { field: secret })).toEqual(hidden);
    expect(before('a', { key: 'DB_PASSWORD' })).toEqual(hidden);
    expect(before('redis://:x@cache', { key: 'URL' })).toEqual(masked('redis://:(sensitive)@cache'));
    for (const field of [open, secret]) expect(before(null, { field })).toEqual(absent);
  });

  test('shows as the manifest has it where it is that already, also with a secret in it', () => {
    expect(before('a: b', { wanted: mixed('a: {b}') })).toEqual(masked('a: (sensitive)'));
    expect(before('a: c', { wanted: mixed('a: {b}') })).toEqual(hidden);
  });

  test('hides where a secret flows into it, or flowed into it once', () => {
    expect(before('a', { wanted: mixed('{b}') })).toEqual(hidden);
    expect(before('drifted', { settled: mixed('a{b}') })).toEqual(hidden);
    expect(before('ab', { settled: declared('ab', true) })).toEqual(hidden);
    expect(before('a', { pair: { wanted: { digest: digest('"a"') }, answered: { digest: digest('"a"') } } })).toEqual(
      hidden,
    );
    expect(before('a', { field: open, settled: declared('a', true) })).toEqual(hidden);
  });

  test('shows as it was settled, without the lines of its secrets', () => {
    const settled = mixed('a: 1\nb: {hunter2}\n  c: {x} {y}\n');
    const now = 'a: 1\nb: hunter2\n  c: x y\n';
    expect(before(now, { settled })).toEqual(masked('a: 1\nb: (sensitive)\n  c: (sensitive)\n'));
    const wanted = mixed('a: 2\nb: {hunter2}\n');
    expect(sides({ settled, wanted, before: now })).toMatchObject({
      before: masked('a: 1\nb: (sensitive)\n  c: (sensitive)\n'),
      after: masked('a: 2\nb: (sensitive)\n'),
    });
    expect(before(`${now}d: hunter2\n`, { settled })).toEqual(hidden);
  });

  test('shows as it was settled when the first secret flows into it', () => {
    const found = sides({ settled: declared('a: 1\n'), wanted: mixed('a: 1\nb: {x}\n'), before: 'a: 1\n' });
    expect(found).toMatchObject({ before: shown('a: 1\n'), after: masked('a: 1\nb: (sensitive)\n') });
  });

  test('is named only, where its key is not declared', () => {
    const undeclared = { key: 'REGION', wanted: undefined };
    expect(before('eu', undeclared)).toEqual(hidden);
    expect(before('eu', { ...undeclared, settled: declared('eu') })).toEqual(shown('eu'));
    expect(before('us', { ...undeclared, settled: declared('eu') })).toEqual(hidden);
    expect(before('eu', { ...undeclared, values: 'all' })).toEqual(shown('eu'));
    expect(before('eu', { ...undeclared, values: 'all', privateKeys: ['REGION'] })).toEqual(hidden);
    expect(before('hunter2', { key: 'PASSWORD', wanted: undefined, values: 'all' })).toEqual(hidden);
    const texts = { field: env, wanted: declared('A=2\n') };
    expect(before('A=1\nB=2\n', texts)).toEqual(masked('A=1\nB=(sensitive)\n'));
    expect(before('A=1\nB=2\n', { ...texts, values: 'all' })).toEqual(shown('A=1\nB=2\n'));
    expect(before('A=1\nB=2\n', { ...texts, settled: declared('A=1\nB=2\n') })).toEqual(shown('A=1\nB=2\n'));
  });
});

test('all keys of an env file show on demand while its secrets are those of the manifest', () => {
  const about = { field: env, values: 'all', wanted: declared('A=2\nDB_PASSWORD=x1\n') } as const;
  const [same, other] = ['x1', 'x2'].map((password) => before(`A=1\nDB_PASSWORD=${password}\nB=2\n`, about));
  expect(same).toEqual(masked('A=1\nDB_PASSWORD=(sensitive)\nB=2\n'));
  // The old password may have been split over two lines.
  expect(other).toEqual(masked('A=1\nDB_PASSWORD=(sensitive)\nB=(sensitive)\n'));
  expect(before('A=1\nB=2\n', about)).toEqual(masked('A=1\nB=(sensitive)\n'));
  const keyed = { ...about, wanted: declared('A=2\nPIN=1\n'), privateKeys: ['PIN'] };
  expect(before('PIN=2\nB=2\n', keyed)).toEqual(masked('PIN=(sensitive)\nB=(sensitive)\n'));
});

describe('what was settled', () => {
  test('shows as the state holds it', () => {
    const wanted = declared('c');
    expect(sides({ wanted, settled: declared('a') }).last).toEqual(shown('a'));
    expect(sides({ wanted, settled: declared(null) }).last).toEqual(absent);
    expect(sides({ wanted, settled: mixed('{a}') }).last).toEqual(hidden);
    expect(sides({ wanted, field: secret, settled: declared('a') }).last).toEqual(hidden);
    // An earlier version stored it in clear.
    const answered = { value: 'redis-server --requirepass hunter2' };
    expect(sides({ wanted, field: open, pair: { wanted: answered, answered } }).last).toEqual(
      masked('redis-server --requirepass (sensitive)'),
    );
  });
});

describe('a secret part that changes', () => {
  test('is marked, because both sides would look the same', () => {
    const settled = mixed('a: 1\nb: {one}\nc: {same}\n');
    const wanted = mixed('a: 2\nb: {two}\nc: {same}\n');
    const now = 'a: 1\nPASSWORD: one\nURL: redis://:x@cache\n';
    expect(sides({ before: now, wanted: declared('a: 2\nPASSWORD: two\nURL: redis://:y@cache\n') }).after).toEqual(
      masked('a: 2\nPASSWORD: (sensitive, changed)\nURL: redis://:(sensitive, changed)@cache\n'),
    );
    expect(sides({ before: 'a: 1\nb: one\nc: same\n', settled, wanted })).toMatchObject({
      // Of the line that was settled with another secret the key shows, as the manifest has one behind it.
      before: masked('a: 1\nb: (sensitive)\nc: (sensitive)\n'),
      after: masked('a: 2\nb: (sensitive, changed)\nc: (sensitive)\n'),
    });
  });

  test.each<[string, string, string, string]>([
    ['where it moves to another line', 'PASSWORD: one\n', 'a: 1\nPASSWORD: one\n', 'a: 1\nPASSWORD: (sensitive)\n'],
    ['where the line around it is new too', 'PASSWORD: one\n', 'DB_PASSWORD: two\n', 'DB_PASSWORD: (sensitive)\n'],
  ])('is not marked %s', (_what, now, wanted, expected) => {
    expect(sides({ before: now, wanted: declared(wanted) }).after).toEqual(masked(expected));
  });

  test('is not marked where a line has two, of which one may be the same', () => {
    const line = (word: string) => `URLS: redis://:${word}@a redis://:same@b`;
    const both = masked('URLS: redis://:(sensitive)@a redis://:(sensitive)@b');
    expect(sides({ before: line('one'), wanted: declared(line('two')) })).toMatchObject({ before: both, after: both });
  });

  test('is marked in a list', () => {
    const list = (word: string): Wanted => {
      const text = { is: 'text', pieces: ['redis://:', secretPart('PW', word), '@cache'] } as const;
      return { ...textOf(secretPart('PW', word)), content: hide({ is: 'list', items: [text] } as const) };
    };
    const rotation = { secrets: new Set(['PW']), isAll: true };
    const shownIn = sides({
      field: open,
      before: ['redis://:one@cache'],
      settled: list('one'),
      wanted: list('two'),
      rotation,
    });
    expect(shownIn).toMatchObject({
      before: masked(['redis://:(sensitive)@cache']),
      after: masked(['redis://:(sensitive, changed)@cache']),
    });
  });

  test('is hidden where it is the whole value', () => {
    expect(sides({ before: 'one', settled: mixed('{one}'), wanted: mixed('{two}') })).toMatchObject({
      before: hidden,
      after: hidden,
    });
  });
});

test('a text has as many lines with its secrets hidden', () => {
  const wanted = mixed('a\n{b\nc}\nd');
  expect(withHidden(wanted, outputs, (part) => part.replaceAll(/[^\n]+/g, '*'))).toBe('a\n*\n*\nd');
  expect(withHidden(declared('a'), outputs, () => '')).toBe('a');
  expect(withHidden(declared('a', true), outputs, () => '')).toBeUndefined();
});

test.each([
  ['below the line in which the secret begins', 'a: {x\ny\nz}\nb\n', 'a: (sensitive)\nb\n'],
  ['below each other, also when indented', 'a\n  {x}\n  {y}\nb', 'a\n  (sensitive)\nb'],
  ['once for each secret with text between', '{x}\na\n{y}\n', '(sensitive)\na\n(sensitive)\n'],
  ['where the line before ends in clear', 'a: {x}.\n{y}\n', 'a: (sensitive).\n(sensitive)\n'],
  ['where more than the secret is in the line', 'a: {x}\nb: {y}\n', 'a: (sensitive)\nb: (sensitive)\n'],
])('lines that are secret as a whole show %s', (_what, written, expected) => {
  expect(after(mixed(written))).toEqual(masked(expected));
});

test('lines that are secret as a whole and change show once', () => {
  const rotation = { secrets: new Set(['PW']), isAll: false };
  const shownIn = sides({ before: 'a\nx\ny\n', settled: mixed('a\n{x\ny}\n'), wanted: mixed('a\n{v\nw}\n'), rotation });
  expect(shownIn).toMatchObject({ before: masked('a\n(sensitive)\n'), after: masked('a\n(sensitive, changed)\n') });
});

describe('of two texts that do not show', () => {
  test.each([
    ['the lines that differ are told', 'a\nb\nc\n', 'a\nx\nc\n', 'line 2 of 3, before 3'],
    ['the first', 'a\nb\n', 'x\nb\n', 'line 1 of 2, before 2'],
    ['the first of many', 'a\nb\nc\nd\n', 'x\nb\nc\nd\n', 'line 1 of 4, before 4'],
    ['the last', 'a\nb\n', 'a\nx\n', 'line 2 of 2, before 2'],
    ['several', 'a\nb\nc\nd\n', 'a\nx\ny\nd\n', 'lines 2 to 3 of 4, before 4'],
    ['all of them', 'a\nb\n', 'x\ny\n', 'lines 1 to 2 of 2, before 2'],
    ['one more at the end', 'a\n', 'a\nb\n', 'line 2 of 2, before 1'],
    ['two more of the same', 'a\n', 'a\na\na\n', 'lines 2 to 3 of 3, before 1'],
    ['one more in the middle, like its neighbour', 'a\na\n', 'a\na\na\n', 'line 3 of 3, before 2'],
    ['one less', 'a\nb\nc\n', 'a\nc\n', 'line 2 of 2, before 3'],
    ['one less at the end', 'a\nb\nc\n', 'a\nb\n', 'line 2 of 2, before 3'],
    ['one less of the same', 'a\na\na\n', 'a\na\n', 'line 2 of 2, before 3'],
    ['a line break at the end', 'a\nb', 'a\nb\n', 'line 2 of 2, before 2'],
    ['what was one line', 'a', 'a\nb', 'line 2 of 2, before 1'],
  ])('%s', (_what, before, after, told) => {
    expect(compareHidden(before, after)).toBe(told);
  });

  test('how many lines there are, where there was no text', () => {
    expect(compareHidden(null, 'a\n')).toBe('1 line');
    expect(compareHidden(null, 'a\nb')).toBe('2 lines');
    expect(compareHidden(['a'], 'a\nb\nc\n')).toBe('3 lines');
  });

  test('nothing, where there is no line to tell', () => {
    expect(compareHidden('a\nb\n', 'one line')).toBeUndefined();
    expect(compareHidden('a\nb\n', null)).toBeUndefined();
  });
});

describe('a value of the platform', () => {
  const redact = (text: string) => text.replaceAll('main', '(sensitive)');

  test.each<[string, Json, Shown]>([
    ['as a whole, however deep the secret is', { a: ['b', 'in main'] }, { is: 'hidden' }],
    ['the part of several lines', 'a: main\nb: 1\n', { is: 'masked', value: 'a: (sensitive)\nb: 1\n' }],
    ['several lines without anything else', 'main\n main\n', { is: 'hidden' }],
    ['one line, also with a line end', 'a: main\n', { is: 'hidden' }],
    ['one line, also after others that are empty', 'a: main\n\n  ', { is: 'hidden' }],
  ])('hides secrets of the run: %s', (_what, value, shown) => {
    for (const is of ['value', 'masked'] as const) expect(redactShown({ is, value }, redact)).toStrictEqual(shown);
  });

  test.each<Shown>([{ is: 'value', value: ['b'] }, { is: 'absent' }, { is: 'hidden' }, { is: 'known after apply' }])(
    'stays the same object where it has none: %j',
    (shown) => {
      expect(redactShown(shown, redact)).toBe(shown);
    },
  );
});

import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { settle } from '../../src/plan/settle.ts';
import type { Codec } from '../../src/kind/codecs.ts';
import { idSet, json, list, plain, suffixed, text } from '../../src/kind/codecs.ts';
import type { Json } from '../../src/formats/json.ts';
import type { Field } from '../../src/kind/field.ts';
import type { Wanted } from '../../src/manifest/wanted.ts';
import type { Decision, Situation } from '../../src/plan/decide.ts';
import { decide, table } from '../../src/plan/decide.ts';
import { answers, declarations, standingOf } from '../../src/plan/standing.ts';
import { digest } from '../../src/secrets/digest.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { Pair } from '../../src/state/record.ts';
import {
  actionOf,
  attributeChange,
  declared,
  lacking,
  pairOfText,
  referring,
  storedAs,
  secretPart,
  textOf,
} from '../support/plan-values.ts';
import { bench, head } from '../support/world.ts';

/** The table of when a field is written: wanted now, observed now, and the pair that was settled last. */

const base: Field = { schema: z.json(), examples: ['a', 'b'] };
const replace: Field = { ...base, onChange: 'replace' };
const refuse: Field = { ...base, onChange: { refuse: 'the platform never changes it' } };
const through: Field = {
  ...base,
  onChange: { through: () => ({ call: 'postgres.changePassword', as: 'password' }) },
};
const rowOnly: Field = { ...replace, rowOnly: true };
const rowOnlyRefused: Field = { ...refuse, rowOnly: true };
const makeDigest = (content: string) => digest('key', content);
const makeDigests = () => makeDigest;

const known = declared;
const pending = referring({ address: 'production.redis.cache', output: 'host' });
const unavailable = lacking('TOKEN');
const had = textOf(secretPart('TOKEN', 'x'));

function pairOf(wanted: Json, answered: Json = wanted, field: Field = base): Pair {
  return { wanted: storedAs(field, wanted), answered: storedAs(field, answered) };
}

function decided(
  wanted: Wanted | undefined,
  observed: Json,
  pair?: Pair,
  field: Field = base,
  fixed?: string,
): Decision {
  const standing = standingOf({ field, wanted, observed, pair, digest: makeDigest, outputs: () => undefined });
  const { missing = [] } = wanted ?? {};
  const situation: Situation = { field, standing, missing, ignored: pair?.ignored };
  return decide(fixed === undefined ? situation : { ...situation, fixed });
}

const rows = new Set<number>();

/** One row of the table; the rows that have tests are counted at the end. */
function row(number: number, sentence: string, check: () => void | Promise<void>): void {
  rows.add(number);
  test(`row ${number}: ${sentence}`, async () => {
    expect.hasAssertions();
    await check();
  });
}

const nothing: Decision = { do: 'nothing', settled: false };
const settled: Decision = { do: 'nothing', settled: true };
const write = (cause: string) => ({ do: 'write', cause });
const error = (sentence: unknown, code = 'cannot-change') => ({ do: 'error', code, sentence });
const saying = (words: string): unknown => expect.stringContaining(words);

describe('left out', () => {
  row(1, 'a field the user never declared is not managed', () => {
    expect(decided(undefined, 'x')).toEqual(nothing);
    expect(decided(undefined, null)).toEqual(nothing);
    expect(decided(undefined, 'x', undefined, replace)).toEqual(nothing);
  });

  row(2, 'a field that was managed and is left out is released and not cleared', () => {
    expect(decided(undefined, 'x', pairOf('x'))).toEqual({ do: 'release' });
    expect(decided(undefined, 'other', pairOf('x'))).toEqual({ do: 'release' });
    expect(decided(undefined, 'x', pairOf('x'), replace)).toEqual({ do: 'release' });
    expect(decided(undefined, 'x', pairOf('x'), refuse)).toEqual({ do: 'release' });
  });

  row(2, 'a key of a map that was ours is removed, with own and with merge', async () => {
    for (const mode of ['own', 'merge']) {
      const made = bench();
      await made.apply(withEnv(mode, 'A: "1", B: "2"'));
      const plan = await made.plan(withEnv(mode, 'A: "1"'));
      expect(changesOf(plan)).toEqual(['removed env.B']);
      await made.apply(withEnv(mode, 'A: "1"'));
      expect(envOf(made)).toBe('A=1\n');
      expect(changesOf(await made.plan(withEnv(mode, 'A: "1"')))).toEqual([]);
    }
  });

  row(2, 'a release is said once, and the field stays as it is', async () => {
    const made = bench();
    const declared = withEnv('own', 'A: "1"').replace('envMode', 'description: Ours\n        envMode');
    await made.apply(declared);
    const plan = await made.plan(withEnv('own', 'A: "1"'));
    const notes = plan.actions.flatMap((action) => action.notes.map((note) => `${note.code} ${note.message}`));
    expect(notes).toEqual([saying('released description: is no longer managed')]);
    await made.apply(withEnv('own', 'A: "1"'));
    expect(await redisOf(made)).toMatchObject({ description: 'Ours' });
    const again = await made.plan(withEnv('own', 'A: "1"'));
    expect(again.actions.flatMap((action) => action.notes)).toEqual([]);
  });
});

describe('not known before apply', () => {
  row(3, 'a value that is known only after apply is written then', () => {
    expect(decided(pending, 'x')).toEqual(write('known after apply'));
    expect(decided(pending, 'x', pairOf('x'))).toEqual(write('known after apply'));
    expect(decided(pending, 'x', pairOf('x'), through)).toEqual(write('known after apply'));
  });

  row(3, 'in a field that cannot be changed it is an error', () => {
    expect(decided(pending, 'x', pairOf('x'), replace)).toEqual(error(saying('known only after apply')));
    expect(decided(pending, 'x', pairOf('x'), refuse)).toEqual(error(saying('the platform never changes it')));
    expect(decided(pending, 'x', pairOf('x'), base, 'the platform made it')).toEqual(error(saying('made it')));
  });

  row(3, 'a reference to something that stays is known at once and plans nothing', async () => {
    const made = bench();
    const body = (image: string) =>
      `${withEnv('own', 'A: "1"')}      two:\n        dockerImage: ${image}\n        databasePassword: pass-word-2\n` +
      `        env: { OTHER: "\${ref:redis.main.host}" }\n`;
    await made.apply(body('redis:8'));
    expect(changesOf(await made.plan(body('redis:8')))).toEqual([]);
    expect(changesOf(await made.plan(body('redis:7')))).toEqual(['edit dockerImage']);
  });

  row(4, 'without its secret a settled value is left alone', () => {
    expect(decided(unavailable, 'x', pairOfText(had))).toEqual(nothing);
    expect(decided(unavailable, 'y', pairOfText(had, 'y'))).toEqual(nothing);
    const ignored = { ...pairOfText(had, 'y'), ignored: 1 } as const;
    expect(decided(unavailable, 'y', ignored)).toEqual({ do: 'nothing', settled: false, ignored: true });
  });

  row(4, 'without its secret drift is shown and not repaired', () => {
    expect(decided(unavailable, 'y', pairOfText(had))).toEqual({ do: 'leave', sentence: saying('TOKEN') });
  });

  row(4, 'without its secret an edit of the text around it is an error, also while the platform has drifted', () => {
    const pair = pairOfText(textOf('https://', secretPart('TOKEN', 'x'), ':80'));
    const edit = textOf('https://', secretPart('TOKEN'), ':81');
    for (const observed of ['https://x:80', 'https://y:80'])
      expect(decided(edit, observed, pair)).toEqual(error(saying('edited and needs TOKEN'), 'secret-missing'));
    expect(decided(textOf('https://', secretPart('TOKEN'), ':80'), 'https://x:80', pair)).toEqual(nothing);
  });

  row(4, 'another secret in its place is an edit, and so is one in place of a value', () => {
    expect(decided(lacking('OTHER'), 'x', pairOfText(had))).toEqual(error(saying('OTHER'), 'secret-missing'));
    expect(decided(unavailable, 'x', pairOf('x'))).toEqual(error(saying('TOKEN'), 'secret-missing'));
  });

  row(4, 'with one of two secrets, another value of that one is an error that names the other', () => {
    const both = (user: string) => textOf(secretPart('USER', user), ':', secretPart('TOKEN'));
    const pair = pairOfText(textOf(secretPart('USER', 'shop'), ':', secretPart('TOKEN', 'x')));
    expect(decided(both('shop'), 'shop:x', pair)).toEqual(nothing);
    expect(decided(both('other'), 'shop:x', pair)).toEqual(error(saying('another value'), 'secret-missing'));
    expect(decided(both('other'), 'shop:x', pair)).toEqual(error(saying('needs TOKEN'), 'secret-missing'));
  });

  row(4, 'without its secret, what is known only after apply is an error', () => {
    const waiting = textOf({ address: 'production.redis.cache', output: 'host' }, secretPart('TOKEN'));
    expect(decided(waiting, 'x', pairOfText(had))).toEqual(error(saying('only after apply'), 'secret-missing'));
  });

  row(4, 'of a pair without a template, by an earlier version, only drift is known', () => {
    const { wanted, answered } = pairOfText(had);
    const { template: _, ...former } = wanted;
    expect(decided(unavailable, 'x', { wanted: former, answered })).toEqual(nothing);
    const leave = { do: 'leave', sentence: saying('TOKEN') };
    expect(decided(lacking('OTHER'), 'y', { wanted: former, answered })).toEqual({
      ...leave,
      sentence: saying('OTHER'),
    });
  });

  row(4, 'without its secret a value that was never settled is an error', () => {
    expect(decided(unavailable, 'y')).toEqual(error(saying('TOKEN'), 'secret-missing'));
    expect(decided(unavailable, null)).toEqual(error(saying('TOKEN'), 'secret-missing'));
    const two = textOf(secretPart('TOKEN'), secretPart('KEY'));
    expect(decided(two, null)).toEqual(error(saying('needs TOKEN, KEY, which'), 'secret-missing'));
  });
});

describe('as it should be', () => {
  row(5, 'what the platform has already is not written and is settled', () => {
    expect(decided(known('x'), 'x')).toEqual(settled);
    expect(decided(known('x'), 'x', pairOf('old'))).toEqual(settled);
    expect(decided(known('x'), 'x', pairOf('x', 'y'))).toEqual(settled);
    expect(decided(known(null), null)).toEqual(settled);
  });

  row(5, 'this holds for fields that cannot be changed as well', () => {
    for (const field of [replace, refuse, rowOnly]) {
      expect(decided(known('x'), 'x', undefined, field)).toEqual(settled);
      expect(decided(known('x'), 'x', pairOf('old'), field)).toEqual(settled);
    }
    expect(decided(known('x'), 'x', undefined, base, 'the platform made it')).toEqual(settled);
  });
});

describe('never settled before', () => {
  row(6, 'a value that is managed for the first time is written', () => {
    expect(decided(known('x'), 'y')).toEqual(write('first managed'));
    expect(decided(known('x'), null)).toEqual(write('first managed'));
    expect(decided(known(null), 'y')).toEqual(write('first managed'));
    expect(decided(known('x'), 'y', undefined, through)).toEqual(write('first managed'));
  });

  row(6, 'in a field that cannot be changed it is an error and never a replacement', () => {
    expect(decided(known('x'), 'y', undefined, replace)).toEqual(error(saying('only a new object')));
    expect(decided(known('x'), 'y', undefined, rowOnly)).toEqual(error(saying('only a new object')));
    expect(decided(known('x'), 'y', undefined, refuse)).toEqual(error(saying('never changes it')));
    expect(decided(known('x'), 'y', undefined, base, 'the platform made it')).toEqual(error(saying('made it')));
  });
});

describe('settled before and wanted unchanged', () => {
  row(7, 'what the platform rewrote is settled and plans nothing', () => {
    expect(decided(known('W'), 'w', pairOf('W', 'w'))).toEqual(nothing);
    expect(decided(known('W'), 'w', pairOf('W', 'w'), replace)).toEqual(nothing);
  });

  const ignoredOnce: Pair = { ...pairOf('W', 'old'), ignored: 1 };
  const ignoredTwice: Pair = { ...pairOf('W', 'old'), ignored: 2 };
  const ignored = { do: 'nothing', settled: false, ignored: true };

  row(7, 'a value that the platform ignored once is written once more', () => {
    expect(decided(known('W'), 'old', ignoredOnce)).toEqual(write('ignored'));
    expect(decided(known('W'), 'old', ignoredOnce, through)).toEqual(write('ignored'));
    expect(decided(known('W'), 'old', ignoredOnce, rowOnly)).toEqual(write('ignored'));
  });

  row(7, 'a value that the platform ignored twice is not written again, and the plan says so', () => {
    expect(decided(known('W'), 'old', ignoredTwice)).toEqual(ignored);
  });

  row(7, 'a value that only a create writes is not written again', () => {
    expect(decided(known('W'), 'old', ignoredOnce, replace)).toEqual(ignored);
    expect(decided(known('W'), 'old', ignoredOnce, refuse)).toEqual(ignored);
    expect(decided(known('W'), 'old', ignoredOnce, rowOnly, 'the platform made it')).toEqual(ignored);
  });

  row(8, 'drift is written back', () => {
    expect(decided(known('x'), 'y', pairOf('x'))).toEqual(write('drift'));
    expect(decided(known('x'), null, pairOf('x'))).toEqual(write('drift'));
    expect(decided(known('x'), 'y', pairOf('x'), through)).toEqual(write('drift'));
  });

  row(8, 'drift of a value that only the row holds is written back', () => {
    expect(decided(known('x'), 'y', pairOf('x'), rowOnly)).toEqual(write('drift'));
    expect(decided(known('x'), 'y', pairOf('x'), rowOnlyRefused)).toEqual(write('drift'));
  });

  row(8, 'drift of a field that cannot be changed is said and never replaces', () => {
    expect(decided(known('x'), 'y', pairOf('x'), replace)).toEqual({ do: 'leave', sentence: saying('only a new') });
    expect(decided(known('x'), 'y', pairOf('x'), refuse)).toEqual({ do: 'leave', sentence: saying('never changes') });
    const fixed = decided(known('x'), 'y', pairOf('x'), rowOnly, 'the platform made it');
    expect(fixed).toEqual({ do: 'leave', sentence: saying('made it') });
  });
});

describe('settled before and wanted changed', () => {
  row(9, 'an edit is written', () => {
    expect(decided(known('new'), 'x', pairOf('x'))).toEqual(write('edit'));
    expect(decided(known('new'), 'x', pairOf('w', 'x'))).toEqual(write('edit'));
    expect(decided(known(null), 'x', pairOf('x'))).toEqual(write('edit'));
    expect(decided(known('new'), 'x', pairOf('x'), through)).toEqual(write('edit'));
  });

  row(9, 'an edit of a field that only a new object can have replaces', () => {
    expect(decided(known('new'), 'x', pairOf('x'), replace)).toEqual({ do: 'replace', cause: 'edit' });
    expect(decided(known('new'), 'x', pairOf('x'), rowOnly)).toEqual({ do: 'replace', cause: 'edit' });
  });

  row(9, 'an edit that the platform refuses is an error with its sentence', () => {
    expect(decided(known('new'), 'x', pairOf('x'), refuse)).toEqual(error('the platform never changes it'));
    expect(decided(known('new'), 'x', pairOf('x'), rowOnlyRefused)).toEqual(error('the platform never changes it'));
    expect(decided(known('new'), 'x', pairOf('x'), replace, 'the platform made it')).toEqual(
      error('the platform made it'),
    );
  });

  row(9, 'an edit of a value that the platform ignored is written', () => {
    for (const ignored of [1, 2] as const) {
      expect(decided(known('V'), 'old', { ...pairOf('W', 'old'), ignored })).toEqual(write('edit'));
    }
  });

  row(10, 'a change here and on the platform is a conflict, and what is written here wins', () => {
    expect(decided(known('new'), 'y', pairOf('x'))).toEqual(write('conflict'));
    expect(decided(known('new'), 'y', pairOf('x'), through)).toEqual(write('conflict'));
  });

  row(10, 'a conflict never replaces', () => {
    expect(decided(known('new'), 'y', pairOf('x'), replace)).toEqual(error(saying('never automatic')));
    expect(decided(known('new'), 'y', pairOf('x'), rowOnly)).toEqual(error(saying('never automatic')));
    expect(decided(known('new'), 'y', pairOf('x'), refuse)).toEqual(error('the platform never changes it'));
  });

  row(10, 'a conflict shows all three values', async () => {
    const made = bench();
    await made.apply(withEnv('own', ''));
    await made.emulator.act('redis.update', { redisId: (await redisOf(made))['redisId'], dockerImage: 'redis:6' });
    const plan = await made.plan(withEnv('own', '').replace('redis:8', 'redis:7'));
    const [change] = plan.actions.flatMap((action) => action.changes);
    expect(change).toMatchObject({
      cause: 'conflict',
      before: { is: 'value', value: 'redis:6' },
      after: { is: 'value', value: 'redis:7' },
      last: { is: 'value', value: 'redis:8' },
    });
  });
});

describe('keys of a map that only the platform has', () => {
  const strange = async (mode: string) => {
    const made = bench();
    await made.apply(withEnv(mode, 'A: "1"'));
    await setEnv(made, 'A=1\nHAND=x\n');
    return made;
  };

  row(11, 'own removes them and shows it', async () => {
    const made = await strange('own');
    expect(changesOf(await made.plan(withEnv('own', 'A: "1"')))).toEqual(['removed env.HAND']);
    await made.apply(withEnv('own', 'A: "1"'));
    expect(envOf(made)).toBe('A=1\n');
    expect(changesOf(await made.plan(withEnv('own', 'A: "1"')))).toEqual([]);
  });

  row(11, 'merge leaves them, also when another key is written', async () => {
    const made = await strange('merge');
    expect(changesOf(await made.plan(withEnv('merge', 'A: "1"')))).toEqual([]);
    await made.apply(withEnv('merge', 'A: "2", B: "3"'));
    expect(envOf(made).trim().split('\n').toSorted()).toEqual(['A=2', 'B=3', 'HAND=x']);
    expect(changesOf(await made.plan(withEnv('merge', 'A: "2", B: "3"')))).toEqual([]);
  });

  row(11, 'a key that is not there is not one with an empty value', async () => {
    const made = bench();
    await made.apply(withEnv('own', 'A: ""'));
    expect(envOf(made)).toBe('A=\n');
    await setEnv(made, 'B=1\n');
    expect(changesOf(await made.plan(withEnv('own', 'A: ""')))).toEqual(['drift env.A', 'removed env.B']);
  });
});

describe('JSON and lists', () => {
  const of = (codec: Codec): Field => ({ ...base, codec });

  row(12, 'the order of keys does not count, and the order of a list does', () => {
    expect(decided(known({ a: 1, b: { c: 2, d: 3 } }), { b: { d: 3, c: 2 }, a: 1 })).toEqual(settled);
    expect(decided(known(['a', 'b']), ['b', 'a'], pairOf(['a', 'b']), of(list))).toEqual(write('drift'));
    const pair = pairOf({ a: 1, b: [1, 2] }, { b: [1, 2], a: 1 });
    expect(decided(known({ b: [1, 2], a: 1 }), { a: 1, b: [2, 1] }, pair)).toEqual(write('drift'));
    expect(decided(known({ b: [9], a: 1 }), { b: [1, 2], a: 1 }, pair)).toEqual(write('edit'));
  });

  row(12, 'the digest of a value does not depend on the order of its keys', () => {
    const field: Field = { ...of(json), secrecy: 'secret' };
    const stored = pairOf({ a: 1, b: 2 }, { b: 2, a: 1 }, field);
    expect(stored.wanted).toEqual(stored.answered);
    expect(decided(known({ b: 2, a: 1 }), { x: 0 }, stored, field)).toEqual(write('drift'));
  });

  row(12, 'what each codec takes for the same is the same', () => {
    expect(decided(known(''), null, undefined, of(text))).toEqual(settled);
    expect(decided(known([]), null, undefined, of(list))).toEqual(settled);
    expect(decided(known({}), null, undefined, of(json))).toEqual(settled);
    expect(decided(known(['b', 'a', 'a']), ['a', 'b'], undefined, of(idSet))).toEqual(settled);
    expect(decided(known('My Shop'), 'my-shop-x1y2z3', undefined, of(suffixed))).toEqual(settled);
    expect(decided(known('shop'), 'store-x1y2z3', undefined, of(suffixed))).toEqual(write('first managed'));
    expect(decided(known(''), null, undefined, of(plain))).toEqual(write('first managed'));
    expect(decided(known(0), false, undefined, of(plain))).toEqual(write('first managed'));
  });
});

describe('whole records', () => {
  const backup = (more: string) =>
    `${head}environments:
  production:
    postgres:
      main:
        dockerImage: postgres:17
        databaseName: shop
        databaseUser: shop
        databasePassword: correct-horse-1
        backups:
          nightly: { prefix: shop, destinationId: dst_1, schedule: "0 3 * * *"${more} }
`;

  row(13, 'a member the user did not declare is sent as the platform has it, and never stored', async () => {
    const made = bench();
    await made.apply(backup(''));
    const id = Object.keys(made.emulator.world.tables.backup)[0] ?? '';
    const before = made.emulator.world.tables.backup[id] ?? {};
    await made.emulator.act('backup.update', {
      ...Object.fromEntries(
        ['schedule', 'enabled', 'prefix', 'destinationId', 'database', 'serviceName', 'metadata', 'databaseType'].map(
          (name) => [name, before[name] ?? null],
        ),
      ),
      backupId: id,
      keepLatestCount: 77,
    });
    await made.apply(backup('').replace('0 3', '0 4'));
    expect(made.emulator.world.tables.backup[id]).toMatchObject({ keepLatestCount: 77, schedule: '0 4 * * *' });
    expect(JSON.stringify(made.store.state?.resources)).not.toContain('keepLatestCount');
    expect(changesOf(await made.plan(backup('').replace('0 3', '0 4')))).toEqual([]);
  });
});

describe('what was read back after a write', () => {
  const settledPart = (before: Json, after: Json | undefined, wasSent = true, old?: Pair) => {
    const decision: Decision = { do: 'write', cause: 'edit' };
    const attribute = attributeChange('name', { wanted: declared('w'), decision, before: secret(before), pair: old });
    const { pairs, notes, isKept } = settle({
      action: actionOf('a', { attributes: [attribute] }),
      after: after === undefined ? undefined : { name: after },
      made: undefined,
      wasSent,
      outputs: () => undefined,
      digests: makeDigests,
    });
    return { pair: pairs()['name'], said: notes.map((note) => note.code), isKept };
  };

  row(14, 'what was wanted is recorded', () => {
    expect(settledPart('old', 'w')).toEqual({ pair: pairOf('w'), said: [], isKept: true });
  });

  row(14, 'another form is recorded and said once', () => {
    expect(settledPart('old', 'W')).toEqual({ pair: pairOf('w', 'W'), said: ['rewritten'], isKept: true });
    expect(decided(known('w'), 'W', pairOf('w', 'W'))).toEqual(nothing);
  });

  row(14, 'what is as before was ignored: written once more, and then settled as ignored', () => {
    const first = settledPart('old', 'old');
    expect(first).toEqual({ pair: { ...pairOf('w', 'old'), ignored: 1 }, said: ['ignored'], isKept: false });
    expect(decided(known('w'), 'old', first.pair)).toEqual(write('ignored'));
    const second = settledPart('old', 'old', true, first.pair);
    expect(second).toEqual({ pair: { ...pairOf('w', 'old'), ignored: 2 }, said: ['ignored'], isKept: false });
    expect(decided(known('w'), 'old', second.pair)).toEqual({ do: 'nothing', settled: false, ignored: true });
  });

  row(14, 'what was ignored before, under another value, is ignored for the first time', () => {
    const { pair } = settledPart('old', 'old', true, { ...pairOf('v', 'old'), ignored: 2 });
    expect(pair).toEqual({ ...pairOf('w', 'old'), ignored: 1 });
  });

  row(14, 'without a reading the old pair stays', () => {
    expect(settledPart('old', undefined, true, pairOf('old'))).toEqual({ pair: pairOf('old'), said: [], isKept: true });
  });

  row(14, 'a write that was not sent or was refused changes nothing', () => {
    expect(settledPart('old', 'old', false, pairOf('old'))).toEqual({ pair: pairOf('old'), said: [], isKept: true });
    expect(settledPart('old', 'other', false, pairOf('old')).pair).toEqual(pairOf('old'));
  });

  row(14, 'a write that arrived although its answer said otherwise is recorded', () => {
    expect(settledPart('old', 'w', false, pairOf('old'))).toEqual({ pair: pairOf('w'), said: [], isKept: true });
  });
});

test('the docs print the table of decisions', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../docs/field-decisions.md'), 'utf8');
  const [, printed = ''] = /<!-- decisions -->\n\n([^]*?)\n\n<!-- \/decisions -->/.exec(page) ?? [];
  const cells = printed.split('\n').map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
  expect(cells.filter(([first = '']) => !first.startsWith('---'))).toEqual([
    ['', ...answers],
    ...declarations.map((one) => [one, ...answers.map((there) => table[one][there])]),
  ]);
});

test('every row of the table has a test, and no other row is named', () => {
  expect([...rows].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 14 }, (_, index) => index + 1));
});

function withEnv(mode: string, entries: string): string {
  return `${head}environments:
  production:
    redis:
      main:
        dockerImage: redis:8
        databasePassword: correct-horse-1
        envMode: ${mode}
        env: { ${entries} }
`;
}

type Made = ReturnType<typeof bench>;

async function redisOf(made: Made): Promise<Record<string, unknown>> {
  const redisId = Object.keys(made.emulator.world.tables.redis)[0] ?? '';
  return (await made.emulator.act('redis.one', { redisId })) as Record<string, unknown>;
}

function envOf(made: Made): string {
  return String(Object.values(made.emulator.world.tables.redis)[0]?.['env']);
}

async function setEnv(made: Made, env: string): Promise<void> {
  const redisId = Object.keys(made.emulator.world.tables.redis)[0] ?? '';
  await made.emulator.act('redis.saveEnvironment', { redisId, env });
}

function changesOf(plan: Awaited<ReturnType<Made['plan']>>): string[] {
  return plan.actions.flatMap((action) => action.changes.map((change) => `${change.cause} ${change.path}`));
}

import { describe, expect, test } from 'vitest';
import { authenticityOf } from '../../src/state/authenticity.ts';
import { withNextKey } from '../../src/state/digests.ts';
import { checkState, parseState } from '../../src/state/parse.ts';
import { testKey } from '../support/state-key.ts';
import { formerly } from './corpus.ts';
import { recordOf, stateWith, stopOf } from '../../src/state/conformance/states.ts';

/** The text of a state, of any format that Trueup reads. */

const state = stateWith({ a: recordOf('1') }, 4);
const { keyNumber: _, deployments: _none, ...unsealed } = state;
const second = { ...unsealed, formatVersion: 2, digestKey: 'key' };
const former = { ...second, formatVersion: 1, resources: { a: formerly(recordOf('1')) } };
const authenticity = authenticityOf(testKey, { keyName: 'the key of the test', acceptUnsealed: () => undefined });
const parse = (text: string) => parseState({ location: 's.json', text }, authenticity);
const refused = (content: unknown) => stopOf(() => checkState('s.json', content, authenticity));
const restore =
  'Nothing was overwritten. Restore the state from a copy. Without one move state.json and the journal beside it away, in a ' +
  'database delete its rows, and make a new one: trueup state rebuild.';

describe('a state', () => {
  test('is read in the form of today, with the format it was written in', () => {
    const { parts, mac } = authenticity.seal(state);
    expect(parse(parts.join(''))).toStrictEqual({ state, format: 4, mac });
    const migrated = withNextKey({ ...state, keyNumber: 0 }, testKey, 'key');
    expect(parse(JSON.stringify(second))).toStrictEqual({ state: migrated, format: 2, mac: '' });
    expect(parse(JSON.stringify(former))).toStrictEqual({ state: migrated, format: 1, mac: '' });
  });

  test('that is no JSON is damaged', async () => {
    const { failure, diagnostics, cause } = await stopOf(() => parse('{'));
    expect(failure).toBe('state');
    expect(diagnostics).toMatchObject([{ message: 'the state s.json is not valid JSON', remedy: restore }]);
    expect(cause).toBeInstanceOf(SyntaxError);
  });

  test.each<[string, unknown, RegExp]>([
    ['nothing', null, /^the state s\.json is not a state of Trueup: it is null, and a state is an object$/],
    ['a list', [], /is not a state of Trueup: it is a list, and a state is an object$/],
    ['a text', 'x', /is not a state of Trueup: it is a string, and a state is an object$/],
    ['a number', 5, /is not a state of Trueup: it is a number, and a state is an object$/],
    ['no member', {}, /is not a state of Trueup: it has no lineage$/],
    [
      'a list of records',
      { ...former, resources: [] },
      /is not a state of Trueup: resources has a value that no state of format 1 has$/,
    ],
    [
      'a format of another type',
      { ...state, formatVersion: '3' },
      /is not a state of Trueup: formatVersion has a value that no/,
    ],
    ['a format before the first', { ...state, formatVersion: 0 }, /is not a state of Trueup: formatVersion /],
    ['no lineage', { ...state, lineage: '' }, /is not a state of Trueup: lineage /],
    ['no key of digests', { ...second, digestKey: '' }, /is not a state of Trueup: digestKey /],
    ['no number of a key', { ...state, keyNumber: 0 }, /is not a state of Trueup: keyNumber /],
    ['half a version', { ...state, serial: 1.5 }, /is not a state of Trueup: serial /],
    ['a version before the first', { ...state, serial: -1 }, /is not a state of Trueup: serial /],
    [
      'a member it never had',
      { ...state, more: 1 },
      /is not a state of Trueup: it has more, which no state of format 4 has$/,
    ],
    [
      'a record of another format',
      { ...former, resources: { a: { ...recordOf('1'), duplicates: [] } } },
      /resources\.a\.pairs\.env has ignored, which no state of format 1 has$/,
    ],
    [
      'half a record',
      { ...former, resources: { a: { ...recordOf('1'), kind: undefined } } },
      /is not a state of Trueup: resources\.a has no kind$/,
    ],
  ])('with %s is refused, with the member', async (_what, content, words) => {
    const { failure, message, diagnostics } = await refused(content);
    expect(failure).toBe('state');
    expect(message).toMatch(words);
    expect(diagnostics[0]?.remedy).toBe(restore);
  });

  test('of a newer Trueup is refused for that reason, with any content', async () => {
    const { message, diagnostics } = await stopOf(() => parse('{ "formatVersion": 5 }'));
    expect(message).toBe('the state s.json has format 5, which a newer Trueup wrote');
    expect(diagnostics[0]?.remedy).toBe('Use that version or a later one. Nothing was changed.');
  });
});

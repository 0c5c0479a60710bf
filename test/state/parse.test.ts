import { describe, expect, test } from 'vitest';
import { checkState, parseState } from '../../src/state/parse.ts';
import { formerly } from './corpus.ts';
import { recordOf, stateWith, stopOf } from '../../src/state/conformance/states.ts';

/** The text of a state, of any format that Trueup reads. */

const state = stateWith({ a: recordOf('1') }, 4);
const former = { ...state, formatVersion: 1, resources: { a: formerly(recordOf('1')) } };
const refused = (content: unknown) => stopOf(() => checkState('s.json', content));
const restore =
  'Nothing was overwritten. Restore the state from a copy. Without one move it away, in a database delete its row, and ' +
  'make it anew: trueup state rebuild.';

describe('a state', () => {
  test('is read in the form of today, with the format it was written in', () => {
    expect(parseState('s.json', JSON.stringify(state))).toStrictEqual({ state, format: 2 });
    expect(parseState('s.json', JSON.stringify(former))).toStrictEqual({ state, format: 1 });
  });

  test('that is no JSON is damaged', async () => {
    const { failure, diagnostics, cause } = await stopOf(() => parseState('s.json', '{'));
    expect(failure).toBe('state');
    expect(diagnostics).toMatchObject([{ message: 'the state s.json is not valid JSON', remedy: restore }]);
    expect(cause).toBeInstanceOf(SyntaxError);
  });

  test.each<[string, unknown, RegExp]>([
    ['nothing', null, /^the state s\.json is not a state of Trueup: Invalid input/],
    ['a list', [], /is not a state of Trueup: Invalid input/],
    ['a format of another type', { ...state, formatVersion: '3' }, /is not a state of Trueup: formatVersion /],
    ['a format before the first', { ...state, formatVersion: 0 }, /is not a state of Trueup: formatVersion /],
    ['no lineage', { ...state, lineage: '' }, /is not a state of Trueup: lineage /],
    ['no key of digests', { ...state, digestKey: '' }, /is not a state of Trueup: digestKey /],
    ['half a version', { ...state, serial: 1.5 }, /is not a state of Trueup: serial /],
    ['a version before the first', { ...state, serial: -1 }, /is not a state of Trueup: serial /],
    ['a member it never had', { ...state, more: 1 }, /is not a state of Trueup: Unrecognized key/],
    [
      'a record of another format',
      { ...former, resources: { a: { ...recordOf('1'), duplicates: [] } } },
      /resources\.a/,
    ],
  ])('with %s is refused, with the member', async (_what, content, words) => {
    const { failure, message, diagnostics } = await refused(content);
    expect(failure).toBe('state');
    expect(message).toMatch(words);
    expect(diagnostics[0]?.remedy).toBe(restore);
  });

  test('of a newer Trueup is refused for that reason, with any content', async () => {
    const { message, diagnostics } = await refused({ formatVersion: 3 });
    expect(message).toBe('the state s.json has format 3, which a newer Trueup wrote');
    expect(diagnostics[0]?.remedy).toBe('Use that version or a later one. Nothing was changed.');
  });
});

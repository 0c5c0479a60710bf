import fc from 'fast-check';
import { expect, test } from 'vitest';
import { labelsOf } from '../../src/cli/controller.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { onlyOptions, onlyText, unservedProblem } from '../../src/controller/site.ts';

/** The labels that bind platforms to workers, as options and as words. */

test('labels have one text, whatever their order', () => {
  expect(onlyText({})).toBe('');
  expect(onlyText({ site: 'paris', ring: 'canary' })).toBe('ring=canary, site=paris');
  expect(onlyText({ ring: 'canary', site: 'paris' })).toBe('ring=canary, site=paris');
});

test('the sentence about a platform without a worker has the command that starts one, as a shell takes it', () => {
  expect(unservedProblem({ site: 'paris', customer: "jo's shop" })).toBe(
    `no worker with --only 'customer=jo'\\''s shop' --only site=paris is alive\n-> Start one that reaches the platform: trueup controller work --only 'customer=jo'\\''s shop' --only site=paris`,
  );
});

test.each([
  [undefined, {}],
  [['site=paris'], { site: 'paris' }],
  [['site=paris', 'ring=canary'], { site: 'paris', ring: 'canary' }],
  [['site=paris', 'site=paris'], { site: 'paris' }],
  [['note=a=b c'], { note: 'a=b c' }],
])('%j are labels', (texts, labels) => {
  expect(labelsOf('--only', texts)).toEqual(labels);
});

test.each([
  [['site'], '--only must be name=value, got "site"'],
  [['=paris'], '--only must be name=value, got "=paris"'],
  [['site='], '--only must be name=value, got "site="'],
  [['site=paris', 'site=rome'], '--only gives site two values: paris and rome'],
])('%j are none', (texts, message) => {
  const read = () => labelsOf('--only', texts);
  expect(read).toThrow(Stop);
  expect(read).toThrow(message);
});

test('labels that are given as options are the same when they are written as options again', () => {
  const name = fc.stringMatching(/^[A-Za-z0-9][\w.-]{0,10}$/);
  fc.assert(
    fc.property(fc.dictionary(name, fc.stringMatching(/^[\w ./:'-]{1,20}$/)), (labels) => {
      const options = onlyOptions(labels);
      const words = [...options.matchAll(/--only ('(?:[^']|'\\'')*'|\S+)/g)].map(([, word = '']) =>
        word.startsWith("'") ? word.slice(1, -1).replaceAll("'\\''", "'") : word,
      );
      expect(labelsOf('--only', words)).toEqual({ ...labels });
    }),
  );
});

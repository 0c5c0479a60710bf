import { expect, test } from 'vitest';
import { formatYaml, wordsOf } from '../../src/edit/format-yaml.ts';
import { sameTree } from '../../src/edit/same-tree.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import { handwritten, handwrittenValues } from '../support/handwritten.ts';
import { createRandom } from '../support/random-stages.ts';

/** Files of stages, with templates, uses, changes and `!reset`. */
const files = Array.from({ length: 60 }, (_, seed) => {
  const { root, files: parts } = handwritten(seed, 4);
  const { source, target } = handwrittenValues(seed);
  return [root, ...parts.values(), source, target, ...Object.values(createRandom(seed).staged)];
}).flat();

test('formatting keeps each word, comment and value of files of stages, and formats them once', () => {
  expect(files.length).toBeGreaterThan(500);
  expect(files.filter((text) => text.includes('!reset')).length).toBeGreaterThan(20);
  for (const text of files) {
    const formatted = formatYaml(text);
    const [tree, again] = [text, formatted].map((one) => readTree('a.yaml', one.replace(/^\uFEFF/, ''), []));
    expect([sameTree(tree, again), wordsOf(formatted), formatYaml(formatted)], text).toEqual([
      true,
      wordsOf(text),
      formatted,
    ]);
  }
});

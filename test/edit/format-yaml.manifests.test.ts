import { expect, test } from 'vitest';
import { formatYaml, wordsOf } from '../../src/edit/format-yaml.ts';
import { sameTree } from '../../src/edit/same-tree.ts';
import { readTree } from '../../src/manifest/read-tree.ts';
import { filesOf, manifests } from './manifests.ts';

test('there are at least 100 manifests, of all forms', () => {
  expect(manifests.length).toBeGreaterThanOrEqual(100);
  expect(new Set(manifests.map(({ title }) => title)).size).toBe(manifests.length);
  for (const form of ['crlf', 'bom', 'open'])
    expect(manifests.filter(({ options }) => options.includes(form)).length).toBeGreaterThan(1);
});

/** A text without what formatting may change: blanks at both ends of lines and behind `:` and `-`, and empty lines. */
function core(text: string): string[] {
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.trim().replaceAll(/(?<=^[\w."'-]+:|^(?:- *)*-|: &\w+)[ \t]+/g, ' '));
  return lines.filter((line) => line !== '');
}

test.each(manifests)('formatting changes only blanks and empty lines: $title', (manifest) => {
  for (const [name, text] of Object.entries(filesOf(manifest, 'old'))) {
    const formatted = formatYaml(text);
    expect(core(formatted), name).toEqual(core(text));
    expect(formatYaml(formatted)).toBe(formatted);
    const [tree, again] = [text, formatted].map((one) => readTree(name, one.replace(/^\uFEFF/, ''), []));
    expect(tree).toBeDefined();
    expect(sameTree(tree, again)).toBe(true);
    expect(wordsOf(formatted)).toEqual(wordsOf(text));
    expect(formatted.includes('\r\n')).toBe(text.includes('\r\n'));
    expect(formatted.startsWith('\uFEFF')).toBe(text.startsWith('\uFEFF'));
    expect(formatted).toMatch(/[^\s]\r?\n$/);
  }
});

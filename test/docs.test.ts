import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The rows of a table in a page: the first cell of each. */
function firstCells(page: string, after: string): string[] {
  const text = readFileSync(new URL(`../docs/${page}`, import.meta.url), 'utf8');
  const [, part = ''] = text.split(after);
  const rows = part.split('\n').filter((line) => line.startsWith('| '));
  return rows.slice(2).map((line) => line.split(' | ')[0]?.replace(/^\| /, '').trim() ?? '');
}

test('every case that the page of deployments promises is a test of that name', () => {
  const tests = readFileSync(new URL('apply/deploy.test.ts', import.meta.url), 'utf8');
  const cases = firstCells('deployments.md', '## Case by case');
  expect(cases.length).toBeGreaterThan(15);
  expect(cases.filter((title) => !tests.includes(`'${title.replace(/takes \d+ s/, 'takes %d s')}'`))).toEqual([]);
});

test('every test that the page about nothing lost names is there', () => {
  const text = readFileSync(new URL('../docs/nothing-lost.md', import.meta.url), 'utf8');
  const named = [...text.matchAll(/`(test\/[\w/.-]+)`/g)].map(([, path = '']) => path);
  expect(named.length).toBeGreaterThan(7);
  expect(named.filter((path) => !existsSync(new URL(`../${path}`, import.meta.url)))).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { contract, extension } from '../../src/api/contract.ts';
import { operationsOf } from '../../src/kind/kinds-on.ts';
import { withTop } from '../../src/kind/top.ts';
import { kinds } from '../../src/resources/index.ts';

const read = (path: string) => readFileSync(join(resolve(import.meta.dirname, '../..'), path), 'utf8');
const writes = read('test/fixtures/writing-operations.txt')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'));

/** Whether an operation is one of a pattern: `group.*`, `*.operation`, or the operation itself. */
const isIn = (pattern: string) => {
  const parts = pattern.split('.');
  return (operation: string) => operation.split('.').every((part, at) => parts[at] === '*' || parts[at] === part);
};

test('every operation of the server that writes belongs to a block, or the page of the dashboard explains why not', () => {
  const [, section = ''] = /^## What has no block\n([\s\S]*?)^## /m.exec(read('docs/dashboard.md')) ?? [];
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  const explained = rows.flatMap((row) => [...(row.split('|').at(-2) ?? '').matchAll(/`([^`]+)`/g)]);
  const patterns = explained.map(([, pattern = '']) => pattern);
  const used = new Set<string>(withTop(kinds).flatMap(operationsOf));
  const left = writes.filter((operation) => !used.has(operation));
  expect(left.filter((operation) => !patterns.some((pattern) => isIn(pattern)(operation)))).toEqual([]);
  expect(patterns.filter((pattern) => !left.some(isIn(pattern)))).toEqual([]);
});

test('the list of operations that write has every one that Trueup knows', () => {
  const known = Object.entries({ ...contract, ...extension }).filter(([, { method }]) => method === 'POST');
  expect(known.map(([operation]) => operation).filter((operation) => !writes.includes(operation))).toEqual([]);
});

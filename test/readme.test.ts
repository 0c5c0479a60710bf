import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../src/render/exit-codes.ts';
import { bench } from './support/world.ts';

const root = resolve(import.meta.dirname, '..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');

test('the manifest of the README is applied, plans nothing, and is destroyed', async () => {
  const text = /```yaml\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  expect(text).toContain('trueup: 1');
  const made = bench();
  made.secrets.SHOP_DB_PASSWORD = 'correct-horse-battery';
  const result = await made.apply(text);
  expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
  made.requests('POST');
  const again = await made.plan(text);
  expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  await made.apply(text);
  expect(made.requests('POST')).toEqual([]);
  await made.destroy(text);
  expect(made.store.state?.resources).toEqual({});
});

test('the exit codes of the README are those of the program', () => {
  const told = [...readme.matchAll(/^\| *(\d+) *\| /gm)].map(([, code]) => Number(code));
  const real = Object.values(exitCodes).map(({ code }) => code);
  expect(told.toSorted((a, b) => a - b)).toEqual(real.toSorted((a, b) => a - b));
});

test('every file that the README and ARCHITECTURE link to is there', () => {
  for (const document of ['README.md', 'ARCHITECTURE.md']) {
    const text = readFileSync(join(root, document), 'utf8');
    for (const [, path] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(join(root, path ?? '')), path).toBe(true);
    }
  }
});

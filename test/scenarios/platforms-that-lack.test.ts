import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { kinds } from '../../src/resources/index.ts';
import { mirror } from '../support/kind-beyond-document.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** The errors that refuse a plan. */
async function refusal(made: Bench, text: string) {
  const error: unknown = await made.plan(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
  return error.diagnostics;
}

test('a block of a kind that the platform lacks is an error of the plan at its line, and nothing is sent', async () => {
  const made = bench({ kinds: [...kinds, mirror], documentedOnly: true });
  const text = `${head}environments:\n  staging:\n    mirrors:\n      main: { databaseName: shop, databaseUser: shop }\n`;
  const [found, ...rest] = await refusal(made, text);
  expect(rest).toEqual([]);
  expect(found).toMatchObject({
    code: 'unsupported',
    message: 'staging.mirrors.main: the platform has no mirrors: it does not serve mysql.one',
    remedy: 'Remove the block, or use a platform that serves the operation.',
    position: { line: 7 },
    quote: { text: '      main: { databaseName: shop, databaseUser: shop }' },
  });
  expect(made.requests('GET')).toEqual([]);
});

test('a manifest without such a block is planned as ever', async () => {
  const made = bench({ kinds: [...kinds, mirror], documentedOnly: true });
  await made.apply(`${head}environments: { staging: {} }\n`);
  expect((await made.plan(`${head}environments: { staging: {} }\n`)).actions.map(({ action }) => action)).toEqual([
    'no-op',
  ]);
});

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { apiKey, places } from '../cli/place.ts';
import { trueup } from '../cli/process.ts';

/** A run that was killed, or had no disk space left, just before it saved the state leaves its journal behind. */

const open = places();
const stack = '{ source: { type: raw, composeFile: "services: { web: { image: nginx } }" } }';
const sections = `environments: { production: { compose: { shop: ${stack} } } }\n`;
const address = 'production.compose.shop';

test('K9: the next apply folds the journal into the state, also when it has nothing else to do', async () => {
  const place = await open(sections);
  place.rewrite(sections);
  await place.leaveInJournal(address);
  const [file, journal] = ['state.json', 'state.journal'].map((name) => join(place.folder, '.trueup', name));
  const saved = () => readFileSync(file ?? '', 'utf8');
  const isSaved = () => address in (JSON.parse(saved()) as { readonly resources: object }).resources;
  expect([isSaved(), existsSync(journal ?? '')]).toEqual([false, true]);
  const run = (...words: string[]) => trueup(words, { cwd: place.folder, env: { TRUEUP_API_KEY: apiKey } });
  const before = saved();
  expect((await run('plan')).out).toContain('No changes');
  expect(saved()).toBe(before);
  place.requests();
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  expect([isSaved(), existsSync(journal ?? '')]).toEqual([true, false]);
  expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  const folded = saved();
  expect((await run('apply', '--auto-approve')).out).toContain('No changes');
  expect(saved()).toBe(folded);
});

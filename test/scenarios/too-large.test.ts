import { expect, test } from 'vitest';
import { bench, head } from '../support/world.ts';

test('a body above the limit of a request is refused before anything is sent, with its size', async () => {
  const made = bench();
  // Each quote takes two bytes in the request.
  const files = {
    'trueup.yaml': `${head}environments:
  production:
    compose:
      shop: { source: { type: raw, composeFile: "\${file:compose.yml}" } }
`,
    'compose.yml': `services: { web: { image: nginx } } # ${'"'.repeat(600_000)}\n`,
  };
  const plan = await made.plan(files);
  const notes = plan.actions.flatMap((action) => action.notes);
  expect(notes).toMatchObject([{ code: 'too-large', address: 'production.compose.shop', position: { line: 7 } }]);
  expect(notes[0]?.message).toContain('compose.create would carry 1200');
  await expect(made.apply(files)).rejects.toThrow('compose.create would carry 1200');
  expect(made.requests('POST')).toEqual([]);
});

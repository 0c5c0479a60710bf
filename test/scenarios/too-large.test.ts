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

test('a text is counted without an output that is not known yet', async () => {
  const env = `env: { A: ${JSON.stringify(`\${ref:redis.cache.host}${'x'.repeat(1_000_001)}`)} }`;
  const made = bench();
  const text = `${head}environments:
  production:
    redis: { cache: { dockerImage: 'redis:8', databasePassword: password-1 } }
    compose:
      shop: { source: { type: raw, composeFile: 'services: { web: { image: nginx } }' }, ${env} }
`;
  const notes = (await made.plan(text)).actions.flatMap((action) => action.notes);
  expect(notes).toMatchObject([{ code: 'too-large', address: 'production.compose.shop', position: { line: 8 } }]);
  await expect(made.apply(text)).rejects.toThrow(/would carry 1000\d{3} bytes/);
  expect(made.requests('POST')).toEqual([]);
});

test('keys of others that stay in a map count as well', async () => {
  const made = bench();
  const text = (env: string) =>
    `${head}environments:
  production:
    compose:
      shop: { source: { type: raw, composeFile: 'services: { web: { image: nginx } }' }, envMode: merge, env: ${env} }
`;
  await made.apply(text('{ A: a }'));
  const [row] = Object.values(made.emulator.world.tables.compose);
  const composeId = String(row?.['composeId']);
  await made.emulator.act('compose.update', { composeId, env: `A=a\nTHEIRS=${'x'.repeat(900_000)}` });
  const notes = (await made.plan(text(`{ A: "${'y'.repeat(150_000)}" }`))).actions.flatMap((action) => action.notes);
  expect(notes.map(({ code }) => code)).toContain('too-large');
});

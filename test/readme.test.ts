import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test, vi } from 'vitest';
import { exitCodes } from '../src/render/exit-codes.ts';
import { createEmulator } from '../src/emulator/emulator.ts';
import { serve } from '../src/emulator/server.ts';
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

test('the client of the README is the one that is compiled here, and it runs', async () => {
  const written = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? '';
  const compiled = readFileSync(join(root, 'test/support/readme-client.ts'), 'utf8');
  expect(written).toBe(compiled.replace("'../../src/exports/api.ts'", "'trueup/api'"));
  const server = await serve(createEmulator({ apiKey: 'readme-key' }));
  vi.stubEnv('TRUEUP_URL', server.url);
  vi.stubEnv('TRUEUP_API_KEY', 'readme-key');
  vi.stubEnv('DB_PASSWORD', 'correct-horse-battery');
  const out = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    await import('./support/readme-client.ts');
    expect(JSON.parse(String(out.mock.calls[0]?.[0]))).toMatchObject({ total: 1, items: [{ name: 'orders' }] });
  } finally {
    out.mockRestore();
    vi.unstubAllEnvs();
    await server.close();
  }
});

test('the exit codes of the README are those of the program', () => {
  const told = [...readme.matchAll(/^\| *(\d+) *\| /gm)].map(([, code]) => Number(code));
  const real = Object.values(exitCodes).map(({ code }) => code);
  expect(told.toSorted((a, b) => a - b)).toEqual(real.filter((code) => code !== 130).toSorted((a, b) => a - b));
});

test('every file that the README and ARCHITECTURE link to is there', () => {
  for (const document of ['README.md', 'ARCHITECTURE.md']) {
    const text = readFileSync(join(root, document), 'utf8');
    for (const [, path] of text.matchAll(/\]\((?!https?:)([^)#]+)\)/g)) {
      expect(existsSync(join(root, path ?? '')), path).toBe(true);
    }
  }
});

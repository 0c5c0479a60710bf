import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { program } from '../cli/process.ts';
import { freePort } from '../support/free-port.ts';
import { continued, expectLines, partsOf, shellOfPage } from '../support/page-parts.ts';
import { runScript } from '../support/pipelines.ts';

/** Runs docs/from-dokploy.md, block by block; each text stands in what the block before it printed. */

const page = readFileSync(resolve(import.meta.dirname, '../../docs/from-dokploy.md'), 'utf8');
const place = mkdtempSync(join(tmpdir(), 'trueup-from-dokploy-'));

afterAll(() => {
  const kept = join(place, 'environment');
  const [, server] = /SERVER="(\d+)"/.exec(existsSync(kept) ? readFileSync(kept, 'utf8') : '') ?? [];
  try {
    if (server !== undefined) process.kill(Number(server));
  } catch {
    // The page ended it.
  }
});

test('the page takes a server that was clicked together into a repository', async () => {
  const port = await freePort();
  const env = shellOfPage(program());
  const parts = partsOf(page);
  expect(parts.length).toBeGreaterThan(6);
  for (const { commands, expected } of parts) {
    const ran = await runScript(continued(commands.replaceAll('4060', String(port)), place), { folder: place, env });
    expect(ran, commands).toEqual({ code: 0, out: ran.out });
    expect(ran.out).not.toContain('click-horse-1');
    expectLines(ran.out, expected);
  }
});

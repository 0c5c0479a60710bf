import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/samples.ts';

/** A process that keeps many projects does not grow with each that it opened, planned and closed. */

/** Bytes that a process uses more after it planned so many projects. */
async function growth(projects: number, mode: string): Promise<number> {
  const script = fileURLToPath(new URL('../support/many-projects.ts', import.meta.url));
  const args = ['--expose-gc', '--import', 'tsx', script, String(projects), mode];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: root });
  const { before, after } = JSON.parse(stdout) as { before: number; after: number };
  return after - before;
}

/** A manifest of 20 databases, its plan and what the platform has are far more than this. Bytes per project. */
const most = 5_000;

test('200 projects that are opened, planned and closed leave no memory in use', async () => {
  expect(await growth(200, '')).toBeLessThan(200 * most);
});

test('a leak of whole projects fails the test', async () => {
  expect(await growth(50, 'leak')).toBeGreaterThan(50 * most);
});

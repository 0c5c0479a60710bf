import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { bundled } from '../support/bundled.ts';

/** A process that keeps many projects does not grow with each that it opened, planned and closed. */

/** The projects of one process, after it warmed up: how many it opened, and the bytes that it uses more after them. */
const growth = { closed: { projects: 200, bytes: 0 }, kept: { projects: 50, bytes: 0 } };

beforeAll(async () => {
  const [script] = bundled(['test/support/many-projects.ts']);
  const { closed, kept } = growth;
  // Compiled code comes and goes by the load of the machine, and is far more than what a project could leave.
  const steady = ['--no-opt', '--no-sparkplug', '--no-flush-bytecode'];
  const args = ['--expose-gc', ...steady, script, String(closed.projects), String(kept.projects)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  [closed.bytes, kept.bytes] = JSON.parse(stdout) as [number, number];
});

/** A manifest of 20 databases, its plan and what the platform has are far more than this. Bytes per project. */
const most = 500;

test('200 projects that are opened, planned and closed leave no memory in use', () => {
  expect(growth.closed.bytes).toBeLessThan(200 * most);
});

test('a leak of whole projects fails the test', () => {
  expect(growth.kept.bytes).toBeGreaterThan(50 * most);
});

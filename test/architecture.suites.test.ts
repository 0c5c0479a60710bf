import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { fastFiles, fastToo, isFastByRule, slowToo, testFiles } from './support/suites.ts';

/** Which files `npm test` runs: by rule, with exceptions that are each one. */

const root = resolve(import.meta.dirname, '..');

test('the fast suite is by rule; each file that is listed is there, and is an exception', () => {
  const fast = fastFiles();
  expect(fast.length).toBeGreaterThan(150);
  expect(fast).toEqual(expect.arrayContaining(['test/kind/codecs.test.ts', 'test/plan/decide.test.ts']));
  const slow = testFiles().filter((file) => !fast.includes(file));
  expect(slow).toEqual(expect.arrayContaining(['test/plan/plan-file.test.ts', 'test/security/names.test.ts']));
  expect(fast.filter((file) => !isFastByRule(file))).toEqual(fastToo);
  expect(slow.filter((file) => isFastByRule(file))).toEqual(slowToo);
});

test('a new test finds its place by its folder and by what it imports, at any depth', () => {
  const isFast = (code: string, more: Readonly<Record<string, string>> = {}, file = 'test/plan/new.test.ts') => {
    const files: Readonly<Record<string, string>> = { [file]: code, ...more };
    return isFastByRule(file, (name) => files[name] ?? '');
  };
  expect(isFast("import { readFileSync } from 'node:fs';\nimport { x } from '../../src/kind/kind.ts';\n")).toBe(true);
  expect(isFast("import { spawn } from 'node:child_process';\n")).toBe(false);
  expect(isFast("import { x } from '../../src/kind/kind.ts';\nimport 'node:net';\n")).toBe(false);
  const world = {
    'test/support/world.ts': "import {\n  plan,\n  validate,\n} from '../../src/workflow/make-plan.ts';\n",
  };
  expect(isFast("import {\n  bench,\n  head,\n} from '../support/world.ts';\n", world)).toBe(false);
  expect(isFast("import type { Bench } from '../support/world.ts';\n", world)).toBe(true);
  expect(isFast("const { serve } = await import('../../src/emulator/http-server.ts');\n")).toBe(false);
  const chain = {
    'test/plan/near.ts': "export { far } from './deep/far.ts';\n",
    'test/plan/deep/far.ts': "import { near } from '../near.ts';\nimport { createServer } from 'node:http';\n",
  };
  expect(isFast("import { far } from './near.ts';\n", chain)).toBe(false);
  expect(isFast('', {}, 'test/security/new.test.ts')).toBe(false);
});

test('npm test runs the fast suite, and npm run test:full everything with TRUEUP_TESTS=full unless it is set', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  expect(scripts.test).toBe('vitest run --project fast');
  expect(scripts['test:full']).toBe('TRUEUP_TESTS=${TRUEUP_TESTS:-full} vitest run');
});

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

/**
 * Which test files `npm test` runs. A fast file lies beside no guarantee of the whole (`scenarios/`, `security/`,
 * `browser/`), and neither it nor a module of `test/` or `scripts/` that it uses imports what starts a whole run, a program or a
 * connection. All others run by `npm run test:full`. A new file finds its place by its folder and its imports.
 */

const root = resolve(import.meta.dirname, '../..');

/** Folders of tests that hold of the whole program, and not of one file. */
const wholeFolders = /^test\/(scenarios|security|browser)\//;

/** Imports that begin a whole run, a program or a connection: modules of the source, and of Node. */
const slowImports = [
  'src/cli/command-line.ts',
  'src/emulator/http-server.ts',
  'src/library/open-project-folder.ts',
  'src/workflow/apply-plan.ts',
  'src/workflow/make-plan.ts',
  'src/workflow/session.ts',
  'src/workflow/validate.ts',
  'node:child_process',
  'node:http',
  'node:https',
  'node:net',
  'node:tls',
  'node:worker_threads',
];

/** Fast although they run the whole, a few times each: what the README says, and the decisions of a plan and an apply. */
export const fastToo = [
  'test/apply/apply.test.ts',
  'test/apply/freshness.test.ts',
  'test/apply/job.result.test.ts',
  'test/apply/journal.test.ts',
  'test/observe/absence.test.ts',
  'test/plan/decide.test.ts',
  'test/plan/moved-addresses.test.ts',
  'test/plan/plan-deployments.test.ts',
  'test/plan/safeguard.test.ts',
  'test/plan/settle.test.ts',
  'test/readme.test.ts',
  'test/workflow/session.test.ts',
];

/** Slow although they import nothing of that: they wait for a disk, start programs through the source, or try at length. */
export const slowToo = [
  'test/manifest/workspace.test.ts', // replaces a module of Node
  'test/secrets/sources/command.test.ts',
  'test/state/backends/local.conformance.test.ts',
  'test/state/backends/local.disk-faults.test.ts',
  'test/state/conformance.test.ts',
];

/** Reads a file of the project; a file that is not there imports nothing. */
function read(file: string): string {
  const path = join(root, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/** A file and those of test/ and scripts/ that it imports, at any depth, each with all that it imports. Types are no imports. */
function usedByTest(
  file: string,
  readFile = read,
  found = new Map<string, readonly string[]>(),
): ReadonlyMap<string, readonly string[]> {
  if (found.has(file)) return found;
  const code = readFile(file).replaceAll(/^(import|export) type [^;]*;/gm, '');
  const imported = [
    ...code.matchAll(/^(?:import|export)\b[^;]*?\bfrom '([^']+)'|\bimport\('([^']+)'\)|^import '([^']+)'/gm),
  ]
    .map((match) => match.slice(1).find((name) => name !== undefined) ?? '')
    .map((name) => (name.startsWith('.') ? relative(root, resolve(root, dirname(file), name)) : name));
  found.set(file, imported);
  for (const name of imported) if (/^(test|scripts)\/.*\.ts$/.test(name)) usedByTest(name, readFile, found);
  return found;
}

/** Whether a test file is fast by its folder and its imports. */
export function isFastByRule(file: string, readFile = read): boolean {
  if (wholeFolders.test(file)) return false;
  return ![...usedByTest(file, readFile).values()].flat().some((name) => slowImports.includes(name));
}

/** All test files but those of the browser, such as `test/plan/decide.test.ts`. */
export function testFiles(): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll('\\', '/')}`)
    .filter((path) => path.endsWith('.test.ts') && !path.startsWith('test/browser/'))
    .toSorted();
}

/** The test files that `npm test` runs. */
export function fastFiles(): string[] {
  return testFiles().filter((file) => (isFastByRule(file) ? !slowToo.includes(file) : fastToo.includes(file)));
}

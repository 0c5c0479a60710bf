import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestProject } from 'vitest/node';

declare module 'vitest' {
  interface ProvidedContext {
    /** The file of the real program. */
    program: string;
  }
}

const root = fileURLToPath(new URL('../..', import.meta.url));
// Below node_modules, so that the built program finds its dependencies.
const built = join(root, `node_modules/.trueup-tests/${process.pid}`);

/**
 * Bundles the program for a run of the tests, as the build does: bundled it starts in a fraction of the time. Each project of
 * a run asks for it, and the first one builds it.
 */
export default function setup(project: TestProject): () => void {
  const program = join(built, 'bin/trueup.js');
  if (!existsSync(program)) build();
  project.onTestsRerun(build);
  project.provide('program', program);
  return () => rmSync(built, { recursive: true, force: true });
}

function build(): void {
  mkdirSync(built, { recursive: true });
  cpSync(join(root, 'package.json'), join(built, 'package.json'));
  cpSync(join(root, 'bin'), join(built, 'bin'), { recursive: true });
  execFileSync(process.execPath, [join(root, 'scripts/build.mjs'), built]);
}

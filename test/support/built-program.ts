import { execSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
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

/** Bundles the program for a run of the tests, as the build does: bundled it starts in a fraction of the time. */
export default function setup(project: TestProject): () => void {
  build();
  project.onTestsRerun(build);
  project.provide('program', join(built, 'bin/trueup.js'));
  return () => rmSync(built, { recursive: true, force: true });
}

function build(): void {
  mkdirSync(built, { recursive: true });
  cpSync(join(root, 'package.json'), join(built, 'package.json'));
  cpSync(join(root, 'bin'), join(built, 'bin'), { recursive: true });
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { build: string } };
  const bundle = scripts.build.split(' && ').find((command) => command.startsWith('esbuild '));
  if (bundle?.includes('--outdir=dist ') !== true) throw new Error('the build bundles no more: correct this setup');
  const command = bundle.replace('--outdir=dist ', `--outdir=${JSON.stringify(join(built, 'dist'))} `);
  execSync(`${join(root, 'node_modules/.bin/')}${command}`, { cwd: root });
}

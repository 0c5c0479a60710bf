import { rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import type { TestModule } from 'vitest/node';
import { createVitest } from 'vitest/node';
import type { Change } from './built-source.ts';
import { buildSource, sourceIn } from './built-source.ts';

/**
 * A program of its own: reads builds from stdin, runs the tests of each, and prints how they ended. A build is the source
 * of this folder with one place changed, so one process can run all of them.
 */

/** A build and the tests to run with it. */
export interface Build {
  readonly name: string;
  /** None: the source as it is. */
  readonly change?: Change;
  /** A file of tests, and the titles of those to run: a regular expression. */
  readonly tests: readonly (readonly [file: string, titles: string])[];
}

/** The titles of the tests that failed and of those that passed, by the name of their build. */
export type Report = Readonly<Record<string, { readonly failed: string[]; readonly passed: string[] }>>;

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, `node_modules/.trueup-tests/builds-${process.pid}`);

async function run(builds: readonly Build[]): Promise<Report> {
  for (const [at, { change }] of builds.entries()) await buildSource(join(folder, String(at)), change);
  const projects = builds.map(({ name }, at) => ({
    ...sourceIn(join(folder, String(at))),
    test: { name, root, testTimeout: 120_000, env: { TRUEUP_TESTS: 'all' } },
  }));
  const vitest = await createVitest('test', {
    root,
    config: false,
    watch: false,
    reporters: [{}],
    pool: 'threads',
    maxWorkers: 2,
    projects,
  });
  const specifications = vitest.projects.flatMap((project) => {
    const { tests = [] } = builds.find(({ name }) => name === project.name) ?? {};
    return tests.map(([file, titles]) =>
      project.createSpecification(join(root, file), { testNamePattern: new RegExp(titles) }),
    );
  });
  const { testModules, unhandledErrors } = await vitest.runTestSpecifications(specifications);
  await vitest.close();
  if (unhandledErrors.length > 0) throw new AggregateError(unhandledErrors, 'errors outside of tests');
  return Object.fromEntries(
    builds.map(({ name }) => [name, ended(testModules.filter(({ project }) => project.name === name))]),
  );
}

function ended(modules: readonly TestModule[]): Report[string] {
  const broken = modules.flatMap((module) => module.errors().map(({ message }) => message));
  if (broken.length > 0) throw new Error(`tests that cannot be loaded: ${broken.join('\n')}`);
  const tests = modules.flatMap((module) => [...module.children.allTests()]);
  const titles = (state: 'failed' | 'passed') =>
    tests.filter((test) => test.result().state === state).map(({ fullName }) => fullName);
  return { failed: titles('failed'), passed: titles('passed') };
}

try {
  process.stdout.write(JSON.stringify(await run(JSON.parse(await text(process.stdin)) as Build[])));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = 0; // vitest set another one, as tests failed that should

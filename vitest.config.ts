import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import { builtSource } from './test/support/built-source.ts';
import { fastFiles } from './test/support/suites.ts';
import { isAll, isFull } from './test/support/whole.ts';

/**
 * What the tier `all` runs again with bulk reads: runs that are killed, requests that fail, people who act meanwhile. `npm run
 * test:bulk` runs all that kills so.
 */
const inBulk = [
  'test/scenarios/convergence.test.ts',
  'test/scenarios/hot-fixes.test.ts',
  'test/scenarios/lost-creates.test.ts',
  'test/scenarios/unanswered.test.ts',
];

/** A test that takes so long hangs; no machine is too slow for any of them. Milliseconds. */
const hangs = 300_000;

/** It watches every connection of its worker. */
const alone = ['test/security/hostile-repository.test.ts'];

/** What replaces modules of the source: Vite loads it, for each of these files in a worker of its own. */
const mocking = [
  'test/drift/adopt-text.readings.test.ts',
  'test/manifest/sources/all.test.ts',
  'test/manifest/workspace.test.ts',
  'test/scenarios/convergence-reproduction.test.ts',
  'test/scenarios/work-counts.test.ts',
];

/**
 * What takes minutes of CPU, and is about processes, disks and builds more than about what changed last: the tier `all` runs it,
 * and whoever names it.
 */
const onlyInAll = [
  'test/controller/demo.test.ts',
  'test/controller/queue.test.ts',
  'test/controller/worker.test.ts',
  'test/controller/worker.waves.test.ts',
  'test/scenarios/broken-builds.test.ts',
  'test/scenarios/convergence-reproduction.test.ts',
  'test/scenarios/export.kills.test.ts',
  'test/scenarios/image.test.ts',
  'test/scenarios/killed-processes.test.ts',
  'test/scenarios/killed-watches.test.ts',
  'test/scenarios/live.test.ts',
  'test/scenarios/memory.test.ts',
  'test/scenarios/program-canary.test.ts',
  'test/scenarios/single-file.test.ts',
  'test/scenarios/unreliable.test.ts',
  'test/security/limits-of-manifests.test.ts',
  'test/state/backends/local.disk-faults.test.ts',
];

/** What takes longest, or waits longest, begins first in its project, in this order, so that no worker is left with it at the end. */
const longest = [
  'scenarios/installed-package',
  'controller/worker.away',
  'controller/worker',
  'controller/run-stack',
  'controller/remove-preview',
  'controller/worker.previews',
  'controller/forge/propose-drift',
  'controller/worker.waves',
  'controller/queue',
  'scenarios/program-canary',
  'scenarios/image',
  'scenarios/single-file',
  'scenarios/export.kills',
  'scenarios/broken-builds',
  'scenarios/pipelines',
  'scenarios/tutorial',
  'scenarios/stage-pipelines',
  'scenarios/preview-pipelines',
  'scenarios/kinds',
  'scenarios/crashes-of-kinds',
  'security/leaves',
  'security/hostile-repository',
  'security/non-interference',
  'scenarios/crashes-in-pairs',
  'state/backends/s3',
  'scenarios/drift-adopt',
  'scenarios/convergence',
  'diagnostics/codes.remedies',
  'security/limits-of-manifests',
  'scenarios/canary',
  'scenarios/removal-proof',
  'state/backends/local.disk-faults',
].map((name) => `test/${name}.test.ts`);

/** A worker loads the source again when it goes on to another project: project by project, the one with most files last. */
const order = ['alone', 'mocking', 'bulk', 'fast', 'together'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const at = longest.findIndex((file) => moduleId.endsWith(file));
      return at === -1 ? longest.length : at;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- it is not that of an array
    const sorted = await super.sort(files);
    return sorted.toSorted(
      (a, b) => order.indexOf(a.project.name) - order.indexOf(b.project.name) || rank(a) - rank(b),
    );
  }
}

/**
 * Flags of V8 for the workers. Few of the many functions of a test run long: in Node 20, which has no middle compiler, to optimise
 * them takes more than it gives back. Threads that collect garbage would only take the cores from other workers.
 */
const flags = [
  '--single-threaded-gc',
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  ...(process.versions.node.startsWith('20.') ? ['--always-sparkplug', '--interrupt-budget=675840'] : []),
];

const fast = fastFiles();
/** The controller has a script of its own in CI: `npm run test:controller`. What computes alone is in the fast tests too. */
const ofController = isFull && !isAll ? ['test/controller/**'] : [];
const left = [...configDefaults.exclude, 'test/browser/**', ...(isFull && !isAll ? onlyInAll : [])];
const program = 'test/support/built-program.ts';
const source = 'test/support/built-source.ts';
/** In a whole run Node loads the source by itself; a few files by their name are sooner loaded by Vite, which also watches them. */
const loaded = isFull ? builtSource : {};
const withSource = isFull ? [source] : [];

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-folder.ts'],
    expect: { requireAssertions: true, poll: { timeout: hangs, interval: 10 } },
    testTimeout: hangs,
    hookTimeout: hangs,
    // A start of a program copies the table of all memory of its process: 40 ms of CPU in one of 1.5 GB, 9 ms in one of 300 MB.
    pool: 'forks',
    execArgv: flags,
    sequence: { sequencer: LongestFirst },
    maxWorkers: availableParallelism() + 3, // many tests wait: for other programs, timers and disks
    projects: [
      // The source is loaded once in each worker, and not again for each file.
      {
        extends: true,
        ...loaded,
        test: { name: 'fast', include: fast, exclude: left, isolate: false, globalSetup: withSource },
      },
      {
        extends: true,
        ...loaded,
        test: {
          name: 'together',
          include: ['test/**/*.test.ts'],
          exclude: [...left, ...ofController, ...fast, ...alone, ...mocking],
          isolate: false,
          globalSetup: [program, ...withSource],
        },
      },
      {
        extends: true,
        ...loaded,
        test: { name: 'alone', include: alone, exclude: left, globalSetup: [program, ...withSource] },
      },
      { extends: true, test: { name: 'mocking', include: mocking, exclude: left } },
      ...(isAll
        ? [
            {
              extends: true as const,
              ...loaded,
              test: {
                name: 'bulk',
                include: inBulk,
                // Not the full suite again: twenty histories.
                env: { TRUEUP_TEST_BULK: '1', TRUEUP_TESTS: '' },
                isolate: false,
                globalSetup: [program, source],
              },
            },
          ]
        : []),
    ],
  },
});

import { availableParallelism } from 'node:os';
import { configDefaults, defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import { inOneVocabulary } from './test/support/one-vocabulary.ts';
import { isWhole } from './test/support/whole.ts';

/**
 * What kills, corrupts, starts many programs or plans large manifests: run by TRUEUP_TESTS=all, and, sampled, where CI is
 * set. Every day the rest takes under 3 minutes.
 */
const long = [
  'test/captures.test.ts',
  'test/cli/commands/export.test.ts',
  'test/cli/commands/init.test.ts',
  'test/examples.everything.test.ts',
  'test/manifest/git-commit.test.ts',
  'test/scenarios/code-samples.test.ts',
  'test/scenarios/export.hostile.test.ts',
  'test/scenarios/process-ends.test.ts',
  'test/scenarios/request-counts.test.ts',
  'test/scenarios/reviewed-plans.reads.test.ts',
  'test/scenarios/scale.test.ts',
  'test/scenarios/signals.test.ts',
  'test/security/emulator-fuzz.test.ts',
  'test/security/forged-state.test.ts',
  'test/security/forgery.test.ts',
  'test/cli/completion-scripts.test.ts',
  'test/manifest/git-blame.test.ts',
  'test/scenarios/code-cache.test.ts',
  'test/scenarios/export.kinds.test.ts',
  'test/scenarios/program-canary.test.ts',
  'test/security/hostile-repository.test.ts',
  'test/security/installed-package.test.ts',
  'test/security/limits-of-manifests.test.ts',
  'test/security/reading-jobs.test.ts',
  'test/render/plan-markdown.size.test.ts',
  'test/scenarios/stable-bytes.test.ts',
  'test/edit/adopt.test.ts',
  'test/scenarios/drift-adopt.test.ts',
  'test/scenarios/export.kills.test.ts',
  'test/scenarios/kills-of-projects.test.ts',
  'test/scenarios/several-projects.test.ts',
  'test/scenarios/terminal.test.ts',
  'test/scenarios/state-commands.test.ts',
  'test/state/backends/local.disk-faults.test.ts',
  'test/scenarios/processes.test.ts',
  'test/state/backends/s3.test.ts',
  'test/state/backends/postgres.test.ts',
  'test/scenarios/convergence-reproduction.test.ts',
  'test/scenarios/convergence-second.test.ts',
  'test/scenarios/drift.test.ts',
  'test/scenarios/drift-memory.test.ts',
  'test/scenarios/drift-model.test.ts',
  'test/scenarios/drift-notifications.test.ts',
  'test/scenarios/drift-worlds.test.ts',
  'test/scenarios/bulk-applies.test.ts',
  'test/scenarios/bulk-reads.test.ts',
  'test/scenarios/crashes-in-pairs.test.ts',
  'test/scenarios/crashes-of-kinds.test.ts',
  'test/scenarios/killed-processes.test.ts',
  'test/scenarios/memory.test.ts',
  'test/scenarios/kills-and-faults.test.ts',
  'test/scenarios/kills-of-organization.test.ts',
  'test/scenarios/from-dokploy.test.ts',
  'test/scenarios/image.test.ts',
  'test/scenarios/live.test.ts',
  'test/scenarios/minds-changed.test.ts',
  'test/scenarios/pipelines.test.ts',
  'test/scenarios/reviewed-plans.test.ts',
  'test/scenarios/tutorial.test.ts',
  'test/scenarios/unreliable.test.ts',
  'test/scenarios/words-of-the-profile.test.ts',
  'test/scenarios/work-counts.test.ts',
];

/**
 * What CI runs again in the words of another profile: each kind with each of its fields, written, read, referred to and
 * exported. The engine knows no word, so the rest need not run twice; `npm run test:dokploy` runs all scenarios that a
 * profile changes.
 */
const inProfile = [
  'test/scenarios/export.kinds.test.ts',
  'test/scenarios/kinds.test.ts',
  'test/scenarios/organization-kinds.test.ts',
];

/**
 * What CI runs again with bulk reads: runs that are killed, requests that fail, people who act meanwhile. `npm run
 * test:bulk` runs all that kills so.
 */
const inBulk = [
  'test/scenarios/convergence.test.ts',
  'test/scenarios/hot-fixes.test.ts',
  'test/scenarios/lost-creates.test.ts',
  'test/scenarios/unanswered.test.ts',
];

/** A test that takes so long hangs; no machine is too slow for any of them. Milliseconds. */
const hangs = 120_000;

/** What replaces modules or globals for as long as a worker lives: each of these files has one of its own. */
const alone = [
  'test/edit/adopt.readings.test.ts',
  'test/manifest/workspace.test.ts',
  'test/security/hostile-repository.test.ts',
  'test/scenarios/convergence-reproduction.test.ts',
  'test/scenarios/crashes-in-pairs.test.ts',
  'test/scenarios/crashes-of-kinds.test.ts',
  'test/scenarios/work-counts.test.ts',
];

/** What takes a minute begins first, so that no worker is left with it at the end. */
class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const begin = [...alone, ...long, 'test/scenarios/convergence.test.ts', 'test/scenarios/broken-builds.test.ts'];
    const isLong = ({ moduleId }: TestSpecification) => begin.some((file) => moduleId.endsWith(file));
    // oxlint-disable-next-line unicorn/no-array-sort -- it is not that of an array
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

const isInProfile = (process.env['TRUEUP_TEST_PROFILE'] ?? 'standard') !== 'standard';
const unchanged = Object.values(inOneVocabulary).flatMap((names) =>
  names.map((name) => `test/scenarios/${name}.test.ts`),
);
const left = [
  ...configDefaults.exclude,
  'test/browser/**',
  ...(isWhole ? [] : long),
  ...(isInProfile ? unchanged : []),
];

export default defineConfig({
  test: {
    globalSetup: ['test/support/temporary-folder.ts', 'test/support/built-program.ts'],
    expect: { requireAssertions: true, poll: { timeout: hangs, interval: 10 } },
    testTimeout: hangs,
    hookTimeout: hangs,
    pool: 'threads',
    sequence: { sequencer: LongFirst },
    maxWorkers: availableParallelism() + 1, // some tests wait for other programs
    projects: [
      // The source is loaded once in each worker, and not again for each file.
      {
        extends: true,
        test: { name: 'together', include: ['test/**/*.test.ts'], exclude: [...left, ...alone], isolate: false },
      },
      { extends: true, test: { name: 'alone', include: alone, exclude: left } },
      ...(isWhole
        ? [
            {
              extends: true as const,
              test: {
                name: 'dokploy',
                include: inProfile,
                // Not whole: one place of each kind is enough.
                env: { TRUEUP_TEST_PROFILE: 'dokploy', TRUEUP_TESTS: '', CI: '' },
                isolate: false,
              },
            },
            {
              extends: true as const,
              test: {
                name: 'bulk',
                include: inBulk,
                // Not whole: twenty histories.
                env: { TRUEUP_TEST_BULK: '1', TRUEUP_TESTS: '', CI: '' },
                isolate: false,
              },
            },
          ]
        : []),
    ],
  },
});

import { configDefaults, defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The tests that mutations are tried against: those that say the most in the least time. */
const parts: Readonly<Record<string, readonly string[]>> = {
  plan: ['test/plan/*.test.ts', 'test/apply/settle.test.ts', 'test/scenarios/organization-kinds.test.ts'],
  apply: [
    'test/apply/*.test.ts',
    'test/plan/{identity,moved,provided,reviewed,deploys}.test.ts',
    'test/scenarios/{organization-kinds,deployments}.test.ts',
    'test/everything.test.ts',
  ],
  state: ['test/state/*.test.ts', 'test/apply/{apply,intents,lost-creates}.test.ts'],
};

/** What takes seconds, and what starts other programs. */
const long = [
  'test/plan/file.test.ts',
  'test/apply/scale.test.ts',
  'test/state/{commands,processes,s3,postgres,folder-register}.test.ts',
];

/** Through a whole platform: asked when what computes only has no objection. */
const wide = /(decide|deploys|moved|provided|identity|safeguard|reviewed|organization-kinds)\.test\.ts$/;

class QuickFirst extends BaseSequencer {
  override sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => Number(wide.test(moduleId));
    return Promise.resolve(specs.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1)));
  }
}

export default defineConfig({
  test: {
    include: [...(parts[process.env['TRUEUP_MUTATION'] ?? 'plan'] ?? [])],
    exclude: [...configDefaults.exclude, ...long],
    globalSetup: 'test/support/temporary-folder.ts',
    testTimeout: 120_000,
    hookTimeout: 120_000,
    pool: 'threads',
    isolate: false, // each run has a worker of its own all the same
    sequence: { sequencer: QuickFirst },
  },
});

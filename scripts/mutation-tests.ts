import { configDefaults, defineConfig } from 'vitest/config';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';

/** The tests that mutations are tried against: those that say the most in the least time. */
const parts: Readonly<Record<string, readonly string[]>> = {
  plan: [
    'test/plan/*.test.ts',
    'test/workflow/reviewed.test.ts',
    'test/scenarios/{identity,moves,narrowed-plans,organization-kinds,pins,project-as-a-block,provided,too-large}.test.ts',
  ],
  apply: [
    'test/apply/*.test.ts',
    'test/plan/{moved-addresses,deployments}.test.ts',
    'test/workflow/reviewed.test.ts',
    'test/scenarios/{apply-secrets,failing-state,hot-fixes,lost-creates,password,replacement,taken-away}.test.ts',
    'test/scenarios/{delivered-twice,deployments,identity,ignored-updates,late,objects-at-the-top}.test.ts',
    'test/scenarios/{organization-kinds,pending-operations,provided,reads-that-fail,unanswered}.test.ts',
    'test/examples.everything.test.ts',
  ],
  state: [
    'test/state/**/!(postgres|s3).test.ts',
    'test/apply/apply.test.ts',
    'test/scenarios/{lost-creates,may-write,pending-operations}.test.ts',
  ],
  stores: ['test/state/backends/{s3,postgres}.test.ts'],
};

/** What takes seconds, and what starts this program: a changed tree has none that is built. */
const long = ['test/plan/plan-file.test.ts'];

/** Asked when no test before has an objection: what goes through a whole platform, then what takes seconds. */
const later = [
  /(decide|deployments|moved-addresses|moves|narrowed-plans|project-as-a-block|provided|identity|safeguard|reviewed|organization-kinds)\.test\.ts$/,
  /(lease|disk-faults|random)\.test\.ts$/,
];

class QuickFirst extends BaseSequencer {
  override sort(specs: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => later.findIndex((files) => files.test(moduleId));
    return Promise.resolve(specs.toSorted((a, b) => rank(a) - rank(b) || (a.moduleId < b.moduleId ? -1 : 1)));
  }
}

export default defineConfig({
  test: {
    include: [...(parts[process.env['TRUEUP_MUTATION'] ?? 'plan'] ?? [])],
    exclude: [...configDefaults.exclude, ...long],
    globalSetup: 'test/support/temporary-folder.ts',
    testTimeout: 20_000,
    hookTimeout: 60_000,
    pool: 'threads',
    isolate: false, // each run has a worker of its own all the same
    sequence: { sequencer: QuickFirst },
  },
});

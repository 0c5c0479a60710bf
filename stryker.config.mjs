import { sampleOf } from './scripts/mutation-sample.mjs';

/**
 * How good the tests are: each small change of the source has to make some test fail. TRUEUP_MUTATION says of which part, the
 * plan by default; `-m FILE` takes another choice of files. TRUEUP_MUTATION_SHARE=0.3 takes a random share of the functions,
 * by TRUEUP_MUTATION_SEED. What each part is tested with: scripts/mutation-tests.ts.
 */
const part = process.env.TRUEUP_MUTATION ?? 'plan';

const parts = {
  plan: { mutate: ['src/plan/*.ts'], atLeast: 85 },
  apply: { mutate: ['src/apply/*.ts'], atLeast: null },
  state: {
    mutate: [
      'src/state/*.ts',
      ...['folder-documents', 'folder-register', 'local', 'memory', 'put-file'].map(
        (name) => `src/state/backends/${name}.ts`,
      ),
    ],
    atLeast: null,
  },
  stores: {
    mutate: ['s3-client', 'postgres-client', 'postgres', 's3'].map((name) => `src/state/backends/${name}.ts`),
    atLeast: null,
  },
};

const { TRUEUP_MUTATION_SHARE: share = '1', TRUEUP_MUTATION_SEED: seed = '1' } = process.env;
const { mutate } = parts[part];

export default {
  mutate: share === '1' ? mutate : sampleOf(mutate, Number(share), Number(seed)),
  thresholds: { high: 95, low: 85, break: parts[part].atLeast },
  testRunner: 'vitest',
  plugins: ['@stryker-mutator/vitest-runner'],
  vitest: { configFile: 'scripts/mutation-tests.ts', related: false },
  coverageAnalysis: 'perTest',
  concurrency: 2,
  // A slow machine kills nothing: what runs on for ever is counted by its loops.
  timeoutMS: 30_000,
  timeoutFactor: 5,
  reporters: ['progress-append-only', 'clear-text', 'json', 'html'],
  clearTextReporter: { reportTests: false, allowColor: false },
  jsonReporter: { fileName: `reports/mutation-${part}.json` },
  htmlReporter: { fileName: `reports/mutation-${part}.html` },
};

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from '../support/samples.ts';
import { followTutorial } from '../support/tutorial.ts';

// The page copies files that the package has beside its program.
test('the commands of the tutorial', { timeout: 600_000 }, async () => {
  const program = join(root, 'bin/trueup.js');
  expect(await followTutorial({ program, node: process.execPath })).toBeGreaterThan(10);
});

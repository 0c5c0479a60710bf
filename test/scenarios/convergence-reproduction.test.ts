import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import type * as Moved from '../../src/plan/moved-addresses.ts';
import { histories } from '../support/random-commands.ts';
import { failureOf, tell, tryHistory } from './histories/failing.ts';

const engine = vi.hoisted(() => ({ isBroken: false }));

vi.mock('../../src/plan/moved-addresses.ts', async (importOriginal) => {
  const real = await importOriginal<typeof Moved>();
  const ignoring: typeof Moved.applyMoves = (state) => ({ state, origins: new Map(), diagnostics: [] });
  const applyMoves: typeof ignoring = (...input) => (engine.isBroken ? ignoring : real.applyMoves)(...input);
  return { ...real, applyMoves };
});

test('a random history fails for a broken engine, and its printed form fails alone', async () => {
  const property = fc.asyncProperty(histories, tryHistory);
  engine.isBroken = true;
  const found = await fc.check(property, { seed: 1, numRuns: 500, endOnFailure: true });
  // It is made simpler as long as tries are left: a limit of time would leave none on a loaded machine.
  let left = 12;
  const limited = fc.asyncProperty(histories, async (history) => {
    left -= 1;
    if (left >= 0) await tryHistory(history);
  });
  const details = await fc.check(limited, { seed: found.seed, path: found.counterexamplePath ?? '', numRuns: 1 });
  const printed = tell(details, 'test/scenarios/convergence.test.ts');
  const [, seed = '', path = ''] = /TRUEUP_SEED=(\S+) TRUEUP_PATH=(\S+) npx vitest run \S+/.exec(printed) ?? [];
  const document = printed.slice(printed.indexOf('--- history ---')).split('\n').slice(1).join('\n');

  const words = /^# (.*)$/m.exec(document)?.[1];
  expect(words).toMatch(/\S/);
  expect(await failureOf(document)).toBe(words);
  const again = await fc.check(property, { seed: Number(seed), path, numRuns: 1, endOnFailure: true });
  expect(again.errorInstance).toMatchObject({ message: words });

  engine.isBroken = false;
  expect(await failureOf(document)).toBeUndefined();
});

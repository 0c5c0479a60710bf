import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { manyStacks } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** How many bytes the state and a plan keep for each object. */

test('the state takes 500 bytes for each object at most, and a plan without a change keeps 2,800', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const made = bench();
  const text = manyStacks(200);
  await made.apply(text);
  const objects = Object.keys(made.store.state?.resources ?? {}).length;
  expect(objects).toBe(601);
  expect(JSON.stringify(made.store.state).length / objects).toBeLessThan(500);
  await made.plan(text);
  collect();
  const before = process.memoryUsage().heapUsed;
  // Several: what was left of an earlier one is collected meanwhile.
  const plans = [await made.plan(text), await made.plan(text), await made.plan(text), await made.plan(text)];
  collect();
  expect((process.memoryUsage().heapUsed - before) / plans.length / objects).toBeLessThan(2_800);
  expect(plans.map(({ actions }) => actions.length)).toEqual([601, 601, 601, 601]);
});

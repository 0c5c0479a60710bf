import { beforeEach, expect, test, vi } from 'vitest';
import type * as SimpleYaml from '../../src/formats/simple-yaml.ts';
import { readSimpleYaml } from '../../src/formats/simple-yaml.ts';
import type * as Yaml from '../../src/formats/yaml.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import { manyStacks } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** How often a run reads the same text. Counts, never times. */

vi.mock('../../src/formats/yaml.ts', async (original) => {
  const all = await original<typeof Yaml>();
  return { ...all, parseYaml: vi.fn<typeof parseYaml>(all.parseYaml) };
});
vi.mock('../../src/formats/simple-yaml.ts', async (original) => {
  const all = await original<typeof SimpleYaml>();
  return { ...all, readSimpleYaml: vi.fn<typeof readSimpleYaml>(all.readSimpleYaml) };
});
beforeEach(() => void vi.clearAllMocks());

const texts = () => vi.mocked(readSimpleYaml).mock.calls.map(([text]) => text);

test('an apply and a plan behind it read each compose file once, and none of them with the whole parser', async () => {
  const made = bench();
  await made.apply(manyStacks(30));
  expect(new Set(texts())).toHaveProperty('size', 31);
  vi.clearAllMocks();
  const plan = await made.plan(manyStacks(30));
  expect(plan.actions.every(({ action }) => action === 'no-op')).toBe(true);
  expect(texts()).toHaveLength(1); // the manifest
  expect(vi.mocked(parseYaml)).not.toHaveBeenCalled();
});

test('a compose file that needs the whole parser is read by it once', async () => {
  const made = bench();
  await made.plan(manyStacks(5, ', labels: { a: !!str b }'));
  expect(vi.mocked(parseYaml)).toHaveBeenCalledTimes(5);
});

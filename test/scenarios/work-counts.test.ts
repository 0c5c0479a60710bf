import { beforeEach, expect, test, vi } from 'vitest';
import type * as SimpleYaml from '../../src/formats/simple-yaml.ts';
import { readSimpleYaml } from '../../src/formats/simple-yaml.ts';
import type * as Yaml from '../../src/formats/yaml.ts';
import { parseYaml } from '../../src/formats/yaml.ts';
import type * as Answers from '../../src/observe/checked-answers.ts';
import { asRows, rowsIn } from '../../src/observe/checked-answers.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { manyStacks } from '../support/manifest-texts.ts';
import { bench } from '../support/world.ts';

/** How often a run reads the same text, and the same rows. Counts, never times. */

vi.mock('../../src/formats/yaml.ts', async (original) => {
  const all = await original<typeof Yaml>();
  return { ...all, parseYaml: vi.fn<typeof parseYaml>(all.parseYaml) };
});
vi.mock('../../src/formats/simple-yaml.ts', async (original) => {
  const all = await original<typeof SimpleYaml>();
  return { ...all, readSimpleYaml: vi.fn<typeof readSimpleYaml>(all.readSimpleYaml) };
});
vi.mock('../../src/observe/checked-answers.ts', async (original) => {
  const all = await original<typeof Answers>();
  return { ...all, asRows: vi.fn<typeof asRows>(all.asRows), rowsIn: vi.fn<typeof rowsIn>(all.rowsIn) };
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

test('others work before the actions of a plan are computed, and behind that', async () => {
  const made = bench();
  await made.apply(manyStacks(1));
  const others = { waiting: 0, waitingAtActions: undefined as number | undefined };
  const letWork = () => {
    others.waiting++;
    setImmediate(() => others.waiting--);
  };
  const wall = () => {
    letWork();
    return made.clock.wall();
  };
  const world = {
    ...made.world(),
    clock: { ...made.clock, wall },
    // The last that is asked before the actions are computed.
    get values() {
      others.waitingAtActions = others.waiting;
      letWork();
      return 'usual' as const;
    },
  };
  await plan(await made.manifest(manyStacks(1)), world);
  expect(others).toEqual({ waiting: 0, waitingAtActions: 0 });
});

/** The rows that all looks at lists gave. */
function rowsRead(): number {
  const lists = [vi.mocked(asRows), vi.mocked(rowsIn)].flatMap(({ mock }) => mock.results.map(({ value }) => value));
  return lists.reduce<number>((sum, rows) => sum + ((rows as ReadonlyMap<string, unknown> | undefined)?.size ?? 0), 0);
}

test('an apply reads each list of what it created once, however many services it shows', async () => {
  const read = async (stacks: number) => {
    const made = bench();
    vi.clearAllMocks();
    await made.apply(manyStacks(stacks));
    const rows = rowsRead();
    expect((await made.plan(manyStacks(stacks))).actions.every(({ action }) => action === 'no-op')).toBe(true);
    return rows;
  };
  const [few, many] = [await read(10), await read(40)];
  expect(few).toBeGreaterThan(10);
  expect(many).toBeLessThanOrEqual(4 * few);
});

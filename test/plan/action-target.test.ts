import { describe, expect, test } from 'vitest';
import type { Json } from '../../src/formats/json.ts';
import { all, planOptions, protection } from '../../src/plan/action-target.ts';
import { here, kindNamed, recordOf, resourceOf } from '../support/plan-values.ts';

/** What becomes of the options of a block, beside those in the state. */

const at = 'production.compose.shop';
const options = (protect: boolean | undefined) => (protect === undefined ? {} : { protect });

describe('a protection', () => {
  test.each([
    // The block, the state, what holds.
    [true, undefined, true],
    [true, false, true],
    [true, true, true],
    [undefined, true, true],
    [false, true, true],
    [false, false, false],
    [false, undefined, undefined],
    [undefined, false, undefined],
    [undefined, undefined, undefined],
  ])('of a block that says %s and a state that says %s is %s', (block, state, holds) => {
    expect(protection(options(block), recordOf('redis', 'redis_1', { options: options(state) }))).toBe(holds);
    if (state === undefined) expect(protection(options(block), undefined)).toBe(holds);
  });

  test('stays when the block does not say it any more, with a note that names the line', () => {
    const { options: kept, changes, notes } = planOptions(resourceOf(kindNamed('compose'), at), { protect: true });
    expect([kept, changes]).toEqual([{ protect: true }, []]);
    expect(notes).toEqual([
      {
        code: 'still-protected',
        severity: 'note',
        message: `${at} stays protected: its block does not say protect: any more`,
        remedy: 'Write protect: true again, or protect: false to lift the protection.',
        address: at,
        position: here,
      },
    ]);
  });
});

describe('an option', () => {
  const found = (declared: Readonly<Record<string, Json>>, recorded?: Readonly<Record<string, Json>>) => {
    const planned = planOptions(resourceOf(kindNamed('compose'), at, { options: declared }), recorded);
    expect(planned.notes).toEqual([]);
    return planned.changes.map(({ path, cause, before, after }) => [path, cause, before, after]);
  };
  const value = (of: Json) => ({ is: 'value', value: of });
  const absent = { is: 'absent' };

  test('that is as it was, or has its default, is no change', () => {
    expect(found({})).toEqual([]);
    expect(found({ deleteVolumes: true, protect: true }, { protect: true, deleteVolumes: true })).toEqual([]);
    expect(found({ deleteVolumes: false, deploy: 'onChange' }, {})).toEqual([]);
    expect(found({}, { deleteVolumes: false, deploy: 'onChange' })).toEqual([]);
  });

  test('with another value is a change, and one that is left out has its default', () => {
    expect(found({ deleteVolumes: true, protect: false }, { deploy: 'never', protect: true })).toEqual([
      ['deleteVolumes', 'edit', value(false), value(true)],
      ['protect', 'edit', value(true), value(false)],
      ['deploy', 'edit', value('never'), value('onChange')],
    ]);
    expect(found({}, { protect: false })).toEqual([['protect', 'removed', value(false), absent]]);
  });

  test('of a new object was absent before', () => {
    const block = resourceOf(kindNamed('compose'), at, { options: { deleteVolumes: true, protect: true } });
    expect(planOptions(block, undefined, 'create').changes.map(({ path, before }) => [path, before])).toEqual([
      ['deleteVolumes', absent],
      ['protect', absent],
    ]);
  });

  test('that the kind does not have is no change', () => {
    expect(found({}, { colour: 'red', composeFile: 'services: {}' })).toEqual([]);
  });
});

test('lists without items are one list, which the many objects without notes and changes share', () => {
  expect(all([], [])).toBe(all<Json>([]));
  expect(all([1], [], [2, 3])).toEqual([1, 2, 3]);
});

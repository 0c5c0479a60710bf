import { describe, expect, test } from 'vitest';
import { surprises, whatIsLeftOut } from '../../src/plan/reviewed-sentences.ts';
import type { Wanted } from '../../src/manifest/wanted.ts';
import { declared, referring } from '../support/plan-values.ts';

/** What is sent is what was reviewed, or less; never more, and never in another order. */

const shop = 'production.compose.shop';
type Facts = Readonly<Record<string, string>>;

/** The facts of requests, as a file has them. */
function sends(list: 'teardown' | 'steps', ...steps: readonly (readonly [name: string, facts?: Facts])[]): Facts {
  const all = steps.flatMap(([name, facts = {}], at) => [
    [`send ${name}`, ''],
    [`order ${name} in ${list}`, ''],
    ...steps.slice(0, at).map(([earlier]) => [`order ${name} after ${earlier}`, '']),
    ...Object.entries(facts).map(([path, value]) => [path.replace(' ', ` ${name} `), value]),
  ]);
  return Object.fromEntries(all) as Facts;
}

const id = { 'member composeId': 'the id of shop' };
const env = { 'member env': 'A', 'member env B': '', 'member env C': '' };
const members: Facts = { ...id, 'member image': 'image', 'member command': 'as read', 'member ids': 'set', ...env };
const changed: Facts = { 'changed image': '', 'changed env': '' };

const update = 'compose.update:update';
const start = 'compose.start:update';
const remove = 'compose.delete:delete';
const [updating, starting, removing] = [
  [update, { ...members, ...changed }],
  [start, id],
  [remove, id],
] as const;

const what: Facts = { block: '', 'action update': '', id: 'cmp_1' };
const torn = sends('teardown', removing);
const reviewed: Facts = { ...what, ...torn, ...sends('steps', updating, starting) };

const withSteps = (...steps: Parameters<typeof sends>[1][]): Facts => ({
  ...what,
  ...torn,
  ...sends('steps', ...steps),
});
const withMembers = (more: Facts): Facts => withSteps([update, { ...members, ...changed, ...more }], starting);
/** Facts without some paths. */
const without = (facts: Facts, ...paths: readonly string[]): Facts =>
  Object.fromEntries(Object.entries(facts).filter(([path]) => !paths.includes(path)));

const compared = (now: Facts, before: Facts, wanted: Readonly<Record<string, Wanted>> = {}) => ({
  block: shop,
  reviewed: new Map(Object.entries(before)),
  now: new Map(Object.entries(now)),
  wanted: new Map(Object.entries(wanted)),
});
const why = (...facts: Parameters<typeof compared>) => surprises(compared(...facts));
const leftOut = (then: Facts, now: Facts) => whatIsLeftOut(compared(now, then));

describe('what was reviewed, or less', () => {
  test.each<[string, Facts]>([
    ['is the same', reviewed],
    ['has a step less', withSteps(starting)],
    ['has no step', what],
    ['has a member less', withSteps([update, { ...id, ...env, 'changed env': '' }])],
    ['removes a key less', without(reviewed, `member ${update} env B`)],
    ['changes a member less', without(reviewed, `changed ${update} image`)],
  ])('%s', (_title, now) => {
    expect(why(now, reviewed)).toEqual([]);
  });
});

describe('what was not reviewed', () => {
  const another = (name: string) => `compose.update would send another ${name} for ${shop}`;
  const otherwise = `what is sent for ${shop} would be sent otherwise`;

  test.each<[string, Facts, string]>([
    ['a step more', withSteps(updating, starting, ['compose.stop:update', id]), `${shop} needs compose.stop now`],
    ['another operation', withSteps(updating, ['compose.stop:update', id]), `${shop} needs compose.stop now`],
    ['a step twice', withSteps(updating, starting, [`${start}:2`, id]), `${shop} needs compose.start now`],
    ['the steps in another order', withSteps(starting, updating), otherwise],
    [
      'the steps in another order, for the sake of another member',
      withSteps(starting, [update, { ...members, ...changed, 'changed ids': '' }]),
      otherwise,
    ],
    [
      'the same operation in another role',
      withSteps(['compose.update:move', { ...members, ...changed }], starting),
      `${shop} needs compose.update now`,
    ],
    [
      'a teardown more',
      { ...reviewed, ...sends('teardown', removing, ['domain.delete:delete', id]) },
      `${shop} needs domain.delete now`,
    ],
    ['a step instead of a teardown', { ...what, ...sends('steps', removing) }, otherwise],
    ['a member more', withMembers({ 'member memory': 'image' }), another('memory')],
    ['a member for whose sake it was not sent', withMembers({ 'changed command': '' }), otherwise],
    ['another value', withMembers({ 'member image': 'other' }), another('image')],
    ['a value instead of what is read', withMembers({ 'member command': 'command' }), another('command')],
    ['the id of something else', withMembers({ 'member composeId': 'the id of other' }), another('composeId')],
    ['a key removed more', withMembers({ 'member env D': '' }), another('env')],
    ['a key removed more, with a space in it', withMembers({ 'member env D E': '' }), another('env')],
    ['a key with another value', withMembers({ 'member env': 'B' }), another('env')],
    ['a map with more in it and more removed', withMembers({ 'member env': 'B', 'member env D': '' }), another('env')],
    ['two members', withMembers({ 'member image': 'other', 'member env': 'B' }), another('image, env')],
    ['another object', { ...reviewed, id: 'cmp_2' }, `${shop} is another object now (cmp_2)`],
    ['data at risk', { ...reviewed, risk: 'the data' }, `to update ${shop} puts data at risk: the data`],
    ['a consent', { ...reviewed, consent: '' }, `to take over ${shop} needs consent`],
    [
      'an acceptance whose day has passed',
      { ...reviewed, 'lapsed image': '2026-12-01' },
      `image of ${shop} was accepted until 2026-12-01, which has passed`,
    ],
    ['a warning', { ...reviewed, 'warning something goes along': '' }, 'something goes along'],
    ['a field', { ...reviewed, 'was image': 'x' }, `image of ${shop} was changed on the platform`],
  ])('reports %s', (_title, now, message) => {
    expect(why(now, reviewed)).toEqual([message]);
  });

  test.each('action id was warning risk consent send order changed'.split(' '))(
    'reports an unreviewed fact about %s',
    (kind) => {
      expect(why({ ...reviewed, [`${kind} new`]: '' }, reviewed)).toHaveLength(1);
    },
  );

  test('reports the changed members of each request, and of a new request only its operation', () => {
    const then = withSteps(updating, starting);
    const other = { 'member composeId': 'other' };
    expect(why(withSteps([update, other], [start, other]), then)).toEqual([
      another('composeId'),
      `compose.start would send another composeId for ${shop}`,
    ]);
    expect(why(withSteps([update, other], ['compose.stop:update', other]), then)).toEqual([
      `${shop} needs compose.stop now`,
      another('composeId'),
    ]);
  });

  test('reports fields, warnings, data at risk and consent together, and no requests beside them', () => {
    const now = { ...withSteps(starting, updating), 'was a': 'x', 'warning beware': '', risk: 'the data', consent: '' };
    expect(why(now, reviewed)).toEqual([
      `a of ${shop} was changed on the platform`,
      'beware',
      `to update ${shop} puts data at risk: the data`,
      `to take over ${shop} needs consent`,
    ]);
    expect(why({ ...reviewed, risk: 'more data' }, { ...reviewed, risk: 'the data' })).toEqual([
      `to update ${shop} puts data at risk: more data`,
    ]);
  });

  const doing = (...actions: readonly string[]): Facts =>
    Object.fromEntries([['block', ''], ...actions.map((action) => [`action ${action}`, ''])]) as Facts;

  test.each<[readonly string[], string]>([
    [['create'], `${shop} is not on the platform any more`],
    [['adopt'], `${shop} exists on the platform by now (cmp_1)`],
    [['move', 'update'], `${shop} was moved on the platform`],
    [['replace'], `to replace ${shop} is not in the plan`],
    [['delete', 'forget gone'], `to delete ${shop} is not in the plan`],
    [['forget', 'forget gone'], `to forget ${shop} is not in the plan`],
    [['forget gone'], `to forget ${shop} is not in the plan`],
    [['deploy'], `${shop} has to be deployed now`],
  ])('reports %s in place of an update, or of no action', (actions, message) => {
    const now = { ...doing(...actions), id: 'cmp_1', 'was image': 'x' };
    expect(why(now, reviewed)).toEqual([message]);
    expect(why(now, { block: '' })).toEqual([message]);
  });

  test('reports an unreviewed update by its fields, or as a whole', () => {
    const then = { block: '' };
    expect(why(reviewed, then)).toEqual([`${shop} has to be updated now`]);
    const now = { ...reviewed, 'was image': 'x', 'was env.A': 'y' };
    const wanted = { image: declared('x'), 'env.A': referring({ address: 'a', output: 'b' }) };
    expect(why(now, then, wanted)).toEqual([`image, env.A of ${shop}, or a.b in it, was changed on the platform`]);
    const missing = { 'missing env.A': 'x', 'missing image': 'x' };
    expect(why({ ...now, ...missing }, { ...then, ...missing }, wanted)).toEqual([
      `image, env.A of ${shop} needs a secret that the plan was made without`,
    ]);
  });

  test('names no reference when the reviewed plan overwrites the field too', () => {
    const wanted = { image: referring({ address: 'a', output: 'b' }) };
    expect(why({ ...reviewed, 'was image': 'y' }, { ...reviewed, 'was image': 'x' }, wanted)).toEqual([
      `image of ${shop} was changed on the platform`,
    ]);
    expect(why({ ...reviewed, 'was image': 'y' }, reviewed, wanted)).toEqual([
      `image of ${shop}, or a.b in it, was changed on the platform`,
    ]);
  });

  test('reports an adoption that became an update as an update', () => {
    const adoption = { ...doing('adopt'), id: 'cmp_1', 'was image': 'x' };
    expect(why({ ...doing('update'), id: 'cmp_1', 'was image': 'y' }, adoption)).toEqual([
      `${shop} has to be updated now`,
    ]);
  });

  test('notes that an object is already moved, and nothing when the action is the same', () => {
    expect(leftOut({ ...doing('move', 'update'), ...reviewed }, reviewed)).toEqual([
      `${shop} is already where it was to be moved`,
    ]);
    for (const same of [doing('forget gone'), doing('delete', 'forget gone'), reviewed]) {
      expect(leftOut(same, same)).toEqual([]);
    }
    expect(leftOut(doing('forget', 'forget gone'), doing('forget gone'))).toEqual([]);
  });

  test('notes fields that are already as planned, and actions that are not needed any more', () => {
    const then = { ...reviewed, 'was image': 'x', 'was env.A': 'y', 'was env.B': 'z' };
    expect(leftOut(then, { ...reviewed, 'was env.A': 'y' })).toEqual([`image, env.B of ${shop} is already as planned`]);
    expect(leftOut(then, { block: '' })).toEqual([`to update ${shop} is not needed any more`]);
    expect(leftOut(doing('move', 'update'), {})).toEqual([`to move ${shop} is not needed any more`]);
    expect(leftOut({ block: '' }, { block: '' })).toEqual([]);
  });

  test('forgets a deleted object that is gone, and refuses to forget one that is there', () => {
    const deletion = { ...doing('delete', 'forget gone'), id: 'cmp_1', ...torn };
    const gone = doing('forget gone');
    expect(why(gone, deletion)).toEqual([]);
    expect(why({ ...doing('forget', 'forget gone'), id: 'cmp_1' }, deletion)).toEqual([
      `to forget ${shop} is not in the plan`,
    ]);
    expect(leftOut(deletion, gone)).toEqual([`${shop} is gone already, and is only forgotten`]);
  });
});

describe('a set that the platform adds to', () => {
  const was = (...digests: string[]): Facts => ({ ...reviewed, 'was accessedProjects': digests.join(' ') });

  test('may have more members than the reviewed plan saw', () => {
    expect(why(was('a', 'b', 'c'), was('a', 'b'))).toEqual([]);
    expect(why(was('a'), was())).toEqual([]);
    expect(why(was(), was())).toEqual([]);
  });

  test('may not have lost a member, and may not be overwritten unseen', () => {
    const told = [`accessedProjects of ${shop} was changed on the platform`];
    expect(why(was('a', 'c'), was('a', 'b'))).toEqual(told);
    expect(why(was(), was('a'))).toEqual(told);
    expect(why(was('ab'), was('a'))).toEqual(told);
    expect(why(was('a'), reviewed)).toEqual(told);
    expect(why(was(), reviewed)).toEqual(told);
  });
});

import { describe, expect, test } from 'vitest';
import type { FiledAction, FiledMember, FiledStep } from '../../src/plan/file.ts';
import { surprises, whatIsLeftOut } from '../../src/plan/surprises.ts';

/** What is sent is what was reviewed, or less; never more, and never in another order. */

const id: FiledMember = { is: 'id', name: 'composeId', of: 'production.compose.shop' };
const image: FiledMember = { is: 'value', name: 'image', value: { digest: 'image' } };
const read: FiledMember = { is: 'as read', name: 'command', from: 'command' };
const set: FiledMember = { is: 'set', name: 'ids', value: { digest: 'ids' }, formerly: 'old' };
const env: FiledMember = {
  is: 'map',
  name: 'env',
  keepsOthers: true,
  entries: [{ key: 'A', value: { digest: 'a', after: ['production.postgres.main.host'] } }],
  removed: ['B', 'C'],
};

const update: FiledStep = {
  operation: 'compose.update',
  role: 'update',
  members: [id, image, read, set, env],
  changed: ['image', 'env'],
};
const start: FiledStep = { operation: 'compose.start', role: 'update', members: [id], changed: [] };
const remove: FiledStep = { operation: 'compose.delete', role: 'delete', members: [id], changed: [] };

const reviewed: FiledAction = {
  address: 'production.compose.shop',
  action: 'update',
  id: 'cmp_1',
  teardown: [remove],
  steps: [update, start],
  before: [],
  warnings: [],
};

const withSteps = (...steps: FiledStep[]): FiledAction => ({ ...reviewed, steps });
const withMember = (member: FiledMember): FiledAction =>
  withSteps({ ...update, members: update.members.map((one) => (one.name === member.name ? member : one)) });

describe('what was reviewed, or less', () => {
  test.each<[string, FiledAction]>([
    ['is the same', reviewed],
    ['has a step less', withSteps(start)],
    ['has no step', { ...reviewed, teardown: [], steps: [] }],
    ['has a member less', withSteps({ ...update, members: [id, env], changed: ['env'] })],
    ['removes a key less', withMember({ ...env, removed: ['C'] })],
  ])('%s', (_title, now) => {
    expect(surprises(now, reviewed, [])).toEqual([]);
  });
});

describe('what was not reviewed', () => {
  const another = (name: string) => `compose.update would send another ${name} for production.compose.shop`;
  const otherwise = 'what is sent for production.compose.shop would be sent otherwise';

  test.each<[string, FiledAction, string]>([
    [
      'a step more',
      withSteps(update, start, { ...start, operation: 'compose.stop' }),
      'production.compose.shop needs compose.stop now',
    ],
    [
      'another operation',
      withSteps(update, { ...start, operation: 'compose.stop' }),
      'production.compose.shop needs compose.stop now',
    ],
    ['a step twice', withSteps(update, start, start), otherwise],
    ['the steps in another order', withSteps(start, update), otherwise],
    [
      'the same operation in another role',
      withSteps({ ...update, role: 'move' }),
      'production.compose.shop needs compose.update now',
    ],
    [
      'a teardown more',
      { ...reviewed, teardown: [remove, { ...remove, operation: 'domain.delete' }] },
      'production.compose.shop needs domain.delete now',
    ],
    ['a step instead of a teardown', withSteps(remove), otherwise],
    [
      'a member more',
      withSteps({ ...update, members: [...update.members, { ...image, name: 'command' }] }),
      another('command'),
    ],
    [
      'a member for whose sake it was not sent',
      withSteps({ ...update, changed: ['image', 'env', 'command'] }),
      otherwise,
    ],
    ['another value', withMember({ ...image, value: { digest: 'other' } }), another('image')],
    [
      'a value of a secret that was not there',
      withMember({ ...image, value: { digest: 'image', missing: ['X'] } }),
      another('image'),
    ],
    [
      'a value instead of what is read',
      withMember({ is: 'value', name: 'command', value: { digest: 'command' } }),
      another('command'),
    ],
    ['what is read from elsewhere', withMember({ ...read, from: 'args' }), another('command')],
    ['the id of something else', withMember({ ...id, of: 'production.compose.other' }), another('composeId')],
    ['a set with others in it', withMember({ ...set, formerly: 'more' }), another('ids')],
    ['a key removed more', withMember({ ...env, removed: ['B', 'D'] }), another('env')],
    [
      'a key with another value',
      withMember({ ...env, entries: [{ key: 'A', value: { digest: 'other' } }] }),
      another('env'),
    ],
    [
      'a key more',
      withMember({ ...env, entries: [...env.entries, { key: 'X', value: { digest: 'x' } }] }),
      another('env'),
    ],
    ['keys of others that go', withMember({ ...env, keepsOthers: false }), another('env')],
    ['another object', { ...reviewed, id: 'cmp_2' }, 'production.compose.shop is another object now (cmp_2)'],
    [
      'data at risk',
      { ...reviewed, dataAtRisk: 'the data' },
      'to update production.compose.shop puts the data at risk',
    ],
    ['a consent', { ...reviewed, needsConsent: true }, 'to take over production.compose.shop needs consent'],
    ['a warning', { ...reviewed, warnings: ['something goes along'] }, 'something goes along'],
    [
      'a field',
      { ...reviewed, before: [{ path: 'image', was: ['x'] }] },
      'image of production.compose.shop was changed on the platform',
    ],
  ])('%s is told', (_title, now, message) => {
    expect(surprises(now, reviewed, [])).toEqual([message]);
  });

  test.each<[FiledAction['action'], string]>([
    ['create', 'production.compose.shop is not on the platform any more'],
    ['adopt', 'production.compose.shop exists on the platform by now (cmp_1)'],
    ['move', 'production.compose.shop was moved on the platform'],
    ['replace', 'to replace production.compose.shop is not in the plan'],
    ['delete', 'to delete production.compose.shop is not in the plan'],
    ['forget', 'to forget production.compose.shop is not in the plan'],
    ['deploy', 'production.compose.shop has to be deployed now'],
  ])('%s instead of an update, or of nothing, is told', (action, message) => {
    const now = { ...reviewed, action, teardown: [], steps: [] };
    expect(surprises(now, reviewed, [])).toEqual([message]);
    expect(surprises(now, undefined, [])).toEqual([message]);
  });

  test('an update of nothing that was reviewed is told, with its fields or without', () => {
    expect(surprises(reviewed, undefined, [])).toEqual(['production.compose.shop has to be updated now']);
    const now = {
      ...reviewed,
      before: [
        { path: 'image', was: ['x'] },
        { path: 'env.A', was: ['y'], refersTo: ['a.b'] },
      ],
    };
    expect(surprises(now, undefined, [])).toEqual([
      'image, env.A of production.compose.shop, or a.b in it, was changed on the platform',
    ]);
    expect(surprises(now, undefined, ['env.A', 'image'])).toEqual([
      'image, env.A of production.compose.shop needs a secret that the plan was made without',
    ]);
  });

  test('an action comes to itself, a move to an update and a deletion to forgetting, and to nothing else', () => {
    const all = ['create', 'adopt', 'update', 'move', 'replace', 'delete', 'forget', 'deploy'] as const;
    const allowed = all.flatMap((then) =>
      all
        .filter((now) => {
          const of = (action: FiledAction['action']): FiledAction => {
            const { id: _, ...rest } = { ...reviewed, action, teardown: [], steps: [] };
            return rest;
          };
          return surprises(of(now), of(then), []).length === 0;
        })
        .map((now) => `${then} -> ${now}`),
    );
    const itself = all.map((action) => `${action} -> ${action}`);
    expect(new Set(allowed)).toEqual(new Set([...itself, 'move -> update', 'delete -> forget']));
  });

  test('what was overwritten in the meantime is told as what the action does now', () => {
    const adoption: FiledAction = { ...reviewed, action: 'adopt', before: [{ path: 'image', was: ['x'] }] };
    expect(surprises({ ...adoption, action: 'update', before: [{ path: 'image', was: ['y'] }] }, adoption, [])).toEqual(
      ['production.compose.shop has to be updated now'],
    );
  });

  test('of what is only done otherwise it is told what is left out', () => {
    const move: FiledAction = { ...reviewed, action: 'move' };
    expect(whatIsLeftOut(move, reviewed)).toEqual(['production.compose.shop is already where it was to be moved']);
    const { id: _, ...forgetting } = { ...reviewed, action: 'forget' as const };
    expect(whatIsLeftOut(forgetting, forgetting)).toEqual([]);
    const deletion: FiledAction = { ...reviewed, action: 'delete' };
    expect(whatIsLeftOut(deletion, deletion)).toEqual([]);
  });

  test('a deletion of what is there comes to no forgetting', () => {
    const deletion: FiledAction = { ...reviewed, action: 'delete', steps: [] };
    const { id: _, ...gone } = { ...deletion, action: 'forget' as const, teardown: [] };
    expect(surprises(gone, deletion, [])).toEqual([]);
    expect(surprises({ ...gone, id: 'cmp_1' }, deletion, [])).toEqual([
      'to forget production.compose.shop is not in the plan',
    ]);
    expect(whatIsLeftOut(deletion, gone)).toEqual(['production.compose.shop is gone already, and is only forgotten']);
  });
});

describe('a set that others add to', () => {
  const was = (...members: string[]): FiledAction => ({
    ...reviewed,
    before: [{ path: 'accessedProjects', was: members }],
  });

  test('may have got more', () => {
    expect(surprises(was('a', 'b', 'c'), was('a', 'b'), [])).toEqual([]);
    expect(surprises(was('a'), was(), [])).toEqual([]);
  });

  test('may not have lost any', () => {
    expect(surprises(was('a', 'c'), was('a', 'b'), [])).toEqual([
      'accessedProjects of production.compose.shop was changed on the platform',
    ]);
  });
});

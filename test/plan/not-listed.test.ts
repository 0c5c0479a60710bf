import { describe, expect, test } from 'vitest';
import { type Step, isDeferred } from '../../src/plan/action.ts';
import type { Wanted } from '../../src/manifest/wanted.ts';
import { awaitedIn, deferred, planPending } from '../../src/plan/not-listed.ts';
import type { StateRecord } from '../../src/state/record.ts';
import {
  actionOf,
  anything,
  attributeChange,
  declared,
  here,
  inputOf,
  kindNamed,
  pairOf,
  recordOf,
  referring,
  resourceOf,
} from '../support/plan-values.ts';

/** What the platform does not list until something happens outside of it. */

const kind = kindNamed('gitlab');
const until = 'somebody has connected it';

function pending(fields: Readonly<Record<string, Wanted>>, pairs: StateRecord['pairs'] = {}) {
  const input = inputOf({}, { 'gitlab.lab': recordOf('gitlab', null, { pairs }) });
  return planPending(input, resourceOf(kind, 'gitlab.lab', { fields }), undefined, until);
}

describe('an object that is not listed yet', () => {
  test('is waited for when its create was answered', () => {
    const action = pending({ name: declared('lab') }, { name: pairOf('lab') });
    expect(action).toMatchObject({
      action: 'no-op',
      kept: 'held',
      id: undefined,
      steps: [],
      attributes: [],
      changes: [],
    });
    expect(action).toMatchObject({ teardown: [], dataAtRisk: undefined });
    expect(action.notes).toEqual([
      {
        code: 'pending',
        severity: 'warning',
        message: 'gitlab.lab was created and is listed only once somebody has connected it',
        removal: 'Connect it there. If the platform does not have it, remove the block, apply, and put it back.',
        address: 'gitlab.lab',
        position: here,
      },
    ]);
  });

  test('may exist when its create got no answer', () => {
    const [note] = pending({ name: declared('lab') }).notes;
    expect(note?.message).toBe(
      'whether gitlab.lab was created is not known: its create got no answer, and it is listed only once somebody has connected it',
    );
  });

  test('cannot be changed until then: the message names the fields edited since', () => {
    const sent = { name: pairOf('lab'), groupName: pairOf('shop'), gitlabUrl: pairOf('https://a.test') };
    const fields = {
      name: declared('lab'),
      groupName: declared('store'),
      gitlabUrl: declared('https://b.test'),
      // Neither what was not sent nor what is not known is an edit.
      applicationId: declared('new'),
    };
    const [note] = pending(fields, sent).notes;
    expect(note?.removal).toBe(
      'Connect it there. If the platform does not have it, remove the block, apply, and put it back. Until then groupName, gitlabUrl cannot be changed.',
    );
    const host = referring({ address: 'production.redis.main', output: 'host' });
    const [other] = pending({ ...fields, groupName: host, gitlabUrl: declared('https://a.test') }, sent).notes;
    expect(other?.removal).toBe(
      'Connect it there. If the platform does not have it, remove the block, apply, and put it back.',
    );
  });
});

describe('what depends on it', () => {
  const lab = actionOf('gitlab.lab', { kind, id: undefined, kept: 'held' });
  const shop = 'production.compose.shop';
  const user = actionOf(shop, {
    action: 'create',
    dependsOn: ['production', 'gitlab.lab'],
    notes: [],
    dataAtRisk: 'its volumes',
  });
  const awaitedAmong = (...actions: readonly ReturnType<typeof actionOf>[]) =>
    awaitedIn(user.dependsOn, new Map([actionOf('production'), ...actions].map((action) => [action.address, action])));
  const remedy = 'Apply again when it is.';

  test('is held back while it is not there itself, and says what it waits for', () => {
    const held = deferred(user, [lab]);
    expect(held).toMatchObject({ action: 'no-op', kept: 'held', steps: [], dataAtRisk: undefined });
    const message = `${shop} waits for gitlab.lab, whose id is not known yet`;
    expect(held.notes).toEqual([
      { code: 'pending', severity: 'warning', message, remedy, address: shop, position: here },
    ]);
  });

  test('is held back as well when its parent waits', () => {
    expect(isDeferred(deferred(actionOf(shop, { action: 'update', parent: 'gitlab.lab' }), [lab]))).toBe(true);
  });

  test('names all that it waits for, and why each is not there', () => {
    const accepted = { code: 'accepted', severity: 'note', message: '' } as const;
    const cache = actionOf('production.redis.cache', { id: undefined, kept: 'held', notes: [accepted] });
    const other = actionOf('gitlab.other', { kind, id: undefined, kept: 'held' });
    expect(deferred(user, [lab, cache, other]).notes).toMatchObject([
      {
        message: `${shop} waits for production.redis.cache, which is accepted as missing`,
        remedy: 'To create it now: --include-accepted.',
      },
      { message: `${shop} waits for gitlab.lab, gitlab.other, whose id is not known yet`, remedy },
    ]);
    expect(deferred(user, [cache, cache]).notes).toMatchObject([
      { message: expect.stringMatching(/, which are accepted as missing$/) as string },
    ]);
  });

  test('keeps what was said of it, and is held back once', () => {
    const [note] = deferred(user, [lab]).notes;
    const held = deferred({ ...user, notes: note === undefined ? [] : [note] }, [lab]);
    expect(held.notes).toEqual([note, note]);
    expect(deferred(held, [lab])).toBe(held);
  });

  const waiting = attributeChange('gitlabId', { decision: { do: 'wait' }, wanted: declared('lab') });
  const step = (members: Step['members']): Step => ({
    operation: 'compose.update',
    role: 'update',
    members,
    changed: ['description'],
  });
  const written = attributeChange('description', { decision: { do: 'write', cause: 'edit' }, wanted: declared('new') });
  const update = (steps: readonly Step[], attributes = [written, waiting]) =>
    actionOf(shop, { kind: kindNamed('compose'), action: 'update', id: 'com_1', attributes, steps });

  test('is written but for the fields that wait, where it is there', () => {
    const action = update([step({ description: { is: 'wanted', field: anything, wanted: declared('new') } })]);
    const { notes, ...rest } = deferred(action, [lab]);
    expect({ ...rest, notes: [] }).toEqual(action);
    const message = 'source.provider waits for gitlab.lab, whose id is not known yet';
    expect(notes).toEqual([{ code: 'pending', severity: 'warning', message, remedy, address: shop, position: here }]);
  });

  test('is held back where it would be written by half', () => {
    const sentBack = step({ gitlabId: { is: 'as read', from: 'gitlabId' } });
    expect(isDeferred(deferred(update([sentBack]), [lab]))).toBe(true);
    const branch = attributeChange('gitlabBranch', { decision: { do: 'write', cause: 'edit' } });
    expect(isDeferred(deferred(update([step({})], [branch, waiting]), [lab]))).toBe(true);
  });

  test('is left as it is where no field of it waits', () => {
    const other = update([], [written]);
    expect(deferred(other, [lab])).toBe(other);
    expect(deferred(user, [])).toBe(user);
  });

  test('waits for what is only about to be created, and for what waits itself', () => {
    const created = actionOf('gitlab.lab', { kind, id: undefined, action: 'create' });
    expect(awaitedAmong(created)).toEqual([created]);
    const held = actionOf('gitlab.lab', { id: undefined, kept: 'held' });
    expect(awaitedAmong(held)).toEqual([held]);
  });

  test.each([
    ['that has an id', actionOf('gitlab.lab', { kind, id: 'lab_1', kept: 'held' })],
    ['that is created and known at once', actionOf('gitlab.lab', { id: undefined, action: 'create' })],
    ['of another plan', actionOf('gitlab.other', { kind, id: undefined, kept: 'held' })],
  ])('does not wait for an object %s', (_what, other) => {
    expect(awaitedAmong(other)).toEqual([]);
  });
});

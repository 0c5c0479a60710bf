import { describe, expect, test } from 'vitest';
import { isDeferred } from '../../src/plan/action.ts';
import type { Wanted } from '../../src/manifest/wanted.ts';
import { deferred, planPending } from '../../src/plan/not-listed.ts';
import type { StateRecord } from '../../src/state/record.ts';
import {
  actionOf,
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
  const user = actionOf('production.compose.shop', {
    action: 'update',
    dependsOn: ['production', 'gitlab.lab'],
    notes: [],
    dataAtRisk: 'its volumes',
  });
  const among = (...actions: readonly ReturnType<typeof actionOf>[]) =>
    new Map([actionOf('production'), ...actions].map((action) => [action.address, action]));

  test('is held back, and says what it waits for', () => {
    const held = deferred(user, among(lab));
    expect(held).toMatchObject({
      action: 'no-op',
      kept: 'held',
      steps: [],
      dataAtRisk: undefined,
    });
    expect(held.notes).toEqual([
      {
        code: 'pending',
        severity: 'warning',
        message: 'production.compose.shop waits for gitlab.lab, whose id is not known yet',
        remedy: 'Apply again when it is.',
        address: 'production.compose.shop',
        position: here,
      },
    ]);
  });

  test('is held back as well when it is only about to be created, and when it waits itself for something', () => {
    const created = actionOf('gitlab.lab', { kind, id: undefined, action: 'create' });
    expect(isDeferred(deferred(user, among(created)))).toBe(true);
    const waiting = actionOf('gitlab.lab', { id: undefined, kept: 'held' });
    expect(isDeferred(deferred(user, among(waiting)))).toBe(true);
  });

  test('names all that it waits for', () => {
    const other = actionOf('gitlab.other', { kind, id: undefined, kept: 'held' });
    const [note] = deferred({ ...user, dependsOn: ['gitlab.lab', 'gitlab.other'] }, among(lab, other)).notes;
    expect(note?.message).toBe('production.compose.shop waits for gitlab.lab, gitlab.other, whose id is not known yet');
  });

  test('keeps what was said of it', () => {
    const [note] = deferred(user, among(lab)).notes;
    const again = deferred({ ...user, notes: note === undefined ? [] : [note] }, among(lab));
    expect(again.notes).toEqual([note, note]);
  });

  test.each([
    ['that has an id', actionOf('gitlab.lab', { kind, id: 'lab_1', kept: 'held' })],
    ['that is created and known at once', actionOf('gitlab.lab', { id: undefined, action: 'create' })],
    ['of another plan', actionOf('gitlab.other', { kind, id: undefined, kept: 'held' })],
  ])('does not wait for an object %s', (_what, other) => {
    expect(deferred(user, among(other))).toBe(user);
  });
});

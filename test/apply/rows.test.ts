import { describe, expect, test } from 'vitest';
import { readSiblings, scopeNow } from '../../src/apply/rows.ts';
import type { Action } from '../../src/plan/action.ts';
import type { Answers } from '../support/run-values.ts';
import { failure, jobFor, runOf } from '../support/run-values.ts';
import { actionOf, kindNamed, objectOf } from '../support/plan-values.ts';

/** What stands beside an object: where it is read, and by which ids it is known. */

const shop = 'production.compose.shop';
const compose = actionOf(shop, { kind: kindNamed('compose'), id: 'compose_1' });
const below = (kind: string) => actionOf(`${shop}.${kind}`, { kind: kindNamed(kind), parent: shop, scope: shop });

/** Reads what is beside an action, from a platform that gives one answer to everything; undefined: there is no such thing. */
async function siblingsOf(action: Action, answer: unknown, actions: readonly Action[] = [compose]) {
  const asked: unknown[] = [];
  const answers: Answers = (...question) => {
    asked.push(question);
    return answer;
  };
  const { run } = runOf([...actions, action], { answers });
  return { asked, found: Object.fromEntries(await readSiblings(run, jobFor(run, action))) };
}

describe('the rows beside an object are read', () => {
  const [one, two] = [
    { sshKeyId: 'key_1', name: 'a' },
    { sshKeyId: 'key_2', name: 'b' },
  ];

  test('at the top from the list of its kind', async () => {
    const key = actionOf('sshKeys.deploy', { kind: kindNamed('sshKey') });
    expect(await siblingsOf(key, [one, two])).toEqual({
      asked: [['sshKey.all', {}]],
      found: { key_1: one, key_2: two },
    });
  });

  test('at the top of a project from the list of that project', async () => {
    const environment = actionOf('production', { kind: kindNamed('environment') });
    expect(await siblingsOf(environment, [])).toEqual({
      asked: [['environment.byProjectId', { projectId: 'prj_1' }]],
      found: {},
    });
  });

  test('from the row of its parent, where that has them', async () => {
    const rows = [{ backupId: 'backup_1' }, { backupId: 'backup_2' }];
    expect(await siblingsOf(below('backup'), { composeId: 'compose_1', backups: rows })).toEqual({
      asked: [['compose.one', { composeId: 'compose_1' }]],
      found: { backup_1: rows[0], backup_2: rows[1] },
    });
  });

  test('from the list of its parent, where that has one', async () => {
    const row = { volumeBackupId: 'volume_1' };
    expect(await siblingsOf(below('volumeBackup'), [row])).toEqual({
      asked: [['volumeBackups.list', { id: 'compose_1', volumeBackupType: 'compose' }]],
      found: { volume_1: row },
    });
  });
});

describe('there are no rows beside it', () => {
  const nothing = { asked: [], found: {} };

  test.each([
    ['below a parent without an id', below('backup'), [{ ...compose, id: undefined }]],
    ['below a parent that is not in the plan', below('backup'), []],
    ['where its kind is not allowed', below('redis'), [compose]],
    ['at the top, where its kind cannot stand', actionOf('main'), []],
  ])('%s: no request is sent', async (_title, action, actions) => {
    expect(await siblingsOf(action, [], actions)).toEqual(nothing);
  });

  test('when the parent is gone', async () => {
    expect((await siblingsOf(below('backup'), undefined)).found).toEqual({});
  });
});

test('an answer without a list of the kind is an error, not an empty list', async () => {
  for (const answer of [{ composeId: 'compose_1' }, { composeId: 'compose_1', backups: [{ name: 'a' }] }])
    await expect(siblingsOf(below('backup'), answer)).rejects.toMatchObject({ failure: 'platform' });
});

test('a read of a service that fails late leaves a newer one to the requests that follow', async () => {
  const row = { composeId: 'compose_1' };
  let fail = (): void => undefined;
  const late = new Promise((_, reject) => (fail = () => reject(failure('forbidden', 403))));
  const answers = [late, row];
  const objects = { [shop]: objectOf('compose_1', row) };
  const { run, requests } = runOf([compose], { objects, answers: () => answers.shift() });
  const { scope } = jobFor(run, compose);
  const former = scopeNow(run, scope);
  expect(await scopeNow(run, scope, { refetch: true })).toEqual(row);
  fail();
  await expect(former).rejects.toThrow('something went wrong');
  expect(await scopeNow(run, scope)).toEqual(row);
  expect(requests).toEqual(['compose.one compose_1', 'compose.one compose_1']);
});

import { describe, expect, test } from 'vitest';
import { partAddress } from '../../src/kind/address.ts';
import type { Action } from '../../src/plan/action.ts';
import { waitingInCircle } from '../../src/plan/circle.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import {
  actionOf,
  aStep,
  attributeChange,
  declared,
  here,
  inputOf,
  kindNamed,
  objectOf,
  recordOf,
} from '../support/plan-values.ts';

/** Plans that no order of requests carries out. */

const main = 'staging.postgres.main';
const web = 'production.application.web';
const aCreate = { ...aStep, role: 'create' } as const;
const replaced = { action: 'replace', teardown: [aStep], steps: [aCreate] } as const;

/** Staging is replaced with the database in it, after the application in it has moved out, which refers to the database. */
function circular(moved: ActionMembers) {
  const { state, observed } = inputOf(
    { [web]: objectOf('web_1', {}, { parentId: 'id of staging' }) },
    { [main]: recordOf('postgres', 'main_1', { parent: 'staging', dependsOn: ['staging'] }) },
  );
  const actions = [
    actionOf('staging', replaced),
    actionOf(main, { ...replaced, parent: 'staging', dependsOn: ['staging'] }),
    actionOf(web, { action: 'move', steps: [aStep], dependsOn: [main], ...moved }),
  ];
  return waitingInCircle({ actions, base: state, observed });
}

test('a move that needs what is made anew where it leaves is an error that names the circle and the move', () => {
  expect(circular({})).toMatchObject([
    {
      severity: 'error',
      message: `no order of the requests works, because each of these waits for the next: staging -> ${web} -> ${main} -> staging`,
      remedy: `Apply the move of ${web} first, and the rest of the change after it.`,
      address: 'staging',
      position: here,
    },
  ]);
});

describe('of a kind of which only one object can have a name', () => {
  const tag = kindNamed('tag');
  const [one, two, old] = ['tags.one', 'tags.two', 'tags.old'];
  const unique = tag.lifecycle?.unique ?? '';
  /** Renames an object to a name that another one has until its own action is done. */
  const renamed = (address: string, to: string) =>
    actionOf(address, {
      kind: tag,
      steps: [{ operation: 'tag.update', role: 'update', members: {}, changed: [unique] }],
      attributes: [
        attributeChange(unique, {
          wanted: declared(to),
          before: secret(address.slice('tags.'.length)),
          decision: { do: 'write', cause: 'edit' },
        }),
      ],
    });
  const remedyOf = (...actions: readonly Action[]) => {
    const records = [one, two, old].map((address) => [address, recordOf('tag', `id of ${address}`)] as const);
    const rows = [one, two, old].map(
      (address) => [address, objectOf(`id of ${address}`, { [unique]: address.slice('tags.'.length) })] as const,
    );
    const { state, observed } = inputOf(Object.fromEntries(rows), Object.fromEntries(records));
    return waitingInCircle({ actions, base: state, observed }).map(({ remedy }) => remedy);
  };

  test('two that take the names of each other need a third name for a while', () => {
    expect(remedyOf(renamed(one, 'two'), renamed(two, 'one'))).toEqual([
      `Give ${one} a name that no other has, apply, and then the one that it is to have.`,
    ]);
    expect(remedyOf(renamed(one, 'three'), renamed(two, 'one'))).toEqual([]);
  });

  test('one that takes the name of a deleted one that refers to it may be that one under another key', () => {
    const gone = actionOf(old, { kind: tag, action: 'delete', teardown: [aStep], follows: [one] });
    expect(remedyOf(gone, renamed(one, 'old'))).toEqual([
      `Say moved: [{ from: "${old}", to: "${one}" }], or give ${one} a name that no other has.`,
    ]);
  });
});

test('a move that needs nothing of that, and an object that stays there, are none', () => {
  expect(circular({ dependsOn: [] })).toEqual([]);
  expect(circular({ action: 'update' })).toEqual([]);
});

test('a deposed object that has to go before what its users need is one too', () => {
  const old = partAddress('staging.redis.cache', 'deposed');
  const { state, observed } = inputOf(
    {},
    { [old]: recordOf('redis', 'cache_1', { parent: 'staging', dependsOn: ['staging'] }) },
  );
  const actions = [
    actionOf('staging', replaced),
    actionOf(old, { action: 'delete', teardown: [aStep], parent: 'staging', follows: [web] }),
    actionOf(web, { action: 'update', steps: [aStep], dependsOn: ['staging'] }),
  ];
  expect(waitingInCircle({ actions, base: state, observed })).toMatchObject([
    {
      message: expect.stringMatching(/: staging -> staging\.redis\.cache \(old\) -> .*web -> staging$/) as string,
      remedy: 'Apply a part of the change first.',
    },
  ]);
});

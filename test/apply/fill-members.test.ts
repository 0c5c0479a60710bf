import { describe, expect, test } from 'vitest';
import { answersAll, buildMembers, chosenId, created, needsRow, rehearse } from '../../src/apply/fill-members.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import { fieldOf } from '../../src/kind/row-values.ts';
import type { Outputs, Wanted } from '../../src/manifest/wanted.ts';
import type { Action, Member, Step } from '../../src/plan/action.ts';
import { secret } from '../../src/secrets/secret.ts';
import {
  actionOf,
  anything,
  declared,
  kindNamed,
  lacking,
  attributeChange,
  referring,
} from '../support/plan-values.ts';

/** What one request says, when it is not sent at all, and what must not show of it. */

const address = 'production.redis.main';
const redis = kindNamed('redis');
const host = { address: 'production.postgres.main', output: 'host' };

const wanted = (value: Json, field = 'description'): Member => ({
  is: 'wanted',
  field: fieldOf(redis, field),
  wanted: declared(value),
});
const later: Member = { is: 'wanted', field: anything, wanted: referring(host) };
const asRead = (from: string): Member => ({ is: 'as read', from });
const fixed = (value: Json): Member => ({ is: 'value', value: secret(value) });
const ownId: Member = { is: 'id', address };

/** A map of variables; all of them are ours when nothing else is said. */
function env(
  entries: Readonly<Record<string, Wanted>>,
  more: { keepOthers?: boolean; removed?: string[] } = {},
): Member {
  return {
    is: 'map',
    field: fieldOf(redis, 'env'),
    name: 'env',
    entries: new Map(Object.entries(entries)),
    keepOthers: false,
    removed: [],
    ...more,
  };
}

interface Case {
  readonly action?: Partial<Action>;
  readonly role?: Step['role'];
  /** For whose sake the request is sent: all members when nothing else is said. */
  readonly changed?: readonly string[];
  readonly outputs?: Readonly<Record<string, string>>;
  readonly made?: Row;
  readonly now?: Row;
  /** What a look shows that is taken for this request. */
  readonly read?: Row;
}

/** Builds a request; gives its members, the values that became secrets, and how often the object was read. */
function sending(members: Step['members'], how: Case = {}) {
  const { action, role = 'update', changed = Object.keys(members), outputs = {}, made, now, read } = how;
  const sent: Readonly<Record<string, unknown>>[] = [];
  const secrets: string[] = [];
  let looks = 0;
  const step = { operation: 'redis.update', role, members, changed } as const;
  const readNow = (): Row => {
    looks += 1;
    if (read === undefined) throw new Error('nobody should look');
    return read;
  };
  const built = buildMembers({
    action: actionOf(address, action),
    step,
    outputs: ({ output }) => outputs[output],
    idOf: (of) => (of === address ? 'redis_1' : undefined),
    addSecret: (one) => secrets.push(...(typeof one === 'string' ? [one] : one())),
    made,
    now: now ?? (needsRow(step) ? (answersAll(step, made) ?? readNow()) : undefined),
  });
  if (built !== undefined) sent.push(built);
  return { sent, secrets, looks };
}

/** What one member says. */
function said(member: Member, how: Case = {}, name = 'description'): unknown {
  const { sent } = sending({ [name]: member }, how);
  return sent[0]?.[name];
}

const refusing = (why: string) => `${address}: redis.update was not sent: ${why}`;

describe('a request sends', () => {
  test('ids, constants and declared values, also of objects created in this run', () => {
    const members = { redisId: ownId, appName: fixed('x'), name: wanted('shop', 'name'), description: later };
    const { sent, looks } = sending(members, { outputs: { host: 'db-1' } });
    expect(sent).toEqual([{ redisId: 'redis_1', appName: 'x', name: 'shop', description: 'db-1' }]);
    expect(looks).toBe(0);
  });

  test('members that it sends back unchanged, read now unless they were read just before', () => {
    const members = { redisId: ownId, name: asRead('name'), description: wanted('b') };
    const changed = ['description'];
    const read = { name: 'cache' };
    expect(sending(members, { changed, read })).toMatchObject({
      sent: [{ redisId: 'redis_1', name: 'cache', description: 'b' }],
      looks: 1,
    });
    expect(sending(members, { changed, now: read })).toMatchObject({ sent: [{ name: 'cache' }], looks: 0 });
    expect(sending(members, { changed, made: read })).toMatchObject({ sent: [{ name: 'cache' }], looks: 0 });
  });

  test('members that it sends back unchanged, read when the answer to the create lacks them', () => {
    const members = { name: asRead('name'), command: asRead('command'), description: wanted('b') };
    const read = { name: 'now', command: null };
    expect(sending(members, { changed: ['description'], made: { name: 'then' }, read })).toMatchObject({
      sent: [{ name: 'now', command: null }],
      looks: 1,
    });
  });

  test.each<[string, Member, Json]>([
    ['a set that others add to', { is: 'set', field: anything, wanted: declared(['b']), formerly: ['c'] }, ['a', 'b']],
    ['variables that others may add to', env({ B: declared('2') }, { keepOthers: true }), 'A=1\nB=2\n'],
    ['a variable whose secret this run does not have', env({ A: lacking('WORD'), B: declared('2') }), 'A=1\nB=2\n'],
  ])('the present part of %s, read now', (_title, member, value) => {
    const name = member.is === 'set' ? 'networkIds' : 'env';
    const { sent, looks } = sending({ [name]: member }, { read: { networkIds: ['a', 'c'], env: 'A=1\n' } });
    expect({ sent, looks }).toEqual({ sent: [{ [name]: value }], looks: 1 });
  });

  test('exactly the declared variables, without a read', () => {
    const { sent, looks } = sending({ env: env({ A: declared('1'), N: declared(2) }) });
    expect({ sent, looks }).toEqual({ sent: [{ env: 'A=1\nN=2\n' }], looks: 0 });
    expect(said(env({ A: declared('1') }), { now: { env: 'A=9\nX=1\n' } }, 'env')).toBe('A=1\n');
    expect(said(env({}), { now: { env: 'X=1\n' } }, 'env')).toBe('');
  });

  test('variables of others as they are, without the ones that are removed', () => {
    const member = env({ A: declared('1') }, { keepOthers: true, removed: ['OLD'] });
    expect(said(member, { now: { env: 'A=9\nOLD=1\nX=2\n' } }, 'env')).toBe('X=2\nA=1\n');
    expect(said(member, { now: { env: null } }, 'env')).toBe('A=1\n');
  });

  test('nothing of a variable whose secret this run does not have and that is not there', () => {
    expect(said(env({ A: lacking('WORD'), B: declared('2') }), { now: { env: 'X=1\n' } }, 'env')).toBe('B=2\n');
  });

  test('a set as declared, when the platform has no entries or no row was read', () => {
    const member: Member = { is: 'set', field: anything, wanted: declared(['b']), formerly: ['a'] };
    expect(said(member, { now: {} }, 'networkIds')).toEqual(['b']);
    expect(said(member, { now: { networkIds: null } }, 'networkIds')).toEqual(['b']);
  });
});

describe('a request is refused before it is sent', () => {
  test.each<[string, Member, Case, string]>([
    ['when an id is not known', { is: 'id', address: 'production' }, {}, 'the id of production is not known'],
    ['when what it waits for did not come', later, {}, 'description is still not known'],
    [
      'when a set waits for something',
      { is: 'set', field: anything, wanted: referring(host), formerly: [] },
      { now: {} },
      'description is still not known',
    ],
    ['when a variable waits for something', env({ A: referring(host) }), {}, 'env.A is still not known'],
    [
      'when the answer lacks a member that has to be sent back',
      asRead('description'),
      { now: { name: 'a' } },
      'the platform did not answer description, which has to be sent back',
    ],
    [
      'when what has to be sent back could not be decrypted',
      asRead('description'),
      { now: { description: 'enc:v1:abc' } },
      'the platform could not decrypt description; sending it back would make the loss permanent',
    ],
    [
      'when variables could not be decrypted',
      env({ A: declared('1') }, { keepOthers: true }),
      { now: { env: 'enc:v1:abc' } },
      'the platform could not decrypt env; sending it back would make the loss permanent',
    ],
    [
      'when a field that is no map is to be written as one',
      { is: 'map', field: anything, name: 'name', entries: new Map(), keepOthers: false, removed: [] },
      {},
      'name is no map',
    ],
    ['when a member is the mark of a deployment', { is: 'mark' }, {}, 'only the request of a deployment has a mark'],
  ])('%s', (_title, member, how, why) => {
    expect(() => sending({ description: member }, how)).toThrow(
      expect.objectContaining({
        message: refusing(why),
        failure: 'refused',
        diagnostics: [expect.objectContaining({ code: 'cannot-change', address })],
      }),
    );
  });

  test('when the platform would read a variable as something else, and says which', () => {
    expect(() => sending({ env: env({ A: declared('1'), 'a b': declared('2') }) })).toThrow(
      refusing('env.a b cannot be passed unchanged: '),
    );
  });

  test('and not when a text only has a cipher in the middle of it', () => {
    expect(said(asRead('description'), { now: { description: 'not enc:v1:abc' } })).toBe('not enc:v1:abc');
  });
});

describe('a request that would change nothing is not sent:', () => {
  const at = (before: Json, decision: 'known after apply' | 'edit' = 'known after apply', attribute = {}) => ({
    outputs: { host: 'db-1' },
    action: {
      attributes: [
        attributeChange('name', { before: secret('db-1') }),
        attributeChange('description', {
          decision: { do: 'write', cause: decision },
          before: secret(before),
          ...attribute,
        }),
      ],
    },
  });

  test('a value that became known in this run equals the one of the platform', () => {
    expect(sending({ description: later }, at('db-1'))).toMatchObject({ sent: [] });
    expect(sending({ description: later }, at('db-2')).sent).toEqual([{ description: 'db-1' }]);
  });

  test('equal values in another notation count as equal', () => {
    const empty: Member = { is: 'wanted', field: fieldOf(redis, 'description'), wanted: declared('') };
    expect(sending({ description: empty }, at(null))).toMatchObject({ sent: [] });
    expect(sending({ description: { ...empty, field: anything } }, at(null))).toMatchObject({
      sent: [{ description: '' }],
    });
  });

  test('but a change that the plan showed is sent, and a single variable does not count as its whole field', () => {
    expect(sending({ description: later }, at('db-1', 'edit')).sent).toHaveLength(1);
    const ofKey = at('db-1', 'known after apply', { attribute: { field: 'description', key: 'A' } });
    expect(sending({ description: later }, ofKey).sent).toHaveLength(1);
    const nothing = at('db-1', 'edit', { decision: { do: 'nothing', settled: true } });
    expect(sending({ description: later }, nothing).sent).toHaveLength(1);
    expect(sending({ description: later }, { outputs: { host: 'db-1' } }).sent).toHaveLength(1);
  });

  test('the create answered all of it already', () => {
    const members = { description: wanted('a'), name: wanted('shop', 'name') };
    const made = { description: 'a', name: 'shop' };
    expect(sending(members, { made })).toMatchObject({ sent: [] });
    expect(sending(members, { made: { ...made, name: 'store' } }).sent).toEqual([{ description: 'a', name: 'shop' }]);
    expect(sending({ description: wanted(null) }, { made: {} }).sent).toEqual([]);
  });

  test('one real change suffices, and a member that is sent back is none', () => {
    const both = { description: later, name: wanted('shop', 'name') };
    expect(sending(both, at('db-1')).sent).toHaveLength(1);
    expect(sending(both, { ...at('db-1'), changed: ['description'] }).sent).toEqual([]);
  });

  test('a constant, a map and a change without a member count as changes', () => {
    const made = { description: 'a', env: 'A=1\n' };
    expect(sending({ description: fixed('a') }, { made }).sent).toHaveLength(1);
    expect(sending({ env: env({ A: declared('1') }) }, { made }).sent).toHaveLength(1);
    const untold = { made, changed: ['sourceType'] };
    expect(sending({ description: wanted('a') }, untold).sent).toHaveLength(1);
    const both = { made, changed: ['sourceType', 'description'] };
    expect(sending({ description: wanted('b') }, both).sent).toHaveLength(1);
  });

  test.each(['create', 'move', 'delete', 'reset', 'deploy'] as const)('does not apply to a %s', (role) => {
    expect(sending({ redisId: ownId }, { role, changed: [] }).sent).toEqual([{ redisId: 'redis_1' }]);
  });
});

describe('redacted in an echo of the platform', () => {
  test('are secret fields, and variables that look secret', () => {
    const members = {
      env: env({ A: declared('one'), API_TOKEN: declared('two') }),
      databasePassword: wanted('horse'),
    };
    expect([...new Set(sending(members).secrets)]).toEqual(['two', 'horse']);
  });

  test('is what looks secret in members that are sent back, at any depth', () => {
    const now = {
      name: 'cache',
      labels: { a: ['redis://:one@cache'] },
      env: 'A=b\nAPI_TOKEN=two\n',
      password: 'three',
    };
    const members = {
      name: asRead('name'),
      labels: asRead('labels'),
      env: asRead('env'),
      password: asRead('password'),
    };
    expect([...new Set(sending(members, { now }).secrets)]).toEqual(['one', 'two', 'three']);
  });

  test('are no public declared fields and no ids', () => {
    const members = { redisId: ownId, description: wanted('b'), environmentId: fixed('e'), databasePassword: ownId };
    expect(sending(members).secrets).toEqual([]);
  });
});

describe('before a replacement, the requests of the new object are checked:', () => {
  const creating = (members: Step['members'], known: readonly string[] = ['production']) =>
    rehearse({
      action: actionOf(address),
      step: { operation: 'redis.create', role: 'create', members, changed: [] },
      outputs: () => undefined,
      idOf: (of) => (known.includes(of) ? 'env_1' : undefined),
    });
  const whole = {
    name: wanted('cache', 'name'),
    databasePassword: wanted('horse', 'databasePassword'),
    environmentId: { is: 'id', address: 'production' },
  } as const;

  test('a valid request passes, also while the id of its parent is unknown', () => {
    expect(() => creating(whole)).not.toThrow();
    expect(() => creating(whole, [])).not.toThrow();
  });

  test('a value that the operation does not take, or one that is missing, is named', () => {
    const refused = (why: string) => `${address}: redis.create was not sent: ${why}`;
    expect(() => creating({ ...whole, name: fixed(3) })).toThrow(refused('name must be text'));
    const { name: _left, ...without } = whole;
    expect(() => creating(without)).toThrow(refused('name must be text, got nothing'));
  });

  test.each<[string, Member]>([
    ['is declared and waits for something', later],
    ['goes along as it is read', asRead('description')],
    ['is a set that others add to', { is: 'set', field: anything, wanted: declared(['a']), formerly: [] }],
    ['is a map in which one waits for something', env({ A: declared('1'), B: referring(host) })],
  ])('a member that %s is not checked, and all others are', (_title, member) => {
    const { name: _left, ...without } = whole;
    expect(() => creating({ ...without, name: member })).not.toThrow();
    expect(() => creating({ ...whole, description: member, name: fixed(3) })).toThrow('name must be text');
  });

  test('a member whose value became known is checked', () => {
    const trying = (outputs: Outputs) => () =>
      rehearse({
        action: actionOf(address),
        step: { operation: 'redis.update', role: 'update', members: { redisId: ownId, replicas: later }, changed: [] },
        outputs,
        idOf: () => 'redis_1',
      });
    expect(trying(() => 'db-1')).toThrow('replicas must be');
    expect(trying(() => undefined)).not.toThrow();
  });

  test('a map with known entries only is checked', () => {
    expect(() => creating({ ...whole, description: env({ 'a b': declared('1') }) })).toThrow(
      'cannot be passed unchanged',
    );
  });
});

describe('the answer to a create', () => {
  const action = actionOf(address);

  test('gives the id and the row', () => {
    expect(created(action, { redisId: 'redis_1', name: 'a' })).toEqual({
      id: 'redis_1',
      row: { redisId: 'redis_1', name: 'a' },
    });
  });

  test.each([[true], [''], [null], [[{ redisId: 'redis_1' }]], [{ name: 'a' }], [{ redisId: '' }]])(
    'that is %j has no id, unless Trueup chose it',
    (answer) => {
      expect(created(action, answer)).toBeUndefined();
      expect(created(action, answer, 'chosen')).toMatchObject({ id: 'chosen', row: { redisId: 'chosen' } });
    },
  );

  test('gives its own id, also when Trueup chose another', () => {
    expect(created(action, { redisId: 'redis_1' }, 'chosen')?.id).toBe('redis_1');
  });

  test('gives the id that Trueup chose only when the request sent it', () => {
    const choosing = (members: Step['members']) =>
      chosenId(action, { operation: 'redis.create', role: 'create', members, changed: [] });
    expect(choosing({ redisId: fixed('mine') })).toBe('mine');
    expect(choosing({ redisId: fixed(3) })).toBeUndefined();
    expect(choosing({ redisId: ownId })).toBeUndefined();
    expect(choosing({ name: fixed('mine') })).toBeUndefined();
  });
});

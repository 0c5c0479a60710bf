import { describe, expect, test } from 'vitest';
import { changedSince } from '../../src/apply/freshness.ts';
import { text } from '../../src/kind/codecs.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Member, AttributeChange, Step } from '../../src/plan/action.ts';
import type { Decision } from '../../src/plan/decide.ts';
import { secret } from '../../src/secrets/secret.ts';
import { actionOf, anything, declared, kindNamed, attributeChange } from '../support/plan-values.ts';

/** What an action would overwrite or remove that its plan never showed. */

const address = 'production.redis.main';
const write: Decision = { do: 'write', cause: 'edit' };
const settled: Decision = { do: 'nothing', settled: true };

const wanted: Member = { is: 'wanted', field: anything, wanted: declared('b') };
const asRead: Member = { is: 'as read', from: 'description' };

/** A request with members; it is sent for all of them. */
function update(members: Step['members']): Step {
  return { operation: 'redis.update', role: 'update', members, changed: Object.keys(members) };
}

/** A request that writes env whole, or only what is ours in it. */
function writingEnv(keepOthers: boolean): Step {
  return update({ env: { is: 'map', field: anything, name: 'env', entries: new Map(), keepOthers, removed: [] } });
}

/** A field that had a value when the plan was made. */
function attribute(
  field: string,
  decision: Decision,
  before: string | null = 'a',
  more: Partial<AttributeChange> = {},
) {
  return attributeChange(field, { decision, wanted: declared('b'), before: secret(before), ...more });
}

/** A key of env that had a value when the plan was made. */
function key(name: string, decision: Decision, before: string | null) {
  return attribute('env', decision, before, { attribute: { field: 'env', key: name } });
}

interface Case {
  readonly attributes: readonly AttributeChange[];
  readonly steps?: readonly Step[];
  readonly now: Row;
  /** The request that was sent last, perhaps. */
  readonly underway?: Step;
}

function changed({ attributes, steps = [update({ description: wanted })], now, underway }: Case): string | undefined {
  return changedSince(actionOf(address, { action: 'update', attributes, steps }), now, () => undefined, underway);
}

const description = `description of ${address} was changed on the platform`;

describe('a field that changed since the plan', () => {
  const now = { description: 'by hand' };

  test.each<[string, Partial<AttributeChange>]>([
    ['is written', { decision: write }],
    ['is removed', { decision: { do: 'remove' }, wanted: undefined }],
    ['goes along with what is written', { decision: settled }],
  ])('is named where it %s', (_title, more) => {
    expect(changed({ attributes: [attribute('description', settled, 'a', more)], now })).toBe(description);
  });

  test.each<[string, Partial<AttributeChange>]>([
    ['is left as it is', { decision: { do: 'leave', sentence: 'it cannot be written' } }],
    ['is no longer managed', { decision: { do: 'release' }, wanted: undefined }],
    ['was never declared', { decision: settled, wanted: undefined }],
  ])('is ignored when it %s', (_title, more) => {
    expect(changed({ attributes: [attribute('description', settled, 'a', more)], now })).toBeUndefined();
  });

  test('counts when the request sends the declared value, not when it sends back the value just read', () => {
    const along = (member: Member) =>
      changed({ attributes: [attribute('description', settled)], steps: [update({ description: member })], now });
    expect(along({ is: 'wanted', field: anything, wanted: declared('a') })).toBe(description);
    expect(along({ is: 'value', value: secret('a') })).toBe(description);
    expect(along(asRead)).toBeUndefined();
    expect(along({ is: 'set', field: anything, wanted: declared(['a']), formerly: [] })).toBeUndefined();
  });

  test('does not count for a request without its member', () => {
    const steps = [update({ dockerImage: wanted })];
    expect(changed({ attributes: [attribute('description', settled)], steps, now })).toBeUndefined();
  });

  test('does not count when both values mean the same', () => {
    const same = (before: string | null, value: string | null) =>
      changed({
        attributes: [attribute('description', write, before, { field: { ...anything, codec: text } })],
        now: { description: value },
      });
    expect(same(null, '')).toBeUndefined();
    expect(same('', null)).toBeUndefined();
    expect(same(null, ' ')).toBe(description);
  });

  test('is named first in the order of the fields', () => {
    const attributes = [attribute('name', write), attribute('description', write), attribute('dockerImage', write)];
    expect(changed({ attributes, now: { name: 'a', description: 'c', dockerImage: 'c' } })).toBe(description);
    expect(changed({ attributes, now: { name: 'a', description: 'a', dockerImage: 'a' } })).toBeUndefined();
  });
});

describe('a variable', () => {
  const steps = [writingEnv(false)];

  test('that is written, removed or sent unchanged is named by its key', () => {
    const at = (attributes: readonly AttributeChange[], env: string) => changed({ attributes, steps, now: { env } });
    expect(at([key('A', write, '1')], 'A=9\n')).toBe(`env.A of ${address} was changed on the platform`);
    expect(at([key('A', { do: 'remove' }, '1')], 'A=9\n')).toBe(`env.A of ${address} was changed on the platform`);
    expect(at([key('A', write, '1'), key('B', settled, '2')], 'A=1\nB=9\n')).toBe(
      `env.B of ${address} was changed on the platform`,
    );
    expect(at([key('A', write, '1')], '')).toBe(`env.A of ${address} was changed on the platform`);
    expect(at([key('A', write, null)], 'A=9\n')).toBe(`env.A of ${address} was changed on the platform`);
    expect(at([key('A', write, '1'), key('B', settled, '2')], 'B=2\nA=1\n')).toBeUndefined();
  });

  test('that somebody added is named where the manifest owns all variables, and kept where it merges', () => {
    const at = (step: Step) =>
      changed({ attributes: [key('A', write, '1')], steps: [step], now: { env: 'A=1\nHOTFIX=1\n' } });
    expect(at(writingEnv(false))).toBe(`env.HOTFIX of ${address} was added on the platform`);
    expect(at(writingEnv(true))).toBeUndefined();
  });

  test('that somebody added is named, also when a field has its name, or no variable was planned', () => {
    const added = `env.description of ${address} was added on the platform`;
    const now = { env: 'description=1\n' };
    expect(changed({ attributes: [attribute('description', settled)], steps, now })).toBe(added);
    expect(changed({ attributes: [], steps, now })).toBe(added);
  });

  test('that somebody added is named, also when another map of the resource has one of that name', () => {
    const web = 'production.application.web';
    const buildArg = attribute('buildArgs', settled, '1', { attribute: { field: 'buildArgs', key: 'A' } });
    const action = actionOf(web, { kind: kindNamed('application'), action: 'update', attributes: [buildArg], steps });
    expect(changedSince(action, { env: 'A=1\n', buildArgs: 'A=1\n' }, () => undefined)).toBe(
      `env.A of ${web} was added on the platform`,
    );
  });

  test('that somebody added is ignored when no request writes env', () => {
    expect(
      changed({ attributes: [attribute('description', write)], now: { description: 'a', env: 'X=1\n' } }),
    ).toBeUndefined();
  });
});

describe('in an action with several requests', () => {
  const first = update({ description: wanted });
  const second = update({ dockerImage: wanted });
  const attributes = [attribute('description', write), attribute('dockerImage', write)];

  test('a value that an earlier request wrote passes', () => {
    const now = { description: 'c', dockerImage: 'a' };
    expect(changed({ attributes, steps: [first, second], now, underway: second })).toBeUndefined();
    expect(changed({ attributes, steps: [first, second], now, underway: first })).toBe(description);
    expect(changed({ attributes, steps: [first, second], now })).toBe(description);
  });

  test('the wanted value of the current request passes, and another value is refused', () => {
    const at = (now: Row) => changed({ attributes, steps: [first, second], now, underway: first });
    expect(at({ description: 'b', dockerImage: 'a' })).toBeUndefined();
    expect(at({ description: 'b', dockerImage: 'c' })).toBe(`dockerImage of ${address} was changed on the platform`);
  });

  test('a field of a later request must be as the plan saw it', () => {
    const now = { description: 'b', dockerImage: 'c' };
    expect(changed({ attributes, steps: [first, second], now, underway: second })).toBe(
      `dockerImage of ${address} was changed on the platform`,
    );
  });

  test('a value that an earlier request wrote and the next one sends again must still be there', () => {
    const again = update({ description: wanted, dockerImage: wanted });
    const at = (present: string) =>
      changed({ attributes, steps: [first, again], now: { description: present, dockerImage: 'a' }, underway: again });
    expect(at('c')).toBe(description);
    expect(at('b')).toBeUndefined();
  });

  test('a field that an earlier request only sent back does not count as written', () => {
    const giving = update({ description: asRead });
    const now = { description: 'c', dockerImage: 'a' };
    expect(changed({ attributes, steps: [giving, second], now, underway: second })).toBe(description);
  });

  test('a variable that somebody added after env was written does not stop the other requests', () => {
    const steps = [writingEnv(false), second];
    const now = { dockerImage: 'a', env: 'X=1\n' };
    expect(changed({ attributes: [attribute('dockerImage', write)], steps, now, underway: second })).toBeUndefined();
    expect(changed({ attributes: [attribute('dockerImage', write)], steps, now })).toBe(
      `env.X of ${address} was added on the platform`,
    );
  });
});

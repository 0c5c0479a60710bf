import { describe, expect, test } from 'vitest';
import type { Wanted } from '../../src/manifest/wanted.ts';
import type { Action, AttributeChange } from '../../src/plan/action.ts';
import type { Staleness } from '../../src/plan/action.ts';
import { stalenessOf } from '../../src/plan/staleness.ts';
import type { Decision } from '../../src/plan/decide.ts';
import type { ServiceActions } from '../../src/plan/deploy-inputs.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { secret } from '../../src/secrets/secret.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import {
  actionOf,
  declared,
  inputOf,
  kindNamed,
  pairOf,
  attributeChange,
  recordOf,
  referring,
} from '../support/plan-values.ts';

/** Changes of a plan that make a service stale, and the actions that send them. */

const shop = 'production.compose.shop';
const write: Decision = { do: 'write', cause: 'edit' };
const pending: Decision = { do: 'write', cause: 'known after apply' };
const host = { address: 'production.redis.main', output: 'host' };

function attribute(kind: string, name: string, more: Partial<AttributeChange> = {}): AttributeChange {
  const field = kindNamed(kind).fields[name];
  if (field === undefined) throw new Error(`a ${kind} has no ${name}`);
  return attributeChange(name, { field, ...more });
}

const command = (decision: Decision, more: Partial<AttributeChange> = {}) =>
  attribute('compose', 'command', { decision, ...more });
const variable = (key: string, wanted: Wanted, more: Partial<AttributeChange> = {}) =>
  attribute('compose', 'env', { attribute: { field: 'env', key }, wanted, ...more });
const stack = (attributes: readonly AttributeChange[], more: ActionMembers = {}) =>
  actionOf(shop, { kind: kindNamed('compose'), parent: 'production', attributes, ...more });
const domain = (more: ActionMembers = {}, attributes: readonly AttributeChange[] = []) =>
  actionOf(`${shop}.domains["a.b"]`, { kind: kindNamed('domain'), scope: shop, attributes, ...more });

interface About extends Partial<ServiceActions> {
  readonly isCode?: boolean;
  readonly resources?: Readonly<Record<string, StateRecord>>;
  readonly host?: string;
}

function staleness({ isCode = false, resources = {}, host, ...service }: About): Staleness | undefined {
  const find = stalenessOf({ ...inputOf({}, resources), outputs: () => host });
  return find({ root: stack([]), leafs: [], above: [], ...service }, isCode);
}

describe('a change of the service itself', () => {
  test('makes it stale where only a deployment puts the write into effect', () => {
    expect(staleness({})).toBeUndefined();
    expect(staleness({ root: stack([command(write)]) })).toStrictEqual({ because: ['command'], through: [shop] });
    for (const decision of [{ do: 'remove' }, { do: 'replace', cause: 'edit' }] as const) {
      const changed = variable('A', declared('1'), { decision });
      expect(staleness({ root: stack([changed]) })?.because).toEqual(['env.A']);
    }
    expect(staleness({ root: stack([attribute('compose', 'autoDeploy', { decision: write })]) })).toBeUndefined();
    for (const decision of [{ do: 'release' }, { do: 'leave', sentence: '' }] as const)
      expect(staleness({ root: stack([command(decision)]) })).toBeUndefined();
  });

  test('makes it stale where the platform has a value already that was not settled last', () => {
    const settled = { do: 'nothing', settled: true } as const;
    const about = { wanted: declared('up'), pair: pairOf('down', 'up') };
    expect(staleness({ root: stack([command(settled, about)]) })?.because).toEqual(['command']);
    for (const attributes of [
      [command(settled, { ...about, pair: pairOf('up', 'UP') })],
      [command(settled, { ...about, pair: undefined })],
      [command(settled, { ...about, wanted: undefined })],
      [command({ do: 'nothing', settled: false }, about)],
      [command(settled, { ...about, wanted: referring(host) })],
    ])
      expect(staleness({ root: stack(attributes) })).toBeUndefined();
    // It was ignored when it was deployed last, and a person set it since.
    const ignored = { ...about, pair: { ...pairOf('up', 'UP'), ignored: 1 } } as const;
    expect(staleness({ root: stack([command(settled, ignored)]) })?.because).toEqual(['command']);
    const known = [
      command(settled, { ...about, standing: { declared: 'edited', there: 'as wanted' }, wanted: referring(host) }),
    ];
    expect(staleness({ root: stack(known), host: 'main' })?.because).toEqual(['command']);
  });

  test('may come to nothing where every value is known only after apply', () => {
    const later = command(pending);
    expect(staleness({ root: stack([later]) })?.isPending).toBe(true);
    expect(staleness({ root: stack([later, attribute('compose', 'suffix', { decision: write })]) })).not.toHaveProperty(
      'isPending',
    );
    expect(
      staleness({ root: stack([command(write), attribute('compose', 'suffix', { decision: pending })]) })?.isPending,
    ).toBeUndefined();
    expect(staleness({ root: stack([later]), leafs: [domain({ action: 'delete' })] })?.isPending).toBeUndefined();
  });

  test('needs new code where its source changes and is fetched', () => {
    const branch = attribute('compose', 'customGitBranch', { decision: write });
    const source = attribute('compose', 'sourceType', { decision: write });
    expect(staleness({ root: stack([branch]), isCode: true })?.code).toBe(true);
    expect(staleness({ root: stack([source]), isCode: true })?.code).toBe(true);
    expect(staleness({ root: stack([branch, command(write)]), isCode: true })?.code).toBe(true);
    expect(staleness({ root: stack([branch]) })?.code).toBeUndefined();
    expect(staleness({ root: stack([command(write)]), isCode: true })?.code).toBeUndefined();
    const unions = [{ tag: 'sourceType', describe: '', cases: { raw: { file: 'customGitBranch' } } }];
    const kind = { ...kindNamed('compose'), unions };
    expect(staleness({ root: stack([branch], { kind }), isCode: true })?.code).toBeUndefined();
  });

  test('is its first deployment, with its code, where the service is created', () => {
    const root = stack([command(write)], { action: 'create', id: undefined });
    expect(staleness({ root })).toStrictEqual({ because: [], through: [] });
    expect(staleness({ root: stack([command(write)], { action: 'replace' }), isCode: true })).toStrictEqual({
      code: true,
      because: [],
      through: [],
    });
  });
});

describe('a change of an object below the service', () => {
  const known = { [`${shop}.domains["a.b"]`]: recordOf('domain', 'domain_1') };

  test.each<[string, ActionMembers]>([
    ['is created', { action: 'create' }],
    ['is replaced', { action: 'replace' }],
    ['is deleted', { action: 'delete' }],
    ['is gone from the platform', { action: 'forget' }],
  ])('makes it stale where that object %s', (_what, more) => {
    const leaf = domain(more);
    expect(staleness({ leafs: [leaf], resources: known })).toStrictEqual({
      because: ['domains["a.b"]'],
      through: [leaf.address],
    });
  });

  test('makes it stale where only a deployment puts the field into effect', () => {
    const port = attribute('domain', 'port', { decision: write });
    expect(staleness({ leafs: [domain({}, [port])] })?.because).toEqual(['domains["a.b"].port']);
    expect(staleness({ leafs: [domain({}, [attribute('domain', 'port')])] })).toBeUndefined();
    expect(staleness({ leafs: [domain({}, [attributeChange('x', { decision: write })])] })).toBeUndefined();
    expect(staleness({ leafs: [domain({ action: 'forget' }, [port])] })).toBeUndefined();
  });

  test.each<[string, ActionMembers]>([
    ['leaves the state and never had an id', { action: 'forget' }],
    ['is held back', { kept: 'held' }],
    ['takes effect by itself', { action: 'create', kind: kindNamed('backup') }],
    ['stays as it is', {}],
  ])('leaves it as it is where that object %s', (_what, more) => {
    expect(staleness({ leafs: [domain(more)] })).toBeUndefined();
    const lost = { [`${shop}.domains["a.b"]`]: recordOf('domain', null) };
    expect(staleness({ leafs: [domain(more)], resources: lost })).toBeUndefined();
  });
});

describe('a change of the environment', () => {
  const environment = (attributes: readonly AttributeChange[]) =>
    actionOf('production', { kind: kindNamed('environment'), attributes });
  const region = (more: Partial<AttributeChange> = {}, key = 'REGION') =>
    attribute('environment', 'env', { attribute: { field: 'env', key }, decision: write, ...more });
  const mention = variable('R', declared('in ${{environment.REGION}}'));
  const text = (before: string | null, wanted: string | null, more: Partial<AttributeChange> = {}) =>
    environment([
      attribute('environment', 'env', { wanted: declared(wanted), before: secret(before), decision: write, ...more }),
    ]);

  test('makes it stale through the variables that the service mentions, and no others', () => {
    const parent = environment([region(), region({}, 'ZONE')]);
    expect(staleness({ root: stack([mention]), above: [parent] })).toStrictEqual({
      because: ['production.env.REGION'],
      through: ['production'],
    });
    expect(staleness({ root: stack([]), above: [parent] })).toBeUndefined();
    expect(staleness({ root: stack([mention]), above: [environment([region({}, 'ZONE')])] })).toBeUndefined();
    const settled = environment([region({ decision: { do: 'nothing', settled: true } })]);
    expect(staleness({ root: stack([mention]), above: [settled] })).toBeUndefined();
    const described = environment([
      attribute('environment', 'description', { attribute: { field: 'description', key: 'REGION' }, decision: write }),
    ]);
    expect(staleness({ root: stack([mention]), above: [described] })).toBeUndefined();
  });

  test('makes it stale through every variable where a text that is left out may mention more', () => {
    const unknown = { ...mention, wanted: undefined };
    const parent = environment([region(), region({}, 'ZONE')]);
    const because = (attributes: readonly AttributeChange[], isLeftOut?: true) =>
      staleness({ root: stack(attributes, isLeftOut ? { kept: 'left out' } : {}), above: [parent] })?.because;
    expect(because([unknown], true)).toEqual(['production.env.REGION', 'production.env.ZONE']);
    expect(because([unknown])).toBeUndefined();
    expect(because([mention], true)).toEqual(['production.env.REGION']);
    expect(because([command({ do: 'nothing', settled: true }, { wanted: undefined })], true)).toBeUndefined();
  });

  test('is computed once for services that mention different variables', () => {
    const find = stalenessOf(inputOf({}));
    const parent = environment([region(), region({}, 'ZONE')]);
    const other = stack([variable('Z', declared('${{environment.ZONE}}'))], { address: 'production.compose.other' });
    expect(find({ root: stack([mention]), leafs: [], above: [parent] }, false)?.because).toEqual([
      'production.env.REGION',
    ]);
    expect(find({ root: other, leafs: [], above: [parent] }, false)?.because).toEqual(['production.env.ZONE']);
  });

  test('counts for a service that is created too, through the variables it mentions', () => {
    const root = stack([mention], { action: 'create', id: undefined });
    expect(staleness({ root, above: [environment([region()])] })).toStrictEqual({
      because: [],
      through: ['production'],
    });
  });

  test('makes a moved service stale through all that it mentions', () => {
    const moved = stack([mention], { action: 'move' });
    expect(staleness({ root: moved, above: [environment([])] })).toStrictEqual({
      because: ['production'],
      through: [shop],
    });
    expect(staleness({ root: stack([], { action: 'move' }), above: [environment([])] })).toBeUndefined();
  });

  test('counts the variables of a text that differ from those of the platform', () => {
    const root = stack([mention, variable('Z', declared('${{environment.ZONE}}'))]);
    const because = (parent: Action) => staleness({ root, above: [parent] })?.because;
    expect(because(text('REGION=eu\nZONE=a', 'REGION=us\nZONE=a'))).toEqual(['production.env.REGION']);
    expect(because(text('ZONE=a', 'REGION=us\nZONE=a'))).toEqual(['production.env.REGION']);
    expect(because(text('REGION=eu\nZONE=a', 'ZONE=b'))).toEqual(['production.env.REGION', 'production.env.ZONE']);
    expect(because(text('REGION=eu', null))).toEqual(['production.env.REGION']);
    expect(because(text(null, 'REGION=us'))).toEqual(['production.env.REGION']);
    expect(because(text('REGION=eu', 'REGION=eu\n# a comment'))).toBeUndefined();
    const removed = text('REGION=eu', null, { wanted: undefined, decision: { do: 'remove' } });
    expect(because(removed)).toEqual(['production.env.REGION']);
    const later = text('REGION=eu', null, { wanted: referring(host), decision: pending });
    expect(because(later)).toEqual(['production.env.REGION']);
  });

  test('counts all variables of a text that a person wrote to the platform already', () => {
    const there = { decision: { do: 'nothing', settled: true }, pair: pairOf('REGION=eu') } as const;
    const parent = text('REGION=us\nZONE=a', 'REGION=us\nZONE=a', there);
    expect(staleness({ root: stack([mention]), above: [parent] })?.because).toEqual(['production.env.REGION']);
  });
});

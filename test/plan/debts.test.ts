import { describe, expect, test } from 'vitest';
import type { Wanted } from '../../src/manifest/wanted.ts';
import type { Action, PlannedPart } from '../../src/plan/action.ts';
import type { Debt } from '../../src/plan/debts.ts';
import { debtorsOf, debtsOf, deployedBefore } from '../../src/plan/debts.ts';
import type { Decision } from '../../src/plan/decide.ts';
import type { ServiceActions } from '../../src/plan/deploy-inputs.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { secret } from '../../src/secrets/secret.ts';
import {
  actionOf,
  declared,
  inputOf,
  kindNamed,
  pairOf,
  plannedPart,
  recordOf,
  referring,
} from '../support/made-up.ts';

/** What a plan is about to owe a deployment of a service, and through which actions. */

const shop = 'production.compose.shop';
const write: Decision = { do: 'write', cause: 'edit' };
const pending: Decision = { do: 'write', cause: 'known after apply' };
const host = { address: 'production.redis.main', output: 'host' };

function part(kind: string, name: string, more: Partial<PlannedPart> = {}): PlannedPart {
  const field = kindNamed(kind).fields[name];
  if (field === undefined) throw new Error(`a ${kind} has no ${name}`);
  return plannedPart(name, { field, ...more });
}

const command = (decision: Decision, more: Partial<PlannedPart> = {}) =>
  part('compose', 'command', { decision, ...more });
const variable = (key: string, wanted: Wanted, more: Partial<PlannedPart> = {}) =>
  part('compose', 'env', { part: { field: 'env', key }, wanted, ...more });
const stack = (parts: readonly PlannedPart[], more: Partial<Action> = {}) =>
  actionOf(shop, { kind: kindNamed('compose'), parent: 'production', parts, ...more });
const domain = (more: Partial<Action> = {}, parts: readonly PlannedPart[] = []) =>
  actionOf(`${shop}.domains["a.b"]`, { kind: kindNamed('domain'), lane: shop, parts, ...more });

interface About extends Partial<ServiceActions> {
  readonly isCode?: boolean;
  readonly resources?: Readonly<Record<string, StateRecord>>;
  readonly host?: string;
}

function debt({ isCode = false, resources = {}, host, ...service }: About): Debt | undefined {
  const find = debtsOf(
    inputOf({}, resources),
    () => host,
    () => isCode,
  );
  return find({ root: stack([]), leafs: [], parent: undefined, ...service });
}

describe('of the service itself', () => {
  test('what is written owes a deployment where only that puts it into effect', () => {
    expect(debt({})).toBeUndefined();
    expect(debt({ root: stack([command(write)]) })).toStrictEqual({ because: ['command'], through: [shop] });
    for (const decision of [{ do: 'remove' }, { do: 'replace', cause: 'edit' }] as const) {
      const changed = variable('A', declared('1'), { decision });
      expect(debt({ root: stack([changed]) })?.because).toEqual(['env.A']);
    }
    expect(debt({ root: stack([part('compose', 'autoDeploy', { decision: write })]) })).toBeUndefined();
    for (const decision of [{ do: 'release' }, { do: 'leave', sentence: '' }] as const)
      expect(debt({ root: stack([command(decision)]) })).toBeUndefined();
  });

  test('what the platform has already owes one when it is not what was settled last', () => {
    const settled = { do: 'nothing', settled: true } as const;
    const about = { wanted: declared('up'), pair: pairOf('down', 'up') };
    expect(debt({ root: stack([command(settled, about)]) })?.because).toEqual(['command']);
    for (const parts of [
      [command(settled, { ...about, pair: pairOf('up', 'UP') })],
      [command(settled, { ...about, pair: undefined })],
      [command(settled, { ...about, wanted: undefined })],
      [command({ do: 'nothing', settled: false }, about)],
      [command(settled, { ...about, wanted: referring(host) })],
    ])
      expect(debt({ root: stack(parts) })).toBeUndefined();
    const known = [command(settled, { ...about, wanted: referring(host) })];
    expect(debt({ root: stack(known), host: 'main' })?.because).toEqual(['command']);
  });

  test('what is known only after apply may come to nothing, when there is nothing else', () => {
    const later = command(pending);
    expect(debt({ root: stack([later]) })?.isPending).toBe(true);
    expect(debt({ root: stack([later, part('compose', 'suffix', { decision: write })]) })).not.toHaveProperty(
      'isPending',
    );
    expect(
      debt({ root: stack([command(write), part('compose', 'suffix', { decision: pending })]) })?.isPending,
    ).toBeUndefined();
    expect(debt({ root: stack([later]), leafs: [domain({ action: 'delete' })] })?.isPending).toBeUndefined();
  });

  test('code is owed when its source changes and it is fetched', () => {
    const branch = part('compose', 'customGitBranch', { decision: write });
    const source = part('compose', 'sourceType', { decision: write });
    expect(debt({ root: stack([branch]), isCode: true })?.code).toBe(true);
    expect(debt({ root: stack([source]), isCode: true })?.code).toBe(true);
    expect(debt({ root: stack([branch, command(write)]), isCode: true })?.code).toBe(true);
    expect(debt({ root: stack([branch]) })?.code).toBeUndefined();
    expect(debt({ root: stack([command(write)]), isCode: true })?.code).toBeUndefined();
    const unions = [{ tag: 'sourceType', describe: '', cases: { raw: { file: 'customGitBranch' } } }];
    const kind = { ...kindNamed('compose'), unions };
    expect(debt({ root: stack([branch], { kind }), isCode: true })?.code).toBeUndefined();
  });

  test('one that is made owes its first deployment, with its code', () => {
    const root = stack([command(write)], { action: 'create', id: undefined });
    expect(debt({ root })).toStrictEqual({ because: [], through: [] });
    expect(debt({ root: { ...root, action: 'replace' }, isCode: true })).toStrictEqual({
      code: true,
      because: [],
      through: [],
    });
  });
});

describe('of what is below it', () => {
  const known = { [`${shop}.domains["a.b"]`]: recordOf('domain', 'domain_1') };

  test.each<[string, Partial<Action>]>([
    ['comes', { action: 'create' }],
    ['is made anew', { action: 'replace' }],
    ['goes', { action: 'delete' }],
    ['went without us', { action: 'forget' }],
  ])('what %s owes a deployment', (_what, more) => {
    const leaf = domain(more);
    expect(debt({ leafs: [leaf], resources: known })).toStrictEqual({
      because: ['domains["a.b"]'],
      through: [leaf.address],
    });
  });

  test('what changes does, where only a deployment puts it into effect', () => {
    const port = part('domain', 'port', { decision: write });
    expect(debt({ leafs: [domain({}, [port])] })?.because).toEqual(['domains["a.b"].port']);
    expect(debt({ leafs: [domain({}, [part('domain', 'port')])] })).toBeUndefined();
    expect(debt({ leafs: [domain({}, [plannedPart('x', { decision: write })])] })).toBeUndefined();
    expect(debt({ leafs: [domain({ action: 'forget' }, [port])] })).toBeUndefined();
  });

  test.each<[string, Partial<Action>]>([
    ['is forgotten and was never known to be there', { action: 'forget' }],
    ['is held back', { action: 'create', isHeld: true }],
    ['takes effect by itself', { action: 'create', kind: kindNamed('backup') }],
    ['stays as it is', {}],
  ])('what %s owes none', (_what, more) => {
    expect(debt({ leafs: [domain(more)] })).toBeUndefined();
    const lost = { [`${shop}.domains["a.b"]`]: recordOf('domain', null) };
    expect(debt({ leafs: [domain(more)], resources: lost })).toBeUndefined();
  });
});

describe('of its environment', () => {
  const environment = (parts: readonly PlannedPart[]) =>
    actionOf('production', { kind: kindNamed('environment'), parts });
  const region = (more: Partial<PlannedPart> = {}, key = 'REGION') =>
    part('environment', 'env', { part: { field: 'env', key }, decision: write, ...more });
  const mention = variable('R', declared('in ${{environment.REGION}}'));
  const text = (before: string | null, wanted: string | null, more: Partial<PlannedPart> = {}) =>
    environment([
      part('environment', 'env', { wanted: declared(wanted), before: secret(before), decision: write, ...more }),
    ]);

  test('the variables that it mentions owe a deployment when they change, and no others', () => {
    const parent = environment([region(), region({}, 'ZONE')]);
    expect(debt({ root: stack([mention]), parent })).toStrictEqual({
      because: ['production.env.REGION'],
      through: ['production'],
    });
    expect(debt({ root: stack([]), parent })).toBeUndefined();
    expect(debt({ root: stack([mention]), parent: environment([region({}, 'ZONE')]) })).toBeUndefined();
    const settled = environment([region({ decision: { do: 'nothing', settled: true } })]);
    expect(debt({ root: stack([mention]), parent: settled })).toBeUndefined();
    const described = environment([
      part('environment', 'description', { part: { field: 'description', key: 'REGION' }, decision: write }),
    ]);
    expect(debt({ root: stack([mention]), parent: described })).toBeUndefined();
  });

  test('the same environment is asked once, for services that mention different variables', () => {
    const find = debtsOf(
      inputOf({}),
      () => undefined,
      () => false,
    );
    const parent = environment([region(), region({}, 'ZONE')]);
    const other = stack([variable('Z', declared('${{environment.ZONE}}'))], { address: 'production.compose.other' });
    expect(find({ root: stack([mention]), leafs: [], parent })?.because).toEqual(['production.env.REGION']);
    expect(find({ root: other, leafs: [], parent })?.because).toEqual(['production.env.ZONE']);
  });

  test('a service that is made owes through the variables that it mentions as well', () => {
    const root = stack([mention], { action: 'create', id: undefined });
    expect(debt({ root, parent: environment([region()]) })).toStrictEqual({
      because: [],
      through: ['production'],
    });
  });

  test('a service that is moved to another one owes all that it mentions', () => {
    const moved = stack([mention], { action: 'move' });
    expect(debt({ root: moved, parent: environment([]) })).toStrictEqual({
      because: ['production'],
      through: [shop],
    });
    expect(debt({ root: stack([], { action: 'move' }), parent: environment([]) })).toBeUndefined();
  });

  test('written as text, those count that differ from what the platform has', () => {
    const root = stack([mention, variable('Z', declared('${{environment.ZONE}}'))]);
    const because = (parent: Action) => debt({ root, parent })?.because;
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

  test('written as text that somebody else wrote there already, all of it may be new', () => {
    const there = { decision: { do: 'nothing', settled: true }, pair: pairOf('REGION=eu') } as const;
    const parent = text('REGION=us\nZONE=a', 'REGION=us\nZONE=a', there);
    expect(debt({ root: stack([mention]), parent })?.because).toEqual(['production.env.REGION']);
  });
});

describe('when a run begins', () => {
  const { state, observed } = inputOf({});
  const planOf = (...actions: readonly Action[]) => ({ base: state, saved: state, observed, actions, diagnostics: [] });
  const service = (address: string, about: Action['service']) =>
    actionOf(address, about === undefined ? {} : { service: about });
  const through = ['production', shop];

  test('what is known of a deployment is what the state says, and what is about to be owed', () => {
    const known = { inputs: 'a', stale: { code: true, saved: { inputs: 'b', newest: null } } } as const;
    const before = deployedBefore(
      planOf(
        actionOf('production'),
        service('a', { known }),
        service('b', { known: undefined }),
        service('c', { known, debt: { through } }),
        service('d', { known: undefined, debt: { code: true, through } }),
        service('e', { known: { stale: {} }, debt: { through } }),
      ),
    );
    expect(Object.fromEntries(before)).toStrictEqual({
      a: known,
      c: { inputs: 'a', stale: { code: true } },
      d: { stale: { code: true } },
      e: { stale: {} },
    });
  });

  test('it is known which services owe one as soon as something is sent for an address', () => {
    const owing = { known: undefined, debt: { through } };
    const plan = planOf(service(shop, owing), actionOf('production'), service('production.compose.b', owing));
    expect([...debtorsOf(plan)]).toEqual([
      ['production', [shop, 'production.compose.b']],
      [shop, [shop, 'production.compose.b']],
    ]);
    expect([...debtorsOf(planOf(service('a', { known: undefined })))]).toEqual([]);
  });
});

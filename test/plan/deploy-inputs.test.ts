import { describe, expect, test } from 'vitest';
import type { Wanted } from '../../src/manifest/wanted.ts';
import type { AttributeChange } from '../../src/plan/action.ts';
import type { ServiceActions } from '../../src/plan/deploy-inputs.ts';
import { ignoredInputs, inputsDigest, mentionsOf, reachesContainers } from '../../src/plan/deploy-inputs.ts';
import { project } from '../../src/resources/top/project.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import {
  storedAs,
  actionOf,
  declared,
  kindNamed,
  lacking,
  makeDigest,
  makeDigests,
  attributeChange,
  referring,
} from '../support/plan-values.ts';

/** What a service is deployed from: the digest of it changes when, and only when, a deployment takes in something else. */

const [compose, domain, environment, mount] = ['compose', 'domain', 'environment', 'mount'].map(kindNamed);
if (compose === undefined || domain === undefined || environment === undefined) throw new Error('no such kinds');
const host = { address: 'production.redis.main', output: 'host' };

/** A field of a kind, or a key of a map, with what is declared of it. */
function attribute(kind: typeof compose, name: string, wanted: Wanted | undefined, key?: string): AttributeChange {
  const field = kind?.fields[name];
  if (field === undefined) throw new Error(`there is no field ${name}`);
  return attributeChange(name, {
    attribute: key === undefined ? { field: name } : { field: name, key },
    field,
    wanted,
  });
}

const command = (text: string) => attribute(compose, 'command', declared(text));
const variable = (key: string, wanted: Wanted) => attribute(compose, 'env', wanted, key);
const stack = (...attributes: readonly AttributeChange[]) =>
  actionOf('production.compose.shop', { kind: compose, attributes, parent: 'production' });
const leaf = (attributes: readonly AttributeChange[], more: ActionMembers = {}) =>
  actionOf('production.compose.shop.domains.a', {
    kind: domain,
    scope: 'production.compose.shop',
    attributes,
    ...more,
  });
const port = (number: number) => attribute(domain, 'port', declared(number));
const inEnvironment = (...attributes: readonly AttributeChange[]) =>
  actionOf('production', { kind: environment, attributes });

const digestOf = (service: Partial<ServiceActions>, host?: string) =>
  inputsDigest({ root: stack(), leafs: [], above: [], ...service }, { outputs: () => host, digests: makeDigests });

describe('of its own fields, the digest of the inputs', () => {
  test('covers the values of fields that wait for a deployment', () => {
    const one = digestOf({ root: stack(command('up')) });
    expect(one).toBeDefined();
    expect(digestOf({ root: stack(command('up')) })).toBe(one);
    expect(digestOf({ root: stack(command('down')) })).not.toBe(one);
    expect(digestOf({ root: stack(command('up'), variable('A', declared('1'))) })).not.toBe(one);
    const named = attribute(compose, 'name', declared('other'));
    expect(digestOf({ root: stack(command('up'), named) })).toBe(one);
  });

  test('ignores the order, undeclared fields, and the spelling of equal values', () => {
    const [a, b] = [variable('A', declared('1')), variable('B', declared('2'))];
    expect(digestOf({ root: stack(a, b) })).toBe(digestOf({ root: stack(b, a) }));
    expect(digestOf({ root: stack(a, b) })).not.toBe(
      digestOf({ root: stack(variable('A', declared('2')), variable('B', declared('1'))) }),
    );
    expect(digestOf({ root: stack(attribute(compose, 'command', undefined)) })).toBe(digestOf({}));
    const networks = (value: null | readonly never[]) => stack(attribute(compose, 'serviceNetworks', declared(value)));
    expect(digestOf({ root: networks([]) })).toBe(digestOf({ root: networks(null) }));
  });

  test('is undefined while one value is not known', () => {
    const root = stack(command('up'), variable('A', referring(host)));
    expect(digestOf({ root })).toBeUndefined();
    expect(digestOf({ root }, 'main')).toBe(digestOf({ root: stack(command('up'), variable('A', declared('main'))) }));
  });

  test('takes the settled value where this run lacks the secret', () => {
    const { field } = variable('A', declared(null));
    const stored = storedAs(field, 'secret', true);
    const settled = { ...variable('A', lacking('S')), pair: { wanted: stored, answered: stored } };
    expect(digestOf({ root: stack(settled) })).toBe(digestOf({ root: stack(variable('A', declared('secret'))) }));
    const open = {
      ...attribute(compose, 'command', lacking('S')),
      pair: { wanted: { value: 'up' }, answered: { value: 'up' } },
    };
    expect(digestOf({ root: stack(open) })).toBe(digestOf({ root: stack(command('up')) }));
    expect(digestOf({ root: stack(variable('A', lacking('S'))) })).toBeUndefined();
    const known = { ...variable('A', declared('new')), pair: settled.pair };
    expect(digestOf({ root: stack(known) })).toBe(digestOf({ root: stack(variable('A', declared('new'))) }));
  });
});

describe('of what is below it', () => {
  test('that it is there counts, and the fields that a deployment takes in or that make another object', () => {
    const none = digestOf({});
    const there = digestOf({ leafs: [leaf([])] });
    expect(there).not.toBe(none);
    const with80 = digestOf({ leafs: [leaf([port(80)])] });
    expect(with80).not.toBe(there);
    expect(digestOf({ leafs: [leaf([port(81)])] })).not.toBe(with80);
    const two = [leaf([port(80)]), leaf([port(81)], { address: 'production.compose.shop.domains.b' })];
    expect(digestOf({ leafs: two })).toBe(digestOf({ leafs: two.toReversed() }));
    expect(digestOf({ leafs: [leaf([attribute(domain, 'port', undefined)])] })).toBe(there);
    const at = (type: string) => [leaf([attribute(mount, 'type', declared(type))], { kind: mount ?? domain })];
    const redis = { root: actionOf('production.redis.main') };
    expect(digestOf({ ...redis, leafs: at('bind') })).not.toBe(digestOf({ ...redis, leafs: at('volume') }));
    const serviceName = leaf([port(80), attributeChange('uniqueConfigKey')]);
    expect(digestOf({ leafs: [serviceName] })).toBe(with80);
  });

  test('each value counts for its field', () => {
    const names = { serviceName: declared('a'), host: declared('b') };
    const attributes = (first: Wanted, second: Wanted) => [
      attribute(domain, 'serviceName', first),
      attribute(domain, 'host', second),
    ];
    const [one, other] = [attributes(names.serviceName, names.host), attributes(names.host, names.serviceName)];
    expect(digestOf({ leafs: [leaf(one)] })).not.toBe(digestOf({ leafs: [leaf(other)] }));
  });

  test('the address of the service does not: one that was only renamed takes in the same', () => {
    const moved = { ...stack(), address: 'staging.compose.store' };
    const domains = [leaf([port(80)], { address: 'staging.compose.store.domains.a' })];
    expect(digestOf({ root: moved, leafs: domains })).toBe(digestOf({ leafs: [leaf([port(80)])] }));
  });

  test.each<[string, ActionMembers]>([
    ['goes', { action: 'delete' }],
    ['is forgotten', { action: 'forget' }],
    ['is held back', { kept: 'held' }],
    ['a narrowed plan leaves out and is not there', { kept: 'left out', id: undefined }],
    ['takes effect by itself', { kind: kindNamed('backup') }],
  ])('what %s does not count', (_what, more) => {
    expect(digestOf({ leafs: [leaf([port(80)], more)] })).toBe(digestOf({}));
  });

  test('what is there counts, also where a narrowed plan leaves it out', () => {
    expect(digestOf({ leafs: [leaf([port(80)], { kept: 'left out' })] })).toBe(digestOf({ leafs: [leaf([port(80)])] }));
  });

  test('what takes effect at once below an application waits below a compose', () => {
    const application = actionOf('production.application.web', { kind: kindNamed('application') });
    expect(reachesContainers(leaf([]), application)).toBe(false);
    expect(reachesContainers(leaf([]), stack())).toBe(true);
    expect(reachesContainers(leaf([], { kind: kindNamed('backup') }), stack())).toBe(false);
  });
});

describe('of the values that the platform ignores', () => {
  const ignored = (one: AttributeChange): AttributeChange => ({
    ...one,
    decision: { do: 'nothing', settled: false, ignored: true },
  });
  const region = attribute(environment, 'env', declared('eu'), 'REGION');
  const text = attribute(environment, 'env', declared('REGION=eu'));
  const uses = stack(variable('R', declared('in ${{environment.REGION}}')));
  const own = stack(ignored(command('up')), attribute(compose, 'env', declared('1'), 'A'));

  test.each<[string, Partial<ServiceActions>, readonly string[]]>([
    ['its own', { root: own }, ['command']],
    [
      'those below it',
      { leafs: [leaf([ignored(port(80)), attribute(domain, 'host', declared('h'))])] },
      ['domains.a.port'],
    ],
    ['a variable that it mentions', { root: uses, above: [inEnvironment(ignored(region))] }, ['production.env.REGION']],
    [
      'a text of variables of which it mentions one',
      { root: uses, above: [inEnvironment(ignored(text))] },
      ['production.env'],
    ],
    ['no variable that it does not mention', { above: [inEnvironment(ignored(region), ignored(text))] }, []],
    ['none that the platform keeps', { root: uses, above: [inEnvironment(region)] }, []],
    [
      'none that is no variable',
      { root: uses, above: [inEnvironment(ignored(attribute(environment, 'description', declared('a'))))] },
      [],
    ],
    [
      'nothing that takes effect at once below an application',
      {
        root: actionOf('production.application.web', { kind: kindNamed('application') }),
        leafs: [leaf([ignored(port(80))])],
      },
      [],
    ],
  ])('a deployment would run without %s', (_what, service, paths) => {
    expect(ignoredInputs({ root: stack(), leafs: [], above: [], ...service }, () => undefined)).toEqual(paths);
  });
});

describe('of its environment', () => {
  const root = stack(variable('R', declared('in ${{environment.REGION}}')));
  const region = (wanted: Wanted) => attribute(environment, 'env', wanted, 'REGION');
  const zone = (text: string) => attribute(environment, 'env', declared(text), 'ZONE');
  const inText = (wanted: Wanted) => inEnvironment(attribute(environment, 'env', wanted));

  test('a variable has the name that digests of former runs were made with', () => {
    const asItIs = (text: string) => text;
    const lines = (service: ReturnType<typeof stack>, above: ReturnType<typeof stack>) =>
      inputsDigest(
        { root: service, leafs: [], above: [above] },
        { outputs: () => undefined, digests: (_, attribute) => (attribute === '(inputs)' ? asItIs : () => 'digest') },
      )?.split('\n');
    const own = '["env[\\"R\\"]","digest"]';
    expect(lines(root, inEnvironment(region(declared('eu'))))).toEqual(['["(variable) REGION","digest"]', own]);
    const top = actionOf('project', { kind: project, attributes: [region(declared('eu'))] });
    const inProject = stack(variable('R', declared('in ${{project.REGION}}')));
    expect(lines(inProject, top)).toEqual(['["(variable of project) REGION","digest"]', own]);
  });

  test('the variables count that it mentions, and no others', () => {
    const eu = digestOf({ root, above: [inEnvironment(region(declared('eu')), zone('a'))] });
    expect(eu).toBe(digestOf({ root, above: [inEnvironment(region(declared('eu')), zone('b'))] }));
    expect(eu).not.toBe(digestOf({ root, above: [inEnvironment(region(declared('us')), zone('a'))] }));
    expect(eu).not.toBe(digestOf({ root, above: [inEnvironment(zone('a'))] }));
    expect(eu).not.toBe(digestOf({ root }));
    const described = inEnvironment(attribute(environment, 'description', declared('x')), zone('a'));
    expect(digestOf({ root, above: [described] })).toBe(digestOf({ root, above: [inEnvironment()] }));
    const both = stack(variable('R', declared('${{environment.REGION}} ${{environment.ZONE}}')));
    const swapped = [region(declared('a')), zone('eu')];
    expect(digestOf({ root: both, above: [inEnvironment(...swapped)] })).not.toBe(
      digestOf({ root: both, above: [inEnvironment(region(declared('eu')), zone('a'))] }),
    );
  });

  test('a text that they are written in counts as a whole, also when this run does not have a secret of it', () => {
    const eu = digestOf({ root, above: [inText(declared('REGION=eu\nZONE=a'))] });
    expect(eu).toBeDefined();
    expect(digestOf({ root, above: [inText(declared('REGION=us\nZONE=a'))] })).not.toBe(eu);
    const { field } = zone('a');
    const stored = storedAs(field, 'REGION=eu\nZONE=a', true);
    const [settled] = inText(lacking('S')).attributes.map((text) => ({
      ...text,
      pair: { wanted: stored, answered: stored },
    }));
    expect(digestOf({ root, above: [inEnvironment(settled ?? zone('a'))] })).toBe(eu);
    const none = digestOf({ root, above: [inEnvironment()] });
    expect(digestOf({ root, above: [inEnvironment(attribute(environment, 'env', undefined))] })).toBe(none);
    expect(digestOf({ root, above: [inEnvironment(attribute(environment, 'env', undefined, 'REGION'))] })).toBe(none);
  });

  test('a variable that is not known yet is resolved again the next time', () => {
    const parent = inEnvironment(region(referring(host)));
    expect(digestOf({ root, above: [parent] })).toBeUndefined();
    expect(digestOf({ root, above: [parent] }, 'eu')).toBe(
      digestOf({ root, above: [inEnvironment(region(declared('eu')))] }),
    );
    const text = inText(referring(host));
    expect(digestOf({ root, above: [text] })).toBeUndefined();
    expect(digestOf({ root, above: [text] }, 'REGION=eu')).toBe(
      digestOf({ root, above: [inText(declared('REGION=eu'))] }),
    );
  });

  test('a known variable is digested once for all services', () => {
    const parent = inEnvironment(region(declared('eu')));
    let count = 0;
    const digest = (text: string): string => {
      count++;
      return makeDigest(text);
    };
    const how = { outputs: () => undefined, digests: () => digest };
    const service = { root, leafs: [], above: [parent] };
    const first = inputsDigest(service, how);
    const once = count;
    expect(inputsDigest(service, how)).toBe(first);
    expect(count - once).toBe(once - 1);
  });

  test('one of a project is another one than that of its environment', () => {
    const inProject = (...attributes: readonly AttributeChange[]) =>
      actionOf('project', { kind: { ...environment, kind: 'project', isTop: true }, attributes });
    const mentioned = stack(variable('A', declared('${{project.REGION}}')));
    const eu = digestOf({ root: mentioned, above: [inEnvironment(), inProject(region(declared('eu')))] });
    const others = inEnvironment(region(declared('us')));
    expect(digestOf({ root: mentioned, above: [others, inProject(region(declared('eu')))] })).toBe(eu);
    expect(digestOf({ root: mentioned, above: [others, inProject(region(declared('us')))] })).not.toBe(eu);
    const both = stack(variable('A', declared('${{project.REGION}} ${{environment.REGION}}')));
    expect(digestOf({ root: both, above: [inEnvironment(region(declared('eu'))), inProject()] })).not.toBe(
      digestOf({ root: both, above: [inEnvironment(), inProject(region(declared('eu')))] }),
    );
  });

  test('none does for a service that mentions none', () => {
    expect(digestOf({ above: [inEnvironment(region(referring(host)))] })).toBe(digestOf({}));
  });
});

test('variables are mentioned in the texts of maps, as far as these are known', () => {
  const names = (attributes: readonly AttributeChange[], value?: string) => [
    ...mentionsOf({ root: stack(...attributes), above: [] }, inEnvironment(), () => value),
  ];
  const mention = declared('${{environment.A}} ${{environment.B}}');
  expect(names([variable('X', mention), variable('Y', declared('${{environment.A}}'))])).toEqual(['A', 'B']);
  expect(names([attribute(compose, 'command', mention), attribute(compose, 'env', undefined)])).toEqual([]);
  expect(names([variable('X', referring(host))])).toEqual([]);
  expect(names([variable('X', referring(host))], '${{environment.C}}')).toEqual(['C']);
});

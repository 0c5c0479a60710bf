import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import type { Action, AttributeChange } from '../../src/plan/action.ts';
import type { Decision } from '../../src/plan/decide.ts';
import { withDeployments } from '../../src/plan/plan-deployments.ts';
import type { Deploys } from '../../src/state/record.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import {
  actionOf,
  aStep,
  declared,
  documentedKind,
  here,
  inputOf,
  kindNamed,
  objectOf,
  attributeChange,
  recordOf,
  referring,
} from '../support/plan-values.ts';

/** The actions that deploy: one for each service that needs it, at its place in the order. */

const write: Decision = { do: 'write', cause: 'edit' };
const shop = 'production.compose.shop';
const web = 'production.application.web';
const cache = 'production.redis.cache';

function attribute(kind: string, name: string, value: string | null, decision: Decision = write): AttributeChange {
  const field = kindNamed(kind).fields[name];
  if (field === undefined) throw new Error(`a ${kind} has no ${name}`);
  return attributeChange(name, { field, wanted: declared(value), decision });
}

const compose = (more: ActionMembers = {}) =>
  actionOf(shop, { kind: kindNamed('compose'), parent: 'production', ...more });
const changed = (more: ActionMembers = {}) =>
  compose({ attributes: [attribute('compose', 'command', 'up')], steps: [aStep], ...more });
const application = (source: string, more: ActionMembers = {}) =>
  actionOf(web, {
    kind: documentedKind('application'),
    attributes: [attribute('application', 'sourceType', source, { do: 'nothing', settled: true })],
    ...more,
  });

interface About {
  readonly rows?: Readonly<Record<string, Row>>;
  readonly deployed?: Readonly<Record<string, Deploys>>;
  readonly deploys?: boolean;
}

function planned(actions: readonly Action[], { rows = {}, deployed = {}, deploys = true }: About = {}): Action[] {
  const objects = Object.entries(rows).map(([address, row]) => [address, objectOf(`id of ${address}`, row)] as const);
  const records = Object.keys(deployed).map((address) => [address, recordOf('compose', 'x')] as const);
  const input = { ...inputOf(Object.fromEntries(objects), Object.fromEntries(records), deployed), deploys };
  return withDeployments(input, actions);
}

const deployments = (actions: readonly Action[]) => actions.filter(({ action }) => action === 'deploy');
const serviceAt = (actions: readonly Action[], address: string) =>
  actions.find((action) => action.address === address)?.service;
const inputs = expect.any(Function) as unknown;
const listed = (...statuses: readonly string[]): Row => ({
  deployments: statuses.map((status, at) => ({ deploymentId: `d${at}`, status, createdAt: String(at) })),
});

describe('a deployment', () => {
  test('is an action of its own, with one request that carries a mark', () => {
    const [root, deployment] = planned([changed()]);
    expect(root).toMatchObject({
      address: shop,
      action: 'update',
      service: { known: undefined, isLeft: false, staleness: { because: ['command'] } },
    });
    expect(deployment).toEqual({
      address: `${shop} (deploy)`,
      block: shop,
      scope: `${shop} (deploy)`,
      kind: kindNamed('compose'),
      action: 'deploy',
      id: `id of ${shop}`,
      parent: shop,
      movedFrom: undefined,
      changes: [],
      teardown: [],
      steps: [
        {
          operation: 'compose.deploy',
          role: 'deploy',
          changed: [],
          members: {
            composeId: { is: 'id', address: shop },
            title: { is: 'value', value: expect.anything() as unknown },
            description: { is: 'mark' },
          },
        },
      ],
      attributes: [],
      dependsOn: [shop],
      options: {},
      notes: [],
      dataAtRisk: undefined,
      protect: undefined,
      position: here,
      service: undefined,
      start: 'again',
      after: [],
      asks: [],
      because: ['command'],
    });
    const title = deployment?.steps[0]?.members['title'];
    expect(title?.is === 'value' && title.value.reveal()).toBe('Trueup');
  });

  test('begins with a reset where only the status of the service shows its outcome', () => {
    const [deployment] = deployments(planned([actionOf(cache, { action: 'create', id: undefined })]));
    expect(deployment?.steps).toMatchObject([
      {
        operation: 'redis.changeStatus',
        role: 'reset',
        changed: [],
        members: { redisId: { is: 'id', address: cache } },
      },
      { operation: 'redis.deploy', role: 'deploy', members: { redisId: { is: 'id', address: cache } } },
    ]);
    expect(Object.keys(deployment?.steps[1]?.members ?? {})).toEqual(['redisId']);
    const status = deployment?.steps[0]?.members['applicationStatus'];
    expect(status?.is === 'value' && status.value.reveal()).toBe('idle');
  });

  test('is the first one of what is made, and of what is taken over and surely was never deployed', () => {
    const first = (actions: readonly Action[], about?: About) =>
      deployments(planned(actions, about)).map((one) => ('because' in one ? one.because : undefined));
    expect(first([compose({ action: 'create', id: undefined })])).toEqual([undefined]);
    expect(first([compose({ action: 'replace' })], { rows: { [shop]: listed('done') } })).toEqual([undefined]);
    expect(first([compose({ action: 'adopt' })], { rows: { [shop]: listed() } })).toEqual([undefined]);
    expect(first([compose({ action: 'adopt' })], { rows: { [shop]: listed('error') } })).toEqual([]);
    expect(first([compose({ action: 'adopt' })], { rows: { [shop]: {} } })).toEqual([]);
    expect(first([compose({ action: 'adopt' })])).toEqual([]);
    expect(first([compose()], { rows: { [shop]: listed() }, deployed: { [shop]: { inputs: 'a' } } })).toEqual([]);
  });

  test('takes in what its service declares, once that is known', () => {
    const command = { ...attribute('compose', 'command', null), wanted: referring({ address: cache, output: 'host' }) };
    const at = (host?: string, ...attributes: readonly AttributeChange[]) =>
      serviceAt(planned([compose({ attributes })]), shop)?.inputs(() => host);
    expect(at('main', command)).toBe(at(undefined, attribute('compose', 'command', 'main')));
    expect(at('main', command)).not.toBe(at('other', command));
    expect(at(undefined, command)).toBeUndefined();
  });

  test('is planned until it succeeded', () => {
    const owed = planned([compose()], { deployed: { [shop]: { stale: {} } } });
    expect(deployments(owed)).toMatchObject([{ start: 'again', because: [] }]);
    expect(deployments(owed)[0]?.dependsOn).toEqual([shop]);
    expect(deployments(planned([compose()], { deployed: { [shop]: { inputs: 'a' } } }))).toEqual([]);
    // What never ran does not restart.
    const never = { deployed: { [shop]: { stale: {} } }, rows: { [shop]: { deployments: [] } } };
    expect(deployments(planned([compose()], never))).toMatchObject([{ start: 'first' }]);
  });

  test('that was ordered is looked for first, unless there is more to deploy by now', () => {
    const pending = { mark: 'm', inputs: 'a', newest: null, at: 1, timeoutMs: 60_000 } as const;
    const deployed = { [shop]: { stale: {}, pending } };
    expect(deployments(planned([compose()], { deployed }))).toMatchObject([{ start: 'under way' }]);
    expect(deployments(planned([changed()], { deployed }))[0]).toMatchObject({ start: 'again' });
    const rows = { [shop]: { deployments: [{ deploymentId: 'd1', status: 'done', description: 'm' }] } };
    const over = planned([compose()], { deployed, rows });
    expect(deployments(over)).toEqual([]);
    expect(serviceAt(over, shop)).toStrictEqual({
      known: { inputs: 'a' },
      inputs,
      staleness: undefined,
      isLeft: false,
    });
  });

  test('does not exist for services that are deleted, held back, or cannot be deployed', () => {
    for (const more of [{ action: 'delete' }, { action: 'forget' }, { action: 'no-op', kept: 'held' }] as const) {
      const actions = [changed(more)];
      expect(planned(actions)).toEqual(actions);
    }
    const backup = actionOf('production.redis.cache.backups.a', { kind: kindNamed('backup'), action: 'create' });
    expect(planned([backup])).toEqual([backup]);
  });

  test('left to the user is noted at the service', () => {
    const never = changed({ options: { deploy: 'never' } });
    for (const actions of [planned([never]), planned([changed()], { deploys: false })]) {
      expect(deployments(actions)).toEqual([]);
      expect(serviceAt(actions, shop)).toMatchObject({ isLeft: true, staleness: { because: ['command'] } });
    }
    expect(serviceAt(planned([compose()], { deploys: false }), shop)).toMatchObject({
      known: undefined,
      isLeft: false,
    });
    expect(deployments(planned([changed({ options: { deploy: 'auto' } })]))).toHaveLength(1);
    const made = planned([application('git', { action: 'create', id: undefined, options: { deploy: 'never' } })]);
    expect(made[0]).toMatchObject({ notes: [], service: { isLeft: true } });
  });
});

describe('what cannot be deployed from here', () => {
  test('is said each time, and what to do', () => {
    const [made] = planned([application('git', { action: 'create', id: undefined })]);
    expect(made?.service).toStrictEqual({
      known: { stale: { code: true } },
      staleness: { code: true, because: [], through: [] },
      inputs,
      isLeft: true,
    });
    expect(made?.notes).toMatchObject([
      {
        code: 'not-deployed',
        address: web,
        position: here,
        message: `${web} is saved and cannot be deployed from here: it was never deployed, and the platform has no documented operation for the first deployment from a repository`,
        remedy: 'Push to its repository, or deploy it once in the platform.',
      },
    ]);
  });

  test('is said beside what is said of it already', () => {
    const [made] = planned([application('git', { action: 'create', id: undefined })]);
    const [again] = planned([application('git', { action: 'create', id: undefined, notes: made?.notes ?? [] })]);
    expect(again?.notes.map(({ code }) => code)).toEqual(['not-deployed', 'not-deployed']);
  });

  test('is rebuilt when no new code has to be fetched', () => {
    const rows = { [web]: { ...listed('done'), sourceType: 'git' } };
    const rebuilt = planned([application('git')], { rows, deployed: { [web]: { stale: {} } } });
    expect(deployments(rebuilt)).toMatchObject([{ steps: [{ operation: 'application.redeploy' }] }]);
    const newCode = planned([application('git')], { rows, deployed: { [web]: { stale: { code: true } } } });
    expect(deployments(newCode)).toEqual([]);
    expect(newCode[0]?.notes.map(({ message }) => message)).toEqual([
      `${web} is saved and cannot be deployed from here: the platform has no documented operation that fetches the code of an application`,
    ]);
    const branch = application('git', {
      attributes: [
        attribute('application', 'sourceType', 'git', { do: 'nothing', settled: true }),
        attribute('application', 'customGitBranch', 'next'),
      ],
    });
    expect(deployments(planned([branch], { rows, deployed: { [web]: { inputs: 'a' } } }))).toEqual([]);
    const never = { [web]: { ...listed(), sourceType: 'git' } };
    expect(deployments(planned([application('git')], { rows: never, deployed: { [web]: { stale: {} } } }))).toEqual([]);
  });

  test('is said as it is of the deployment, when it cannot be rebuilt either', () => {
    const kind = documentedKind('application');
    const commands = { deploy: { cannot: 'a', remedy: 'A' }, redeploy: { cannot: 'b', remedy: 'B' } };
    const message = (more: Partial<typeof commands>) =>
      planned([application('git', { kind: { ...kind, commands: { deploy: commands.deploy, ...more } } })], {
        rows: { [web]: listed('done') },
        deployed: { [web]: { stale: {} } },
      })[0]?.notes.map((note) => note.message);
    for (const more of [commands, {}])
      expect(message(more)).toEqual([`${web} is saved and cannot be deployed from here: a`]);
  });

  test('is no image, whose deployment always works', () => {
    const rows = { [web]: { ...listed(), sourceType: 'docker', buildType: 'static' } };
    const adopted = planned([application('docker', { action: 'adopt' })], { rows });
    expect(serviceAt(adopted, web)).toMatchObject({ known: { stale: {} }, staleness: undefined, isLeft: false });
    expect(deployments(adopted)).toHaveLength(1);
  });

  test('goes by the source that it will have, and not by the one that it has', () => {
    const rows = { [web]: { ...listed('done'), sourceType: 'git' } };
    const deployed = { [web]: { stale: {} } };
    const toImage = planned([application('docker')], { rows, deployed: { [web]: { stale: { code: true } } } });
    expect(deployments(toImage)).toMatchObject([{ steps: [{ operation: 'application.redeploy' }] }]);
    const made = planned([application('docker', { action: 'replace' })], { rows });
    expect(serviceAt(made, web)).toMatchObject({ known: { stale: {} } });
    // A replacement has no deployments yet, whatever the old one has.
    const anew = planned([application('git', { action: 'replace' })], { rows, deployed });
    expect(deployments(anew)).toEqual([]);
    expect(anew[0]?.notes[0]?.message).toContain('it was never deployed');
    const undeclared = { ...application('git'), attributes: [attributeChange('sourceType', { wanted: undefined })] };
    expect(deployments(planned([undeclared], { rows, deployed }))).toHaveLength(1);
    const unknown = attributeChange('sourceType', { wanted: referring({ address: 'x', output: 'y' }) });
    expect(deployments(planned([{ ...undeclared, attributes: [unknown] }], { rows, deployed }))).toHaveLength(1);
    const key = attributeChange('sourceType', {
      attribute: { field: 'sourceType', key: 'a' },
      wanted: declared('docker'),
    });
    const owesCode = { [web]: { stale: { code: true } } } as const;
    expect(deployments(planned([{ ...undeclared, attributes: [key] }], { rows, deployed: owesCode }))).toEqual([]);
  });
});

describe('a deployment comes after', () => {
  const domain = (key: string, more: ActionMembers = {}) =>
    actionOf(`${shop}.domains.${key}`, { kind: kindNamed('domain'), scope: shop, parent: shop, ...more });
  const dependsOn = (actions: readonly Action[], address: string) =>
    actions.find((action) => action.address === `${address} (deploy)`)?.dependsOn;

  test('what changes below its service and reaches the containers, and what owes it elsewhere', () => {
    const region = attribute('environment', 'env', 'eu');
    const environment = actionOf('production', {
      kind: kindNamed('environment'),
      attributes: [{ ...region, attribute: { field: 'env', key: 'REGION' } }],
    });
    const mention = {
      ...attribute('compose', 'env', '${{environment.REGION}}'),
      attribute: { field: 'env', key: 'R' },
    };
    const actions = planned([
      environment,
      compose({ attributes: [mention] }),
      domain('new', { action: 'create', steps: [aStep] }),
      domain('old', { action: 'delete' }),
      domain('same'),
      domain('backup', { kind: kindNamed('backup'), steps: [aStep] }),
    ]);
    expect(dependsOn(actions, shop)).toEqual([shop, `${shop}.domains.new`, `${shop}.domains.old`, 'production']);
  });

  test('the deployments of services that it refers to, itself or by what is below it', () => {
    const redis = actionOf(cache, { action: 'create', id: undefined });
    const direct = planned([redis, changed({ dependsOn: ['production', cache] })]);
    expect(dependsOn(direct, shop)).toEqual([shop, `${cache} (deploy)`]);
    expect(dependsOn(direct, cache)).toEqual([cache]);
    const below = planned([redis, changed(), domain('a', { dependsOn: [shop, cache] })]);
    expect(dependsOn(below, shop)).toEqual([shop, `${cache} (deploy)`]);
    const mount = actionOf(`${cache}.mounts.a`, { kind: kindNamed('mount'), scope: cache, parent: cache });
    expect(dependsOn(planned([redis, mount, changed({ dependsOn: [mount.address] })]), shop)).toEqual([
      shop,
      `${cache} (deploy)`,
    ]);
  });

  test('none behind a service that is not deployed: the schedule finds those', () => {
    const redis = actionOf(cache, { action: 'create', id: undefined });
    const middle = actionOf('production.compose.middle', { kind: kindNamed('compose'), dependsOn: [cache] });
    const actions = planned([redis, middle, changed({ dependsOn: [middle.address] })]);
    expect(dependsOn(actions, shop)).toEqual([shop]);
    const both = planned([
      redis,
      actionOf(middle.address, { ...middle, action: 'create' }),
      changed({ dependsOn: [middle.address] }),
    ]);
    expect(dependsOn(both, shop)).toEqual([shop, `${middle.address} (deploy)`]);
    expect(dependsOn(planned([middle, changed({ dependsOn: [middle.address] })]), shop)).toEqual([shop]);
  });

  test('no deployment of its own', () => {
    expect(dependsOn(planned([changed(), domain('a', { dependsOn: [shop] })]), shop)).toEqual([shop]);
  });
});

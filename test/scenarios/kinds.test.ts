import { documentOf, resultOf } from '../support/documents.ts';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { means, plain } from '../../src/kind/codecs.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import type { Operation } from '../../src/api/contract.ts';
import type { Field } from '../../src/kind/field.ts';
import { schemaOf } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { endpointOf, requiredMembers } from '../../src/api/contract.ts';
import { canBeNull, carrierOf, fieldPath, idMember, observedValue, takes, updatesOf } from '../../src/kind/wire.ts';
import type { Plan } from '../../src/plan/action.ts';
import { importObject } from '../../src/workflow/import.ts';
import { applyPlan } from '../../src/workflow/apply.ts';
import { renderResult } from '../../src/render/apply-text.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { kinds } from '../../src/resources/index.ts';
import { deployByHand, deployOrders } from '../support/deployments.ts';
import {
  isFromGit,
  isService,
  neverFetched,
  orderFor,
  ordersForField,
  ordersForObject,
  reachesContainers,
  serviceOf,
} from '../support/kind-deployments.ts';
import type { Body, Stand } from '../support/kind-manifests.ts';
import {
  addressOf,
  bodyTag,
  bodyWith,
  documentedStands,
  keptKey,
  manifestWith,
  outcomeOf,
  renamedKey,
  stands,
  topKind,
  topStands,
  withField,
  withoutField,
} from '../support/kind-manifests.ts';
import { benchAfter, kindBench as anyBench } from '../support/kind-world.ts';
import { isAll, isFull } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';

/** The contract that every kind meets. */

const permissions = { dataLoss: true };

/** Plans and applies; `orders`: which deployments are to be ordered then, and no others. */
async function apply(made: Bench, text: string, orders?: readonly string[]): Promise<Plan> {
  const plan = await made.plan(text);
  await carryOut(made, plan, orders);
  const isPending = plan.actions.some(
    (action) => action.action === 'create' && action.kind.identity.listedOnce !== undefined,
  );
  if (isPending) await apply(made, text);
  return plan;
}

async function carryOut(made: Bench, plan: Plan, orders?: readonly string[]): Promise<void> {
  const start = made.emulator.log.length;
  const adoption = plan.actions.some((action) => action.kind.operations.create === undefined);
  const permitted = { dataLoss: true, adoption };
  const result = await applyPlan(plan, made.world(), { permissions: permitted, connections: 4, clock: made.clock });
  for (const { action, result: became, diagnostics } of result.outcomes) {
    expect(became, action.address).toBe('done');
    const isPending = action.action === 'create' && action.kind.identity.listedOnce !== undefined;
    expect(diagnostics.map((item) => item.code)).toEqual(isPending ? ['pending'] : []);
    if (isPending) await connect(made, action.kind);
  }
  const operations = made.emulator.log.slice(start).map(({ operation }) => operation);
  if (orders !== undefined) expect(deployOrders(operations)).toEqual(orders);
}

/** Does in the browser what makes the platform list a provider. */
async function connect(made: Bench, kind: Kind): Promise<void> {
  for (const row of Object.values(made.emulator.world.tables.gitlab)) {
    await made.emulator.act('gitlab.connect', { [kind.identity.id]: row[kind.identity.id] });
  }
}

/** `waiting`: ids of the applications that the plan says somebody has to deploy. */
async function plansNothing(made: Bench, text: string, waiting = neverFetched(made)): Promise<void> {
  made.requests('POST');
  const plan = await made.plan(text);
  expect(plan.actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  expectNotes(plan, [], waiting);
  const before = JSON.stringify(made.store.state);
  await carryOut(made, plan);
  expect(made.requests('POST')).toEqual([]);
  expect(JSON.stringify(made.store.state)).toBe(before);
}

/** Checks the codes of everything that a plan says beside its actions, and which applications have to be deployed. */
function expectNotes(plan: Plan, codes: readonly string[], waiting: readonly string[]): void {
  const notes = plan.actions.flatMap((action) =>
    action.notes.map(({ code }) => (code === 'not-deployed' ? `${code} ${action.id}` : code)),
  );
  expect(notes.toSorted()).toEqual([...codes, ...waiting.map((id) => `not-deployed ${id}`)].toSorted());
}

async function rowOf(made: Bench, stand: Stand, address = addressOf(stand)): Promise<Row> {
  const id = made.store.state?.resources[address]?.id;
  return readRow(made, stand, id);
}

/** The row with an id, with what only a list shows. */
async function readRow(made: Bench, { kind }: Stand, id: unknown): Promise<Row> {
  const { read, readMore } = kind.operations;
  const row = (await made.emulator.act(read, { [idMember(kind, read)]: id })) as Row;
  const listed = readMore === undefined ? [] : ((await made.emulator.act(readMore)) as Row[]);
  return { ...listed.find((one) => one[kind.identity.id] === id), ...row };
}

function actionAt(plan: Plan, stand: Stand, address = addressOf(stand)) {
  const action = plan.actions.find((item) => item.address === address);
  if (action === undefined) throw new Error(`the plan has no ${address}`);
  return action;
}

/** A manifest with variables in each of its environments, and with some more of those. */
function withVariables(text: string, env: Readonly<Record<string, string>>, ...more: readonly string[]): string {
  const content = JSON.parse(text) as { environments: Record<string, Body> };
  for (const name of more) content.environments[name] = {};
  for (const environment of Object.values(content.environments)) environment.env = env;
  return JSON.stringify(content);
}

/** A test of what some kinds can do. */
function testIf(condition: boolean): (title: string, body: () => Promise<void>) => void {
  return condition ? test : () => undefined;
}

async function refusal(attempt: Promise<unknown>): Promise<readonly string[]> {
  const error: unknown = await attempt.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
  return error.diagnostics.map((item) => item.code);
}

describe.each([...kinds, topKind()].map((kind) => ({ name: kind.kind, kind })))('$name declares', ({ kind }) => {
  test.each(Object.entries(kind.fields))('two different example values for %s, and what it means', (_, field) => {
    const [a, b] = field.examples;
    expect(schemaOf(field).safeParse(a).success).toBe(true);
    expect(schemaOf(field).safeParse(b).success).toBe(true);
    expect(means(field.codec ?? plain, a, b)).toBe(false);
    expect(schemaOf(field).description).toMatch(/\w{3}/);
    // A start that builds the schemas of all fields takes 20 ms longer.
    expect(field.schema).toBeTypeOf('function');
  });

  test('every documented field that can be declared', () => {
    const owners = /^(application|compose|environment|project|libsql|mariadb|mongo|mysql|postgres|redis)Id$/;
    const set = new Set(Object.values(kind.parents).flatMap((link) => Object.keys(link.set)));
    const unionCalls = (kind.unions ?? []).flatMap(({ calls }) => Object.values(calls ?? {}));
    for (const call of [kind.operations.create ?? [], updatesOf(kind), unionCalls].flat()) {
      for (const name of Object.keys(endpointOf(call).input.shape)) {
        const isKnown =
          name === idMember(kind, call) ||
          kind.fields[name] !== undefined ||
          set.has(name) ||
          (notDeclared[name] ?? notDeclared[`${kind.kind}.${name}`]) !== undefined ||
          owners.test(name);
        expect(isKnown, `${call} takes ${name}`).toBe(true);
      }
    }
  });
});

/** Members that nobody declares, and why; of one kind or of all. */
const notDeclared: Readonly<Record<string, string>> = {
  accessToken: 'written by the platform when a provider is connected',
  applicationStatus: 'a status',
  composeStatus: 'a status',
  createdAt: 'a time of the platform',
  'destination.serverId': 'stored nowhere',
  'machineSchedule.serviceName': 'of commands in a container of a compose; a script runs on the server itself',
  'machineSchedule.shellType': 'of commands in containers; the server runs a script with bash',
  'registry.serverId': 'stored nowhere: says where docker logs in at once',
  'schedule.script': 'of schedules of servers, which are another kind; in a container the command runs',
  'schedule.serverId': 'of schedules of servers, which are another kind',
  ...Object.fromEntries(
    'slack telegram discord email resend gotify ntfy mattermost custom lark pushover teams'
      .split(' ')
      .map((type) => [`notification.${type}Id`, 'the id of the row of its channel']),
  ),
  dropBuildPath: 'of a source that a person uploads',
  enabled: 'without an effect that is known',
  expiresAt: 'written by the platform when a provider is connected',
  gitProviderId: 'the id of a record that the platform makes',
  hostPath: 'of mounts, which are another kind than files',
  volumeName: 'of mounts, which are another kind than files',
  lastAuthenticatedAt: 'a time of the platform',
  lastUsedAt: 'a time of the platform',
  organizationId: 'the organization of the API key',
  organizationName: 'stored nowhere',
  previewDeploymentId: 'of deployments that the platform makes by itself',
  refreshToken: 'a secret of the platform',
  giteaUsername: 'stored nowhere',
  serviceType: 'follows from the parent',
  userId: 'of backups of the platform itself',
};

test('objects below a service that wait for its deployment: mounts, files, ports, and the domains of a compose', () => {
  const placeOf = ({ kind, parent }: Stand) => `${kind.kind} of ${parent}`;
  const leafs = stands().filter((stand) => serviceOf(stand) !== undefined && !isService(stand));
  expect(new Set(leafs.filter(reachesContainers).map(placeOf))).toEqual(
    new Set([
      ...['application', 'postgres', 'mariadb', 'redis', 'mysql', 'mongo', 'libsql'].map(
        (service) => `mount of ${service}`,
      ),
      'fileMount of compose',
      'port of application',
      'domain of compose',
    ]),
  );
  expect(new Set(leafs.filter((stand) => !reachesContainers(stand)).map(({ kind }) => kind.kind))).toEqual(
    new Set(['domain', 'backup', 'volumeBackup', 'redirect', 'security', 'schedule']),
  );
});

/** The fields that had a place before. */
const met = new Set<Field>();
/** How often a field came again in another place. */
let again = 0;

/**
 * Whether a field is tried in the next place that can have it: every day each second field in the first one of all kinds that
 * share it, in CI each field, in each twelfth of the others too, and of those on a platform that has the document only.
 */
function isTried(field: Field, { documentedOnly }: Stand): boolean {
  const isFirst = !documentedOnly && !met.has(field);
  if (isFirst) met.add(field);
  else again += 1;
  if (!isFull) return isFirst && met.size % 2 === 0;
  return isFirst || isAll || again % 12 === 0;
}

describe.each([...stands(), ...(isFull ? documentedStands() : []), ...topStands()])('$title', (stand) => {
  const { kind, documentedOnly } = stand;
  const kindBench = () => anyBench(undefined, documentedOnly);
  const begunWith = (...texts: readonly string[]): Promise<Bench> => benchAfter(texts, apply, documentedOnly);
  const canBeMade = kind.operations.create !== undefined;
  /** Without its block, or under another key, a manifest is about another project. */
  const isTop = kind.isTop === true;

  test(`is ${canBeMade ? 'created' : 'taken over'}, and then plans nothing`, async () => {
    const made = kindBench();
    const text = manifestWith(stand, stand.body);
    const plan = await made.plan(text);
    expect(actionAt(plan, stand).action).toBe(canBeMade ? 'create' : 'adopt');
    expect(made.requests('POST')).toEqual([]);
    await apply(made, text, isService(stand) ? orderFor(stand, stand.body) : undefined);
    await plansNothing(made, text);
  });

  testIf(canBeMade && !isService(stand) && !isTop)(
    'that comes later deploys its service once, when it reaches the containers, and not otherwise',
    async () => {
      const made = kindBench();
      await apply(made, manifestWith(stand, undefined));
      await apply(made, manifestWith(stand, stand.body), ordersForObject(stand, stand.body));
      await plansNothing(made, manifestWith(stand, stand.body));
    },
  );

  testIf(canBeMade && !isService(stand) && reachesContainers(stand))(
    'is deployed once with the service that it comes with',
    async () => {
      const made = kindBench();
      await apply(made, manifestWith(stand, stand.body), orderFor(stand, stand.body));
    },
  );

  testIf(!canBeMade)('is not created where there is none: the plan says why', async () => {
    const made = kindBench();
    const { key } = stand;
    const text = manifestWith(stand, stand.body, { key: key.includes('@') ? `no.${key}` : `${key}-none` });
    expect(await refusal(made.apply(text, { adoption: true }))).toEqual(['cannot-create']);
    expect(made.requests('POST')).toEqual([]);
  });

  testIf(kind.operations.delete !== undefined && !isTop)(
    'is deleted when its block is gone, and then plans nothing',
    async () => {
      const made = await begunWith(manifestWith(stand, stand.body));
      const { [kind.identity.id]: id } = await rowOf(made, stand);
      const orders = isService(stand) ? [] : ordersForObject(stand, stand.body);
      const plan = await apply(made, manifestWith(stand, undefined), orders);
      expect(actionAt(plan, stand).action).toBe('delete');
      const absence = kind.operations.failsWith ?? /404/;
      await expect(readRow(made, stand, id)).rejects.toThrow(absence);
      await plansNothing(made, manifestWith(stand, undefined));
    },
  );

  testIf(isTop)('is destroyed with the manifest, and created again', async () => {
    const text = manifestWith(stand, stand.body);
    const made = await begunWith(text);
    const { [kind.identity.id]: id } = await rowOf(made, stand);
    await made.destroy(text);
    await expect(readRow(made, stand, id)).rejects.toThrow(/404/);
    const plan = await apply(made, text);
    expect(actionAt(plan, stand).action).toBe('create');
    await plansNothing(made, text);
  });

  testIf(kind.operations.delete === undefined)(
    'is let go of when its block is gone, which is said, and then plans nothing',
    async () => {
      const made = await begunWith(manifestWith(stand, stand.body));
      const before = await rowOf(made, stand);
      const read = { [idMember(kind, kind.operations.read)]: before[kind.identity.id] };
      made.requests('POST');
      const plan = await made.plan(manifestWith(stand, undefined));
      expect(actionAt(plan, stand)).toMatchObject({ action: 'forget', notes: [{ code: 'stays-there' }] });
      await apply(made, manifestWith(stand, undefined));
      expect(made.requests('POST')).toEqual([]);
      expect(await made.emulator.act(kind.operations.read, read)).toEqual(before);
      await plansNothing(made, manifestWith(stand, undefined));
    },
  );

  test('is adopted with consent when the state is lost, and then plans nothing', async () => {
    const text = manifestWith(stand, stand.body);
    const made = await begunWith(text);
    const { [kind.identity.id]: id } = await rowOf(made, stand);
    made.store.state = undefined;
    made.requests('POST');
    const plan = await made.plan(text);
    expect(actionAt(plan, stand)).toMatchObject({ action: 'adopt', needsConsent: true, id });
    expect(await refusal(made.apply(text))).toContain('consent');
    const result = await made.apply(text, { adoption: true });
    expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
    expect(made.requests('POST')).toEqual([]);
    await plansNothing(made, text);
  });

  test('is taken over by id:, and then plans nothing', async () => {
    const made = await begunWith(manifestWith(stand, stand.body));
    const { [kind.identity.id]: id } = await rowOf(made, stand);
    const records = made.store.state?.resources ?? {};
    const { [addressOf(stand)]: _, ...others } = records;
    if (made.store.state !== undefined) made.store.state = { ...made.store.state, resources: others };
    const text = manifestWith(stand, { ...stand.body, id: id as string });
    const plan = await apply(made, text);
    expect(actionAt(plan, stand)).toMatchObject({ action: 'adopt', needsConsent: false, id });
    await plansNothing(made, text);
  });

  test('is imported by address and id, and then plans nothing', async () => {
    const text = manifestWith(stand, stand.body);
    const made = await begunWith(text);
    const { [kind.identity.id]: id } = await rowOf(made, stand);
    const { [addressOf(stand)]: _, ...others } = made.store.state?.resources ?? {};
    if (made.store.state !== undefined) made.store.state = { ...made.store.state, resources: others };
    made.requests('POST');
    await importObject(await made.manifest(text), made.world(), addressOf(stand), id as string);
    expect(made.store.state?.resources[addressOf(stand)]?.id).toBe(id);
    await apply(made, text);
    expect(made.requests('POST')).toEqual([]);
    await plansNothing(made, text);
  });

  testIf(!isTop)('keeps its identity when moved: reports that its key changed, and then plans nothing', async () => {
    const made = await begunWith(manifestWith(stand, stand.body));
    const before = await rowOf(made, stand);
    const renamed = { key: renamedKey(stand) };
    const moved = [{ from: addressOf(stand), to: addressOf(stand, renamed) }];
    const text = manifestWith(stand, keptKey(stand), { ...renamed, moved });
    // The key may stand for a field.
    const field = kind.fields[kind.identity.keyField ?? ''];
    const isWritten = field !== undefined && outcomeOf(field) === 'write';
    const plan = await apply(made, text, isWritten ? ordersForField(stand, stand.body, field) : []);
    expect(plan.actions.filter((action) => action.action === 'create' || action.action === 'delete')).toEqual([]);
    const after = await rowOf(made, stand, addressOf(stand, renamed));
    expect(after[kind.identity.id]).toBe(before[kind.identity.id]);
    await plansNothing(made, text);
  });

  testIf(kind.operations.move !== undefined)(
    'moves to another environment with moved:, and then plans nothing',
    async () => {
      const made = await begunWith(manifestWith(stand, stand.body));
      const before = await rowOf(made, stand);
      const elsewhere = { environment: 'preview' };
      const moved = [{ from: addressOf(stand), to: addressOf(stand, elsewhere) }];
      const text = manifestWith(stand, stand.body, { ...elsewhere, moved });
      const plan = await apply(made, text, []);
      expect(actionAt(plan, stand, addressOf(stand, elsewhere)).action).toBe('move');
      const after = await rowOf(made, stand, addressOf(stand, elsewhere));
      expect(after[kind.identity.id]).toBe(before[kind.identity.id]);
      expect(after.environmentId).not.toBe(before.environmentId);
      await plansNothing(made, text);
    },
  );

  testIf(kind.operations.move !== undefined)(
    'is moved back when somebody moved it, and then plans nothing',
    async () => {
      const text = manifestWith(stand, stand.body);
      const made = await begunWith(text);
      const before = await rowOf(made, stand);
      const { move } = kind.operations;
      if (move === undefined) throw new Error('it has a move');
      await made.emulator.act(move.call, { [kind.identity.id]: before[kind.identity.id], [move.as]: 'env_prj_1' });
      const plan = await apply(made, text, []);
      expect(actionAt(plan, stand)).toMatchObject({ action: 'move', id: before[kind.identity.id] });
      expect((await rowOf(made, stand)).environmentId).toBe(before.environmentId);
      await plansNothing(made, text);
    },
  );

  /** It mentions one variable of its environment, which has two. */
  const mentioning = (region: string, zone: string) =>
    withVariables(manifestWith(stand, { ...stand.body, env: { R: 'in ${{environment.REGION}}' } }), {
      REGION: region,
      ZONE: zone,
    });

  testIf(isService(stand) && !isFromGit(stand, stand.body))(
    'is deployed once when a variable of its environment changes that it mentions, and not for another one',
    async () => {
      const made = kindBench();
      const orders = orderFor(stand, stand.body);
      const text = mentioning;
      await apply(made, text('eu', 'a'));
      await apply(made, text('eu', 'b'), []);
      await apply(made, text('us', 'b'), orders);
      await plansNothing(made, text('us', 'b'));
      const environmentId = made.store.state?.resources.staging?.id;
      await made.emulator.act('environment.update', { environmentId, env: 'REGION=by-hand\nZONE=b\n' });
      await apply(made, text('us', 'b'), orders);
      await plansNothing(made, text('us', 'b'));
      await made.emulator.act('environment.update', { environmentId, env: 'REGION=us\nZONE=by-hand\n' });
      await apply(made, text('us', 'b'), []);
      await plansNothing(made, text('us', 'b'));
    },
  );

  testIf(documentedOnly && isFromGit(stand, stand.body))(
    'is known to be deployed when somebody does that after a variable of its environment changed',
    async () => {
      const made = kindBench();
      await apply(made, mentioning('eu', 'a'), []);
      await apply(made, mentioning('us', 'a'), []);
      const [id = ''] = neverFetched(made);
      await deployByHand(made, id);
      expectNotes(await made.plan(mentioning('us', 'a')), [], []);
    },
  );

  testIf(kind.operations.move !== undefined)(
    'is deployed once when it moves to where the variables that it mentions are other ones',
    async () => {
      const made = kindBench();
      const body = { ...stand.body, env: { R: '${{environment.REGION}}' } };
      const env = { REGION: 'eu' };
      await apply(made, withVariables(manifestWith(stand, body), env, 'preview'));
      const elsewhere = { environment: 'preview' };
      const moved = [{ from: addressOf(stand), to: addressOf(stand, elsewhere) }];
      const text = withVariables(manifestWith(stand, body, { ...elsewhere, moved }), env);
      await apply(made, text, orderFor(stand, body));
      await plansNothing(made, text);
    },
  );

  const fields = Object.entries(kind.fields).filter(
    ([name, field]) => withField(stand, name, field.examples[0]) !== undefined && isTried(field, stand),
  );

  describe.each(fields)('field %s', (name, field) => {
    const [first, second] = field.examples;
    /** The same in the words of the API, as the tests write and read them on the platform. */
    const [firstThere, secondThere] = [first, second].map((value) => value) as [Json, Json];
    const carrier = carrierOf(kind, name, (tag) => bodyTag(stand, bodyWith(stand, name, first), tag));
    const one = bodyWith(stand, name, first);
    const two = bodyWith(stand, name, second);
    /** A world in which the first value is applied; what cannot be made is taken over first. */
    const begun = (): Promise<Bench> =>
      begunWith(...(canBeMade ? [] : [manifestWith(stand, stand.body)]), manifestWith(stand, one));

    /** What is ordered when it changes to a value in a body. */
    const orders = ordersForField(stand, two, field);

    test(`follows its onChange (${outcomeOf(field)}) and is deployed ${orders.length} times when it changes, and then plans nothing`, async () => {
      const made = await begun();
      await plansNothing(made, manifestWith(stand, one));
      const before = await rowOf(made, stand);
      made.requests('POST');
      if (outcomeOf(field) === 'refuse') {
        expect(await refusal(made.apply(manifestWith(stand, two), permissions))).toEqual(['cannot-change']);
        expect(made.requests('POST')).toEqual([]);
        return;
      }
      const plan = await apply(made, manifestWith(stand, two), orders);
      const action = actionAt(plan, stand);
      expect(action.action).toBe(outcomeOf(field) === 'replace' ? 'replace' : 'update');
      expect(action.changes.map((change) => change.path)).toContain(fieldPath(kind, name));
      const after = await rowOf(made, stand);
      expect(after[kind.identity.id] === before[kind.identity.id]).toBe(outcomeOf(field) !== 'replace');
      expect(means(field.codec ?? plain, secondThere, observedValue(kind, name, after) ?? null)).toBe(true);
      await plansNothing(made, manifestWith(stand, two));
    });

    testIf(documentedOnly && isFromGit(stand, one) && isFromGit(stand, two) && outcomeOf(field) === 'write')(
      'is rebuilt when it changes once somebody deployed the application, unless that takes other code',
      async () => {
        const made = await begun();
        const [id = ''] = neverFetched(made);
        await deployByHand(made, id);
        await apply(made, manifestWith(stand, one), []);
        await plansNothing(made, manifestWith(stand, one), []);
        const isDue = field.appliesAt === 'deploy';
        const isCode = isDue && fieldPath(kind, name).startsWith('source.');
        await apply(made, manifestWith(stand, two), isDue && !isCode ? ['application.redeploy'] : []);
        await plansNothing(made, manifestWith(stand, two), isCode ? [id] : []);
        await deployByHand(made, id);
        await apply(made, manifestWith(stand, two), []);
        await plansNothing(made, manifestWith(stand, two), []);
      },
    );

    testIf(field.secrecy !== undefined)(
      'shows in no plan, result or state, when it is set and when it changes',
      async () => {
        const made = kindBench();
        let said = '';
        const canaries = outcomeOf(field) === 'refuse' ? ['canary-one-6f1c'] : ['canary-one-6f1c', 'canary-two-9a2b'];
        for (const canary of canaries) {
          const text = manifestWith(stand, bodyWith(stand, name, hiding(field, canary)));
          const plan = await made.plan(text);
          const { outcomes, state } = await made.apply(text, { dataLoss: true, adoption: true });
          expect(outcomes.find(({ action }) => action.address === addressOf(stand))?.result).toBe('done');
          const view = documentOf(plan);
          const ending = resultOf({ outcomes, state }, { plan: view });
          said += renderPlan(view, plainStyle) + JSON.stringify(view) + renderResult(ending, plainStyle);
          said += JSON.stringify(ending) + JSON.stringify(state) + inspect(plan, { depth: 20 });
          if (kind.identity.listedOnce === undefined) continue;
          await connect(made, kind);
          await made.apply(text);
        }
        expect(JSON.stringify(await rowOf(made, stand))).toContain(canaries.at(-1));
        expect(said).toContain(addressOf(stand));
        expect(said).not.toContain('canary-');
      },
    );

    test('is cleared by null where that is harmless, and then plans nothing', async () => {
      const made = await begun();
      // A service without what it needs is not deployed.
      const isUseless = field.needed === true && isService(stand) && orderFor(stand, one).length > 0;
      const body = bodyWith(stand, name, null);
      const cleared = manifestWith(stand, isUseless ? { ...body, deploy: 'never' } : body);
      const isUnion = kind.unions?.some((union) => union.tag === name) === true;
      const value =
        field.onNull === undefined
          ? canBeNull(kind, name)
            ? null
            : undefined
          : 'value' in field.onNull
            ? field.onNull.value
            : undefined;
      made.requests('POST');
      // Elsewhere null can be written: only the plan knows that this platform has no operation for it.
      const full = kinds.find((one) => one.kind === kind.kind);
      const isKnownLater =
        documentedOnly && outcomeOf(field) === 'refuse' && full !== undefined && canBeNull(full, name);
      if ((value === undefined && !isKnownLater) || isUnion) {
        const codes = await refusal(made.plan(cleared));
        expect(codes[0]).toMatch(/not-clearable|wrong-type/);
        expect(made.requests('POST')).toEqual([]);
        return;
      }
      if (outcomeOf(field) === 'refuse') {
        expect(await refusal(made.apply(cleared, permissions))).toEqual(['cannot-change']);
        return;
      }
      await apply(made, cleared, isUseless ? [] : ordersForField(stand, one, field));
      expect(
        means(field.codec ?? plain, value ?? null, observedValue(kind, name, await rowOf(made, stand)) ?? null),
      ).toBe(true);
      await plansNothing(made, cleared);
    });

    const without = field.fromParent === undefined ? withoutField(stand, one, name) : undefined;
    testIf(without !== undefined)(
      'is released when it is left out: it stays as it is, and then plans nothing',
      async () => {
        const less = without ?? {};
        const made = await begun();
        const before = await rowOf(made, stand);
        made.requests('POST');
        const released = await made.plan(manifestWith(stand, less));
        expect(actionAt(released, stand).notes.map((note) => note.code)).toContain('released');
        expectNotes(released, ['released'], neverFetched(made));
        const result = await made.apply(manifestWith(stand, less));
        expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
        expect(made.requests('POST')).toEqual([]);
        expect(await rowOf(made, stand)).toEqual(before);
        await plansNothing(made, manifestWith(stand, less));
        // To manage it again as it is deploys nothing either.
        made.requests('POST');
        await apply(made, manifestWith(stand, one));
        expect(made.requests('POST')).toEqual([]);
        await plansNothing(made, manifestWith(stand, one));
      },
    );

    testIf(carrier !== undefined)(
      'shows a change that somebody made on the platform, and repairs or leaves it as declared',
      async () => {
        if (carrier === undefined) throw new Error('an operation carries it');
        const made = await begun();
        const row = await rowOf(made, stand);
        await made.emulator.act(...changeThere(stand, row, name, secondThere, carrier)).catch((error: unknown) => {
          expect(String(error)).toContain('No values to set'); // the platform drops internal names
        });
        const drifted = observedValue(kind, name, await rowOf(made, stand)) ?? null;
        const isGrown = field.growsByItself === true; // what is declared is still there
        if (isGrown || means(field.codec ?? plain, drifted, observedValue(kind, name, row) ?? null)) {
          await plansNothing(made, manifestWith(stand, one)); // the platform ignores it, as it does with internal names
          return;
        }
        const isWritten = outcomeOf(field) === 'write' || field.rowOnly === true;
        const repair = isWritten && field.rowOnly !== true ? ordersForField(stand, one, field) : [];
        const plan = await apply(made, manifestWith(stand, one), repair);
        const action = actionAt(plan, stand);
        const after = observedValue(kind, name, await rowOf(made, stand)) ?? null;
        if (isWritten) {
          expect(action.changes).toMatchObject([{ path: fieldPath(kind, name), cause: 'drift' }]);
          expect(means(field.codec ?? plain, firstThere, after)).toBe(true);
          await plansNothing(made, manifestWith(stand, one));
        } else {
          expect(action.changes).toEqual([]);
          expect(action.notes.map((note) => note.code)).toContain('drift-left');
          expectNotes(plan, ['drift-left'], neverFetched(made));
          expect(after).toEqual(drifted);
        }
      },
    );
  });
});

/** A value that a field takes and that holds a canary. */
function hiding(field: Field, canary: string): Json {
  const [example] = field.examples;
  if (field.map !== undefined) return field.secrecy === 'secret' ? { CANARY: canary } : { CANARY_TOKEN: canary };
  if (field.secrecy === 'private') return `password: ${canary}\n`;
  if (typeof example !== 'string')
    return JSON.parse(JSON.stringify(example), (_key, value: unknown) =>
      typeof value === 'string' ? canary : value,
    ) as Json;
  if (schemaOf(field).safeParse(canary).success) return canary;
  return example.includes('b25l') ? example.replace('b25l', canary) : `${example}/${canary}`;
}

/** The request of a person who changes one field on the platform: the rest goes along as it is. */
function changeThere(
  { kind }: Stand,
  row: Row,
  name: string,
  value: Json,
  carrier: Operation,
): [Operation, Record<string, unknown>] {
  const union = kind.unions?.find(({ tag, calls }) => tag === name && calls !== undefined);
  const call = union?.calls?.[String(value)] ?? carrier;
  const along = Object.keys(kind.fields).filter((field) => kind.fields[field]?.inEveryUpdate === true);
  const members = [...requiredMembers(call), ...along].filter((field) => takes(call, field));
  const sent = members.map((field) => {
    const present = observedValue(kind, field, row) ?? row[field] ?? null;
    return [field, present ?? (union === undefined ? null : (kind.fields[field]?.examples[0] ?? null))];
  });
  const known = Object.fromEntries(
    sent.filter(([field, present]) => present !== null || requiredMembers(call).includes(String(field))),
  ) as Record<string, unknown>;
  return [
    call,
    { ...known, [idMember(kind, call)]: row[kind.identity.id], ...(takes(call, name) ? { [name]: value } : {}) },
  ];
}

import { documentOf, resultOf } from '../support/documents.ts';
import { isUserName } from '../../src/secrets/secret-names.ts';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { onceFor } from '../../src/api/once.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { means, plain } from '../../src/kind/codecs.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import type { Operation } from '../../src/api/contract.ts';
import type { Field } from '../../src/kind/field.ts';
import { schemaOf } from '../../src/kind/field.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { endpointOf, requiredMembers } from '../../src/api/contract.ts';
import {
  canBeNull,
  carrierOf,
  fieldPath,
  idMember,
  nested,
  observedValue,
  takes,
  updatesOf,
} from '../../src/kind/row-values.ts';
import type { Outcome } from '../../src/apply/job.ts';
import type { Action } from '../../src/plan/action.ts';
import { importObject } from '../../src/workflow/import-object.ts';
import { renderResult } from '../../src/render/apply-text.ts';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { kinds } from '../../src/resources/index.ts';
import { asRows } from '../../src/observe/checked-answers.ts';
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
import { changedThrough } from '../support/changed-through.ts';
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
import type { Walker } from '../support/kind-walk.ts';
import { carryOut, createCompanies } from '../support/kind-walk.ts';
import { isAll, isFull } from '../support/whole.ts';
import type { Bench } from '../support/world.ts';

/** The contract that every kind meets. */

const permissions = { dataLoss: true };

/** Plans and applies; `orders`: which deployments are to be ordered then, and no others. Gives the actions of the plan. */
async function apply(walker: Walker, text: string, orders?: readonly string[]): Promise<readonly Action[]> {
  const { actions, outcomes, posts } = await walker.apply(text);
  if (await expectDone(walker.made, outcomes)) await apply(walker, text);
  if (orders !== undefined) expect(deployOrders(posts)).toEqual(orders);
  return actions;
}

/** Applies what a test begins with. */
async function begin(made: Bench, text: string): Promise<void> {
  const { outcomes } = await carryOut(made, await made.plan(text));
  if (await expectDone(made, outcomes)) await begin(made, text);
}

/** Everything was done. true: some of it waited for a person, who has done that. */
async function expectDone(made: Bench, outcomes: readonly Outcome[]): Promise<boolean> {
  let isPending = false;
  for (const { action, result: became, diagnostics } of outcomes) {
    expect(became, action.address).toBe('done');
    const waits = action.action === 'create' && action.kind.identity.listedOnce !== undefined;
    // A platform of the API document tells nothing of containers.
    const found = diagnostics.filter(({ message }) => !/is not known: .* has no operation docker\.get/.test(message));
    expect(found.map((item) => item.code)).toEqual(waits ? ['pending'] : []);
    if (waits) await connect(made, action.kind);
    isPending ||= waits;
  }
  return isPending;
}

/** Does in the browser what makes the platform list a provider. */
async function connect(made: Bench, kind: Kind): Promise<void> {
  for (const row of Object.values(made.emulator.world.tables.gitlab)) {
    await made.emulator.act('gitlab.connect', { [kind.identity.id]: row[kind.identity.id] });
  }
}

/** Ids of its applications with a repository that nobody fetched from yet. */
function notFetched(walker: Walker): string[] {
  return walker.own(neverFetched(walker.made));
}

/** `waiting`: ids of the applications that the plan says somebody has to deploy. */
async function plansNothing(walker: Walker, text: string, waiting = notFetched(walker)): Promise<void> {
  walker.posts();
  const before = walker.records();
  const { actions, outcomes, wroteAnyway } = await walker.apply(text);
  expect(actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  expectNotes(actions, [], waiting);
  await expectDone(walker.made, outcomes);
  expect(walker.posts()).toEqual([]);
  expect(walker.records()).toBe(before);
  expect(wroteAnyway, 'the state was written').toBe(false);
}

/** Checks the codes of everything that a plan says beside its actions, and which applications have to be deployed. */
function expectNotes(actions: readonly Action[], codes: readonly string[], waiting: readonly string[]): void {
  const notes = actions.flatMap((action) =>
    action.notes.map(({ code }) => (code === 'not-deployed' ? `${code} ${action.id}` : code)),
  );
  expect(notes.toSorted()).toEqual([...codes, ...waiting.map((id) => `not-deployed ${id}`)].toSorted());
}

async function rowOf({ made, stand }: Walker, address = addressOf(stand)): Promise<Row> {
  return readRow(made, stand, made.store.state?.resources[address]?.id);
}

/** The row with an id, as its read shows it: in a list where that takes no id. */
async function shownRow({ emulator }: Bench, kind: Kind, id: unknown): Promise<Row> {
  const { read } = kind.operations;
  if (takes(read, idMember(kind, read))) return (await emulator.act(read, { [idMember(kind, read)]: id })) as Row;
  const row = asRows(await emulator.act(read), read, kind).get(String(id));
  if (row === undefined) throw new Error(`404: ${kind.kind} ${String(id)} not found`);
  return { ...row, [kind.identity.id]: id };
}

/** The row with an id, with what only a list shows. */
async function readRow(made: Bench, { kind }: Stand, id: unknown): Promise<Row> {
  const { readMore } = kind.operations;
  const row = await shownRow(made, kind, id);
  const listed = readMore === undefined ? [] : ((await made.emulator.act(readMore)) as Row[]);
  return { ...listed.find((one) => one[kind.identity.id] === id), ...row };
}

function actionAt(actions: readonly Action[], stand: Stand, address = addressOf(stand)): Action {
  const action = actions.find((item) => item.address === address);
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

  test('whole numbers that a column of the platform holds', () => {
    // Grace periods are nanoseconds, in 64 bits.
    const fields = Object.entries(kind.fields).filter(([name]) => name !== 'stopGracePeriodSwarm');
    const wide = fields.filter(([, field]) => schemaOf(field).safeParse(2 ** 31).success);
    expect(wide.map(([name]) => name)).toEqual([]);
  });

  test('every documented field that can be declared', () => {
    const owners = /^(application|compose|environment|project|libsql|mariadb|mongo|mysql|postgres|redis)Id$/;
    const set = new Set(Object.values(kind.parents).flatMap((link) => Object.keys(link.set)));
    const unionCalls = (kind.unions ?? []).flatMap(({ calls }) => Object.values(calls ?? {}));
    for (const call of [kind.operations.create ?? [], updatesOf(kind), unionCalls].flat()) {
      for (const name of Object.keys(endpointOf(call).input.shape)) {
        const isKnown =
          name === idMember(kind, call) ||
          Object.entries(kind.fields).some(([field, { renamedAs }]) =>
            [field.split('.')[0], renamedAs].includes(name),
          ) ||
          set.has(name) ||
          kind.identity.requiredAs?.[name] !== undefined ||
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
  'schedule.appName': 'its deletion removes the folder of that name',
  'machineSchedule.appName': 'its deletion removes the folder of that name',
  applicationStatus: 'a status',
  composeStatus: 'a status',
  createdAt: 'a time of the platform',
  'destination.serverId': 'stored nowhere',
  'machineSchedule.serviceName': 'of commands in a container of a compose; a script runs on the server itself',
  'machineSchedule.shellType': 'of commands in containers; the server runs a script with bash',
  'platformBackup.metadata': 'of databases inside a compose',
  'platformBackup.serviceName': 'of databases inside a compose',
  'registry.serverId': 'stored nowhere: says where docker logs in at once',
  'webServer.serverId': 'of remote servers, whose blocks have the field',
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
  'patch.updatedAt': 'a time of the platform',
  organizationName: 'stored nowhere',
  previewDeploymentId: 'of deployments that the platform makes by itself',
  refreshToken: 'a secret of the platform',
  giteaUsername: 'stored nowhere',
  serviceType: 'follows from the parent',
  userId: 'of backups of the platform itself',
};

test('objects below a service that wait for its deployment: mounts, files, patches, ports, and the domains of a compose', () => {
  const placeOf = ({ kind, parent }: Stand) => `${kind.kind} of ${parent}`;
  const leafs = stands().filter((stand) => serviceOf(stand) !== undefined && !isService(stand));
  expect(new Set(leafs.filter(reachesContainers).map(placeOf))).toEqual(
    new Set([
      ...['application', 'postgres', 'mariadb', 'redis', 'mysql', 'mongo', 'libsql'].map(
        (service) => `mount of ${service}`,
      ),
      'fileMount of compose',
      'port of application',
      'patch of application',
      'patch of compose',
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
 * share it, in CI each field, in each thirtieth of the others too, and of those on a platform that has the document only.
 */
function isTried(field: Field, { documentedOnly }: Stand): boolean {
  const isFirst = !documentedOnly && !met.has(field);
  if (isFirst) met.add(field);
  else again += 1;
  if (!isFull) return isFirst && met.size % 2 === 0;
  return isFirst || isAll || again % 30 === 0;
}

const companies = createCompanies(begin);

/** How often a field of a kind was tried in an earlier place. */
const earlierPlaces = new Map<string, number>();

/** A company for the fields of a kind in which each is once: two objects with the same example of a name are not told apart. */
function companyOf({ kind, documentedOnly }: Stand, name: string): string {
  const field = `${documentedOnly} ${kind.kind} ${name}`;
  const earlier = earlierPlaces.get(field) ?? 0;
  earlierPlaces.set(field, earlier + 1);
  return `field ${earlier}`;
}

describe.each([...stands(), ...(isFull ? documentedStands() : []), ...topStands()])('$title', (original) => {
  const { kind, documentedOnly } = original;
  const canBeMade = kind.operations.create !== undefined;
  /** Without its block, or under another key, a manifest is about another project. */
  const isTop = kind.isTop === true;
  const { stand, ask } = companies.join('whole', original, (copy) => [manifestWith(copy, copy.body)]);
  const text = manifestWith(stand, stand.body);
  /** An object that is taken over gets what the platform never shows: nothing else tells that it has it. */
  const isUnseen = Object.values(kind.fields).some(({ hiddenAs }) => hiddenAs !== undefined);
  const sentUnseen = isUnseen ? updatesOf(kind) : [];
  const empty = isTop ? '' : manifestWith(stand, undefined);

  ask('create', `is ${canBeMade ? 'created' : 'taken over'}, and then plans nothing`, 'nothing', async (walker) => {
    const { actions } = await walker.plan(text);
    expect(actionAt(actions, stand).action).toBe(canBeMade ? 'create' : 'adopt');
    expect(walker.posts()).toEqual([]);
    await apply(walker, text, isService(stand) ? orderFor(stand, stand.body) : undefined);
    await plansNothing(walker, text);
  });

  if (canBeMade && !isService(stand) && !isTop)
    ask(
      'later',
      'that comes later deploys its service once, when it reaches the containers, and not otherwise',
      'nothing',
      async (walker) => {
        await apply(walker, empty);
        await apply(walker, text, ordersForObject(stand, stand.body));
        await plansNothing(walker, text);
      },
    );

  if (canBeMade && !isService(stand) && reachesContainers(stand))
    ask('at once', 'is deployed once with the service that it comes with', 'nothing', async (walker) => {
      await apply(walker, text, orderFor(stand, stand.body));
    });

  if (!canBeMade && kind.isSingle !== true)
    ask('none', 'is not created where there is none: the plan says why', 'nothing', async (walker) => {
      const { key } = stand;
      const other = manifestWith(stand, stand.body, { key: key.includes('@') ? `no.${key}` : `${key}-none` });
      expect(await refusal(walker.session(other, { adoption: true }))).toEqual(['cannot-create']);
      expect(walker.posts()).toEqual([]);
    });

  if (kind.operations.delete !== undefined && !isTop)
    ask('delete', 'is deleted when its block is gone, and then plans nothing', 'begun', async (walker) => {
      const { [kind.identity.id]: id } = await rowOf(walker);
      const orders = isService(stand) ? [] : ordersForObject(stand, stand.body);
      const actions = await apply(walker, empty, orders);
      expect(actionAt(actions, stand).action).toBe('delete');
      const absence = kind.operations.failsWith ?? /404/;
      await expect(readRow(walker.made, stand, id)).rejects.toThrow(absence);
      await plansNothing(walker, empty);
    });

  if (isTop)
    ask('destroy', 'is destroyed with the manifest, and created again', 'begun', async (walker) => {
      const { [kind.identity.id]: id } = await rowOf(walker);
      await walker.made.destroy(text);
      await expect(readRow(walker.made, stand, id)).rejects.toThrow(/404/);
      const actions = await apply(walker, text);
      expect(actionAt(actions, stand).action).toBe('create');
      await plansNothing(walker, text);
    });

  if (kind.operations.delete === undefined)
    ask(
      'let go',
      'is let go of when its block is gone, which is said, and then plans nothing',
      'begun',
      async (walker) => {
        const before = await rowOf(walker);
        const { actions } = await walker.plan(empty);
        expect(actionAt(actions, stand)).toMatchObject({ action: 'forget', notes: [{ code: 'stays-there' }] });
        await apply(walker, empty);
        expect(walker.posts()).toEqual([]);
        expect(await shownRow(walker.made, kind, before[kind.identity.id])).toEqual(before);
        await plansNothing(walker, empty);
      },
    );

  ask('adopt', 'is adopted with consent when the state is lost, and then plans nothing', 'begun', async (walker) => {
    const { [kind.identity.id]: id } = await rowOf(walker);
    walker.made.store.state = undefined;
    const { actions } = await walker.plan(text);
    expect(actionAt(actions, stand)).toMatchObject({ action: 'adopt', needsConsent: true, id });
    expect(await refusal(walker.session(text))).toContain('consent');
    const { outcomes } = await walker.session(text, { adoption: true });
    expect(outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
    expect(walker.posts()).toEqual(sentUnseen);
    await plansNothing(walker, text);
  });

  ask('id', 'is taken over by id:, and then plans nothing', 'begun', async (walker) => {
    const { [kind.identity.id]: id } = await rowOf(walker);
    walker.forget(addressOf(stand));
    const pinned = manifestWith(stand, { ...stand.body, id: id as string });
    const actions = await apply(walker, pinned);
    expect(actionAt(actions, stand)).toMatchObject({ action: 'adopt', needsConsent: false, id });
    await plansNothing(walker, pinned);
  });

  ask('import', 'is imported by address and id, and then plans nothing', 'begun', async (walker) => {
    const { made } = walker;
    const { [kind.identity.id]: id } = await rowOf(walker);
    walker.forget(addressOf(stand));
    await walker.inTurn(async () =>
      importObject(await made.manifest(text), made.world(), addressOf(stand), id as string),
    );
    expect(made.store.state?.resources[addressOf(stand)]?.id).toBe(id);
    await apply(walker, text);
    expect(walker.posts()).toEqual(sentUnseen);
    await plansNothing(walker, text);
  });

  if (kind.isSingle !== true)
    ask(
      'key',
      'keeps its identity when moved: reports that its key changed, and then plans nothing',
      'begun',
      async (walker) => {
        const before = await rowOf(walker);
        const renamed = { key: renamedKey(stand) };
        const moved = [{ from: addressOf(stand), to: addressOf(stand, renamed) }];
        const other = manifestWith(stand, keptKey(stand), { ...renamed, moved });
        // The key may stand for a field.
        const field = kind.fields[kind.identity.keyField ?? ''];
        const isWritten = field !== undefined && outcomeOf(field) === 'write';
        const actions = await apply(walker, other, isWritten ? ordersForField(stand, stand.body, field) : []);
        expect(actions.filter(({ action }) => action === 'create' || action === 'delete')).toEqual([]);
        const after = await rowOf(walker, addressOf(stand, renamed));
        expect(after[kind.identity.id]).toBe(before[kind.identity.id]);
        await plansNothing(walker, other);
      },
    );

  const { move } = kind.operations;
  if (move !== undefined) {
    const elsewhere = { environment: 'preview' };
    const moved = [{ from: addressOf(stand), to: addressOf(stand, elsewhere) }];

    ask('move', 'moves to another environment with moved:, and then plans nothing', 'begun', async (walker) => {
      const before = await rowOf(walker);
      const other = manifestWith(stand, stand.body, { ...elsewhere, moved });
      const actions = await apply(walker, other, []);
      expect(actionAt(actions, stand, addressOf(stand, elsewhere)).action).toBe('move');
      const after = await rowOf(walker, addressOf(stand, elsewhere));
      expect(after[kind.identity.id]).toBe(before[kind.identity.id]);
      expect(after.environmentId).not.toBe(before.environmentId);
      await plansNothing(walker, other);
    });

    ask('moved', 'is moved back when somebody moved it, and then plans nothing', 'begun', async (walker) => {
      const before = await rowOf(walker);
      const input = { [kind.identity.id]: before[kind.identity.id], [move.as]: 'env_prj_1' };
      await walker.made.emulator.act(move.call, input);
      const actions = await apply(walker, text, []);
      expect(actionAt(actions, stand)).toMatchObject({ action: 'move', id: before[kind.identity.id] });
      expect((await rowOf(walker)).environmentId).toBe(before.environmentId);
      await plansNothing(walker, text);
    });

    ask(
      'move to others',
      'is deployed once when it moves to where the variables that it mentions are other ones',
      'nothing',
      async (walker) => {
        const body = { ...stand.body, env: { R: '${{environment.REGION}}' } };
        const env = { REGION: 'eu' };
        await apply(walker, withVariables(manifestWith(stand, body), env, 'preview'));
        const there = withVariables(manifestWith(stand, body, { ...elsewhere, moved }), env);
        await apply(walker, there, orderFor(stand, body));
        await plansNothing(walker, there);
      },
    );
  }

  /** It mentions one variable of its environment, which has two. */
  const mentioning = (region: string, zone: string) =>
    withVariables(manifestWith(stand, { ...stand.body, env: { R: 'in ${{environment.REGION}}' } }), {
      REGION: region,
      ZONE: zone,
    });

  if (isService(stand) && !isFromGit(stand, stand.body))
    ask(
      'variable',
      'is deployed once when a variable of its environment changes that it mentions, and not for another one',
      'nothing',
      async (walker) => {
        const { made } = walker;
        const orders = orderFor(stand, stand.body);
        await apply(walker, mentioning('eu', 'a'));
        await apply(walker, mentioning('eu', 'b'), []);
        await apply(walker, mentioning('us', 'b'), orders);
        await plansNothing(walker, mentioning('us', 'b'));
        const environmentId = made.store.state?.resources.staging?.id;
        await made.emulator.act('environment.update', { environmentId, env: 'REGION=by-hand\nZONE=b\n' });
        await apply(walker, mentioning('us', 'b'), orders);
        await plansNothing(walker, mentioning('us', 'b'));
        await made.emulator.act('environment.update', { environmentId, env: 'REGION=us\nZONE=by-hand\n' });
        await apply(walker, mentioning('us', 'b'), []);
        await plansNothing(walker, mentioning('us', 'b'));
      },
    );

  if (documentedOnly && isFromGit(stand, stand.body))
    ask(
      'variable by hand',
      'is known to be deployed when somebody does that after a variable of its environment changed',
      'nothing',
      async (walker) => {
        await apply(walker, mentioning('eu', 'a'), []);
        await apply(walker, mentioning('us', 'a'), []);
        const [id = ''] = notFetched(walker);
        await deployByHand(walker.made, id);
        expectNotes((await walker.plan(mentioning('us', 'a'))).actions, [], []);
      },
    );

  const fields = Object.entries(kind.fields).filter(
    ([name, field]) => withField(original, name, field.examples[0]) !== undefined && isTried(field, original),
  );

  describe.each(fields)('field %s', (name, field) => {
    const [first, second] = field.examples;
    const carrier = carrierOf(kind, name, (tag) => bodyTag(original, bodyWith(original, name, first), tag));
    /** What cannot be made is taken over first; then the first value is applied. */
    const { stand, ask } = companies.join(companyOf(original, name), original, (copy) => [
      ...(canBeMade ? [] : [manifestWith(copy, copy.body)]),
      manifestWith(copy, bodyWith(copy, name, first)),
    ]);
    const one = bodyWith(stand, name, first);
    const two = bodyWith(stand, name, second);
    const [textOne, textTwo] = [manifestWith(stand, one), manifestWith(stand, two)];
    /** What is ordered when it changes to a value in a body. */
    const orders = ordersForField(stand, two, field);

    ask(
      'change',
      `follows its onChange (${outcomeOf(field)}) and is deployed ${orders.length} times when it changes, and then plans nothing`,
      'begun',
      async (walker) => {
        await plansNothing(walker, textOne);
        const before = await rowOf(walker);
        if (outcomeOf(field) === 'refuse') {
          expect(await refusal(walker.session(textTwo, permissions))).toEqual(['cannot-change']);
          expect(walker.posts()).toEqual([]);
          return;
        }
        const action = actionAt(await apply(walker, textTwo, orders), stand);
        expect(action.action).toBe(outcomeOf(field) === 'replace' ? 'replace' : 'update');
        expect(action.changes.map((change) => change.path)).toContain(fieldPath(kind, name));
        const after = await rowOf(walker);
        expect(after[kind.identity.id] === before[kind.identity.id]).toBe(outcomeOf(field) !== 'replace');
        if (field.hiddenAs === undefined)
          expect(means(field.codec ?? plain, second, observedValue(kind, name, after) ?? null)).toBe(true);
        await plansNothing(walker, textTwo);
      },
    );

    if (documentedOnly && isFromGit(stand, one) && isFromGit(stand, two) && outcomeOf(field) === 'write')
      ask(
        'rebuild',
        'is rebuilt when it changes once somebody deployed the application, unless that takes other code',
        'begun',
        async (walker) => {
          const { made } = walker;
          const [id = ''] = notFetched(walker);
          await deployByHand(made, id);
          await apply(walker, textOne, []);
          await plansNothing(walker, textOne, []);
          const isDue = field.appliesAt === 'deploy';
          const isCode = isDue && fieldPath(kind, name).startsWith('source.');
          await apply(walker, textTwo, isDue && !isCode ? ['application.redeploy'] : []);
          await plansNothing(walker, textTwo, isCode ? [id] : []);
          await deployByHand(made, id);
          await apply(walker, textTwo, []);
          await plansNothing(walker, textTwo, []);
        },
      );

    if (field.secrecy !== undefined)
      ask(
        'secret',
        'shows in no plan, result or state, when it is set and when it changes',
        'nothing',
        async (walker) => {
          const { made } = walker;
          let said = '';
          const canaries = outcomeOf(field) === 'refuse' ? ['canary0one6f1c'] : ['canary0one6f1c', 'canary0two9a2b'];
          for (const canary of canaries) {
            const text = manifestWith(stand, bodyWith(stand, name, hiding(field, canary)));
            const plan = await walker.plan(text);
            const { outcomes } = await walker.session(text, { dataLoss: true, adoption: true });
            expect(outcomes.find(({ action }) => action.address === addressOf(stand))?.result).toBe('done');
            const { state } = made.store;
            if (state === undefined) throw new Error('it was written');
            const view = documentOf(plan);
            const ending = resultOf({ outcomes, state }, { plan: view });
            said += renderPlan(view, plainStyle) + JSON.stringify(view) + renderResult(ending, plainStyle);
            said += JSON.stringify(ending) + shown(state) + written(state);
            const parts: readonly unknown[] = Object.values(plan);
            for (const part of parts) said += isObject(part) ? shown(part) : inspect(part);
            if (kind.identity.listedOnce === undefined) continue;
            await connect(made, kind);
            await walker.session(text);
          }
          const there = field.hiddenAs === undefined ? await rowOf(walker) : made.emulator.world.tables;
          expect(JSON.stringify(there)).toContain(canaries.at(-1));
          expect(said).toContain(addressOf(stand));
          expect(said).not.toContain('canary0');
        },
      );

    ask('null', 'is cleared by null where that is harmless, and then plans nothing', 'begun', async (walker) => {
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
      // Elsewhere null can be written: only the plan knows that this platform has no operation for it.
      const full = kinds.find((one) => one.kind === kind.kind);
      const isKnownLater =
        documentedOnly && outcomeOf(field) === 'refuse' && full !== undefined && canBeNull(full, name);
      if ((value === undefined && !isKnownLater) || isUnion) {
        const codes = await refusal(walker.plan(cleared));
        expect(codes[0]).toMatch(/not-clearable|wrong-type/);
        expect(walker.posts()).toEqual([]);
        return;
      }
      if (outcomeOf(field) === 'refuse') {
        expect(await refusal(walker.session(cleared, permissions))).toEqual(['cannot-change']);
        return;
      }
      await apply(walker, cleared, isUseless ? [] : ordersForField(stand, one, field));
      expect(means(field.codec ?? plain, value ?? null, observedValue(kind, name, await rowOf(walker)) ?? null)).toBe(
        true,
      );
      await plansNothing(walker, cleared);
    });

    const without = field.fromParent === undefined ? withoutField(stand, one, name) : undefined;
    if (without !== undefined)
      ask(
        'release',
        'is released when it is left out: it stays as it is, and then plans nothing',
        'begun',
        async (walker) => {
          const less = manifestWith(stand, without);
          const before = await rowOf(walker);
          const { actions } = await walker.plan(less);
          expect(actionAt(actions, stand).notes.map((note) => note.code)).toContain('released');
          expectNotes(actions, ['released'], notFetched(walker));
          const { outcomes } = await walker.session(less);
          expect(outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
          expect(walker.posts()).toEqual([]);
          expect(await rowOf(walker)).toEqual(before);
          await plansNothing(walker, less);
          // To manage it again as it is deploys nothing either.
          await apply(walker, textOne);
          expect(walker.posts()).toEqual(field.hiddenAs === undefined ? [] : sentUnseen);
          await plansNothing(walker, textOne);
        },
      );

    if (carrier !== undefined)
      ask(
        'drift',
        'shows a change that somebody made on the platform, and repairs or leaves it as declared',
        'begun',
        async (walker) => {
          const row = await rowOf(walker);
          await walker.made.emulator.act(...changeThere(stand, row, name, second, carrier)).catch((error: unknown) => {
            expect(String(error)).toContain('No values to set'); // the platform drops internal names
          });
          const drifted = observedValue(kind, name, await rowOf(walker)) ?? null;
          const isGrown = field.growsByItself === true; // what is declared is still there
          if (isGrown || means(field.codec ?? plain, drifted, observedValue(kind, name, row) ?? null)) {
            await plansNothing(walker, textOne); // the platform ignores it, as it does with internal names
            return;
          }
          const isWritten = outcomeOf(field) === 'write' || field.rowOnly === true;
          const repair = isWritten && field.rowOnly !== true ? ordersForField(stand, one, field) : [];
          const actions = await apply(walker, textOne, repair);
          const action = actionAt(actions, stand);
          const after = observedValue(kind, name, await rowOf(walker)) ?? null;
          if (isWritten) {
            // With another case, the fields of the declared one are gone.
            const isCase = kind.unions?.some(({ tag }) => tag === name) === true;
            const shown = isCase ? action.changes.slice(0, 1) : action.changes;
            expect(shown).toMatchObject([{ path: fieldPath(kind, name), cause: 'drift' }]);
            expect(means(field.codec ?? plain, first, after)).toBe(true);
            await plansNothing(walker, textOne);
          } else {
            expect(action.changes).toEqual([]);
            expect(action.notes.map((note) => note.code)).toContain('drift-left');
            expectNotes(actions, ['drift-left'], notFetched(walker));
            expect(after).toEqual(drifted);
          }
        },
      );
  });
});

/** What a part of a plan shows, once for all who have it in common. */
const shown = onceFor((part: object) => inspect(part, { depth: 20 }));

/** A state as JSON, once for all who have it in common. */
const written = onceFor((state: object) => JSON.stringify(state));

function isObject(part: unknown): part is object {
  return typeof part === 'object' && part !== null;
}

/** A value that a field takes and that holds a canary. */
function hiding(field: Field, canary: string): Json {
  const [example] = field.examples;
  if (field.map !== undefined) return field.secrecy === 'secret' ? { CANARY: canary } : { CANARY_TOKEN: canary };
  if (field.secrecy === 'private') return `services: { web: { image: nginx, environment: { PASSWORD: ${canary} } } }\n`;
  if (typeof example !== 'string') {
    // The name of a user is no secret: what has nothing else gets a token beside it.
    const hidden = JSON.parse(JSON.stringify(example), (key, value: unknown) =>
      typeof value === 'string' && !isUserName(key) ? canary : value,
    ) as Json;
    if (!isObject(hidden) || Array.isArray(hidden) || JSON.stringify(hidden).includes(canary)) return hidden;
    return Object.fromEntries([...Object.entries(hidden), ['token', canary]]);
  }
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
  const through = changedThrough(kind, name, row, value);
  if (through !== undefined) return [through.operation, through.input];
  const union = kind.unions?.find(({ tag, calls }) => tag === name && calls !== undefined);
  const call = union?.calls?.[String(value)] ?? carrier;
  const along = Object.keys(kind.fields).filter((field) => kind.fields[field]?.inEveryUpdate === true);
  const members = [...requiredMembers(call), ...along].filter((field) => takes(call, field));
  const sent = members.map((field) => {
    const present = observedValue(kind, field, row) ?? row[kind.identity.requiredAs?.[field] ?? field] ?? null;
    return [field, present ?? (union === undefined ? null : (kind.fields[field]?.examples[0] ?? null))];
  });
  // Another case, with what it needs.
  const chosen = kind.unions?.find(({ tag, at, calls }) => tag === name && at !== undefined && calls === undefined);
  for (const field of Object.values(chosen?.cases[String(value)] ?? {}))
    sent.push([field, kind.fields[field]?.examples[0] ?? null]);
  const known = Object.fromEntries(
    sent.filter(([field, present]) => present !== null || requiredMembers(call).includes(String(field))),
  ) as Record<string, unknown>;
  return [
    call,
    nested({
      ...known,
      ...(takes(call, idMember(kind, call)) ? { [idMember(kind, call)]: row[kind.identity.id] } : {}),
      ...(takes(call, name) ? { [kind.fields[name]?.renamedAs ?? name]: value } : {}),
    }),
  ];
}

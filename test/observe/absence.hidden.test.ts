import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import { rightTo } from '../../src/api/needed-rights.ts';
import type { Send, WireRequest } from '../../src/api/wire.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import { isRow } from '../../src/formats/json.ts';
import { type Kind, root } from '../../src/kind/kind.ts';
import { idMember, takes } from '../../src/kind/row-values.ts';
import type { Plan } from '../../src/plan/action.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { kinds } from '../../src/resources/index.ts';
import { addKey, addPerson } from '../emulator/people.ts';
import { actionsOf, answered, answering, everything, failed, idOf, operationOf, worldOver } from '../support/faults.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import type { Stand } from '../support/kind-manifests.ts';
import { addressOf, manifestWith, stands, triedStands } from '../support/kind-manifests.ts';
import { keys } from '../support/organization-blocks.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Lists that do not show what is there: a key that may not see it is no proof that it is gone. */

const noRight = failed('You may not', 401, { code: 'UNAUTHORIZED' });

/** A world in which the secrets of the examples exist, and a member whose rights can be changed. */
function world(): Bench {
  const seed = seedWorld();
  Object.assign(seed.tables.user['user_1'] ?? {}, { enableEnterpriseFeatures: true, isValidEnterpriseLicense: true });
  addRow(seed, 'user', { id: 'user_9', email: 'member@example.test' });
  addRow(seed, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member' });
  const made = bench({ emulate: { world: seed } });
  const names =
    'SHOP_DB_PASSWORD CACHE_PASSWORD READER_PASSWORD MODEL_KEY GIT_CLIENT GIT_TOKEN S3_ACCESS_KEY S3_SECRET_KEY REGISTRY_PASSWORD VAULT_TOKEN DNS_TOKEN';
  for (const name of names.split(' ')) made.secrets[name] = 'correct-horse-1';
  made.secrets['SLACK_WEBHOOK'] = 'https://hooks.test/correct-horse-1';
  const certificate = '-----BEGIN CERTIFICATE-----\nb25l\n-----END CERTIFICATE-----\n';
  Object.assign(made.secrets, { SHOP_CERTIFICATE: certificate, SHOP_CERTIFICATE_KEY: 'correct-horse-1' });
  made.secrets['DEPLOY_KEY'] = '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n';
  return made;
}

/** A platform that leaves these ids out of every list. */
function hiding(made: Bench, ids: readonly string[], member: string): Send {
  const without = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.filter((item) => !isRow(item) || !ids.includes(String(item[member]))).map(without);
    }
    if (!isRow(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, without(item)]));
  };
  return async (request: WireRequest) => {
    const answer = await made.emulator.send(request);
    if (request.method !== 'GET' || answer.status !== 200) return answer;
    return answered(JSON.stringify(without(JSON.parse(answer.body))));
  };
}

/** A plan over another platform, or what it was refused with; nothing may be written. */
async function planOver(made: Bench, text: string, send: Send): Promise<Plan | Stop | PlatformError> {
  const posts = (): number => made.emulator.log.filter(({ method }) => method === 'POST').length;
  const before = posts();
  const state = JSON.stringify(made.store.state);
  made.requests('GET');
  const result = await plan(await made.manifest(text), worldOver(made, send)).catch((error: unknown) => {
    if (error instanceof Stop || error instanceof PlatformError) return error;
    throw error;
  });
  expect(posts()).toBe(before);
  expect(JSON.stringify(made.store.state)).toBe(state);
  return result;
}

async function applied(made: Bench, text: string): Promise<void> {
  for (let again = 0; again < 2; again++) {
    await made.apply(text, everything);
    for (const { gitlabId } of Object.values(made.emulator.world.tables.gitlab))
      await made.emulator.act('gitlab.connect', { gitlabId });
  }
}

const codesOf = (result: Plan | Stop | PlatformError): readonly string[] =>
  result instanceof Stop ? result.diagnostics.map(({ code }) => code) : [];

/** What is read by its id: what only a list shows is gone when that lacks it twice (`test/scenarios/custom-roles.test.ts`). */
const isReadById = (kind: Kind) => takes(kind.operations.read, idMember(kind, kind.operations.read));
const creatable = triedStands().filter(({ kind }) => kind.operations.create !== undefined && isReadById(kind));

describe.each(creatable)('$title', (stand: Stand) => {
  const address = addressOf(stand);
  const text = manifestWith(stand, stand.body);

  test('missing from every list: Trueup does not create it again, and does not remove it from the state without its block', async () => {
    const made = world();
    await applied(made, text);
    const send = hiding(made, [idOf(made, address)], stand.kind.identity.id);
    for (const manifest of [text, manifestWith(stand, undefined)]) {
      const result = await planOver(made, manifest, send);
      if (codesOf(result).length > 0) expect(codesOf(result)).toEqual(['hidden']);
      else {
        const action = (result as Plan).actions.find((item) => item.address === address);
        // What is asked for by its id anyway is found.
        const expected = manifest === text ? 'no-op' : stand.kind.operations.delete === undefined ? 'forget' : 'delete';
        expect(action?.action).toBe(expected);
      }
    }
  });

  test('missing from every list, and its read is refused: the plan stops with "hidden from this API key, or gone"', async () => {
    const made = world();
    await applied(made, text);
    const hidden = hiding(made, [idOf(made, address)], stand.kind.identity.id);
    const result = await planOver(made, text, (request) =>
      operationOf(request) === stand.kind.operations.read ? Promise.resolve(noRight) : hidden(request),
    );
    expect(codesOf(result)).toEqual(['hidden']);
    const [said] = (result as Stop).diagnostics;
    expect(said?.message).toContain(`no list shows ${address} (${stand.kind.kind}), and ${stand.kind.operations.read}`);
    expect(said?.message).toContain('401 UNAUTHORIZED: "You may not": hidden from this API key (role owner), or gone');
    const right = rightTo(stand.kind.operations.read);
    // What every member may read needs no right.
    const remedy = right === undefined ? 'Use the key of an owner or admin' : `a member needs ${right}`;
    expect(said?.remedy).toContain(remedy);
    expect((result as Stop).failure).toBe('authentication');
  });

  test.runIf(stand.kind.operations.delete !== undefined)('deleted by hand: the plan creates it again', async () => {
    const made = world();
    await applied(made, text);
    const { identity, operations } = stand.kind;
    if (operations.delete === undefined) throw new Error('it has a delete');
    const id = { [identity.id]: idOf(made, address) };
    // The record of a git provider is what its deletion names.
    const { gitProviderId } = (await made.emulator.act(operations.read, id)) as Row;
    await made.emulator.act(operations.delete, { ...id, gitProviderId, deleteVolumes: false });
    const result = await planOver(made, text, made.emulator.send);
    expect(codesOf(result)).toEqual([]);
    expect((result as Plan).actions.find((item) => item.address === address)?.action).toBe('create');
  });
});

const listed = kinds.flatMap((kind) => {
  const at = kind.parents[root]?.listed;
  return at !== undefined && 'call' in at ? [{ kind, call: at.call, whenEmpty: at.whenEmpty, within: at.within }] : [];
});

describe.each(listed)('the list of $call', ({ kind, call, whenEmpty, within }) => {
  const stand = stands().find((item) => item.kind === kind && item.parent === root);
  const text = stand === undefined ? '' : manifestWith(stand, stand.body);

  test.each([
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
  ])(
    'refused with %i %s, stops the plan: the error names the operation and the missing right',
    async (status, code) => {
      const made = world();
      const refusing = answering(made, (operation) =>
        operation === call ? failed('not for you', status, { code }) : undefined,
      );
      const result = await planOver(made, text, refusing);
      expect(result).toBeInstanceOf(PlatformError);
      const { message, remedy } = result as PlatformError;
      const path = made.world().client.contract.operations.get(call)?.path;
      expect(message).toContain(`the server answered ${status} ${code}: "not for you" (${path} at `);
      expect(remedy).toContain('Use the API key of a user who has the right to do this.');
      const right = rightTo(call);
      if (right !== undefined) expect(remedy).toContain(`A member needs ${right}.`);
    },
  );

  test('when empty, counts as a complete list, except for environments', async () => {
    const made = world();
    // What is there once is no list.
    const isThere = kind.isSingle === true && kind.operations.create === undefined;
    const empty = isThere
      ? null
      : within === undefined
        ? []
        : { ...((await made.emulator.act(call)) as Row), [within]: [] };
    const result = await planOver(
      made,
      text,
      answering(made, (operation) => (operation === call ? answered(JSON.stringify(empty)) : undefined)),
    );
    if (whenEmpty === undefined) expect((result as Plan).actions[0]?.action).toBeDefined();
    else expect(String(result)).toContain(whenEmpty);
  });
});

/** A stack with so many domains. */
const stack = (...hosts: string[]): string => {
  const domains = hosts.map((host) => `${host}.example.com: { serviceName: web }`).join(', ');
  return `    compose:\n      shop: { ${composeBody}, domains: { ${domains} } }\n`;
};
const domainOf = (host: string): string => `production.compose.shop.domains["${host}.example.com"]`;

describe('the number of reads', () => {
  test('Trueup reads each object that a list lacks once more', async () => {
    const made = bench();
    await applied(made, production(stack('a', 'b')));
    const usual = await planOver(made, production(stack('a', 'b')), made.emulator.send);
    expect(usual).not.toBeInstanceOf(Error);
    const before = made.requests('GET');
    await made.emulator.act('domain.delete', { domainId: idOf(made, domainOf('a')) });
    const result = await planOver(made, production(stack('a', 'b')), made.emulator.send);
    expect(actionsOf(result as Plan)).toContain(`create ${domainOf('a')}`);
    expect(made.requests('GET')).toEqual([...before, 'domain.one']);
  });

  test('Trueup reads each object once when the list lacks all of them', async () => {
    const made = bench();
    await applied(made, production(stack('a', 'b', 'c')));
    for (const host of ['a', 'b', 'c'])
      await made.emulator.act('domain.delete', { domainId: idOf(made, domainOf(host)) });
    const result = await planOver(made, production(stack('a', 'b', 'c')), made.emulator.send);
    expect(actionsOf(result as Plan).filter((action) => action.startsWith('create'))).toHaveLength(3);
    expect(made.requests('GET').filter((operation) => operation === 'domain.one')).toHaveLength(3);
  });

  test('Trueup reads nothing below a deleted service', async () => {
    const made = bench();
    await applied(made, production(stack('a', 'b')));
    const composeId = idOf(made, 'production.compose.shop');
    await made.emulator.act('compose.delete', { composeId, deleteVolumes: false });
    const result = await planOver(made, production(stack('a', 'b')), made.emulator.send);
    expect(actionsOf(result as Plan)).toContain('create production.compose.shop');
    expect(made.requests('GET')).not.toContain('domain.one');
  });
});

describe('a list that lacks existing objects', () => {
  test('of a service, stops the plan', async () => {
    const made = bench();
    await applied(made, production(stack('a', 'b')));
    const ids = [idOf(made, domainOf('a')), idOf(made, domainOf('b'))];
    const result = await planOver(made, production(stack('a', 'b')), hiding(made, ids, 'domainId'));
    expect(codesOf(result)).toEqual(['hidden']);
    expect(String(result)).toContain(`no list shows ${domainOf('a')}, ${domainOf('b')} (domain), and domain.one does`);
  });

  test('at the top, stops the plan, even when it lacks a single object', async () => {
    const made = bench();
    await applied(made, head + keys('one'));
    const result = await planOver(
      made,
      head + keys('one'),
      answering(made, (operation) => (operation === 'sshKey.all' ? answered('[]') : undefined)),
    );
    expect(codesOf(result)).toEqual(['hidden']);
  });

  test('stops the plan only when Trueup searches the list for a new block', async () => {
    const made = bench();
    const two = production(
      `${database()}      other: { dockerImage: "postgres:17", databaseName: o, databaseUser: u, databasePassword: password-1 }\n`,
    );
    await applied(made, two);
    const ids = ['main', 'other'].map((key) => idOf(made, `production.postgres.${key}`));
    const send = hiding(made, ids, 'postgresId');
    expect(actionsOf((await planOver(made, two, send)) as Plan)).toEqual([]);
    const third = `${two}      third: { dockerImage: "postgres:17", databaseName: t, databaseUser: u, databasePassword: password-1 }\n`;
    const result = await planOver(made, third, send);
    expect(codesOf(result)).toEqual(['hidden']);
    expect(String(result)).toContain('production.postgres.main, production.postgres.other (postgres)');
    expect(actionsOf((await planOver(made, third, made.emulator.send)) as Plan)).toContain(
      'create production.postgres.third',
    );
  });

  test('is complete when a person moved the objects to another service', async () => {
    const made = bench();
    await applied(made, production(stack('a', 'b')));
    const { environmentId } = (await made.emulator.act('environment.create', { name: 'x', projectId: 'prj_1' })) as Row;
    const other = (await made.emulator.act('compose.create', { name: 'o', environmentId })) as Row;
    for (const host of ['a', 'b']) {
      const domain = made.emulator.world.tables.domain[idOf(made, domainOf(host))];
      await made.emulator.act('domain.delete', { domainId: domain?.['domainId'] });
      addRow(made.emulator.world, 'domain', { ...domain, composeId: String(other.composeId) });
    }
    const result = await planOver(made, production(stack('a', 'b')), made.emulator.send);
    expect(actionsOf(result as Plan).filter((action) => action.startsWith('create'))).toHaveLength(2);
  });
});

describe('answers that do not prove an absence', () => {
  const text = production(database() + stack('a'));

  test.each([
    ['a failure of the platform', failed('boom')],
    ['a 401 without a code', failed('Unauthorized', 401, {})],
    ['a page', answered('<html>Sign in</html>')],
  ])('%s stops the plan with its own error', async (_what, answer) => {
    const made = bench();
    await applied(made, text);
    const hidden = hiding(made, [idOf(made, 'production.compose.shop')], 'composeId');
    const hiddenBoth = hiding(
      { ...made, emulator: { ...made.emulator, send: hidden } },
      [idOf(made, 'production.postgres.main')],
      'postgresId',
    );
    const result = await planOver(made, text, (request) => {
      if (operationOf(request) === 'postgres.one') return Promise.resolve(noRight);
      return operationOf(request) === 'compose.one' ? Promise.resolve(answer) : hiddenBoth(request);
    });
    expect(result).toBeInstanceOf(Error);
    const alone = await planOver(made, text, (request) =>
      operationOf(request) === 'compose.one' ? Promise.resolve(answer) : hidden(request),
    );
    expect(alone).toBeInstanceOf(PlatformError);
    expect(String(alone)).toContain('(compose.one at ');
  });

  test('Trueup needs no proof for objects that it can neither create nor delete', async () => {
    const made = world();
    const organizations = `${head}organizations:\n  Example: {}\n`;
    made.emulator.world.tables.organization['org_1'] = {
      ...made.emulator.world.tables.organization['org_1'],
      name: 'Example',
    };
    await applied(made, organizations);
    const hidden = hiding(made, [idOf(made, 'organizations.Example')], 'id');
    const send: Send = (request) =>
      operationOf(request) === 'organization.one' ? Promise.resolve(noRight) : hidden(request);
    expect(actionsOf((await planOver(made, head, send)) as Plan)).toEqual(['forget organizations.Example']);
    expect(codesOf(await planOver(made, organizations, send))).toEqual([]);
  });

  test('a list without the only, emptied git provider does not stop the create of a second one', async () => {
    const made = bench();
    const forge = (key: string) =>
      `  ${key}: { giteaUrl: "https://git.example.com", clientId: c, clientSecret: correct-horse }\n`;
    const one = `${head}gitea:\n${forge('forge')}`;
    await applied(made, one);
    const send = hiding(made, [idOf(made, 'gitea.forge')], 'giteaId');
    expect(actionsOf((await planOver(made, one + forge('other'), send)) as Plan)).toEqual(['create gitea.other']);
  });
});

describe('the API key of a member', () => {
  /** A member who may see these services, over the world of a bench. */
  function asMember(made: Bench, rights: Record<string, Json>): Send {
    const { world: seed } = made.emulator;
    addPerson(seed, 'worker', { accessedProjects: ['prj_1'], accessedEnvironments: ['env_prj_1'], ...rights });
    const key = addKey(seed, 'key-of-the-worker', 'worker', { metadata: JSON.stringify({ organizationId: 'org_1' }) });
    const emulator = createEmulator({ world: seed });
    return (request) => {
      made.emulator.log.push({ method: request.method, operation: operationOf(request), status: 0, input: {} });
      return emulator.send({ ...request, headers: { ...request.headers, 'x-api-key': key } });
    };
  }

  test('with access to one of two services, plans nothing; the error names the missing right', async () => {
    const made = bench();
    const text = production(database() + stack('a'));
    await applied(made, text);
    const postgresId = idOf(made, 'production.postgres.main');
    const result = await planOver(made, text, asMember(made, { accessedServices: [postgresId] }));
    expect(codesOf(result)).toEqual(['hidden']);
    const [said] = (result as Stop).diagnostics;
    expect(said?.message).toContain(
      'no list shows production.compose.shop (compose), and compose.one was answered with 401',
    );
    expect(said?.message).toContain('hidden from this API key (role member), or gone');
    expect(said?.remedy).toContain('Use the key of an owner or admin, which tells what is gone');
    expect(said?.remedy).toContain('a member needs the service in accessedServices');
    expect((result as Stop).failure).toBe('authentication');
  });

  test('with access to all services, plans the same as the key of the owner', async () => {
    const made = bench();
    const text = production(database() + stack('a'));
    await applied(made, text);
    const accessedServices = ['production.postgres.main', 'production.compose.shop'].map((at) => idOf(made, at));
    expect(actionsOf((await planOver(made, text, asMember(made, { accessedServices }))) as Plan)).toEqual([]);
  });

  test('reads each object that a list lacks: a deleted one does not prove that the next is deleted', async () => {
    const made = bench();
    const text = production(stack('a', 'b', 'c'));
    await applied(made, text);
    const accessedServices = [idOf(made, 'production.compose.shop')];
    await made.emulator.act('domain.delete', { domainId: idOf(made, domainOf('a')) });
    const send = asMember(made, { accessedServices });
    const gone = await planOver(made, text, send);
    expect(actionsOf(gone as Plan)).toContain(`create ${domainOf('a')}`);
    expect(made.requests('GET').filter((operation) => operation === 'domain.one')).toHaveLength(1);
    const hidden = hiding({ ...made, emulator: { ...made.emulator, send } }, [idOf(made, domainOf('b'))], 'domainId');
    const result = await planOver(made, text, hidden);
    expect(codesOf(result)).toEqual(['hidden']);
    expect(String(result)).toContain(domainOf('b'));
  });

  test('without the right to list SSH keys, resolves a reference to one by its id', async () => {
    const made = bench();
    await applied(made, head + keys('one'));
    const client = createClient({
      send: asMember(made, { accessedServices: [], canCreateServices: true }),
      url: 'http://platform.test',
      apiKey: 'any',
      redact: made.redact,
    });
    const id = idOf(made, 'sshKeys.deploy');
    const fetching = `environments:\n  production:\n    application:\n      api: { source: { type: git, url: "git@git.example.com:api.git", branch: main, sshKey: ${id} } }\n`;
    made.store.state = undefined;
    const made2 = await plan(await made.manifest(head + fetching), { ...made.world(), client });
    expect(actionsOf(made2)).toContain('create production.application.api');
  });
});

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { importObject } from '../../src/workflow/import-object.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { apiKey, places } from '../cli/place.ts';
import { trueup } from '../cli/process.ts';
import {
  actionsOf,
  answered,
  byHand,
  everything,
  failed,
  idOf,
  operationOf,
  plansNothing,
  rowsIn,
  worldOver,
} from '../support/faults.ts';
import { composeBody, database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { sealAgain } from '../support/state-key.ts';
import { bench, head } from '../support/world.ts';

/** Whoever can write the state or the manifest can name any id: the platform alone proves that an object is ours. */

const main = 'production.postgres.main';
const shop = 'production.compose.shop';
const one = production(database() + stack());
const secrets = ['foreign-name', 'foreign-image', 'foreign-text', 'foreign-command', 'foreign.example.com'];

/** A platform with the objects of one manifest, and a second project of somebody else. */
async function world(text = one) {
  const made = bench();
  await made.apply(text, everything);
  const environmentId = 'env_prj_2';
  const foreign = { description: 'foreign-text', command: 'foreign-command' };
  const postgresId = await byHand(made, { name: 'foreign-name', dockerImage: 'foreign-image', environmentId });
  await made.emulator.act('postgres.update', { postgresId, ...foreign });
  const service = (await made.emulator.act('compose.create', { name: 'foreign-name', environmentId })) as Row;
  const composeId = String(service.composeId);
  await made.emulator.act('compose.update', { composeId, ...foreign });
  const host = { host: 'foreign.example.com', serviceName: 'web', composeId, domainType: 'compose' };
  const domainId = String(((await made.emulator.act('domain.create', host)) as Row).domainId);
  const second = { name: 'foreign-name', description: 'foreign-text', projectId: 'prj_2' };
  const other = String(((await made.emulator.act('environment.create', second)) as Row).environmentId);
  return { made, postgresId, composeId, domainId, other };
}

/** Writes a record into the state, as whoever can write the state does. */
function forge(made: Bench, address: string, change: Partial<StateRecord>): void {
  const { state } = made.store;
  if (state === undefined) throw new Error('nothing was applied');
  const none: StateRecord = { kind: 'postgres', id: null, parent: 'production', dependsOn: [], pairs: {}, options: {} };
  const record = { ...none, ...state.resources[address], ...change } as StateRecord;
  made.store.state = { ...state, resources: { ...state.resources, [address]: record } };
}

/** Everything that a refused run says. It sends no POST, and shows nothing of the objects of the other project. */
async function refused(made: Bench, run: () => Promise<unknown>): Promise<string> {
  made.requests('POST');
  const error = await run().catch((reason: unknown) => reason);
  expect(made.requests('POST')).toEqual([]);
  if (!(error instanceof Stop)) throw new Error('it was not refused', { cause: error });
  expect(error.diagnostics.map(({ code }) => code)).toEqual(['foreign-object']);
  const text = JSON.stringify(error.diagnostics);
  for (const secret of secrets) expect(text).not.toContain(secret);
  return text;
}

/** Those of the names that are not in the refusal. A plan, and an apply with every permission, are refused alike. */
async function unnamed(made: Bench, text: string, names: readonly string[]): Promise<string[]> {
  const planned = await refused(made, () => made.plan(text));
  expect(await refused(made, () => made.apply(text, everything))).toBe(planned);
  return names.filter((name) => !planned.includes(name));
}

describe('S1: a forged record of an object of another project', () => {
  test('S1: does not delete a database', async () => {
    const { made, postgresId } = await world();
    const old = 'production.postgres.old';
    forge(made, old, { id: postgresId, options: { protect: false } });
    expect(await unnamed(made, one, [old, postgresId, 'environment env_prj_2', 'project prj_2'])).toEqual([]);
    await refused(made, () => made.destroy(one));
  });

  test('S1: does not take it over at a declared address', async () => {
    const { made, postgresId } = await world();
    forge(made, main, { id: postgresId });
    expect(await unnamed(made, one, [main, postgresId, 'environment env_prj_2', 'project prj_2'])).toEqual([]);
  });

  test('S1: does not replace it', async () => {
    const { made, postgresId } = await world();
    forge(made, main, { id: postgresId });
    expect(await unnamed(made, production(database('', 'main', 'other') + stack()), [main, postgresId])).toEqual([]);
  });

  test.each(['', 'moved: [{ from: production.postgres.main, to: production.postgres.next }]\n'])(
    'S1: with "%s" does not follow an entry of moved:',
    async (moved) => {
      const { made, postgresId } = await world();
      forge(made, main, { id: postgresId });
      const text = production(database('', 'next') + stack()).replace(head, head + moved);
      expect(await unnamed(made, text, [moved === '' ? main : 'production.postgres.next', postgresId])).toEqual([]);
    },
  );

  test('S1: does not delete a domain, whatever parent it claims', async () => {
    const { made, domainId, composeId } = await world();
    const forged = `${shop}.domains["x.example.com"]`;
    for (const parent of [shop, null]) {
      forge(made, forged, { kind: 'domain', id: domainId, parent });
      const names = [domainId, `compose ${composeId}`, 'environment env_prj_2', 'project prj_2'];
      expect(await unnamed(made, one, names)).toEqual([]);
    }
    expect(rowsIn(made, 'domain')).toHaveLength(1);
  });

  test('S1: does not take over a domain at a declared address', async () => {
    const text = production(stack('domains: { a.example.com: { serviceName: web } }'));
    const { made, domainId, composeId } = await world(text);
    forge(made, `${shop}.domains["a.example.com"]`, { id: domainId });
    expect(await unnamed(made, text, [domainId, `compose ${composeId}`])).toEqual([]);
  });

  test('S1: does not delete what is below a service that is claimed as well', async () => {
    const { made, domainId, composeId } = await world();
    forge(made, 'production.compose.old', { kind: 'compose', id: composeId });
    forge(made, 'production.compose.old.domains.x', { kind: 'domain', id: domainId, parent: 'production.compose.old' });
    expect(await unnamed(made, one, ['production.compose.old', composeId])).toEqual([]);
  });

  test('S1: does not delete or take over an environment', async () => {
    const { made, other } = await world();
    forge(made, 'old', { kind: 'environment', id: other, parent: null });
    expect(await unnamed(made, one, ['old', other, 'project prj_2'])).toEqual([]);
    expect(await unnamed(made, `${one}  old: {}\n`, ['old', other, 'project prj_2'])).toEqual([]);
  });

  test('S1: is refused although the environment of that project is claimed as well', async () => {
    const { made, postgresId } = await world();
    forge(made, 'staging', { kind: 'environment', id: 'env_prj_2', parent: null });
    forge(made, 'staging.postgres.old', { id: postgresId, parent: 'staging' });
    made.requests('POST');
    for (const run of [() => made.plan(one), () => made.apply(one, everything)]) {
      const error: unknown = await run().catch((reason: unknown) => reason);
      const text = JSON.stringify((error as Stop).diagnostics);
      for (const name of ['staging (env_prj_2)', `staging.postgres.old (${postgresId})`]) expect(text).toContain(name);
      for (const secret of secrets) expect(text).not.toContain(secret);
    }
    expect(made.requests('POST')).toEqual([]);
  });

  test('S1: with a pending create in an environment of that project does not delete what fits it', async () => {
    const { made, postgresId } = await world();
    const pending = (below: string) =>
      ({
        is: 'create',
        at: Date.parse(String(made.emulator.world.tables.postgres[postgresId]?.createdAt)),
        timeoutMs: 60_000,
        key: { name: 'foreign-name' },
        below,
        says: { name: { value: 'foreign-name' } },
        sends: 1,
      }) as const;
    forge(made, 'production.postgres.old', { id: null, pending: pending('env_prj_2') });
    made.requests('POST');
    expect(await unnamed(made, one, ['production.postgres.old', postgresId, 'project prj_2'])).toEqual([]);
  });
});

describe('S1: a forged record of an object of another organization', () => {
  test('S1: does not delete an SSH key', async () => {
    const { made } = await world();
    const { world: rows } = made.emulator;
    Object.assign(rows.tables.organization, { org_2: { ...rows.tables.organization.org_1, id: 'org_2' } });
    await made.emulator.act('sshKey.create', {
      name: 'foreign-name',
      publicKey: 'ssh-rsa A',
      privateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
      organizationId: 'org_1',
    });
    const row = Object.values(rows.tables.sshKey).find(({ name }) => name === 'foreign-name');
    if (row === undefined) throw new Error('there is no key');
    row.organizationId = 'org_2';
    forge(made, 'sshKeys.old', { kind: 'sshKey', id: String(row.sshKeyId), parent: null });
    made.requests('POST');
    for (const run of [() => made.plan(one), () => made.apply(one, everything)]) {
      const error: unknown = await run().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Stop);
      const text = JSON.stringify((error as Stop).diagnostics);
      expect(text).toContain('sshKeys.old');
      expect(text).not.toContain('foreign-name');
    }
    expect(made.requests('POST')).toEqual([]);
  });
});

describe('S12: id: with an object of another project', () => {
  test('S12: shows nothing of a database', async () => {
    const { made, postgresId } = await world();
    const text = production(database(`id: ${postgresId}`, 'mine') + database().replace(/.*\n/, '') + stack());
    expect(
      await unnamed(made, text, ['production.postgres.mine', postgresId, 'environment env_prj_2', 'project prj_2']),
    ).toEqual([]);
  });

  test('S12: shows nothing of a compose, a domain or an environment', async () => {
    const { made, composeId, domainId, other } = await world();
    const pinned = `    compose:\n      mine: { id: ${composeId}, ${composeBody} }\n`;
    expect(await unnamed(made, production(pinned), ['production.compose.mine', composeId, 'project prj_2'])).toEqual(
      [],
    );
    const below = stack(`domains: { a.example.com: { id: ${domainId}, serviceName: web } }`);
    expect(
      await unnamed(made, production(database() + below), [domainId, `compose ${composeId}`, 'project prj_2']),
    ).toEqual([]);
    expect(await unnamed(made, `${one}  mine: { id: ${other} }\n`, ['mine', other, 'project prj_2'])).toEqual([]);
  });

  test('S12: is not imported', async () => {
    const { made, postgresId } = await world(production(stack()));
    const before = JSON.stringify(made.store.state);
    const manifest = await made.manifest(one);
    await refused(made, () => importObject(manifest, made.world(), main, postgresId));
    expect(JSON.stringify(made.store.state)).toBe(before);
  });
});

describe('the command line', () => {
  const open = places();
  const block = '{ dockerImage: "postgres:17", databaseName: shop, databaseUser: u, databasePassword: password-1 }';
  const sections = `environments: { production: { postgres: { main: ${block} } } }\n`;

  test.each([
    ['S1: plan', ['plan'], 'record'],
    ['S1: apply --auto-approve', ['apply', '--auto-approve'], 'record'],
    ['S1: destroy --auto-approve', ['destroy', '--auto-approve', '--allow-data-loss'], 'record'],
    ['S12: plan', ['plan'], 'pin'],
    ['S12: apply --auto-approve', ['apply', '--auto-approve'], 'pin'],
  ])('%s fails, sends no POST and shows nothing of the object', async (_title, words, by) => {
    const place = await open(sections);
    const row = (await place.emulator.act('postgres.create', {
      name: 'foreign-name',
      dockerImage: 'foreign-image',
      description: 'foreign-text',
      databaseName: 'shop',
      databaseUser: 'u',
      databasePassword: 'password-1',
      environmentId: 'env_prj_2',
    })) as Row;
    const id = String(row.postgresId);
    const file = join(place.folder, '.trueup/state.json');
    const own = place.idOf(main);
    if (by === 'record') writeFileSync(file, sealAgain(readFileSync(file, 'utf8').replaceAll(own, id))); // with a stolen key
    place.rewrite(by === 'record' ? sections : sections.replace('main: {', `main: ${block}, mine: { id: ${id},`));
    for (const format of ['text', 'json']) {
      place.requests();
      const { code, out, err } = await trueup([...words, '--format', format], {
        cwd: place.folder,
        env: { TRUEUP_API_KEY: apiKey },
      });
      expect(code).toBe(1);
      expect(out + err).toContain(id);
      expect(out + err).toContain('foreign-object');
      for (const secret of secrets) expect(out + err).not.toContain(secret);
      expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
    }
  });
});

describe('S1: an object of this project', () => {
  const text = (a: string, b: string, moved = '') =>
    `${head}${moved}environments:\n  production:\n${a}  staging:\n${b}`;
  const none = '    compose: {}\n';

  test('S1: that a person moved between its environments is moved back', async () => {
    const made = bench();
    await made.apply(text(database(), none));
    const postgresId = idOf(made, main);
    await made.emulator.act('postgres.move', { postgresId, targetEnvironmentId: idOf(made, 'staging') });
    expect(actionsOf(await made.plan(text(database(), none)))).toContain(`move ${main}`);
    await made.apply(text(database(), none));
    expect(rowsIn(made, 'postgres').map(({ environmentId }) => environmentId)).toEqual(['env_prj_1']);
    await plansNothing(made, text(database(), none));
  });

  test('S1: that a person moved into an environment that is not declared is moved back', async () => {
    const made = bench();
    await made.apply(one);
    const row = (await made.emulator.act('environment.create', { name: 'hand', projectId: 'prj_1' })) as Row;
    await made.emulator.act('postgres.move', { postgresId: idOf(made, main), targetEnvironmentId: row.environmentId });
    expect(actionsOf(await made.plan(one))).toContain(`move ${main}`);
    await made.apply(one);
    await plansNothing(made, one);
  });

  test.each([
    ['is moved back, because the environment names the project', undefined],
    ['is refused when the key may not read that environment', failed('no', 403, { code: 'FORBIDDEN' })],
  ])('S1: in an environment that no list shows %s', async (_title, answer) => {
    const made = bench();
    await made.apply(one);
    const row = (await made.emulator.act('environment.create', { name: 'hand', projectId: 'prj_1' })) as Row;
    const environmentId = String(row.environmentId);
    await made.emulator.act('postgres.move', { postgresId: idOf(made, main), targetEnvironmentId: environmentId });
    const send: Send = async (request) => {
      if (operationOf(request) === 'environment.one' && answer !== undefined) return answer;
      const shown = await made.emulator.send(request);
      if (operationOf(request) !== 'environment.byProjectId') return shown;
      const rows = (JSON.parse(shown.body) as Row[]).filter((listed) => listed.environmentId !== environmentId);
      return answered(JSON.stringify(rows));
    };
    const manifest = await made.manifest(one);
    if (answer === undefined) {
      expect(actionsOf(await plan(manifest, worldOver(made, send)))).toContain(`move ${main}`);
    } else {
      const text = await refused(made, () => plan(manifest, worldOver(made, send)));
      expect(text).toContain(`is not in project prj_1: the platform shows it below environment ${environmentId}"`);
    }
  });

  test('S1: follows an entry of moved: into another environment', async () => {
    const made = bench();
    await made.apply(text(database(), none));
    const id = idOf(made, main);
    const moved = 'moved: [{ from: production.postgres.main, to: staging.postgres.main }]\n';
    await made.apply(text(none, database(), moved));
    expect(idOf(made, 'staging.postgres.main')).toBe(id);
    await plansNothing(made, text(none, database(), moved));
  });
});

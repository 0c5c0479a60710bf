import { describe, expect, it } from 'vitest';
import { endpointOf, isOperation, requiredMembers } from '../../src/api/contract.ts';
import type { KindCommand } from '../../src/kind/kind-command.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { Row } from '../../src/formats/json.ts';
import { alternativesOf, commandFor, commandInput, lateOperations } from '../../src/kind/command-call.ts';
import { kindsOn } from '../../src/kind/kinds-on.ts';
import { idMember, takes, takesNull } from '../../src/kind/row-values.ts';
import { kinds } from '../../src/resources/index.ts';

/** Every alternative of every command. */
const alternatives = kinds.flatMap((kind) =>
  Object.keys(kind.commands ?? {}).flatMap((name) =>
    alternativesOf(kind, name).map((alternative, index) => ({
      kind,
      name,
      alternative,
      title: `${kind.kind} ${name} (${index + 1})`,
    })),
  ),
);
const calls = alternatives.flatMap(({ alternative, ...rest }) =>
  'call' in alternative ? [{ ...rest, alternative }] : [],
);

/** A row that holds all members that an alternative takes. */
const row = ({ fields }: Kind, alternative: Extract<KindCommand, { call: unknown }>): Row => {
  const whole: Record<string, unknown> = {};
  for (const from of Object.values(alternative.with ?? {})) {
    const [first = '', below] = from.split('.');
    const value = fields[below ?? first]?.examples[0] ?? 'text-1';
    if (below === undefined) whole[first] = value;
    else whole[first] = Object.assign(whole[first] ?? {}, { [below]: value });
  }
  return whole;
};

it('there are commands, each a word that can stand on a command line', () => {
  expect(calls.length).toBeGreaterThan(30);
  for (const { name } of alternatives) expect(name).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

describe.each(calls)('$title', ({ kind, alternative }) => {
  it('is a POST, or a test that reads, and its input fits the contract', () => {
    const { method, input } = endpointOf(alternative.call);
    if (alternative.isTest !== true) expect(method).toBe('POST');
    const sent = commandInput(kind, alternative, 'id-1', row(kind, alternative));
    expect(input.safeParse(sent).error).toBe(undefined);
    expect(Object.keys(sent)).toEqual(expect.arrayContaining([...requiredMembers(alternative.call)]));
  });

  it('sends the id wherever the operation takes it', () => {
    const name = idMember(kind, alternative.call);
    const sent = commandInput(kind, alternative, 'id-1', row(kind, alternative));
    expect(sent[name]).toBe(takes(alternative.call, name) ? 'id-1' : undefined);
    expect(Object.keys(sent).length).toBeGreaterThan(0);
  });

  it('leaves out members that the row does not have, and that the operation can go without', () => {
    const name = idMember(kind, alternative.call);
    const required = requiredMembers(alternative.call).filter((member) => takesNull(alternative.call, member));
    expect(commandInput(kind, alternative, 'id-1', { appName: null })).toEqual({
      ...(takes(alternative.call, name) ? { [name]: 'id-1' } : {}),
      ...Object.fromEntries(required.map((member) => [member, null])),
    });
  });
});

it('each command has an alternative for every row: the last has no condition, all others have one', () => {
  for (const kind of kinds) {
    for (const name of Object.keys(kind.commands ?? {})) {
      const conditions = alternativesOf(kind, name).map(({ when }) => when !== undefined);
      expect({ name: `${kind.kind} ${name}`, conditions }).toEqual({
        name: `${kind.kind} ${name}`,
        conditions: [...conditions.slice(1).map(() => true), false],
      });
    }
  }
});

it('a command that deletes data declares that, and every other loss of the contract asks for approval', () => {
  expect(
    calls.flatMap(({ title, alternative }) => (alternative.dataAtRisk === undefined ? [] : [title])).toSorted(),
  ).toEqual(['libsql', 'mariadb', 'mongo', 'mysql', 'postgres', 'redis'].map((database) => `${database} rebuild (1)`));
});

it('the operations that answer late are those of databases that deploy, schedules and backups by hand, and the setup of a server', () => {
  expect([...lateOperations(kinds)].toSorted()).toEqual([
    'backup.manualBackupCompose',
    'backup.manualBackupLibsql',
    'backup.manualBackupMariadb',
    'backup.manualBackupMongo',
    'backup.manualBackupMySql',
    'backup.manualBackupPostgres',
    'backup.manualBackupWebServer',
    'libsql.deploy',
    'libsql.rebuild',
    'mariadb.deploy',
    'mariadb.rebuild',
    'mongo.deploy',
    'mongo.rebuild',
    'mysql.deploy',
    'mysql.rebuild',
    'postgres.deploy',
    'postgres.rebuild',
    'redis.deploy',
    'redis.rebuild',
    'schedule.runManually',
    'server.setup',
    'volumeBackups.runManually',
  ]);
  expect(lateOperations([])).toEqual(new Set());
});

it('the alternative is chosen by the row; empty lists and missing members differ', () => {
  const documented = kindsOn(kinds, isOperation);
  const kind = documented.find(({ kind: name }) => name === 'application') as Kind;
  const of = (sourceType: string, deployments?: readonly object[]) =>
    commandFor(kind, 'redeploy', { sourceType, deployments });
  expect(of('docker', [])).toMatchObject({ call: 'application.redeploy' });
  expect(of('git', [])).toMatchObject({ cannot: expect.stringContaining('never deployed') as string });
  expect(of('git', [{}])).toMatchObject({ call: 'application.redeploy' });
  expect(of('git')).toMatchObject({ call: 'application.redeploy' });
  expect(commandFor(kind, 'toString', {})).toBe(undefined);
});

it.each(['deploy', 'redeploy'])('%s of an image is sent where the platform pulls it first', (name) => {
  const of = (on: readonly Kind[], row: Row) =>
    commandFor(on.find(({ kind }) => kind === 'application') as Kind, name, { sourceType: 'docker', ...row });
  const uploads = [{ registryId: 'r' }, { buildRegistryId: 'r' }, { rollbackRegistryId: 'r', rollbackActive: true }];
  const others = [{}, { rollbackRegistryId: 'r', rollbackActive: false }, { rollbackActive: true }];
  for (const row of [...uploads, ...others]) expect(of(kinds, row)).toMatchObject({ call: 'application.deploy' });
  const documented = kindsOn(kinds, isOperation);
  for (const row of others) expect(of(documented, row)).toMatchObject({ call: 'application.redeploy' });
  for (const row of uploads)
    expect(of(documented, row)).toMatchObject({ cannot: expect.stringContaining('pulls the image') as string });
});

it('status and logs are read from answers of the platform', () => {
  const services = kinds.filter(({ service }) => service !== undefined);
  expect(services.map(({ kind }) => kind).toSorted()).toEqual([
    'application',
    'compose',
    'libsql',
    'mariadb',
    'mongo',
    'mysql',
    'postgres',
    'redis',
  ]);
  for (const { service } of kinds) if (service?.logs !== undefined) expect(endpointOf(service.logs).method).toBe('GET');
});

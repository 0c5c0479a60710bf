import { describe, expect, it } from 'vitest';
import { endpointOf, requiredMembers } from '../../src/api/contract.ts';
import type { KindCommand } from '../../src/kind/command.ts';
import type { Kind } from '../../src/kind/kind.ts';
import { alternativesOf, commandFor, commandInput, lateOperations } from '../../src/kind/command-call.ts';
import { idMember, takes } from '../../src/kind/wire.ts';
import { kinds } from '../../src/resources/index.ts';

/** Every way in which any kind can be told anything. */
const ways = kinds.flatMap((kind) =>
  Object.keys(kind.commands ?? {}).flatMap((verb) =>
    alternativesOf(kind, verb).map((way, index) => ({ kind, verb, way, title: `${kind.kind} ${verb} (${index + 1})` })),
  ),
);
const calls = ways.flatMap(({ way, ...rest }) => ('call' in way ? [{ ...rest, way }] : []));

/** A row that holds whatever a way takes of it. */
const row = (way: Extract<KindCommand, { call: unknown }>) =>
  Object.fromEntries(Object.values(way.with ?? {}).map((from) => [from, 'text-1']));

it('there are verbs, each a word that can stand on a command line', () => {
  expect(calls.length).toBeGreaterThan(30);
  for (const { verb } of ways) expect(verb).toMatch(/^[a-z]+(-[a-z]+)*$/);
});

describe.each(calls)('$title', ({ kind, way }) => {
  it('is a POST, and what it is sent fits the contract', () => {
    const { method, input } = endpointOf(way.call);
    expect(method).toBe('POST');
    const sent = commandInput(kind, way, 'id-1', row(way));
    expect(input.safeParse(sent).error).toBe(undefined);
    expect(Object.keys(sent)).toEqual(expect.arrayContaining([...requiredMembers(way.call)]));
  });

  it('sends the id wherever the operation takes it', () => {
    const name = idMember(kind, way.call);
    const sent = commandInput(kind, way, 'id-1', row(way));
    expect(sent[name]).toBe(takes(way.call, name) ? 'id-1' : undefined);
    expect(Object.keys(sent).length).toBeGreaterThan(0);
  });

  it('leaves out what the row does not have', () => {
    const name = idMember(kind, way.call);
    expect(commandInput(kind, way, 'id-1', { appName: null })).toEqual(takes(way.call, name) ? { [name]: 'id-1' } : {});
  });
});

it('each verb is settled for every row: its last way has no condition, and no other is without', () => {
  for (const kind of kinds) {
    for (const verb of Object.keys(kind.commands ?? {})) {
      const conditions = alternativesOf(kind, verb).map(({ when }) => when !== undefined);
      expect({ verb: `${kind.kind} ${verb}`, conditions }).toEqual({
        verb: `${kind.kind} ${verb}`,
        conditions: [...conditions.slice(1).map(() => true), false],
      });
    }
  }
});

it('what deletes data says so, and everything else that the contract calls a loss is asked about', () => {
  expect(calls.flatMap(({ title, way }) => (way.dataAtRisk === undefined ? [] : [title])).toSorted()).toEqual([
    'mariadb rebuild (1)',
    'postgres rebuild (1)',
    'redis rebuild (1)',
  ]);
});

it('the operations that answer late are those of databases that deploy, and backups by hand', () => {
  expect([...lateOperations(kinds)].toSorted()).toEqual([
    'backup.manualBackupCompose',
    'backup.manualBackupMariadb',
    'backup.manualBackupMongo',
    'backup.manualBackupMySql',
    'backup.manualBackupPostgres',
    'backup.manualBackupWebServer',
    'mariadb.deploy',
    'mariadb.rebuild',
    'postgres.deploy',
    'postgres.rebuild',
    'redis.deploy',
    'redis.rebuild',
    'volumeBackups.runManually',
  ]);
  expect(lateOperations([])).toEqual(new Set());
});

it('the alternative is chosen by the row, with empty lists and what is missing compared as they are', () => {
  const kind = kinds.find(({ kind: name }) => name === 'application') as Kind;
  const of = (sourceType: string, deployments?: readonly object[]) =>
    commandFor(kind, 'redeploy', { sourceType, deployments });
  expect(of('docker', [])).toMatchObject({ call: 'application.redeploy' });
  expect(of('git', [])).toMatchObject({ cannot: expect.stringContaining('never deployed') as string });
  expect(of('git', [{}])).toMatchObject({ call: 'application.redeploy' });
  expect(of('git')).toMatchObject({ call: 'application.redeploy' });
  expect(commandFor(kind, 'toString', {})).toBe(undefined);
});

it('status and logs are read from what the platform answers', () => {
  const services = kinds.filter(({ service }) => service !== undefined);
  expect(services.map(({ kind }) => kind).toSorted()).toEqual([
    'application',
    'compose',
    'mariadb',
    'postgres',
    'redis',
  ]);
  for (const { service } of kinds) if (service?.logs !== undefined) expect(endpointOf(service.logs).method).toBe('GET');
});

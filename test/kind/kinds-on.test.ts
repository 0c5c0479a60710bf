import { describe, expect, test } from 'vitest';
import type { Operation } from '../../src/api/contract.ts';
import { extendedContracts, isOperation } from '../../src/api/contract.ts';
import { defineKind } from '../../src/kind/kind.ts';
import { kindsOn, kindsThere } from '../../src/kind/kinds-on.ts';
import { environment } from '../../src/resources/environment.ts';
import { kinds } from '../../src/resources/index.ts';
import { callsOf } from '../../scripts/docs/kind-calls.ts';
import { mirror } from '../support/kind-beyond-document.ts';

/** A platform that serves all operations but these. */
const without = (...lacking: Operation[]) => {
  return (operation: Operation) => !lacking.includes(operation);
};

const guard = defineKind({
  ...mirror,
  kind: 'guard',
  section: 'guards',
  parents: { mirror: { listed: { at: 'guards' }, rows: 'whole', set: {}, idAt: 'mysqlId' } },
  operations: { create: 'security.create', read: 'security.one' },
});

describe('on a platform that serves every operation', () => {
  test('a kind is the same object', () => {
    const all = [...kinds, mirror, guard];
    const there = kindsThere(all, extendedContracts.standard);
    expect(there).toHaveLength(all.length);
    for (const [at, kind] of there.entries()) expect(kind).toBe(all[at]);
  });
});

describe('on a platform that lacks an operation', () => {
  const one = (kind: typeof mirror, ...lacking: Operation[]) =>
    kindsOn([environment, kind], without(...lacking)).find((item) => item.kind === kind.kind);

  test('a kind that it cannot read is left out, and so is what stands below it only', () => {
    const names = kindsOn([environment, guard, mirror], without('mysql.one')).map(({ kind }) => kind);
    expect(names).toEqual(['environment']);
  });

  test('a parent that is left out is no place any more', () => {
    const { guards = mirror.parents.environment } = {};
    const both = { ...guard, parents: { ...guard.parents, environment: guards } } as typeof guard;
    const there = kindsOn([environment, mirror, both], without('mysql.one'));
    expect(Object.keys(there.find(({ kind }) => kind === 'guard')?.parents ?? {})).toEqual(['environment']);
  });

  test('create, update, delete and move are taken out', () => {
    const movable = { ...mirror, operations: { ...mirror.operations, move: { call: 'mysql.move', as: 'x' } } } as const;
    expect(one(movable, 'mysql.create', 'mysql.move', 'mysql.remove')?.operations).toEqual({
      read: 'mysql.one',
      update: ['mysql.update'],
    });
    expect(one(movable, 'mysql.update')?.operations).toEqual({
      create: 'mysql.create',
      read: 'mysql.one',
      delete: 'mysql.remove',
      move: { call: 'mysql.move', as: 'x' },
    });
  });

  test('a field that only create takes refuses a change, and one that no operation takes is left out', () => {
    const { name } = mirror.fields;
    if (name === undefined) throw new Error('the kind has a name');
    const more = {
      ...mirror,
      fields: { ...mirror.fields, command: name, databaseUser: { ...name, onChange: 'replace' } },
    } as const;
    const fields = one(more, 'mysql.update')?.fields;
    expect(Object.keys(fields ?? {})).toEqual(['name', 'databaseName', 'databaseUser']);
    expect(fields?.name?.onChange).toEqual({
      refuse: 'the platform does not serve mysql.update, the operation for it; undo the change',
    });
    expect(fields?.databaseUser?.onChange).toBe('replace');
  });

  test('a name that belongs to a kind that it lacks is an id', () => {
    const { name } = mirror.fields;
    if (name === undefined) throw new Error('the kind has a name');
    const backup = {
      ...guard,
      parents: { environment: mirror.parents.environment },
      fields: { mirrorId: { ...name, refersTo: 'mirror' } },
    } as unknown as typeof guard;
    const there = kindsOn([environment, mirror, backup], without('mysql.one'));
    expect(there.find(({ kind }) => kind === 'guard')?.fields.mirrorId).not.toHaveProperty('refersTo');
  });

  test('commands and the words of a service that need it are taken out', () => {
    const running = defineKind({
      ...mirror,
      commands: {
        stop: { call: 'mysql.stop' },
        deploy: [{ call: 'mysql.deploy' }, { cannot: 'it is off', remedy: 'Start it.' }],
      },
      service: { status: 'applicationStatus', setStatus: 'mysql.changeStatus', logs: 'mysql.readLogs' },
    });
    const there = one(running, 'mysql.stop', 'mysql.deploy', 'mysql.readLogs');
    expect(there?.commands).toEqual({ deploy: [{ cannot: 'it is off', remedy: 'Start it.' }] });
    expect(there?.service).toEqual({ status: 'applicationStatus', setStatus: 'mysql.changeStatus' });
  });

  test('what the kind says of it holds', () => {
    const said = defineKind({
      ...mirror,
      without: { 'mysql.stop': (kind) => ({ ...kind, summary: 'It never stops.' }) },
    });
    expect(one(said)?.summary).toBe(mirror.summary);
    expect(one(said, 'mysql.stop')?.summary).toBe('It never stops.');
  });
});

describe('the kinds of Trueup on a platform that keeps to the document', () => {
  const there = kindsOn(kinds, isOperation);

  test.each(there.map((kind) => [kind.kind, kind] as const))('%s names no operation beyond it', (_, kind) => {
    const calls = callsOf(kind, kinds).map(({ operation }) => operation);
    expect(calls.filter((operation) => !isOperation(operation))).toEqual([]);
  });
});

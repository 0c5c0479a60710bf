import { describe, expect, it } from 'vitest';
import { readTable } from '../../src/emulator/table.ts';
import { tableNames, tables } from '../../src/emulator/tables.ts';

describe('the line of a table', () => {
  it('has columns with defaults', () => {
    const { key, columns } = readTable(
      'id, name, note?, port = 80, isOn = true, list = [], version = "24", at = 0.15.4',
      {},
    );
    expect(key).toBe('id');
    expect(columns).toEqual({
      id: '',
      name: '',
      note: null,
      port: 80,
      isOn: true,
      list: [],
      version: '24',
      at: '0.15.4',
    });
  });

  it('has references, numbers, and columns that are looked up', () => {
    const { references, integers, indexed } = readTable('id, int port?, indexed host, a -> x, b? ~> y, c !> z', {});
    expect(references).toEqual({
      a: { table: 'x', onDelete: 'cascade' },
      b: { table: 'y', onDelete: 'set null' },
      c: { table: 'z', onDelete: 'refuse' },
    });
    expect([integers, indexed]).toEqual([['port'], ['host']]);
  });

  it('has shared columns at their place', () => {
    const shared = { inner: 'b?, c', outer: 'a, ...inner' };
    expect(Object.keys(readTable('id,\n  ...outer, d', shared).columns)).toEqual(['id', 'a', 'b', 'c', 'd']);
  });

  it('names a column that has another form', () => {
    expect(() => readTable('id, two words', {})).toThrow('The tables have no two words');
    expect(() => readTable('id, ...none', {})).toThrow('The tables have no ...none');
  });

  it('refers to tables that there are', () => {
    const targets = tableNames.flatMap((name) => Object.values(tables[name].references).map(({ table }) => table));
    expect(targets.length).toBeGreaterThan(50);
    expect(targets.filter((table) => !Object.hasOwn(tables, table))).toEqual([]);
  });
});

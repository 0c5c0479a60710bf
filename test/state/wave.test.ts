import type { Wave } from '../../src/state/wave.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { describe, expect, test } from 'vitest';
import { parseWave, readJson, readLine, withWaves, writeLine, writeWave } from '../../src/state/wave.ts';
import { formerly } from './corpus.ts';
import { recordOf, stateWith } from '../../src/state/conformance/states.ts';

/** The lines of a journal, and the records in them. */

const record = recordOf('1');

describe('a line', () => {
  test('is a checksum and a text, and ends in the only line feed', () => {
    expect(writeLine('123456789')).toBe('cbf43926 123456789\n'); // the check value of CRC-32
    expect(writeLine('[["a\\n",null]]').slice(8)).toBe(' [["a\\n",null]]\n');
    expect(writeLine('33')).toBe('0a6216d9 33\n');
  });

  test('is read as it was written, without its line feed', () => {
    for (const text of ['[]', '{"b":"ä\u2028"}', 'x'.repeat(1_000)]) {
      expect(readLine(writeLine(text).trimEnd())).toBe(text);
    }
  });

  test.each([
    ['another checksum', (line: string) => line.replace(/^./, (digit) => (digit === '0' ? '1' : '0'))],
    ['another content', (line: string) => line.replace('null', 'true')],
    ['no space after its checksum', (line: string) => line.replace(' ', '_')],
    ['less of its content', (line: string) => line.slice(0, -1)],
    ['nothing', () => ''],
  ])('with %s is none', (_what, change) => {
    expect(readLine(change(writeLine('[["a",null]]').trimEnd()))).toBeUndefined();
  });

  test('with the checksum of no JSON holds none', () => {
    expect(readJson(readLine('e8b7be43 a'))).toBeUndefined();
    expect(readJson('[1]')).toEqual([1]);
    expect(readJson(undefined)).toBeUndefined();
  });
});

describe('a wave', () => {
  const firstIn = (wave: Wave | undefined) => wave?.[0]?.[1] as StateRecord | undefined;

  test('is a list of records and removals by address, of one format', () => {
    expect(parseWave([], 2)).toStrictEqual([]);
    const wave: Wave = [['a', record], ['a', { inputs: 'i' }, 'deployments'], ['b', null]]; // prettier-ignore
    const text = writeWave(wave);
    expect(JSON.parse(text)).toStrictEqual([['a', record], ['a (deploy)', { inputs: 'i' }], ['b', null]]); // prettier-ignore
    expect(parseWave(JSON.parse(text), 4)).toStrictEqual(wave);
    const held = { ...record, deployed: { inputs: 'i' } };
    for (const format of [2, 3] as const)
      expect(
        parseWave(
          [
            ['a', held],
            ['b', null],
          ],
          format,
        ),
      ).toStrictEqual(wave);
    expect(parseWave([['a', record]], 3)).toStrictEqual([['a', record], ['a', null, 'deployments']]); // prettier-ignore
    const former = { ...formerly(record), intent: { at: 1 } };
    expect(firstIn(parseWave([['a', former]], 1))?.pending).toMatchObject({ is: 'write', at: 1 });
    expect(parseWave([['a', former]], 2)).toBeUndefined();
  });

  test.each([
    ['no list', { a: record }],
    ['nothing', null],
    ['a record without an address', [[record]]],
    ['an address of another type', [[1, record]]],
    ['more than a record', [['a', record, 1]]],
    ['a text', ['ab']],
    ['something else than a record', [['a', {}]]],
    ['no record', [['a', undefined]]],
    ['an address of deployments, which format 4 was the first to write', [['a (deploy)', 5]]],
    ['a record at such an address', [['a (deploy)', record]]],
    [
      'one record that is none',
      [
        ['a', record],
        ['b', 1],
      ],
    ],
  ])('is none with %s', (_what, content) => {
    expect(parseWave(content, 2)).toBeUndefined();
  });

  test('of the newest format, whose MAC holds, is taken as it was written, with the names of prototypes as ordinary ones', () => {
    const text = '[["__proto__",{"kind":"redis","pairs":{"__proto__":{},"constructor":1},"later":true}]]';
    const wave = parseWave(readJson(text), 4);
    expect(JSON.stringify(wave)).toBe(text);
    expect(Object.getPrototypeOf(firstIn(wave)?.pairs)).toBe(Object.prototype);
    expect(parseWave(readJson(text), 2)).toBeUndefined();
    expect(parseWave([['a', 1]], 4)).toBeUndefined();
  });
});

describe('a state with waves', () => {
  const base = stateWith({ a: record, b: record });

  test('is the same without any', () => {
    expect(withWaves(base, [])).toBe(base);
  });

  test('has the last record of each address, and none that was removed', () => {
    const [second, third] = [recordOf('2'), recordOf('3')];
    const waves = [
      [
        ['a', second],
        ['b', null],
      ],
      [
        ['c', third],
        ['a', third],
        ['__proto__', second],
      ],
    ] as const;
    const state = withWaves(base, waves);
    expect(Object.entries(state.resources)).toStrictEqual([
      ['a', third],
      ['c', third],
      ['__proto__', second],
    ]);
    expect({ ...state, resources: {} }).toStrictEqual({ ...base, resources: {} });
    expect(base.resources).toStrictEqual({ a: record, b: record });
  });
});

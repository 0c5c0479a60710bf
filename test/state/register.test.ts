import { describe, expect, test } from 'vitest';
import type { LeaseEntry } from '../../src/state/lease-entry.ts';
import { parseEntry } from '../../src/state/lease-entry.ts';
import type { Register, Seen } from '../../src/state/register.ts';
import { swapSurely } from '../../src/state/register.ts';

/** A swap whose answer may be lost, and the entry of a lease as text. */

const hold = {
  id: 'run-1',
  owner: 'ops@host pid 7',
  machine: 'host',
  pid: 7,
  purpose: 'apply',
  since: '2030-01-01T00:00:00.000Z',
  beat: 3,
  lastsMs: 60_000,
};
const entry: LeaseEntry = { counter: 2, holder: hold, past: null };
const seen = (content: LeaseEntry): Seen => ({ entry: content, version: '9', ageMs: 0 });

/** A register that swaps and looks as it is told. */
function registerWith(swap: Register['swap'], look: Register['look']): Register {
  return { of: 'the state', swap, look };
}
const lost = () => Promise.reject(new Error('lost'));
const down = () => Promise.reject(new Error('down'));

describe('a swap', () => {
  test('that was answered is ours, and nothing is read', async () => {
    const register = registerWith(() => Promise.resolve(seen(entry)), down);
    expect(await swapSurely(register, undefined, entry)).toStrictEqual({ is: 'mine', seen: seen(entry) });
  });

  test.each<[string, Register['swap']]>([
    ['without an answer', lost],
    ['that found another entry', () => Promise.resolve(undefined)],
  ])('%s is ours where our entry stands there', async (_what, swap) => {
    const register = registerWith(swap, () => Promise.resolve(seen(entry)));
    expect(await swapSurely(register, undefined, entry)).toStrictEqual({ is: 'mine', seen: seen(entry) });
  });

  test.each<[string, LeaseEntry | undefined]>([
    ['of another run', { ...entry, holder: { ...hold, id: 'run-2' } }],
    ['of an earlier renewal', { ...entry, holder: { ...hold, beat: 2 } }],
    ['that is free', { ...entry, holder: null }],
    ['that is missing', undefined],
  ])('is not ours where an entry stands there %s', async (_what, other) => {
    const there = other === undefined ? undefined : seen(other);
    const look = () => Promise.resolve(there);
    const refusing = registerWith(() => Promise.resolve(undefined), look);
    expect(await swapSurely(refusing, undefined, entry)).toStrictEqual({ is: 'other', seen: there });
    await expect(swapSurely(registerWith(lost, look), undefined, entry)).rejects.toThrow('lost');
  });

  test('of a free lease is never taken for the one that stands there', async () => {
    const free = { ...entry, holder: null };
    const register = registerWith(lost, () => Promise.resolve(seen(free)));
    await expect(swapSurely(register, undefined, free)).rejects.toThrow('lost');
  });

  test('fails with its own failure where nothing can be read, else with that of the read', async () => {
    await expect(swapSurely(registerWith(lost, down), undefined, entry)).rejects.toThrow('lost');
    const refusing = registerWith(() => Promise.resolve(undefined), down);
    await expect(swapSurely(refusing, undefined, entry)).rejects.toThrow('down');
  });
});

describe('an entry', () => {
  test('is read as it was written', () => {
    const past = { owner: 'a', purpose: 'apply', since: 's', mayLandMs: 5, wasRemoved: true } as const;
    for (const content of [entry, { counter: 1, holder: null, past }, { counter: 0, holder: null, past: null }]) {
      expect(parseEntry(JSON.stringify(content))).toStrictEqual(content);
    }
  });

  test.each([
    ['no JSON', '{'],
    ['nothing', 'null'],
    ['half a counter', JSON.stringify({ ...entry, counter: 1.5 })],
    ['no holder', JSON.stringify({ counter: 1, past: null })],
    ['a holder without a machine', JSON.stringify({ ...entry, holder: { ...hold, machine: undefined } })],
    ['a past without an end', JSON.stringify({ ...entry, past: { owner: 'a', purpose: 'b', since: 'c' } })],
  ])('with %s is none', (_what, text) => {
    expect(parseEntry(text)).toBeUndefined();
  });
});

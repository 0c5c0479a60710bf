import { inspect, format } from 'node:util';
import { describe, expect, test } from 'vitest';
import { mask, seal } from '../../src/secrets/sealed.ts';

/** A sealed value does not print, whatever prints it. */

const secret = 'correct-horse-battery-staple';
const sealed = seal(secret);

describe('a sealed value', () => {
  test('gives its value to who asks for it', () => {
    expect(sealed.reveal()).toBe(secret);
    expect(seal(undefined).reveal()).toBeUndefined();
  });

  test.each<[string, () => string]>([
    ['JSON', () => JSON.stringify(sealed)],
    ['JSON of what holds it', () => JSON.stringify({ deep: [{ sealed }] }, null, 2)],
    ['JSON of a copy', () => JSON.stringify({ ...sealed })],
    ['a template', () => `a ${String(sealed)}`],
    ['a sum of texts', () => 'a' + (sealed as unknown as string)],
    ['a list that becomes text', () => [sealed, sealed].join()],
    ['a console', () => format('%s %o %O %j', sealed, sealed, sealed, sealed)],
    ['an inspection', () => inspect(sealed)],
    [
      'an inspection of everything',
      () => inspect(sealed, { depth: Infinity, showHidden: true, getters: true, showProxy: true }),
    ],
    [
      'an inspection that asks nobody',
      () => inspect(sealed, { customInspect: false, showHidden: true, depth: Infinity }),
    ],
    ['an inspection of a map', () => inspect(new Map([[sealed, sealed]]), { showHidden: true })],
    ['an inspection of a set', () => inspect(new Set([sealed]), { showHidden: true })],
    ['an inspection of a copy', () => inspect({ ...sealed }, { showHidden: true })],
    [
      'an inspection of an error that holds it',
      () => inspect(Object.assign(new Error('failed'), { sealed }), { showHidden: true }),
    ],
    ['an inspection of a cause', () => inspect(new Error('failed', { cause: sealed }), { showHidden: true })],
    ['the message of an error', () => new Error(String(sealed)).stack ?? ''],
    ['its keys and values', () => inspect(Object.entries(sealed))],
    ['its properties', () => inspect(Object.getOwnPropertyDescriptors(sealed), { showHidden: true, depth: Infinity })],
    ['the text of its function', () => String(sealed.reveal)],
  ])('does not show in %s', (_title, print) => {
    const printed = print();
    expect(printed).not.toBe('');
    expect(printed).not.toContain(secret);
  });

  test('shows a mask instead', () => {
    expect(JSON.stringify({ sealed })).toBe(JSON.stringify({ sealed: mask }));
    expect(String(sealed)).toBe(mask);
    expect(inspect(sealed)).toContain(mask);
  });

  test('cannot be cloned, so it reaches no other thread', () => {
    expect(() => structuredClone(sealed)).toThrow();
    expect(() => structuredClone({ deep: [sealed] })).toThrow();
  });

  test('differs from another one with the same value only by being another', () => {
    expect(JSON.stringify(seal('a'))).toBe(JSON.stringify(seal('b')));
  });
});

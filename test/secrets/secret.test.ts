import { inspect, format } from 'node:util';
import { describe, expect, test } from 'vitest';
import { redacted, secret } from '../../src/secrets/secret.ts';

const text = 'correct-horse-battery-staple';
const token = secret(text);

describe('a secret', () => {
  test('reveals its value when asked', () => {
    expect(token.reveal()).toBe(text);
    expect(secret(undefined).reveal()).toBeUndefined();
  });

  test.each<[string, () => string]>([
    ['JSON', () => JSON.stringify(token)],
    ['JSON of its holder', () => JSON.stringify({ deep: [{ token }] }, null, 2)],
    ['JSON of a copy', () => JSON.stringify({ ...token })],
    ['a template', () => `a ${String(token)}`],
    ['a concatenation', () => 'a' + (token as unknown as string)],
    ['a joined list', () => [token, token].join()],
    ['a console', () => format('%s %o %O %j', token, token, token, token)],
    ['an inspection', () => inspect(token)],
    [
      'an inspection of everything',
      () => inspect(token, { depth: Infinity, showHidden: true, getters: true, showProxy: true }),
    ],
    [
      'an inspection without custom inspectors',
      () => inspect(token, { customInspect: false, showHidden: true, depth: Infinity }),
    ],
    ['an inspection of a map', () => inspect(new Map([[token, token]]), { showHidden: true })],
    ['an inspection of a set', () => inspect(new Set([token]), { showHidden: true })],
    ['an inspection of a copy', () => inspect({ ...token }, { showHidden: true })],
    [
      'an inspection of an error that holds it',
      () => inspect(Object.assign(new Error('failed'), { token }), { showHidden: true }),
    ],
    ['an inspection of a cause', () => inspect(new Error('failed', { cause: token }), { showHidden: true })],
    ['the message of an error', () => new Error(String(token)).stack ?? ''],
    ['its keys and values', () => inspect(Object.entries(token))],
    ['its properties', () => inspect(Object.getOwnPropertyDescriptors(token), { showHidden: true, depth: Infinity })],
    ['the text of its function', () => String(token.reveal)],
  ])('does not print in %s', (_title, print) => {
    const printed = print();
    expect(printed).not.toBe('');
    expect(printed).not.toContain(text);
  });

  test('prints as (sensitive)', () => {
    expect(JSON.stringify({ token })).toBe(JSON.stringify({ token: redacted }));
    expect(String(token)).toBe(redacted);
    expect(inspect(token)).toContain(redacted);
  });

  test('cannot be cloned, so no other thread can read it', () => {
    expect(() => structuredClone(token)).toThrow();
    expect(() => structuredClone({ deep: [token] })).toThrow();
  });

  test('prints the same for every value', () => {
    expect(JSON.stringify(secret('a'))).toBe(JSON.stringify(secret('b')));
  });
});

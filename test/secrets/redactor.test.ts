import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { redacted } from '../../src/secrets/secret.ts';

/** Secrets are replaced in texts from elsewhere, in the encodings in which servers send them back. */

function redact(secrets: readonly string[], text: string): string {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor.redact(text);
}

describe('a redactor replaces a secret', () => {
  test('line by line', () => {
    const key = '-----BEGIN KEY-----\r\nMIIEowIBAAKCAQEA\nxyz\rqwertyuiop\n-----END KEY-----\n';
    const clean = redact([key], `line 2 is MIIEowIBAAKCAQEA, line 4 is qwertyuiop`);
    expect(clean).toBe(`line 2 is ${redacted}, line 4 is ${redacted}`);
    expect(redact([key], `it is ${key}.`)).toBe(`it is ${redacted}.`);
    expect(redact([key], `it is ${key.replaceAll(/\r\n?/g, '\n')}.`)).toBe(`it is ${redacted}.`);
    expect(redact([key], `it is ${JSON.stringify(key)}.`)).toBe(`it is "${redacted}".`);
    expect(redact([key], '-----BEGIN KEY----- is missing')).toBe('-----BEGIN KEY----- is missing');
  });

  test('without the blanks around it', () => {
    expect(redact(['  correct-horse\t\n   battery-staple '], 'correct-horse, battery-staple')).toBe(
      `${redacted}, ${redacted}`,
    );
  });

  test('and the password of an address by itself', () => {
    const urls =
      'DB=postgres://shop:p%40ss-w0rd@db:5432/shop,redis://:correct-horse@cache GIT=https://ghp_token@host/a';
    const text = 'p@ss-w0rd, p%40ss-w0rd, correct-horse, ghp_token, shop:db';
    expect(redact([urls], text)).toBe(`${redacted}, ${redacted}, ${redacted}, ${redacted}, shop:db`);
    expect(redact(['https://host/path@1.2.3 and https://host:8080/'], 'path@1.2.3 8080/ host:8080')).toBe(
      'path@1.2.3 8080/ host:8080',
    );
  });

  test('together with secrets that overlap it, so that no part of either remains', () => {
    expect(redact(['abcdefgh', 'defghijkl'], 'x abcdefghijkl y')).toBe(`x ${redacted} y`);
    expect(redact(['abcdefgh', 'abcdefghijkl'], 'x abcdefghijkl abcdefgh y')).toBe(`x ${redacted} ${redacted} y`);
    expect(redact(['cdefghij', 'abcdefghijkl'], 'x abcdefghijkl y')).toBe(`x ${redacted} y`);
    const long = 'abcdefghijklmnopqrstuvwxyz0123456789';
    expect(redact([long, long.slice(0, 17), `${long}-more`], `x ${long}-less ${long.slice(0, 20)} y`)).toBe(
      `x ${redacted}-less ${redacted}rst y`,
    );
  });

  test('at every occurrence', () => {
    expect(redact(['abcdefgh'], 'abcdefghabcdefgh abcdefgh')).toBe(`${redacted}${redacted} ${redacted}`);
    expect(redact(['abababab'], 'ababababab')).toBe(redacted);
  });

  test('that is found once a text is to be redacted', () => {
    const redactor = createRedactor();
    const find = vi.fn<() => string[]>(() => ['correct-horse', 'short']);
    redactor.add(find);
    expect(find).not.toHaveBeenCalled();
    expect(redactor.redact('a correct-horse short')).toBe(`a ${redacted} short`);
    redactor.add(() => ['battery-staple']);
    expect(redactor.redact('correct-horse battery-staple')).toBe(`${redacted} ${redacted}`);
    expect(find).toHaveBeenCalledOnce();
  });

  test('with half of a surrogate pair', () => {
    expect(redact(['abcdefgh\uD83D'], 'x abcdefgh\uD83D y')).toBe(`x ${redacted} y`);
  });

  test('also when it is a word of (sensitive)', () => {
    expect(redact(['sensitive', 'correct-horse'], 'correct-horse is sensitive')).toBe(`${redacted} is ${redacted}`);
  });
});

describe('a redactor keeps', () => {
  test('text without secrets', () => {
    expect(redact(['correct-horse'], 'an incorrect horse')).toBe('an incorrect horse');
    expect(redact([], 'anything')).toBe('anything');
    expect(redact(['abcdefgh'], '')).toBe('');
  });

  test('secrets of fewer than eight characters, which are too common', () => {
    expect(redact(['true', '8080', 'hunter2', ''], 'true 8080 hunter2')).toBe('true 8080 hunter2');
    expect(redact(['a\nb\nc\nd'], 'a b c d')).toBe('a b c d');
  });

  test.each([
    ['the beginning of a secret', 'trueup-key-1-AbCdEfGh'],
    ['its end', 'GhIjKlMnOpQrStUvWxYz0123456789'],
    ['it in other case', 'TRUEUP-KEY-1-ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'],
    ['it backwards', '9876543210zYxWvUtSrQpOnMlKjIhGfEdCbA-1-yek-peurt'],
  ])('%s: a guess at a part tells nothing', (_title, text) => {
    expect(redact(['trueup-key-1-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789'], text)).toBe(text);
  });
});

test('a redactor leaves no secret in any text', () => {
  const secrets = fc.array(fc.string({ minLength: 8, maxLength: 70, unit: 'grapheme' }), {
    minLength: 1,
    maxLength: 5,
  });
  fc.assert(
    fc.property(
      secrets,
      fc.array(fc.oneof(fc.nat(4), fc.string({ maxLength: 8 })), { maxLength: 12 }),
      (known, pieces) => {
        const redactor = createRedactor();
        for (const item of known) redactor.add(item);
        const text = pieces
          .map((piece) => (typeof piece === 'number' ? (known[piece % known.length] ?? '') : piece))
          .join('');
        const clean = redactor.redact(text).replaceAll(redacted, '\u0000');
        for (const item of known)
          if (!redacted.includes(item)) expect(clean.split('\u0000').some((part) => part.includes(item))).toBe(false);
      },
    ),
  );
});

test('a redactor encodes the secrets that a text has room for, and the others with a longer text', () => {
  const redactor = createRedactor();
  for (const secret of ['kurz-1234', 'lang-0123456789-0123456789']) redactor.add(secret);
  const encoded = vi.spyOn(Buffer.prototype, 'toString');
  const began = () => encoded.mock.calls.length;
  expect([redactor.redact('project'), began()]).toEqual(['project', 0]);
  expect(redactor.redact('a kurz-1234 b')).toBe(`a ${redacted} b`);
  const ofShort = began();
  expect(ofShort).toBeGreaterThan(0);
  expect(redactor.redact('see lang-0123456789-0123456789')).toBe(`see ${redacted}`);
  expect(began()).toBeGreaterThan(ofShort + 1);
  vi.restoreAllMocks();
});

test('a redactor of ten thousand secrets needs about as many lookups as one of a hundred', () => {
  const text = 'error: connection to postgres://shop:password-10077@main/shop was refused '.repeat(100);
  const lookups = (secrets: number) => {
    const redactor = createRedactor();
    for (let index = 0; index < secrets; index++) redactor.add(`postgres://shop:password-${10_000 + index}@main/shop`);
    redactor.find(text); // it learns what may be in a text with the first one as long
    const spies = [vi.spyOn(Map.prototype, 'get'), vi.spyOn(Map.prototype, 'has')];
    const clean = redactor.redact(text);
    const counts = spies.map((spy) => spy.mock.calls.length);
    vi.restoreAllMocks();
    expect(clean).not.toContain('10077');
    return counts;
  };
  const few = lookups(100);
  expect(Math.min(...few)).toBeGreaterThan(100);
  const many = lookups(10_000);
  for (const [index, count] of few.entries()) expect(many[index]).toBeLessThan(2 * count);
});

/** A digest of a number, in hex: the same each time, as the lookups of a text depend on the secrets. */
const digestOf = (index: number, bytes: number) =>
  createHash('shake256', { outputLength: bytes }).update(String(index)).digest('hex');

test('a text that repeats the beginning of 5,000 secrets needs few lookups at each place', () => {
  const redactor = createRedactor();
  for (let index = 0; index < 5_000; index++)
    redactor.add(`postgres://shop:${digestOf(index, 4 + (index % 60))}@main/shop`);
  const spies = [vi.spyOn(Map.prototype, 'get'), vi.spyOn(Map.prototype, 'has')];
  const text = 'postgres'.repeat(60_000);
  expect(redactor.redact(text)).toBe(text);
  const counts = spies.map((spy) => spy.mock.calls.length);
  vi.restoreAllMocks();
  for (const count of counts) expect(count).toBeLessThan(text.length);
});

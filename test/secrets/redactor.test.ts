import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { redacted } from '../../src/secrets/secret.ts';

/** Secrets are replaced in text that came from elsewhere, in every form in which a server may send them back. */

function redact(secrets: readonly string[], text: string): string {
  const redactor = createRedactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor.redact(text);
}

const secret = `pa's "w0rd"/ä+ $x\\n🚀`;
const codeOf = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
const base64 = (bytes: string) => Buffer.from(bytes, 'utf8').toString('base64');

describe('a redactor replaces a secret', () => {
  test.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify({ a: secret })],
    ['in JSON in JSON', JSON.stringify(JSON.stringify({ a: secret }))],
    ['in a URL', encodeURIComponent(secret)],
    ['in a URL with small letters', encodeURIComponent(secret).replace(/%../g, (code) => code.toLowerCase())],
    [
      'in a URL that encodes every sign',
      encodeURIComponent(secret).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`),
    ],
    ['in a form', new URLSearchParams({ a: secret }).toString()],
    ['in a whole URL', encodeURI(secret)],
    ['in JSON in a URL', encodeURIComponent(JSON.stringify({ a: secret }))],
    ['in JSON of ASCII', JSON.stringify(secret).replaceAll(/[\u0080-\uffff]/g, codeOf)],
    ['in JSON of ASCII in JSON', JSON.stringify(JSON.stringify(secret).replaceAll(/[\u0080-\uffff]/g, codeOf))],
    ['in JSON with slashes escaped', JSON.stringify(secret).replaceAll('/', String.raw`\/`)],
    ['in JSON in base64', base64(JSON.stringify({ a: secret }))],
    ['in HTML', secret.replace('"w0rd"', '&quot;w0rd&quot;').replace("'", '&#39;')],
    ['in base64', base64(secret)],
    ['in base64 without padding', base64(secret).replace(/=+$/, '')],
    ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
  ])('%s', (_title, text) => {
    for (const around of [text, `before ${text} after`, `${text}${text}`]) {
      const clean = redact([secret], around);
      expect(clean).toContain(redacted);
      for (const part of ['w0rd', 'cGEncy', encodeURIComponent('"w0rd')]) expect(clean).not.toContain(part);
    }
  });

  test('inside longer base64, at any alignment', () => {
    for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
      const clean = redact(
        ['correct-horse'],
        `Basic ${base64(`${before}correct-horse`)} and ${base64(`${before}correct-horse:x`)}`,
      );
      const rest = clean
        .replaceAll(redacted, ' ')
        .split(' ')
        .map((part) => Buffer.from(part, 'base64').toString());
      expect(clean.split(redacted)).toHaveLength(3);
      expect(rest.join('|')).not.toMatch(/orrect|horse/);
    }
  });

  test('line by line', () => {
    const key = '-----BEGIN KEY-----\r\nMIIEowIBAAKCAQEA\nxyz\rqwertyuiop\n-----END KEY-----\n';
    const clean = redact([key], `line 2 is MIIEowIBAAKCAQEA, line 4 is qwertyuiop`);
    expect(clean).toBe(`line 2 is ${redacted}, line 4 is ${redacted}`);
    expect(redact([key], `it is ${key}.`)).toBe(`it is ${redacted}.`);
  });

  test('with colours and other commands to a terminal in it, which a reader removes', () => {
    const commands = [
      '\u001b[31m',
      '\u001b[01;38;5;1m',
      '\u001b[?25h',
      '\u001b[m\u001b[K',
      '\u0007\u001b[0m',
      '\u001b',
    ];
    for (const command of commands) {
      const clean = redact(['correct-horse'], `a ${command}corr${command}ect-${command}horse${command} b`);
      expect(clean).toContain(redacted);
      expect(clean).not.toMatch(/corr|ect|horse/);
    }
  });

  test('without the spaces around it', () => {
    expect(redact(['  correct-horse\t\n   battery '], 'correct-horse, battery')).toBe(`${redacted}, ${redacted}`);
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
    expect(redact(['cdefgh', 'abcdefghij'], 'x abcdefghij y')).toBe(`x ${redacted} y`);
  });

  test('at every occurrence', () => {
    expect(redact(['abcdef'], 'abcdefabcdef abcdef')).toBe(`${redacted}${redacted} ${redacted}`);
    expect(redact(['ababab'], 'abababab')).toBe(redacted);
  });

  test('with half of a surrogate pair', () => {
    expect(redact(['abcdef\uD83D'], 'x abcdef\uD83D y')).toBe(`x ${redacted} y`);
  });

  test('also when it is a word of (sensitive)', () => {
    expect(redact(['sensitive', 'correct-horse'], 'correct-horse is sensitive')).toBe(`${redacted} is ${redacted}`);
  });
});

describe('a redactor keeps', () => {
  test('text without secrets', () => {
    expect(redact(['correct-horse'], 'an incorrect horse')).toBe('an incorrect horse');
    expect(redact([], 'anything')).toBe('anything');
    expect(redact(['abcdef'], '')).toBe('');
  });

  test('secrets of fewer than six characters, which are too common', () => {
    expect(redact(['true', '8080', 'admin', ''], 'true 8080 admin')).toBe('true 8080 admin');
    expect(redact(['a\nb\nc\nd'], 'a b c d')).toBe('a b c d');
  });
});

test('a redactor leaves no secret in any text', () => {
  const secrets = fc.array(fc.string({ minLength: 6, maxLength: 20, unit: 'grapheme' }), {
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

test('a redactor of ten thousand secrets needs about as many lookups as one of a hundred', () => {
  const text = 'error: connection to postgres://shop:password-10077@main/shop was refused '.repeat(100);
  const lookups = (secrets: number) => {
    const redactor = createRedactor();
    for (let index = 0; index < secrets; index++) redactor.add(`postgres://shop:password-${10_000 + index}@main/shop`);
    redactor.redact('');
    const spies = [vi.spyOn(Map.prototype, 'get'), vi.spyOn(Set.prototype, 'has')];
    const clean = redactor.redact(text);
    const counts = spies.map((spy) => spy.mock.calls.length);
    vi.restoreAllMocks();
    expect(clean).not.toContain('10077');
    return counts;
  };
  const few = lookups(100);
  expect(Math.min(...few)).toBeGreaterThan(100);
  const many = lookups(10_000);
  for (const [index, count] of few.entries()) expect(many[index]).toBeLessThan(1.5 * count);
});

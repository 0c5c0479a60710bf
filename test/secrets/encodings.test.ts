import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { redacted } from '../../src/secrets/secret.ts';

/** The encodings in which a server sends a secret back. */

const bytesOf = (text: string) => Buffer.from(text, 'utf8');
const codeOf = (sign: string) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
const htmlOf = (text: string, names: Readonly<Record<string, string>>) =>
  text.replaceAll(/[&<>"']/g, (sign) => names[sign] ?? sign);
const some = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const json = (text: string) => JSON.stringify(text).slice(1, -1);
const ascii = (text: string) => json(text).replaceAll(/[^\0-\x7f]/g, codeOf);
const small = (text: string) => text.replaceAll(/%../g, (code) => code.toLowerCase());
const form = (text: string) => new URLSearchParams({ a: text }).toString().slice(2);

const encodings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  JSON: json,
  'JSON of ASCII, as Python writes it': ascii,
  'JSON of PHP': (text) => ascii(text).replaceAll('/', String.raw`\/`),
  'JSON of Go': (text) => json(text).replaceAll(/[<>&]/g, codeOf),
  'a part of a URL': encodeURIComponent,
  'a part of a URL in small letters': (text) => small(encodeURIComponent(text)),
  'a part of a URL, as Go writes it': (text) =>
    encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`.toUpperCase()),
  'a whole URL': encodeURI,
  'a form': form,
  'a form in small letters': (text) => small(form(text)),
  'HTML of a text': (text) => htmlOf(text, some),
  'HTML of an attribute': (text) => htmlOf(text, { ...some, '"': '&quot;' }),
  'HTML of Go': (text) => htmlOf(text, { ...some, '"': '&#34;', "'": '&#39;' }),
  'HTML of Python': (text) => htmlOf(text, { ...some, '"': '&quot;', "'": '&#x27;' }),
  'HTML of PHP': (text) => htmlOf(text, { ...some, '"': '&quot;', "'": '&#39;' }),
  'a word of a shell': (text) => text.replaceAll(/[#!"$&'()*,:;<=>?@[\\\]^`{|}]/g, String.raw`\$&`),
  'a word of a shell in double quotes': (text) => text.replaceAll(/["\\$`!]/g, String.raw`\$&`),
  XML: (text) => htmlOf(text, { ...some, '"': '&quot;', "'": '&apos;' }),
};

const secrets = fc.string({
  minLength: 8,
  maxLength: 40,
  unit: fc.constantFrom(...Array.from(`aZk09/+"&<>%\\'= ä-_.:;,!()*$~\u{1F680}`)),
});

describe('a redactor finds a secret', () => {
  test.each(Object.entries(encodings))('in %s', (_title, write) => {
    fc.assert(
      fc.property(secrets, (secret) => {
        const redactor = createRedactor();
        redactor.add(secret);
        expect(redactor.redact(`{{${write(secret)}}}`)).toBe(`{{${redacted}}}`);
      }),
    );
  });

  test('at the end of base64 and base64url, with all its characters', () => {
    fc.assert(
      fc.property(secrets, fc.constantFrom('base64', 'base64url'), (secret, as) => {
        const redactor = createRedactor();
        redactor.add(secret);
        const written = bytesOf(secret).toString(as);
        expect(redactor.redact(written)).toBe(redacted + (/=*$/.exec(written)?.[0] ?? ''));
      }),
    );
  });

  test('in base64 and base64url, behind and before any bytes, with the characters that hold bits of both', () => {
    const around = fc.string({ maxLength: 7 });
    fc.assert(
      fc.property(secrets, around, around, fc.constantFrom('base64', 'base64url'), (secret, before, after, as) => {
        const redactor = createRedactor();
        redactor.add(secret);
        const written = bytesOf(before + secret + after).toString(as);
        const start = Math.floor((bytesOf(before).length * 8) / 6);
        const end = Math.ceil((bytesOf(before + secret).length * 8) / 6);
        expect(redactor.redact(written)).toBe(written.slice(0, start) + redacted + written.slice(end));
      }),
    );
  });
});

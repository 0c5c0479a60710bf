import type { WireAnswer, WireRequest } from '../../src/api/wire.ts';

/** Secrets that are recognised wherever they come out, and platforms that say what they were sent. */

/** A secret that every form of writing changes. Each half is recognised by itself. */
export function oddCanary(name: string): string {
  return `canary-${name}"one"/+ ä$x'\\n\u{1F680}%canary-${name}-two`;
}

/** A secret for fields that take few signs. */
export function plainCanary(name: string): string {
  return `canary-${name}-one-canary-${name}-two`;
}

/** A secret in PEM form, in the letters that the platform takes there. */
export function pemCanary(what: string, name = 'one'): string {
  return `-----BEGIN ${what}-----\ncanaryKey${name.replaceAll(/[^A-Za-z0-9]/g, '')}\n-----END ${what}-----\n`;
}

/** The secrets that the examples of kinds name. */
export const exampleSecrets: Readonly<Record<string, string>> = {
  SHOP_DB_PASSWORD: plainCanary('db'),
  CACHE_PASSWORD: plainCanary('cache'),
  READER_PASSWORD: plainCanary('reader'),
  DEPLOY_KEY: pemCanary('OPENSSH PRIVATE KEY'),
  SHOP_CERTIFICATE: pemCanary('CERTIFICATE'),
  SHOP_CERTIFICATE_KEY: pemCanary('PRIVATE KEY'),
  MODEL_KEY: plainCanary('model'),
  GIT_CLIENT: plainCanary('client'),
  GIT_TOKEN: plainCanary('token'),
  S3_ACCESS_KEY: plainCanary('access'),
  S3_SECRET_KEY: plainCanary('secret'),
  REGISTRY_PASSWORD: plainCanary('registry'),
  SLACK_WEBHOOK: `https://hooks.test/${plainCanary('hook')}`,
};

/** Finds canaries in a text, as they are and in base64 of any alignment. Gives what stands around each. */
export function canariesIn(text: string): string[] {
  return [...text.matchAll(written)].map(({ index }) => text.slice(Math.max(0, index - 60), index + 60));
}

/** The characters of base64 that hold nothing but bits of the word, when so many bytes stand before it. */
const inBase64 = [0, 1, 2].map((before) => {
  const all = Buffer.from(`${'x'.repeat(before)}canary`).toString('base64');
  return all.slice(Math.ceil((before * 8) / 6), Math.floor(((before + 6) * 8) / 6));
});
const written = new RegExp(['canary(?:-|Key)', ...inBase64].join('|'), 'g');

/** How a platform may quote what it was sent. */
export const quotings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  'in JSON': (text) => JSON.stringify({ value: text }),
  'in a URL': (text) => `postgres://u:${encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, ''))}@host/`,
  'in a form': (text) => new URLSearchParams({ value: text }).toString(),
  'in base64': (text) => `Basic ${Buffer.from(`user:${text}`).toString('base64')}`,
  'in base64 for URLs': (text) => Buffer.from(`${text}:x`).toString('base64url'),
  'in HTML': inHtml,
  'in JSON of ASCII': (text) => JSON.stringify(text).replaceAll(/[\u0080-\uffff]/g, (sign) => escaped(sign)),
};

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** A text as it stands in HTML. */
export function inHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => entities[sign] ?? sign);
}

function escaped(sign: string): string {
  return `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** An answer of an error that quotes every text of a request; `turn` chooses how, and in what kind of answer. */
export function quoting(request: WireRequest, turn: number): WireAnswer {
  const ways = Object.values(quotings);
  const way = ways[turn % ways.length] ?? ((text: string) => text);
  const texts = textsOf(JSON.parse(request.body ?? '{}')).filter((text) => text.length >= 6);
  const message = `Cannot carry out: ${texts.map(way).join(', ')}`;
  const code = 'BAD_REQUEST';
  const answers: readonly WireAnswer[] = [
    answer(400, { message, code }),
    answer(400, { message: 'Input validation failed', code, issues: [{ path: texts.map(way), message }] }),
    answer(500, { message, code: 'INTERNAL_SERVER_ERROR' }),
    { status: 502, headers: { 'content-type': 'text/html' }, body: `<html><title>${message}</title></html>` },
    { status: 500, headers: { 'content-type': 'text/plain' }, body: message },
    answer(422, { error: request.body ?? '' }),
  ];
  return answers[turn % answers.length] ?? answer(500, {});
}

/** Every text in a JSON value. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}

function answer(status: number, body: object): WireAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

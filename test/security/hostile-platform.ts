import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { WireAnswer, WireRequest } from '../../src/api/wire.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { inHtml } from '../secrets/canaries.ts';

/** A platform that says what it was sent, in every place of an answer. Shares no code with the engine. */

/** How servers write a text into another one. */
const writings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => JSON.stringify(text).slice(1, -1),
  (text) => JSON.stringify({ value: text }),
  (text) => encodeURIComponent(text),
  (text) => new URLSearchParams({ value: text }).toString(),
  inHtml,
  (text) => Buffer.from(text).toString('base64'),
  (text) => Buffer.from(`u:${text}`).toString('base64'),
  (text) => Buffer.from(`:${text} and more`).toString('base64'),
  (text) => Buffer.from(text).toString('base64url'),
];

/** How a text shows a secret: in a writing of servers, or a part of it as it is. */
export function shownIn(text: string, secret: string): string | undefined {
  const parts = secret.split(/[^A-Za-z0-9]+/).filter((part) => part.length >= 8 && part !== 'postgres');
  // The characters of base64 that hold nothing but bits of the secret, when so many bytes stand before it.
  const encoded = [0, 1, 2].map((before) => {
    const bytes = Buffer.from('x'.repeat(before) + secret);
    return bytes
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
      .slice(0, 40);
  });
  const written = [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)];
  const forms = [
    ...written,
    ...parts,
    ...encoded,
    ...encoded.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ];
  return forms.find((form) => text.includes(form));
}

/** What the platform of one history does. */
export interface Hostile {
  emulator: Emulator;
  /** The secrets that it was sent and that the run knows. */
  secrets: readonly string[];
  /** How many of 100 requests it answers with a failure. */
  failing: number;
  /** How many of 100 answers quote what was sent. */
  quoting: number;
  readonly random: () => number;
}

interface Answer {
  readonly status: number;
  readonly reason?: string;
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly body: string;
}

/** Serves the platforms of many histories, each below a path of its own, and takes messages and traces. */
export async function serveHostile() {
  const platforms = new Map<string, Hostile>();
  const received = new Map<string, string[]>();
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString('utf8');
    const [, name = '', rest = ''] = /^\/(\w+)(\/.*)$/.exec(request.url ?? '') ?? [];
    const platform = platforms.get(name);
    if (platform === undefined) {
      const headers = Object.entries(request.headers).map(([key, value]) => `${key}: ${String(value)}`);
      received.set(name, [...(received.get(name) ?? []), `${headers.join('\n')}\n${body}`]);
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    const headers = Object.fromEntries(Object.entries(request.headers).map(([key, value]) => [key, String(value)]));
    const answer = await answerOf(platform, {
      method: request.method ?? 'GET',
      path: rest,
      headers,
      body: request.method === 'POST' ? body : undefined,
    });
    response.writeHead(answer.status, answer.reason ?? '', answer.headers);
    response.end(answer.body);
  };
  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    platforms,
    received,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

async function answerOf(platform: Hostile, request: WireRequest): Promise<Answer> {
  const { random, secrets, emulator } = platform;
  const any = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  const quote = () => (secrets.length === 0 ? 'nothing' : any(writings)(any(secrets)));
  const isQuoting = random() * 100 < platform.quoting;
  if (isQuoting && random() * 100 < platform.failing) {
    // The writes that nobody waits for long after: what is refused at the door.
    const isWrite = request.method === 'POST';
    return any(isWrite ? refusals : failures)(quote);
  }
  const answer = await emulator.send(request);
  if (!isQuoting) return answer;
  const headers: Record<string, string | string[]> = { ...answer.headers };
  headers['set-cookie'] = [`session=${encodeURIComponent(quote())}`, `last=${encodeURIComponent(quote())}`];
  headers['x-debug'] = Buffer.from(quote()).toString('base64');
  return { status: answer.status, reason: latin(quote()), headers, body: dressed(answer, quote, random) };
}

/** A text that can stand in the line of a status. */
const latin = (text: string) => text.replaceAll(/[^\u0020-\u007e]/g, ' ');

const json = { 'content-type': 'application/json' };

/** Answers that prove that nothing was done. */
const refusals: readonly ((quote: () => string) => Answer)[] = [
  (quote) => ({
    status: 400,
    headers: json,
    body: JSON.stringify({
      message: `Input validation failed: ${quote()}`,
      code: 'BAD_REQUEST',
      issues: [{ path: [quote(), quote()], message: `not ${quote()}`, code: quote() }],
    }),
  }),
  (quote) => ({ status: 415, reason: latin(quote()), headers: { 'content-type': 'text/plain' }, body: quote() }),
  (quote) => ({ status: 413, headers: { 'content-type': 'text/html' }, body: `<title>${quote()}</title>${quote()}` }),
  (quote) => ({ status: 404, headers: { 'content-type': 'text/html' }, body: `<html><h1>${quote()}</h1></html>` }),
];

const failures: readonly ((quote: () => string) => Answer)[] = [
  ...refusals,
  (quote) => ({ status: 403, headers: json, body: JSON.stringify({ message: quote(), code: 'FORBIDDEN' }) }),
  (quote) => ({ status: 422, headers: json, body: JSON.stringify({ [quote()]: { error: [quote()] } }) }),
  (quote) => ({
    status: 302,
    headers: { location: `https://${encodeURIComponent(quote())}@other.example.com/?a=${encodeURIComponent(quote())}` },
    body: quote(),
  }),
  (quote) => ({ status: 307, headers: { location: `/login?next=${encodeURIComponent(quote())}` }, body: '' }),
  (quote) => ({
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: `<!doctype html><title>${quote()}</title>`,
  }),
  (quote) => ({ status: 200, headers: json, body: `{"${quote()}` }),
  (quote) => ({ status: 200, headers: json, body: JSON.stringify({ [quote()]: quote() }) }),
  (quote) => ({ status: 200, headers: json, body: JSON.stringify(quote()) }),
];

/** An answer whose texts for people hold a secret. */
function dressed(answer: WireAnswer, quote: () => string, random: () => number): string {
  const named = /^(?:name|description|title|errorMessage|logPath|message|host|label|log|command)$/;
  try {
    const value: unknown = JSON.parse(answer.body);
    if (typeof value === 'string') return JSON.stringify(`${quote()}\n${value}`);
    return JSON.stringify(value, (key, inner: unknown) =>
      named.test(key) && (typeof inner === 'string' || inner === null) && random() < 0.05 ? quote() : inner,
    );
  } catch {
    return answer.body;
  }
}

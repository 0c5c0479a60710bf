import type { IncomingMessage, RequestOptions } from 'node:http';
import type { LookupFunction } from 'node:net';
import { attempts } from './attempts.ts';
import { certificateFaults, describeSilence, findCode } from './failures.ts';
import { fetchOver } from './fetch-url.ts';
import { proxyFor } from './proxy.ts';
import { type HttpProxy, proxyErrorIn } from './proxy-error.ts';
import { timerMs } from './sleep.ts';
import { isCompressed } from './wire.ts';

/** What an address answered, or why no answer came, as a clause. */
export type Asked =
  | {
      readonly is: 'answer';
      readonly status: number;
      readonly location: string | undefined;
      /** The beginning of the body. */
      readonly body: string;
      /** Why `body` is not all of it, as a clause. */
      readonly lacks: string | undefined;
    }
  | { readonly is: 'no name' | 'no answer' | 'certificate' | 'proxy'; readonly why: string };

/** Asks an address once, within a deadline (ms), with a GET that carries nothing but its URL. Never rejects. */
export type Ask = (url: URL, limits: { readonly deadlineMs: number; readonly signal?: AbortSignal }) => Promise<Asked>;

/** Where another machine stands for the addresses. */
interface AskOptions {
  readonly lookup?: LookupFunction;
  readonly portOf?: (url: URL) => number;
  /** Certificates that are trusted instead of the usual ones. PEM. */
  readonly ca?: string;
}

/**
 * Makes what asks addresses, through the proxy that the environment names for them. It follows no redirect, sends no cookie, key or
 * user, and trusts the certificates that Node trusts, whatever the environment says.
 */
export function createAsk(options: AskOptions = {}): Ask {
  return async (url, { deadlineMs, signal }) => {
    const limitMs = timerMs(deadlineMs);
    const late = AbortSignal.timeout(limitMs);
    const about = {
      headers: { 'user-agent': 'trueup', accept: '*/*', 'accept-encoding': 'identity' },
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    };
    try {
      const proxy = proxyFor(url);
      return await (proxy === undefined ? askStraight(url, about, options) : askThrough(proxy, url, about, options));
    } catch (error) {
      if (late.aborted) return { is: 'no answer', why: `no whole answer came within ${limitMs / 1_000} s` };
      return silence(url, error);
    }
  };
}

interface Request {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

async function askStraight(url: URL, { headers, signal }: Request, { lookup, portOf, ca }: AskOptions): Promise<Asked> {
  const { request } = await import(url.protocol === 'https:' ? 'node:https' : 'node:http');
  const options: RequestOptions & { ca?: string; rejectUnauthorized: true } = {
    // No agent: one connection for one request.
    agent: false,
    headers: { host: url.host, ...headers },
    rejectUnauthorized: true,
    signal,
    ...(lookup === undefined ? {} : { lookup }),
    ...(portOf === undefined ? {} : { port: portOf(url) }),
    ...(ca === undefined ? {} : { ca }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(url, options, resolve);
    sent.on('error', reject);
    sent.end();
  });
  const { 'content-encoding': encoding, location } = response.headers;
  return read(response, { status: response.statusCode ?? 0, location, encoding });
}

async function askThrough(proxy: HttpProxy, url: URL, request: Request, { ca }: AskOptions): Promise<Asked> {
  const connect = { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  const { openProxied } = await import('./proxied.ts');
  const connections = await openProxied(proxy, url.protocol, { connect });
  try {
    const response = await fetchOver(connections, url.href, { ...request, redirect: 'manual' });
    const [location, encoding] = ['location', 'content-encoding'].map(
      (name) => response.headers.get(name) ?? undefined,
    );
    return await read(response.body ?? [], { status: response.status, location, encoding });
  } finally {
    await connections.destroy();
  }
}

async function read(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { encoding, ...head }: { status: number; location: string | undefined; encoding: string | undefined },
): Promise<Asked> {
  const { maxBytes } = attempts.probe;
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of body) {
    parts.push(part);
    bytes += part.length;
    // Leaving the loop ends the connection.
    if (bytes > maxBytes) break;
  }
  return {
    is: 'answer',
    ...head,
    body: Buffer.concat(parts).subarray(0, maxBytes).toString(),
    lacks: isCompressed(encoding)
      ? 'the answer is compressed, and Trueup did not ask for that'
      : bytes > maxBytes
        ? `only the first ${maxBytes / 1024 ** 2} MiB are read`
        : undefined,
  };
}

function silence({ hostname }: URL, error: unknown): Exclude<Asked, { is: 'answer' }> {
  const ofProxy = proxyErrorIn(error);
  if (ofProxy !== undefined) return { is: 'proxy', why: ofProxy.message };
  const code = findCode(error) ?? '';
  const fault = certificateFaults.get(code);
  if (fault !== undefined) return { is: 'certificate', why: `its certificate ${fault}` };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return { is: 'certificate', why: `its certificate is for ${namesIn(error)}, not for ${hostname}` };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return { is: 'no name', why: `the name ${hostname} does not resolve on this machine` };
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
    return { is: 'no answer', why: 'no way leads from this machine to the server' };
  const isPlain = error instanceof Error && /wrong version number|packet length too long/iu.test(error.message);
  return { is: 'no answer', why: isPlain ? 'the server answers without TLS' : describeSilence(error) };
}

/** The most names of a certificate that a message has. */
const maxNames = 3;

/** The names in a certificate that is for another host. */
function namesIn(error: unknown): string {
  const { subjectaltname = '' } =
    error instanceof Error && 'cert' in error ? (error.cert as { readonly subjectaltname?: string }) : {};
  const names = subjectaltname.split(', ').flatMap((name) => /^(?:DNS|IP Address):(.+)$/u.exec(name)?.[1] ?? []);
  if (names.length === 0) return 'no host';
  return [...names.slice(0, maxNames), ...(names.length > maxNames ? ['others'] : [])].join(', ');
}

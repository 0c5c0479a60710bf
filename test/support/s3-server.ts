import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * An S3-compatible store in memory, with objects only: it checks signatures (Signature Version 4), gives ETags and
 * dates, and heeds If-Match and If-None-Match. It is written from the documentation of S3 and shares nothing with the
 * client.
 */
export interface S3Server {
  readonly url: string;
  /** By bucket and key. */
  readonly objects: Map<string, { readonly text: string; readonly etag: string; readonly at: number }>;
  /** Every request that was answered or dropped. */
  readonly log: S3Request[];
  readonly switches: S3Switches;
  close(): Promise<void>;
}

/** A request as the server got it. */
interface S3Request {
  readonly method: string;
  /** Bucket and key. */
  readonly name: string;
  readonly accessKeyId: string;
  readonly bytes: number;
}

/** What the server does wrong. */
interface S3Switches {
  /** Takes conditions and does not heed them. */
  ignoresConditions: boolean;
  /** Looks first and writes later. */
  isRacy: boolean;
  /** Refuses what it does not have. */
  refusesConditions: boolean;
  /** Gives neither Date nor Last-Modified. */
  hasNoDates: boolean;
  /** What a proxy makes of the tag of an object that is read. */
  tagOf: (etag: string) => string;
  /** Most objects in one answer to a list. */
  pageSize: number;
  /**
   * Asked for every request. `before`: nothing happens and nobody answers; `after`: it is carried out and nobody
   * answers; `lost`: it is carried out and the connection breaks; a number: that status, and nothing happens.
   */
  fault: (request: S3Request) => 'before' | 'after' | 'lost' | number | undefined;
}

/** The keys that the server knows. */
export const secretOf = (accessKeyId: string): string => `secret-of-${accessKeyId}`;

/** Starts a store with buckets; `now` is its clock, in milliseconds since 1970. */
export async function serveS3(buckets: readonly string[], now: () => number = Date.now): Promise<S3Server> {
  const objects: S3Server['objects'] = new Map();
  const log: S3Request[] = [];
  const switches: S3Switches = {
    ignoresConditions: false,
    isRacy: false,
    refusesConditions: false,
    hasNoDates: false,
    tagOf: (etag) => etag,
    pageSize: 1_000,
    fault: () => undefined,
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readBody(request);
    const path = decodeURIComponent(new URL(request.url ?? '', 'http://s3').pathname);
    const name = path.slice(1);
    const accessKeyId = /Credential=([^/]+)\//.exec(request.headers.authorization ?? '')?.[1] ?? '';
    const about: S3Request = { method: request.method ?? '', name, accessKeyId, bytes: body.length };
    log.push(about);
    const date = switches.hasNoDates ? {} : { date: new Date(now()).toUTCString() };
    if (switches.hasNoDates) response.sendDate = false;
    const send = (status: number, text = '', headers: Record<string, string> = {}): void => {
      response.writeHead(status, { ...date, ...headers }).end(text);
    };
    const fault = switches.fault(about);
    if (fault === 'before') return;
    if (typeof fault === 'number') {
      send(fault, error('SlowDown'));
      return;
    }
    const wrong = wrongIn(request, { path, body });
    if (wrong !== undefined) {
      send(403, error(wrong));
      return;
    }
    if (!buckets.includes(name.split('/')[0] ?? '')) {
      send(404, error('NoSuchBucket'));
      return;
    }
    const result = await carryOut(request, { name, body });
    if (fault === 'after') return;
    if (fault === 'lost') request.socket.destroy();
    else send(result.status, result.text, result.headers);
  };

  const carryOut = async (request: IncomingMessage, { name, body }: { name: string; body: Buffer }) => {
    const present = objects.get(name);
    const query = new Map(queryOf(request));
    if (query.get('list-type') === '2') {
      const begins = name + (query.get('prefix') ?? '');
      const all = [...objects.keys()].filter((key) => key.startsWith(begins)).toSorted();
      const from = Number(query.get('continuation-token')?.replace('&from=', '') ?? 0);
      const keys = all.slice(from, from + switches.pageSize).map((key) => `<Key>${key.slice(name.length)}</Key>`);
      const to = from + switches.pageSize;
      const token = to < all.length ? `<NextContinuationToken>&amp;from=${to}</NextContinuationToken>` : '';
      return { status: 200, text: `<ListBucketResult>${keys.join('')}${token}</ListBucketResult>` };
    }
    switch (request.method ?? '') {
      case 'GET': {
        if (present === undefined) return { status: 404, text: error('NoSuchKey') };
        const modified = switches.hasNoDates ? {} : { 'last-modified': new Date(present.at).toUTCString() };
        return { status: 200, text: present.text, headers: { etag: switches.tagOf(present.etag), ...modified } };
      }
      case 'PUT': {
        const { 'if-match': match, 'if-none-match': noneMatch } = request.headers;
        const isConditional = match !== undefined || noneMatch !== undefined;
        if (isConditional && switches.refusesConditions) return { status: 501, text: error('NotImplemented') };
        if (isConditional && !switches.ignoresConditions) {
          if (noneMatch === '*' && present !== undefined) return { status: 412, text: error('PreconditionFailed') };
          if (match !== undefined && present === undefined) return { status: 404, text: error('NoSuchKey') };
          if (match !== undefined && match !== present?.etag) return { status: 412, text: error('PreconditionFailed') };
          if (switches.isRacy) await new Promise((resolve) => void setTimeout(resolve, 20));
        }
        const etag = `"${createHash('md5').update(body).digest('hex')}"`;
        objects.set(name, { text: body.toString(), etag, at: now() });
        return { status: 200, text: '', headers: { etag } };
      }
      case 'DELETE':
        objects.delete(name);
        return { status: 204, text: '' };
      default:
        return { status: 405, text: error('MethodNotAllowed') };
    }
  };

  const server = createServer((request, response) => void answer(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    log,
    switches,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** What is wrong with the signature of a request. */
function wrongIn(request: IncomingMessage, { path, body }: { path: string; body: Buffer }): string | undefined {
  const parts =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      request.headers.authorization ?? '',
    );
  if (parts === null) return 'AccessDenied';
  const [, accessKeyId = '', day = '', region = '', names = '', signature] = parts;
  const time = String(request.headers['x-amz-date']);
  const hash = createHash('sha256').update(body).digest('hex');
  if (request.headers['x-amz-content-sha256'] !== hash) return 'XAmzContentSHA256Mismatch';
  const signed = names.split(';');
  // What decides about a write has to be under the signature.
  const needed = ['host', 'if-match', 'if-none-match', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'];
  if (needed.some((name) => request.headers[name] !== undefined && !signed.includes(name))) return 'AccessDenied';
  const canonical = [
    request.method,
    path.split('/').map(encode).join('/'),
    queryOf(request)
      .map(([name, value]) => `${encode(name)}=${encode(value)}`)
      .toSorted()
      .join('&'),
    ...signed.map((name) => `${name}:${String(request.headers[name]).trim()}`),
    '',
    names,
    hash,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${time}\n${scope}\n${createHash('sha256').update(canonical).digest('hex')}`;
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    (before, word) => createHmac('sha256', before).update(word).digest(),
    `AWS4${secretOf(accessKeyId)}`,
  );
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return time.startsWith(day) && expected === signature ? undefined : 'SignatureDoesNotMatch';
}

function queryOf({ url = '' }: IncomingMessage): [string, string][] {
  return [...new URL(url, 'http://s3').searchParams];
}

function encode(part: string): string {
  return encodeURIComponent(part).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}

function error(code: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${code}</Message></Error>`;
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks);
}

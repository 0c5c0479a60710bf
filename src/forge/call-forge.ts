import { parseRetryAfter } from '../api/failures.ts';
import { fetchUrl } from '../api/fetch-url.ts';
import { readAtMost } from '../api/limited-body.ts';
import { parseJson } from '../api/parse-json.ts';
import { proxyErrorIn } from '../api/proxy-error.ts';
import { defined } from '../formats/json.ts';
import type { Repository } from './repository.ts';

/** A request to a forge that did not succeed. The message holds neither a token nor text of the answer. */
export class ForgeError extends Error {
  /** 0: no answer came. */
  readonly status: number;
  /** The forge takes no more requests for so long; undefined: it does not say so. */
  readonly waitSeconds: number | undefined;

  constructor(
    status: number,
    message: string,
    about: { readonly cause?: unknown; readonly waitSeconds?: number } = {},
  ) {
    super(message, defined({ cause: about.cause }));
    this.status = status;
    this.waitSeconds = about.waitSeconds;
  }
}

/** Longest time that a forge has for one answer. Milliseconds. */
const deadlineMs = 30_000;

/** Largest answer that is read. Bytes. */
const maxAnswerBytes = 80 * 1024 * 1024;

/** A request to a forge. `path` is below its API, unless it is a whole address. */
export interface ForgeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  readonly path: string;
  /** Sent as JSON. */
  readonly json?: unknown;
  /** Sent as it is. */
  readonly bytes?: Uint8Array;
  /** Instead of the token that writes comments. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Most redirects that are followed. */
const maxRedirects = 5;

/**
 * Sends one request to a forge, once, with its token. A redirect of a GET is followed, to another server without any
 * header of the forge; one of another method is an error.
 *
 * @throws {ForgeError} when the answer is not a success, or none comes.
 */
export async function callForge(forge: Repository, request: ForgeRequest): Promise<Buffer> {
  const { method, path, json, bytes, headers = tokenHeaders(forge) } = request;
  const address = path.startsWith('/') ? `${forge.api}${path}` : path;
  const call = `${method} ${new URL(address).pathname}`;
  const body = json === undefined ? bytes : JSON.stringify(json);
  const type = json === undefined ? 'application/octet-stream' : 'application/json';
  try {
    const response = await follow(new URL(address), headers, {
      method,
      headers: { accept: 'application/json', ...defined({ 'content-type': body && type }) },
      ...defined({ body: typeof body === 'object' ? Buffer.from(body) : body }),
      signal: AbortSignal.timeout(deadlineMs),
    });
    if (!response.ok) throw refusal(response, call);
    return await readBody(response, call);
  } catch (error) {
    if (error instanceof ForgeError) throw error;
    const { message } = proxyErrorIn(error) ?? {};
    const why = message === undefined ? '' : `: ${message}`;
    throw new ForgeError(0, `the forge did not answer ${call}${why}`, { cause: error });
  }
}

/**
 * `fetch` itself takes `authorization` out of a request to another server, and leaves the headers in which GitLab takes
 * its tokens. @param own the headers that only the server of the first address gets
 */
async function follow(first: URL, own: Readonly<Record<string, string>>, request: RequestInit): Promise<Response> {
  let [url, headers] = [first, own];
  for (let count = 0; ; count++) {
    const common = request.headers as Readonly<Record<string, string>>;
    const response = await fetchUrl(url.href, { ...request, headers: { ...common, ...headers }, redirect: 'manual' });
    const location = response.headers.get('location') ?? '';
    const isRedirect = [301, 302, 303, 307, 308].includes(response.status) && URL.canParse(location, url.href);
    if (!isRedirect || request.method !== 'GET' || location === '' || count === maxRedirects) return response;
    const next = new URL(location, url);
    const isSecure = next.protocol === 'https:' || (next.protocol === 'http:' && url.protocol === 'http:');
    if (!isSecure) return response;
    await response.body?.cancel();
    if (next.origin !== url.origin) headers = {};
    url = next;
  }
}

/** https://docs.github.com/en/rest/using-the-rest-api/rate-limits-for-the-rest-api, which also refuses with 403. */
function refusal({ status, headers }: Response, call: string): ForgeError {
  const header = (name: string) => headers.get(name) ?? undefined;
  const isUsedUp = header('x-ratelimit-remaining') === '0' || header('ratelimit-remaining') === '0';
  const reset = Number(header('x-ratelimit-reset') ?? header('ratelimit-reset'));
  // By the clock of the forge: that of this machine may be wrong.
  const now = Date.parse(header('date') ?? '') || Date.now();
  const untilReset = isUsedUp && reset > 0 ? Math.max(0, Math.ceil(reset - now / 1_000)) : undefined;
  const isLimit = [403, 429, 503].includes(status);
  const waitSeconds = isLimit ? (parseRetryAfter(Object.fromEntries(headers)) ?? untilReset) : undefined;
  return new ForgeError(status, `the forge answered ${status} to ${call}`, defined({ waitSeconds }));
}

/** Sends a request, and reads the answer as JSON. @throws {ForgeError} */
export async function callForgeJson(forge: Repository, request: ForgeRequest): Promise<unknown> {
  const body = await callForge(forge, request);
  try {
    return parseJson(body.toString('utf8'));
  } catch (error) {
    throw new ForgeError(200, `the forge answered ${request.method} ${request.path} without JSON`, { cause: error });
  }
}

async function readBody(response: Response, call: string): Promise<Buffer> {
  const body = await readAtMost(response, maxAnswerBytes);
  if (body === undefined) throw new ForgeError(0, `the forge answered ${call} with more than ${maxAnswerBytes} bytes`);
  return body;
}

/** GitLab takes access tokens in a header of its own, Forgejo and Gitea with a word of their own. */
function tokenHeaders({ name, token = '' }: Repository): Readonly<Record<string, string>> {
  return {
    github: { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' },
    gitlab: { 'private-token': token },
    gitea: { authorization: `token ${token}` },
  }[name];
}

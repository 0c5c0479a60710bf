import cookie from '@fastify/cookie';
import formbody from '@fastify/formbody';
import helmet from '@fastify/helmet';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { markup } from '../../render/markup.ts';
import type { Records } from '../records/all.ts';
import { noteRefusals } from './audit.ts';
import { csrfToken, refuseForged } from './csrf.ts';
import { headerOnce } from './header.ts';
import type { Way } from './sender.ts';
import { addLimits } from './limits.ts';
import { answerOf, refusal, renderPlain } from './refusal.ts';
import { refuseElsewhere } from './sign-in/link.ts';
import { type SignIn, signInBy } from './sign-in/sign-in.ts';
import { type ApiToken, tokenWay } from './tokens.ts';
import { type Grant, type Viewer, viewerOf } from './viewer.ts';

/** What pages, API, webhooks and metrics work with. */
export interface PageContext {
  /** Where browsers find the page, without a `/` at its end. Links are made of it, never of the header Host. */
  readonly address: string;
  readonly records: Records;
  /** true: who wrote a commit does not approve its plan. */
  readonly fourEyes?: boolean;
}

/** Adds routes, each with `config: { act }`. */
export type Part = (app: FastifyInstance, context: PageContext) => void | Promise<void>;

export interface ServerOptions extends PageContext {
  readonly signIn: SignIn;
  /** Addresses and ranges whose X-Forwarded-For is believed, for limits alone; with a sign-in by proxies these count as well. */
  readonly proxies?: readonly string[];
  readonly roles: readonly Grant[];
  readonly tokens: readonly ApiToken[];
  readonly parts: readonly Part[];
  /** Gets what failed inside; nothing of it is in an answer. */
  readonly onError: (error: unknown) => void;
}

/** Most bytes of a form; a webhook has its own limit. */
const maxBody = 64 * 1024;

/** The server of the page. Each of its routes says what it needs, or the server does not start. */
export function createServer(options: ServerOptions): FastifyInstance {
  const { records, fourEyes = false, signIn, proxies = [], roles, tokens, parts, onError } = options;
  const address = new URL(options.address).origin;
  const app = fastify({
    bodyLimit: maxBody,
    requestTimeout: 30_000,
    routerOptions: { maxParamLength: 1_000 },
    // Of what proxies say, the address of the client counts for limits; each who signs in by headers proves them otherwise.
    trustProxy: [...proxies, ...('proxy' in signIn ? signIn.proxy.from : [])],
    return503OnClosing: true,
  });
  app.addHook('onRoute', ({ url, method, config }) => {
    if (config?.act === undefined) throw new Error(`the route ${String(method)} ${url} has no config.act`);
  });
  // Other sites may send it from their forms.
  app.removeContentTypeParser('text/plain');
  app.addHook('onRequest', async (request) => {
    for (const name of ['Host', 'Authorization', 'Origin', 'Sec-Fetch-Site']) headerOnce(request, name);
  });
  if ('link' in signIn) app.addHook('onRequest', async (request) => refuseElsewhere(request, address));
  const { counter } = addLimits(app);
  void app.register(cookie);
  void app.register(formbody, { bodyLimit: maxBody });
  void app.register(helmet, headersFor(address));
  const people = signInBy(signIn, { address, records, roles, onError });
  // The order counts: who sends a request is found out when its cookies are read.
  void app.after(() => addViewer(app, [tokenWay(tokens), people.way]));
  app.addHook('preValidation', async (request) => {
    if (/%00/.test(request.url) || isBroken(request.body)) throw refusal(400, answerOf({ statusCode: 400 }).sentence);
    const { act } = request.routeOptions.config;
    if (isReading(request) || request.known?.csrfKey === undefined || act === 'public') return;
    refuseForged(request, { address, key: request.known.csrfKey });
  });
  app.addHook('onSend', async (_request, reply) => {
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', 'no-store');
  });
  addErrors(app, onError);
  noteRefusals(app, { records, isMany: counter(60), onError });
  void app.register(async (scope) => {
    people.add(scope);
    for (const part of parts) await scope.register(async (own) => part(own, { address, records, fourEyes }));
  });
  return app;
}

/** Whether a document has a text that the database cannot hold: with a NUL, or with half of a character. */
function isBroken(body: unknown): boolean {
  if (Buffer.isBuffer(body)) return false;
  let found = false;
  JSON.stringify(body, (key, value: unknown) => {
    found ||= [key, value].some((one) => typeof one === 'string' && /\0|\p{Cs}/u.test(one));
    return value;
  });
  return found;
}

/** GET, and HEAD, never change anything. */
function isReading({ method }: FastifyRequest): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** No script or style but the page's own files, no frames, no addresses in Referer to others. */
function headersFor(address: string): object {
  const own = ["'self'"];
  const none = ["'none'"];
  const isSecure = address.startsWith('https:');
  return {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: none,
        scriptSrc: own,
        styleSrc: own,
        imgSrc: own,
        fontSrc: own,
        connectSrc: own,
        formAction: own,
        baseUri: none,
        frameAncestors: none,
      },
    },
    // With no-referrer, browsers would send `Origin: null` with the page's own forms.
    referrerPolicy: { policy: 'same-origin' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: isSecure ? { maxAge: 31_536_000, includeSubDomains: false } : false,
  };
}

/** Finds out who sends each request, and refuses what they may not do. */
function addViewer(app: FastifyInstance, ways: readonly Way[]): void {
  app.decorateRequest('known', undefined);
  const viewers = new WeakMap<FastifyRequest, Viewer>();
  app.decorateRequest('viewer', {
    getter(this: FastifyRequest): Viewer {
      const viewer = viewers.get(this);
      if (viewer === undefined) throw refusal(401, answerOf({ statusCode: 401 }).sentence);
      return viewer;
    },
  });
  app.decorateReply('csrf', function csrf(this: FastifyReply): string {
    const key = this.request.known?.csrfKey;
    return key === undefined ? '' : csrfToken(key);
  });
  app.addHook('onRequest', async (request, reply) => {
    const { act } = request.routeOptions.config;
    if (act === undefined || act === 'public') return;
    for (const way of ways) {
      request.known ??= await way(request, reply);
      if (request.known !== undefined) break;
    }
    const { known } = request;
    if (known === undefined) throw refusal(401, answerOf({ statusCode: 401 }).sentence);
    const viewer = viewerOf(known.identity, known.grants);
    viewers.set(request, viewer);
    if (act !== 'self' && !viewer.maySomewhere(act)) throw refusal(403, answerOf({ statusCode: 403 }).sentence);
  });
}

/** Answers of errors say a status and a sentence: as a page to browsers, as JSON to programs. */
function addErrors(app: FastifyInstance, onError: (error: unknown) => void): void {
  const answer = (request: FastifyRequest, reply: FastifyReply, error: unknown): FastifyReply => {
    const { status, sentence } = answerOf(error);
    void reply.code(status);
    if (status === 401) void reply.header('www-authenticate', 'Bearer');
    if (request.url.startsWith('/api/') || request.headers.accept?.includes('text/html') !== true)
      return reply.send({ error: { status, message: sentence } });
    // A form is not sent again after a sign-in.
    const to = isReading(request) ? request.url : '/';
    if (status === 401) return reply.redirect(`/sign-in?to=${encodeURIComponent(to)}`, 303);
    return reply.type('text/html; charset=utf-8').send(renderPlain(`Error ${status}`, markup`<p>${sentence}</p>`));
  };
  app.setErrorHandler((error, request, reply) => {
    if (answerOf(error).status >= 500) onError(error);
    return answer(request, reply, error);
  });
  app.setNotFoundHandler((request, reply) => answer(request, reply, { statusCode: 404 }));
}

// oxlint-disable-next-line typescript/triple-slash-reference -- every program that compiles this module needs it
/// <reference path="./undici.d.ts" />
import type { Agent as AgentType, buildConnector, Dispatcher } from 'undici';
import sendConnect from 'undici/lib/api/api-connect.js';
import connectorOf from 'undici/lib/core/connect.js';
import Agent from 'undici/lib/dispatcher/agent.js';
import Pool from 'undici/lib/dispatcher/pool.js';
import ProxyAgent from 'undici/lib/dispatcher/proxy-agent.js';
import DecoratorHandler from 'undici/lib/handler/decorator-handler.js';
import type { HttpProxy, ProxyFailure } from './proxy-error.ts';

// The program loads this only where the environment names a proxy. It is a bundle of its own, and shares no class with others.

/** A proxy, and what makes the error of a request that it did not let through to a server: its host and its port. */
export interface Way {
  readonly proxy: Pick<HttpProxy, 'origin' | 'authorization'>;
  readonly fail: (server: string, failure: ProxyFailure) => Error;
}

/** How connections are made and kept. Times in milliseconds. */
export interface ProxiedOptions {
  /** The longest time until the proxy takes a connection. */
  readonly proxyMs: number;
  /** The longest time until the proxy has a connection to a server. */
  readonly tunnelMs: number;
  /** Connections to a server. */
  readonly connect?: buildConnector.BuildOptions;
  readonly kept?: Omit<AgentType.Options, 'connect'>;
}

/**
 * Opens connections through a proxy to servers: tunnels (CONNECT) to those of https. A request to one of http has the whole address,
 * as curl sends it: most proxies refuse tunnels to ports other than 443.
 */
export function openProxied(protocol: string, way: Way, options: ProxiedOptions): Dispatcher {
  return protocol === 'https:' ? openTunnels(way, options) : openForwarding(way, options);
}

function openTunnels({ proxy, fail }: Way, { proxyMs, tunnelMs, connect = {}, kept }: ProxiedOptions): Dispatcher {
  const { origin, authorization } = proxy;
  return new ProxyAgent({
    ...kept,
    uri: origin,
    ...(authorization === undefined ? {} : { token: authorization }),
    requestTls: connect,
    clientFactory: (url) => {
      const toProxy = new Pool(url, { connect: { ...connect, timeout: proxyMs }, headersTimeout: tunnelMs });
      return Object.assign(toProxy, {
        connect: async (request: Dispatcher.ConnectOptions) => {
          const answer = await sendConnect.call(toProxy, request).catch((error: unknown) => {
            const code = codeOf(error);
            if (isEnd.test(code)) throw error;
            throw fail(request.path, code === 'UND_ERR_HEADERS_TIMEOUT' ? { withinMs: tunnelMs } : { code });
          });
          if (answer.statusCode === 200) return answer;
          answer.socket.on('error', () => {}).destroy();
          throw fail(request.path, { status: answer.statusCode, offers: answer.headers['proxy-authenticate'] });
        },
      });
    },
  });
}

function openForwarding({ proxy, fail }: Way, { proxyMs, connect = {}, kept }: ProxiedOptions): Dispatcher {
  const { origin, authorization } = proxy;
  const open = connectorOf({ ...connect, timeout: proxyMs });
  const toProxy = new Agent({
    ...kept,
    connect: (to, done) =>
      open(to, (error, socket) => {
        if (error === null) done(null, socket);
        else done(fail('', { code: codeOf(error) }), null);
      }),
  });
  return toProxy.compose((dispatch) => (request, handler) => {
    const server = new URL(String(request.origin));
    const own = { host: server.host, ...(authorization === undefined ? {} : { 'proxy-authorization': authorization }) };
    const headers = { ...own, ...(request.headers as Readonly<Record<string, string>>) };
    return dispatch({ ...request, origin, path: server.origin + request.path, headers }, new Forwarded(handler, fail));
  });
}

/** The answer to a forwarded request. Only a proxy answers 407. */
class Forwarded extends DecoratorHandler {
  readonly #fail: Way['fail'];

  constructor(handler: Dispatcher.DispatchHandler, fail: Way['fail']) {
    super(handler);
    this.#fail = fail;
  }

  override onResponseStart(...start: Parameters<DecoratorHandler['onResponseStart']>): void {
    const [, status, headers] = start;
    if (status === 407) throw this.#fail('', { status, offers: headers['proxy-authenticate'] });
    super.onResponseStart(...start);
  }
}

/** The codes of connections that were ended here. */
const isEnd = /^UND_ERR_(DESTROYED|CLOSED|ABORTED)$/;

/** The parser of undici has no code for some errors. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

/** `fetch` over connections of this module: the one of Node takes none of another version of undici. */
export async function fetchOver(dispatcher: Dispatcher, url: string, request: RequestInit): Promise<Response> {
  const { default: fetching } = await import('undici/lib/web/fetch/index.js');
  return fetching.fetch(url, { ...(request as object), dispatcher });
}

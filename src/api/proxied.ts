import type { Socket } from 'node:net';
import type { Agent as AgentType, buildConnector, Dispatcher } from 'undici';
import { attempts } from './attempts.ts';
import { hostAndPort } from './proxy.ts';
import { explainProxy, type HttpProxy, type ProxyFailure } from './proxy-error.ts';

/** How connections are made and kept. */
interface ProxiedOptions {
  /** The longest time until the proxy has a connection to a server. Milliseconds. */
  readonly tunnelMs?: number;
  /** Connections to a server. */
  readonly connect?: buildConnector.BuildOptions;
  readonly kept?: Omit<AgentType.Options, 'connect'>;
}

/** What `agent.ts` exports. */
interface Undici {
  readonly Agent: typeof AgentType;
  readonly connectorOf: typeof buildConnector;
}

/**
 * Opens connections through a proxy to servers of a scheme: tunnels (CONNECT) to those of https. A request to one of http has the
 * whole address, as curl sends it: most proxies refuse tunnels to ports other than 443.
 */
export async function openProxied(
  proxy: HttpProxy,
  protocol: string,
  options: ProxiedOptions = {},
): Promise<Dispatcher> {
  const { Agent, connectorOf } = await import('./agent.ts');
  const undici = { Agent, connectorOf };
  return protocol === 'https:' ? openTunnels(undici, proxy, options) : openForwarding(undici, proxy, options);
}

function openTunnels(
  { Agent, connectorOf }: Undici,
  proxy: HttpProxy,
  { tunnelMs = attempts.proxy.tunnelMs, connect = {}, kept }: ProxiedOptions,
): Dispatcher {
  const toProxy = new Agent({ connect: { ...connect, timeout: attempts.proxy.connectMs }, headersTimeout: tunnelMs });
  const secure = connectorOf(connect);
  const servers = new Agent({
    ...kept,
    connect: (to, done) => {
      const server = hostAndPort({ host: to.host ?? to.hostname, port: to.port, protocol: to.protocol });
      askForTunnel(toProxy, proxy, server, tunnelMs).then(
        (httpSocket) => secure({ ...to, httpSocket }, done),
        (error: unknown) => done(error as Error, null),
      );
    },
  });
  const destroy: (...about: unknown[]) => Promise<void> = servers.destroy.bind(servers);
  return Object.assign(servers, {
    destroy: (...about: unknown[]) => {
      const ended = destroy(...about);
      void toProxy.destroy();
      return ended;
    },
  });
}

/** Has a proxy connect to a server. @throws {ProxyError} and what ended the connections to the proxy. */
function askForTunnel(toProxy: Dispatcher, proxy: HttpProxy, server: string, withinMs: number): Promise<Socket> {
  const { origin } = proxy;
  return new Promise((resolve, reject) => {
    const refuse = (failure: ProxyFailure): void => reject(explainProxy(proxy, server, failure));
    toProxy.dispatch(
      { origin, path: server, method: 'CONNECT', headers: { host: server, ...signIn(proxy) } },
      {
        onRequestStart: () => undefined,
        onRequestUpgrade: (_, status, headers, socket) => {
          if (status >= 200 && status <= 299) return resolve(socket as Socket);
          socket.on('error', () => undefined).destroy();
          refuse({ status, offers: headers['proxy-authenticate'] });
        },
        onResponseError: (_, error) => {
          const code = codeOf(error);
          if (/^UND_ERR_(DESTROYED|CLOSED)$/.test(code)) reject(error);
          else refuse(code === 'UND_ERR_HEADERS_TIMEOUT' ? { withinMs } : { code });
        },
      },
    );
  });
}

function openForwarding(
  { Agent, connectorOf }: Undici,
  proxy: HttpProxy,
  { connect = {}, kept }: ProxiedOptions,
): Dispatcher {
  const { origin } = proxy;
  const open = connectorOf({ ...connect, timeout: attempts.proxy.connectMs });
  const toProxy = new Agent({
    ...kept,
    connect: (to, done) =>
      open(to, (error, socket) => {
        if (error === null) done(null, socket);
        else done(explainProxy(proxy, '', { code: codeOf(error) }), null);
      }),
  });
  return toProxy.compose((dispatch) => (request, handler) => {
    const server = new URL(String(request.origin));
    const headers = { host: server.host, ...signIn(proxy), ...(request.headers as Readonly<Record<string, string>>) };
    const forwarded = { ...request, origin, path: server.origin + request.path, headers };
    return dispatch(forwarded, refusing(handler, proxy));
  });
}

/** A handler that takes 407 for an error: only a proxy answers so. */
function refusing(handler: Dispatcher.DispatchHandler, proxy: HttpProxy): Dispatcher.DispatchHandler {
  return {
    onRequestStart: (...about) => handler.onRequestStart?.(...about),
    onResponseStart: (...about) => {
      const [, status, headers] = about;
      if (status === 407) throw explainProxy(proxy, '', { status, offers: headers['proxy-authenticate'] });
      handler.onResponseStart?.(...about);
    },
    onResponseData: (...about) => handler.onResponseData?.(...about),
    onResponseEnd: (...about) => handler.onResponseEnd?.(...about),
    onResponseError: (...about) => handler.onResponseError?.(...about),
  };
}

function signIn({ authorization }: HttpProxy): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { 'proxy-authorization': authorization };
}

/** The parser of undici has no code for some errors. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name;
}

import type { Dispatcher } from 'undici';
import { attempts } from './attempts.ts';
import type { ProxiedOptions } from './proxied.ts';
import { explainProxy, type HttpProxy, type ProxyError, type ProxyFailure } from './proxy-error.ts';

/** Opens connections to a server through a proxy; that code is loaded here, so that other runs start without it. */
export async function openThrough(
  proxy: HttpProxy,
  { protocol }: URL,
  options: Partial<ProxiedOptions> = {},
): Promise<Dispatcher> {
  const { openProxied } = await import('./proxied.ts');
  const { connectMs: proxyMs, tunnelMs } = attempts.proxy;
  const fail = (server: string, failure: ProxyFailure): ProxyError => explainProxy(proxy, server, failure);
  return openProxied(protocol, { proxy, fail }, { proxyMs, tunnelMs, ...options });
}

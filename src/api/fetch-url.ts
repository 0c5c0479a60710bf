import type { Dispatcher } from 'undici';
import { openThrough } from './open-through.ts';
import { proxyFor } from './proxy.ts';

/** The connections through proxies, by protocol and proxy. They are kept as long as those of `fetch` itself. */
const kept = new Map<string, Promise<Dispatcher>>();

/**
 * `fetch`, through the proxy that the environment names for the address, if it names one.
 *
 * @throws {ProxyError} and whatever `fetch` throws: its cause may be a {ProxyError}.
 */
export async function fetchUrl(url: string | URL, request: RequestInit): Promise<Response> {
  const address = new URL(url);
  const proxy = proxyFor(address);
  if (proxy === undefined) return fetch(url, request);
  const key = [address.protocol, proxy.origin, proxy.authorization].join(' ');
  const opening = kept.get(key) ?? openThrough(proxy, address);
  kept.set(key, opening);
  const { fetchOver } = await import('./proxied.ts');
  return fetchOver(await opening, address.href, request);
}

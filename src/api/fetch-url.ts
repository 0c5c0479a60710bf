import type { Dispatcher } from 'undici';
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
  const { protocol } = address;
  const proxy = proxyFor(address);
  if (proxy === undefined) return fetch(url, request);
  const key = [protocol, proxy.origin, proxy.authorization].join(' ');
  const { openProxied } = await import('./proxied.ts');
  const opening = kept.get(key) ?? openProxied(proxy, protocol);
  kept.set(key, opening);
  return fetchOver(await opening, url, request);
}

/** `fetch` over connections of undici 7, which know the handlers of the fetch of Node 20 to 26. */
export function fetchOver(dispatcher: Dispatcher, url: string | URL, request: RequestInit): Promise<Response> {
  // The types of Node are those of another version.
  const overThem: object = { ...request, dispatcher };
  return fetch(url, overThem);
}

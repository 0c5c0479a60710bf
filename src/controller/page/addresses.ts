/**
 * Addresses of pages. The id of a stack has slashes, which proxies treat in many ways: they are written `~1`, and `~` is `~0`, as
 * in a JSON pointer.
 */

/** Half of a pair, which no text of the database has, would throw. */
const encoded = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'));

const pathOf = (id: string): string => encoded(id.replaceAll('~', '~0').replaceAll('/', '~1')).replaceAll('%3A', ':');

/** The id of a stack in an address, decoded as parameters of a route are. */
export function stackIdOf(parameter: string): string {
  return parameter.replaceAll('~1', '/').replaceAll('~0', '~');
}

export const stackAddress = (id: string): string => `/stacks/${pathOf(id)}`;
export const planAddress = (digest: string): string => `/plans/${encoded(digest)}`;
export const runAddress = (id: string): string => `/runs/${encoded(id)}`;
export const waveAddress = (id: string): string => `/waves/${encoded(id)}`;
export const pullsAddress = (source: string): string => `/sources/${encoded(source)}/pulls`;

/** An address with a query; what is undefined or empty is left out. */
export function withQuery(address: string, query: Readonly<Record<string, string | undefined>>): string {
  const set = Object.entries(query).filter((one): one is [string, string] => one[1] !== undefined && one[1] !== '');
  return set.length === 0 ? address : `${address}?${new URLSearchParams(set).toString()}`;
}

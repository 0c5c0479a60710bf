import { isLoopback } from './loopback.ts';
import { type HttpProxy, percentEncoding, ProxyError } from './proxy-error.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy for requests to an address; undefined: they go there directly. Variables that are empty count as not set, as
 * for curl. This machine is never reached through a proxy, which would connect to itself.
 *
 * @throws {ProxyError} when the variable names no HTTP proxy.
 */
export function proxyFor(url: URL, env: Environment = process.env): HttpProxy | undefined {
  const variable = variableFor(url, env);
  return variable !== undefined && isProxied(url, env) ? readProxy(variable, env[variable] ?? '') : undefined;
}

/** Whether the environment names a proxy for requests to an address, or something else in its place. Never throws. */
export function isProxied(url: URL, env: Environment = process.env): boolean {
  return variableFor(url, env) !== undefined && !isLoopback(url.hostname) && !isExcluded(url, env);
}

/** The host and the port of a server. */
export function hostAndPort({ host, port, protocol }: Pick<URL, 'host' | 'port' | 'protocol'>): string {
  return port === '' ? `${host}:${protocol === 'https:' ? 443 : 80}` : host;
}

/** Says in a sentence why requests to an address go past the proxies of the environment; undefined: they do not. Never throws. */
export function whyDirect(url: URL, env: Environment): string | undefined {
  if (isLoopback(url.hostname)) return undefined;
  const variable = variableFor(url, env);
  if (variable !== undefined)
    return isExcluded(url, env) ? `Because of NO_PROXY, Trueup does not use the proxy of ${variable} here.` : undefined;
  const other = firstSet(['https_proxy', 'HTTPS_PROXY', 'http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'], env);
  const [, own = ''] = variablesOf(url);
  return other === undefined ? undefined : `Trueup does not use the proxy of ${other} here: set ${own}.`;
}

function variableFor(url: URL, env: Environment): string | undefined {
  return firstSet(variablesOf(url), env);
}

/** curl reads the variables in lower case first. */
function variablesOf({ protocol }: URL): readonly string[] {
  return protocol === 'https:' ? ['https_proxy', 'HTTPS_PROXY'] : ['http_proxy', 'HTTP_PROXY'];
}

function firstSet(names: readonly string[], env: Environment): string | undefined {
  return names.find((name) => (env[name] ?? '').trim() !== '');
}

/**
 * Whether NO_PROXY has an address: `*`, or a host with all below it (`example.com`, `.example.com`, `*.example.com`), an IP
 * address or a range of them (`10.0.0.0/8`), each but a range also with a port.
 */
function isExcluded(url: URL, env: Environment): boolean {
  const entries = (env[firstSet(['no_proxy', 'NO_PROXY'], env) ?? ''] ?? '').toLowerCase().split(/[\s,]+/);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const [, ownPort] = /:(\d+)$/.exec(hostAndPort(url)) ?? [];
  return entries.some((entry) => {
    if (entry.includes('/')) return isInRange(host, entry);
    // An IPv6 address has a port behind brackets only.
    const [, name = entry, itsPort = ownPort] = /^(\[.*\]|[^:]*):(\d+)$/.exec(entry) ?? [];
    const plain = name.replace(/^\[(.*)\]$/, '$1').replace(/^\*?\./, '');
    return itsPort === ownPort && (plain === '*' || plain === host || (plain !== '' && host.endsWith(`.${plain}`)));
  });
}

function isInRange(host: string, range: string): boolean {
  // Loaded here: runs without a proxy start without it.
  const { BlockList, isIP } = process.getBuiltinModule('node:net');
  const [network = '', bits = ''] = range.replace(/^\[(.*)\]/, '$1').split('/');
  const type = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  if (isIP(host) === 0 || isIP(host) !== isIP(network)) return false;
  if (!/^\d{1,3}$/.test(bits) || Number(bits) > (type === 'ipv6' ? 128 : 32)) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), type);
  return list.check(host, type);
}

/** Reads `http://USER:PASSWORD@HOST:PORT`, where all but the host can be left out. @throws {ProxyError} */
function readProxy(variable: string, written: string): HttpProxy {
  const text = written.trim();
  const address = text.includes('://') ? text : `http://${text}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol.startsWith('socks') === true)
    throw new ProxyError('SOCKS', `${variable} names a SOCKS proxy`, {
      remedy: `Trueup connects through HTTP proxies only: set ${variable}=http://HOST:PORT.`,
      mayPass: false,
    });
  const header = url === undefined ? 'wrong' : authorizationOf(url);
  // Behind a host there may be the rest of a password with a slash in it: then that is no host.
  const isProxy =
    url !== undefined && /^https?:$/.test(url.protocol) && /^[/]$/.test(url.pathname + url.search + url.hash);
  if (!isProxy || header === 'wrong')
    throw new ProxyError('ADDRESS', `${variable} is not the address of an HTTP proxy`, {
      remedy: `Set ${variable}=http://HOST:PORT or http://USER:PASSWORD@HOST:PORT. ${percentEncoding}`,
      mayPass: false,
    });
  return { variable, origin: url.origin, authorization: header };
}

/** The header that signs in to a proxy; `wrong`: its user or password has a % that encodes nothing. */
function authorizationOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  try {
    const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    return `Basic ${Buffer.from(credentials).toString('base64')}`;
  } catch {
    return 'wrong';
  }
}

import { lookup } from 'node:dns/promises';
import { attempts } from '../api/attempts.ts';
import { isLoopback } from '../api/loopback.ts';
import { isProxied } from '../api/proxy.ts';
import { createTransport } from '../api/transport.ts';
import type { WireAnswer } from '../api/wire.ts';

/**
 * Whether an address is one of the platform under any name: another host name, the address of the machine, another port.
 * Other programs of the same machine may have the same address and port, so both servers are asked the same with a GET,
 * without a key: the platform is what answers like the platform. Never throws.
 */
export async function isOfPlatform(url: URL, platform: URL): Promise<boolean> {
  if (hostOf(url) === hostOf(platform) && portOf(url) === portOf(platform)) return true;
  const [there, here] = await Promise.all([addressesOf(url), addressesOf(platform)]);
  // A name that only a proxy resolves has no address here.
  const isUnknown = isProxied(url) && (there.length === 0 || here.length === 0);
  if (!isUnknown && !there.some((address) => here.includes(address))) return false;
  const [answer, expected] = await Promise.all([ask(url, platform.pathname), ask(platform, platform.pathname)]);
  return answer !== undefined && answer.status === expected?.status && answer.body === expected.body;
}

/** The name of a host without the dot of the root, and without brackets. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

/** The addresses of a host; those of this machine are one. None, when no server knows its name. */
async function addressesOf(url: URL): Promise<readonly string[]> {
  const found = await lookup(hostOf(url), { all: true }).catch(() => []);
  return found.map(({ address }) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/i, '');
    const isHere = isLoopback(plain.includes(':') ? `[${plain}]` : plain) || ['0.0.0.0', '::'].includes(plain);
    return isHere ? 'this machine' : plain;
  });
}

/** Asks a server for what needs a key; undefined: it did not answer. */
async function ask({ origin }: URL, folder: string): Promise<WireAnswer | undefined> {
  const { deadlineMs, maxAnswerBytes } = attempts.notification;
  const transport = createTransport({ url: new URL(folder, origin).href, deadlineMs, bodyLimit: maxAnswerBytes });
  try {
    return await transport.send({ method: 'GET', path: '/api/user.get', headers: {}, body: undefined });
  } catch {
    return undefined;
  } finally {
    await transport.close(true);
  }
}

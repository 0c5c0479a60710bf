import { createHash, timingSafeEqual } from 'node:crypto';
import { BlockList, isIPv4, isIPv6 } from 'node:net';
import { headerOnce } from '../header.ts';
import type { Way } from '../sender.ts';
import { refusal } from '../refusal.ts';
import type { Sessions } from '../sessions.ts';
import type { Grant } from '../viewer.ts';
import { checkedName } from './checked-name.ts';

/** A proxy that has signed people in, and says by headers who it was. */
export interface ProxySignIn {
  /** Addresses of proxies, and ranges of them such as `10.0.0.0/8`. */
  readonly from: readonly string[];
  /** The header with the name of the user. */
  readonly user: string;
  /** The header with the groups, with commas between them. */
  readonly groups: string;
  readonly secretHeader: string;
  readonly secret: string;
}

/**
 * The way of a proxy: the headers count from a listed address of the connection itself, together with the secret. A session is
 * begun for each browser, which CSRF tokens are bound to; it proves nothing without the headers.
 */
export function proxyWay(
  { from, user, groups, secretHeader, secret }: ProxySignIn,
  { sessions, roles }: { readonly sessions: Sessions; readonly roles: readonly Grant[] },
): Way {
  const isProxy = addressesIn(from);
  const digest = digestOf(secret);
  return async (request, reply) => {
    const proof = headerOnce(request, secretHeader);
    const name = headerOnce(request, user);
    if (proof === undefined && name === undefined) return undefined;
    const isRight = timingSafeEqual(digestOf(proof ?? ''), digest);
    if (!isRight || name === undefined || !isProxy(request.socket.remoteAddress ?? ''))
      throw refusal(403, 'This request did not come through the proxy that signs people in.');
    const given = (headerOnce(request, groups) ?? '').split(',').map((group) => group.trim());
    const identity = { name: checkedName(name), groups: given.filter((group) => group !== ''), by: 'proxy' } as const;
    const session = await sessions.find(request);
    const id =
      session?.by === 'proxy' && session.name === identity.name
        ? session.id
        : await sessions.begin(request, reply, { ...identity, groups: [] });
    return { identity, grants: roles, csrfKey: id, holds: () => sessions.holds(id) };
  };
}

/** Whether an address is in a list of addresses and ranges. IPv4 addresses within IPv6 are those of IPv4. */
function addressesIn(list: readonly string[]): (address: string) => boolean {
  const known = new BlockList();
  for (const entry of list) {
    const [address = '', bits] = entry.split('/');
    const family = isIPv4(address) ? 'ipv4' : 'ipv6';
    if (bits === undefined) known.addAddress(address, family);
    else known.addSubnet(address, Number(bits), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=[\d.]+$)/, '').replace(/%.*$/, '');
    return isIPv4(plain) ? known.check(plain, 'ipv4') : isIPv6(plain) && known.check(plain, 'ipv6');
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

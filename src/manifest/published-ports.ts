import type { CheckedResource, Checks, Problem, PublishedPort } from '../kind/checks.ts';
import { canonical } from '../formats/json.ts';

/** Blocks with the checks of their kinds. */
type Checked = Iterable<{ readonly checked: CheckedResource; readonly checks: Checks | undefined }>;

/** Warnings about ports that two services of one server publish: the platform takes both, and Docker starts one of them. */
export function portsTakenTwice(
  all: Checked,
  at: (address: string) => CheckedResource | undefined,
): readonly Problem[] {
  const byPlace = new Map<string, Taken[]>();
  const problems: Problem[] = [];
  for (const { checked, checks } of all) {
    for (const one of checks?.publishes?.(checked, at) ?? []) {
      const { field, port, protocol, server, path } = one;
      const key = canonical([server, port, protocol]);
      const taken = byPlace.get(key) ?? [];
      const other = taken.find((before) => isSame(before, one));
      taken.push({ ...one, address: checked.address });
      byPlace.set(key, taken);
      const words = `port ${String(port)} (${String(protocol)})`;
      const about = {
        code: 'overlap',
        address: checked.address,
        field,
        ...(path === undefined ? {} : { path }),
      } as const;
      if (other !== undefined) {
        const isOwn = other.address === checked.address;
        const by =
          other.service === one.service ? 'another port of it' : isOwn ? 'another service of it' : other.address;
        const message = `${words} of the same server is also published by ${by}`;
        problems.push({ ...about, message, remedy: 'Publish one of them on another port.' });
      } else if (ofProxy.has(`${String(port)}/${String(protocol)}`)) {
        const message = `${words} is the one on which the proxy of the platform listens`;
        problems.push({
          ...about,
          message,
          remedy: elsewhere,
        });
      } else if (port === dashboard && protocol === 'tcp' && server === null) {
        const message = `${words} is the one on which the dashboard of the platform listens, unless its installation gave it up`;
        problems.push({
          ...about,
          message,
          remedy: elsewhere,
        });
      }
    }
  }
  return problems;
}

const elsewhere = 'Publish it on another port. A web service with a domain under domains: needs none.';

/** Where the proxy answers on each server. Source: the platform's traefik-setup.ts, which also gives HTTP/3 its port. */
const ofProxy: ReadonlySet<string> = new Set(['80/tcp', '443/tcp', '443/udp']);

/** Where the platform answers on its own server. */
const dashboard = 3000;

interface Taken extends PublishedPort {
  readonly address: string;
}

/** Whether two ports of one number are one: of different addresses of the host each is another. */
function isSame(one: PublishedPort, other: PublishedPort): boolean {
  const isOne = one.service === other.service && canonical(one.path ?? []) === canonical(other.path ?? []);
  if (isOne || (one.isPerMachine === true && other.isPerMachine === true)) return false;
  return one.hostIp === undefined || other.hostIp === undefined || one.hostIp === other.hostIp;
}

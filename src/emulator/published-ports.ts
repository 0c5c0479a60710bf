import { type Json, type Row, isMap, rowsIn } from './json-rows.ts';

/**
 * The ports that a service of a compose file publishes, as `address:port/protocol`; those that docker chooses are free. Compose
 * takes one that stands twice once, and none in the network of the host; a stack publishes on all addresses.
 */
export function portsIn(service: Row, isStack: boolean): string[] {
  const { ports, network_mode: mode } = service;
  if (mode === 'host' && !isStack) return [];
  const all = [...new Set((Array.isArray(ports) ? ports : []).map((port) => JSON.stringify(port)))];
  return all
    .map((text) => JSON.parse(text) as Json)
    .flatMap((port) => {
      if (isMap(port))
        return rangeOf(
          String(port['host_ip'] ?? ''),
          String(port['published'] ?? ''),
          String(port['protocol'] ?? 'tcp'),
        );
      const form = /^(?:(\[.*\]|[\d.]+):)?(?:(\d+(?:-\d+)?):)(\d+)(-\d+)?(?:\/(\w+))?$/;
      const [, written = '', published = '', , isRange, protocol = 'tcp'] = form.exec(String(port)) ?? [];
      const address = isStack ? '' : written;
      // Of a range for one port of the container docker takes what is free.
      return published.includes('-') && isRange === undefined ? [] : rangeOf(address, published, protocol);
    });
}

function rangeOf(address: string, published: string, protocol: string): string[] {
  const [first = 0, last = first] = published.split('-').map(Number);
  const host = address === '0.0.0.0' ? '' : address;
  if (!(first > 0)) return [];
  return Array.from({ length: last - first + 1 }, (_, at) => `${host}:${first + at}/${protocol}`);
}

/**
 * The ports that `endpointSpecSwarm` publishes in a mode; undefined: there is none, and the other ports of the service count. One
 * without ports publishes none. Source: generateConfigContainer of v0.30.2.
 */
export function portsOfEndpoint({ endpointSpecSwarm: spec }: Row, mode: 'ingress' | 'host'): string[] | undefined {
  if (!isMap(spec)) return undefined;
  return rowsIn(spec['Ports'])
    .filter(({ PublishedPort, PublishMode }) => Number(PublishedPort) > 0 && (PublishMode ?? 'host') === mode)
    .map(({ PublishedPort, Protocol }) => `:${Number(PublishedPort)}/${String(Protocol ?? 'tcp')}`);
}

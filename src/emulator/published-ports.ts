import type { Row } from './json-rows.ts';

/** The ports that a service of a compose file publishes, as `address:port/protocol`; those that docker chooses are free. */
export function portsIn(service: Row): string[] {
  const { ports } = service;
  return (Array.isArray(ports) ? ports : []).flatMap((port) => {
    if (typeof port === 'object' && port !== null && !Array.isArray(port))
      return rangeOf(String(port['host_ip'] ?? ''), String(port['published'] ?? ''), String(port['protocol'] ?? 'tcp'));
    const form = /^(?:(\[.*\]|[\d.]+):)?(?:(\d+(?:-\d+)?):)(\d+)(-\d+)?(?:\/(\w+))?$/;
    const [, address = '', published = '', , isRange, protocol = 'tcp'] = form.exec(String(port)) ?? [];
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

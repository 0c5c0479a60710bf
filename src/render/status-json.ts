import type { ServiceState } from '../operate/service-states.ts';
import type { StatusDocument } from './documents.ts';

/** The status of services as a document. */
export function statusJson(
  services: readonly ServiceState[],
  { reads, writes }: { readonly reads: number; readonly writes: number },
  platformVersion?: string,
): StatusDocument {
  return {
    format: 'trueup/status',
    version: 1,
    requests: { reads, writes },
    platformVersion,
    services: services.map(({ address, kind, id, found, isServed, status, deployment }) => ({
      address,
      kind: kind.kind,
      id,
      status: status ?? null,
      found,
      served: isServed ? undefined : false,
      deployment,
    })),
  };
}

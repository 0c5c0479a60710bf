import { parseDocument } from 'yaml';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import type { Json } from '../../kind/json.ts';
import { isObject } from '../../kind/json.ts';

/**
 * The text that a deployment appends to the names of the services of a compose, before it looks for the service that a
 * domain or a backup names. Measured: `randomize` does nothing without a suffix, and nothing with isolatedDeployment.
 */
export function serviceSuffix(compose: (field: string) => Json): string {
  const suffix = compose('suffix');
  const isRenamed = compose('randomize') === true && compose('isolatedDeployment') !== true;
  return isRenamed && typeof suffix === 'string' && suffix !== '' ? `-${suffix}` : '';
}

/** A block that names a service of the compose file needs one that exists: the deployment would fail. */
export function servicesExist(self: CheckedResource, children: readonly CheckedResource[]): Problem[] {
  const { composeFile, sourceType } = self.values;
  if (sourceType !== 'raw' || typeof composeFile !== 'string') return [];
  const found = composeServices(composeFile);
  if ('unreadable' in found) {
    const message = `its compose file is not valid YAML: ${found.unreadable}`;
    const remedy = 'Correct the compose file: its deployment would fail.';
    return [{ code: 'inconsistent', address: self.address, field: 'composeFile', message, remedy }];
  }
  const { services } = found;
  return children.flatMap((child): Problem[] => {
    const name = child.values.serviceName;
    if (typeof name !== 'string' || services.includes(name)) return [];
    return [
      {
        code: 'inconsistent',
        address: child.address,
        field: 'serviceName',
        message: `the compose file of ${self.key} has no service ${name}`,
        remedy: services.length === 0 ? 'It has no services at all.' : `Its services are ${services.join(', ')}.`,
      },
    ];
  });
}

/** The names of the services of a compose file, or why it cannot be read. */
function composeServices(text: string): { readonly services: readonly string[] } | { readonly unreadable: string } {
  const document = parseDocument(text, { merge: true, logLevel: 'error' });
  const [error] = document.errors;
  if (error !== undefined) return { unreadable: error.message.split('\n')[0] ?? '' };
  try {
    const content: unknown = document.toJS();
    return { services: isObject(content) && isObject(content.services) ? Object.keys(content.services) : [] };
  } catch {
    return { unreadable: 'its aliases expand to too much' }; // more than the parser allows
  }
}

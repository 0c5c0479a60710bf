import { isRow } from '../formats/json.ts';
import { type Contract, type Operation, beyondDocument, endpointOf } from './contract.ts';

/** Answers the version of the platform. */
export const versionOperation = 'settings.getDokployVersion';

/** Answers the OpenAPI document of the platform: about 750 KB. */
export const documentOperation = 'settings.getOpenApiDocument';

/**
 * The operations beyond the API document that a platform publishes in its OpenAPI document, of those that Trueup knows:
 * path and method have to match. Undefined: it is no such document, or not one of this API. Never throws.
 */
export function operationsIn(document: unknown, { names }: Pick<Contract, 'names'>): readonly Operation[] | undefined {
  const paths = isRow(document) ? document['paths'] : undefined;
  if (!isRow(paths)) return undefined;
  const isServed = (operation: Operation): boolean => {
    const path = `/${names?.operation(operation) ?? operation}`;
    const [method] = [endpointOf(operation).method.toLowerCase()];
    const item = Object.hasOwn(paths, path) ? paths[path] : undefined;
    return isRow(item) && Object.hasOwn(item, method) && isRow(item[method]);
  };
  return isServed('user.get') ? beyondDocument.filter(isServed) : undefined;
}

/** A version as a platform answers it; undefined: it is none that can be shown and compared. Never throws. */
export function readPlatformVersion(answer: unknown): string | undefined {
  return typeof answer === 'string' && /^[\w.+-]{1,64}$/.test(answer) ? answer : undefined;
}

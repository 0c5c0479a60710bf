import { addressParts, childAddress } from '../kind/address.ts';

/** A block, as far as its place follows from it. */
interface Placed {
  readonly address: string;
  /** Its section is its one block. */
  readonly single?: true | undefined;
}

/** Whether an address is that of an environment, or of a single block at the top: nothing else has one of a single part. */
export function isEnvironment(address: string): boolean {
  return onePart.test(address);
}

const onePart = /^(?:[A-Za-z_][A-Za-z0-9_-]*|\["(?:[^"\\]|\\.)*"\])$/;

/**
 * The environment that a block is or stands in: `production`; undefined for the project and what belongs to the
 * organization. An address has sections and keys in turn; an environment has no section, and a single block no key.
 */
export function environmentOf({ address, single }: Placed): string | undefined {
  const [first = '', ...others] = addressParts(address) ?? [];
  const isInOne = others.length % 2 === (single === true ? 1 : 0) && first !== '';
  return isInOne ? childAddress(undefined, undefined, first) : undefined;
}

/**
 * The service of a block: its ancestor directly below an environment. What stands in none has its outermost ancestor, and an
 * environment itself.
 */
export function serviceOf(address: string, parentOf: (address: string) => string | undefined): string {
  let service = address;
  for (let above = parentOf(address); above !== undefined && !isEnvironment(above); above = parentOf(above))
    service = above;
  return service;
}

import { isWithin, replacedAddress } from '../kind/address.ts';
import type { StateRecord } from './record.ts';

/** The records of a state, by their addresses. */
type Records = Readonly<Record<string, StateRecord>>;

/**
 * Gives a record another address and parent, and everything below it an address below that one. Digests stay bound to the
 * address that they were made for. Gives the address at which two records would stand instead, when there is one.
 */
export function readdress(records: Records, from: string, to: string, parent: string | null): Records | string {
  const renamed = (address: string) => moveAddress(address, from, to);
  const made: Record<string, StateRecord> = {};
  for (const [address, record] of Object.entries(records)) {
    const target = renamed(address);
    if (Object.hasOwn(made, target)) return target;
    // Its digests were made for the address that it had then.
    const { bornAt = replacedAddress(address) ?? address, ...facts } = record;
    made[target] = {
      ...facts,
      ...(bornAt === (replacedAddress(target) ?? target) ? {} : { bornAt }),
      parent: address === from ? parent : record.parent === null ? null : renamed(record.parent),
      dependsOn: record.dependsOn.map(renamed),
    };
  }
  return made;
}

/** An address after a move: another one, where it is the address that moves or one below it. */
export function moveAddress(address: string, from: string, to: string): string {
  return isWithin(address, from) ? to + address.slice(from.length) : address;
}

/** The addresses of records at an address and below it, in the order of the addresses. */
export function addressesWithin(records: Records, address: string): string[] {
  return Object.keys(records)
    .filter((other) => isWithin(other, address))
    .toSorted();
}

/** The records without some of them. */
export function without(records: Records, addresses: readonly string[]): Records {
  const gone = new Set(addresses);
  return Object.fromEntries(Object.entries(records).filter(([address]) => !gone.has(address)));
}

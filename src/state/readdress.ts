import { isWithin, readAddress } from '../kind/address.ts';
import type { Deploys, StateRecord } from './record.ts';
import type { State } from './state.ts';

/** What a state holds, by addresses. */
type Held = Pick<State, 'resources' | 'deployments'>;

/**
 * Gives a record another address and parent, and everything below it an address below that one. Digests stay bound to the
 * address that they were made for. Gives the address at which two records would stand instead, when there is one.
 */
export function readdress(
  { resources, deployments }: Held,
  from: string,
  to: string,
  parent: string | null,
): Held | string {
  const renamed = (address: string) => moveAddress(address, from, to);
  const made: Record<string, StateRecord> = {};
  for (const [address, record] of Object.entries(resources)) {
    const target = renamed(address);
    if (Object.hasOwn(made, target)) return target;
    made[target] = {
      ...atAddress(record, address, target),
      parent: address === from ? parent : record.parent === null ? null : renamed(record.parent),
      dependsOn: record.dependsOn.map(renamed),
    };
  }
  const moved = Object.entries(deployments).map(([service, deploys]): [string, Deploys] => [renamed(service), deploys]);
  return { resources: made, deployments: Object.fromEntries(moved) };
}

/** A record that gets another address: its digests stay those of the address that they were made for. */
export function atAddress(record: StateRecord, from: string, to: string): StateRecord {
  const { bornAt: _, ...facts } = record;
  const bornAt = birthplaceOf(from, record);
  return bornAt === birthplaceOf(to) ? facts : { ...facts, bornAt };
}

/** The address that the digests of the record at an address are bound to: that of its block when they were made first. */
export function birthplaceOf(address: string, record?: Pick<StateRecord, 'bornAt'>): string {
  return record?.bornAt ?? readAddress(address).block;
}

/** Records without those of replacements that did not come to their create: the old object is still the one. */
export function withoutUnbegun(records: State['resources']): State['resources'] {
  const isUnbegun = ([address, { id }]: [string, StateRecord]) => {
    const { block } = readAddress(address);
    return id !== null && block !== address && records[block]?.id === id;
  };
  const entries = Object.entries(records);
  return entries.some(isUnbegun) ? Object.fromEntries(entries.filter((entry) => !isUnbegun(entry))) : records;
}

/** An address after a move: another one, where it is the address that moves or one below it. */
export function moveAddress(address: string, from: string, to: string): string {
  return isWithin(address, from) ? to + address.slice(from.length) : address;
}

/** The addresses of records at an address and below it, in the order of the addresses. */
export function addressesWithin({ resources }: Held, address: string): string[] {
  return Object.keys(resources)
    .filter((other) => isWithin(other, address))
    .toSorted();
}

/** What a state holds without some addresses. */
export function without({ resources, deployments }: Held, addresses: readonly string[]): Held {
  const gone = new Set(addresses);
  const left = <T>(all: Readonly<Record<string, T>>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([address]) => !gone.has(address)));
  return { resources: left(resources), deployments: left(deployments) };
}

/**
 * Stores of a state. A new backend implements `StateStorage`; `storeOver` makes a store of it,
 * and `conformance` lists the tests that it has to pass, for any runner.
 *
 * ```ts
 * import { stateAt } from 'trueup';
 * import { memoryStore } from 'trueup/state';
 *
 * const store = memoryStore();
 * export const state = stateAt({ openStore: () => store });
 * ```
 */

export type { State, StateStore } from '../state/state.ts';
export type { Deploys, Entry, StateRecord } from '../state/record.ts';
export type { Holder } from '../state/holder.ts';
export type { Inherited, Lease, LeaseContext, Terms, LockRequest } from '../state/lease.ts';
export type { BeatingClock, Clock } from '../state/clock.ts';
export type { Host } from '../state/host.ts';
export type { StateStorage, Writer } from '../state/storage.ts';
export type { Documents } from '../state/named-documents.ts';
export type { Register, Seen } from '../state/register.ts';
export type { LeaseEntry } from '../state/lease-entry.ts';
export type { Wave } from '../state/wave.ts';
export { withWaves } from '../state/wave.ts';
export type { Authenticity } from '../state/authenticity.ts';
export type { KeySource } from '../state/key-sources.ts';
export { givenKey, keyInMemory } from '../state/key-sources.ts';
export { storeOver } from '../state/store.ts';
export { localStore } from '../state/backends/local.ts';
export type { Memory, MemoryStore } from '../state/backends/memory.ts';
export { createMemory, memoryStore } from '../state/backends/memory.ts';
export type { PostgresLocation } from '../state/backends/postgres-client.ts';
export { postgresStore } from '../state/backends/postgres.ts';
export type { BucketLocation } from '../state/backends/s3-client.ts';
export { s3Store } from '../state/backends/s3.ts';
export type { Facts, Ground, Where } from '../state/conformance/bench.ts';
export type { ConformanceTest } from '../state/conformance/suite.ts';
export { conformance } from '../state/conformance/suite.ts';
export type { ProcessTime, VirtualProcess } from '../state/conformance/virtual-processes.ts';
export { processTime } from '../state/conformance/virtual-processes.ts';

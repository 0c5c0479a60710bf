import type { Contract } from '../../src/api/contract.ts';
import type { Send } from '../../src/api/wire.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEdge } from '../../src/emulator/edge.ts';

/** Whether clients and platforms of the tests read in bulk: TRUEUP_TEST_BULK. Tests that count single reads run without. */
export const testBulk: boolean = (process.env['TRUEUP_TEST_BULK'] ?? '') !== '';

/** Whether a platform answered reads that went together. */
export const readsInBulk = ({ log }: Emulator): boolean => log.some(({ operation }) => operation === 'trpc');

/**
 * What a client needs to speak the words of a profile to a platform in those of Dokploy, such as one whose answers a test
 * changes. Both sides of the wire translate.
 */
export function spoken(
  send: Send,
  contract: Contract,
): { readonly send: Send; readonly contract: Contract; readonly bulk: boolean } {
  const served = testBulk ? { ...contract, hasBatches: true } : contract;
  return { send: createEdge(contract.names).speak(send), contract: served, bulk: testBulk };
}

import type { Contract, Profile } from '../../src/api/contract.ts';
import { profiles } from '../../src/api/contract.ts';
import type { Send } from '../../src/api/wire.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEdge } from '../../src/emulator/edge.ts';
import { inProfile, textIn } from '../../src/kind/profile.ts';
import { kinds } from '../../src/resources/index.ts';

/** The profile of the platforms that tests do not choose one for: TRUEUP_TEST_PROFILE, or the words of the API document. */
export const testProfile: Profile = profileOf(process.env['TRUEUP_TEST_PROFILE'] ?? 'standard');

function profileOf(name: string): Profile {
  const profile = profiles.find((one) => one === name);
  if (profile === undefined) throw new Error(`TRUEUP_TEST_PROFILE must be ${profiles.join(' or ')}, got ${name}`);
  return profile;
}

/** Whether clients and platforms of the tests read in bulk: TRUEUP_TEST_BULK. Tests that count single reads run without. */
export const testBulk: boolean = (process.env['TRUEUP_TEST_BULK'] ?? '') !== '';

/** Whether a platform answered reads that went together. */
export const readsInBulk = ({ log }: Emulator): boolean => log.some(({ operation }) => operation === 'trpc');

/** Every kind in the words of that profile. */
export const testKinds = testProfile === 'standard' ? kinds : inProfile(kinds, testProfile);

/** A text in the words of the API document as that profile shows it. */
export const inItsWords = (text: string): string => textIn(text, testProfile);

/**
 * What a client needs to speak the words of a profile to a platform in the words of the API document, such as one whose
 * answers a test changes. Both sides of the wire translate.
 */
export function spoken(
  send: Send,
  contract: Contract,
): { readonly send: Send; readonly contract: Contract; readonly bulk: boolean } {
  const served = testBulk ? { ...contract, hasBatches: true } : contract;
  return { send: createEdge(contract.names).speak(send), contract: served, bulk: testBulk };
}

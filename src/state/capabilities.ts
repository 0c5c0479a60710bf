import { createHash } from 'node:crypto';
import type { Contract } from '../api/contract.ts';
import { beyondDocument } from '../api/contract.ts';
import type { Capabilities } from './state.ts';

/** Names what Trueup looks for in a platform of this contract: what is remembered of another search is worth nothing. */
export function soughtIn({ profile }: Pick<Contract, 'profile'>): string {
  const hash = createHash('sha256').update(JSON.stringify([profile, ...beyondDocument]));
  return hash.digest('base64url').slice(0, 16);
}

/** What a state remembers of the capabilities of its platform, where that still says something. */
export function rememberedOf(
  state: { readonly platform?: Capabilities | undefined } | undefined,
  contract: Pick<Contract, 'profile'>,
): Capabilities | undefined {
  return state?.platform?.sought === soughtIn(contract) ? state.platform : undefined;
}

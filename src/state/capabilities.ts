import type { Contract } from '../api/contract.ts';
import { beyondDocument } from '../api/contract.ts';
import { idOf } from '../secrets/digest.ts';
import type { Capabilities } from './state.ts';

/** Names what Trueup looks for in a platform of this contract: what is remembered of another search is worth nothing. */
export function soughtIn({ profile }: Pick<Contract, 'profile'>): string {
  return idOf(JSON.stringify([profile, ...beyondDocument]));
}

/** What a state remembers of the capabilities of its platform, where that still says something. */
export function rememberedOf(
  state: { readonly platform?: Capabilities | undefined } | undefined,
  contract: Pick<Contract, 'profile'>,
): Capabilities | undefined {
  return state?.platform?.sought === soughtIn(contract) ? state.platform : undefined;
}

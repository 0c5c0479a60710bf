import { beyondDocument } from '../api/contract.ts';
import { once } from '../api/once.ts';
import { idOf } from '../secrets/digest.ts';
import type { Capabilities } from './state.ts';

/**
 * Names what Trueup looks for in a platform, and how: what is remembered of another search is worth nothing. Earlier versions
 * took a page of a proxy for a platform that serves none of it.
 */
export const sought = once(() => idOf(JSON.stringify({ in: 'documents only', operations: beyondDocument })));

/** What a state remembers of the capabilities of its platform, where that still says something. */
export function rememberedOf(
  state: { readonly platform?: Capabilities | undefined } | undefined,
): Capabilities | undefined {
  return state?.platform?.sought === sought() ? state.platform : undefined;
}

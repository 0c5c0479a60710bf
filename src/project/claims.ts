import type { Place } from '../manifest/tree.ts';
import type { WholeRead } from '../manifest/whole.ts';

/** A thing of a platform that one root file has for itself. */
export interface Claim {
  readonly what: string;
  readonly at: Place;
  /** A variable takes part in it, and a run may give it another value. */
  readonly isVariable: boolean;
  /** It is one thing for root files on all platforms. */
  readonly isAnywhere?: true;
  /** The platform keeps both. */
  readonly isHarmless: boolean;
  readonly remedy: (own: string, other: string) => string;
}

/** A root file with what it has for itself, by what that is. */
export interface RootClaims extends WholeRead {
  readonly claims: ReadonlyMap<string, Claim>;
}

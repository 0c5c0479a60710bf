import type { Settings } from '../manifest/settings.ts';
import type { Place } from '../manifest/tree.ts';

/** A thing of a platform that one root file has for itself. */
export interface Claim {
  readonly what: string;
  readonly at: Place;
  /** A variable takes part in it, and a run may give it another value. */
  readonly isVariable: boolean;
  /** The platform keeps both. */
  readonly isHarmless: boolean;
  readonly remedy: (own: string, other: string) => string;
}

/** A root file, as far as it is compared. */
export interface RootClaims {
  /** By what they are on which platform. */
  readonly claims: ReadonlyMap<string, Claim>;
  readonly texts: ReadonlyMap<string, string>;
  readonly settings: Settings;
}

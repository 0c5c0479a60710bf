import type { Kind } from '../kind/kind.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Observed } from '../observe/observed.ts';
import type { Digests } from '../secrets/digest.ts';
import type { State } from '../state/state.ts';
import type { Acceptances } from './find-acceptance.ts';
import type { Origins } from './moved-addresses.ts';
import type { Narrowing } from './action.ts';
import type { Values } from './shown-values.ts';

/** The input of a plan. */
export interface PlanInput {
  readonly kinds: readonly Kind[];
  /** The kinds that Trueup has and the platform does not serve, as far as that is known. */
  readonly unserved: readonly Kind[];
  /** false: it could not be read which operations the platform serves. */
  readonly isServedKnown: boolean;
  /** Each after what it depends on. */
  readonly resources: readonly Resource[];
  readonly observed: Observed;
  readonly state: State;
  /** The address of the environment that the root file names as its own. */
  readonly ownEnvironment: string | undefined;
  readonly saved: State | undefined;
  /** Whether services are deployed; otherwise that is left to others. */
  readonly deploys: boolean;
  /** Whether apply asks addresses after deployments, as `probe:` says. */
  readonly asks: boolean;
  /** `trueup destroy`: everything goes. */
  readonly destroys: boolean;
  /** The parts of the plan to make, and the objects to replace on purpose. */
  readonly narrowing: Narrowing;
  readonly digests: Digests;
  /** The address that the manifest reaches the platform by; undefined: the emulator. */
  readonly platformUrl: string | undefined;
  /** The addresses of objects that run once, in this order. */
  readonly seeds: readonly string[];
  /** What a person accepted of the drift. */
  readonly accepting: Acceptances;
  /** The former addresses of the records that `moved:` gave new ones. */
  readonly origins: Origins;
  /** Replaces the secrets of the run in a text that the platform alone has. */
  readonly redact: (text: string) => string;
  /** The remedy for secrets that the run does not have. */
  readonly howToGive: (names: readonly string[]) => string;
  /** The values that are shown. */
  readonly values: Values;
}

/** The input for each object: that of the plan, and the outputs that the plan knows. */
export interface Planning extends PlanInput {
  readonly outputs: Outputs;
}

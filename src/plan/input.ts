import type { Kind } from '../kind/kind.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Observed } from '../observe/observed.ts';
import type { Digests } from '../secrets/digest.ts';
import type { State } from '../state/state.ts';
import type { Origins } from './moved.ts';
import type { Narrowing } from './action.ts';
import type { Values } from './shown.ts';

/** What a plan is computed from. */
export interface PlanInput {
  readonly kinds: readonly Kind[];
  /** The kinds that Trueup has and the platform does not serve; none by default. */
  readonly unserved?: readonly Kind[];
  /** Each after what it depends on. */
  readonly resources: readonly Resource[];
  readonly observed: Observed;
  readonly state: State;
  readonly saved: State | undefined;
  /** Whether services are deployed; otherwise that is left to others. */
  readonly deploys: boolean;
  /** Everything is meant to go. */
  readonly destroys: boolean;
  /** What the plan is narrowed to, and what it makes anew. */
  readonly narrowing: Narrowing;
  readonly digests: Digests;
  /** The former addresses of the records that `moved:` gave new ones. */
  readonly origins: Origins;
  /** The values that are shown; `usual` by default. */
  readonly values?: Values | undefined;
}

/** What each object is planned from: the input of the plan, and the outputs that are known when it is made. */
export interface Planning extends PlanInput {
  readonly outputs: Outputs;
}

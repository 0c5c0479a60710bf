import type { Register } from './register.ts';
import type { State } from './state.ts';
import type { Wave } from './wave.ts';

/** Where a state can be kept: what a backend has to do. Each of its writes is whole or not there, also after a crash. */
export interface Medium {
  /** Where it is, for messages. */
  readonly place: string;
  readonly lease: Register;
  /** Others reach it from anywhere: nothing is written without the lease. */
  readonly isShared: boolean;
  /** The state that was saved last, with the waves that were added to it since; undefined when there is none. */
  readonly load: () => Promise<State | undefined>;
  /** From now on waves are added to this state, which holds what was added before. */
  readonly begin: (base: State, writer: Writer) => Promise<void>;
  /** Adds records; they are durable when this resolves. */
  readonly add: (wave: Wave, writer: Writer) => Promise<void>;
  /** Replaces the state; what was added before goes. */
  readonly save: (state: State, writer: Writer) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Who writes. */
export interface Writer {
  /** The counter of the lease; 0 without one. */
  readonly counter: number;
  /** Throws a Stop when nothing may be written any more. Asked last before a write takes effect. */
  readonly check: () => void;
  /** The same, after a look at the place: it is for those that keep nobody out whose lease was taken away. */
  readonly confirm: () => Promise<void>;
}

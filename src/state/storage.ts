import type { Authenticity } from './authenticity.ts';
import type { Documents } from './named-documents.ts';
import type { Register } from './register.ts';
import type { State } from './state.ts';
import type { Wave } from './wave.ts';

/** StateStorage of one state: the duties of a backend. Each write is whole or absent, also after a crash. */
export interface StateStorage {
  /** Where it is, for messages. Without secrets. */
  readonly location: string;
  readonly lease: Register;
  readonly documents: Documents;
  /** Other machines reach it: nothing is written without the lease. */
  readonly isShared: boolean;
  /**
   * The state saved last, with the waves added since; undefined when there is none.
   *
   * @throws {Stop} `state`, when one of them was not written with the key, or does not follow the one before it.
   */
  readonly load: (authenticity: Authenticity) => Promise<State | undefined>;
  /** Begins a journal for this state, which contains all earlier waves. */
  readonly begin: (base: State, writer: Writer) => Promise<void>;
  /**
   * Resolves when the next wave may begin: the records that arrive until then go with it. Without it a wave begins as soon
   * as the one before is durable.
   */
  readonly gather?: () => Promise<void>;
  /**
   * Adds records and deployments; they are durable when this resolves. A wave is plain JSON; `withWaves` applies waves to the
   * state that they began with.
   */
  readonly add: (wave: Wave, writer: Writer) => Promise<void>;
  /** Replaces the state, and removes the journal. */
  readonly save: (state: State, writer: Writer) => Promise<void>;
  /** Removes the state and its journal. */
  readonly remove: (writer: Omit<Writer, 'authenticity'>) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** The holder of the lease that writes. */
export interface Writer {
  /** The counter of the lease; 0 without one. */
  readonly counter: number;
  /** Seals what is written. */
  readonly authenticity: Authenticity;
  /** The last question before a write takes effect. @throws Stop when nothing may be written any more. */
  readonly check: () => void;
  /** The same, after asking the location: for storage that does not reject writes without the lease. */
  readonly confirm: () => Promise<void>;
}

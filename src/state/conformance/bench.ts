import type { Lease } from '../lease.ts';
import type { State, StateStore } from '../state.ts';
import type { ProcessTime, VirtualProcess } from './virtual-processes.ts';

/** A location of states under test, with the time and the disasters of the test. */
export interface Ground {
  readonly time: ProcessTime;
  /** Opens the state for a process; `name` is another state in the same location. */
  readonly open: (process: VirtualProcess, name?: string) => Promise<StateStore>;
  /**
   * The process ends at its n-th operation from now on: nothing that it does takes effect then, or only that one does.
   * Resolves when it has ended.
   */
  readonly dieAt: (process: VirtualProcess, at: number, where: Where) => Promise<void>;
  /** From now on no process reaches the location; `mend` ends that. */
  readonly breakDown: () => void;
  readonly mend: () => void;
  /** Number of bytes written so far. */
  readonly written: () => number;
  readonly close: () => Promise<void>;
}

/** The facts that all locations of one backend share. */
export interface Facts {
  /** Others reach it from anywhere: it keeps a writer out whose time is over, whatever that believes. */
  readonly isShared: boolean;
}

/** Tells whether the last operation of a process takes effect. */
export type Where = 'before' | 'after';

/** A process that has opened the state. */
interface Entered {
  readonly process: VirtualProcess;
  readonly store: StateStore;
}

/** The tools of one test. */
export interface Bench {
  readonly ground: Ground;
  readonly time: ProcessTime;
  /** A new process, which opens the state. */
  readonly begin: (about?: { machine?: string }) => Promise<Entered>;
  /** A new process that takes the lock. */
  readonly enter: (about?: {
    machine?: string;
    purpose?: string;
    timeoutMs?: number;
  }) => Promise<Entered & { readonly lease: Lease }>;
  /** Closes the state and ends the process. */
  readonly leave: (entered: Entered) => Promise<void>;
  /** The state as a new process reads it. */
  readonly readAnew: () => Promise<State | undefined>;
  readonly resourcesNow: () => Promise<State['resources'] | undefined>;
  readonly isShared: boolean;
}

/** Tests by their titles. */
export type Cases = Readonly<Record<string, (bench: Bench) => Promise<void>>>;

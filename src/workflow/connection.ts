import type { Ask } from '../api/ask-address.ts';
import type { Client, ReadClient } from '../api/client.ts';
import type { Kind } from '../kind/kind.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Plan } from '../plan/action.ts';
import type { ReadAhead } from '../observe/read-ahead.ts';
import type { Values } from '../plan/shown-values.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { Clock } from '../state/clock.ts';
import type { StateStore } from '../state/state.ts';

/** Where a run reads and writes. */
export interface Connection {
  readonly client: Client;
  readonly store: StateStore;
  /**
   * Refuses to begin a state for a manifest where another one probably has its objects; by default none is refused.
   *
   * @throws {Stop} `refused`
   */
  readonly mayBegin?: ((manifest: Pick<Manifest, 'resources' | 'settings'>) => void) | undefined;
  /** What a plan must not delete or begin to manage, because other manifests name it, as errors; by default nothing is. */
  readonly namedElsewhere?: ((made: Plan) => Promise<readonly Diagnostic[]>) | undefined;
  readonly kinds: readonly Kind[];
  /** The address of the platform as messages name it, or `platform: emulator`. */
  readonly endpoint: string;
  /** Told of every value that must not show in text that comes from elsewhere. */
  readonly addSecret: Redactor['add'];
  /** The clock of this machine, unless another one is given. */
  readonly clock?: Clock;
  /** Asks addresses after deployments, as probes say; by default none is asked. */
  readonly ask?: Ask | undefined;
  /** The values that a plan shows; `usual` by default. */
  readonly values?: Values | undefined;
  /**
   * Whether a plan finds out what the platform serves: where the state remembers nothing of that, or `again`. By default it
   * is what the contract of the client says.
   */
  readonly discovers?: boolean | 'again';
  /** Ends the pauses of a plan, which then throws a Stop. */
  readonly signal?: AbortSignal | undefined;
  /** What is read of the state and the platform while the manifest is checked. */
  readonly ahead?: ReadAhead | undefined;
}

/** Where a plan reads. */
export type ReadConnection = Omit<Connection, 'client'> & { readonly client: ReadClient };

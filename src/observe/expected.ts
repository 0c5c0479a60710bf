import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Kind } from '../kind/kind.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Clock } from '../state/clock.ts';
import type { StateRecord } from '../state/record.ts';
import type { Caller } from './hidden.ts';
import type { KeyIndex } from './match.ts';
import type { Reader } from './reader.ts';

/** One row as a list gave it. */
export interface Listed {
  readonly row: Row;
  readonly parentRow: Row | undefined;
  readonly parentId: string | undefined;
  readonly link: ParentLink;
}

/** One address that may be on the platform: declared, remembered, or both. */
export interface Expected {
  readonly address: string;
  readonly kind: Kind;
  readonly resource: Resource | undefined;
  readonly record: StateRecord | undefined;
}

/** What finding the objects of one kind needs. */
export interface IdentifyInput {
  readonly reader: Reader;
  readonly clock: Clock;
  /** Ends the pause before a second look, which then ends the run. */
  readonly signal?: AbortSignal | undefined;
  /** All that there are: a list is found by the kind that it is below. */
  readonly kinds: readonly Kind[];
  readonly caller: Caller;
  /** Of one kind. */
  readonly items: readonly Expected[];
  readonly rows: ReadonlyMap<string, Listed>;
  /** The id of the object at an address that was found earlier. */
  readonly idOf: (address: string) => string | undefined;
  readonly outputs: Outputs;
  /** Makes the digest of a text with the state's key. */
  readonly digest: (text: string) => string;
  readonly diagnostics: Diagnostic[];
}

/** The same, with what searches the rows: an index below each parent, those at the top below ''. */
export interface SearchInput extends IdentifyInput {
  readonly indexes: ReadonlyMap<string, KeyIndex>;
}

/** An object that is what an address wants. */
export interface Match {
  readonly item: Expected;
  readonly id: string;
}

/** Whether an object is that of an address. What is let go of in this run, because it cannot be deleted, may be taken over. */
export function isKept(owner: Expected | undefined): boolean {
  return owner !== undefined && (owner.resource !== undefined || owner.kind.operations.delete !== undefined);
}

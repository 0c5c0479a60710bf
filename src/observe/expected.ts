import { position } from '../manifest/tree.ts';
import type { Diagnostic, Position } from '../diagnostics/diagnostic.ts';
import { type Kind, root } from '../kind/kind.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import type { Digests } from '../secrets/digest.ts';
import type { Clock } from '../state/clock.ts';
import type { StateRecord } from '../state/record.ts';
import type { Search } from './match.ts';
import {
  type Caller,
  type DuplicateObject,
  type Listed,
  type ObservedObject,
  type Parent,
  type Place,
  fromContext,
} from './observed.ts';
import type { Reader } from './reader.ts';

/** The input of observing. */
export interface ObserveInput {
  readonly reader: Reader;
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  readonly records: Readonly<Record<string, StateRecord>>;
  /** Id of the project; where no state knows it, its name may stand here. */
  readonly projectId: string;
  /** Where the manifest names the project. */
  readonly projectAt: Position | undefined;
  readonly clock: Clock;
  /** When the first of what the reader gives was read (monotonic ms). */
  readonly since: number;
  /** Ends the pause before a second look, which then ends the run. */
  readonly signal: AbortSignal | undefined;
  readonly digests: Digests;
  /** true: the manifest has one environment of its own, and the others of the project are those of other manifests. */
  readonly ownsOneEnvironment: boolean;
  /** The addresses that are read; undefined: all. Of the others, those are read too that a list lacks. */
  readonly only: ReadonlySet<string> | undefined;
  /** Lists with an operation of their own are read below each object of the project, also where nothing is expected in them. */
  readonly readsEveryList: boolean;
}

/** One address that may be on the platform: declared, in the state, or both. */
export interface Expected {
  readonly address: string;
  readonly kind: Kind;
  readonly resource: Resource | undefined;
  readonly record: StateRecord | undefined;
}

/** An address, the id of its object, and how that was found. */
export interface Claim {
  readonly item: Expected;
  readonly id: string;
  readonly foundBy: ObservedObject['foundBy'];
}

/** The input of finding the objects of one kind. */
export interface IdentifyInput extends Pick<ObserveInput, 'reader' | 'kinds' | 'clock' | 'signal' | 'digests'> {
  readonly caller: Caller;
  readonly kind: Kind;
  /** The addresses of this kind. */
  readonly items: readonly Expected[];
  /** Whether an address is read; the object of another one stays its own all the same. */
  readonly isRead: (item: Expected) => boolean;
  /** What the lists of this kind show, by id. */
  readonly rows: ReadonlyMap<string, Listed>;
  /** Searches the rows by natural key. */
  readonly search: Search;
  /** The id of the object at an address that was found earlier. */
  readonly idOf: (address: string) => string | undefined;
  /** The object with an id that was found earlier. */
  readonly parentWith: (id: string) => Parent | undefined;
  /** Whether a list of this project or organization shows an object, or the object was found inside it earlier. */
  readonly isInside: (kind: string, id: string) => boolean;
  readonly outputs: Outputs;
  readonly diagnostics: Diagnostic[];
  readonly duplicates: DuplicateObject[];
}

/** Whether losing an object does harm: one that Trueup can neither create nor delete is never created twice. */
export function canBeLost({ operations }: Kind): boolean {
  return operations.create !== undefined || operations.delete !== undefined;
}

/** The id of the object that an address is below, by the state, or by its block when the state does not have it. */
export function parentIdOf({ kind, caller, idOf }: IdentifyInput, { resource, record }: Expected): string | undefined {
  const parent = record === undefined ? resource?.parent : (record.parent ?? undefined);
  if (parent !== undefined) return idOf(parent);
  return topIdOf(kind, caller);
}

/** The id that the run gives to what is above the objects of a kind at the top; undefined for kinds with parents only. */
export function topIdOf({ parents: { [root]: link } }: Kind, place: Place): string | undefined {
  return link === undefined ? undefined : (fromContext(link.set[link.idAt], place) ?? place.organizationId);
}

/** The address of a diagnostic, and its line when the address is declared. */
export function positionOf({ address, resource }: Pick<Expected, 'address' | 'resource'>) {
  return { address, position: resource && position(resource.at) };
}

import type { ReadClient } from '../api/client.ts';
import { type Kind, root } from '../kind/kind.ts';
import type { Clock } from '../state/clock.ts';
import type { StateRecord } from '../state/record.ts';
import type { State } from '../state/state.ts';
import { platformVersion } from './discover.ts';
import { isAlwaysListed } from './observe.ts';
import { isReadAlone } from './read-object.ts';
import { type Reader, createReader } from './reader.ts';

/** What a run reads for its state alone, before it knows the resources of its manifest. The first plan of the run takes it. */
export interface ReadAhead {
  /** What was read; undefined when it was taken already. Never throws. */
  take(): Ahead | undefined;
}

interface Ahead {
  /** The state that it is of. */
  readonly state: State;
  /** When its reads began (monotonic ms). */
  readonly since: number;
  /** The version of the platform, where that is read. */
  readonly version: ReturnType<typeof platformVersion> | undefined;
  /** A reader that gives each of these answers once, and reads everything else. */
  over(reader: Reader): Reader;
}

/**
 * Begins the reads that a plan of any manifest with this state sends as well: who acts, the lists at the top, and each object
 * of the state that no list shows whole. `projectId` is as in the input of observing; with `only`, the plan reads just these
 * addresses and others that they need. Never throws: whoever takes an answer learns of its failure.
 */
export function readAhead(
  client: ReadClient,
  {
    kinds,
    state,
    projectId,
    only,
    readsVersion,
    clock,
  }: {
    readonly kinds: readonly Kind[];
    readonly state: State;
    readonly projectId: string;
    readonly only: ReadonlySet<string> | undefined;
    readonly readsVersion: boolean;
    readonly clock: Clock;
  },
): ReadAhead {
  const since = clock.monotonic();
  const version = readsVersion ? platformVersion(client, { inBulk: true }) : undefined;
  const records = Object.entries(state.resources).filter(([address]) => only?.has(address) !== false);
  const answers = answersFor(createReader(client, 'in bulk'), { kinds, state, records, projectId });
  for (const answer of [version, ...answers.values()]) answer?.catch(() => undefined);
  let ahead: Ahead | undefined = { state, since, version, over: (reader) => readerOver(answers, reader) };
  return {
    take: () => {
      const taken = ahead;
      ahead = undefined;
      return taken;
    },
  };
}

/** The answers to such reads, by the key of each read; `records` are those of them in the state, by address. */
function answersFor(
  reader: Reader,
  {
    kinds,
    state: { resources },
    records,
    projectId,
  }: {
    readonly kinds: readonly Kind[];
    readonly state: State;
    readonly records: readonly (readonly [string, StateRecord])[];
    readonly projectId: string;
  },
): Map<string, Promise<unknown>> {
  const known = new Set(records.map(([, { kind }]) => kind));
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const answers = new Map<string, Promise<unknown>>([['caller', reader.caller()]]);
  for (const kind of kinds) {
    if (kind.parents[root] === undefined || !(known.has(kind.kind) || isAlwaysListed(kind))) continue;
    answers.set(listKey(kind, projectId), reader.rows(kind, { place: { projectId } }));
  }
  for (const [, record] of records) {
    const kind = byName.get(record.kind);
    const above = (record.parent === null ? undefined : resources[record.parent]?.kind) ?? root;
    if (kind === undefined || record.id === null || !isReadAlone(kind, above, record)) continue;
    const key = rowKey(kind, record.id);
    if (!answers.has(key)) answers.set(key, reader.row(kind, record.id));
  }
  return answers;
}

/** A reader that gives each answer once, and reads everything else. */
function readerOver(answers: Map<string, Promise<unknown>>, reader: Reader): Reader {
  const take = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const answer = answers.get(key) as Promise<T> | undefined; // the same method of a reader gave it
    answers.delete(key);
    return answer ?? read();
  };
  return {
    ...reader,
    caller: () => take('caller', () => reader.caller()),
    row: (kind, id) => take(rowKey(kind, id), () => reader.row(kind, id)),
    rows: (kind, list) =>
      list.parent === undefined
        ? take(listKey(kind, list.place.projectId), () => reader.rows(kind, list))
        : reader.rows(kind, list),
  };
}

const rowKey = ({ kind }: Kind, id: string): string => `row ${kind} ${id}`;
const listKey = ({ kind }: Kind, projectId = ''): string => `list ${kind} ${projectId}`;

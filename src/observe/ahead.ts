import type { ReadClient } from '../api/client.ts';
import type { Kind } from '../kind/kind.ts';
import { root } from '../kind/kind.ts';
import type { StateRecord } from '../state/record.ts';
import type { Clock } from '../state/clock.ts';
import type { State } from '../state/state.ts';
import { platformVersion } from './capabilities.ts';
import { isAlwaysListed } from './observe.ts';
import { isReadAlone } from './read-object.ts';
import type { Reader } from './reader.ts';
import { createReader } from './reader.ts';

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
 * of the state that no list shows whole. `projectId` is as in the input of observing. Never throws: whoever takes an answer
 * learns of its failure.
 */
export function readAhead(
  client: ReadClient,
  {
    kinds,
    state,
    projectId,
    readsVersion,
    clock,
  }: {
    readonly kinds: readonly Kind[];
    readonly state: State;
    readonly projectId: string;
    readonly readsVersion: boolean;
    readonly clock: Clock;
  },
): ReadAhead {
  const since = clock.monotonic();
  const { resources: records } = state;
  const reader = createReader(client, 'in bulk');
  const known = new Set(Object.values(records).map(({ kind }) => kind));
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const top = kinds.filter((kind) => kind.parents[root] && (known.has(kind.kind) || isAlwaysListed(kind)));
  const answers = new Map<string, Promise<unknown>>();
  const begin = (key: string, answer: Promise<unknown>): void => {
    answer.catch(() => undefined);
    answers.set(key, answer);
  };
  const take = <T>(key: string, read: () => Promise<T>): Promise<T> => {
    const answer = answers.get(key) as Promise<T> | undefined; // `begin` had the same method of a reader
    answers.delete(key);
    return answer ?? read();
  };
  const version = readsVersion ? platformVersion(client, { inBulk: true }) : undefined;
  version?.catch(() => undefined);
  begin('caller', reader.caller());
  for (const kind of top) begin(listKey(kind, projectId), reader.rows(kind, { place: { projectId } }));
  for (const record of Object.values(records)) {
    const kind = byName.get(record.kind);
    if (kind === undefined || record.id === null || !isReadAlone(kind, aboveOf(record, records), record)) continue;
    const { id } = record;
    if (!answers.has(rowKey(kind, id))) begin(rowKey(kind, id), reader.row(kind, id));
  }
  const ahead: Ahead = {
    state,
    since,
    version,
    over: (later) => ({
      ...later,
      caller: () => take('caller', () => later.caller()),
      row: (kind, id) => take(rowKey(kind, id), () => later.row(kind, id)),
      rows: (kind, list) =>
        list.parent === undefined
          ? take(listKey(kind, list.place.projectId), () => later.rows(kind, list))
          : later.rows(kind, list),
    }),
  };
  let isTaken = false;
  return {
    take: () => {
      if (isTaken) return undefined;
      isTaken = true;
      return ahead;
    },
  };
}

function aboveOf({ parent }: StateRecord, records: State['resources']): string {
  return (parent === null ? undefined : records[parent]?.kind) ?? root;
}

const rowKey = ({ kind }: Kind, id: string): string => `row ${kind} ${id}`;
const listKey = ({ kind }: Kind, projectId = ''): string => `list ${kind} ${projectId}`;

import type { Json, Row } from './json.ts';
import { member, same } from './json.ts';
import type { Kind, Verb } from './kind.ts';
import { idMember, takes, valueAt } from './wire.ts';

/** A way of telling an object something that the platform has an operation for. */
export type Way = Extract<Verb, { readonly call: unknown }>;

/** The ways of telling objects of a kind something; none when they cannot be told that. */
export function waysOf(kind: Kind, verb: string): readonly Verb[] {
  const { verbs = {} } = kind;
  const ways = Object.hasOwn(verbs, verb) ? verbs[verb] : undefined;
  return ways === undefined ? [] : [ways].flat();
}

/** The way that fits an object as it was read. */
export function wayFor(kind: Kind, verb: string, row: Row): Verb | undefined {
  return waysOf(kind, verb).find(({ when = {} }) =>
    Object.entries(when).every(([name, value]) => same(member(row, name) ?? null, value)),
  );
}

/** The operations that answer only when the work that they order is over, which may take minutes. */
export function lateOperations(kinds: readonly Kind[]): ReadonlySet<string> {
  const ways = kinds.flatMap((kind) => Object.keys(kind.verbs ?? {}).flatMap((verb) => waysOf(kind, verb)));
  return new Set(ways.flatMap((way) => ('call' in way && way.answers === 'late' ? [way.call] : [])));
}

/** What the operation is sent: the id where it takes one, and what else it takes of the row. */
export function verbInput(kind: Kind, { call, with: members = {} }: Way, id: string, row: Row): Row {
  const input: Record<string, Json> = {};
  const name = idMember(kind, call);
  if (takes(call, name)) input[name] = id;
  for (const [as, from] of Object.entries(members)) {
    const value = valueAt(row, from) ?? null;
    if (value !== null) input[as] = value;
  }
  return input;
}

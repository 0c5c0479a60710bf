/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };

/** One record of the world, or one input: members by name. */
export type Row = Record<string, Json>;

/** The text of a member that is known to hold one; fails loudly where it does not. */
export function textOf(row: Row, member: string): string {
  const value = row[member];
  if (typeof value !== 'string') throw new Error(`expected text in "${member}"`);
  return value;
}

/** The text of a member, or something else where it holds none. */
export function textOr(row: Row | undefined, member: string, fallback = ''): string {
  const value = row?.[member];
  return typeof value === 'string' ? value : fallback;
}

/** Only the named members of a row, in that order; null for those it does not have. */
export function pick(row: Row, members: readonly string[]): Row {
  return Object.fromEntries(members.map((member) => [member, row[member] ?? null]));
}

/** A row without the named members. */
export function omit(row: Row, members: readonly string[]): Row {
  return Object.fromEntries(Object.entries(row).filter(([member]) => !members.includes(member)));
}

/** Returns true for a map, which is neither a list nor null. */
export function isMap(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The texts of a list. */
export function namesIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

/** The objects of a list. */
export function rowsIn(value: Json | undefined): Row[] {
  return (Array.isArray(value) ? value : []) as Row[]; // the contract lets only objects through
}

/** A value that is a map; an empty one for any other. */
export function mapOf(value: unknown): Row {
  return isMap(value) ? value : {};
}

/** The map in a text of JSON; an empty one for any other text. */
export function readMap(text: string): Row {
  try {
    return mapOf(JSON.parse(text));
  } catch {
    return {};
  }
}

import { withArticle } from '../diagnostics/article.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { type Row, isRow } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Caller } from './observed.ts';

/** An answer that has to be an object; anything else stops the run, because it proves nothing. */
export function asRow(answer: unknown, operation: string): Row {
  if (isRow(answer)) return answer;
  throw unusable(operation, 'is not an object');
}

/**
 * The row of the object with an id. A gateway in maintenance answers 200 to everything, and a proxy can give the answer to
 * another request: a row without that id proves nothing about the object, least of all that it is gone.
 */
export function asRowOf(answer: unknown, operation: string, kind: Kind, id: string): Row {
  const row = asRow(answer, operation);
  if (rowId(kind, row) === id) return row;
  throw unusable(operation, `is not the ${kind.kind} ${id} that was asked for`);
}

/** The answer to `user.get`: the user in an organization. @throws {Stop} `platform`, when it names none. */
export function asCaller(answer: unknown): Row {
  const caller = asRow(answer, 'user.get');
  const { organizationId } = caller;
  if (typeof organizationId === 'string' && organizationId !== '') return caller;
  throw unusable('user.get', 'names no organization');
}

/** The owner of the API key: who, where, and with what role. @throws {Stop} `platform`, when a row names none. */
export function callerOf({ organizationId, userId, role }: Row): Omit<Caller, 'projectId'> {
  if (typeof organizationId === 'string' && typeof userId === 'string') {
    return { organizationId, userId, role: String(role) };
  }
  throw stop('platform', 'platform-answer', 'the answer to user.get names no organization or no user');
}

/** The rows of a list, by id. An answer that is no list of rows with ids stops the run: it is not an empty list. */
export function asRows(
  answer: unknown,
  operation: string,
  kind: Kind,
  list?: { readonly parentId: string | undefined },
): ReadonlyMap<string, Row> {
  const listed = kind.rowsFrom === undefined ? answer : kind.rowsFrom(answer, list);
  if (!Array.isArray(listed)) throw unusable(operation, `has no list of ${kind.section}`);
  return new Map(
    listed.map((item: unknown) => {
      const id = isRow(item) ? rowId(kind, item) : undefined;
      if (!isRow(item) || id === undefined)
        throw unusable(operation, `lists ${withArticle(kind.kind)} without ${kind.identity.id}`);
      return [id, item];
    }),
  );
}

/** The rows of a kind in the row of their parent, by id; undefined when the platform does not list them there. */
export function rowsIn(kind: Kind, parent: Kind, row: Row): ReadonlyMap<string, Row> | undefined {
  const listed = kind.parents[parent.kind]?.listed;
  if (listed === undefined || !('at' in listed)) return undefined;
  return asRows(row[listed.at], parent.operations.read, kind);
}

/** The id in a row. */
export function rowId(kind: Kind, row: Row): string | undefined {
  const there = row[kind.identity.id];
  const id: unknown = Array.isArray(there) ? there.map(String).toSorted((a, b) => (a < b ? -1 : 1))[0] : there;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function unusable(operation: string, what: string): Stop {
  return stop('platform', 'platform-answer', `the answer to ${operation} ${what}`, {
    remedy: 'Check that the address is the platform itself and not a proxy or a login page.',
  });
}

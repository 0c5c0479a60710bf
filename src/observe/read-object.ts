import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import { fieldOfAttribute } from '../kind/attribute.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Kind } from '../kind/kind.ts';
import { valueAt } from '../kind/wire.ts';
import { rowId } from './answers.ts';
import type { Expected, IdentifyInput } from './expected.ts';
import type { ObservedObject } from './observed.ts';
import { observedObject } from './observed.ts';

/**
 * Makes the object of an address from its row in a list, or reads it where that row does not hold enough. Undefined: one
 * look does not show it, which does not prove that it is gone.
 */
export async function readObject(
  input: IdentifyInput,
  item: Expected,
  id: string,
  foundBy: ObservedObject['foundBy'],
): Promise<ObservedObject | undefined> {
  const { kind } = item;
  const entry = input.rows.get(id);
  if (entry !== undefined && !needsRead(entry.link, item)) {
    return toObject(input, item, { id, foundBy, row: entry.row, parentId: entry.parentId });
  }
  if (entry === undefined && isInWholeRow(kind) && foundBy === 'id') return undefined;
  return readById(input, item, id, foundBy);
}

/** Whether lists hold everything of the objects of a kind. */
export function isInWholeRow(kind: Kind): boolean {
  return Object.values(kind.parents).every((link) => link.rows === 'whole');
}

/** Reads the object of an address by its id. Undefined: the platform answers that it has none. */
export async function readById(
  input: IdentifyInput,
  item: Expected,
  id: string,
  foundBy: ObservedObject['foundBy'],
): Promise<ObservedObject | undefined> {
  const { kind } = item;
  const row = await input.reader.row(kind, id);
  if (row === undefined) return undefined;
  if (rowId(kind, row) !== id) throw new Stop('platform', [wrongObject(kind, id)]);
  const entry = input.rows.get(id);
  const parentId = entry?.parentId ?? parentIn(kind, row)?.id;
  return toObject(input, item, { id, foundBy, row: { ...entry?.row, ...row }, parentId });
}

/** The parent that a row names: its kind, or the root, and its id. Undefined when the row names none. */
export function parentIn(kind: Kind, row: Row): { readonly above: string; readonly id: string } | undefined {
  for (const [above, { idAt }] of Object.entries(kind.parents)) {
    const id = valueAt(row, idAt);
    if (typeof id === 'string') return { above, id };
  }
  return undefined;
}

function toObject(
  { rows }: IdentifyInput,
  { kind }: Expected,
  { row, ...facts }: Omit<ObservedObject, 'isProvided'>,
): ObservedObject {
  const isProvided = kind.lifecycle?.provided?.is(row, rows.get(facts.id)?.parentRow ?? {}) === true;
  return observedObject({ ...facts, row, isProvided });
}

function needsRead(link: ParentLink, { resource, record }: Expected): boolean {
  if (link.rows === 'whole') return false;
  if (link.rows === 'summary') return true;
  const settled = new Set(Object.keys(record?.pairs ?? {}).map(fieldOfAttribute));
  return link.rows.without.some(
    (name) => resource?.fields[name] !== undefined || resource?.maps[name] !== undefined || settled.has(name),
  );
}

function wrongObject(kind: Kind, id: string): Diagnostic {
  return diagnostic(
    'platform-answer',
    `the answer to ${kind.operations.read} is not the ${kind.kind} ${id} that was asked for`,
  );
}

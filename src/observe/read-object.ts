import type { Row } from '../formats/json.ts';
import { type Kind, root } from '../kind/kind.ts';
import { valueAt } from '../kind/row-values.ts';
import { fieldOfAttribute } from '../kind/attribute.ts';
import type { StateRecord } from '../state/record.ts';
import type { Claim, Expected, IdentifyInput } from './expected.ts';
import { type ObservedObject, fromContext, observedObject } from './observed.ts';

/**
 * Makes the object of a claim from its row in a list, or reads it where that row does not hold enough. Undefined: one
 * look does not show it, which does not prove that it is gone.
 */
export async function readObject(input: IdentifyInput, claim: Claim): Promise<ObservedObject | undefined> {
  const { item, id, foundBy } = claim;
  const entry = input.rows.get(id);
  if (entry !== undefined && !needsRead(entry.parent?.kind.kind ?? root, item))
    return toObject(input, claim, entry.row);
  if (entry === undefined && isInWholeRow(item.kind) && foundBy === 'id') return undefined;
  return readById(input, claim);
}

/** Whether lists hold everything of the objects of a kind. */
export function isInWholeRow(kind: Kind): boolean {
  return Object.values(kind.parents).every((link) => link.rows === 'whole');
}

/** Reads the object of a claim by its id. Undefined: the platform answers that it has none. */
export async function readById(input: IdentifyInput, claim: Claim): Promise<ObservedObject | undefined> {
  const { kind } = claim.item;
  const row = await input.reader.row(kind, claim.id);
  return row === undefined ? undefined : toObject(input, claim, withListed(row, input.rows.get(claim.id)?.row));
}

/** A row with what only its list shows. Usually that is nothing. */
function withListed(row: Row, listed: Row = {}): Row {
  const more = Object.entries(listed).filter(([name]) => !Object.hasOwn(row, name));
  return more.length === 0 ? row : { ...row, ...Object.fromEntries(more) };
}

/** The parent that a row names: its kind, or the root, and its id. Undefined when the row names none. */
export function parentIn(kind: Kind, row: Row): { readonly above: string; readonly id: string } | undefined {
  // What is below a server belongs to the organization too; what is not may name an empty id.
  const found = Object.entries(kind.parents).flatMap(([above, { idAt }]) => {
    const id = valueAt(row, idAt);
    return typeof id === 'string' && id !== '' ? [{ above, id }] : [];
  });
  return found.find(({ above }) => above !== root) ?? found[0];
}

function toObject({ rows, caller }: IdentifyInput, { item: { kind }, id, foundBy }: Claim, row: Row): ObservedObject {
  const entry = rows.get(id);
  const link = entry === undefined ? undefined : kind.parents[root];
  const parentId = entry?.parent?.id ?? fromContext(link?.set[link.idAt], caller) ?? parentIn(kind, row)?.id;
  const isProvided = kind.lifecycle?.provided?.is(row, entry?.parent?.row ?? {}) === true;
  return observedObject({ id, foundBy, row, parentId, isProvided });
}

/** Whether an object of the state below that kind is read by its id, whatever the manifest says. */
export function isReadAlone(kind: Kind, above: string, record: StateRecord): boolean {
  return !isInWholeRow(kind) && needsRead(above, { kind, resource: undefined, record });
}

function needsRead(above: string, { kind, resource, record }: Pick<Expected, 'kind' | 'resource' | 'record'>): boolean {
  const { rows = 'whole' } = kind.parents[above] ?? {};
  if (rows === 'whole') return false;
  if (rows === 'summary') return true;
  const settled = new Set(Object.keys(record?.pairs ?? {}).map(fieldOfAttribute));
  return rows.without.some(
    (name) => resource?.fields[name] !== undefined || resource?.maps[name] !== undefined || settled.has(name),
  );
}

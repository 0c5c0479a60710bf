import { PlatformError } from '../api/errors.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { ParentLink } from '../kind/identity.ts';
import type { Kind } from '../kind/kind.ts';
import { idMember, valueAt } from '../kind/wire.ts';
import { fieldOfPart, resourcePosition } from '../manifest/resource.ts';
import { asRow, rowId } from './answers.ts';
import type { Expected, IdentifyInput } from './expected.ts';
import type { ObservedObject } from './observed.ts';
import { observedObject } from './observed.ts';

/** Makes the object of an address from its row in a list, or reads it where that does not hold enough. */
export async function readObject(
  { client, rows, diagnostics }: IdentifyInput,
  item: Expected,
  id: string,
  foundBy: ObservedObject['foundBy'],
): Promise<ObservedObject | undefined> {
  const { kind, resource } = item;
  const entry = rows.get(id);
  const make = (row: Row, parentId: string | undefined): ObservedObject =>
    observedObject({
      id,
      row,
      parentId,
      foundBy,
      isProvided: kind.lifecycle?.provided?.is(row, entry?.parentRow ?? {}) === true,
    });
  if (entry !== undefined && !needsRead(entry.link, item)) return make(entry.row, entry.parentId);
  const isLeaf = entry === undefined && Object.values(kind.parents).every((link) => link.rows === 'whole');
  // A leaf that its parent's whole row does not hold is gone.
  if (isLeaf && foundBy === 'id') return undefined;
  try {
    const row = asRow(
      await client.invoke(kind.operations.read, { [idMember(kind, kind.operations.read)]: id }),
      kind.operations.read,
    );
    if (rowId(kind, row) !== id) throw new Stop('platform', [wrongObject(kind, id)]);
    const link = entry?.link ?? resource?.link ?? Object.values(kind.parents)[0];
    const parentId = entry?.parentId ?? (link === undefined ? undefined : valueAt(row, link.idAt));
    return make({ ...entry?.row, ...row }, typeof parentId === 'string' ? parentId : undefined);
  } catch (error) {
    if (!(error instanceof PlatformError) || error.failure !== 'not found') throw error;
    if (foundBy === 'pin' && resource !== undefined) {
      diagnostics.push(
        diagnostic('not-found', `the platform has no ${kind.kind} with id ${id}`, {
          remedy: 'Correct id:, or remove the line to have a new one created.',
          address: resource.address,
          position: resourcePosition(resource),
        }),
      );
    }
    return undefined;
  }
}

function needsRead(link: ParentLink, { resource, record }: Expected): boolean {
  if (link.rows === 'whole') return false;
  if (link.rows === 'summary') return true;
  const settled = new Set(Object.keys(record?.pairs ?? {}).map(fieldOfPart));
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

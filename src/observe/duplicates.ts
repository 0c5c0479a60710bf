import { attempts } from '../api/attempts.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Found } from './absence.ts';
import { type Expected, type IdentifyInput, positionOf } from './expected.ts';
import { isAlike, naturalKey, rowKey } from './match.ts';
import type { ObservedObject } from './observed.ts';

/**
 * Warns of objects that a create may have made beside the one that has the address: those with the key of a create that was
 * sent more than once, and those with the key of the object that were created at about the same time, because something
 * on the way can deliver a create twice.
 */
export async function reportDuplicates(
  input: IdentifyInput,
  found: Found,
  isClaimed: (id: string) => boolean,
): Promise<void> {
  const isFree = (id: string) => !isClaimed(id);
  const free = [...input.rows].filter(([id]) => isFree(id));
  const parents = new Set(free.map(([, { parent }]) => parent?.id ?? ''));
  if (free.length === 0) return; // nearly always
  for (const item of input.items) {
    const { address, resource, record } = item;
    const own = record?.id ?? undefined;
    // A block without its own object is matched by its key, and finds the duplicate.
    if (own === undefined || (resource !== undefined && !input.rows.has(own))) continue;
    const sent = [...new Set(withKeysSent(input, item))].filter(isFree);
    const isAmong = parents.has(input.rows.get(own)?.parent?.id ?? '');
    const beside = isAmong ? await createdBeside(input, found.get(address), isFree) : [];
    const duplicates = [...new Set([...sent, ...beside])];
    if (duplicates.length === 0) continue;
    const why =
      sent.length === duplicates.length
        ? 'its create was sent more than once'
        : 'same key, created at about the same time';
    const message = `${address} (${own}) may have a duplicate: ${duplicates.join(', ')}; ${why}`;
    const remedy = 'Look at them on the platform, and delete those that you do not need.';
    input.duplicates.push(...duplicates.map((id) => ({ kind: item.kind.kind, id, address })));
    input.diagnostics.push(diagnostic('duplicate', message, { ...positionOf(item), remedy }));
  }
}

/** The objects with the keys that the creates sent, whatever the block says today. */
function withKeysSent({ rows, search, outputs }: IdentifyInput, { resource, record }: Expected): readonly string[] {
  return (record?.duplicates ?? []).flatMap(({ key, below = '' }) => {
    if (key !== undefined) return search(key, below);
    return search(naturalKey(resource, outputs), rows.get(record?.id ?? '')?.parent?.id ?? '');
  });
}

/**
 * The objects beside another one that have its key, and that one create can have made as well. The platform says when it
 * created most objects; of the others, all fields have to be alike. Reads those that the list holds in part.
 */
async function createdBeside(
  { kind, rows, search, reader }: IdentifyInput,
  own: ObservedObject | undefined,
  isFree: (id: string) => boolean,
): Promise<readonly string[]> {
  const listed = rows.get(own?.id ?? '');
  const key = own === undefined || own.isProvided ? undefined : rowKey(kind, own.row);
  if (own === undefined || listed === undefined || key === undefined) return [];
  const beside = search(key, listed.parent?.id ?? '').filter((id) => id !== own.id && isFree(id));
  const judged = await Promise.all(
    beside.map(async (id) => {
      const row = createdAt(rows.get(id)?.row) === undefined ? await reader.row(kind, id) : rows.get(id)?.row;
      return row !== undefined && isOfOneCreate(kind, own.row, row) ? [id] : [];
    }),
  );
  return judged.flat();
}

function isOfOneCreate(kind: Kind, own: Row, other: Row): boolean {
  const [one, two] = [createdAt(own), createdAt(other)];
  if (one === undefined || two === undefined) return isAlike(kind, own, other);
  return Math.abs(one - two) <= attempts.reading.clocksApartMs;
}

function createdAt(row: Row | undefined): number | undefined {
  const time = Date.parse(String(row?.['createdAt']));
  return Number.isNaN(time) ? undefined : time;
}

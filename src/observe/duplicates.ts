import { diagnostic } from '../diagnostics/diagnostic.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Expected, IdentifyInput, SearchInput } from './expected.ts';
import type { NaturalKey } from './match.ts';
import { naturalKey } from './match.ts';

/** Warns of objects with the key of a create that was sent more than once: each create may have made one. */
export function reportDuplicates(input: SearchInput, claimed: ReadonlyMap<string, Expected>): void {
  const { indexes } = input;
  for (const item of input.items) {
    if (item.record?.duplicates === undefined) continue;
    const { address, resource, record } = item;
    const own = record?.id ?? undefined;
    const bearing = placesOf(input, item).flatMap(({ key, below = '' }) => indexes.get(below)?.find(item, key) ?? []);
    const duplicates = [...new Set(bearing)].filter((id) => !claimed.has(id));
    // A block without its own object is matched by its key, and finds the duplicate.
    if (duplicates.length === 0 || own === undefined || (resource !== undefined && !input.rows.has(own))) continue;
    const message = `${address} (${own}) may have a duplicate: ${duplicates.join(', ')}; its create was sent more than once`;
    const remedy = 'Look at them on the platform, and delete those that nobody needs.';
    const about = { address, position: resource === undefined ? undefined : resourcePosition(resource), remedy };
    input.diagnostics.push(diagnostic('duplicate', message, about));
  }
}

/** A parent, and the key of the object below it. */
interface Place {
  readonly key: NaturalKey;
  readonly below?: string | undefined;
}

/** The places that the creates were sent to, whatever the block says today. */
function placesOf(input: IdentifyInput, item: Expected): readonly Place[] {
  return (item.record?.duplicates ?? []).flatMap(({ key, below }) => {
    return key === undefined ? ownPlace(input, item) : [{ key, below }];
  });
}

/** The place of the address itself. */
function ownPlace({ rows, outputs }: IdentifyInput, { resource, record }: Expected): readonly Place[] {
  const listed = rows.get(record?.id ?? '');
  const key = resource === undefined ? undefined : naturalKey(resource, outputs);
  const below = listed?.parentRow === undefined ? undefined : listed.parentId;
  return key === undefined ? [] : [{ key, below }];
}

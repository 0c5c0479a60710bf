import { diagnostic } from '../diagnostics/diagnostic.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Expected, IdentifyInput, SearchInput } from './expected.ts';
import type { NaturalKey } from './match.ts';
import { naturalKey } from './match.ts';

/** Tells of what bears a key with which a create was sent twice: both may have landed. It is never deleted. */
export function reportTwins(input: SearchInput, claimed: ReadonlyMap<string, Expected>): void {
  const { indexes } = input;
  for (const item of input.items) {
    if (item.record?.duplicates === undefined) continue;
    const { address, resource, record } = item;
    const own = record?.id ?? undefined;
    const bearing = placesOf(input, item).flatMap(({ key, below = '' }) => indexes.get(below)?.find(item, key) ?? []);
    const twins = [...new Set(bearing)].filter((id) => !claimed.has(id));
    // Without its own object a block is looked for by its key, and finds the twin.
    if (twins.length === 0 || own === undefined || (resource !== undefined && !input.rows.has(own))) continue;
    const message = `${address} (${own}) may have a twin: ${twins.join(', ')}, under the key with which its create was sent again`;
    const remedy = 'Look at them on the platform, and delete what nobody needs.';
    const about = { address, position: resource === undefined ? undefined : resourcePosition(resource), remedy };
    input.diagnostics.push(diagnostic('twin', message, about));
  }
}

/** A parent, and the key of the object below it. */
interface Place {
  readonly key: NaturalKey;
  readonly below?: string | undefined;
}

/** Where duplicates may be: where their creates were sent, whatever the block says today. */
function placesOf(input: IdentifyInput, item: Expected): readonly Place[] {
  return (item.record?.duplicates ?? []).flatMap(({ key, below }) => {
    return key === undefined ? ownPlace(input, item) : [{ key, below }];
  });
}

/** Where the object of an address is itself. */
function ownPlace({ rows, outputs }: IdentifyInput, { resource, record }: Expected): readonly Place[] {
  const listed = rows.get(record?.id ?? '');
  const key = resource === undefined ? undefined : naturalKey(resource, outputs);
  const below = listed?.parentRow === undefined ? undefined : listed.parentId;
  return key === undefined ? [] : [{ key, below }];
}

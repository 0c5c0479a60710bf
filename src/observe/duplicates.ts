import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Expected, IdentifyInput } from './expected.ts';
import { positionOf } from './expected.ts';
import { naturalKey } from './match.ts';

/** Warns of objects with the key of a create that was sent more than once: each create may have made one. */
export function reportDuplicates(input: IdentifyInput, isClaimed: (id: string) => boolean): void {
  for (const item of input.items) {
    const { address, resource, record } = item;
    const own = record?.id ?? undefined;
    // A block without its own object is matched by its key, and finds the duplicate.
    if (own === undefined || (resource !== undefined && !input.rows.has(own))) continue;
    const duplicates = [...new Set(bearing(input, item))].filter((id) => !isClaimed(id));
    if (duplicates.length === 0) continue;
    const message = `${address} (${own}) may have a duplicate: ${duplicates.join(', ')}; its create was sent more than once`;
    const remedy = 'Look at them on the platform, and delete those that you do not need.';
    input.duplicates.push(...duplicates.map((id) => ({ kind: item.kind.kind, id, address })));
    input.diagnostics.push(diagnostic('duplicate', message, { ...positionOf(item), remedy }));
  }
}

/** The objects with the keys that the creates sent, whatever the block says today. */
function bearing({ rows, search, outputs }: IdentifyInput, { kind, resource, record }: Expected): readonly string[] {
  return (record?.duplicates ?? []).flatMap(({ key, below = '' }) => {
    if (key !== undefined) return search(kind, key, below);
    return search(kind, naturalKey(resource, outputs), rows.get(record?.id ?? '')?.parent?.id ?? '');
  });
}

import type { CheckedMap, CheckedResource } from '../kind/checks.ts';
import { showing } from '../secrets/looks-secret.ts';
import type { Resource } from './resource.ts';
import { type Wanted, asWritten } from './wanted.ts';

/** A resource as checks get it, with the values of its fields and the texts of its maps that a caller knows. */
export function checkedResource(
  { address, kind, key, parent, fields, maps, mapMode, privateKeys }: Resource,
  known: Required<Pick<CheckedResource, 'values' | 'unknown'>> & {
    readonly textOf: (wanted: Wanted) => string | undefined;
  },
): CheckedResource {
  const { values, unknown, textOf } = known;
  const texts = Object.entries(maps).map(([name, entries]): [string, CheckedMap] => {
    const found = [...entries].map(([entry, wanted]) => [entry, textOf(wanted)] as const);
    return [name, { entries: new Map(found), isOwn: mapMode === 'own' }];
  });
  const shown = showing(privateKeys);
  const written = (name: string) => {
    const wanted = fields[name];
    return wanted === undefined ? undefined : asWritten(wanted);
  };
  return { address, kind: kind.kind, key, parent, values, unknown, written, maps: Object.fromEntries(texts), shown };
}

import { didYouMean } from '../diagnostics/closest.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { attributeName } from '../kind/attribute.ts';
import { resolvePath } from '../kind/aliases.ts';
import { fieldPath } from '../kind/row-values.ts';
import { shownKey } from './problem.ts';
import type { Report } from './report-at.ts';
import type { Block, Resource } from './resource.ts';
import { textOf } from './tree.ts';

/** The fields of a block: the key of each in its file, and those that are maps. */
interface WrittenFields extends Pick<Resource, 'maps'> {
  readonly writtenAs: ReadonlyMap<string, string>;
}

/** Finds the attributes that `createOnly:` of a block names, and reports names that the block does not write. */
export function createOnlyIn(
  { entries, kind }: Block,
  { writtenAs, maps }: WrittenFields,
  report: Report,
): ReadonlySet<string> | undefined {
  const list = entries.get('createOnly')?.node;
  if (list?.is !== 'list') return undefined;
  const tags = new Set(kind.unions?.map(({ tag }) => tag));
  const named = new Map<string, string>();
  const choosing = new Set<string>();
  for (const [field, written] of writtenAs) {
    for (const path of [fieldPath(kind, field), written]) {
      if (tags.has(field)) choosing.add(path);
      else named.set(path, field);
      for (const key of maps[field]?.keys() ?? []) named.set(`${path}.${key}`, attributeName({ field, key }));
    }
  }
  const found = new Set<string>();
  for (const item of list.items) {
    const written = textOf(item);
    if (written === undefined) continue; // reported as a wrong type
    const meant = resolvePath(written);
    const attribute = named.get(written) ?? named.get(meant);
    if (attribute !== undefined) {
      found.add(attribute);
      continue;
    }
    const isTag = choosing.has(written) || choosing.has(meant);
    const group = isTag ? written.slice(0, written.lastIndexOf('.') + 1) : `${written}.`;
    const below = group === '' ? [] : [...named.keys()].filter((path) => path.startsWith(group));
    const otherwise = named.size === 0 ? 'Remove the entry.' : `It writes ${someOf([...named.keys()])}.`;
    const remedy =
      below.length > 0 ? `Write ${below.join(' or ')}.` : didYouMean(written, [...named.keys()], otherwise);
    const message = isTag
      ? `createOnly: ${written} chooses which fields the block has`
      : `createOnly: this block does not write ${shownKey(written)}`;
    report('bad-reference', message, item.at, remedy);
  }
  return found.size === 0 ? undefined : found;
}

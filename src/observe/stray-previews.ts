import { type Kind, root } from '../kind/kind.ts';
import { readTop } from './project-id.ts';
import type { Reader } from './reader.ts';

/** An environment whose name is that of a preview which nothing knows. */
export interface Stray {
  readonly name: string;
  readonly id: string;
}

/**
 * The environments of a project that are called like previews and that are none of the known ones. Sends GETs only.
 *
 * @param stem the name that stands before the ids of previews, with its hyphen
 */
export async function strayPreviews(
  reader: Reader,
  kinds: readonly Kind[],
  { project, stem, known }: { readonly project: string; readonly stem: string; readonly known: ReadonlySet<string> },
): Promise<readonly Stray[]> {
  const kind = kinds.find(({ identity, parents }) => identity.addressedByKey === true && Object.hasOwn(parents, root));
  if (kind === undefined) return [];
  const { rows } = await readTop(reader, kind, { named: project });
  return [...(rows ?? [])].flatMap(([id, row]) => {
    const name = row[kind.identity.keyField ?? 'name'];
    const isStray = typeof name === 'string' && name.startsWith(stem) && !known.has(name);
    return isStray ? [{ name: reader.redact(name), id }] : [];
  });
}

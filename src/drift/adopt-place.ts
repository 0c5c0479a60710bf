import { fieldAlias } from '../kind/aliases.ts';
import type { Attribute } from '../kind/attribute.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldOf, fieldPath } from '../kind/row-values.ts';
import { blockPaths } from '../manifest/layers.ts';
import { pathTo } from '../manifest/path-to.ts';
import type { Resource } from '../manifest/resource.ts';
import { type Node, nodeAt } from '../manifest/tree.ts';
import type { Wanted } from '../manifest/wanted.ts';

/** The files of a stage. */
export interface StageFiles {
  readonly rootFile: string;
  /** The environment whose sections stand at the top of the files. */
  readonly environment: string | undefined;
  /** Returns true for a file that no other stage includes. */
  readonly isOwn: (file: string) => boolean;
  /** Values change where they stand, for all stages. */
  readonly isEverywhere: boolean;
}

/** What places are searched in. */
export interface Searched {
  readonly resources: readonly Resource[];
  /** The files, by name. */
  readonly texts: ReadonlyMap<string, string>;
  /** undefined: each value stands in one place, in a file that no other root file includes. */
  readonly stage?: StageFiles | undefined;
  readonly treeOf: (file: string) => Node | undefined;
}

/** Where an attribute stands, or would stand: the file, the keys to its block, and those to itself. */
export interface AttributePlace {
  readonly file: string;
  readonly block: readonly string[];
  readonly path: readonly string[];
}

/** A part of the files in which a block may stand: a file, or the changes of the root file. */
interface Layer {
  readonly file: string;
  /** The keys before those to a block. */
  readonly prefix: readonly string[];
}

/** What the stage may write into: later layers win. Without a stage, all files. */
function layersOf(resource: Resource, { stage, texts }: Searched, first: readonly string[] = []): readonly Layer[] {
  const files = [...new Set([...first, resource.at.file, ...(stage ? [stage.rootFile] : []), ...texts.keys()])];
  const plain = files.map((file) => ({ file, prefix: [] }));
  if (stage === undefined) return plain;
  const own = plain.filter(({ file }) => stage.isEverywhere || stage.isOwn(file));
  return [{ file: stage.rootFile, prefix: ['changes'] }, ...own];
}

/** Where an attribute is written, else where it is to be written. */
export function placeOf(resource: Resource, attribute: Attribute, searched: Searched): AttributePlace {
  const { treeOf, stage, resources } = searched;
  const { kind, fields, maps, at } = resource;
  const key = attribute.key === undefined ? [] : [attribute.key];
  const wanted = attribute.key === undefined ? fields[attribute.field] : maps[attribute.field]?.get(attribute.key);
  const written = stage?.isEverywhere === true ? whereWritten(wanted, searched) : undefined;
  if (written !== undefined) return written;
  const layers = layersOf(resource, searched, wanted === undefined ? [] : [wanted.at.file]);
  const blocks = blockPaths(resource, { resources, environment: stage?.environment });
  const has = (file: string, path: readonly string[]) => nodeAt(treeOf(file), path) !== undefined;
  const forms = formsOf(kind, attribute.field);
  const [usual = []] = forms;
  const all = layers.flatMap(({ file, prefix }) =>
    blocks.flatMap((path) => {
      const block = [...prefix, ...path];
      return forms.map((form) => ({ file, block, form: [...block, ...form], path: [...block, ...form, ...key] }));
    }),
  );
  // Where its map is, else where the block is.
  const found = all.find(({ file, path }) => has(file, path)) ?? all.find(({ file, form }) => has(file, form));
  if (found !== undefined) return found;
  const around = placeOfBlock(resource, searched);
  const block = around?.path ?? blocks[0] ?? [];
  return { file: around?.file ?? at.file, block, path: [...block, ...usual, ...key] };
}

/** Where a block, or one that it is below of, stands in what may be written; in a stage that has none, its changes. */
export function placeOfBlock(
  resource: Resource,
  searched: Searched,
): Pick<AttributePlace, 'file' | 'path'> | undefined {
  const { treeOf, stage, resources } = searched;
  const blocks = blockPaths(resource, { resources, environment: stage?.environment });
  // Changes come last: a block of this stage takes what is said of it.
  const layers = layersOf(resource, searched).toSorted((a, b) => a.prefix.length - b.prefix.length);
  const [first = []] = blocks;
  for (const up of stage === undefined ? [0] : levelsAbove(resource, searched))
    for (const { file, prefix } of layers)
      for (const path of blocks) {
        const around = path.slice(0, path.length - up);
        const node = around.length === 0 ? undefined : nodeAt(treeOf(file), [...prefix, ...around]);
        const isMeant = stage === undefined ? node !== undefined : node?.is === 'map';
        if (isMeant) return { file, path: [...prefix, ...path] };
      }
  return stage && { file: stage.rootFile, path: ['changes', ...first] };
}

/** How many keys stand between a block and each block around it that one file has as a whole; 0 for itself. */
function levelsAbove(resource: Resource, { resources }: Searched): readonly number[] {
  const levels = [0];
  for (let one = resource; one.parent !== undefined;) {
    const above = resources.find(({ address }) => address === one.parent);
    if (above === undefined || above.kind.isTop === true || above.kind.identity.addressedByKey === true) break;
    // A section and a key, or the section alone.
    levels.push((levels.at(-1) ?? 0) + (one.kind.isSingle === true ? 1 : 2));
    one = above;
  }
  return levels;
}

/** Where a value stands: in a template, a parameter, changes or a block. */
function whereWritten(wanted: Wanted | undefined, { treeOf }: Searched): AttributePlace | undefined {
  const path = wanted && pathTo(treeOf(wanted.at.file), wanted.at);
  return wanted && path && { file: wanted.at.file, block: path.slice(0, -1), path };
}

/** The ways to write a field of a block: the usual one first. */
function formsOf(kind: Kind, name: string): string[][] {
  const aliases = [fieldOf(kind, name).alsoWritten, fieldAlias(name)].flatMap((alias) =>
    alias === undefined ? [] : [[alias]],
  );
  const inGroups = (kind.unions ?? []).flatMap(({ at, also = [] }) =>
    at !== undefined && also.includes(name) ? [[at, name]] : [],
  );
  return [fieldPath(kind, name).split('.'), ...aliases, ...inGroups];
}

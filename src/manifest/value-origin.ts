import { keptIn } from '../api/once.ts';
import { pathOf } from '../kind/attribute.ts';
import type { Position } from '../diagnostics/diagnostic.ts';
import { holes } from './assemble/templates.ts';
import { parseExpressions } from './expression.ts';
import { blockPaths } from './layers.ts';
import type { Manifest, ManifestInput } from './manifest.ts';
import { pathTo } from './path-to.ts';
import { expressionSources } from './sources/all.ts';
import { readTree } from './read-tree.ts';
import { type Node, type Place, itemsOf, nodeAt, position, textOf } from './tree.ts';
import type { PartOfManifest } from './value-at.ts';

/** What gives a value: a file, or an option or variable of the environment by its name. */
type Source = { readonly position: Position } | { readonly by: string };

/** A place that gives a value. */
export interface ValuePlace {
  readonly is: 'changes' | 'block' | 'template' | 'parameter' | 'default';
  /** The name of the template, or of the parameter. */
  readonly name?: string;
  readonly position: Position;
  /** Where the template has the parameter. */
  readonly hole?: Position;
  /** The `!reset` that it stands behind. */
  readonly reset?: Position;
}

/** Where the value of a field comes from. */
export interface ValueOrigin {
  /** The path of the field below its block. */
  readonly path: string;
  /** The one that counts first, then those that it stands over; none for a field that `!reset` takes out. */
  readonly places: readonly ValuePlace[];
  /** The variables and parameters in its text. */
  readonly uses: readonly { readonly expression: string; readonly from: Source }[];
  /** The `!reset` that takes it out. */
  readonly reset?: Position;
}

/** What origins are found with. */
type Given = Pick<ManifestInput, 'given' | 'valueFiles'> & { readonly manifest: Manifest };

/** Where the values of a part of a manifest come from: places and names, and no values. */
export function valueOrigins(part: PartOfManifest, about: Given): readonly ValueOrigin[] {
  const trees = new Map<string, Node | undefined>();
  const treeOf = (file: string) => keptIn(trees, file, () => readTree(file, about.manifest.texts.get(file) ?? '', []));
  const search = { ...about, treeOf };
  const declared = part.values.map(({ attribute, wanted }): ValueOrigin => {
    const places: ValuePlace[] = [];
    for (let at: Place | undefined = wanted.at; at !== undefined; at = at.over) places.push(placeOf(at, search));
    return { path: pathOf(part.resource.kind, attribute), places, uses: usesIn(wanted.at, search) };
  });
  const known = new Set(declared.map(({ path }) => path));
  const start = part.path.join('.');
  const isMeant = ({ path }: ValueOrigin) =>
    !known.has(path) && (start === '' || path === start || path.startsWith(`${start}.`));
  return [...declared, ...removedFrom(part, search).filter(isMeant)];
}

interface Search extends Given {
  readonly treeOf: (file: string) => Node | undefined;
}

function placeOf(at: Place, { treeOf }: Search): ValuePlace {
  const tree = treeOf(at.file);
  const path = pathTo(tree, at) ?? [];
  const resets = path.flatMap((_, depth) => {
    const node = nodeAt(tree, path.slice(0, depth + 1));
    return node?.isReset === true ? [position(node.at)] : [];
  });
  const [reset] = resets;
  const found = { position: position(at), ...(at.hole && { hole: position(at.hole) }), ...(reset && { reset }) };
  const [top, name = '', part, parameter = ''] = path;
  if (top === 'changes') return { is: 'changes', ...found };
  if (top === 'templates')
    return part === 'parameters' ? { is: 'default', name: parameter, ...found } : { is: 'template', name, ...found };
  const given = at.hole === undefined ? -1 : path.lastIndexOf('with');
  return given === -1 ? { is: 'block', ...found } : { is: 'parameter', name: path[given + 1] ?? '', ...found };
}

/** The variables and parameters in the text at a place, with what gives their values. */
function usesIn(at: Place, search: Search): ValueOrigin['uses'] {
  const path = pathTo(search.treeOf(at.file), at);
  const node = path && nodeAt(search.treeOf(at.file), path);
  const parts = [node, ...itemsOf(node)].flatMap(
    (one) => parseExpressions(textOf(one) ?? '', [...expressionSources, ...holes]).parts,
  );
  const found = new Map<string, Source>();
  for (const part of parts) {
    if (typeof part === 'string') continue;
    const {
      source: { name },
      argument,
    } = part;
    const from =
      name === 'var'
        ? sourceOfVariable(argument, search)
        : name === 'param'
          ? sourceOfParameter(argument, at, search)
          : undefined;
    if (from !== undefined) found.set(`\${${name}:${argument}}`, from);
  }
  return [...found].map(([expression, from]) => ({ expression, from }));
}

/** What gives a variable its value, the last place first. */
function sourceOfVariable(name: string, { given, valueFiles = [], manifest, treeOf }: Search): Source | undefined {
  const by = given(name)?.by;
  if (by !== undefined) return { by };
  const inFiles = valueFiles.toReversed().map(({ file, text }) => nodeAt(readTree(file, text, []), [name]));
  const declared = [...manifest.texts.keys()].map((file) => nodeAt(treeOf(file), ['variables', name]));
  const inRoot = declared.filter((node) => node?.is !== 'map');
  const defaults = declared.map((node) => nodeAt(node, ['default']));
  const node = [...inFiles, ...inRoot, ...defaults].find((one) => one !== undefined);
  return node && { position: position(node.at) };
}

/** What gives a parameter in a text of a template its value: the use, else the default. */
function sourceOfParameter(name: string, at: Place, { treeOf }: Search): Source | undefined {
  const [use] = at.via ?? [];
  const path = use && pathTo(treeOf(use.file), use);
  const given = use && path && nodeAt(treeOf(use.file), [...path.slice(0, -1), 'with', name]);
  const [, template = ''] = pathTo(treeOf(at.file), at) ?? [];
  const node = given ?? nodeAt(treeOf(at.file), ['templates', template, 'parameters', name, 'default']);
  return node && { position: position(node.at) };
}

/** The fields of a block that `!reset` takes out. */
function removedFrom({ resource }: PartOfManifest, { manifest, treeOf }: Search): readonly ValueOrigin[] {
  const { resources, settings, texts } = manifest;
  const blocks = blockPaths(resource, { resources, environment: settings.environment?.name });
  return [...texts.keys()].flatMap((file) =>
    blocks.flatMap((block) =>
      [[], ['changes']].flatMap((prefix) => resetsBelow(nodeAt(treeOf(file), [...prefix, ...block]), [])),
    ),
  );
}

function resetsBelow(node: Node | undefined, path: readonly string[], at?: Place): readonly ValueOrigin[] {
  if (node?.is === 'map')
    return [...node.entries].flatMap(([key, { keyAt, node: one }]) => resetsBelow(one, [...path, key], keyAt));
  const isRemoved = node?.is === 'scalar' && node.isReset === true && node.value === null;
  return isRemoved ? [{ path: path.join('.'), places: [], uses: [], reset: position(at ?? node.at) }] : [];
}

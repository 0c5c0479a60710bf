import { parse } from 'yaml';
import type { Kind } from '../../src/kind/kind.ts';
import { root } from '../../src/kind/kind.ts';

/** The name of the page of a kind, as its file in the source is named. */
export function pageName(kind: Kind): string {
  return `${kind.kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;
}

/** A link to the page of a kind from another such page. */
export function linkTo(kind: Kind): string {
  return `[${kind.kind}](${pageName(kind)})`;
}

/** Where a kind stands in the manifest, once for each chain of parents. */
export function pathsOf(kind: Kind, kinds: readonly Kind[]): readonly string[] {
  if (kind.isTop === true) return [kind.section];
  const own = kind.isSingle === true ? kind.section : `${kind.section}.<${kind.identity.keyField ?? 'label'}>`;
  return Object.keys(kind.parents).flatMap((parent) => {
    if (parent === root) return [own];
    return pathsOf(kindNamed(parent, kinds), kinds).map((path) => `${path}.${own}`);
  });
}

/** Each example as a manifest of its own, in its place below the first kind of parent. */
export function exampleManifests(kind: Kind, kinds: readonly Kind[]): readonly string[] {
  const settings = 'trueup: 1\nplatform: emulator\n';
  return kind.examples.map((example) =>
    kind.isTop === true
      ? `${settings}${kind.section}:\n${indented(example)}`
      : `${settings}project: prj_1\n${inPlace(kind, example, kinds)}`,
  );
}

function inPlace(kind: Kind, blocks: string, kinds: readonly Kind[]): string {
  const text = `${kind.section}:\n${indented(blocks)}`;
  const [parent = root] = Object.keys(kind.parents);
  if (parent === root) return text;
  const above = kindNamed(parent, kinds);
  const [example = ''] = above.examples;
  // What groups services needs no fields of its own; a service would be nothing without.
  const block = above.identity.addressedByKey === true ? `${keyOf(example)}:\n` : example;
  return inPlace(above, block + indented(text), kinds);
}

/** The kind of this name; a parent that is none is a mistake in a declaration. */
export function kindNamed(name: string, kinds: readonly Kind[]): Kind {
  const kind = kinds.find((item) => item.kind === name);
  if (kind === undefined) throw new Error(`there is no kind ${name}`);
  return kind;
}

function keyOf(example: string): string {
  return Object.keys(parse(example) as object)[0] ?? '';
}

function indented(text: string): string {
  return text.replaceAll(/^(?=.)/gm, '  ');
}

import { type Document, isAlias, isMap, isNode, isSeq } from 'yaml';
import type { Json } from './json.ts';
import { mayMerge, readSimpleYaml } from './simple-yaml.ts';
import { type YamlNode, toJson } from './yaml-node.ts';
import { parseYaml } from './yaml.ts';

/**
 * A compose file as compose reads it, with what merge keys bring, and as the platform does, for which a merge key is a key; or
 * its document where that cannot be read: it has errors, an alias without an anchor, or aliases that expand to too much.
 */
export type ComposeYaml =
  | { readonly content: unknown; readonly unmerged: unknown }
  | { readonly unreadable: Document.Parsed };

/** The last texts that were read: a plan reads the text of a block and the one on the platform, which usually are equal. */
const lately = new Map<string, ComposeYaml>();
/** Most texts that are kept. */
const maxKept = 1_000;

/** Reads a compose file. Never throws. */
export function readComposeYaml(text: string): ComposeYaml {
  const known = lately.get(text);
  if (known !== undefined) return known;
  if (lately.size >= maxKept) lately.clear();
  const read = parsed(text);
  lately.set(text, read);
  return read;
}

function parsed(text: string): ComposeYaml {
  return (text.includes('!reset') ? undefined : simplyRead(text)) ?? fullyParsed(text);
}

function simplyRead(text: string): ComposeYaml | undefined {
  const anchored = mayMerge(text) ? new Map<YamlNode<undefined>, Json>() : undefined;
  const read = (keepsMergeKeys: boolean): Json | undefined => {
    const tree = readSimpleYaml(text, () => undefined, { keepsMergeKeys, maxAliases: maxAliasCount });
    return tree && toJson(tree, anchored);
  };
  const content = read(false);
  const unmerged = content !== undefined && mergeKey.test(text) ? read(true) : content;
  return content === undefined || unmerged === undefined ? undefined : { content, unmerged };
}

function fullyParsed(text: string): ComposeYaml {
  const document = parseYaml(text, { logLevel: 'error', prettyErrors: false });
  // A map with two merge keys is one only where they merge.
  if (document.errors.length > 0)
    return contentOf(parseYaml(text, { merge: true, logLevel: 'error', prettyErrors: false }));
  if (!mergeKey.test(text)) return contentOf(document);
  const unmerged = contentOf(document);
  document.setSchema('1.2', { merge: true });
  const merged = contentOf(document);
  return 'content' in merged && 'content' in unmerged
    ? { ...merged, unmerged: unmerged.content }
    : { unreadable: document };
}

function contentOf(document: Document.Parsed): ComposeYaml {
  if (document.errors.length > 0 || sizeOf(document.contents) > maxValues) return { unreadable: document };
  try {
    const content: unknown = document.toJS({ maxAliasCount });
    return { content, unmerged: content };
  } catch {
    return { unreadable: document };
  }
}

const mergeKey = /<<["']?\s*:/;

/** As often may one anchor count for the platform. Source: measured on the reference server. */
const maxAliasCount = 10_000;
/** Most values of a file after its aliases are expanded: far below what takes a run its memory. */
const maxValues = 1_000_000;

/** The number of values in a node and itself, with those of each alias, also of one that merges: `anchors` has theirs. */
function sizeOf(node: unknown, anchors = new Map<string, number>()): number {
  if (isAlias(node)) return anchors.get(node.source) ?? 1;
  const items = isMap(node) ? node.items.map(({ value }) => value) : isSeq(node) ? node.items : [];
  const size = items.reduce((sum: number, item) => sum + sizeOf(item, anchors), 1);
  if (isNode(node) && !isAlias(node) && node.anchor !== undefined) anchors.set(node.anchor, size);
  return size;
}

import { type Node, type Range, Pair, Scalar, YAMLMap, YAMLSeq } from 'yaml';
import { mayMerge, readSimpleYaml } from '../formats/simple-yaml.ts';
import type { YamlNode } from '../formats/yaml-node.ts';
import { parseYaml } from '../formats/yaml.ts';

/** Whether a part of a text is asked for. */
export type Matters = (from: number, to: number) => boolean;

/**
 * Reads the nodes of a text with their places; undefined for one that is not valid YAML. A map or a list that does not matter
 * may be empty.
 */
export function yamlNodes(text: string, matters: Matters = () => true): Node | undefined {
  // Of merged keys, the simple reader gives only those that count.
  const simple = mayMerge(text) ? undefined : readSimpleYaml(text, (from, to): Range => [from, to, to]);
  if (simple !== undefined) return nodeOf(simple, matters);
  const tree = parseYaml(text, { logLevel: 'silent', prettyErrors: false, strict: false, uniqueKeys: false });
  return tree.errors.length > 0 ? undefined : (tree.contents ?? new Scalar(null));
}

function nodeOf(simple: YamlNode<Range>, matters: Matters): Node {
  if (simple.is === 'scalar') return placed(new Scalar(simple.value), simple.at);
  const [from, to] = simple.at;
  const isNeeded = matters(from, to);
  if (simple.is === 'list') {
    const list = new YAMLSeq();
    if (isNeeded) list.items = simple.items.map((item) => nodeOf(item, matters));
    return placed(list, simple.at);
  }
  const map = new YAMLMap();
  if (isNeeded)
    map.items = Array.from(
      simple.entries,
      ([key, { keyAt, node }]) => new Pair(placed(new Scalar(key), keyAt), nodeOf(node, matters)),
    );
  return placed(map, simple.at);
}

function placed<T extends Node>(node: T, range: Range): T {
  node.range = range;
  return node;
}

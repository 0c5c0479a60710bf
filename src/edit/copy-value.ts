import { readTree } from '../manifest/read-tree.ts';
import { type Entry, type MapNode, type Node, type Place, nodeAt } from '../manifest/tree.ts';
import { editYaml } from './edit-yaml.ts';
import { sameTree } from './same-tree.ts';
import { type Value, plainly } from './write-yaml.ts';
import { splitMark } from '../formats/utf8.ts';

/** A value of another file: a scalar, or a list of them. */
interface Copied {
  readonly node: Node;
  /** The text that it is read from. */
  readonly text: string;
}

/**
 * Gives the value at a path the value of another file, as that writes it, and changes no other byte. A text of several lines
 * is written as the file writes such texts.
 *
 * @throws {Stop} `refused`, as `editYaml`
 */
export function copyValue(file: string, text: string, path: readonly string[], copied: Copied): string {
  const written = onOneLine(copied.text, copied.node.at);
  const put = (into: string) =>
    written === undefined ? undefined : withText(file, into, { path, written, goal: copied.node });
  // A number stands where the value is to stand, and then gives way to it.
  const added = () => put(editYaml(file, text, [{ path, value: plainly(0) }]));
  return put(text) ?? added() ?? editYaml(file, text, [{ path, value: valueOf(copied.node) }]);
}

/** A text with other words for a value on one line; undefined where these mean something else there, or change more. */
function withText(
  file: string,
  text: string,
  { path, written, goal }: { readonly path: readonly string[]; readonly written: string; readonly goal: Node },
): string | undefined {
  const [mark, body] = splitMark(text);
  const tree = readTree(file, body, []);
  const old = nodeAt(tree, path);
  if (tree?.is !== 'map' || old === undefined || onOneLine(body, old.at) === undefined) return undefined;
  const { offset, end = offset } = old.at;
  const next = body.slice(0, offset) + written + body.slice(end);
  return sameTree(withNode(tree, path, goal), readTree(file, next, [])) ? mark + next : undefined;
}

/** The words of a value that is not empty and stands on one line. */
function onOneLine(text: string, { offset, end = offset }: Place): string | undefined {
  const written = text.slice(offset, end);
  return written.trim() === '' || /[\n\r]/.test(written) ? undefined : written;
}

function withNode(map: MapNode, [key = '', ...rest]: readonly string[], node: Node): MapNode {
  const entries = new Map<string, Entry>(map.entries);
  const present = map.entries.get(key);
  const below = present?.node;
  const inner = rest.length > 0 && below?.is === 'map' ? withNode(below, rest, node) : node;
  if (present !== undefined) entries.set(key, { ...present, node: inner });
  return { ...map, entries };
}

function valueOf(node: Node): Value {
  if (node.is === 'list') return { is: 'list', items: node.items.map(valueOf) };
  if (node.is === 'map')
    return { is: 'map', entries: [...node.entries].map(([key, one]) => ({ key, value: valueOf(one.node) })) };
  // A text: 1.10 written as a number would become 1.1.
  return { is: 'expression', text: typeof node.value === 'string' ? node.value : node.source };
}

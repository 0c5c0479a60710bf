import { valueMeant } from '../kind/aliases.ts';
import { type Field, schemaOf } from '../kind/field.ts';
import { type Json, isObject, same } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { ShortBlock } from '../kind/short-form.ts';
import { toJson } from '../formats/yaml-node.ts';
import { fieldPath, isInCase, nameIn } from '../kind/row-values.ts';
import { wordMeant } from '../kind/foreign-words.ts';
import { writtenFields } from '../kind/written-keys.ts';
import { maskValue } from '../secrets/looks-secret.ts';
import { constant } from './wanted.ts';
import { type Hiding, type Line, eachText, hidden, open, remedyOf, shortened, visible } from './lines-to-paste.ts';
import { shownKey } from './problem.ts';
import { missingAtCreation } from './required.ts';
import { accepts, fitting, lastStep, visibleGroup } from './short-value.ts';
import { type Node, type Place, linesOf } from './tree.ts';

/** Remedies for blocks that are written in the short form of another tool: the user's own blocks, as a manifest takes them. */

/** Most items of a list that are read. */
const maxItems = 50;

/** A place for blocks of one kind. */
export interface BlocksPlace extends Hiding {
  readonly kind: Kind;
  readonly link: ParentLink;
  /** The kind of the block around it. */
  readonly above: Kind | undefined;
}

/** The blocks that a list, a text or a map in the form of another tool means; undefined: it has no form that is known. */
export function sectionInstead(
  section: string,
  node: Node,
  { isOneBlock = false, ...place }: BlocksPlace & { readonly isOneBlock?: boolean },
): string | undefined {
  const lines: Line[] = [];
  const unread: number[] = [];
  const items = isOneBlock ? [{ value: toJson(node) }] : itemsOf(node, place);
  for (const [index, item] of items.slice(0, maxItems).entries()) {
    const found = blocksIn(item, index, place);
    if (found.length === 0) unread.push(index + 1);
    for (const line of found) {
      const isTwice = lines.some(({ key, value }) => key === line.key && same(value, line.value));
      if (isTwice) continue;
      lines.push(lines.some(({ key }) => key === line.key) ? renamed(line, lines, place) : line);
    }
  }
  if (lines.length === 0) return undefined;
  const more = items.length > maxItems ? [`# ${items.length - maxItems} more items: write a block for each`] : [];
  const rest = unread.map((number) => `# item ${number} has no form that is known: write a block for it too`);
  return remedyOf(lines, section, [...rest, ...more]);
}

/** The block that a value below its key means: `web: nginx:1.27`; undefined: it has no form that is known. */
export function blockInstead(key: string, node: Node, place: BlocksPlace): string | undefined {
  const value = toJson(node);
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const lines = blocksIn({ key, value }, 0, place);
  return lines.length === 0 ? undefined : remedyOf(lines);
}

/** A value of a list or of a map, with the key that it stands below in a map. */
interface Item {
  readonly key?: string;
  readonly value: Json;
}

/** The values that each mean a block. */
function itemsOf(node: Node, place: BlocksPlace): Item[] {
  if (node.is === 'scalar') return [{ value: toJson(node) }];
  if (node.is === 'map') {
    const known = [...node.entries.keys()].every((key) => fieldMeant(key, place) !== undefined);
    if (known) return [{ value: toJson(node) }];
    return [...node.entries].map(([key, entry]) => ({ key, value: toJson(entry.node) }));
  }
  return node.items.map((item) => {
    if (item.is !== 'map' || item.entries.size !== 1) return { value: toJson(item) };
    const [[key, entry] = []] = [...item.entries];
    if (key === undefined || entry === undefined || fieldMeant(key, place) !== undefined)
      return { value: toJson(item) };
    return { key, value: toJson(entry.node) };
  });
}

/** The lines of the blocks that an item means. */
function blocksIn({ key, value }: Item, index: number, place: BlocksPlace): Line[] {
  const { kind } = place;
  if (isObject(value)) {
    const read = fromMap(value, key, place);
    const isEmpty = Object.keys(read.block.fields).length + Object.keys(read.others ?? {}).length === 0;
    const { key: named } = read.block;
    return named === undefined
      ? isEmpty
        ? []
        : [lineOf(read, index, place)]
      : isShown(named)
        ? [lineOf(read, index, place)]
        : [];
  }
  if (value === null || typeof value === 'boolean' || Array.isArray(value))
    return value === null && key !== undefined ? [lineOf({ block: { key, fields: {} }, notes: [] }, index, place)] : [];
  const text = String(value);
  const blocks = kind.short?.(text, key) ?? (key === undefined ? [{ key: text, fields: {} }] : []);
  const { [kind.identity.keyField ?? '']: keyField } = kind.fields;
  const isKey = (name: string) => isShown(name) && (keyField === undefined || accepts(keyField, name));
  const isSafe = ({ fields }: ShortBlock) =>
    key === undefined ||
    maskValue(key, text) === text ||
    Object.keys(fields).every((name) => kind.fields[name]?.secrecy === 'secret');
  if (blocks.some((block) => (block.key !== undefined && !isKey(block.key)) || !isSafe(block))) return [];
  return blocks.map((block) => lineOf({ block, notes: [] }, index, place));
}

/** Returns true for a key that a remedy may show: no value stands behind it, and it is no secret. */
function isShown(key: string): boolean {
  return hidden(key) === key && shownKey(key) === key;
}

interface Read {
  readonly block: ShortBlock;
  readonly notes: readonly string[];
  /** Settings and groups, as they are written. */
  readonly others?: Readonly<Record<string, Json>>;
  readonly privateKeys?: ReadonlySet<string>;
}

/** A map of fields, in words of this or another tool. */
function fromMap(map: { readonly [name: string]: Json }, key: string | undefined, around: BlocksPlace): Read {
  const { kind, link } = around;
  const { private: names } = map;
  const privateKeys = new Set(Array.isArray(names) ? names.map(String) : []);
  const place = { ...around, privateKeys };
  const fields: Record<string, Json> = {};
  const others: Record<string, Json> = {};
  const unknown: string[] = [];
  let label: string | undefined;
  const chosen = (tag: string): unknown =>
    valueMeant(map[tag] ?? '', (word) => kind.unions?.some(({ cases }) => Object.hasOwn(cases, String(word))) === true);
  for (const [name, value] of Object.entries(map)) {
    const meant = fieldMeant(name, place, chosen);
    const written = meant === undefined ? undefined : writtenFields(kind, link).get(meant);
    if (meant === undefined || written === undefined) {
      if (name === 'name' && typeof value === 'string') label = value;
      else unknown.push(/^[\w-]{1,40}$/.test(name) ? hidden(name) : 'a key');
    } else if (written.is === 'field') fields[written.field] = value;
    else if (written.is === 'union' && isObject(value))
      others[meant] = visibleGroup(kind, written.union, Object.entries(value), place);
    else others[meant] = eachText(maskValue(meant, value), (text) => shortened(hidden(text)));
  }
  const notes = unknown.length === 0 ? [] : [`without ${unknown.join(', ')}, which it does not have`];
  const { keyField } = kind.identity;
  const named = keyField === undefined ? undefined : fields[keyField];
  if (key === undefined && keyField !== undefined && typeof named === 'string') {
    delete fields[keyField];
    return { block: { key: named, fields }, notes, others, privateKeys };
  }
  return { block: { key: key ?? label, fields }, notes, others, privateKeys };
}

/** The key of a block that a word means; `chosen` names the cases whose fields count. */
function fieldMeant(
  name: string,
  { kind, link }: BlocksPlace,
  chosen: (tag: string) => unknown = () => '',
): string | undefined {
  const written = writtenFields(kind, link);
  if (written.has(name)) return name;
  const isChosen = (tag: string) => chosen(tag) !== '';
  const keys = [...written].flatMap(([key, target]) => {
    const isOpen = target.is !== 'field' || kind.unions?.every(({ tag }) => !isChosen(tag)) !== false;
    return isOpen || isInCase(kind, target.field, chosen) ? [key] : [];
  });
  return wordMeant(name, keys);
}

/** A block as a line: its values checked, what it lacks open. */
function lineOf({ block, notes, others = {}, privateKeys }: Read, index: number, around: BlocksPlace): Line {
  const place = { ...around, privateKeys };
  const { kind, link } = place;
  const said: string[] = [...notes];
  if (block.lost !== undefined) said.push(`without ${hidden(block.lost)}`);
  const written: Record<string, Json> = {};
  const values: Record<string, Json> = {};
  const put = (name: string, value: Json) => {
    const [first = name, second] = fieldPath(kind, name).split('.');
    const union = kind.unions?.find(({ tag, at }) => tag === name && at !== undefined);
    const shown = union === undefined ? value : String(value);
    if (second === undefined) written[first] = shown;
    else written[first] = { ...(isObject(written[first]) ? written[first] : {}), [second]: shown };
  };
  const leaveOpen = (name: string, why: string) => {
    values[name] = open;
    put(name, open);
    said.push(`${lastStep(fieldPath(kind, name))}: ${hidden(why)}`);
  };
  for (const [name, value] of Object.entries(block.fields)) {
    const field = kind.fields[name];
    if (field === undefined || link.lacks?.includes(name) === true) continue;
    const found = fitting(field, value);
    if (found === undefined) leaveOpen(name, describe(field));
    else {
      values[name] = found.value;
      put(name, visible(field, name, found.value, place));
    }
  }
  const named = block.key ?? nameOf(kind, values);
  const key = named ?? `${kind.kind}-${index + 1}`;
  if (named === undefined) said.push('name it as you like');
  for (const [name, why] of Object.entries(block.open ?? {})) if (values[name] === undefined) leaveOpen(name, why);
  const { keyField } = kind.identity;
  const given = keyField === undefined ? values : { [keyField]: key, ...values };
  const wanted = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, constant(value, nowhere)]));
  const missing =
    Object.keys(others).length > 0
      ? []
      : missingAtCreation({ kind, link, fields: wanted, maps: {}, parent: place.above === undefined ? undefined : '' });
  const openUnions = kind.unions?.filter(({ tag }) => missing.includes(tag)) ?? [];
  const isOfOpenUnion = (name: string) =>
    openUnions.some(({ cases }) => Object.values(cases).some((inCase) => Object.values(inCase).includes(name)));
  for (const name of missing) {
    if (isOfOpenUnion(name)) continue;
    const field = kind.fields[name];
    const inherited = field?.fromParent !== undefined && place.above?.fields[field.fromParent] !== undefined;
    if (field !== undefined && !inherited) leaveOpen(name, describe(field));
  }
  return { key: hidden(key), value: { ...written, ...others }, notes: said };
}

/** No value is shown with its place. */
const nowhere: Place = { file: '', offset: 0, lines: linesOf('') };

/** The name that people have for a block with these values; undefined: they do not say it. */
function nameOf(kind: Kind, values: Readonly<Record<string, Json>>): string | undefined {
  const isNamed = kind.identity.label?.every(
    (name) => values[name] !== undefined || kind.fields[name]?.onNull !== undefined,
  );
  return isNamed === false ? undefined : nameIn(kind, values);
}

/** A line for a further block of one key: another key, and the name that both have. */
function renamed(line: Line, lines: readonly Line[], { kind }: BlocksPlace): Line {
  const { keyField } = kind.identity;
  const names = new Set(lines.map(({ key }) => key));
  let number = 2;
  while (names.has(`${line.key}-${number}`)) number++;
  const named = keyField === undefined ? {} : { [fieldPath(kind, keyField)]: line.key };
  const value: Json = isObject(line.value) ? { ...named, ...line.value } : line.value;
  return { ...line, key: `${line.key}-${number}`, value };
}

function describe(field: Field): string {
  return (schemaOf(field).description ?? 'a value').replace(/\.(?: .*)?$/s, '');
}

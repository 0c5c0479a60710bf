import { fieldAlias } from '../kind/aliases.ts';
import { type Node, type Scalar, isAlias, isMap, isNode, isScalar, isSeq } from 'yaml';
import { onceFor } from '../api/once.ts';
import type { Kind } from '../kind/kind.ts';
import { withTop } from '../kind/top.ts';
import { mayMerge } from '../formats/simple-yaml.ts';
import { maxLevels, yamlTokens } from '../formats/yaml.ts';
import { isReference } from '../secrets/not-secret.ts';
import { isSecretEntry, isSecretName, maskText, maskValue, secretParts } from '../secrets/looks-secret.ts';
import { redacted } from '../secrets/secret.ts';
import { isUserName } from '../secrets/secret-names.ts';
import { encode } from './expression-encoding.ts';
import type { Part } from '../secrets/text-parts.ts';
import { type Around, type Flows, type Use, createFlows, definedBy, hasFlows, mayFlow } from './value-flows.ts';
import { type Matters, yamlNodes } from './yaml-nodes.ts';

/** The place of a value that is not quoted. */
export const mask = '********';

/** A part of a text that does not show, and what stands for it. */
interface Hidden {
  readonly from: number;
  readonly to: number;
  readonly shown: string;
}

/** The keys of fields, and those that the user calls private. */
interface Names {
  readonly fieldKeys: FieldKeys;
  readonly privateKeys: ReadonlySet<string>;
  /** Returns false for a part of the text that no line asked for has. */
  readonly matters: Matters;
  /** Where the values of parameters and variables go. */
  readonly flows: Flows;
}

/**
 * The parts of a text that do not show, in their order: values that look secret, that are declared secret or that the user calls
 * private, and comments.
 * @param text.near its beginning up to the last line that is asked for; what stands behind decides about none of them but by
 * its names
 */
export function hiddenParts(
  text: { readonly whole: string; readonly near: string; readonly isValid: boolean; readonly hasComments: boolean },
  {
    kinds,
    ofUser,
    matters,
    flows,
  }: Pick<Names, 'matters' | 'flows'> & { readonly kinds: readonly Kind[]; readonly ofUser: Iterable<string> },
): readonly Hidden[] {
  const { whole, near } = text;
  const privateKeys = new Set([...privateIn(whole), ...ofUser]);
  const names = { fieldKeys: fieldKeysOf(kinds), privateKeys, matters, flows };
  const values = (text.isValid ? hiddenInTree(whole, names) : undefined) ?? hiddenInLines(near, names);
  return merged([...values, ...(text.hasComments ? commentsIn(near) : [])]);
}

/** Collects where the values of parameters and variables go in the texts of a manifest. */
export function flowsIn(texts: Iterable<string>, kinds: readonly Kind[]): Flows {
  const flows = createFlows();
  const fieldKeys = fieldKeysOf(kinds);
  for (const text of texts)
    if (mayFlow(text)) hiddenInTree(text, { fieldKeys, privateKeys: privateIn(text), matters: hasFlows(text), flows });
  return flows;
}

/** Parts in their order; of those that overlap, the first decides what stands for them. */
function merged(parts: readonly Hidden[]): readonly Hidden[] {
  const all: Hidden[] = [];
  for (const part of parts.toSorted((a, b) => a.from - b.from)) {
    const last = all.at(-1);
    if (last === undefined || part.from >= last.to) all.push(part);
    else all[all.length - 1] = { ...last, to: Math.max(last.to, part.to) };
  }
  return all;
}

function commentsIn(text: string): Hidden[] {
  const found: Hidden[] = [];
  for (const { type, source, at } of yamlTokens(text))
    if (type === 'comment') found.push({ from: at, to: at + source.length, shown: '' });
  return found;
}

/** The keys of fields: all of them, of those and of the settings that are declared secret, and of those that may hold something secret. */
interface FieldKeys {
  readonly all: ReadonlySet<string>;
  readonly secret: ReadonlySet<string>;
  readonly closed: ReadonlySet<string>;
}

const fieldKeysOf = onceFor((kinds: readonly Kind[]): FieldKeys => {
  const [all, secret, closed] = [new Set<string>(), new Set(['notify.url']), new Set<string>()];
  for (const { fields, unions = [] } of withTop(kinds)) {
    const words = unions.flatMap(({ cases }) => Object.values(cases).flatMap((names) => Object.entries(names)));
    const written = Object.entries(fields).flatMap(([name, { written: key = name }]) =>
      [name, key, fieldAlias(name) ?? name].map((one) => [one, name] as const),
    );
    for (const [key, name] of [...written, ...words]) {
      const { secrecy } = fields[name] ?? {};
      all.add(key);
      if (secrecy === 'secret') secret.add(key);
      if (secrecy !== undefined) closed.add(key);
    }
  }
  return { all, secret, closed };
});

/** A key that shows: a name, a host, a path, or `<<`. Only in quotes it has a colon: without them, a blank may be missing. */
const plainKey = /^(?:[\p{L}\p{M}\p{N}_.*@/${}-]{1,100}|(["'])[\p{L}\p{M}\p{N}_.*@/${}:-]{1,100}\1|<<)$/u;

/** What stands around a node, and how deep it is. */
interface AroundNode extends Around {
  readonly depth: number;
  /** The parameter or the variable whose value it is. */
  readonly defines?: string | undefined;
}

/** What does not show of a valid text; undefined for one that is not. */
function hiddenInTree(text: string, names: Names): Hidden[] | undefined {
  const { privateKeys, matters, flows } = names;
  // What an alias stands for is hidden where its anchor stands.
  const isWhole = mayMerge(text);
  const tree = yamlNodes(text, isWhole ? undefined : matters);
  if (tree === undefined) return undefined;
  const found: Hidden[] = [];
  const anchors = trackAnchors();
  const followed = new Set<Node>();
  const hide = (from: number, to: number): void => void found.push({ from, to, shown: mask });
  const hideScalar = (node: Scalar, around: AroundNode): void => {
    const { key, isSecret, isOpen, defines } = around;
    // What a file calls private is so in other files too.
    const isPrivate = key !== undefined && privateKeys.has(key);
    if (typeof node.value === 'string')
      flows.add(node.value, { key, isOpen, isSecret: isSecret || isPrivate }, defines);
    const own = { key, isSecret, isOpen, before: '', after: '' };
    for (const one of [own, ...(defines === undefined ? [] : flows.to(defines))])
      for (const part of hiddenInScalar(text, node, one, names)) found.push(part);
  };
  const walk = (node: unknown, around: AroundNode): void => {
    const { key, isSecret, depth, defines } = around;
    if (isNode(node) && node.range && !isWhole && !matters(node.range[0], node.range[1])) return;
    if (isNode(node) && !isAlias(node)) anchors.pass(node);
    if (isScalar(node)) hideScalar(node, around);
    else if (isAlias(node)) {
      const target = anchors.of(node.source);
      // What is secret where the anchor stands is hidden there. That it is secret, or of a parameter or a variable, only the alias says.
      const isFollowed = isSecret || defines !== undefined || definedBy(key, '', false) !== undefined;
      if (target === undefined || followed.has(target) || !(isFollowed || isScalar(target))) return;
      if (isSecret || !isScalar(target)) followed.add(target);
      walk(target, around);
    } else if (!isMap(node) && !isSeq(node)) return;
    else if (depth >= maxLevels) hide(node.range?.[0] ?? 0, node.range?.[1] ?? 0);
    else if (isSeq(node)) {
      let option: string | undefined;
      for (const item of node.items) {
        walk(item, { ...around, key: option ?? key, depth: depth + 1 });
        // An option and its value stand one behind the other.
        option = isScalar(item) ? /^--?([A-Za-z][\w-]*)$/.exec(String(item.value))?.[1] : undefined;
      }
    } else {
      for (const pair of node.items) {
        const name = isScalar(pair.key) ? String(pair.key.value) : undefined;
        const [from = 0, to = 0] = isScalar(pair.key) ? (pair.key.range ?? []) : [];
        if (name === undefined) walk(pair.key, { ...around, isSecret: true, depth: depth + 1 });
        else if (matters(from, to) && (isSecret || !plainKey.test(text.slice(from, to)) || maskText(name) !== name))
          hide(from, to);
        walk(pair.value, aroundValue(pair.value, name, around, names));
      }
    }
  };
  walk(tree, { isSecret: false, depth: 0 });
  return found;
}

/** The anchors of the nodes that a walk passes. An alias means the one that begins last before it. */
function trackAnchors() {
  const anchors = new Map<string, Node>();
  let furthest = -1;
  return {
    pass: (node: Node): void => {
      const [from = 0] = node.range ?? [];
      if (from <= furthest || (!isScalar(node) && !isMap(node) && !isSeq(node)) || node.anchor === undefined) return;
      anchors.set(node.anchor, node);
      furthest = from;
    },
    of: (name: string): Node | undefined => anchors.get(name),
  };
}

/** What stands around the value of a key in a map. */
function aroundValue(
  value: unknown,
  name: string | undefined,
  { key, isSecret, depth, defines }: AroundNode,
  { fieldKeys, privateKeys }: Pick<Names, 'fieldKeys' | 'privateKeys'>,
): AroundNode {
  if (name === '<<') return { key, isSecret, depth: depth + 1, defines };
  // A definition says what its own key is: `token: { default: x }`.
  const own = name !== undefined && /^(?:default|value)$/.test(name) && key !== undefined ? key : name;
  const isDeclared = name !== undefined && (fieldKeys.secret.has(name) || fieldKeys.secret.has(`${key}.${name}`));
  const isOpen = !isMap(value) && isOpenField(name, key, { fieldKeys, privateKeys });
  const mayBeAbove = !isScalar(value) && !isOpen && depth > 0 && key !== 'variables';
  const isBelow = own !== undefined && mayBeAbove && isSecretName(own, { privateKeys });
  const isUser = name !== undefined && isUserName(name) && !privateKeys.has(name);
  const isDefined = name !== undefined && name !== 'description';
  const here = isDefined ? definedBy(key, name, depth === 0 && isScalar(value)) : undefined;
  return {
    key: isOpen ? undefined : own,
    isSecret: !isUser && (isSecret || isDeclared || isBelow),
    isOpen,
    depth: depth + 1,
    defines: here ?? (isDefined ? defines : undefined),
  };
}

/** Whether a key is that of a field which is declared open. Below a field, a user chooses the keys. */
function isOpenField(
  name: string | undefined,
  above: string | undefined,
  { fieldKeys: { all, closed }, privateKeys }: Pick<Names, 'fieldKeys' | 'privateKeys'>,
): boolean {
  const isField = name !== undefined && all.has(name) && !closed.has(name) && !privateKeys.has(name);
  return isField && (above === undefined || !(all.has(above) || /^(?:with|parameters|variables|outputs)$/.test(above)));
}

/** What does not show of one value in one of the places that it gets to. */
function hiddenInScalar(
  text: string,
  { range, value }: Scalar,
  use: Use,
  { privateKeys, matters }: Pick<Names, 'privateKeys' | 'matters'>,
): readonly Hidden[] {
  const [from = 0, to = 0] = range ?? [];
  const source = text.slice(from, to);
  // The line of a | or > holds nothing of the text below.
  const firstLine = /^[|>]/.test(source) ? from + source.indexOf('\n') + 1 : from;
  if (!matters(firstLine, to)) return [];
  const written = typeof value === 'string' || typeof value === 'number' ? value : undefined;
  if (written === undefined || isReference(source.replace(/^(["'])(.*)\1$/s, '$2'))) return [];
  return partsOfUse(source, written, use, privateKeys).map(([start, end]) => ({
    from: from + start,
    to: from + end,
    shown: mask,
  }));
}

/** The secret parts of a value, as it is written in the file, in one of the places that it gets to. */
function partsOfUse(
  source: string,
  written: string | number,
  { key, isSecret, isOpen, before, after, encoding }: Use,
  privateKeys: ReadonlySet<string>,
): readonly Part[] {
  const all: readonly Part[] = [[0, source.length]];
  const isAlone = before === '' && after === '' && encoding === undefined;
  const whole = isAlone ? written : `${before}${encode(String(written), encoding)}${after}`;
  const how = { privateKeys, ...(isOpen === true ? { isOpen } : {}) };
  const shown = isSecret ? redacted : maskValue(key, whole, how);
  if (shown === redacted) return all;
  if (shown === whole) return [];
  const parts = secretParts(isAlone ? source : String(whole), how);
  if (isAlone) return parts.length === 0 ? all : parts;
  const [start, end] = [before.length, String(whole).length - after.length];
  const own = parts.filter(([from, to]) => to > start && from < end);
  const at = encoding === undefined ? source.indexOf(String(written)) - start : -Infinity;
  if (own.length > 0 && at < -start) return all;
  return own.map(([from, to]) => [at + Math.max(from, start), at + Math.min(to, end)]);
}

/** The names in every `private:` of a text. */
function privateIn(text: string): ReadonlySet<string> {
  const lists = Array.from(text.matchAll(/(?<![\w-])private["']?:[ \t]*(\[[^\]]*\]|(?:\r?\n[ \t]*-[ \t]+[^\r\n]*)+)/g));
  return new Set(lists.flatMap(([, list = '']) => list.match(/[\w.-]*\w[\w.-]*/g) ?? []));
}

/**
 * What does not show of a text that is not valid: all but its keys and values that are one word, and everything that may be
 * the value of a secret key above it.
 */
function hiddenInLines(text: string, names: Names): Hidden[] {
  const privateKeys = new Set([...names.fieldKeys.secret, ...names.privateKeys]);
  const found: Hidden[] = secretParts(text, { privateKeys }).map(([from, to]) => ({ from, to, shown: mask }));
  const hide = (from: number, to: number, shown: string): void => void (to > from && found.push({ from, to, shown }));
  /** The column of a secret key: lines that begin behind it may be its value. */
  let secretColumn = Infinity;
  /** The brackets that lines before opened and did not close: what is a key there is unknown. */
  let brackets = 0;
  let at = 0;
  for (const line of text.split('\n')) {
    const comment = /(?:^|[ \t])#/.exec(line)?.index ?? line.length;
    const shown = line.slice(0, comment).trimEnd();
    const column = /^[ \t]*/.exec(line)?.[0].length ?? 0;
    if (shown !== '' && column <= secretColumn) secretColumn = Infinity;
    const [, lead = '', key = '', colon = '', value = ''] = brokenLine.exec(shown) ?? [];
    const name = key.replace(/^(["'])(.*)\1$/s, '$2');
    const isKey = brackets === 0 && secretColumn === Infinity && plainKey.test(key) && maskText(name) === name;
    const isSure =
      isKey && sure.test(value) && !isSecretEntry(name, value, { privateKeys }) && maskText(value) === value;
    const dashes = /^[ \t]*(?:-[ \t]+)*/.exec(shown)?.[0].length ?? 0;
    const open = /^[[{ ]*/.exec(value)?.[0].length ?? 0;
    const from = isKey ? lead.length + key.length + colon.length + open : dashes;
    if (!isSure) hide(at + from, at + shown.length, mask);
    hide(at + comment, at + line.length, '');
    if (isKey && isSecretName(name, { privateKeys })) secretColumn = column;
    for (const [sign] of shown.matchAll(/[[\]{}]/g)) brackets = Math.max(0, brackets + (/[[{]/.test(sign) ? 1 : -1));
    at += line.length + 1;
  }
  return found;
}

/** A key at the beginning of a line, and its value. */
const brokenLine =
  /^([ \t]*(?:-[ \t]+)*)("[^"\n]{1,100}"|'[^'\n]{1,100}'|[^\s"'#,[\]{}:]{1,100})([ \t]*:(?:[ \t]+|$))(.*)$/;

/** One word, a number or an expression. */
const sure =
  /^(?:|[A-Za-z]{1,20}|-?\d{1,5}(?:\.\d{1,5})?[A-Za-z%]{0,2}|~|(["']?)\$\{(?:[\w-]+:[\w.-]*|file:[\w./-]*)\}\1)$/;

import { posix } from 'node:path';
import { onceFor } from '../../api/once.ts';
import { isSecretEntry } from '../../secrets/looks-secret.ts';
import { type Expression, parseExpressions } from '../expression.ts';
import type { Report } from '../report-at.ts';
import type { Entry, MapNode, Node, Place, ScalarNode } from '../tree.ts';
import { holes } from './templates.ts';

/** What templates may expand to, as long as there is any left: values, and characters of texts. */
export interface Budget {
  nodes: number;
  characters: number;
}

/** What fills the holes of a template at one use. */
interface Filling {
  readonly values: ReadonlyMap<string, Node>;
  /** The parameters that a secret field has. */
  readonly secrets: ReadonlySet<string>;
  /** The key of the block that uses it. */
  readonly key: string;
  /** The uses that led there. */
  readonly via: readonly Place[];
  readonly budget: Budget;
  readonly report: Report;
}

/** A block of a template with its holes filled; each value knows the uses that led to it. Takes time linear in its size. */
export function fill(block: MapNode, filling: Filling): MapNode {
  const { via, budget } = filling;
  // Each key by its name: spreading takes three times as long.
  const placed = ({ file, offset, end, lines }: Place): Place => ({ file, offset, end, lines, via });
  const filled = (node: Node): Node | undefined => {
    budget.nodes -= 1;
    if (budget.nodes < 0) return { is: 'scalar', value: null, source: '', at: node.at };
    if (node.is === 'scalar') return fillText(node, filling, placed);
    if (node.is === 'list')
      return { ...node, items: node.items.flatMap((item) => filled(item) ?? []), at: placed(node.at) };
    return filledMap(node);
  };
  const filledMap = (node: MapNode): MapNode => {
    const entries = new Map<string, Entry>();
    for (const [key, entry] of node.entries) {
      const value = filled(entry.node);
      if (value !== undefined) entries.set(key, { keyAt: placed(entry.keyAt), node: value });
    }
    return { ...node, entries, at: placed(node.at) };
  };
  return filledMap(block);
}

/** The parts of a text of a template, parsed once for all uses. */
const partsOf = onceFor((node: ScalarNode) => parseExpressions(String(node.value), holes).parts);

/** A scalar with its holes filled; undefined: one has no value, or a wrong one, which was reported. */
function fillText(node: ScalarNode, filling: Filling, placed: (at: Place) => Place): Node | undefined {
  const { values, secrets, key, budget, report } = filling;
  const at = placed(node.at);
  if (typeof node.value !== 'string' || !node.value.includes('${')) return { ...node, at };
  const parts = partsOf(node);
  const [only] = parts;
  const valueOf = (part: (typeof parts)[number]): Node | undefined => {
    if (typeof part === 'string') return undefined;
    if (part.source.name === 'block') return { is: 'scalar', value: key, source: key, at };
    return values.get(part.argument);
  };
  const whole = parts.length === 1 && only !== undefined ? valueOf(only) : undefined;
  if (whole !== undefined) {
    budget.nodes -= whole.is === 'list' ? whole.items.length : 0;
    const filled =
      whole.is === 'map' ? whole : { ...whole, at: { ...whole.at, hole: at }, ...secretIn(only, whole, secrets) };
    return node.isReset === true ? { ...filled, isReset: true } : filled;
  }
  let text = '';
  const secretParts: SecretPart[] = [];
  for (const part of parts) {
    const value = valueOf(part);
    if (typeof part === 'string') text += part;
    else if (value === undefined) return undefined;
    else if (value.is === 'list') {
      const written = node.value.slice(part.from, part.to);
      const remedy = 'Write it alone, where a field takes a list, or declare the parameter as text.';
      report('bad-expression', `${written} is a list, and no text`, at, remedy);
      return undefined;
    } else if (value.is === 'scalar') {
      const start = text.length;
      text += asText(value, node.at);
      for (const { name, from, to } of secretIn(part, value, secrets).secretParts ?? [])
        secretParts.push({ name, from: start + from, to: Math.min(start + to, text.length) });
    }
    if (text.length > budget.characters) break;
  }
  budget.characters -= text.length;
  return { ...node, value: text, source: text, at, ...(secretParts.length === 0 ? {} : { secretParts }) };
}

type SecretPart = NonNullable<ScalarNode['secretParts']>[number];

/** What of the value of a hole is secret: by its parameter all of it, else what is so already. */
function secretIn(
  part: Expression | string | undefined,
  value: Node,
  secrets: Filling['secrets'],
): Pick<ScalarNode, 'secretParts'> {
  if (typeof part !== 'object' || value.is !== 'scalar' || value.value === null) return {};
  const { argument: name } = part;
  const text = typeof value.value === 'string' ? value.value : value.source;
  const isSecret = part.source.name === 'param' && (secrets.has(name) || isSecretEntry(name, text, { isEnv: true }));
  if (!isSecret) return value.secretParts === undefined ? {} : { secretParts: value.secretParts };
  return { secretParts: [{ name, from: 0, to: text.length }] };
}

/** A value as part of a text of another file: a file that it names is relative to the file that it stands in. */
function asText({ value, source, at }: ScalarNode, to: Place): string {
  if (typeof value !== 'string') return source;
  const [from, into] = [posix.dirname(at.file), posix.dirname(to.file)];
  if (from === into || !value.includes('${file:')) return value;
  return value.replaceAll(/(?<!\$)\$\{file:([^}]*)\}/g, (_all, path: string) =>
    path === '' || posix.isAbsolute(path) ? _all : `\${file:${posix.relative(into, posix.join(from, path))}}`,
  );
}

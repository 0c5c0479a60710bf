import { type Scalar, isPair, isScalar, isSeq, visit } from 'yaml';
import { parseYaml } from '../formats/yaml.ts';

/** A value that the platform changes when it reads a compose file and writes it anew. */
export interface Rewritten {
  readonly at: readonly (string | number)[];
  /** The value as it stands in the text, and as compose gets it. */
  readonly from: string;
  readonly to: string;
  /** How to write it so that it stays, by the text to write in its place. */
  readonly remedy: (written: string) => string;
  /** The value itself; undefined: it is about a tag. */
  readonly value?: string;
}

/** Whether a text may have any of them: a look at all scalars takes a parser. */
const suspects =
  /!(?:reset|override)\b|\d{16}|[:[,]\s*0\d|-\s+0\d|["'](?:\d{4}-\d|[-+]?0[bB][01]|[-+]?[\da-fA-FxXoO]*_)/;

/**
 * The values that change. The platform reads YAML 1.2, and writes texts without quotes that mean the same there; compose reads
 * dates and numbers with `_` in them too.
 */
export function rewritten(text: string): readonly Rewritten[] {
  if (!suspects.test(text)) return [];
  const document = parseYaml(text, { logLevel: 'error', prettyErrors: false });
  if (document.errors.length > 0) return [];
  const found: Rewritten[] = [];
  visit(document, {
    Node: (key, node, path) => {
      if (key === 'key') return;
      const at = pathTo([...path, node]);
      const tag = /^!(?:reset|override)$/.exec(node.tag ?? '')?.[0];
      if (tag !== undefined) {
        const remedy = 'Write the value itself: there is one file, which nothing overrides.';
        found.push({ at, from: tag, to: 'nothing', remedy: () => remedy });
      } else if (isScalar(node)) {
        const change = changeOf(node, at);
        if (change !== undefined) found.push({ at, ...change });
      }
    },
  });
  return found;
}

function changeOf({ value, source = '', type }: Scalar, at: Rewritten['at']): Omit<Rewritten, 'at'> | undefined {
  if (type === 'PLAIN' && typeof value === 'number') {
    const isExact = !/^[-+]?\d+$/.test(source) || Number.isSafeInteger(value);
    const change = { from: source, to: String(value), value: source };
    if (!isExact) return { ...change, remedy: (written) => `Write it in quotes: "${written}".` };
    if (!/^0\d+$/.test(source)) return undefined;
    const asNumber = (written: string) =>
      /^0[0-7]+$/.test(written) ? `0o${written.replace(/^0+/, '')} for a number, or ` : '';
    return { ...change, remedy: (written) => `Write ${asNumber(written)}"${written}" for a text.` };
  }
  const isQuoted = type === 'QUOTE_SINGLE' || type === 'QUOTE_DOUBLE';
  if (!isQuoted || typeof value !== 'string' || !isReadOtherwise(value)) return undefined;
  const [above, key] = at.slice(-2);
  const remedy = (written: string) =>
    ['environment', 'labels', 'args'].includes(String(above))
      ? `Write ${above} as a list, with - ${key}=${written}.`
      : 'Write it under env:, and its variable here: what compose fills in stays a text.';
  return { from: `"${value}"`, to: value, value, remedy };
}

/** Whether compose takes a text without quotes for a date or a number, and YAML 1.2 does not. Source: yaml.v3, resolve.go. */
function isReadOtherwise(value: string): boolean {
  if (/^\d{4}-\d{1,2}-\d{1,2}(?:(?:[Tt]|\s+)\d{1,2}:\d{2}:\d{2}(?:\.\d+)?(?:Z|[+-]\d{2}:\d{2})?)?$/.test(value))
    return true;
  return (
    /^[-+]?(?:0b[01_]+|0x[\da-f]*_[\da-f_]*|0o?[0-7]*_[0-7_]*|\d[\d_]*_[\d_]*)$/i.test(value) && !value.endsWith('_')
  );
}

/** The keys and indexes that lead to the last of the nodes, from the outermost. */
function pathTo(nodes: readonly unknown[]): (string | number)[] {
  return nodes.flatMap((node, index): (string | number)[] => {
    if (isPair(node)) return [isScalar(node.key) ? String(node.key.value) : String(node.key)];
    const above = nodes[index - 1];
    return isSeq(above) ? [above.items.indexOf(node)] : [];
  });
}

import type { Document } from 'yaml';
import { readSimpleYaml, toJson } from './simple-yaml.ts';
import { parseYaml } from './yaml.ts';

/** The content of a compose file, or its document where that cannot be read. */
export type ComposeYaml = { readonly content: unknown } | { readonly unreadable: Document.Parsed };

/**
 * Reads the content of a compose file as compose does: maps merge; `as the platform`: a merge key is a key. `unreadable`: the
 * document has errors, an alias without an anchor, or aliases that expand to too much.
 */
export function readComposeYaml(text: string, how: 'as compose' | 'as the platform' = 'as compose'): ComposeYaml {
  // The parser gives the keys of a merged map in another order, and counts the uses of an anchor.
  const simple = /<<|&\w|!reset/.test(text) ? undefined : readSimpleYaml(text, () => undefined);
  if (simple !== undefined) return { content: toJson(simple) };
  const document = parseYaml(text, { merge: how === 'as compose', logLevel: 'error', prettyErrors: false });
  if (document.errors.length > 0) return { unreadable: document };
  try {
    const content: unknown = document.toJS({ maxAliasCount });
    return sizeOf(content) > maxValues ? { unreadable: document } : { content };
  } catch {
    return { unreadable: document };
  }
}

/** As often may one anchor count for the platform. Source: measured on the reference server. */
const maxAliasCount = 10_000;
/** Most values of a file after its aliases are expanded: far below what takes a run its memory. */
const maxValues = 1_000_000;

/** The number of values in a value; what aliases share is counted each time, and visited once. */
function sizeOf(value: unknown, sizes = new Map<unknown, number>()): number {
  if (typeof value !== 'object' || value === null) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  const size = Object.values(value).reduce((sum: number, item) => sum + sizeOf(item, sizes), 1);
  sizes.set(value, size);
  return size;
}

import { type Document, YAMLSeq, isScalar, isSeq, stringify } from 'yaml';
import * as z from 'zod';
import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import { toJson } from '../formats/yaml-node.ts';
import { parseYaml } from '../formats/yaml.ts';
import { problemOf } from './problem.ts';
import { readTree } from './read-tree.ts';
import { placeAt, position } from './tree.ts';
import { withoutMark } from '../formats/utf8.ts';

/** What an entry, or a finding, is about: the same in every run, whatever its address is meanwhile. */
export interface Subject {
  readonly kind: string;
  /** The id of the object on the platform; undefined for what was never there. */
  readonly objectId?: string | undefined;
  /**
   * The attribute: its path, with the name of the API behind it where several fields have that path, such as the branches of
   * git sources. Undefined: the object as a whole.
   */
  readonly field?: string | undefined;
}

/** What tells entries from each other. */
export function subjectKey({ kind, objectId = '', field = '' }: Subject): string {
  return JSON.stringify([kind, objectId, field]);
}

/** A kind of file that lists entries: Trueup writes it, and people review, edit and merge it in git. */
export interface EntryList<Entry extends Subject> {
  readonly code: 'accepted-drift' | 'drift-memory';
  /** The member that says what the file is. */
  readonly mark: string;
  /** The member that has the entries. */
  readonly member: string;
  /** The form of an entry. */
  readonly entry: z.ZodType<Entry>;
  /** The members of an entry in the order in which they are written; `object` is its `objectId`. */
  readonly order: readonly (Exclude<keyof Entry, 'objectId'> | 'object')[];
  /** What is wrong with a second entry about the same. */
  readonly twice: (entry: Entry) => { readonly message: string; readonly remedy?: string };
  /** The first line of a new file. */
  readonly head: string;
}

/** The text of a member of an entry. */
export const entryText = z.string().min(1).max(2_000);

/** An ISO day in UTC. */
export const entryDay = z.iso.date({ error: 'must be a day such as 2026-07-05' });

/** The members of every entry. */
export const subjectShape = z.strictObject({
  address: entryText.optional(),
  field: entryText.optional(),
  kind: entryText,
  object: entryText,
});

/** What helps with a file that cannot be used. */
export const usualRemedy = 'Correct the file, or restore an earlier version of it. docs/drift.md has its form.';

/**
 * Reads the entries of a file, with the place of each. A mistake is the first one, at its line; it quotes nothing of the text.
 *
 * @param name of the file, for messages
 */
export function readEntries<Entry extends Subject>(
  { code, mark, member, entry, twice }: EntryList<Entry>,
  name: string,
  written: string,
): readonly { readonly entry: Entry; readonly position: Position }[] | { readonly mistake: Diagnostic } {
  const found: Diagnostic[] = [];
  const tree = readTree(name, withoutMark(written), found);
  const [syntax] = found;
  if (syntax !== undefined) return { mistake: { ...syntax, code, severity: 'error' } };
  if (tree === undefined) return [];
  const refuse = (message: string, at: Position, remedy = usualRemedy) => ({
    mistake: diagnostic(code, `${name}: ${message}`, { remedy, position: at }),
  });
  const value = toJson(tree);
  const shape = z.strictObject({ [mark]: z.literal(1), [member]: z.array(entry).nullable().optional() });
  const read = shape.safeParse(value);
  if (!read.success) {
    const first = new z.ZodError(read.error.issues.slice(0, 1));
    const { message, place } = problemOf(first, tree, { name: '', value, isSecret: true });
    return refuse(message.trim(), position(place));
  }
  const list = read.data[member];
  const entries = (Array.isArray(list) ? list : []).map((one, at) => ({
    entry: one,
    position: position(placeAt(tree, [member, at])),
  }));
  const keys = new Set<string>();
  const second = entries.find(({ entry }) => keys.size === keys.add(subjectKey(entry)).size);
  if (second === undefined) return entries;
  const { message, remedy } = twice(second.entry);
  return refuse(message, second.position, remedy);
}

/** The text of a file after a change of its entries. Comments, order and the ends of lines stay. `before`: undefined for a new file. */
export function editEntries<Entry extends Subject>(
  { mark, member, head }: EntryList<Entry>,
  before: string | undefined,
  change: (list: YAMLSeq, document: Document) => void,
): string {
  const written = withoutMark(before ?? '') || `# ${head}\n${stringify({ [mark]: 1 })}`;
  const document: Document = parseYaml(written, { prettyErrors: false, schema: 'core' });
  if (!document.has(mark)) document.set(mark, 1);
  const present = document.get(member, true);
  const list = isSeq(present) ? present : new YAMLSeq(document.schema);
  if (list !== present) document.set(member, list);
  // A comment behind a member without a list.
  if (isScalar(present)) list.comment = present.comment ?? null;
  change(list, document);
  const text = document.toString({ lineWidth: 0 });
  return before?.includes('\r\n') === true ? text.replaceAll('\n', '\r\n') : text;
}

/** An entry as it is written. */
export function entryYaml<Entry extends Subject>(
  { order }: EntryList<Entry>,
  entry: Entry,
): Readonly<Record<string, unknown>> {
  return defined(
    Object.fromEntries(order.map((name) => [name, name === 'object' ? entry.objectId : entry[name as keyof Entry]])),
  );
}

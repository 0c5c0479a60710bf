import { isMap, isSeq, stringify } from 'yaml';
import * as z from 'zod';
import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import { toJson } from '../formats/simple-yaml.ts';
import { parseYaml } from '../formats/yaml.ts';
import { problemOf } from './problem.ts';
import { acceptedKey } from './settings-shape.ts';
import { itemAt, position, readTree } from './tree.ts';
import type { Workspace } from './workspace.ts';

/** A person's word that drift may stay for a while. Days are ISO days in UTC; `until` is the last one. */
export interface Acceptance {
  readonly until: string;
  readonly because: string;
  readonly by: string;
}

/** One entry of the file of accepted drift: the value that one field of one object may keep on the platform. */
export interface AcceptedDrift extends Acceptance {
  readonly kind: string;
  /** The id of the object on the platform. */
  readonly objectId: string;
  /** Undefined: the object as a whole, such as one that is missing. */
  readonly field?: string | undefined;
  /** Where it was when it was accepted; for people, and for the command that renews it. */
  readonly address?: string | undefined;
  /** A keyed digest of the accepted value. Without it, the entry accepts nothing. */
  readonly digest?: string | undefined;
  readonly position?: Position | undefined;
}

/** Largest file of accepted drift, in bytes. */
export const acceptedLimit = 1_000_000;

/** The name of the file of accepted drift: each manifest of a folder has its own. */
export function acceptedName(file: string): string {
  return file === 'trueup.yaml' ? 'accepted.yaml' : `accepted.${file.replace(/\.ya?ml$/, '')}.yaml`;
}

const text = z.string().min(1).max(2_000);
const day = z.iso.date({ error: 'must be a day such as 2026-07-05' });

const shape = z.strictObject({
  [acceptedKey]: z.literal(1),
  accepted: z
    .array(
      z.strictObject({
        address: text.optional(),
        field: text.optional(),
        kind: text,
        object: text,
        digest: text.optional(),
        until: day,
        because: text,
        by: text,
      }),
    )
    .nullable()
    .optional(),
});

const remedy = 'Correct the file, or restore an earlier version of it. docs/drift.md has its form.';

/** Reads the file of accepted drift beside a manifest; no entries where there is none. Adds its text to `texts`. */
export async function loadAccepted(
  workspace: Workspace,
  file: string,
  diagnostics: Diagnostic[],
  texts: Map<string, string>,
): Promise<readonly AcceptedDrift[]> {
  const name = acceptedName(file);
  const here = await workspace.match(name);
  if (!Array.isArray(here) || here.length === 0) return [];
  const read = await workspace.read(name, acceptedLimit);
  if ('problem' in read) {
    diagnostics.push(diagnostic('accepted-drift', read.problem, { remedy }));
    return [];
  }
  texts.set(name, read.text);
  return parseAccepted(name, read.text, diagnostics);
}

/** Reads the text of a file of accepted drift. Reports the first mistake, at its line; quotes nothing of the text. */
export function parseAccepted(name: string, written: string, diagnostics: Diagnostic[]): readonly AcceptedDrift[] {
  const found: Diagnostic[] = [];
  const tree = readTree(name, written.replace(/^\uFEFF/, ''), found);
  const [syntax] = found;
  if (syntax !== undefined) diagnostics.push({ ...syntax, code: 'accepted-drift', severity: 'error' });
  if (syntax !== undefined || tree === undefined) return [];
  const value = toJson(tree);
  const read = shape.safeParse(value);
  const refuse = (message: string, at: Position | undefined) => {
    diagnostics.push(diagnostic('accepted-drift', `${name}: ${message}`, { remedy, position: at }));
    return [];
  };
  if (!read.success) {
    const first = new z.ZodError(read.error.issues.slice(0, 1));
    const { message, place } = problemOf(first, tree, { name: '', value, isSecret: true });
    return refuse(message.trim(), position(place));
  }
  const keys = new Set<string>();
  const entries: AcceptedDrift[] = [];
  for (const [at, { object, ...rest }] of (read.data.accepted ?? []).entries()) {
    const where = tree.is === 'map' ? position(itemAt(tree, 'accepted', at)) : undefined;
    const entry: AcceptedDrift = { ...rest, objectId: object, position: where };
    if (keys.has(keyOf(entry))) return refuse('the same field of the same object is accepted twice', where);
    keys.add(keyOf(entry));
    entries.push(entry);
  }
  return entries;
}

/** The text of a file with some entries added or replaced. Comments, order and line ends of `before` stay. */
export function acceptedText(before: string | undefined, added: readonly AcceptedDrift[]): string {
  const document = parseYaml(before?.replace(/^\uFEFF/, '') || emptyFile, { prettyErrors: false, schema: 'core' });
  const present = parseAccepted('accepted.yaml', before ?? '', []);
  let list = document.get('accepted');
  if (!isSeq(list)) {
    list = document.createNode([]);
    document.set('accepted', list);
  }
  if (!isSeq(list)) throw new Error('a new list is a list');
  for (const entry of added) {
    const node = document.createNode(toYaml(entry));
    const at = present.findIndex((one) => keyOf(one) === keyOf(entry));
    const old = list.items[at];
    if (old === undefined) list.items.push(node);
    else if (isMap(old) && isMap(node)) old.items = node.items;
    else list.items[at] = node;
  }
  list.flow = false;
  const made = document.toString({ lineWidth: 0 });
  return before?.includes('\r\n') === true ? made.replaceAll('\n', '\r\n') : made;
}

const emptyFile = `# Drift that apply leaves alone until a day: docs/drift.md. A pull request reviews it.\n${stringify({ [acceptedKey]: 1 })}`;

/** What tells entries from each other. */
export function keyOf({ kind, objectId, field = '' }: Pick<AcceptedDrift, 'kind' | 'objectId' | 'field'>): string {
  return JSON.stringify([kind, objectId, field]);
}

function toYaml({ address, field, kind, objectId, digest, until, because, by }: AcceptedDrift) {
  return defined({ address, field, kind, object: objectId, digest, until, because, by });
}

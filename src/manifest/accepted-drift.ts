import { isMap } from 'yaml';
import * as z from 'zod';
import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import {
  type EntryList,
  type Subject,
  editEntries,
  entryDay,
  entryText,
  entryYaml,
  subjectKey,
  readEntries,
  subjectShape,
  usualRemedy,
} from './entry-list.ts';
import { acceptedKey } from './settings-shape.ts';
import type { Workspace } from './workspace.ts';

/** A person's word that drift may stay for a while. Days are ISO days in UTC; `until` is the last one. */
export interface Acceptance {
  readonly until: string;
  readonly because: string;
  readonly by: string;
}

/** One entry of the file of accepted drift: the value that one field of one object may keep on the platform. */
export interface AcceptedDrift extends Acceptance, Subject {
  readonly objectId: string;
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

/** How an acceptance is written. */
export const acceptanceShape = z.strictObject({ until: entryDay, because: entryText, by: entryText });

const acceptedList: EntryList<AcceptedDrift> = {
  code: 'accepted-drift',
  mark: acceptedKey,
  member: 'accepted',
  entry: subjectShape
    .extend({ digest: entryText.optional(), ...acceptanceShape.shape })
    .transform(({ object, ...rest }) => ({ ...rest, objectId: object })),
  order: ['address', 'field', 'kind', 'object', 'digest', 'until', 'because', 'by'],
  twice: () => ({ message: 'the same field of the same object is accepted twice' }),
  head: 'Drift that apply leaves alone until a day: docs/drift.md. A pull request reviews it.',
};

/** Reads the file of accepted drift beside a manifest; no entries where there is none. Adds its text to `texts`. */
export async function loadAccepted(
  workspace: Workspace,
  file: string,
  diagnostics: Diagnostic[],
  texts: Map<string, string>,
): Promise<readonly AcceptedDrift[]> {
  const name = acceptedName(file);
  const here = await workspace.match(name);
  if (!('problem' in here) && here.length === 0) return [];
  const read = 'problem' in here ? here : await workspace.read(name, acceptedLimit);
  if ('problem' in read) {
    diagnostics.push(diagnostic('accepted-drift', read.problem, { remedy: read.remedy ?? usualRemedy }));
    return [];
  }
  texts.set(name, read.text);
  return parseAccepted(name, read.text, diagnostics);
}

/** Reads the text of a file of accepted drift. Reports the first mistake. */
export function parseAccepted(name: string, written: string, diagnostics: Diagnostic[]): readonly AcceptedDrift[] {
  const read = readEntries(acceptedList, name, written);
  if (!('mistake' in read)) return read.map(({ entry, position }) => ({ ...entry, position }));
  diagnostics.push(read.mistake);
  return [];
}

/** The text of a file with some entries added or replaced. Comments, order and line ends of `before` stay. */
export function acceptedText(before: string | undefined, added: readonly AcceptedDrift[]): string {
  const present = parseAccepted('accepted.yaml', before ?? '', []);
  return editEntries(acceptedList, before, (list, document) => {
    for (const entry of added) {
      const node = document.createNode(entryYaml(acceptedList, entry));
      const at = present.findIndex((one) => subjectKey(one) === subjectKey(entry));
      const old = list.items[at];
      if (old === undefined) list.items.push(node);
      else if (isMap(old) && isMap(node)) old.items = node.items;
      else list.items[at] = node;
    }
    list.flow = false;
  });
}

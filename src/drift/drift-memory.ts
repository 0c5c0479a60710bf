import { type Document, isMap } from 'yaml';
import * as z from 'zod';
import { Stop } from '../diagnostics/diagnostic.ts';
import { type Acceptance, acceptanceShape } from '../manifest/accepted-drift.ts';
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
} from '../manifest/entry-list.ts';
import { driftMemoryKey } from '../manifest/settings-shape.ts';
import type { FindingName } from './finding.ts';

/**
 * One finding as the memory keeps it: no value, only a keyed digest of the platform's. Days are ISO days in UTC. It is
 * found again by kind, object and field.
 */
export interface Entry extends Subject {
  readonly is: Exclude<FindingName, 'not yet applied'>;
  readonly objectId: string;
  readonly address?: string | undefined;
  readonly since: string;
  readonly digest?: string | undefined;
  /** The days of changes on the platform, the newest ten; left out where `since` is the only one. */
  readonly changes?: readonly string[] | undefined;
  /** The day on which it was resolved; it stays for a while, because it may come back. */
  readonly gone?: string | undefined;
  /** By an earlier version of Trueup; it counts for nothing, and is kept until it is renewed in the file of accepted drift. */
  readonly accepted?: Acceptance | undefined;
}

/** The memory, in the order of its file. */
export type Memory = readonly Entry[];

/** The largest memory that is read, in bytes: some 40,000 findings. */
export const memoryLimit = 10_000_000;

const memoryList: EntryList<Entry> = {
  code: 'drift-memory',
  mark: driftMemoryKey,
  member: 'findings',
  entry: subjectShape
    .extend({
      is: z.enum(['drifted', 'missing', 'unmanaged', 'duplicate']),
      since: entryDay,
      digest: entryText.optional(),
      changes: z.array(entryDay).max(100).optional(),
      gone: entryDay.optional(),
      accepted: acceptanceShape.optional(),
    })
    .transform(({ object, ...rest }) => ({ ...rest, objectId: object })),
  order: ['address', 'field', 'kind', 'object', 'is', 'since', 'digest', 'changes', 'gone', 'accepted'],
  twice: ({ kind, objectId, field }) => ({
    message: `${kind} ${objectId}${field === undefined ? '' : `, field ${field}`} is listed twice`,
    remedy: 'Remove one of the two. Of entries that were merged, keep the one that is accepted.',
  }),
  head: 'What trueup drift remembers: docs/drift.md. Keep it in git. Comments and order stay.',
};

/**
 * Reads a memory.
 *
 * @param name of the file, for messages
 * @throws {Stop} `manifest`, with the first mistake and its line; it quotes nothing of the text
 */
export function parseMemory(name: string, written: string): Memory {
  const read = readEntries(memoryList, name, written);
  if ('mistake' in read) throw new Stop('manifest', [read.mistake]);
  return read.map(({ entry }) => entry);
}

/**
 * The text of a memory: the entries that are not in `before` any more go, new ones follow at the end, and of the others only
 * what changed is written. Comments, order and line ends of `before` stay. Undefined: nothing changed.
 */
export function memoryText(before: string | undefined, memory: Memory): string | undefined {
  const present = before === undefined ? [] : parseMemory('drift.yaml', before);
  if (before !== undefined && areEqual(present, memory)) return undefined;
  if (before === undefined && memory.length === 0) return undefined;
  const written = editEntries(memoryList, before, (list, document) => {
    if (present.length === 0) list.flow = false;
    const places = new Map(present.map((entry, at) => [subjectKey(entry), { entry, node: list.items[at] }]));
    list.items = memory.map((entry) => {
      const known = places.get(subjectKey(entry));
      return known === undefined || !isMap(known.node)
        ? document.createNode(toYaml(entry))
        : edited(document, known.node, known.entry, entry);
    });
  });
  // What another entry gives an entry, by an alias or a merge key, cannot be taken from it.
  return areEqual(parseMemory('drift.yaml', written), memory) ? written : memoryText(undefined, memory);
}

function areEqual(one: Memory, other: Memory): boolean {
  return JSON.stringify(one.map(toYaml)) === JSON.stringify(other.map(toYaml));
}

/** The node of an entry with what changed in it. */
function edited(document: Document, node: ReturnType<Document['createNode']>, old: Entry, next: Entry) {
  if (!isMap(node)) return node;
  const [was, is] = [toYaml(old), toYaml(next)];
  for (const [name, value] of Object.entries(is)) {
    if (JSON.stringify(was[name]) !== JSON.stringify(value)) node.set(name, document.createNode(value));
  }
  for (const name of Object.keys(was)) if (!Object.hasOwn(is, name)) node.delete(name);
  return node;
}

function toYaml(entry: Entry): Readonly<Record<string, unknown>> {
  return entryYaml(memoryList, entry);
}

import { type Document, isMap, isSeq, stringify } from 'yaml';
import * as z from 'zod';
import { type Diagnostic, diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Acceptance } from '../manifest/accepted.ts';
import { problemOf } from '../manifest/problem.ts';
import { driftMemoryKey } from '../manifest/settings-shape.ts';
import { toJson } from '../formats/simple-yaml.ts';
import { parseYaml } from '../formats/yaml.ts';
import { defined } from '../formats/json.ts';
import { type Node, position, readTree } from '../manifest/tree.ts';
import type { FindingName, Subject } from './finding.ts';

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

const text = z.string().min(1).max(2_000);
const day = z.iso.date({ error: 'must be a day such as 2026-07-05' });

const entryShape = z.strictObject({
  address: text.optional(),
  field: text.optional(),
  kind: text,
  object: text,
  is: z.enum(['drifted', 'missing', 'unmanaged', 'duplicate']),
  since: day,
  digest: text.optional(),
  changes: z.array(day).max(100).optional(),
  gone: day.optional(),
  accepted: z.strictObject({ until: day, because: text, by: text }).optional(),
});

const memoryShape = z.strictObject({
  [driftMemoryKey]: z.literal(1),
  findings: z.array(entryShape).nullable().optional(),
});

/**
 * Reads a memory.
 *
 * @param name of the file, for messages
 * @throws {Stop} `manifest`, with the first mistake and its line; it quotes nothing of the text
 */
export function parseMemory(name: string, written: string): Memory {
  const content = written.replace(/^\uFEFF/, '');
  const found: Diagnostic[] = [];
  const tree = readTree(name, content, found);
  const [syntax] = found;
  if (syntax !== undefined) throw unusable({ ...syntax, code: 'drift-memory' });
  if (tree === undefined) return [];
  const read = memoryShape.safeParse(toJson(tree));
  if (!read.success) {
    const first = new z.ZodError(read.error.issues.slice(0, 1));
    const { message, place } = problemOf(first, tree, { name: '', value: toJson(tree), isSecret: true });
    throw unusable(diagnostic('drift-memory', `${name}: ${message.trim()}`, { position: position(place), remedy }));
  }
  const entries = (read.data.findings ?? []).map(({ object, ...rest }): Entry => ({ ...rest, objectId: object }));
  const keys = new Set<string>();
  for (const [at, entry] of entries.entries()) {
    const key = entryKey(entry);
    const subject = `${entry.kind} ${entry.objectId}${entry.field === undefined ? '' : `, field ${entry.field}`}`;
    if (keys.has(key)) {
      throw unusable(
        diagnostic('drift-memory', `${name}: ${subject} is listed twice`, {
          remedy: 'Remove one of the two. Of entries that were merged, keep the one that is accepted.',
          ...defined({ position: entryPosition(tree, at) }),
        }),
      );
    }
    keys.add(key);
  }
  return entries;
}

function entryPosition(tree: Node, at: number): Diagnostic['position'] {
  const list = tree.is === 'map' ? tree.entries.get('findings')?.node : undefined;
  const place = list?.is === 'list' ? list.items[at]?.at : undefined;
  return place && position(place);
}

const remedy = 'Correct the file, or restore an earlier version of it. docs/drift.md has its form.';

function unusable(problem: Diagnostic): Stop {
  return new Stop('manifest', [{ ...problem, severity: 'error' }]);
}

/** The key of entries and findings. */
export function entryKey({ kind, objectId = '', field = '' }: Subject): string {
  return JSON.stringify([kind, objectId, field]);
}

/**
 * The text of a memory: the entries that are not in `before` any more go, new ones follow at the end, and of the others only
 * what changed is written. Comments, order and line ends of `before` stay. Undefined: nothing changed.
 */
export function memoryText(before: string | undefined, memory: Memory): string | undefined {
  const present = before === undefined ? [] : parseMemory('drift.yaml', before);
  if (before !== undefined && areEqual(present, memory)) return undefined;
  if (before === undefined && memory.length === 0) return undefined;
  const document = parseYaml(before?.replace(/^\uFEFF/, '') || emptyMemory, { schema: 'core' });
  const isFresh = present.length === 0;
  if (!document.has(driftMemoryKey)) document.set(driftMemoryKey, 1);
  const list = document.get('findings');
  if (isFresh || !isSeq(list)) document.set('findings', document.createNode(memory.map(toYaml)));
  else {
    const places = new Map(present.map((entry, at) => [entryKey(entry), { entry, node: list.items[at] }]));
    list.items = memory.map((entry) => {
      const known = places.get(entryKey(entry));
      return known === undefined || !isMap(known.node)
        ? document.createNode(toYaml(entry))
        : edited(document, known.node, known.entry, entry);
    });
  }
  const written = document.toString(layout);
  // What another entry gives an entry, by an alias or a merge key, cannot be taken from it.
  if (!areEqual(parseMemory('drift.yaml', written), memory)) return memoryText(undefined, memory);
  return before?.includes('\r\n') === true ? written.replaceAll('\n', '\r\n') : written;
}

/** No line is folded. */
const layout = { lineWidth: 0 } as const;

function areEqual(one: Memory, other: Memory): boolean {
  return JSON.stringify(one.map(toYaml)) === JSON.stringify(other.map(toYaml));
}

const emptyMemory = `# What trueup drift remembers: docs/drift.md. Keep it in git. Comments and order stay.\n${stringify({ [driftMemoryKey]: 1 })}`;

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

function toYaml({
  address,
  field,
  kind,
  objectId,
  is,
  since,
  digest,
  changes,
  gone,
  accepted,
}: Entry): Readonly<Record<string, unknown>> {
  const { until, because, by } = accepted ?? {};
  return defined({
    address,
    field,
    kind,
    object: objectId,
    is,
    since,
    digest,
    changes,
    gone,
    accepted: accepted && { until, because, by },
  });
}

import { defined } from '../formats/json.ts';
import type { Accepted, Acceptances } from '../plan/find-acceptance.ts';
import { type Finding, type Found, findingId, inOrder } from './finding.ts';
import { isFresh } from '../render/drift-text.ts';
import { subjectKey } from '../manifest/entry-list.ts';
import type { Entry, Memory } from './drift-memory.ts';

/** Days for which a resolved finding stays in the memory, and over which changes are counted. */
const rememberedDays = 30;

/** Most days of changes that an entry keeps. */
const maxChanges = 10;

/** As many changes within those days are flapping: it came, went, and came back. */
const flappingChanges = 3;

/** What is judged. */
export interface Judging {
  readonly found: readonly Found[];
  readonly memory: Memory;
  /** What a person accepted; nothing by default. */
  readonly acceptanceOf?: Acceptances['of'];
  /** The ISO day in UTC. */
  readonly today: string;
  /** Returns true for an entry that the run did not compare: its finding may still be there. */
  readonly isUnknown?: (entry: Entry) => boolean;
}

/** Findings with their judgement, what is resolved, and the memory after the run. */
export interface Judged {
  readonly findings: readonly Finding[];
  readonly resolved: readonly (Entry & { readonly id: string })[];
  readonly memory: Memory;
}

/** Judges findings by the memory. A day of the memory that lies in the future, by a wrong clock, counts as today. Pure. */
export function judge(judging: Judging): Judged {
  const { found, memory, today, acceptanceOf = () => undefined, isUnknown = () => false } = judging;
  const known = new Map(memory.map((entry) => [subjectKey(entry), settled(entry, today)]));
  const seen = new Map<string, { readonly finding: Finding; readonly entry: Entry | undefined }>();
  const findings = found.map((one): Finding => {
    const key = subjectKey(one);
    const { objectId, digest } = one;
    const accepted =
      objectId === undefined || digest === undefined ? undefined : acceptanceOf({ ...one, objectId }, digest);
    const { finding, entry } = judged(one, known.get(key), { today, accepted });
    if (entry !== undefined) seen.set(key, { finding, entry });
    return finding;
  });
  const resolved: (Entry & { readonly id: string })[] = [];
  const kept = [...known].flatMap(([key, entry]): Entry[] => {
    const now = seen.get(key)?.entry;
    if (now !== undefined) return [now];
    if (isUnknown(entry)) return [entry];
    if (entry.gone !== undefined) return isOver(entry, today) ? [] : [entry];
    resolved.push({ ...entry, id: findingId(entry) });
    return [changed(entry, today, { gone: today })];
  });
  const fresh = [...seen].filter(([key]) => !known.has(key)).flatMap(([, { entry }]) => entry ?? []);
  return { findings, resolved: resolved.toSorted(inOrder), memory: [...kept, ...fresh.toSorted(inOrder)] };
}

/** The exit code: 2 with new drift, 8 with known drift only, 0 without any. */
export function exitCodeOf(findings: readonly Pick<Finding, 'status'>[]): 0 | 2 | 8 {
  if (findings.some(isFresh)) return 2;
  return findings.some(({ status }) => status === 'known' || status === 'accepted') ? 8 : 0;
}

/** The finding and its entry; undefined: it is not remembered. */
function judged(
  one: Found,
  known: Entry | undefined,
  { today, accepted: acceptance }: { readonly today: string; readonly accepted: Accepted | undefined },
): { readonly finding: Finding; readonly entry: Entry | undefined } {
  const id = findingId(one);
  const { is, kind, objectId, address, field } = one;
  if (is === 'not yet applied' || objectId === undefined)
    return { finding: { ...one, id, status: 'not yet applied' }, entry: undefined };
  const digest = one.digest?.(known?.digest);
  const subject = { kind, objectId, field, is, address, digest };
  const accepted = acceptance && { until: acceptance.until, because: acceptance.because, by: acceptance.by };
  const judgement = acceptance && (acceptance.over ? 'expired' : 'accepted');
  if (known === undefined) {
    const finding: Finding = { ...one, id, status: judgement ?? 'new', since: today, accepted };
    return { finding, entry: { ...subject, since: today } };
  }
  // Whoever writes an entry without a digest, or with one of another key, must not hide each later value.
  const isSame = known.is === is && known.digest === digest;
  const hasChanged = !isSame || known.gone !== undefined;
  const base = hasChanged ? changed(known, today, { since: today }) : known;
  const { since, changes } = base;
  const entry = { ...subject, since, changes, accepted: acceptance === undefined ? known.accepted : undefined };
  const recent = recentChanges(entry, today);
  const flapping = recent.length < flappingChanges ? undefined : { changes: recent.length, since: recent[0] ?? since };
  const status = judgement ?? (hasChanged ? 'new' : 'known');
  return { finding: { ...one, id, status, since, ...defined({ accepted, flapping }) }, entry };
}

/** An entry with one more change. */
function changed(entry: Entry, today: string, patch: Partial<Entry>): Entry {
  const { gone: _, changes = [entry.since], ...rest } = entry;
  const all = [...changes, today].filter((one) => daysBetween(one, today) < rememberedDays);
  return { ...rest, ...patch, changes: all.slice(-maxChanges) };
}

function recentChanges(
  { since, changes = [since] }: Pick<Entry, 'since' | 'changes'>,
  today: string,
): readonly string[] {
  return changes.filter((one) => daysBetween(one, today) < rememberedDays);
}

/** Returns true for a resolved finding that the memory drops. */
function isOver({ gone }: Entry, today: string): boolean {
  return gone !== undefined && daysBetween(gone, today) >= rememberedDays;
}

/** An entry without days in the future. */
function settled(entry: Entry, today: string): Entry {
  const { since, changes, gone } = entry;
  const past = (day: string) => (day > today ? today : day);
  const isPast = [since, ...(changes ?? []), gone ?? since].every((day) => day <= today);
  if (isPast) return entry;
  return {
    ...entry,
    since: past(since),
    changes: changes?.map(past),
    gone: gone && past(gone),
  };
}

function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);
}

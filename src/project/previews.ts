import * as z from 'zod';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Preview, Settings } from '../manifest/settings.ts';
import type { Permissions } from '../plan/safeguard.ts';
import { isoTime } from '../state/clock.ts';
import type { StateStore } from '../state/state.ts';
import type { ProjectFolder } from './folder.ts';
import { openStore } from './open-store.ts';
import { locateFamily, locateState } from './state-location.ts';

/** A preview as the list beside its state has it. */
export interface NotedPreview {
  readonly id: string;
  /** When its last apply began: ISO 8601. */
  readonly applied: string;
}

/** What the removal of a preview may do: delete all that its state holds, with all data, and nothing else. */
export const removal: Permissions = { dataLoss: true, adoption: false, massDeletion: true };

/** The name of the document that lists the previews of a root file. */
const document = 'previews.json';

const shape = z.strictObject({
  format: z.literal('trueup/noted-previews'),
  previews: z.array(z.strictObject({ id: z.string(), applied: z.iso.datetime() })),
});

/** How long a run waits for another one that writes the list. Milliseconds. */
const waitMs = 60_000;

/** The previews of a root file, in the order of their first apply. @throws {Stop} `state`, when the list cannot be read */
export function notedPreviews(settings: Settings, options: ProjectFolder): Promise<readonly NotedPreview[]> {
  return inFamily(settings, options, readFrom);
}

/**
 * Notes that a preview is applied now. The lock of that preview has to be held.
 *
 * @throws {Stop} `refused`, when there would be more previews than the root file allows; `locked` and `state`, as a state
 */
export function enterPreview(settings: Settings, options: ProjectFolder, now: number): Promise<void> {
  const { preview } = settings;
  if (preview === undefined) return Promise.resolve();
  return changing(settings, options, async (present) => {
    const known = present.find(({ id }) => id === preview.id);
    const others = present.filter((one) => one !== known);
    const entry = { id: preview.id, applied: isoTime(now) };
    if (known !== undefined || others.length < (preview.most ?? Infinity)) return [...others, entry];
    // A run may have ended before its preview had anything, or before the list lost it.
    const holding = await Promise.all(
      others.map(async (one) => ({ one, holds: await holdsObjects(one.id, settings, options) })),
    );
    const left = holding.flatMap(({ one, holds }) => (holds ? [one] : []));
    if (left.length >= (preview.most ?? Infinity)) {
      const [{ file }, present] = [options, left.map((one) => one.id)];
      const remedy = `Remove one: trueup destroy -f ${file} --preview ${present[0]}. Or run trueup preview prune, or raise most: in ${file}.`;
      throw tooManyPreviews(preview, { present, file, remedy });
    }
    return [...left, entry];
  });
}

/** Takes a preview off the list, unless its state still holds something. The lock of that preview has to be held. */
export function leavePreview(
  settings: Settings,
  options: ProjectFolder,
  store: Pick<StateStore, 'read'>,
): Promise<void> {
  const { preview } = settings;
  if (preview === undefined) return Promise.resolve();
  return changing(settings, options, async (present) => {
    const isEmpty = Object.keys((await store.read())?.resources ?? {}).length === 0;
    return isEmpty ? present.filter(({ id }) => id !== preview.id) : present;
  });
}

/** Whether the state of a preview holds anything. @throws {Stop} `state`, when it cannot be read */
async function holdsObjects(id: string, settings: Settings, options: ProjectFolder): Promise<boolean> {
  const own = { ...options, preview: id };
  const store = openStore(locateState(settings, own), own);
  try {
    return Object.keys((await store.read())?.resources ?? {}).length > 0;
  } finally {
    await store.close();
  }
}

/** The error for one preview more than its file allows. */
export function tooManyPreviews(
  { most, id }: Pick<Preview, 'most' | 'id'>,
  { present, file, remedy }: { readonly present: readonly string[]; readonly file: string; readonly remedy: string },
): Stop {
  const allowed = most === 1 ? '1 preview' : `${most} previews`;
  const there = present.length === 1 ? 'is 1' : `are ${present.length}`;
  const message = `${file} allows ${allowed} at a time, and there ${there}: ${someOf(present)}; ${id} was not applied`;
  return stop('refused', 'too-many-previews', message, { remedy });
}

async function inFamily<T>(
  settings: Settings,
  options: ProjectFolder,
  work: (store: StateStore) => Promise<T>,
): Promise<T> {
  const store = openStore(locateFamily(settings, options), options);
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** Replaces the list under its lock. */
function changing(
  settings: Settings,
  options: ProjectFolder,
  change: (present: readonly NotedPreview[]) => Promise<readonly NotedPreview[]>,
): Promise<void> {
  return inFamily(settings, options, async (store) => {
    const lease = await store.lock({ purpose: 'list of previews', timeoutMs: waitMs });
    const previews = await change(await readFrom(store));
    lease.check();
    await store.documents.put(document, `${JSON.stringify({ format: 'trueup/noted-previews', previews })}\n`);
  });
}

async function readFrom({ documents, location }: StateStore): Promise<readonly NotedPreview[]> {
  const text = await documents.get(document);
  if (text === undefined) return [];
  const read = shape.safeParse(parsed(text));
  if (read.success) return read.data.previews;
  const remedy = `Restore it from a copy. Without one, remove it: each preview is listed again by its next apply.`;
  throw stop('state', 'state-unusable', `${document} beside the state ${location} is no list of previews`, { remedy });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Why a preview is to be removed. */
export interface Prunable extends NotedPreview {
  readonly because: string;
}

/**
 * The previews that are to be removed: those whose pull request is closed, and those that were applied last longer ago than
 * `for`. Pure.
 *
 * @param about `open`: the ids of all open ones; `closed`: ids of closed ones; undefined: not known
 */
export function prunable(
  present: readonly NotedPreview[],
  { forMs }: Pick<Preview, 'forMs'>,
  {
    open,
    closed,
    now,
  }: Readonly<Partial<Record<'open' | 'closed', ReadonlySet<string> | undefined>>> & { readonly now: number },
): readonly Prunable[] {
  return present.flatMap(({ id, applied }) => {
    // Only a number is that of a pull request.
    const isClosed = closed?.has(id) === true || (/^\d+$/.test(id) && open?.has(id) === false);
    if (isClosed) return [{ id, applied, because: 'closed' }];
    const isOver = forMs !== undefined && Date.parse(applied) + forMs <= now;
    return isOver ? [{ id, applied, because: `applied last at ${applied}` }] : [];
  });
}

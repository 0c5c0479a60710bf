import * as z from 'zod';

const hold = z.object({
  id: z.string(),
  owner: z.string(),
  machine: z.string(),
  pid: z.number(),
  purpose: z.string(),
  since: z.string(),
  /** Counts the renewals. */
  beat: z.number(),
  lastsMs: z.number(),
});

const past = z.object({
  owner: z.string(),
  purpose: z.string(),
  since: z.string(),
  mayLandMs: z.number(),
  wasRemoved: z.literal(true).optional(),
});

/** The largest serial of a state, and the largest counter of a lease. Numbers stay exact up to there, and a person can still go on from it. */
export const largestNumber = 2 ** 52;

const version = z.object({ lineage: z.string(), serial: z.number().int().min(0).max(largestNumber) });

const entrySchema = z.object({
  counter: z.number().int().max(largestNumber),
  holder: hold.nullable(),
  past: past.nullable(),
  newest: version.optional(),
});

/** A version of a state. */
export type Version = Readonly<z.output<typeof version>>;

/** The holder of a lease, and its terms. */
export type Hold = Readonly<z.output<typeof hold>>;

/** A previous holder that did not release; `mayLandMs`: its requests may take effect for so long after this entry. */
export type Past = Readonly<z.output<typeof past>>;

/** The content of a lease. `holder` is null when it is free; `newest` is the newest version that was saved under it. */
export type LeaseEntry = Readonly<z.output<typeof entrySchema>>;

/** Parses an entry, whose words others wrote: without secrets of the run. undefined when the text is none. */
export function parseEntry(text: string, redact = (words: string) => words): LeaseEntry | undefined {
  const cleaned = <T extends Past | Hold>(one: T | null): T | null =>
    one && { ...one, owner: redact(one.owner), purpose: redact(one.purpose), since: redact(one.since) };
  try {
    const entry = entrySchema.parse(JSON.parse(text));
    return { ...entry, holder: cleaned(entry.holder), past: cleaned(entry.past) };
  } catch {
    return undefined;
  }
}

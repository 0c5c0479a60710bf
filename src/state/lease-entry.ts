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

const entrySchema = z.object({ counter: z.number().int(), holder: hold.nullable(), past: past.nullable() });

/** Who has a lease, and on which terms. */
export type Hold = Readonly<z.output<typeof hold>>;

/** Somebody who had it before and did not release; its requests may land for so long after the entry was written. */
export type Past = Readonly<z.output<typeof past>>;

/** What stands in the place of a lease. `holder` is null when nobody has it. */
export type LeaseEntry = Readonly<z.output<typeof entrySchema>>;

/** Reads an entry as it was written; undefined when it is none. */
export function parseEntry(text: string): LeaseEntry | undefined {
  try {
    return entrySchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

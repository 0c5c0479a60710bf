import * as z from 'zod';
import { formerRecord, migrateRecord } from './format-1.ts';
import type { StateRecord } from './record.ts';
import { recordSchema } from './record.ts';

/** The formats of a state that are read. A journal has the format of the state it begins with. */
export type Format = 1 | 2;

/** The format that is written. */
export const newestFormat = 2;

/** Reads a record of each format, and gives it the form of the newest. */
const records: Readonly<Record<Format, z.ZodType<StateRecord>>> = {
  1: formerRecord.transform(migrateRecord),
  2: recordSchema,
};

/** Reads a record of a format; undefined when it is none. */
export function readRecord(format: Format, content: unknown): StateRecord | undefined {
  return records[format].safeParse(content).data;
}

/** Reads a state of a format, and gives it the form of the newest. */
export function stateSchema<F extends Format>(format: F) {
  return z.strictObject({
    formatVersion: z.literal(format),
    lineage: z.string().min(1),
    serial: z.number().int().min(0),
    digestKey: z.string().min(1),
    organizationId: z.string(),
    projectId: z.string(),
    resources: z.record(z.string(), records[format]),
  });
}

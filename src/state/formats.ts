import * as z from 'zod';
import { formerRecord, migrateRecord } from './format-1.ts';
import { profiles } from '../api/contract.ts';
import { once } from '../api/once.ts';
import { isObject } from '../kind/json.ts';
import type { StateRecord } from './record.ts';
import { recordSchema } from './record.ts';

/** The formats of a state that are read. A journal has the format of the state it begins with. */
export type Format = 1 | 2 | 3 | 4;

/** The format that is written. */
export const newestFormat = 4;

/** Whether the texts of a format have MACs: they are as Trueup wrote them. */
export function isSealed(format: unknown): format is 3 | 4 {
  return format === 3 || format === 4;
}

/**
 * Reads a record of each format, and gives it the form of the newest. The members of a sealed one are not checked again: its
 * MAC holds.
 */
const records: Readonly<Record<Format, () => z.ZodType<StateRecord>>> = {
  1: once(() => formerRecord().transform(migrateRecord)),
  2: recordSchema,
  3: once(() => z.custom<StateRecord>(isObject)),
  4: once(() => z.custom<StateRecord>(isObject)),
};

/** Reads a record of a format; undefined when it is none. */
export function readRecord(format: Format, content: unknown): StateRecord | undefined {
  return records[format]().safeParse(content).data;
}

const facts = () => ({
  lineage: z.string().min(1),
  serial: z.number().int().min(0),
  organizationId: z.string(),
  projectId: z.string(),
});

/** Reads a state of a format without a MAC; the key of its digests stands in it. */
export function formerStateSchema<F extends 1 | 2>(format: F) {
  return z.strictObject({
    ...facts(),
    formatVersion: z.literal(format),
    digestKey: z.string().min(1),
    resources: z.record(z.string(), records[format]()),
  });
}

/** Reads a state of a sealed format, whose MAC holds. */
export const stateSchema = once(() =>
  z.strictObject({
    ...facts(),
    formatVersion: z.literal([3, 4]),
    keyNumber: z.number().int().min(1),
    earlierKeys: z.record(z.string(), z.string()).optional(),
    projectName: z.string().optional(),
    platform: z
      .object({ version: z.string().nullable(), operations: z.array(z.string()), sought: z.string() })
      .optional(),
    profile: z.enum(profiles).optional(),
    resources: z.custom<Readonly<Record<string, StateRecord>>>(isObject, 'must be a map'),
  }),
);

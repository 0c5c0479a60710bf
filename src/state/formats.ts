import * as z from 'zod';
import { firstRecord, migrateFirst } from './format-1.ts';
import { type FormerRecord, formerRecordSchema, migrateRecord } from './format-3.ts';
import { once } from '../api/once.ts';
import { partAddress, readAddress } from '../kind/address.ts';
import { isObject } from '../formats/json.ts';
import type { Deploys, Entry, StateRecord } from './record.ts';
import type { State } from './state.ts';

/** The formats of a state that are read. A journal has the format of the state it begins with. */
export type Format = 1 | 2 | 3 | 4;

/** The format that is written. */
export const newestFormat = 4;

/** Whether the texts of a format have MACs: they are as Trueup wrote them. */
export function isSealed(format: unknown): format is 3 | 4 {
  return format === 3 || format === 4;
}

/**
 * Reads a record of each format before the newest. The members of a sealed one are not checked again: its MAC holds.
 */
const formerRecords: Readonly<Record<Exclude<Format, 4>, () => z.ZodType<FormerRecord>>> = {
  1: once(() => firstRecord().transform(migrateFirst)),
  2: once(() => formerRecordSchema() as z.ZodType<FormerRecord>),
  3: once(() => z.custom<FormerRecord>(isObject)),
};

/** An entry as a journal has it: the address says whether it is a record or deployments. */
export function writeEntry([address, content, part]: Entry): readonly [address: string, content: unknown] {
  return [part === 'deployments' ? partAddress(address, 'deployment') : address, content];
}

/** Reads what a journal of a format says of an address, in the newest format. Undefined when it is nothing of Trueup. */
export function readEntries(format: Format, address: string, content: unknown): readonly Entry[] | undefined {
  const { block, part } = readAddress(address);
  const isOfService = part === 'deployment';
  // In a former format, the record of a service has its deployments.
  if (content !== null && (format === newestFormat ? !isObject(content) : isOfService)) return undefined;
  if (isOfService) return [[block, content as Deploys | null, 'deployments']];
  if (content === null || format === newestFormat) return [[address, content as StateRecord | null]];
  const former = formerRecords[format]().safeParse(content).data;
  if (former === undefined) return undefined;
  const { record, deploys } = migrateRecord(former);
  return [
    [address, record],
    [address, deploys ?? null, 'deployments'],
  ];
}

/** Gives what a state held of its resources before format 4 the form of format 4. */
export function migrateResources(
  former: Readonly<Record<string, FormerRecord>>,
): Pick<State, 'resources' | 'deployments'> {
  const migrated = Object.entries(former).map(([address, record]) => [address, migrateRecord(record)] as const);
  return {
    resources: Object.fromEntries(migrated.map(([address, { record }]) => [address, record])),
    deployments: Object.fromEntries(
      migrated.flatMap(([address, { deploys }]) => (deploys === undefined ? [] : [[address, deploys]])),
    ),
  };
}

const facts = () => ({
  lineage: z.string().min(1),
  serial: z.number().int().min(0),
  organizationId: z.string(),
  projectId: z.string(),
});

/** Reads a state of a format without a MAC; the key of its digests stands in it. */
export function unsealedStateSchema<F extends 1 | 2>(format: F) {
  return z.strictObject({
    ...facts(),
    formatVersion: z.literal(format),
    digestKey: z.string().min(1),
    resources: z.record(z.string(), formerRecords[format]()),
  });
}

const sealedFacts = () => ({
  ...facts(),
  keyNumber: z.number().int().min(1),
  earlierKeys: z.record(z.string(), z.string()).optional(),
  projectName: z.string().optional(),
  platform: z
    .object({ version: z.string().nullable(), operations: z.array(z.string()), sought: z.string() })
    .optional(),
  /** Of earlier versions: the words that the state has. */
  profile: z.string().optional(),
});

/** Reads a state of format 3, whose MAC holds. */
export const thirdStateSchema = once(() =>
  z.strictObject({
    ...sealedFacts(),
    formatVersion: z.literal(3),
    resources: z.custom<Readonly<Record<string, FormerRecord>>>(isObject, 'must be a map'),
  }),
);

/** Reads a state of the newest format, whose MAC holds. */
export const stateSchema = once(() =>
  z.strictObject({
    ...sealedFacts(),
    formatVersion: z.literal(newestFormat),
    rootFile: z.string().optional(),
    resources: z.custom<State['resources']>(isObject, 'must be a map'),
    deployments: z.custom<State['deployments']>(isObject, 'must be a map'),
  }),
);

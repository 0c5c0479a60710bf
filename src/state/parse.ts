import type * as z from 'zod';
import { parseJson, TooManyParts } from '../api/parse-json.ts';
import { someOf } from '../diagnostics/some-of.ts';
import type { Authenticity } from './authenticity.ts';
import { withNextKey } from './digests.ts';
import {
  type Format,
  isSealed,
  migrateResources,
  newestFormat,
  stateSchema,
  thirdStateSchema,
  unsealedStateSchema,
} from './formats.ts';
import type { Stored } from './record.ts';
import type { State } from './state.ts';
import { unusable } from './unusable.ts';

/** A state in the newest format, and the format it was written in: that of its journal. */
export interface ReadState {
  readonly state: State;
  readonly format: Format;
  /** Its MAC, which its journal goes on from; '' for a format without. */
  readonly mac: string;
}

/** A text of a state, as it was read. */
interface Text {
  /** Where it stands. */
  readonly location: string;
  readonly text: string;
}

/**
 * Reads the text of a state.
 *
 * @throws {Stop} `state`, when it is damaged, of a newer Trueup, or was not written with the key.
 */
export function parseState(about: Text, authenticity: Authenticity): ReadState {
  const { content, ...seal } = parseSealed(about, authenticity, (whole) => whole);
  return { ...checkState(about.location, content, authenticity), ...seal };
}

/**
 * Reads a text that was sealed and has a state in it; `stateIn` finds that. Gives its content without the MAC.
 *
 * @throws {Stop} `state`, when it is damaged, of a newer Trueup, or was not written with the key.
 */
export function parseSealed(
  { location, text }: Text,
  authenticity: Authenticity,
  stateIn: (content: unknown) => unknown,
): { readonly content: unknown; readonly mac: string } {
  let content: unknown;
  try {
    content = parseJson(text);
  } catch (error) {
    throw unusable(location, error instanceof TooManyParts ? error.message : 'is not valid JSON', { cause: error });
  }
  const version = versionOf(stateIn(content));
  if (version === 1 || version === 2) authenticity.acceptUnsealed(location);
  refuseNewer(location, stateIn(content));
  if (!isSealed(version)) return { content, mac: '' };
  const sealMac = authenticity.check(location, text);
  const { mac: _, ...rest } = content as Readonly<Record<string, unknown>>;
  return { content: rest, mac: sealMac };
}

/** @throws {Stop} `state`, when a newer Trueup wrote a state. */
export function refuseNewer(location: string, content: unknown): void {
  const version = versionOf(content);
  if (typeof version !== 'number' || version <= newestFormat) return;
  const remedy = 'Use that version or a later one. Nothing was changed.';
  throw unusable(location, `has format ${version}, which a newer Trueup wrote`, { remedy });
}

/** Checks the form of a state of any format. @throws {Stop} `state`, when it is none. */
export function checkState(
  location: string,
  content: unknown,
  { key }: Pick<Authenticity, 'key'>,
): Pick<ReadState, 'state' | 'format'> {
  const version = versionOf(content);
  const checked = <T>(schema: z.ZodType<T>): T => {
    const result = schema.safeParse(content);
    if (result.success) return result.data;
    throw unusable(location, `is not a state of Trueup: ${misfitOf(content, result.error)}`);
  };
  if (version === 1 || version === 2) {
    const { digestKey, resources, ...former } = checked(unsealedStateSchema(version));
    const state = { ...former, ...migrateResources(resources), formatVersion: newestFormat, keyNumber: 0 } as const;
    return { state: withNextKey(state, key, digestKey), format: version };
  }
  if (version === 3) {
    const { resources, profile: _, ...former } = checked(thirdStateSchema());
    return { state: { ...former, ...migrateResources(resources), formatVersion: newestFormat }, format: version };
  }
  const { profile: _, ...state } = checked(stateSchema());
  holdOnce(state.resources);
  return { state, format: newestFormat };
}

type Members = Readonly<Record<PropertyKey, unknown>>;

/** The first thing that a state does not have, or has and must not. */
function misfitOf(content: unknown, { issues: [issue] }: z.ZodError): string {
  const path = issue?.path ?? [];
  if (path.length === 0 && issue?.code === 'invalid_type') {
    const is = content === null ? 'null' : Array.isArray(content) ? 'a list' : `a ${typeof content}`;
    return `it is ${is}, and a state is an object`;
  }
  const version = versionOf(content);
  const isKnown = typeof version === 'number' && version >= 1 && version <= newestFormat;
  const none = isKnown ? `no state of format ${version}` : 'no state';
  const nameOf = (parts: readonly PropertyKey[]) => parts.map(String).join('.') || 'it';
  if (issue?.code === 'unrecognized_keys') return `${nameOf(path)} has ${someOf(issue.keys)}, which ${none} has`;
  const above = path.slice(0, -1);
  const parent = above.reduce<unknown>((value, key) => (value as Members)[key], content) as Members;
  if (parent[path.at(-1) ?? ''] === undefined) return `${nameOf(above)} has no ${String(path.at(-1))}`;
  return `${nameOf(path)} ${issue?.code === 'custom' ? issue.message : `has a value that ${none} has`}`;
}

/** Holds once what a text says several times: a value that was wanted and answered, and an address. */
function holdOnce(resources: State['resources']): void {
  const addresses = new Map(Object.keys(resources).map((address) => [address, address]));
  const once = <T extends string | null>(address: T) =>
    address === null ? address : (addresses.get(address) ?? address);
  for (const record of Object.values(resources)) {
    Object.assign(record, { parent: once(record.parent), dependsOn: record.dependsOn.map(once) });
    for (const pair of Object.values(record.pairs)) {
      const { wanted, answered }: { wanted: Stored; answered: Stored } = pair;
      if ('value' in wanted && 'value' in answered && wanted.value === answered.value)
        Object.assign(pair, { answered: wanted });
    }
  }
}

function versionOf(content: unknown): unknown {
  return (content as { formatVersion?: unknown } | null | undefined)?.formatVersion;
}

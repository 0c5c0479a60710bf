import { type Json, canonical } from '../formats/json.ts';
import type { Manifest } from './manifest.ts';
import type { Resource } from './resource.ts';
import { type Wanted, asWritten } from './wanted.ts';

/** The addresses whose blocks mean something else in two readings of a manifest; secrets are compared by their names. */
export function differingAddresses(before: Manifest, after: Manifest): readonly string[] {
  const [a, b] = [meanings(before), meanings(after)];
  return [...new Set([...a.keys(), ...b.keys()])].filter((address) => a.get(address) !== b.get(address));
}

function meanings({ resources }: Manifest): ReadonlyMap<string, string> {
  return new Map(resources.map((resource) => [resource.address, meaningOf(resource)]));
}

function meaningOf({ fields, maps, mapMode, options, privateKeys, pinned }: Resource): string {
  const values = (all: Iterable<readonly [string, Wanted]>): Json =>
    Object.fromEntries([...all].map(([name, wanted]) => [name, asWritten(wanted)]));
  const inMaps = Object.entries(maps).map(([name, all]) => [name, values(all)] as const);
  return canonical({
    fields: values(Object.entries(fields)),
    maps: Object.fromEntries(inMaps),
    options: { ...options, mapMode, pinned: pinned ?? null, private: [...(privateKeys ?? [])].toSorted() },
  });
}

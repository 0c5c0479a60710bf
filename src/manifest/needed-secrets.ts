import type { Manifest } from './manifest.ts';
import { wantedAttributes } from './resource.ts';
import { type Wanted, concealedIn } from './wanted.ts';

/** The secrets that a manifest needs and its reader did not have, by name, each once. */
export function missingSecrets(manifest: Manifest): readonly string[] {
  return [...new Set(wantedIn(manifest).flatMap(({ missing }) => missing))];
}

/** The secrets that the values of a manifest hold, by name, each once: those that its reader did not have too. */
export function usedSecrets(manifest: Manifest): readonly string[] {
  const concealed = wantedIn(manifest).flatMap((wanted) => [...concealedIn(wanted)]);
  return [...new Set(concealed.flatMap(({ from, name }) => (from === 'secret' ? [name] : [])))];
}

function wantedIn({ resources, outputs, freeText }: Manifest): readonly Wanted[] {
  const ofResources = resources.flatMap((resource) => wantedAttributes(resource).map(({ wanted }) => wanted));
  return [...ofResources, ...outputs.values(), ...(freeText === undefined ? [] : [freeText])];
}

import { closest } from '../../diagnostics/closest.ts';
import { dependencies } from '../../graph/order.ts';
import { addressMeant, isWithin, normalAddress } from '../../kind/address.ts';
import { matchesGlob } from '../../manifest/glob.ts';
import type { Resource } from '../../manifest/resource.ts';
import { loadManifest } from '../../project/load.ts';
import type { GraphView } from '../../render/formats/graph.ts';
import { graphFormats } from '../../render/formats/graph.ts';
import type { Command } from '../command.ts';
import { usage } from '../options.ts';

/** Prints the resources of the manifest and what each depends on. Sends nothing. */
export function graphCommand({ target = [] }: { readonly target?: readonly string[] }): Command<GraphView> {
  return {
    formats: graphFormats,
    execute: async (run, view) => {
      const { manifest, warnings } = await loadManifest(run.options);
      run.warn(warnings);
      const wanted = target.map((word) => addressMeant(word, run.options.kinds));
      view.graph(target.length === 0 ? manifest.resources : narrowed(manifest.resources, wanted));
      return 'done';
    },
  };
}

/** What the targets name, what is below it, and all that these need. @throws {Stop} `usage`, when one names nothing */
function narrowed(resources: readonly Resource[], targets: readonly string[]): readonly Resource[] {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  const kept = new Set(targets.flatMap((target) => named(target, [...byAddress.keys()])));
  for (const address of kept) {
    const resource = byAddress.get(address);
    // The loop goes on to what is added meanwhile.
    if (resource !== undefined) for (const need of dependencies(resource)) kept.add(need);
  }
  return resources.filter(({ address }) => kept.has(address));
}

function named(target: string, known: readonly string[]): string[] {
  const address = normalAddress(target);
  const matches = known.filter((one) => (address === undefined ? matchesGlob(target, one) : one === address));
  const roots = address !== undefined && matches.length === 0 ? [address] : matches;
  const found = known.filter((one) => roots.some((root) => isWithin(one, root)));
  if (found.length > 0) return found;
  const guess = closest(target, known);
  const remedy = guess === undefined ? 'trueup graph lists the addresses.' : `Did you mean ${guess}?`;
  throw usage(`--target ${target}: the manifest has nothing there`, remedy);
}

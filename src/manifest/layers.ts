import { sectionAlias } from '../kind/aliases.ts';
import { environmentKey } from './assemble/environment.ts';
import type { Manifest } from './manifest.ts';
import type { Resource } from './resource.ts';

/** Whether the values of a manifest may stand in several places: it has an environment of its own, templates or changes. */
export function hasLayers({ settings, texts }: Manifest): boolean {
  return settings.environment !== undefined || [...texts.values()].some((text) => layered.test(text));
}

const layered = /^(?:templates|changes)[ \t]*:/m;

/**
 * The keys from the top of a file to a block, by each word for its section; Dokploy's first. `environment`: the one whose
 * sections stand at the top.
 */
export function blockPaths(
  resource: Resource,
  about: { readonly resources: readonly Resource[]; readonly environment: string | undefined },
): string[][] {
  const { parent, kind, key } = resource;
  const { isSingle, section } = kind;
  const isOwn = (one: Resource) => one.kind.identity.addressedByKey === true && one.key === about.environment;
  if (isOwn(resource)) return [[environmentKey]];
  const above = about.resources.find(({ address }) => address === parent);
  // What is below the block that the top stands for stands beside it, and so does what is below the own environment.
  const isAtTop = above === undefined || above.kind.isTop === true || isOwn(above);
  const around = isAtTop ? [[]] : blockPaths(above, about);
  const keys = isSingle === true ? [] : [key];
  return [section, sectionAlias(section) ?? []]
    .flat()
    .flatMap((word) => around.map((path) => [...path, word, ...keys]));
}

import { means, plain } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import { canonical } from '../kind/json.ts';
import type { Field, ParentLink } from '../kind/kind.ts';
import { mentionsIn } from '../manifest/mentions.ts';
import { partName } from '../manifest/resource.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { resolve } from '../manifest/wanted.ts';
import type { Action, PlannedPart } from './action.ts';
import { resolveField } from './diff.ts';

/** What a service is deployed from: itself, what stands below it, and what it mentions of where it stands. */
export interface ServiceActions {
  readonly root: Action;
  readonly leafs: readonly Action[];
  readonly parent: Action | undefined;
}

/** One thing that a deployment takes in. */
interface Input {
  readonly name: string;
  readonly planned: PlannedPart | undefined;
}

/**
 * The digest of everything declared that a deployment of a service takes in; undefined while some of it is not known.
 * It does not depend on what the platform has, so it is the same until a declaration changes.
 */
export function inputsDigest(
  service: ServiceActions,
  { outputs, digest }: { readonly outputs: Outputs; readonly digest: (text: string) => string },
): string | undefined {
  const lines: string[] = [];
  for (const { name, planned } of inputsOf(service, outputs)) {
    const value = planned === undefined ? '' : digestOf(planned, outputs, digest);
    if (value === undefined) return undefined;
    lines.push(JSON.stringify([name, value]));
  }
  return digest(lines.toSorted().join('\n'));
}

function digestOf(
  { field, wanted, pair }: PlannedPart,
  outputs: Outputs,
  digest: (text: string) => string,
): string | undefined {
  if (wanted === undefined) return '';
  const resolved = resolveField(field, wanted, outputs);
  // What this run does not know is as it was settled last, or the plan is refused.
  if (resolved.is === 'unavailable' && pair !== undefined) {
    return 'digest' in pair.wanted ? pair.wanted.digest : digest(canonical(pair.wanted.value));
  }
  return resolved.is === 'known' ? digest(canonical((field.codec ?? plain).normal(resolved.value))) : undefined;
}

function inputsOf(service: ServiceActions, outputs: Outputs): Input[] {
  const { root, leafs, parent } = service;
  const own = root.parts.flatMap((planned) =>
    planned.wanted !== undefined && planned.field.appliesAt === 'deploy'
      ? [{ name: partName(planned.part), planned }]
      : [],
  );
  const below = leafs.filter(staysThere).flatMap((leaf): Input[] => {
    if (!reachesContainers(leaf, root)) return [];
    const name = leaf.address.slice(root.address.length);
    const parts = leaf.parts.filter((planned) => planned.wanted !== undefined && isInputOfLeaf(planned.field));
    return [
      { name, planned: undefined },
      ...parts.map((planned) => ({ name: `${name} ${partName(planned.part)}`, planned })),
    ];
  });
  const mentioned = mentionsOf(root, outputs);
  const above = mentionedParts(parent, mentioned).map((planned) => ({
    name: `${parent?.address ?? ''} ${partName(planned.part)}`,
    planned,
  }));
  return [...own, ...below, ...above];
}

function staysThere({ action, isHeld }: Action): boolean {
  return action !== 'delete' && action !== 'forget' && isHeld !== true;
}

/** Whether what stands below a service reaches its containers at a deployment, and not by itself. */
export function reachesContainers(leaf: Action, root: Action): boolean {
  const link: ParentLink | undefined = leaf.kind.parents[root.kind.kind];
  return link?.atOnce !== true && Object.values(leaf.kind.fields).some((field) => field.appliesAt === 'deploy');
}

function isInputOfLeaf(field: Field): boolean {
  return field.appliesAt === 'deploy' || field.onChange === 'replace';
}

/** The variables of its environment that the texts of a service mention, as far as the texts are known. */
export function mentionsOf({ parts }: Action, outputs: Outputs): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { field, wanted } of parts) {
    if (field.map === undefined || wanted === undefined) continue;
    const resolved = resolve(wanted, outputs);
    if (resolved.is !== 'known' || typeof resolved.value !== 'string') continue;
    for (const name of mentionsIn(resolved.value)) found.add(name);
  }
  return found;
}

/** The parts of an environment that hold variables which are mentioned. */
function mentionedParts(parent: Action | undefined, names: ReadonlySet<string>): PlannedPart[] {
  if (parent === undefined || names.size === 0) return [];
  return parent.parts.filter(
    ({ part, field, wanted }) =>
      field.map !== undefined && wanted !== undefined && (part.key === undefined || names.has(part.key)),
  );
}

/** The variables that a planned write gives another value, or takes away. */
export function changedVariables({ parts }: Action, outputs: Outputs): ReadonlyMap<string, PlannedPart> {
  const changed = new Map<string, PlannedPart>();
  for (const planned of parts) {
    const { part, field, decision, wanted, before } = planned;
    if (field.map === undefined || (decision.do !== 'write' && decision.do !== 'remove')) continue;
    if (part.key !== undefined) {
      changed.set(part.key, planned);
      continue;
    }
    const resolved = wanted === undefined ? undefined : resolveField(field, wanted, outputs);
    const now = variablesIn(field, resolved?.is === 'known' ? resolved.value : null);
    const old = variablesIn(field, before.reveal());
    for (const key of new Set([...now.keys(), ...old.keys()])) {
      if (!means(plain, now.get(key) ?? null, old.get(key) ?? null)) changed.set(key, planned);
    }
  }
  return changed;
}

function variablesIn(field: Field, text: Json): ReadonlyMap<string, string> {
  return (typeof text === 'string' ? field.map?.read(text) : undefined) ?? new Map<string, string>();
}

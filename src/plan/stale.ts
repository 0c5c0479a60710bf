import { pathOf } from '../kind/attribute.ts';
import { plain, means } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import type { Field } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import { resolveField } from '../manifest/fields.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { matchesStored } from '../state/stored.ts';
import type { Action, AttributeChange } from './action.ts';
import type { ServiceActions } from './deploy-inputs.ts';
import { mentionsOf, reachesContainers } from './deploy-inputs.ts';
import type { PlanInput } from './input.ts';

/** The changes of a plan that only a deployment of the service puts into effect. */
export interface Staleness {
  /** Code has to be fetched. */
  readonly code?: true;
  /** What changes, as paths below the service. */
  readonly because: readonly string[];
  /** The actions that write it. */
  readonly through: readonly string[];
  /** It may come to nothing: all of it is known only after apply. */
  readonly isPending?: true;
}

/** Finds the changes of a plan that make a service stale; undefined for a service that none does. */
export function stalenessOf(
  input: PlanInput,
  outputs: Outputs,
  isCode: (root: Action) => boolean,
): (service: ServiceActions) => Staleness | undefined {
  const changed = new Map<Action, ReadonlyMap<string, string>>(); // so that many services stay linear
  const changedIn = (parent: Action): ReadonlyMap<string, string> => {
    const known = changed.get(parent) ?? changedVariables(input, parent, outputs);
    changed.set(parent, known);
    return known;
  };
  return ({ root, leafs, parent }) => {
    const because: string[] = [];
    const through = new Set<string>();
    let code = false;
    let isPending = true;
    const add = (path: string, by: Action, planned?: AttributeChange): void => {
      because.push(path);
      through.add(by.address);
      const { decision } = planned ?? {};
      isPending &&= decision?.do === 'write' && decision.cause === 'known after apply';
    };
    if (parent !== undefined) {
      const mentioned = mentionsOf(root, outputs);
      if (root.action === 'move' && mentioned.size > 0) add(parent.address, root);
      for (const key of mentioned) {
        const path = changedIn(parent).get(key);
        if (path !== undefined) add(path, parent);
      }
    }
    if (root.createsObject) {
      return { ...(isCode(root) ? { code: true } : {}), because: [], through: [...through] };
    }
    for (const planned of root.attributes) {
      if (planned.field.appliesAt !== 'deploy' || !isChange(input, planned, outputs)) continue;
      add(pathOf(root.kind, planned.attribute), root, planned);
      code ||= isFetched(root.kind, planned.attribute.field) && isCode(root);
    }
    for (const leaf of leafs) {
      if (!reachesContainers(leaf, root) || leaf.isHeld === true) continue;
      const name = leaf.address.slice(root.address.length + 1);
      const isKnown = typeof input.state.resources[leaf.address]?.id === 'string';
      if (leaf.createsObject || leaf.action === 'delete' || (leaf.action === 'forget' && isKnown)) add(name, leaf);
      else if (leaf.action !== 'forget') {
        for (const planned of leaf.attributes) {
          if (planned.field.appliesAt !== 'deploy' || !isChange(input, planned, outputs)) continue;
          add(`${name}.${pathOf(leaf.kind, planned.attribute)}`, leaf, planned);
        }
      }
    }
    if (because.length === 0) return undefined;
    return { ...(code ? { code } : {}), because, through: [...through], ...(isPending ? { isPending } : {}) };
  };
}

/** Tells whether an attribute gets another value than it was deployed with, or got one outside of Trueup. */
function isChange({ digest }: PlanInput, planned: AttributeChange, outputs: Outputs): boolean {
  const { decision, wanted, pair, field } = planned;
  if (decision.do === 'write' || decision.do === 'remove' || decision.do === 'replace') return true;
  if (decision.do !== 'nothing' || !decision.settled || pair === undefined || wanted === undefined) return false;
  if (pair.ignored !== undefined) return true;
  const resolved = resolveField(field, wanted, outputs);
  return resolved.is === 'known' && !matchesStored({ field, digest }, pair.wanted, resolved.value);
}

/** Tells whether a field decides which code is fetched. */
function isFetched(kind: Kind, name: string): boolean {
  return (kind.unions ?? []).some(
    ({ local, tag, cases }) =>
      local !== undefined &&
      (name === tag || Object.values(cases).some((fields) => Object.values(fields).includes(name))),
  );
}

/** The variables of an environment that get another value, or got one outside of Trueup, with their paths. */
function changedVariables(input: PlanInput, parent: Action, outputs: Outputs): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const planned of parent.attributes) {
    const { attribute, field, wanted, before } = planned;
    if (field.map === undefined || !isChange(input, planned, outputs)) continue;
    const path = (key: string) => `${parent.address}.${attribute.field}.${key}`;
    if (attribute.key !== undefined) {
      changed.set(attribute.key, path(attribute.key));
      continue;
    }
    const resolved = wanted === undefined ? undefined : resolveField(field, wanted, outputs);
    const now = variablesIn(field, resolved?.is === 'known' ? resolved.value : null);
    const old = variablesIn(field, before.reveal());
    // The text on the platform is already the wanted one: which of its variables are new is not known.
    const isThere = planned.decision.do === 'nothing';
    for (const key of new Set([...now.keys(), ...old.keys()])) {
      if (isThere || !means(plain, now.get(key) ?? null, old.get(key) ?? null)) changed.set(key, path(key));
    }
  }
  return changed;
}

function variablesIn(field: Field, text: Json): ReadonlyMap<string, string> {
  return (typeof text === 'string' ? field.map?.read(text) : undefined) ?? new Map<string, string>();
}

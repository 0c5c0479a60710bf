import { onceFor } from '../api/once.ts';
import type { Json } from '../formats/json.ts';
import { attributeField, attributeNamed } from '../kind/attribute.ts';
import type { Field } from '../kind/field.ts';
import type { Kind } from '../kind/kind.ts';
import { knownPairs } from '../state/pending-operation.ts';
import {
  type Action,
  type AttributeChange,
  type Staleness,
  createsObject,
  isDeletion,
  isDeferred,
  isLeftOut,
  isMove,
  leavesState,
} from './action.ts';
import { type ServiceActions, deployedAttributes, mentionsOf, reachesContainers } from './deploy-inputs.ts';
import type { Planning } from './input.ts';
import { writesOrRemoves } from './decide.ts';
import { recordedAt } from './relations.ts';
import { undeclared, wantedOf } from './standing.ts';

/** Finds the changes of a plan that make a service stale; undefined for a service that none does. */
export function stalenessOf(input: Planning): (service: ServiceActions, isCode: boolean) => Staleness | undefined {
  const changedIn = onceFor((parent: Action) => changedVariables(input, parent)); // so that many services stay linear
  return (service, isCode) => {
    const { root, leafs, above } = service;
    const changes: { readonly path: string; readonly by: Action; readonly planned?: AttributeChange }[] = [];
    const addAttributes = (by: Action) => {
      const reaches = (planned: AttributeChange) => isChange(planned) && !hasSameVariables(planned, by, input);
      for (const { path, planned } of deployedAttributes(by, root, reaches)) changes.push({ path, by, planned });
    };
    for (const one of above) {
      const mentioned = mentionsOf(service, one, input.outputs);
      // It stays in its project.
      if (isMove(root) && one.kind.isTop !== true && mentioned.size > 0) changes.push({ path: one.address, by: root });
      for (const key of mayMentionMore(root) ? changedIn(one).keys() : mentioned) {
        const path = changedIn(one).get(key);
        if (path !== undefined) changes.push({ path, by: one });
      }
    }
    const throughOf = () => [...new Set(changes.map(({ by }) => by.address))];
    if (createsObject(root)) return { ...(isCode ? { code: true } : {}), because: [], through: throughOf() };
    addAttributes(root);
    for (const leaf of leafs) {
      if (!reachesContainers(leaf, root) || isDeferred(leaf)) continue;
      const isKnown = typeof input.state.resources[leaf.address]?.id === 'string';
      if (createsObject(leaf) || (leavesState(leaf) && (isKnown || isDeletion(leaf))))
        changes.push({ path: leaf.address.slice(root.address.length + 1), by: leaf });
      else if (!leavesState(leaf)) addAttributes(leaf);
    }
    if (changes.length === 0) return undefined;
    const isNewCode = changes.some(
      ({ by, planned }) => by === root && planned !== undefined && isFetched(root.kind, planned.attribute.field),
    );
    const isPending = changes.every(
      ({ planned }) => planned?.decision.do === 'write' && planned.decision.cause === 'known after apply',
    );
    return {
      ...(isCode && isNewCode ? { code: true } : {}),
      because: changes.map(({ path }) => path),
      through: throughOf(),
      ...(isPending ? { isPending } : {}),
    };
  };
}

/** Whether a plan leaves a service out whose texts would change: which variables those that run mention is not known. */
function mayMentionMore(one: Action): boolean {
  return isLeftOut(one) && one.attributes.some(({ field, wanted }) => field.map !== undefined && wanted === undefined);
}

/** Tells whether an attribute gets another value than it was deployed with, or got one outside of Trueup. */
function isChange({ decision, pair, standing }: AttributeChange): boolean {
  if (writesOrRemoves(decision) || decision.do === 'replace') return true;
  if (decision.do !== 'nothing' || !decision.settled || pair === undefined) return false;
  return pair.ignored !== undefined || standing.declared === 'edited';
}

/** Tells whether a text of variables gets another form only, such as a comment: what runs has the same variables. */
function hasSameVariables(planned: AttributeChange, by: Action, input: Planning): boolean {
  const { attribute, field, decision, before } = planned;
  if (field.map === undefined || attribute.key !== undefined || decision.do !== 'write') return false;
  // In a conflict the text on the platform is another person's: whether it was deployed is not known.
  if (!['edit', 'drift', 'first managed'].includes(decision.cause)) return false;
  const resolved = wantedOf(planned, input.outputs);
  const old = before.reveal();
  if (resolved?.is !== 'known' || typeof old !== 'string') return false;
  const [now, then] = [variablesIn(field, resolved.value), variablesIn(field, old)];
  const isSame = now.size === then.size && [...now].every(([key, value]) => then.get(key) === value);
  return isSame && !(decision.cause === 'first managed' && hasOtherKeys(by, attribute.field, then, input));
}

/** Tells whether keys of a map whose place a text takes have other values on the platform than they were settled with. */
function hasOtherKeys(
  { kind, address, block }: Action,
  name: string,
  then: ReadonlyMap<string, string>,
  { state, digests }: Planning,
): boolean {
  const recorded = recordedAt(state, { address, block });
  return Object.entries(knownPairs(state.resources[recorded])).some(([settled, pair]) => {
    const attribute = attributeNamed(settled);
    if (attribute.field !== name || attribute.key === undefined) return false;
    const field = attributeField(kind, attribute);
    const observed = then.get(attribute.key) ?? null;
    return undeclared(digests, recorded, { attribute, field, pair, observed }).standing.there === 'other';
  });
}

/** Tells whether a field decides which code is fetched. */
function isFetched(kind: Kind, name: string): boolean {
  return (kind.unions ?? []).some(
    ({ local, tag, cases }) =>
      local !== undefined &&
      (name === tag || Object.values(cases).some((fields) => Object.values(fields).includes(name))),
  );
}

/** The variables of an environment, or of a project, that get another value, or got one outside of Trueup, with their paths. */
function changedVariables(input: Planning, parent: Action): ReadonlyMap<string, string> {
  const changed = new Map<string, string>();
  for (const planned of parent.attributes) {
    const { attribute, field, before } = planned;
    if (field.map === undefined || !isChange(planned)) continue;
    const path = (key: string) => `${parent.address}.${attribute.field}.${key}`;
    if (attribute.key !== undefined) {
      changed.set(attribute.key, path(attribute.key));
      continue;
    }
    const resolved = wantedOf(planned, input.outputs);
    const now = variablesIn(field, resolved?.is === 'known' ? resolved.value : null);
    const old = variablesIn(field, before.reveal());
    // The text on the platform is already the wanted one: which of its variables are new is not known.
    const isThere = planned.decision.do === 'nothing';
    for (const key of new Set([...now.keys(), ...old.keys()])) {
      if (isThere || now.get(key) !== old.get(key)) changed.set(key, path(key));
    }
  }
  return changed;
}

function variablesIn(field: Field, text: Json): ReadonlyMap<string, string> {
  return (typeof text === 'string' ? field.map?.read(text) : undefined) ?? new Map<string, string>();
}

import { attributeName, pathOf } from '../kind/attribute.ts';
import { plain } from '../kind/codecs.ts';
import { groupBy } from '../kind/group.ts';
import { type Row, canonical } from '../formats/json.ts';
import type { Field } from '../kind/field.ts';
import type { ParentLink } from '../kind/parent.ts';
import { mentionsIn, variablesAbove } from '../manifest/mentions.ts';
import { type Outputs, knownTexts, resolve } from '../manifest/wanted.ts';
import { type Action, type AttributeChange, isDeferred, isIgnored, isLeftOut, leavesState } from './action.ts';
import type { Planning } from './input.ts';
import { wantedOf } from './standing.ts';

/** A service with all that a deployment of it takes in: the objects below it, and the variables above it. */
export interface ServiceActions {
  readonly root: Action;
  readonly leafs: readonly Action[];
  /** The objects above with variables for it, nearest first. */
  readonly above: readonly Action[];
}

/** The services that stay or come, with what stands below each. */
export function servicesIn(planned: readonly Action[], actions: ReadonlyMap<string, Action>): ServiceActions[] {
  // What a list of its own shows has a scope of its own.
  const aboveOf = ({ scope, address, parent }: Action) => (scope === address ? parent : scope);
  const leafs = groupBy(planned.map((action) => [aboveOf(action), action] as const));
  return planned.flatMap((root) => {
    if (!isThere(root) || root.kind.commands?.deploy === undefined) return [];
    const below = leafs.get(root.address) ?? [];
    const isRead = (leaf: Action) => leaf.scope === root.address || reachesContainers(leaf, root);
    return [{ root, leafs: below.filter(isRead), above: variablesAbove(root, actions) }];
  });
}

/** The input of digests of values. */
type Digesting = Pick<Planning, 'outputs' | 'digests'> & {
  /** A digest to compare them with. */ readonly like?: string | undefined;
};

/**
 * The digest of everything declared that a deployment of a service takes in; undefined while some of it is not known.
 * It does not depend on what the platform has, so it is the same until a declaration changes.
 */
export function inputsDigest({ root, leafs, above }: ServiceActions, how: Digesting): string | undefined {
  const below = leafs.filter((leaf) => isThere(leaf) && reachesContainers(leaf, root));
  const inputs = [
    ...inputsOf(root, '', ({ appliesAt }) => appliesAt === 'deploy', how),
    ...below.flatMap((leaf): Input[] => {
      const name = leaf.address.slice(root.address.length);
      return [[name, ''], ...inputsOf(leaf, `${name} `, isInputOfLeaf, how)];
    }),
    ...above.flatMap((one) => variablesOf({ root, above }, one, how)),
  ];
  const lines = inputs.map(([name, value]) => (value === undefined ? undefined : JSON.stringify([name, value])));
  return lines.every((line) => line !== undefined)
    ? how.digests(root.address, '(inputs)')(lines.toSorted().join('\n'), how.like)
    : undefined;
}

/** A name with the digest of its value; undefined while that is not known. */
type Input = readonly [name: string, value: string | undefined];

function inputsOf(one: Action, prefix: string, isInput: (field: Field) => boolean, how: Digesting): Input[] {
  const declared = one.attributes.filter((item) => isDeclared(item) && isInput(item.field));
  return declared.map((item) => [`${prefix}${attributeName(item.attribute)}`, digestOf(one, item, how)]);
}

/** Whether a value of the manifest is deployed: not one that others set, or that has to wait, and that Trueup never wrote. */
function isDeclared({ wanted, decision, pair }: AttributeChange): boolean {
  return wanted !== undefined && (!['keep', 'wait'].includes(decision.do) || pair !== undefined);
}

function isInputOfLeaf({ appliesAt, onChange }: Field): boolean {
  return appliesAt === 'deploy' || onChange === 'replace';
}

/** The variables that a service mentions of something above it. */
function variablesOf(service: Pick<ServiceActions, 'root' | 'above'>, one: Action, how: Digesting): Input[] {
  const { keyed, text } = variablesIn(one, how);
  const names = [...mentionsOf(service, one, how.outputs)];
  const what = one.kind.isTop === true ? `(variable of ${one.kind.kind})` : '(variable)';
  return names.map((name) => [`${what} ${name}`, keyed.has(name) ? keyed.get(name) : text]);
}

function digestOf(
  { address }: Action,
  planned: AttributeChange,
  { outputs, digests, like }: Digesting,
): string | undefined {
  const { attribute, field, pair, decision } = planned;
  const resolved = wantedOf(planned, outputs);
  const digest = digests(address, attributeName(attribute));
  // What this run does not know is as it was settled last, or the plan is refused. What others set counts as it was created.
  const isUnknown = resolved?.is === 'unavailable' || (resolved?.is === 'pending' && decision.do === 'wait');
  if ((isUnknown || decision.do === 'keep') && pair !== undefined) {
    return 'digest' in pair.wanted ? pair.wanted.digest : digest(canonical(pair.wanted.value), like);
  }
  return resolved?.is === 'known' ? digest(canonical((field.codec ?? plain).normal(resolved.value)), like) : undefined;
}

/** What the variables of an environment, or of a project, are made from, as digests; undefined where that is not known. */
interface Variables {
  readonly keyed: ReadonlyMap<string, string | undefined>;
  /** Written as text, it stands for each variable in it: without its secrets no more is known of it than its digest. */
  readonly text: string | undefined;
}

function variablesIn(parent: Action, how: Digesting): Variables {
  const known = how.like === undefined ? digested.get(parent) : undefined;
  if (known !== undefined) return known;
  const keyed = new Map<string, string | undefined>();
  let text: string | undefined = '';
  for (const planned of parent.attributes) {
    const { attribute, field } = planned;
    if (field.map === undefined || !isDeclared(planned)) continue;
    if (attribute.key === undefined) text = digestOf(parent, planned, how);
    else keyed.set(attribute.key, digestOf(parent, planned, how));
  }
  // What is not known yet may be known in a later look.
  if ([...keyed.values(), text].every((value) => value !== undefined) && how.like === undefined)
    digested.set(parent, { keyed, text });
  return { keyed, text };
}

const digested = new WeakMap<Action, Variables>(); // so that many services stay linear

/** Whether the object of an action is there once the action is done; not while it is held back. */
export function isThere(one: Action): boolean {
  const isWaiting = isDeferred(one) && (!isLeftOut(one) || one.id === undefined);
  return !leavesState(one) && !isWaiting;
}

/** The row of an object as it will be after the writes, as far as its values are known. What others set stays theirs. */
export function rowAfterWrites({ attributes }: Action, row: Row, outputs: Outputs): Row {
  const declared = attributes.flatMap(({ attribute: { field, key }, wanted, decision }) => {
    const isWritten = wanted !== undefined && key === undefined && decision.do !== 'keep';
    const resolved = isWritten ? resolve(wanted, outputs) : undefined;
    return resolved?.is === 'known' ? [[field, resolved.value] as const] : [];
  });
  return { ...row, ...Object.fromEntries(declared) };
}

/** Whether what stands below a service reaches its containers at a deployment, and not by itself. */
export function reachesContainers(leaf: Action, root: Action): boolean {
  const link: ParentLink | undefined = leaf.kind.parents[root.kind.kind];
  return link?.atOnce !== true && Object.values(leaf.kind.fields).some((field) => field.appliesAt === 'deploy');
}

/** Some attributes of a service, or of what is below it, that only a deployment puts into effect, by their paths. */
export function deployedAttributes(
  one: Action,
  root: Action,
  isMeant: (planned: AttributeChange) => boolean,
): { path: string; planned: AttributeChange }[] {
  const name = one === root ? '' : `${one.address.slice(root.address.length + 1)}.`;
  const deployed = one.attributes.filter((planned) => planned.field.appliesAt === 'deploy' && isMeant(planned));
  return deployed.map((planned) => ({ path: name + pathOf(one.kind, planned.attribute), planned }));
}

/**
 * Paths of the ignored values that only a deployment of a service puts into effect. A deployment would run the service
 * with the values that the platform has instead.
 */
export function ignoredInputs({ root, leafs, above }: ServiceActions, outputs: Outputs): string[] {
  const below = leafs.filter((leaf) => reachesContainers(leaf, root));
  const own = [root, ...below].flatMap((one) => deployedAttributes(one, root, isIgnored));
  const paths = own.map(({ path }) => path);
  return [...paths, ...above.flatMap((one) => ignoredVariables({ root, above }, one, outputs))];
}

/** Paths of the ignored variables that a service mentions of something above it. */
function ignoredVariables(
  service: Pick<ServiceActions, 'root' | 'above'>,
  { address, attributes, kind }: Action,
  outputs: Outputs,
): string[] {
  const variables = attributes.filter((planned) => planned.field.map !== undefined && isIgnored(planned));
  if (variables.length === 0) return [];
  const mentioned = mentionsOf(service, { kind }, outputs);
  const reaching = variables.filter(({ attribute: { key } }) =>
    key === undefined ? mentioned.size > 0 : mentioned.has(key),
  );
  return reaching.map(({ attribute }) => `${address}.${pathOf(kind, attribute)}`);
}

/**
 * The variables of something above a service that its texts mention, as far as the texts are known. The platform fills in
 * variables of the project first, and then what their values mention of the environment.
 */
export function mentionsOf(
  { root, above }: Pick<ServiceActions, 'root' | 'above'>,
  { kind: meant }: Pick<Action, 'kind'>,
  outputs: Outputs,
): ReadonlySet<string> {
  const found = new Set<string>();
  const addFrom = (texts: Iterable<string>) => {
    for (const text of texts) for (const name of mentionsIn(text, meant.kind)) found.add(name);
  };
  for (const one of root.attributes) addFrom(textsOf(one, outputs));
  const project = above.find(({ kind }) => kind.isTop === true);
  if (project === undefined || project.kind === meant) return found;
  const passed = valuesMentioning(project, meant.kind, outputs);
  if (passed.size === 0) return found;
  for (const name of mentionsOf({ root, above }, project, outputs)) addFrom(passed.get(name) ?? []);
  return found;
}

/** The known texts of an attribute that the platform fills in. */
function textsOf({ field, wanted }: AttributeChange, outputs: Outputs): readonly string[] {
  if (field.map === undefined || wanted === undefined) return [];
  const resolved = resolve(wanted, outputs);
  return [...knownTexts(wanted), ...(resolved.is === 'known' ? [String(resolved.value)] : [])];
}

/** The values of variables that mention variables of a kind, by the name of the variable. */
function valuesMentioning(
  { attributes }: Action,
  kind: string,
  outputs: Outputs,
): ReadonlyMap<string, readonly string[]> {
  const pairs = attributes.flatMap((one) =>
    textsOf(one, outputs).flatMap((text): (readonly [string, string])[] => {
      if (mentionsIn(text, kind).length === 0) return [];
      const { key } = one.attribute;
      return key === undefined ? [...(one.field.map?.read(text) ?? [])] : [[key, text]];
    }),
  );
  return groupBy(pairs);
}

import { position } from '../manifest/tree.ts';
import { onceFor } from '../api/once.ts';
import { closest } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import { defined } from '../formats/json.ts';
import { isWithin, normalAddress } from '../kind/address.ts';
import { resolveAddress } from '../kind/aliases.ts';
import { matchesGlob } from '../formats/glob.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Observed, ObservedObject } from '../observe/observed.ts';
import type { StateRecord } from '../state/record.ts';
import {
  type Action,
  type AttributeChange,
  type LeftOut,
  type Narrowing,
  type Plan,
  createsObject,
  followedBy,
  goesWithParent,
  isChange,
  isDeletion,
  isMove,
  isReplacement,
  isBeside,
  isDeposed,
  isLeftOut,
  leavesState,
  shownAddress,
  isAdoption,
  isDeployment,
} from './action.ts';
import { keep, targetFor } from './action-target.ts';
import type { PlanInput } from './input.ts';
import { actionsByAddress, relationsOf, isAt } from './relations.ts';

/** The plan as a whole: nothing is left out, nothing is replaced on purpose. */
export const everything: Narrowing = { targets: [], excludes: [], replaces: [] };

/** A narrowing as it was asked for, with its addresses as Trueup writes them. */
export function readNarrowing(asked: {
  readonly target?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly replace?: readonly string[] | undefined;
  readonly includeAccepted?: boolean | undefined;
  readonly retryFailed?: boolean | undefined;
}): Narrowing {
  const read = (words: readonly string[] = []) => [...new Set(words.map(resolveAddress))];
  return {
    targets: read(asked.target),
    excludes: read(asked.exclude),
    replaces: read(asked.replace),
    ...(asked.includeAccepted === true ? { includesAccepted: true } : {}),
    ...(asked.retryFailed === true ? { retriesFailed: true } : {}),
  };
}

/** Whether a plan leaves something out. */
export function isNarrow({ targets, excludes, followsOnly }: Narrowing): boolean {
  return followsOnly === true || targets.length > 0 || excludes.length > 0;
}

/** The errors of a narrowing: words that name nothing that is declared or in the state. */
export function unknownIn(narrowing: Narrowing, known: readonly string[], declared: readonly string[]): Diagnostic[] {
  const unknown = (option: string, word: string, all: readonly string[], what: string): Diagnostic => {
    const guess = endingWith(word, all) ?? closest(word, all);
    const remedy =
      guess === undefined ? 'trueup state list and the manifest have the addresses.' : `Did you mean ${guess}?`;
    return diagnostic('bad-reference', `${option} ${word}: ${what}`, { remedy });
  };
  const nothing = 'neither the manifest nor the state has anything there';
  const patterns = [
    ...narrowing.targets.map((word) => ['--target', word] as const),
    ...narrowing.excludes.map((word) => ['--exclude', word] as const),
  ];
  return [
    ...patterns.flatMap(([option, word]) =>
      matching(word, known).length > 0 ? [] : [unknown(option, word, known, nothing)],
    ),
    ...narrowing.replaces.flatMap((word) =>
      declared.includes(word) ? [] : [unknown('--replace', word, declared, 'nothing is declared there')],
    ),
  ];
}

/** The one address that ends with a word, which lacks what stands before it; undefined for several. */
function endingWith(word: string, all: readonly string[]): string | undefined {
  const [found, ...others] = all.filter((address) => address.endsWith(`.${word}`));
  return others.length === 0 ? found : undefined;
}

/** The addresses that a word names: that one, those of a pattern, or all in a section. */
export function matching(word: string, known: readonly string[]): string[] {
  const address = normalAddress(word);
  if (address === undefined) return known.filter((one) => matchesGlob(word, one));
  return known.includes(address) ? [address] : known.filter((one) => isWithin(one, address));
}

/**
 * Reports whether the plan is of everything, or a target names an address or what that is below. `parentOf` gives the address
 * above another one.
 */
export function isTargeted(
  input: PlanInput,
  address: string,
  parentOf: (address: string) => string | undefined,
): boolean {
  if (input.narrowing.targets.length === 0) return true;
  return isNamed(namedBy(input), address, parentOf);
}

/** Whether an address is one of those, or below one. */
function isNamed(
  named: ReadonlySet<string>,
  address: string,
  parentOf: (address: string) => string | undefined,
): boolean {
  for (let at: string | undefined = address; at !== undefined; at = parentOf(at)) if (named.has(at)) return true;
  return false;
}

/** The addresses that the targets of a plan name. */
const namedBy = onceFor(({ narrowing, state, resources }: PlanInput): ReadonlySet<string> => {
  const known = [...new Set([...resources.map(({ address }) => address), ...Object.keys(state.resources)])];
  return new Set(narrowing.targets.flatMap((word) => matching(word, known)));
});

/** What a plan is narrowed from. */
interface NarrowInput {
  /** Every action, with the deployments. */
  readonly actions: readonly Action[];
  readonly records: Readonly<Record<string, StateRecord>>;
  readonly objects: Observed['objects'];
  readonly narrowing: Narrowing;
}

/**
 * Chooses what a narrowed plan does: what the targets name, with all that it cannot do without, but for what the excludes
 * name, with all that cannot do without that. Gives the addresses that stay, and why others go.
 */
export function choose({ actions, records, objects, narrowing }: NarrowInput): {
  readonly stays: (address: string) => boolean;
  readonly needed: ReadonlyMap<string, string>;
} {
  const graph = graphOf(actions, records, objects);
  const known = [...new Set(actions.map(({ block }) => block))];
  const names = (words: readonly string[]) => {
    const named = new Set(words.flatMap((word) => matching(word, known)));
    const parentOf = (address: string) => graph.byAddress.get(address)?.parent;
    return actions.flatMap(({ address, block }) => (isNamed(named, block, parentOf) ? [address] : []));
  };
  const wanted =
    narrowing.targets.length === 0
      ? new Set(graph.byAddress.keys())
      : reached(names(narrowing.targets), (address) => [...graph.needs(address), ...graph.takesAlong(address)]).all;
  const dependents = groupBy(
    actions.filter(isChange).flatMap(({ address }) => graph.needs(address).map((need) => [need, address] as const)),
  );
  const out = reached(names(narrowing.excludes), (address) => dependents.get(address) ?? []);
  const { followsOnly = false } = narrowing;
  return { stays: (address) => !followsOnly && wanted.has(address) && !out.all.has(address), needed: out.from };
}

/** All that can be reached, and from where each was reached first. */
function reached(
  from: readonly string[],
  next: (address: string) => readonly string[],
): { readonly all: ReadonlySet<string>; readonly from: ReadonlyMap<string, string> } {
  const all = new Set(from);
  const before = new Map<string, string>();
  for (const address of all) {
    for (const other of next(address)) {
      if (all.has(other)) continue;
      all.add(other); // a Set goes on to what is added meanwhile
      before.set(other, address);
    }
  }
  return { all, from: before };
}

/** The actions that others cannot do without. */
function graphOf(actions: readonly Action[], records: NarrowInput['records'], objects: NarrowInput['objects']) {
  const { byAddress, users, below, inside, deployments } = relationsOf(actions, records, objects);
  const deposed = groupBy(actions.flatMap((one) => (isDeposed(one) ? [[one.block, one] as const] : [])));
  return {
    byAddress,
    /** Without these an action fails, or does half of something. */
    needs: (address: string): readonly string[] => {
      const action = byAddress.get(address);
      if (action === undefined || !isChange(action) || isBeside(action)) return [];
      const at = (addresses: readonly string[]) => addresses.flatMap((one) => byAddress.get(one) ?? []);
      const found = leavesState(action) ? [] : at(action.dependsOn).filter(isNew);
      // What moves out of an object has to leave before that goes.
      if (leavesState(action) || isReplacement(action))
        found.push(
          ...[users, below].flatMap((some) => some.get(address) ?? []),
          ...(inside.get(action.id ?? '') ?? []).filter(isMove),
        );
      if (isReplacement(action)) found.push(...(deposed.get(address) ?? []));
      if (isDeletion(action) && goesWithParent(action)) found.push(...at([action.parent ?? '']));
      found.push(...at(followedBy(action)));
      return found.filter((one) => one !== action && isChange(one)).map((one) => one.address);
    },
    /** Without these a target is not what it is meant to be: its variables, and what a new service is deployed with. */
    takesAlong: (address: string): readonly string[] =>
      (deployments.get(address)?.dependsOn ?? []).filter((need) => !isAt({ byAddress }, need, isDeployment)),
  };
}

/** Whether others cannot use an object before its action is done. */
function isNew(action: Action): boolean {
  return createsObject(action) || isAdoption(action);
}

/**
 * Leaves actions out of a plan: what the state knows stays in it as it is, and what it does not know is not mentioned. The
 * objects are those of the platform again where no replacement takes their place.
 */
export function leaveOut(
  actions: readonly Action[],
  stays: (address: string) => boolean,
  about: {
    readonly records: NarrowInput['records'];
    /** As the plan has them, and as the platform has them. */
    readonly objects: ReadonlyMap<string, ObservedObject>;
    readonly observed: ReadonlyMap<string, ObservedObject>;
  },
): { readonly actions: Action[]; readonly objects: ReadonlyMap<string, ObservedObject> } {
  const { records, observed } = about;
  const objects = new Map(about.objects);
  for (const { address } of actions) {
    if (stays(address)) continue;
    const object = observed.get(address);
    if (object === undefined) objects.delete(address);
    else objects.set(address, object);
  }
  const planned = new Set(actions.map(({ address }) => address));
  const present = new Set<string>();
  const kept = actions.flatMap((action) => {
    const { address, parent, scope } = action;
    // What waits for something else can be named while its parent, which is not there, is not.
    const isAlone = parent !== undefined && planned.has(parent) && !present.has(parent);
    const record = Object.hasOwn(records, address) ? records[address] : undefined;
    if (isAlone || !stays(address)) {
      if (record === undefined) return [];
      const own = { ...action, scope: present.has(scope) ? scope : address };
      present.add(address);
      return [left(own, record, objects.get(address)?.id)];
    }
    present.add(address);
    return [action];
  });
  return { objects, actions: kept };
}

/** An object that stays as it is, whatever the manifest says. */
function left(action: Action, record: StateRecord, id: string | undefined): Action {
  const { options, dependsOn, parent } = record;
  const target = { ...action, id, parent: parent ?? undefined, dependsOn, options, notes: [] };
  return { ...keep(target, 'left out'), attributes: action.attributes.map(asItIs) };
}

/** What a plan that did not read an object does about it: nothing, and its record stays as it is. */
export function unreadAction(resource: Resource, record: StateRecord, above: Action | undefined): Action {
  const { address, kind } = resource;
  const { id, options, dependsOn, parent } = record;
  const target = targetFor({ address, kind, options, dependsOn, parent: parent ?? undefined }, above);
  return keep({ ...target, id: id ?? undefined, position: position(resource.at) }, 'left out');
}

/** An attribute about which nothing is done; what is declared is not known of one that would change. */
function asItIs(attribute: AttributeChange): AttributeChange {
  const { decision } = attribute;
  if (decision.do === 'keep') return attribute;
  return decision.do === 'nothing'
    ? { ...attribute, decision: { ...decision, settled: false } }
    : { ...attribute, wanted: undefined, decision: { do: 'nothing', settled: false } };
}

/** The changes of a whole plan that are not in the narrowed one. */
export function leftOutOf(
  whole: readonly Action[],
  narrowed: readonly Action[],
  needed: ReadonlyMap<string, string>,
): LeftOut[] {
  const done = new Set(narrowed.filter(isChange).map(({ address }) => address));
  const byAddress = actionsByAddress(whole);
  return whole
    .filter((action) => isChange(action) && !done.has(action.address))
    .map((action) => {
      const needs = byAddress.get(needed.get(action.address) ?? '')?.block;
      return { address: shownAddress(action), action: action.action, ...defined({ needs }) };
    });
}

/** A plan whose list of what it leaves out is as the manifest declares it; last what it does not declare any more. */
export function inOrderOf(declared: readonly Pick<Resource, 'address'>[], plan: Plan): Plan {
  if (plan.narrowed === undefined) return plan;
  const places = new Map(declared.map(({ address }, place) => [address, place]));
  const placeOf = ({ address }: LeftOut) => places.get(address) ?? declared.length;
  const leftOut = plan.narrowed.leftOut.toSorted((a, b) => placeOf(a) - placeOf(b));
  return { ...plan, narrowed: { ...plan.narrowed, leftOut } };
}

/** What was found of all that a plan has, and of what that depends on. */
export function concerning(found: readonly Diagnostic[], { narrowed, actions }: Plan): readonly Diagnostic[] {
  if (narrowed === undefined) return found;
  const within = actions.filter((action) => !isLeftOut(action));
  const concerned = new Set(within.flatMap(({ address, dependsOn }) => [address, ...dependsOn]));
  return found.filter(({ address }) => address === undefined || concerned.has(address));
}

import { dependencies } from '../graph/order.ts';
import { attributeField, attributeName } from '../kind/attribute.ts';
import { groupBy } from '../kind/group.ts';
import { type Kind, holdersOfServices } from '../kind/kind.ts';
import { mayMention, variablesAbove } from '../manifest/mentions.ts';
import { type Resource, wantedAttributes } from '../manifest/resource.ts';
import type { Digests } from '../secrets/digest.ts';
import type { StateRecord } from '../state/record.ts';
import { type PlanFile, subjectsOf } from './plan-file.ts';
import { declarationOf, isEdited } from './standing.ts';

/** The blocks that a reviewed plan changes. */
export interface Touched {
  /** The addresses of all blocks that it does something about, or whose data it puts at risk. */
  readonly blocks: ReadonlySet<string>;
  /** Those of which an object goes. */
  readonly going: ReadonlySet<string>;
  /** Those that get an object. */
  readonly coming: ReadonlySet<string>;
}

/** Finds what a plan touches in its facts. */
export function touchedBy(facts: PlanFile['facts']): Touched {
  const subjects = subjectsOf(facts);
  const having = (isMeant: (path: string) => boolean) => blocksHaving(facts, subjects, isMeant);
  return {
    blocks: having((path) => !/^(block|declared|missing)( |$)/.test(path)),
    going: having((path) => /^action (delete|replace)/.test(path)),
    coming: having((path) => /^action (create|adopt)/.test(path)),
  };
}

/** The blocks that a plan creates objects of. */
export function createdBy(facts: PlanFile['facts']): ReadonlySet<string> {
  return blocksHaving(facts, subjectsOf(facts), (path) => path === 'action create');
}

function blocksHaving(
  facts: PlanFile['facts'],
  subjects: ReturnType<typeof subjectsOf>,
  isMeant: (path: string) => boolean,
): ReadonlySet<string> {
  const meant = subjects.filter(({ address }) => Object.keys(facts[address] ?? {}).some(isMeant));
  return new Set(meant.map(({ block }) => block));
}

/**
 * The addresses that have to be read to make a reviewed plan again: what it touches, with all that this stands below, refers
 * to and is deployed with; what may use an object that goes; and what the state does not hold as it is declared, or an earlier
 * run left open.
 */
export function readsOf(
  touched: Touched,
  {
    kinds,
    resources,
    records,
    digests,
  }: {
    readonly kinds: readonly Kind[];
    readonly resources: readonly Resource[];
    readonly records: Readonly<Record<string, StateRecord>>;
    readonly digests: Digests;
  },
): ReadonlySet<string> {
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  const kindsByName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const kindOf = (address: string) => declared.get(address)?.kind ?? kindsByName.get(records[address]?.kind ?? '');
  const every = [...new Set([...declared.keys(), ...Object.keys(records)])];
  const below = childrenOf(every, declared, records);
  const above = holdersOfServices(kinds);
  const holdsServices = (kind: Kind | undefined) => kind?.isTop === true || above.has(kind?.kind ?? '');
  const goingKinds = new Set([...touched.going].map((address) => kindOf(address)?.kind));
  const comesAgain = (address: string) => typeof records[address]?.id === 'string';
  // Guards count how much of what is not provided goes, or is gone.
  const isGuarded = goingKinds.size > 0 || [...touched.coming].some(comesAgain);
  const isAlways = (address: string): boolean => {
    const [resource, record, kind] = [declared.get(address), records[address], kindOf(address)];
    // Guards of the whole plan count these.
    if (resource === undefined || record === undefined || record.id === null) return true;
    if (record.pending !== undefined || record.duplicates !== undefined) return true;
    if (!isSettled(resource, record, digests)) return true;
    if (kind === undefined || kind.isTop === true || touched.blocks.has(address)) return true;
    if (isGuarded && kind.lifecycle?.provided !== undefined) return true;
    if (Object.values(kind.fields).some(({ refersTo }) => refersTo !== undefined && goingKinds.has(refersTo)))
      return true;
    // What a variable of the project mentions is filled in too.
    const variables = variablesAbove(resource, declared);
    return (
      variables.some((one) => touched.blocks.has(one.address)) &&
      variables.some((one) => mayMention(resource, one.kind))
    );
  };
  const reads = new Set(every.filter(isAlways));
  for (const address of reads) {
    const [resource, record] = [declared.get(address), records[address]];
    const needs = [
      ...(resource === undefined ? [] : dependencies(resource)),
      ...(record?.dependsOn ?? []),
      ...(typeof record?.parent === 'string' ? [record.parent] : []),
      // What is below a service is deployed with it.
      ...(holdsServices(kindOf(address)) ? [] : (below.get(address) ?? [])),
    ];
    for (const need of needs) reads.add(need); // a Set goes on to what is added meanwhile
  }
  return reads;
}

/** Those of them that the state alone names: it has records of what the plan touches, and of what this stands below and refers to. */
export function recordsRead({ blocks }: Touched, records: Readonly<Record<string, StateRecord>>): ReadonlySet<string> {
  const reads = new Set(blocks);
  for (const address of reads) {
    const { dependsOn = [], parent = null } = records[address] ?? {};
    for (const need of parent === null ? dependsOn : [...dependsOn, parent]) reads.add(need);
  }
  return reads;
}

/** The addresses below each address, in the manifest or in the state. */
function childrenOf(
  addresses: readonly string[],
  declared: ReadonlyMap<string, Resource>,
  records: Readonly<Record<string, StateRecord>>,
): ReadonlyMap<string, readonly string[]> {
  return groupBy(
    addresses.flatMap((address) => {
      const parents = [declared.get(address)?.parent, records[address]?.parent];
      return [...new Set(parents)].flatMap((parent) =>
        typeof parent === 'string' ? [[parent, address] as const] : [],
      );
    }),
  );
}

/**
 * Whether the state holds what a block declares, and nothing else. A reference and a name may mean another object: then the
 * plan changes the field, and touches the block.
 */
function isSettled(resource: Resource, { pairs }: StateRecord, digests: Digests): boolean {
  const declared = wantedAttributes(resource);
  if (declared.length !== Object.keys(pairs).length) return false;
  return declared.every(({ attribute, wanted }) => {
    const name = attributeName(attribute);
    const pair = Object.hasOwn(pairs, name) ? pairs[name] : undefined;
    if (pair === undefined) return false;
    const field = attributeField(resource.kind, attribute);
    if (field.refersTo !== undefined) return true;
    const digest = digests(resource.address, name);
    return !isEdited(declarationOf({ field, wanted, pair, digest, outputs: () => undefined }));
  });
}

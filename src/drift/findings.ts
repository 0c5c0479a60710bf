import { onceFor } from '../api/once.ts';
import { defined } from '../formats/json.ts';
import { blockAddress, isWithin } from '../kind/address.ts';
import { attributeNamed, pathOf } from '../kind/attribute.ts';
import { append } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import type { Resource } from '../manifest/resource.ts';
import { addressesById } from '../observe/observed.ts';
import { position } from '../manifest/tree.ts';
import { objectDigest, subjectDigest, subjectField } from '../plan/find-acceptance.ts';
import {
  type Action,
  type AttributeChange,
  type Change,
  type Plan,
  type Shown,
  deletesObject,
  isBeside,
  isCreation,
  isDeferred,
  isDeposed,
  isLeftOut,
  isMove,
  leavesState,
  outputsOf,
  shownAddress,
} from '../plan/action.ts';
import { sidesOf, summaryOf } from '../plan/attribute-change.ts';
import { actionsByAddress } from '../plan/relations.ts';
import { type SecretsBeside, type Values, redactShown, secretsBeside } from '../plan/shown-values.ts';
import { isEdited, wantedOf } from '../plan/standing.ts';
import type { Digests } from '../secrets/digest.ts';
import { wasThere } from '../state/pending-operation.ts';
import type { StateRecord } from '../state/record.ts';
import { createKeys } from '../export/place-objects.ts';
import { knownValue } from '../manifest/wanted.ts';
import { secrecyOf } from './adopted-value.ts';
import { type Found, findingId, inOrder } from './finding.ts';

/** What findings are computed from. */
export interface FindingsInput {
  /** A plan of the whole manifest. */
  readonly plan: Plan;
  readonly kinds: readonly Kind[];
  readonly resources: readonly Resource[];
  /** Digests that stay the same when the address of an object changes. */
  readonly digestsOfObjects: Digests;
  readonly values?: Values | undefined;
  /** Replaces the secrets of the run in a text of the platform. */
  readonly redact: (text: string) => string;
}

/** The findings of a plan, in order. */
export interface Findings {
  readonly found: readonly Found[];
  /** Returns true for a subject that the plan did not compare: what an earlier run found there may still be there. */
  readonly isUncompared: (subject: Pick<Found, 'is' | 'kind' | 'objectId' | 'field'>) => boolean;
}

/** Compares the platform with what was applied last, and the manifest with both, as far as a plan did. Pure. */
export function findingsOf(input: FindingsInput): Findings {
  const { plan, redact } = input;
  const context = contextOf(input);
  const duplicates = new Map(plan.observed.duplicates.map((one) => [one.id, one]));
  const found = [
    ...plan.actions.flatMap((action) => findingsAt(context, action)),
    ...[...duplicates.values()].map(({ kind, id, address }): Found => ({
      is: 'duplicate',
      address,
      kind,
      objectId: id,
      position: blockPosition(context, address),
      digest: objectDigest(input.digestsOfObjects, id, 'duplicate'),
    })),
    ...unmanaged(input, (id) => duplicates.has(id)),
  ];
  return {
    found: together(found)
      .map((one) => redacted(one, redact))
      .toSorted(inOrder),
    isUncompared: uncomparedIn(context),
  };
}

/** Finds what a plan did not compare: objects that go or wait, lists without a right, fields that cannot be decrypted or are of others. */
function uncomparedIn({ plan, missing }: Context): Findings['isUncompared'] {
  const gone = new Set<string>();
  const objects = new Set<string>();
  const fields = new Map<string, string[]>();
  for (const action of plan.actions) {
    const id = plan.base.resources[action.address]?.id;
    if (typeof id !== 'string') continue;
    // What is below a missing object is counted with it.
    if (missing.has(action.address)) gone.add(id);
    else if (deletesObject(action) || leavesState(action) || isDeferred(action)) objects.add(id);
    for (const { attribute, decision, standing } of action.attributes) {
      if (decision.do !== 'keep' && standing.there !== 'unreadable') continue;
      const whole = standing.there === 'unreadable' ? { field: attribute.field } : attribute;
      append(fields, id, subjectField(action.kind, whole));
    }
  }
  return ({ is, kind, objectId = '', field }) => {
    if (is === 'unmanaged') return plan.observed.unlisted.some((one) => one.kind.kind === kind);
    if (is === 'missing') return gone.has(objectId) || objects.has(objectId);
    if (is !== 'drifted') return false;
    const isWaiting = (path: string) => fields.get(objectId)?.some((one) => isWithin(path, one)) === true;
    return objects.has(objectId) || (field !== undefined && isWaiting(field));
  };
}

/** What was not applied yet of one object as a whole is one finding, such as a rename and a move. */
function together(found: readonly Found[]): Found[] {
  const byId = new Map<string, Found>();
  for (const one of found) {
    const id = findingId(one);
    const { summary = '', ...first } = byId.get(id) ?? { ...one, summary: undefined };
    const words = [summary, one.summary ?? ''].filter((part) => part !== '').join(', ');
    byId.set(id, words === '' ? first : { ...first, summary: words });
  }
  return [...byId.values()];
}

interface Context extends FindingsInput {
  readonly outputs: ReturnType<typeof outputsOf>;
  readonly declared: ReadonlyMap<string, Resource>;
  /** The keys of the maps of an object that are secret. */
  readonly secretKeysOf: (action: Action) => SecretsBeside;
  /** The addresses of missing objects. */
  readonly missing: ReadonlySet<string>;
  readonly missingBelow: ReadonlyMap<string, number>;
  /** The number of actions with requests in each service scope. */
  readonly busy: ReadonlyMap<string, number>;
}

function contextOf(input: FindingsInput): Context {
  const { plan, resources } = input;
  const missing = new Set(plan.actions.filter((action) => isMissing(plan, action)).map(({ address }) => address));
  const busy = new Map<string, number>();
  for (const { scope, steps } of plan.actions) {
    if (steps.length > 0) busy.set(scope, (busy.get(scope) ?? 0) + 1);
  }
  const declared = new Map(resources.map((resource) => [resource.address, resource]));
  return {
    ...input,
    outputs: outputsOf(actionsByAddress(plan.actions), plan.observed.objects),
    declared,
    secretKeysOf: onceFor(({ attributes, address }) => secretsBeside(attributes, declared.get(address)?.privateKeys)),
    missing,
    missingBelow: countBelow(new Map(plan.actions.map(({ address, parent }) => [address, parent])), missing),
    busy,
  };
}

/** Returns true where the state has an object that the platform does not have any more, and the manifest wants it. */
function isMissing(plan: Plan, one: Action): boolean {
  const { address } = one;
  if (leavesState(one) || isBeside(one)) return false;
  const record = plan.base.resources[address];
  if (!wasThere(record)) return false;
  const object = plan.observed.objects.get(address);
  if (object === undefined) return isCreation(one) || (isDeferred(one) && !isLeftOut(one));
  return object.id !== record.id && object.foundBy === 'key';
}

function findingsAt(context: Context, action: Action): Found[] {
  const { plan, missing } = context;
  const address = shownAddress(action);
  const record = plan.base.resources[action.address];
  const recorded = typeof record?.id === 'string' ? record.id : undefined;
  const { kind, isSingle: single } = action.kind;
  const about = { address, kind, ...defined({ single }) };
  const subject = { ...about, objectId: action.id ?? recorded, position: action.position };
  const pending = (summary: string): Found => ({ ...subject, is: 'not yet applied', summary });
  if (missing.has(action.address)) {
    if (missing.has(action.parent ?? '')) return [];
    const summary = belowWords(context.missingBelow.get(action.address));
    const digest = recorded === undefined ? undefined : objectDigest(context.digestsOfObjects, recorded, 'missing');
    return [{ ...subject, is: 'missing', objectId: recorded ?? subject.objectId, digest, summary }];
  }
  switch (action.action) {
    case 'create':
      return [pending('create')];
    case 'delete':
      // The old object of a replacement goes with that.
      return !isDeposed(action) || record !== undefined ? [pending('delete')] : [];
    case 'forget':
      return [pending('remove from the state')];
    case 'adopt':
      return [pending('adopt')];
    case 'replace':
      return [
        pending('replace'),
        ...action.replaced
          .flatMap((attribute) => ofAttribute(context, action, attribute, subject))
          .filter(({ is }) => is === 'drifted'),
      ];
    case 'deploy': {
      // A deployment that follows from other findings goes without saying.
      const own = action.scope === address && action.steps.length > 0 ? 1 : 0;
      return (context.busy.get(address) ?? 0) === own ? [pending('deploy')] : [];
    }
    case 'run':
      return [pending('run')];
    case 'move':
    case 'update':
    case 'no-op': {
      const fields = action.attributes.flatMap((attribute) => ofAttribute(context, action, attribute, subject));
      const paths = new Set(action.attributes.map(({ attribute }) => pathOf(action.kind, attribute)));
      const options = action.changes.filter(({ path }) => !paths.has(path));
      return [
        ...moveOf(context, action, subject),
        ...(action.movedFrom === undefined ? [] : [pending(`rename in the state, from ${action.movedFrom}`)]),
        ...fields,
        ...options.map((change) => ofOption(subject, change)),
      ];
    }
    default:
      return action satisfies never;
  }
}

/** The number of members below each topmost member, by its name. `parents`: what stands above each. */
function countBelow(
  parents: ReadonlyMap<string, string | undefined>,
  members: ReadonlySet<string>,
): ReadonlyMap<string, number> {
  const below = new Map<string, number>();
  for (const member of members) {
    let top = member;
    for (let at = parents.get(top); at !== undefined && members.has(at); at = parents.get(at)) top = at;
    if (top !== member) below.set(top, (below.get(top) ?? 0) + 1);
  }
  return below;
}

function belowWords(count = 0): string | undefined {
  return count === 0 ? undefined : `with ${count} below it`;
}

/** The object that a finding is about. */
type FoundAt = Pick<Found, 'address' | 'kind' | 'objectId' | 'position'>;

/** A finding of an option, which the platform does not have. */
function ofOption(subject: FoundAt, change: Change): Found {
  const { path, before, after, unit, position: at = subject.position } = change;
  return { ...subject, is: 'not yet applied', path, field: path, applied: before, manifest: after, unit, position: at };
}

/** The finding that an object was moved on the platform, or that the manifest moves it. */
function moveOf({ plan, digestsOfObjects }: Context, action: Action, subject: FoundAt): Found[] {
  if (!isMove(action) || action.steps.every(({ role }) => role !== 'move')) return [];
  const record = plan.base.resources[action.address];
  const parentId = plan.observed.objects.get(action.address)?.parentId ?? '';
  const place = addressesById(plan.observed.objects).get(parentId) ?? parentId;
  if (record === undefined || record.parent !== (action.parent ?? null))
    return [{ ...subject, is: 'not yet applied', summary: 'move' }];
  const digest = (like?: string) => digestsOfObjects(action.id ?? '', '(parent)')(parentId, like);
  return [{ ...subject, is: 'drifted', summary: `moved below ${place}`, digest }];
}

function blockPosition({ declared }: Context, address: string): Found['position'] {
  const at = declared.get(address)?.at;
  return at && position(at);
}

/** What one attribute of an object that exists gives: nothing, drift, or a change that was not applied yet. */
function ofAttribute(context: Context, action: Action, one: AttributeChange, subject: FoundAt): Found[] {
  const { attribute, field, wanted, standing, decision, pair, before } = one;
  // A value that has to wait is compared with the last apply, unless the platform cannot decrypt its own.
  const isLikeLast = decision.do === 'wait' && standing.there !== 'other';
  if (decision.do === 'nothing' || decision.do === 'keep' || isLikeLast) return [];
  const { digestsOfObjects, outputs, values = 'usual', declared, redact } = context;
  const resource = declared.get(action.address);
  const resolved = wantedOf(one, outputs);
  const observed = before.reveal();
  const isAccepted = decision.do === 'leave' && decision.accepted === true;
  const isForeign = pair === undefined && (decision.do === 'remove' || (isAccepted && wanted === undefined));
  const isDrift =
    pair === undefined
      ? // A key that was not declared came after the map was applied.
        isForeign && mapsSettled(context.plan.base.resources[action.address]?.pairs ?? none).has(attribute.field)
      : standing.there === 'other' && decision.do !== 'release';
  const isEdit = isEdited(standing.declared) || (pair !== undefined && decision.do === 'remove');
  const beside = field.map === undefined ? undefined : context.secretKeysOf(action);
  const how = { outputs, values, redact, observed: context.plan.observed, ...defined({ beside }) };
  const sides = sidesOf(resource ?? {}, one, how);
  const path = pathOf(action.kind, attribute);
  const isHidden = [sides.before, sides.after].some(({ is }) => is === 'hidden');
  const absent: Shown = { is: 'absent' };
  const is = isDrift ? 'drifted' : 'not yet applied';
  const isLeft = ['leave', 'error', 'wait'].includes(decision.do);
  return [
    {
      ...subject,
      is,
      path,
      field: subjectField(action.kind, attribute),
      applied: pair === undefined ? absent : sides.last,
      platform: sides.before,
      manifest: wanted === undefined ? absent : sides.after,
      unit: field.unit,
      summary: isHidden ? summaryOf(field, observed, resolved) : undefined,
      edited: (isDrift && isEdit) || undefined,
      isLeft,
      isSecret: isDrift && isUnwritten(context, action, one),
      missing: resolved?.is === 'unavailable' ? resolved.secrets : undefined,
      position: wanted === undefined ? subject.position : position(wanted.at),
      digest: subjectDigest(digestsOfObjects, { objectId: subject.objectId ?? '', attribute, field, observed }),
    },
  ];
}

/** Returns true for a value of the platform that adopting would not write, because of a secret. */
function isUnwritten({ declared, redact }: Context, { kind, address }: Action, change: AttributeChange): boolean {
  const text = knownValue(change.wanted);
  const how = { change, text: typeof text === 'string' ? text : '', isKnown: (one: string) => redact(one) !== one };
  return secrecyOf({ resource: declared.get(address) ?? { kind }, ...how }) !== undefined;
}

const none: StateRecord['pairs'] = {};

/** The maps with a settled key, by the pairs of their object: each key of a map asks. */
const mapsSettled = onceFor((pairs: StateRecord['pairs']): ReadonlySet<string> => {
  const attributes = Object.keys(pairs).map(attributeNamed);
  return new Set(attributes.flatMap(({ field, key }) => (key === undefined ? [] : [field])));
});

/** The unmanaged objects of the project, but for what is below another one. */
function unmanaged({ plan, kinds, digestsOfObjects }: FindingsInput, isDuplicate: (id: string) => boolean): Found[] {
  const { observed, base } = plan;
  const all = observed.unmanaged.filter(({ id }) => !isDuplicate(id));
  const parents = new Map(all.map(({ id, parentId }) => [id, parentId]));
  const kindsByName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const taken = new Set([...plan.actions.map(({ address }) => address), ...Object.keys(base.resources)]);
  const tops = all.filter(({ parentId }) => parentId === undefined || !parents.has(parentId));
  const below = countBelow(parents, new Set(parents.keys()));
  const keyOf = createKeys(kinds, taken);
  // As an export does it, all take their keys, in its order.
  const addresses = new Map(
    [...observed.ofOthers, ...observed.unmanaged].map(({ kind: name, id, name: given, parentId }) => {
      const kind = kindsByName.get(name);
      const parent = parentId === undefined ? undefined : addressesById(observed.objects).get(parentId);
      const isReachable = parentId === undefined || parent !== undefined;
      const key = kind?.isSingle === true ? kind.section : given;
      const isNamed = kind !== undefined && key !== undefined && isReachable;
      return [id, isNamed ? blockAddress(parent, kind, keyOf(kind, parent, key)) : undefined] as const;
    }),
  );
  return tops.map(({ kind, id, name }): Found => {
    const would = addresses.get(id);
    return {
      is: 'unmanaged',
      kind,
      objectId: id,
      digest: objectDigest(digestsOfObjects, id, 'unmanaged'),
      address: would === undefined || taken.has(would) ? undefined : would,
      name,
      summary: belowWords(below.get(id)),
    };
  });
}

/** A finding whose values of the platform, now and as it answered them, show no secret of the run. */
function redacted(one: Found, redact: FindingsInput['redact']): Found {
  const { applied, platform } = one;
  return {
    ...one,
    applied: applied && redactShown(applied, redact),
    platform: platform && redactShown(platform, redact),
  };
}

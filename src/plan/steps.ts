import { type Operation, requiredMembers } from '../api/contract.ts';
import type { Json, Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { isMerged } from '../kind/shared-set.ts';
import {
  carrierOf,
  createOf,
  fieldOf,
  idMember,
  observedValue,
  takes,
  takesNull,
  updatesOf,
  valueAt,
  saidAtCreate,
  saysCreate,
} from '../kind/row-values.ts';
import type { Resource } from '../manifest/resource.ts';
import { type Outputs, knownValue, noOutputs, resolve, withGaps } from '../manifest/wanted.ts';
import { type Place, fromContext } from '../observe/observed.ts';
import { secret } from '../secrets/secret.ts';
import { membersOf } from '../state/stored.ts';
import type { Action, AttributeChange, Member, Step } from './action.ts';
import { type Decision, writesOrRemoves } from './decide.ts';

/** What the steps of one resource are made from. */
export interface StepInput {
  readonly resource: Resource;
  readonly attributes: readonly AttributeChange[];
}

/** Members of a request, by name. */
type Members = Readonly<Record<string, Member>>;

/** The requests that create a resource: create, and updates for what create does not take. */
export function createSteps(input: StepInput, place: Place, chosenId: string | undefined): Step[] {
  const { resource } = input;
  const { kind } = resource;
  const create = createOf(kind, chosenOf(resource));
  if (create === undefined) return [];
  const wanted = wantedMembers(input, () => true);
  const members = placeMembers(resource, place);
  if (chosenId !== undefined) members[kind.identity.id] = literal(chosenId);
  for (const [name, value] of saidAtCreate(kind)) if (takes(create, name)) members[name] = literal(value);
  for (const name of requiredMembers(create)) {
    // Of some members the platform wants to be told that there is no value.
    if (members[name] === undefined && kind.fields[name] !== undefined && takesNull(create, name))
      members[name] = literal(null);
  }
  const later: Record<string, Member> = {};
  for (const [name, member] of Object.entries(wanted)) {
    if (takes(create, name) && (!isNull(member) || takesNull(create, name))) members[name] = member;
    // Also a null that create does not take: the platform's own default may be something else.
    if ((members[name] !== member && !saysCreate(kind, name)) || chooses(kind, name)) later[name] = member;
  }
  const step: Step = { operation: create, role: 'create', members, changed: Object.keys(members) };
  return [step, ...updatesFor(resource, later, wanted, undefined)];
}

/** Whether a field names the case of a union whose operation has to be called for the case to hold. */
function chooses(kind: Kind, name: string): boolean {
  return kind.unions?.some(({ tag, calls, creates }) => tag === name && calls !== undefined && !creates) === true;
}

/** The requests that bring an existing object to what is wanted, and below the parent at `moveTo`. */
export function updateSteps(
  input: StepInput,
  row: Row,
  moveTo: string | undefined,
): { steps: Step[]; notes: string[] } {
  const { resource } = input;
  const { kind } = resource;
  if (moveTo === undefined && !input.attributes.some(({ decision }) => writesOrRemoves(decision)))
    return { steps: [], notes: [] };
  const changed = wantedMembers(input, ({ decision }) => writesOrRemoves(decision));
  const all = wantedMembers(
    input,
    ({ decision, wanted }) => !['leave', 'keep', 'wait'].includes(decision.do) && wanted?.missing.length === 0,
  );
  const before: Step[] = [];
  const through: Step[] = [];
  const notes: string[] = [];
  for (const [name, member] of Object.entries(changed)) {
    const onChange = kind.fields[name]?.onChange;
    if (typeof onChange !== 'object' || !('through' in onChange)) continue;
    const resolved = member.is === 'wanted' ? resolve(member.wanted, noOutputs) : undefined;
    const route = onChange.through(row, resolved?.is === 'known' ? resolved.value : undefined);
    if (route.note !== undefined) notes.push(route.note);
    if (!('call' in route)) continue;
    delete changed[name];
    const constants = Object.entries(route.with ?? {}).map(([other, value]) => [other, literal(value)] as const);
    const members = { [route.as]: member, ...Object.fromEntries(constants) };
    through.push(stepOf(resource, 'update', route.call, members, [route.as]));
  }
  const { move } = kind.operations;
  if (moveTo !== undefined && move !== undefined) {
    const target = { [move.as]: { is: 'id', address: moveTo } } as const;
    if (updatesOf(kind).includes(move.call)) Object.assign(changed, target);
    else before.push(stepOf(resource, 'move', move.call, target));
  }
  // The operation of one field reads others in the row, as that of a password does the user.
  return { steps: [...before, ...updatesFor(resource, changed, all, row), ...through], notes };
}

/** The requests that delete an object: none where there is no operation for it. */
export function deleteSteps(about: Pick<Action, 'kind' | 'address' | 'options'>): Step[] {
  const { delete: operation, deleteOptions = {} } = about.kind.operations;
  if (operation === undefined) return [];
  const options = Object.entries(deleteOptions).map(
    ([name, { otherwise }]) => [name, literal(about.options[name] ?? otherwise)] as const,
  );
  const members = { ...readMembers(about.kind, operation), ...Object.fromEntries(options) };
  return [stepOf(about, 'delete', operation, members, [])];
}

/** The members that an operation cannot do without, as the row has them. */
function readMembers(kind: Kind, operation: Operation): Members {
  const names = requiredMembers(operation).filter((name) => name !== idMember(kind, operation));
  return Object.fromEntries(names.map((name) => [name, asRead(kind, name)]));
}

function asRead(kind: Kind, name: string): Member {
  return { is: 'as read', from: kind.fields[name]?.readAt ?? kind.identity.requiredAs?.[name] ?? name };
}

/** A request about the object of an address, which exists when it is sent. */
export function stepOf(
  { kind, address }: Pick<Action, 'kind' | 'address'>,
  role: Step['role'],
  operation: Operation,
  members: Members,
  changed = Object.keys(members),
): Step {
  const id = idMember(kind, operation);
  return {
    operation,
    role,
    members: takes(operation, id) ? { [id]: { is: 'id', address }, ...members } : members,
    changed,
  };
}

/** The updates that carry what changed, each operation once. */
function updatesFor(resource: Resource, changed: Members, wanted: Members, row: Row | undefined): Step[] {
  const byOperation = new Map<Operation, Record<string, Member>>();
  for (const [name, member] of Object.entries(changed)) {
    const operation = carrierOf(resource.kind, name, chosenOf(resource));
    // The operation of one case of a union may lack a field that those of the others take.
    if (operation === undefined || !(takes(operation, name) || chooses(resource.kind, name))) continue;
    const members = byOperation.get(operation) ?? {};
    byOperation.set(operation, Object.assign(members, { [name]: member }));
  }
  return [...byOperation].map(([operation, members]) => updateStep(resource, operation, members, wanted, row));
}

/** The case of each union that a resource declares. */
function chosenOf({ fields }: Resource): (tag: string) => unknown {
  return (tag) => knownValue(fields[tag]);
}

/** An update sends what changed, what the operation cannot do without, and what the platform would guess wrong. */
function updateStep(
  resource: Resource,
  operation: Operation,
  changed: Members,
  wanted: Members,
  row: Row | undefined,
): Step {
  const { kind, link } = resource;
  const required = readMembers(kind, operation);
  const members: Record<string, Member> = {};
  for (const [name, from] of Object.entries(link.set)) {
    if (!('value' in from)) continue;
    if (from.inEveryUpdate === true || Object.hasOwn(required, name)) members[name] = literal(from.value);
  }
  for (const [name, read] of Object.entries(required)) {
    const isOldName = kind.fields[name]?.renamedAs !== undefined;
    members[name] ??= isOldName ? read : (wanted[name] ?? read);
  }
  for (const [name, field] of Object.entries(kind.fields)) {
    if (field.inEveryUpdate !== true || !takes(operation, name)) continue;
    const hasValue = row !== undefined && (observedValue(kind, name, row) ?? null) !== null;
    const member = wanted[name] ?? (hasValue ? asRead(kind, name) : undefined);
    if (member !== undefined) members[name] = member;
  }
  const sent = Object.entries(changed).map(([name, member]) => [kind.fields[name]?.renamedAs ?? name, member] as const);
  for (const [name, member] of sent) if (takes(operation, name)) members[name] = member;
  return stepOf(
    resource,
    'update',
    operation,
    members,
    sent.map(([name]) => name),
  );
}

/** The members that say where a new object stands. */
function placeMembers({ kind, link, fields, parent }: Resource, place: Place): Record<string, Member> {
  const members: Record<string, Member> = {};
  for (const [name, from] of Object.entries(link.set)) {
    if ('value' in from) members[name] = literal(from.value);
    else if ('context' in from) members[name] = literal(fromContext(from, place) ?? null);
    else if ('parent' in from && parent !== undefined) members[name] = { is: 'id', address: parent };
    else if ('sameAs' in from) {
      const [field, wanted] = [kind.fields[from.sameAs], fields[from.sameAs]];
      if (field !== undefined && wanted !== undefined) members[name] = { is: 'wanted', field, wanted };
    }
  }
  return members;
}

/** The members that carry some of the attributes; keys of a map go in one. */
function wantedMembers(
  { resource, attributes }: StepInput,
  isCarried: (attribute: AttributeChange) => boolean,
): Record<string, Member> {
  const members: Record<string, Member> = {};
  for (const planned of attributes.filter(isCarried)) {
    const { field: name, key } = planned.attribute;
    const { wanted, pair } = planned;
    const field = fieldOf(resource.kind, name);
    const entries = resource.maps[name];
    if (entries !== undefined) {
      members[name] ??= {
        is: 'map',
        field,
        name,
        entries,
        ...keptOf(attributes, name),
        keepOthers: resource.mapMode === 'merge',
        removed: attributes.flatMap(({ attribute, decision }) =>
          attribute.field === name && decision.do === 'remove' ? (attribute.key ?? []) : [],
        ),
      };
    } else if (wanted !== undefined && key === undefined) {
      members[name] = isMerged(resource, field)
        ? { is: 'set', field, wanted, formerly: membersOf(pair?.wanted) }
        : { is: 'wanted', field, wanted };
    }
  }
  return members;
}

/** The keys of a map that stay as the platform has them: a person accepted the value, others set it, or it has to wait. */
function keptOf(attributes: readonly AttributeChange[], name: string): { readonly kept?: ReadonlySet<string> } {
  const stays = (decision: Decision) =>
    decision.do === 'keep' || decision.do === 'wait' || (decision.do === 'leave' && decision.accepted === true);
  const kept = attributes.flatMap(({ attribute, decision }) =>
    attribute.field === name && stays(decision) ? (attribute.key ?? []) : [],
  );
  return kept.length === 0 ? {} : { kept: new Set(kept) };
}

/** The bytes of a step's body at least: outputs and secrets that are not known count nothing. `row`: the object as it is now. */
export function bodySize(step: Step, about: SizeInput): number {
  const members: Record<string, Json> = {};
  for (const [name, from] of Object.entries(step.members)) members[name] = knownPart(name, from, about);
  return Buffer.byteLength(JSON.stringify(members));
}

interface SizeInput {
  readonly kind: Kind;
  readonly row: Row | undefined;
  readonly outputs: Outputs;
}

/** What is known of a member before it is sent. */
function knownPart(name: string, from: Member, { kind, row = {}, outputs }: SizeInput): Json {
  switch (from.is) {
    case 'value':
      return from.value.reveal();
    case 'wanted':
    case 'set':
      return withGaps(from.wanted, outputs);
    case 'as read':
      return valueAt(row, from.from) ?? null;
    case 'map': {
      const present = from.keepOthers ? observedValue(kind, name, row) : undefined;
      const entries = new Map(typeof present === 'string' ? from.field.map?.read(present) : undefined);
      for (const key of from.removed) entries.delete(key);
      for (const [key, wanted] of from.entries)
        if (from.kept?.has(key) !== true) entries.set(key, String(withGaps(wanted, outputs)));
      return from.field.map?.write(entries).text ?? '';
    }
    case 'id':
    case 'mark':
      return '';
    default:
      return from satisfies never;
  }
}

/** A member with a value that is known already. */
export function literal(value: Json): Member {
  return { is: 'value', value: secret(value) };
}

function isNull(member: Member): boolean {
  return member.is === 'wanted' && knownValue(member.wanted) === null;
}

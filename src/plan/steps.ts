import type { Operation } from '../api/contract.ts';
import { requiredMembers } from '../api/contract.ts';
import type { Json, Row } from '../kind/json.ts';
import type { ParentLink } from '../kind/parent.ts';
import type { Kind } from '../kind/kind.ts';
import { isMerged } from '../kind/shared-set.ts';
import { carrierOf, fieldOf, idMember, isInCase, observedValue, takes, takesNull, updatesOf } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Wanted } from '../manifest/wanted.ts';
import { fromContext } from '../observe/observed.ts';
import { secret } from '../secrets/secret.ts';
import { membersOf } from '../state/stored.ts';
import type { Member, AttributeChange, Step } from './action.ts';

/** What the steps of one resource are made from. */
export interface StepInput {
  readonly resource: Resource;
  /** Who acts where. */
  readonly context: Parameters<typeof fromContext>[1];
  readonly attributes: readonly AttributeChange[];
  /** The id that a new object is to have, where it is ours to choose. */
  readonly chosenId: string | undefined;
}

/** The requests that make a resource: create, and updates for what create does not take. */
export function createSteps(input: StepInput): { steps: Step[]; missing: string[] } {
  const { resource, chosenId } = input;
  const { kind, link } = resource;
  const { create } = kind.operations;
  if (create === undefined) return { steps: [], missing: [] };
  const wanted = wantedMembers(input, () => true);
  const members: Record<string, Member> = { ...placeMembers(input) };
  if (chosenId !== undefined) members[kind.identity.id] = literal(chosenId);
  for (const [name, field] of Object.entries(kind.fields)) {
    if (field.atCreate !== undefined && takes(create, name)) members[name] = literal(field.atCreate);
  }
  const later: Record<string, Member> = {};
  for (const [name, member] of Object.entries(wanted)) {
    if (takes(create, name) && (!isNull(member) || takesNull(create, name))) members[name] = member;
    // Also a null that create does not take: the platform's own default may be something else.
    if (members[name] !== member || chooses(kind, name)) later[name] = member;
  }
  const needed = Object.keys(kind.fields).filter(
    (name) =>
      kind.fields[name]?.needed === true &&
      link.lacks?.includes(name) !== true &&
      isInCase(kind, name, chosenOf(resource)),
  );
  const given = { ...wanted, ...members };
  const missing = [...new Set([...requiredMembers(create), ...needed])].filter((name) => given[name] === undefined);
  const steps: Step[] = [{ operation: create, role: 'create', members, changed: Object.keys(members) }];
  return { steps: [...steps, ...updatesFor(input, later, wanted, undefined)], missing };
}

/** Whether a field names the case of a union whose operation has to be called for the case to hold. */
function chooses(kind: Kind, name: string): boolean {
  return kind.unions?.some(({ tag, calls }) => tag === name && calls !== undefined) === true;
}

/** The requests that bring an existing object to what is wanted. */
export function updateSteps(
  input: StepInput,
  object: { readonly row: Row; readonly moveTo: string | undefined },
): { steps: Step[]; notes: string[] } {
  const { kind, address } = input.resource;
  const changed = wantedMembers(
    input,
    (attribute) => attribute.decision.do === 'write' || attribute.decision.do === 'remove',
  );
  const all = wantedMembers(
    input,
    (attribute) => attribute.decision.do !== 'leave' && attribute.wanted?.missing.length === 0,
  );
  const steps: Step[] = [];
  const notes: string[] = [];
  const own: Member = { is: 'id', address };
  for (const [name, member] of Object.entries(changed)) {
    const onChange = kind.fields[name]?.onChange;
    if (typeof onChange !== 'object' || !('through' in onChange)) continue;
    const route = onChange.through(object.row);
    if ('note' in route) {
      notes.push(route.note);
      continue;
    }
    delete changed[name];
    const members = { [idMember(kind, route.call)]: own, [route.as]: member };
    steps.push({ operation: route.call, role: 'update', members, changed: [route.as] });
  }
  const { move } = kind.operations;
  if (object.moveTo !== undefined && move !== undefined) {
    const target: Member = { is: 'id', address: object.moveTo };
    if (updatesOf(kind).includes(move.call)) changed[move.as] = target;
    else {
      const members = { [idMember(kind, move.call)]: own, [move.as]: target };
      steps.unshift({ operation: move.call, role: 'move', members, changed: [move.as] });
    }
  }
  return { steps: [...steps, ...updatesFor(input, changed, all, object.row)], notes };
}

/** The requests that delete an object: none where there is no operation for it. */
export function deleteSteps(kind: Kind, address: string, options: Readonly<Record<string, Json>>): Step[] {
  const operation = kind.operations.delete;
  if (operation === undefined) return [];
  const members: Record<string, Member> = { [idMember(kind, operation)]: { is: 'id', address } };
  for (const [name, { otherwise }] of Object.entries(kind.operations.deleteOptions ?? {}))
    members[name] = literal(options[name] ?? otherwise);
  return [{ operation, role: 'delete', members, changed: [] }];
}

/** The updates that carry what changed, each operation once. */
function updatesFor(
  input: StepInput,
  changed: Readonly<Record<string, Member>>,
  wanted: Readonly<Record<string, Member>>,
  row: Row | undefined,
): Step[] {
  const { kind } = input.resource;
  const byOperation = new Map<Operation, Record<string, Member>>();
  for (const [name, member] of Object.entries(changed)) {
    const operation = carrierOf(kind, name, chosenOf(input.resource));
    if (operation === undefined) continue;
    const members = byOperation.get(operation) ?? {};
    byOperation.set(operation, Object.assign(members, { [name]: member }));
  }
  return [...byOperation].map(([operation, members]) =>
    updateStep(input, operation, { changed: members, wanted, row }),
  );
}

/** The case of each union that a resource declares. */
function chosenOf({ fields }: Resource): (tag: string) => unknown {
  return (tag) => {
    const content = fields[tag]?.content.reveal();
    return content === undefined || content.hollow ? undefined : content.value;
  };
}

/** An update sends what changed, what the operation cannot do without, and what the platform would guess wrong. */
function updateStep(
  { resource }: StepInput,
  operation: Operation,
  {
    changed,
    wanted,
    row,
  }: {
    readonly changed: Readonly<Record<string, Member>>;
    readonly wanted: Readonly<Record<string, Member>>;
    readonly row: Row | undefined;
  },
): Step {
  const { kind, link, address } = resource;
  const id = idMember(kind, operation);
  const members: Record<string, Member> = { [id]: { is: 'id', address }, ...constants(link, operation) };
  const asRead = (name: string): Member => ({ is: 'as read', from: kind.fields[name]?.readAt ?? name });
  for (const name of requiredMembers(operation)) members[name] ??= wanted[name] ?? asRead(name);
  for (const [name, field] of Object.entries(kind.fields)) {
    if (field.inEveryUpdate !== true || !takes(operation, name)) continue;
    const hasValue = row !== undefined && (observedValue(kind, name, row) ?? null) !== null;
    const member = wanted[name] ?? (hasValue ? asRead(name) : undefined);
    if (member !== undefined) members[name] = member;
  }
  for (const [name, member] of Object.entries(changed)) if (takes(operation, name)) members[name] = member;
  return { operation, role: 'update', members, changed: Object.keys(changed) };
}

function constants(link: ParentLink, update: Operation): Record<string, Member> {
  const required = requiredMembers(update);
  return Object.fromEntries(
    Object.entries(link.set).flatMap(([name, from]) =>
      'value' in from && (required.includes(name) || (from.inEveryUpdate === true && takes(update, name)))
        ? [[name, literal(from.value)] as const]
        : [],
    ),
  );
}

function placeMembers({ resource, context }: StepInput): Record<string, Member> {
  const members: Record<string, Member> = {};
  for (const [name, from] of Object.entries(resource.link.set)) {
    if ('value' in from) members[name] = literal(from.value);
    else if ('context' in from) members[name] = literal(fromContext(from, context) ?? null);
    else if ('parent' in from && resource.parent !== undefined) members[name] = { is: 'id', address: resource.parent };
    else if ('sameAs' in from) {
      const field = resource.kind.fields[from.sameAs];
      const wanted = resource.fields[from.sameAs];
      if (field !== undefined && wanted !== undefined) members[name] = { is: 'wanted', field, wanted };
    }
  }
  return members;
}

function wantedMembers(
  { resource, attributes }: StepInput,
  include: (attribute: AttributeChange) => boolean,
): Record<string, Member> {
  const members: Record<string, Member> = {};
  for (const planned of attributes) {
    const { attribute, wanted, pair } = planned;
    if (!include(planned)) continue;
    const field = fieldOf(resource.kind, attribute.field);
    const entries = resource.maps[attribute.field];
    if (entries !== undefined) members[attribute.field] ??= mapMember(resource, attribute.field, entries, attributes);
    else if (wanted !== undefined && attribute.key === undefined) {
      members[attribute.field] = isMerged(resource, field)
        ? { is: 'set', field, wanted, formerly: membersOf(pair?.wanted) }
        : { is: 'wanted', field, wanted };
    }
  }
  return members;
}

function mapMember(
  resource: Resource,
  name: string,
  entries: NonNullable<Resource['maps'][string]>,
  attributes: readonly AttributeChange[],
): Member {
  const removed = attributes.flatMap(({ attribute, decision }) =>
    attribute.field === name && attribute.key !== undefined && decision.do === 'remove' ? [attribute.key] : [],
  );
  return {
    is: 'map',
    field: fieldOf(resource.kind, name),
    name,
    entries,
    keepOthers: resource.mapMode === 'merge',
    removed,
  };
}

/** The bytes of a step's body, as far as its values are known. */
export function bodySize(step: Step): number {
  let size = 0;
  for (const [name, from] of Object.entries(step.members)) {
    size += name.length + 4;
    if (from.is === 'value') size += jsonSize(from.value.reveal());
    else if (from.is === 'wanted') size += wantedSize(from.wanted);
    else if (from.is === 'map') for (const [key, wanted] of from.entries) size += key.length + wantedSize(wanted);
  }
  return size;
}

function wantedSize(wanted: Wanted): number {
  const content = wanted.content.reveal();
  return content.hollow ? 0 : jsonSize(content.value);
}

function jsonSize(value: Json): number {
  return new TextEncoder().encode(JSON.stringify(value)).length;
}

function literal(value: Json): Member {
  return { is: 'value', value: secret(value) };
}

function isNull(member: Member): boolean {
  if (member.is !== 'wanted') return false;
  const content = member.wanted.content.reveal();
  return !content.hollow && content.value === null;
}

import { requiredMembers } from '../api/contract.ts';
import type { Json } from '../kind/json.ts';
import type { Kind, ParentLink } from '../kind/kind.ts';
import { fieldOf, takes, takesNull } from '../kind/wire.ts';
import type { Resource } from '../manifest/resource.ts';
import type { Wanted } from '../manifest/wanted.ts';
import { seal } from '../secrets/sealed.ts';
import type { Member, PlannedPart, Step } from './action.ts';

/** What the steps of one resource are made from. */
export interface StepInput {
  readonly resource: Resource;
  readonly projectId: string;
  readonly parts: readonly PlannedPart[];
}

/** The requests that make a resource: create, and an update for what create does not take. */
export function createSteps(input: StepInput): { steps: Step[]; missing: string[] } {
  const { resource } = input;
  const { kind } = resource;
  const { create } = kind.calls;
  const wanted = wantedMembers(input, () => true);
  const members: Record<string, Member> = { ...placeMembers(input) };
  for (const [name, field] of Object.entries(kind.fields)) {
    if (field.atCreate !== undefined && takes(create, name)) members[name] = literal(field.atCreate);
  }
  const later: Record<string, Member> = {};
  for (const [name, member] of Object.entries(wanted)) {
    if (takes(create, name) && (!isNull(member) || takesNull(create, name))) members[name] = member;
    else later[name] = member; // also a null that create does not take: the platform's own default may be something else
  }
  const needed = Object.keys(kind.fields).filter((name) => kind.fields[name]?.needed === true);
  const missing = [...new Set([...requiredMembers(create), ...needed])].filter((name) => members[name] === undefined);
  const steps: Step[] = [{ operation: create, role: 'create', members, changed: Object.keys(members) }];
  if (Object.keys(later).length > 0) {
    steps.push(updateStep(input, later, wanted));
  }
  return { steps, missing };
}

/** The requests that bring an existing object to what is wanted. */
export function updateSteps(
  input: StepInput,
  object: { readonly row: Readonly<Record<string, unknown>>; readonly moveTo: string | undefined },
): { steps: Step[]; notes: string[] } {
  const { kind, address } = input.resource;
  const changed = wantedMembers(input, (part) => part.decision.do === 'write' || part.decision.do === 'remove');
  const all = wantedMembers(input, (part) => part.decision.do !== 'leave' && part.wanted?.missing.length === 0);
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
    const members = { [kind.id]: own, [route.as]: member };
    steps.push({ operation: route.call, role: 'update', members, changed: [route.as] });
  }
  const { move, update } = kind.calls;
  if (object.moveTo !== undefined && move !== undefined) {
    const target: Member = { is: 'id', address: object.moveTo };
    if (move.call === update) changed[move.as] = target;
    else {
      const members = { [kind.id]: own, [move.as]: target };
      steps.unshift({ operation: move.call, role: 'move', members, changed: [move.as] });
    }
  }
  if (Object.keys(changed).length > 0) {
    steps.push(updateStep(input, changed, all));
  }
  return { steps, notes };
}

/** The request that deletes an object. */
export function deleteStep(kind: Kind, address: string, options: Readonly<Record<string, Json>>): Step {
  const members: Record<string, Member> = { [kind.id]: { is: 'id', address } };
  for (const [name, option] of Object.entries(kind.options ?? {})) {
    if (option.sentWith?.call === kind.calls.delete)
      members[name] = literal(options[name] ?? option.sentWith.otherwise);
  }
  return { operation: kind.calls.delete, role: 'delete', members, changed: [] };
}

/** An update sends what changed, what the operation cannot do without, and what the platform would guess wrong. */
function updateStep(
  { resource }: StepInput,
  changed: Readonly<Record<string, Member>>,
  wanted: Readonly<Record<string, Member>>,
): Step {
  const { kind, link, address } = resource;
  const { update } = kind.calls;
  const members: Record<string, Member> = { [kind.id]: { is: 'id', address }, ...constants(link, update) };
  for (const name of requiredMembers(update)) {
    members[name] ??= wanted[name] ?? { is: 'as read', from: kind.fields[name]?.readAt ?? name };
  }
  return { operation: update, role: 'update', members: { ...members, ...changed }, changed: Object.keys(changed) };
}

function constants(link: ParentLink, update: Kind['calls']['update']): Record<string, Member> {
  const required = requiredMembers(update);
  return Object.fromEntries(
    Object.entries(link.set).flatMap(([name, from]) =>
      'value' in from && (required.includes(name) || (from.always === true && takes(update, name)))
        ? [[name, literal(from.value)] as const]
        : [],
    ),
  );
}

function placeMembers({ resource, projectId }: StepInput): Record<string, Member> {
  const members: Record<string, Member> = {};
  for (const [name, from] of Object.entries(resource.link.set)) {
    if ('value' in from) members[name] = literal(from.value);
    else if ('context' in from) members[name] = literal(projectId);
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
  { resource, parts }: StepInput,
  include: (part: PlannedPart) => boolean,
): Record<string, Member> {
  const members: Record<string, Member> = {};
  for (const planned of parts) {
    const { part, wanted } = planned;
    if (!include(planned)) continue;
    const field = fieldOf(resource.kind, part.field);
    const entries = resource.maps[part.field];
    if (entries !== undefined) members[part.field] ??= mapMember(resource, part.field, entries, parts);
    else if (wanted !== undefined && part.key === undefined) members[part.field] = { is: 'wanted', field, wanted };
  }
  return members;
}

function mapMember(
  resource: Resource,
  name: string,
  entries: NonNullable<Resource['maps'][string]>,
  parts: readonly PlannedPart[],
): Member {
  const removed = parts.flatMap(({ part, decision }) =>
    part.field === name && part.key !== undefined && decision.do === 'remove' ? [part.key] : [],
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
  return { is: 'value', value: seal(value) };
}

function isNull(member: Member): boolean {
  if (member.is !== 'wanted') return false;
  const content = member.wanted.content.reveal();
  return !content.hollow && content.value === null;
}

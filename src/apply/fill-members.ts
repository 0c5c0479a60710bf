import { endpointOf } from '../api/contract.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { isCipher } from '../kind/cipher.ts';
import { means, plain } from '../kind/codecs.ts';
import { type Json, type Row, isRow } from '../formats/json.ts';
import { merged } from '../kind/shared-set.ts';
import { nested, observedValue, valueAt } from '../kind/row-values.ts';
import { resolveField } from '../manifest/fields.ts';
import { wordsOf } from '../manifest/problem.ts';
import type { Outputs, Wanted } from '../manifest/wanted.ts';
import { rowId } from '../observe/checked-answers.ts';
import type { Action, AttributeChange, Member, Step } from '../plan/action.ts';
import { addSecretsOf } from '../secrets/call-secrets.ts';
import type { Redactor } from '../secrets/redactor.ts';

/** The input of a request. */
interface RequestInput {
  readonly action: Action;
  readonly step: Step;
  readonly outputs: Outputs;
  /** The id of a resource, once it is known. */
  readonly idOf: (address: string) => string | undefined;
  /** Takes every value that must not show in text that comes from elsewhere. */
  readonly addSecret: Redactor['add'];
  /** The object as the create of this run answered it. */
  readonly made: Row | undefined;
  /** The object as it is now; undefined for a step that sends nothing of it back. */
  readonly now: Row | undefined;
  /** Of a deployment: its mark. */
  readonly mark?: string | undefined;
}

/** The input for filling in the members of a step. */
type Resolving = Pick<RequestInput, 'action' | 'step' | 'outputs' | 'idOf' | 'mark'>;

/**
 * Fills in the members of a step; undefined when all of its changes turn out to be there already.
 *
 * @throws {Stop} when a member is not known, or was not answered, or could not be decrypted: nothing was sent.
 */
export function buildMembers(input: RequestInput): Record<string, unknown> | undefined {
  const { action, step, now } = input;
  const members: Record<string, Json> = {};
  const values: Record<string, Json> = {};
  for (const [name, from] of Object.entries(step.members)) {
    const value = valueOf(input, name, from, now);
    members[name] = value;
    if (from.is !== 'id') values[name] = value;
  }
  // An answer may quote them.
  addSecretsOf(input.addSecret, values, action.kind);
  return step.role === 'update' && hasAll(input, members) ? undefined : nested(members);
}

/** Whether the object has every change of a step already. */
function hasAll(input: RequestInput, members: Readonly<Record<string, Json>>): boolean {
  const { action, step } = input;
  return step.changed.every((name) => {
    const from = step.members[name];
    const value = members[name];
    // The operation changes a name that is no member by itself, such as the case of a union that it stands for.
    if (from === undefined || value === undefined) return false;
    const isRepeated = action.attributes.some((one) => isUnproven(one) && isMember(name, from, one));
    return !isRepeated && isThereAlready(input, name, from, value);
  });
}

/** Whether an attribute is written because the platform stored it with an error. */
export function isUnproven({ decision }: AttributeChange): boolean {
  return decision.do === 'write' && decision.cause === 'unproven';
}

/** Whether a member of a step is an attribute. An operation of its own may name it otherwise: `password` for `databasePassword`. */
export function isMember(name: string, from: Member | undefined, { attribute, wanted }: AttributeChange): boolean {
  return attribute.field === name || (from?.is === 'wanted' && from.wanted === wanted);
}

/** Whether a step sends an attribute. */
export function carries({ members }: Step, one: AttributeChange): boolean {
  return Object.entries(members).some(([name, from]) => isMember(name, from, one));
}

/** Checks that a step could be sent, as far as its values are known before the objects that it names are there. */
export function rehearse(input: Resolving): void {
  const { step, idOf, outputs } = input;
  const context = { ...input, idOf: (address: string) => idOf(address) ?? 'not-known-yet' };
  const known = Object.entries(step.members).filter(([, from]) => isKnown(from, outputs));
  const members = known.map(([name, from]) => [name, valueOf(context, name, from, undefined)] as const);
  const { input: shape } = endpointOf(step.operation);
  const isWhole = known.length === Object.keys(step.members).length;
  const value = nested(Object.fromEntries(members));
  const { error } = (isWhole ? shape : shape.partial()).safeParse(value);
  if (error !== undefined) throw cannot(input, wordsOf(error, { name: '', value, isSecret: true }));
}

function isKnown(from: Member, outputs: Outputs): boolean {
  const isPending = (wanted: Wanted) => wanted.references.some((reference) => outputs(reference) === undefined);
  if (from.is === 'as read') return false;
  if (from.is === 'map') return ![...from.entries.values()].some(isPending);
  return from.is !== 'set' && (from.is !== 'wanted' || !isPending(from.wanted));
}

/** The row that a create of this run answered, when it has everything that a step sends back. */
export function answersAll({ members }: Step, made: Row | undefined): Row | undefined {
  const isThere = (from: Member) => from.is !== 'as read' || valueAt(made ?? {}, from.from) !== undefined;
  return Object.values(members).every(isThere) ? made : undefined;
}

/** Whether a step sends something of the object back as it is now. */
export function needsRow({ members }: Step): boolean {
  return Object.values(members).some((from) => {
    if (from.is !== 'map') return from.is === 'as read' || from.is === 'set';
    return (
      from.keepOthers || from.kept !== undefined || [...from.entries.values()].some(({ missing }) => missing.length > 0)
    );
  });
}

function valueOf(input: Resolving, name: string, from: Member, now: Row | undefined): Json {
  switch (from.is) {
    case 'value':
      return from.value.reveal();
    case 'id': {
      const id = input.idOf(from.address);
      if (id === undefined) throw cannot(input, `the id of ${from.address} is not known`);
      return id;
    }
    case 'wanted':
    case 'set': {
      const resolved = resolveField(from.field, from.wanted, input.outputs);
      if (resolved.is !== 'known') throw cannot(input, `${name} is still not known`);
      if (from.is === 'wanted') return resolved.value;
      return merged(resolved.value, observedValue(input.action.kind, name, now ?? {}) ?? null, from.formerly);
    }
    case 'as read': {
      const value = valueAt(now ?? {}, from.from);
      if (value === undefined) {
        throw cannot(input, `the platform did not answer ${from.from}, which has to be sent back`);
      }
      refuseCipher(input, from.from, value);
      return value;
    }
    case 'mark':
      if (input.mark !== undefined) return input.mark;
      throw cannot(input, 'only the request of a deployment has a mark');
    case 'map':
      return mapText(input, from, now);
    default:
      return from satisfies never;
  }
}

/** Writes a map as text: ours as wanted; others, those that a person accepted, and those whose secret we do not have, as they are now. */
function mapText(input: Resolving, from: Extract<Member, { is: 'map' }>, now: Row | undefined): string {
  const codec = from.field.map;
  if (codec === undefined) throw cannot(input, `${from.name} is no map`);
  const present = observedValue(input.action.kind, from.name, now ?? {});
  refuseCipher(input, from.name, present);
  const known = codec.read(typeof present === 'string' ? present : '');
  const entries = new Map<string, string>();
  const { kept = new Set() } = from;
  for (const [key, value] of known) {
    const isOther = (from.keepOthers && !from.removed.includes(key)) || kept.has(key);
    if (isOther && !from.entries.has(key)) entries.set(key, value);
  }
  for (const [key, wanted] of from.entries) {
    const resolved = resolveField(from.field, wanted, input.outputs);
    if (resolved.is === 'pending' && !kept.has(key)) throw cannot(input, `${from.name}.${key} is still not known`);
    const value = resolved.is === 'known' && !kept.has(key) ? String(resolved.value) : known.get(key);
    if (value !== undefined) entries.set(key, value);
  }
  const { text, refused } = codec.write(entries);
  const [first] = refused;
  if (first !== undefined) throw cannot(input, `${from.name}.${first.key} cannot be passed unchanged: ${first.reason}`);
  return text;
}

/** Whether a value that became known only now is what the platform has. */
function isThereAlready({ action, made }: RequestInput, name: string, from: Member, value: Json): boolean {
  if (from.is !== 'wanted') return false;
  const codec = from.field.codec ?? plain;
  const planned = action.attributes.find(({ attribute }) => attribute.field === name && attribute.key === undefined);
  const isPlanned = planned?.decision.do === 'write' && planned.decision.cause === 'known after apply';
  if (made === undefined && !isPlanned) return false;
  const there = made === undefined ? planned?.before.reveal() : observedValue(action.kind, name, made);
  return means(codec, value, there ?? null);
}

/** Refuses to send back a text that the platform could not decrypt. */
function refuseCipher(input: Resolving, name: string, value: Json | undefined): void {
  if (!isCipher(value)) return;
  throw cannot(input, `the platform could not decrypt ${name}; sending it back would make the loss permanent`);
}

function cannot({ action, step }: Resolving, why: string): Stop {
  const { address } = action;
  return stop('refused', 'cannot-change', `${address}: ${step.operation} was not sent: ${why}`, { address });
}

/** The id and row in the answer to a create, when it has them; an id that was ours to choose needs no answer. */
export function created(action: Action, answer: unknown, chosen?: string): { id: string; row: Row } | undefined {
  const { answeredIn } = action.kind.identity;
  const answered = answeredIn !== undefined && isRow(answer) ? answer[answeredIn] : answer;
  const row = isRow(answered) ? answered : {};
  const id = rowId(action.kind, row) ?? chosen;
  return id === undefined ? undefined : { id, row: { ...row, [action.kind.identity.id]: id } };
}

/** The id that a step gives to the object it makes; undefined when the platform chooses. */
export function chosenId(action: Action, step: Step): string | undefined {
  const from = step.members[action.kind.identity.id];
  const value = from?.is === 'value' ? from.value.reveal() : undefined;
  return typeof value === 'string' ? value : undefined;
}

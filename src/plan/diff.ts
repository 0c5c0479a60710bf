import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import {
  type Attribute,
  type RowReader,
  attributeField,
  attributeName,
  fieldAttribute,
  readRow,
} from '../kind/attribute.ts';
import { isCipher } from '../kind/cipher.ts';
import type { Json, Row } from '../formats/json.ts';
import type { Field } from '../kind/field.ts';
import { contains, isMerged, leftBehind } from '../kind/shared-set.ts';
import { fieldOf, fieldPath, observedValue } from '../kind/row-values.ts';
import { type Resource, isCreateOnly } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import { type Wanted, knownValue, resolve } from '../manifest/wanted.ts';
import type { Digests } from '../secrets/digest.ts';
import { secret } from '../secrets/secret.ts';
import type { Pair } from '../state/record.ts';
import { membersOf } from '../state/stored.ts';
import { type Accepted, subjectDigest, subjectField } from './find-acceptance.ts';
import type { AttributeChange, Change } from './action.ts';
import { changeOf } from './attribute-change.ts';
import { type Decision, decide, leaveAccepted } from './decide.ts';
import { type NotesInput, notesOn } from './notes.ts';
import { secretsBeside } from './shown-values.ts';
import { type JudgedAttribute, isEdited, standingOf, wantedOf } from './standing.ts';
import { rotationIn } from './template.ts';

/** The difference between one resource and the platform. */
export interface Difference {
  readonly attributes: readonly AttributeChange[];
  readonly changes: readonly Change[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The input of a comparison. */
interface DiffInput extends NotesInput {
  readonly row: Row;
  readonly pairs: Readonly<Record<string, Pair>>;
  /** The names of attributes that an interrupted run sent, and got an error for. */
  readonly unproven: readonly string[] | undefined;
  readonly isProvided: boolean;
  /** The addresses that have no id, and get none while the plan is applied. */
  readonly awaited: ReadonlySet<string>;
  readonly digests: Digests;
}

/** Compares what is wanted of a resource with what the platform has, attribute by attribute. */
export function diffResource(input: DiffInput): Difference {
  const { resource, pairs } = input;
  const now = readRow(resource.kind, input.row);
  const attributes: AttributeChange[] = [];
  const changes: Change[] = [];
  const diagnostics: Diagnostic[] = [];
  const unlessReplaced: Diagnostic[] = [];
  for (const name of Object.keys(resource.kind.fields)) {
    const field = fieldOf(resource.kind, name);
    // Most fields of most objects: no manifest ever declared them.
    if (field.map === undefined && resource.fields[name] === undefined && pairs[name] === undefined) continue;
    const isUnreadable = isCipherText(input, name, field);
    const planned = attributesAt(input, now, name, field).flatMap(
      (one) => judge(input, isUnreadable ? { ...one, observed: undefined } : one) ?? [],
    );
    const comparing =
      field.map === undefined ? input : { ...input, beside: secretsBeside(planned, resource.privateKeys) };
    attributes.push(...planned);
    for (const one of planned) {
      changes.push(...changeOf(resource, one, comparing));
      (isOfOld(one) ? unlessReplaced : diagnostics).push(...notesOn(comparing, one));
    }
    diagnostics.push(...(isUnreadable ? notDecrypted(resource, name, planned) : oldKeysLeft(input, now, name)));
  }
  const isReplaced = changes.some((change) => change.forcesReplacement);
  return {
    attributes: [...attributes], // an array that grew holds room for more
    changes,
    diagnostics: isReplaced ? diagnostics : [...diagnostics, ...unlessReplaced],
  };
}

/** Whether what is said of an attribute holds for the existing object, and not for a new one. */
function isOfOld({ decision, pair }: AttributeChange): boolean {
  return decision.do === 'release' || decision.do === 'keep' || (decision.do === 'error' && pair === undefined);
}

/** An attribute that is wanted, or that may have been settled earlier, beside its value on the platform. */
interface Beside extends Pick<AttributeChange, 'attribute' | 'field' | 'wanted'> {
  /** undefined: the platform cannot decrypt it. */
  readonly observed: Json | undefined;
  /** A key that may not stay. */
  readonly isRemoved: boolean;
}

/** Judges an attribute, and decides about it; undefined for one that is not wanted, was never settled and may stay. */
function judge(
  input: DiffInput,
  { attribute, field, observed, wanted, isRemoved }: Beside,
): AttributeChange | undefined {
  const name = attributeName(attribute);
  const pair = input.pairs[name];
  if (wanted === undefined && pair === undefined && (!isRemoved || observed === undefined)) return undefined;
  const { outputs, resource } = input;
  const digest = input.digests(resource.address, name);
  const standing = standingOf({ field, wanted, observed, pair, digest, outputs });
  const before = secret(observed ?? null);
  if (isCreateOnly(resource, attribute) && !isOfNewCase(input, attribute))
    return { attribute, field, wanted, standing, before, pair, decision: kept };
  const isAwaiting = standing.declared.startsWith('known after apply') && refersTo(wanted, input.awaited);
  if (isAwaiting) return { attribute, field, wanted, standing, before, pair, decision: waiting };
  const isRotatable = wanted?.isSecret === true && pair !== undefined && isEdited(standing.declared);
  const rotation = isRotatable ? rotationIn(wanted, pair.wanted, { outputs, digest }) : undefined;
  const accepted = standing.there === 'other' ? acceptedOf(input, attribute, field, observed ?? null) : undefined;
  const obeyed = accepted?.over === false && input.accepting.isObeyed ? accepted : undefined;
  const proof = resource.kind.lifecycle?.silentUpdate === true ? 'a new object' : 'an update';
  const isUnproven = pair?.unproven === true || input.unproven?.includes(name) === true;
  const decided =
    isRemoved && observed !== undefined
      ? removal(obeyed)
      : decide({
          field,
          standing,
          missing: wanted?.missing ?? [],
          ignored: pair?.ignored,
          fixed: fixedIn(input, attribute),
          accepted: obeyed,
          provedBy: isUnproven ? proof : undefined,
        });
  const isLeft = decided.do === 'nothing' && leavesMembers({ field, wanted, before, pair }, outputs);
  const written: Decision = isLeft ? { do: 'write', cause: 'edit' } : decided;
  const decision = needsNewObject(written, field, wanted, outputs) ? { ...written, do: 'replace' as const } : written;
  // Written member by member: V8 gives an object that a spread makes a class of its own, of 500 bytes. Most have neither.
  return rotation === undefined && accepted === undefined
    ? { attribute, field, wanted, standing, before, pair, decision }
    : { attribute, field, wanted, standing, rotation, before, pair, accepted, decision };
}

/** Whether a value is written that an update cannot carry. */
function needsNewObject(
  decision: Decision,
  field: Field,
  wanted: Wanted | undefined,
  outputs: DiffInput['outputs'],
): decision is Extract<Decision, { do: 'write' }> {
  if (field.needsNewObject === undefined || decision.do !== 'write' || wanted === undefined) return false;
  const value = resolve(wanted, outputs);
  return value.is === 'known' && field.needsNewObject(value.value);
}

const kept: Decision = { do: 'keep' };
const waiting: Decision = { do: 'wait' };

/** Whether a value needs an output of one of those addresses. */
function refersTo(wanted: Wanted | undefined, addresses: ReadonlySet<string>): boolean {
  return wanted?.references.some(({ address }) => addresses.has(address)) === true;
}

/** Whether a field belongs to a case of a union that the platform does not have yet: choosing it is a creation. */
function isOfNewCase({ resource: { kind, fields }, row }: DiffInput, { field }: Attribute): boolean {
  return (kind.unions ?? []).some(({ tag, cases }) => {
    const word = knownValue(fields[tag]);
    if (typeof word !== 'string' || word === observedValue(kind, tag, row)) return false;
    return Object.hasOwn(cases, word) && Object.values(cases[word] ?? {}).includes(field);
  });
}

/** What is done about a key that may not stay. */
function removal(accepted: Accepted | undefined): Decision {
  return accepted === undefined ? { do: 'remove' } : leaveAccepted(accepted);
}

/** Whether a set that others add to still has members that were ours, and are not declared any more. */
function leavesMembers(
  { field, wanted, before, pair }: Pick<JudgedAttribute, 'field' | 'wanted' | 'before' | 'pair'>,
  outputs: DiffInput['outputs'],
): boolean {
  if (field.codec !== contains) return false;
  const resolved = wantedOf({ field, wanted }, outputs);
  return resolved?.is === 'known' && leftBehind(resolved.value, before.reveal(), membersOf(pair?.wanted)).length > 0;
}

/** The acceptance of what the platform has in an attribute. */
function acceptedOf(
  { accepting, resource: { kind } }: DiffInput,
  attribute: Attribute,
  field: Field,
  observed: Json,
): Accepted | undefined {
  const { objectId } = accepting;
  const subject = { kind: kind.kind, objectId, field: subjectField(kind, attribute) };
  return accepting.of(subject, subjectDigest(accepting.digests, { objectId, attribute, field, observed }));
}

/** The attributes of one field: itself, or the keys of its map. */
function attributesAt({ resource, pairs }: DiffInput, now: RowReader, name: string, field: Field): Beside[] {
  const entries = resource.maps[name];
  const beside = (attribute: Attribute, as: Field, wanted?: Wanted, isRemoved = false): Beside => ({
    attribute,
    field: as,
    wanted,
    observed: now.value(attribute),
    isRemoved,
  });
  const wanted = resource.fields[name];
  const as = isMerged(resource, field) ? { ...field, codec: contains } : field;
  if (field.map === undefined) return [beside(fieldAttribute(name), as, wanted)];
  const settled = settledKeys(pairs, name);
  if (entries === undefined) {
    // Keys that were ours are let go of; when the field is text now, the text speaks for them.
    const former = wanted === undefined ? [...settled] : [];
    return [beside(fieldAttribute(name), as, wanted), ...former.map((key) => beside({ field: name, key }, field))];
  }
  const keyField = attributeField(resource.kind, { field: name, key: '' });
  const at = (key: string, wanted?: Wanted, isRemoved?: boolean) =>
    beside({ field: name, key }, keyField, wanted, isRemoved);
  const present = new Set(now.keys(name));
  const mayStay = (key: string) => entries.has(key) || (resource.mapMode !== 'own' && !settled.has(key));
  return [
    ...[...entries].map(([key, wanted]) => at(key, wanted)),
    ...[...present].filter((key) => !mayStay(key)).map((key) => at(key, undefined, true)),
    ...[...settled].filter((key) => !entries.has(key) && !present.has(key)).map((key) => at(key)),
  ];
}

/** Whether the platform has cipher text in a field that it keeps encrypted. */
function isCipherText({ resource: { kind }, row }: DiffInput, name: string, field: Field): boolean {
  return (field.map !== undefined || field.secrecy !== undefined) && isCipher(observedValue(kind, name, row));
}

/** Reports a field that the platform cannot decrypt, once; the state keeps its pairs. */
function notDecrypted({ kind, address }: Resource, name: string, attributes: readonly AttributeChange[]): Diagnostic[] {
  if (attributes.length === 0) return [];
  const at = attributes.find(({ wanted }) => wanted !== undefined)?.wanted?.at;
  const message = `${fieldPath(kind, name)}: the platform cannot decrypt the value that it stores, and answers cipher text`;
  const remedy =
    'Give the platform its old encryption key and restart it. If that key is lost, clear the field there: apply then writes it again.';
  return [diagnostic('not-decrypted', message, { address, remedy, position: at && position(at) })];
}

/** Reports undeclared keys that stay when Trueup manages a map for the first time. */
function oldKeysLeft({ resource, pairs }: DiffInput, now: RowReader, name: string): Diagnostic[] {
  const { kind, address, mapMode } = resource;
  const entries = resource.maps[name];
  if (entries === undefined || mapMode !== 'merge' || settledKeys(pairs, name).size > 0) return [];
  const others = now.keys(name).filter((key) => !entries.has(key));
  const message = `${fieldPath(kind, name)}: keys that are there stay, ours of old among them: ${others.join(', ')}`;
  return others.length === 0 ? [] : [diagnostic('left-alone', message, { address })];
}

/** The keys of a map that have a pair: `env["A"]` gives A for env. */
function settledKeys(pairs: DiffInput['pairs'], field: string): Set<string> {
  const names = Object.keys(pairs).filter((name) => name.startsWith(`${field}["`) && name.endsWith(']'));
  return new Set(names.map((name) => JSON.parse(name.slice(field.length + 1, -1)) as string));
}

/** Why the platform keeps a field of an object as it is. */
function fixedIn({ resource: { kind }, isProvided }: DiffInput, { field }: Attribute): string | undefined {
  const { provided } = kind.lifecycle ?? {};
  return isProvided && provided?.allows === 'update' && provided.fixed.includes(field)
    ? 'the platform made this object and does not let it be changed'
    : undefined;
}

import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Attribute, RowReader } from '../kind/attribute.ts';
import { attributeField, attributeName, pathOf, readRow } from '../kind/attribute.ts';
import { isCipher } from '../kind/cipher.ts';
import type { Json, Row } from '../formats/json.ts';
import type { Field } from '../kind/field.ts';
import { contains, isMerged, leftBehind } from '../kind/shared-set.ts';
import { fieldOf, fieldPath, observedValue } from '../kind/wire.ts';
import { position } from '../manifest/tree.ts';
import type { Resolved, Wanted } from '../manifest/wanted.ts';
import type { Digests } from '../secrets/digest.ts';
import type { Secret } from '../secrets/secret.ts';
import { secret } from '../secrets/secret.ts';
import type { Pair } from '../state/record.ts';
import { membersOf } from '../state/stored.ts';
import type { Accepted } from './accepted.ts';
import { subjectDigest, subjectField } from './accepted.ts';
import type { AttributeChange, Change } from './action.ts';
import { changeOf } from './changes.ts';
import type { Decision, Situation } from './decide.ts';
import { decide, leaveAccepted } from './decide.ts';
import type { NotesInput } from './notes.ts';
import { notesOn } from './notes.ts';
import { secretsBeside } from './shown.ts';
import type { Standing } from './standing.ts';
import { isEdited, standingOf, wantedOf } from './standing.ts';
import type { Rotation } from './template.ts';
import { rotationIn } from './template.ts';

/** The difference between one resource and the platform. */
export interface Difference {
  readonly attributes: readonly AttributeChange[];
  readonly changes: readonly Change[];
  readonly diagnostics: readonly Diagnostic[];
}

/** The input of a comparison. */
export interface DiffInput extends NotesInput {
  readonly row: Row;
  readonly pairs: Readonly<Record<string, Pair>>;
  /** The names of attributes that an interrupted run sent, and got an error for. */
  readonly unproven?: readonly string[] | undefined;
  readonly isProvided: boolean;
  readonly digests: Digests;
}

/** Compares what is wanted of a resource with what the platform has, attribute by attribute. */
export function diffResource(input: DiffInput): Difference {
  const found: Found = { attributes: [], changes: [], diagnostics: [], unlessReplaced: [] };
  const { attributes, changes, diagnostics, unlessReplaced } = found;
  const { resource, pairs } = input;
  const now = readRow(resource.kind, input.row);
  for (const name of Object.keys(resource.kind.fields)) {
    const field = fieldOf(resource.kind, name);
    // Most fields of most objects: no manifest ever declared them.
    if (field.map === undefined && resource.fields[name] === undefined && pairs[name] === undefined) continue;
    const attributesHere = attributesAt(input, now, name, field);
    if (isUnreadable(input, name, field)) {
      addUnreadable(input, found, name, attributesHere);
      continue;
    }
    const judged = attributesHere.flatMap((one) => judge(input, one) ?? []);
    const comparing =
      field.map === undefined ? input : { ...input, beside: secretsBeside(judged, resource.privateKeys) };
    for (const one of judged) addAttribute(comparing, found, one);
    diagnostics.push(...oldKeysLeft(input, now, name));
  }
  const isReplaced = changes.some((change) => change.forcesReplacement);
  return {
    attributes: [...attributes], // an array that grew holds room for more
    changes,
    diagnostics: isReplaced ? diagnostics : [...diagnostics, ...unlessReplaced],
  };
}

interface Found {
  readonly attributes: AttributeChange[];
  readonly changes: Change[];
  readonly diagnostics: Diagnostic[];
  /** Errors and notes that hold for the existing object, and not for a new one. */
  readonly unlessReplaced: Diagnostic[];
}

/** An attribute that is wanted, or that may have been settled earlier, beside its value on the platform. */
interface Beside extends Pick<AttributeChange, 'attribute' | 'field' | 'wanted'> {
  /** undefined: the platform cannot decrypt it. */
  readonly observed: Json | undefined;
  /** A key that may not stay. */
  readonly isRemoved?: true | undefined;
}

interface JudgedAttribute extends Beside {
  readonly resolved: Resolved | undefined;
  readonly before: Secret<Json>;
  readonly pair: Pair | undefined;
  readonly standing: Standing;
  readonly rotation: Rotation | undefined;
  readonly accepted: Accepted | undefined;
}

/** Judges an attribute; undefined for one that is not wanted, was never settled and may stay. */
function judge(input: DiffInput, beside: Beside): JudgedAttribute | undefined {
  const { attribute, field, observed, wanted, isRemoved } = beside;
  const name = attributeName(attribute);
  const pair = input.pairs[name];
  if (wanted === undefined && pair === undefined && isRemoved !== true) return undefined;
  const resolved = wantedOf(beside, input.outputs);
  const digest = input.digests(input.resource.address, name);
  const standing = standingOf({ field, wanted, observed, pair, digest, outputs: input.outputs }, resolved);
  const isRotatable = wanted?.isSecret === true && pair !== undefined && isEdited(standing.declared);
  const rotation = isRotatable ? rotationIn(wanted, pair.wanted, { outputs: input.outputs, digest }) : undefined;
  const accepted = standing.there === 'other' ? acceptedOf(input, attribute, field, observed ?? null) : undefined;
  const before = secret(observed ?? null);
  return { attribute, field, observed, wanted, isRemoved, resolved, before, pair, standing, rotation, accepted };
}

/** The acceptance of what the platform has in an attribute. */
function acceptedOf(
  { accepting, resource: { kind } }: DiffInput,
  attribute: Attribute,
  field: Field,
  observed: Json,
): Accepted | undefined {
  if (accepting === undefined) return undefined;
  const { objectId } = accepting;
  const subject = { kind: kind.kind, objectId, field: subjectField(kind, attribute) };
  return accepting.of(subject, subjectDigest(accepting.digestsOfObjects, { objectId, attribute, field, observed }));
}

/** The attributes of one field: itself, or the keys of its map. */
function attributesAt({ resource, pairs }: DiffInput, now: RowReader, name: string, field: Field): Beside[] {
  const entries = resource.maps[name];
  const beside = (attribute: Attribute, as: Field, wanted?: Wanted): Beside => ({
    attribute,
    field: as,
    wanted,
    observed: now.value(attribute),
  });
  const wanted = resource.fields[name];
  const as = isMerged(resource, field) ? { ...field, codec: contains } : field;
  if (field.map === undefined) return [beside({ field: name }, as, wanted)];
  const settled = settledKeys(pairs, name);
  if (entries === undefined) {
    // Keys that were ours are let go of; when the field is text now, the text speaks for them.
    const former = wanted === undefined ? [...settled] : [];
    return [beside({ field: name }, as, wanted), ...former.map((key) => beside({ field: name, key }, field))];
  }
  const keyField = attributeField(resource.kind, { field: name, key: '' });
  const at = (key: string, wanted?: Wanted) => beside({ field: name, key }, keyField, wanted);
  const present = new Set(now.keys(name));
  const mayStay = (key: string) => entries.has(key) || (resource.mapMode !== 'own' && !settled.has(key));
  return [
    ...[...entries].map(([key, wanted]) => at(key, wanted)),
    ...[...present].filter((key) => !mayStay(key)).map((key) => ({ ...at(key), isRemoved: true as const })),
    ...[...settled].filter((key) => !entries.has(key) && !present.has(key)).map((key) => at(key)),
  ];
}

/** Whether the platform has cipher text in a field that it keeps encrypted. */
function isUnreadable({ resource: { kind }, row }: DiffInput, name: string, field: Field): boolean {
  return (field.map !== undefined || field.secrecy !== undefined) && isCipher(observedValue(kind, name, row));
}

/** Reports a field that the platform cannot decrypt, once; the state keeps its pairs. */
function addUnreadable(input: DiffInput, found: Found, name: string, all: readonly Beside[]): void {
  const { kind, address } = input.resource;
  const attributes = all
    .flatMap((one) => judge(input, { ...one, observed: undefined }) ?? [])
    .filter(({ wanted, pair }) => wanted !== undefined || pair !== undefined);
  if (attributes.length === 0) return;
  for (const one of attributes) {
    const { attribute, field, wanted, pair, standing } = one;
    const decision = decide(situationOf(input, one));
    found.attributes.push({ attribute, field, wanted, standing, decision, before: secret<Json>(null), pair });
  }
  const at = attributes.find(({ wanted }) => wanted !== undefined)?.wanted?.at;
  const message = `${fieldPath(kind, name)}: the platform cannot decrypt the value that it stores, and answers cipher text`;
  const remedy =
    'Give the platform its old encryption key and restart it. If that key is lost, clear the field there: apply then writes it again.';
  const about = { address, remedy, ...(at === undefined ? {} : { position: position(at) }) };
  found.diagnostics.push(diagnostic('not-decrypted', message, about));
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

function situationOf(input: DiffInput, judged: JudgedAttribute): Situation {
  const { attribute, field, standing, wanted, pair } = judged;
  const missing = wanted?.missing ?? [];
  const proof = input.resource.kind.lifecycle?.silentUpdate === true ? 'a new object' : 'an update';
  const isUnproven = pair?.unproven === true || input.unproven?.includes(attributeName(attribute)) === true;
  return {
    field,
    standing,
    missing,
    ignored: pair?.ignored,
    fixed: fixedIn(input, attribute),
    accepted: obeyed(input, judged),
    provedBy: isUnproven ? proof : undefined,
  };
}

/** The acceptance that this plan obeys. */
function obeyed({ accepting }: DiffInput, { accepted }: JudgedAttribute): Accepted | undefined {
  return accepted?.over === false && accepting?.isObeyed === true ? accepted : undefined;
}

function addAttribute(input: DiffInput, found: Found, judged: JudgedAttribute): void {
  const { resource } = input;
  const { attribute, field, wanted, observed = null, resolved, before, pair, standing, rotation } = judged;
  const path = () => pathOf(resource.kind, attribute);
  const { accepted } = judged;
  const isLeftThere = judged.isRemoved === true && obeyed(input, judged) !== undefined;
  let decision: Decision =
    judged.isRemoved !== true
      ? decide(situationOf(input, judged))
      : accepted !== undefined && isLeftThere
        ? leaveAccepted(accepted)
        : { do: 'remove' };
  if (field.codec === contains && resolved?.is === 'known') {
    const isLeft = leftBehind(resolved.value, observed, membersOf(pair?.wanted)).length > 0;
    if (isLeft && decision.do === 'nothing') decision = { do: 'write', cause: 'edit' };
    if (pair !== undefined && 'digest' in pair.wanted && standing.declared === 'edited') {
      const message = `${path()}: ids that came from a secret or the environment and are not declared any more stay`;
      const remedy = 'Remove them on the platform, or apply once with accessMode: own.';
      found.diagnostics.push(diagnostic('left-alone', message, { address: resource.address, remedy }));
    }
  }
  const more = rotation === undefined ? {} : { rotation };
  const planned: AttributeChange = { attribute, field, wanted, standing, ...more, decision, before, pair, accepted };
  found.attributes.push(planned);
  found.changes.push(...changeOf(resource, planned, resolved, input));
  const isOfOld = decision.do === 'release' || (decision.do === 'error' && pair === undefined);
  const about = { address: resource.address, position: wanted === undefined ? undefined : position(wanted.at) };
  for (const { code, sentence, remedy } of notesOn(input, planned, resolved))
    (isOfOld ? found.unlessReplaced : found.diagnostics).push(
      diagnostic(code, `${path()}: ${sentence}`, { ...about, remedy }),
    );
}

/** Why the platform keeps a field of an object as it is. */
function fixedIn({ resource: { kind }, isProvided }: DiffInput, { field }: Attribute): string | undefined {
  const { provided } = kind.lifecycle ?? {};
  return isProvided && provided?.allows === 'update' && provided.fixed.includes(field)
    ? 'the platform made this object and does not let it be changed'
    : undefined;
}

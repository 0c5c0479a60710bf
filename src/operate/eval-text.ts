import { didYouMean } from '../diagnostics/closest.ts';
import type { Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { type Json, canonical } from '../formats/json.ts';
import type { Attribute } from '../kind/attribute.ts';
import { fieldOf } from '../kind/row-values.ts';
import { resolveField } from '../manifest/fields.ts';
import type { HowToGive, Manifest } from '../manifest/manifest.ts';
import type { Resource } from '../manifest/resource.ts';
import { findPart, pathsOf } from '../manifest/value-at.ts';
import { type Reference, referenceName } from '../manifest/reference.ts';
import { type Outputs, type Wanted, resolve, withHidden } from '../manifest/wanted.ts';
import { hiddenLines, maskAttribute, maskValue } from '../secrets/looks-secret.ts';
import { redacted } from '../secrets/secret.ts';
import type { State } from '../state/state.ts';
import { requireSecrets } from './read-outputs.ts';

/** A value to evaluate, of a field or of a text that no file holds. */
interface Part {
  readonly wanted: Wanted;
  /** The field that holds it; undefined for a free text. */
  readonly of?: { readonly resource: Resource; readonly attribute: Attribute };
  /** Its keys below the path that was asked for. */
  readonly below: readonly string[];
}

/** What `trueup eval` evaluates. */
export interface Question {
  readonly name: string;
  readonly parts: readonly Part[];
  /** The keys inside of the only part. */
  readonly inside: readonly string[];
}

/** What came out of it. */
export interface Evaluated {
  /** With `(sensitive)` in place of what is secret or looks secret, unless secrets are shown. */
  readonly value: Json;
  /** Something secret is part of it, or looks like one. */
  readonly isSensitive: boolean;
  readonly references: readonly { readonly name: string; readonly from: 'state' | 'platform' }[];
}

/**
 * The values at a path of the manifest, or the free text that it was read with.
 *
 * @throws {Stop} `usage`, when nothing is declared at the path
 */
export function questionOf(written: string, { resources, freeText }: Manifest): Question {
  if (freeText !== undefined) return { name: 'the expression', parts: [{ wanted: freeText, below: [] }], inside: [] };
  const found = findPart(written, resources);
  if (found === undefined || found.values.length === 0) throw notDeclared(written, found?.resource, resources);
  const { resource, values, inside } = found;
  const parts = values.map(({ attribute, wanted, below }) => ({ wanted, of: { resource, attribute }, below }));
  return { name: written, parts, inside };
}

function notDeclared(written: string, resource: Resource | undefined, resources: readonly Resource[]): Stop {
  const paths = resource === undefined ? [] : pathsOf(resource).map((path) => `${resource.address}.${path}`);
  const otherwise =
    resource === undefined
      ? inEnvironment(written, resources)
      : `${resource.address} has ${paths.slice(0, 20).join(', ') || 'no fields'}.`;
  const known = [...paths, ...resources.map(({ address }) => address)];
  return usage(`nothing is declared at ${written}`, didYouMean(written, known, otherwise));
}

/** The remedy for a path that may lack its environment. */
function inEnvironment(written: string, resources: readonly Resource[]): string {
  const whole = resources
    .filter(({ parent }) => parent === undefined)
    .flatMap(({ address }) => {
      const path = `${address}.${written}`;
      return (findPart(path, resources)?.values.length ?? 0) > 0 ? [path] : [];
    });
  return whole.length === 0
    ? "Write an expression, such as '${var:name}', or an address: trueup graph lists them."
    : `Did you mean ${whole.join(' or ')}?`;
}

/** The values that refer to resources, in the words of messages. */
export function referring({ name, parts }: Question): { readonly name: string; readonly wanted: Wanted }[] {
  return parts.flatMap(({ wanted }) => (wanted.references.length === 0 ? [] : [{ name, wanted }]));
}

/** Looks up ids in the state, which has no other output as the platform answered it. */
export function outputsInState(state: State | undefined): Outputs {
  const records = new Map(Object.entries(state?.resources ?? {}));
  return ({ address, output }) => (output === 'id' ? (records.get(address)?.id ?? undefined) : undefined);
}

/**
 * Evaluates a question with outputs from the state, and from the platform where the state does not have them.
 *
 * @throws {Stop} `refused`, when secrets are shown and this run does not have one
 */
export function evaluateQuestion(
  question: Question,
  {
    inState,
    onPlatform,
    showsSecrets,
    howToGive,
  }: {
    readonly inState: Outputs;
    readonly onPlatform: Outputs;
    readonly showsSecrets: boolean;
    readonly howToGive?: HowToGive | undefined;
  },
): Evaluated {
  const { name, parts, inside } = question;
  const missing = [...new Set(parts.flatMap(({ wanted }) => wanted.missing))];
  if (showsSecrets) requireSecrets([{ name, missing }], howToGive);
  const outputs: Outputs = (reference) => inState(reference) ?? onPlatform(reference);
  const shown = parts.map((part) => ({ ...part, ...showPart(part, outputs) }));
  const hidden = nested(shown.map(({ below, masked }) => ({ below, value: masked })));
  const known = nested(shown.map(({ below, value }) => ({ below, value })));
  const open = inner(known, inside, name);
  const closed = inner(hidden, inside, name);
  return {
    value: showsSecrets ? open : closed,
    isSensitive: canonical(closed) !== canonical(open) || shown.some(({ isUnavailable }) => isUnavailable),
    references: referencesOf(parts).map((reference) => ({
      name: referenceName(reference),
      from: inState(reference) === undefined ? 'platform' : 'state',
    })),
  };
}

/** A value, and the same as people may see it. */
function showPart({ wanted, of }: Part, outputs: Outputs) {
  const field = of === undefined ? undefined : fieldOf(of.resource.kind, of.attribute.field);
  const isWhole = field !== undefined && of?.attribute.key === undefined;
  const resolved = isWhole ? resolveField(field, wanted, outputs) : resolve(wanted, outputs);
  if (resolved.is !== 'known') return { value: redacted, masked: redacted, isUnavailable: true };
  const { value } = resolved;
  const isStrict = (field?.secrecy === 'secret' && value !== null) || wanted.isPrivate === true;
  const clear = wanted.isSecret ? withHidden(wanted, outputs, hiddenLines) : value;
  const masked = isStrict || clear === undefined ? redacted : maskClear(clear, { field, of });
  return { value, masked, isUnavailable: false };
}

function maskClear(
  value: Json,
  { field, of }: { readonly field: ReturnType<typeof fieldOf> | undefined; readonly of: Part['of'] },
): Json {
  if (field === undefined || of === undefined) return maskValue(undefined, value, { isOpen: true });
  return maskAttribute({ field, attribute: of.attribute }, value, of.resource.privateKeys);
}

/** One value, or an object of those that stand below keys. */
function nested(values: readonly { readonly below: readonly string[]; readonly value: Json }[]): Json {
  const [first] = values;
  if (first !== undefined && values.length === 1 && first.below.length === 0) return first.value;
  const byKey = new Map<string, { readonly below: readonly string[]; readonly value: Json }[]>();
  for (const { below, value } of values) {
    const [key = '', ...rest] = below;
    byKey.set(key, [...(byKey.get(key) ?? []), { below: rest, value }]);
  }
  return Object.fromEntries([...byKey].map(([key, items]) => [key, nested(items)]));
}

/** What stands at some keys inside of a value. @throws {Stop} `usage` */
function inner(value: Json, keys: readonly string[], name: string): Json {
  let at = value;
  for (const key of keys) {
    // A value that is secret as a whole prints as one `(sensitive)`.
    if (at === redacted) return redacted;
    const next =
      typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as Record<string, Json>)[key] : undefined;
    if (next === undefined) throw usage(`nothing is declared at ${name}`);
    at = next;
  }
  return at;
}

function referencesOf(parts: readonly Part[]): readonly Reference[] {
  const all = parts.flatMap(({ wanted }) => wanted.references);
  return [...new Map(all.map((reference) => [referenceName(reference), reference])).values()];
}

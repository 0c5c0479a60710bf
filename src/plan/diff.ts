import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Attribute } from '../kind/attribute.ts';
import { attributeField, attributeName, pathOf } from '../kind/attribute.ts';
import type { Json, Row } from '../kind/json.ts';
import type { Field } from '../kind/field.ts';
import { contains, isMerged, leftBehind, merged } from '../kind/shared-set.ts';
import { fieldPath, observedValue } from '../kind/wire.ts';
import { resolveField } from '../manifest/fields.ts';
import type { Resource } from '../manifest/resource.ts';
import { position } from '../manifest/tree.ts';
import type { Outputs, Resolved, Wanted } from '../manifest/wanted.ts';
import { secret } from '../secrets/secret.ts';
import { howToGive } from '../secrets/sources/env.ts';
import type { Pair } from '../state/record.ts';
import { matchesStored, membersOf } from '../state/stored.ts';
import type { Change, AttributeChange } from './action.ts';
import type { Decision } from './decide.ts';
import { decide } from './decide.ts';
import { compareHidden, showObserved, showStored, showWanted } from './shown.ts';

/** What comparing one resource with the platform gives. */
export interface Difference {
  readonly attributes: readonly AttributeChange[];
  readonly changes: readonly Change[];
  readonly diagnostics: readonly Diagnostic[];
}

/** What comparing needs besides the resource. */
export interface DiffInput {
  readonly resource: Resource;
  readonly row: Row;
  readonly pairs: Readonly<Record<string, Pair>>;
  readonly isProvided: boolean;
  readonly outputs: Outputs;
  readonly digest: (text: string) => string;
}

/** Compares what is wanted of a resource with what the platform has, attribute by attribute. */
export function diffResource(input: DiffInput): Difference {
  const { resource, pairs } = input;
  const { kind } = resource;
  const found: Found = { attributes: [], changes: [], diagnostics: [], unlessReplaced: [] };
  for (const [name, field] of Object.entries(kind.fields)) {
    const observed = observedValue(kind, name, input.row) ?? null;
    const entries = resource.maps[name];
    const keyed =
      field.map === undefined ? [] : Object.keys(pairs).flatMap((attribute) => keyOf(name, attribute) ?? []);
    if (entries !== undefined && field.map !== undefined) {
      diffMap(input, found, name, field, entries, observed, keyed);
      continue;
    }
    const wanted = resource.fields[name];
    addAttribute(
      input,
      found,
      { field: name },
      isMerged(resource, field) ? { ...field, codec: contains } : field,
      wanted,
      observed,
    );
    // Keys that were ours are let go of; when the field is text now, the text speaks for them.
    for (const key of wanted === undefined ? keyed : [])
      addAttribute(input, found, { field: name, key }, field, undefined, null);
  }
  const { attributes, changes, diagnostics, unlessReplaced } = found;
  const isReplaced = changes.some((change) => change.forcesReplacement);
  return { attributes, changes, diagnostics: isReplaced ? diagnostics : [...diagnostics, ...unlessReplaced] };
}

interface Found {
  readonly attributes: AttributeChange[];
  readonly changes: Change[];
  readonly diagnostics: Diagnostic[];
  /** What an existing object cannot take and a new one can. */
  readonly unlessReplaced: Diagnostic[];
}

function diffMap(
  input: DiffInput,
  found: Found,
  name: string,
  field: Field,
  entries: ReadonlyMap<string, Wanted>,
  observed: Json,
  settledKeys: readonly string[],
): void {
  const present = field.map?.read(typeof observed === 'string' ? observed : '') ?? new Map<string, string>();
  const keyField = attributeField(input.resource.kind, { field: name, key: '' });
  for (const [key, wanted] of entries)
    addAttribute(input, found, { field: name, key }, keyField, wanted, present.get(key) ?? null);
  const { mapMode, address } = input.resource;
  const others = [...present.keys()].filter((key) => !entries.has(key));
  if (mapMode === 'merge' && settledKeys.length === 0 && others.length > 0) {
    found.diagnostics.push(
      diagnostic(
        'left-alone',
        `${fieldPath(input.resource.kind, name)}: keys that are there stay, ours of old among them: ${others.join(', ')}`,
        {
          address,
        },
      ),
    );
  }
  for (const [key, value] of present) {
    if (entries.has(key)) continue;
    if (mapMode === 'own' || settledKeys.includes(key)) addRemoval(input, found, { field: name, key }, keyField, value);
  }
  for (const key of settledKeys) {
    if (entries.has(key) || present.has(key)) continue;
    addAttribute(input, found, { field: name, key }, keyField, undefined, null);
  }
}

function addRemoval(input: DiffInput, found: Found, attribute: Attribute, field: Field, value: Json): void {
  const pair = input.pairs[attributeName(attribute)];
  const decision: Decision = { do: 'remove' };
  found.attributes.push({ attribute: attribute, field, wanted: undefined, decision, before: secret(value), pair });
  found.changes.push({
    path: pathOf(input.resource.kind, attribute),
    cause: 'removed',
    before: showObserved(field, value, isSecret(pair)),
    after: { is: 'absent' },
    atDeploy: waits(input.resource, field),
    forcesReplacement: false,
  });
}

function addAttribute(
  input: DiffInput,
  found: Found,
  attribute: Attribute,
  field: Field,
  wanted: Wanted | undefined,
  observed: Json,
): void {
  const { resource, digest } = input;
  const pair = input.pairs[attributeName(attribute)];
  const resolved = wanted === undefined ? undefined : resolveField(field, wanted, input.outputs);
  const isSet = isMerged(resource, field);
  const { provided } = resource.kind.lifecycle ?? {};
  const fixed =
    input.isProvided && provided?.allows === 'update' && provided.fixed.includes(attribute.field)
      ? 'the platform made this object and does not let it be changed'
      : undefined;
  const decided = decide({ field, wanted: resolved, observed, pair, digest, fixed });
  const formerly = membersOf(pair?.wanted);
  const isLeft = isSet && resolved?.is === 'known' && leftBehind(resolved.value, observed, formerly).length > 0;
  if (
    isSet &&
    pair !== undefined &&
    'digest' in pair.wanted &&
    resolved?.is === 'known' &&
    !matchesStored({ field, digest }, pair.wanted, resolved.value)
  ) {
    const message = `${pathOf(resource.kind, attribute)}: ids that came from a secret or the environment and are not declared any more stay`;
    const remedy = 'Remove them on the platform, or apply once with accessMode: own.';
    found.diagnostics.push(diagnostic('left-alone', message, { address: resource.address, remedy }));
  }
  const decision: Decision = isLeft && decided.do === 'nothing' ? { do: 'write', cause: 'edit' } : decided;
  if (wanted === undefined && pair === undefined) return;
  found.attributes.push({ attribute: attribute, field, wanted, decision, before: secret(observed), pair });
  const about = { address: resource.address, position: wanted === undefined ? undefined : position(wanted.at) };
  const path = pathOf(resource.kind, attribute);
  switch (decision.do) {
    case 'nothing':
      if (decision.ignored === true) {
        const remedy = 'Change the value, or leave the line out: Trueup does not write this value again.';
        found.diagnostics.push(diagnostic('not-kept', `${path}: the platform ignored the value`, { ...about, remedy }));
      }
      return;
    case 'release':
      found.unlessReplaced.push(diagnostic('released', `${path}: is no longer managed and stays as it is`, about));
      return;
    case 'leave':
      found.diagnostics.push(diagnostic('drift-left', `${path}: ${decision.sentence}`, about));
      return;
    case 'error':
      (pair === undefined ? found.unlessReplaced : found.diagnostics).push(
        diagnostic(decision.code, `${path}: ${decision.sentence}`, {
          ...about,
          remedy:
            resolved?.is === 'unavailable'
              ? howToGive(resolved.secrets)
              : remedyFor(field, observed, wanted?.isSecret === true || isSecret(pair)),
        }),
      );
      return;
    case 'remove':
      return;
    case 'write':
    case 'replace':
      if (wanted === undefined || resolved === undefined) return;
      found.changes.push({
        path,
        cause: decision.cause,
        before: showObserved(field, observed, wanted.isSecret || isSecret(pair)),
        after:
          isSet && resolved.is === 'known' && !wanted.isSecret
            ? { is: 'value', value: merged(resolved.value, observed, formerly) }
            : showWanted(field, wanted, resolved),
        ...summaryOf(field, observed, resolved),
        ...(decision.cause === 'conflict' && pair !== undefined ? { last: showStored(pair.answered) } : {}),
        position: position(wanted.at),
        atDeploy: waits(input.resource, field),
        forcesReplacement: decision.do === 'replace',
      });
      return;
    default:
      decision satisfies never;
  }
}

/** Whether a change takes effect at the next deployment. */
export function waits({ link }: Resource, field: Field): boolean {
  return field.appliesAt === 'deploy' && link.atOnce !== true;
}

/** What can be said of a change of hidden text. */
export function summaryOf(field: Field, before: Json, after: Resolved): { summary?: string } {
  const summary = field.secrecy === 'private' && after.is === 'known' ? compareHidden(before, after.value) : undefined;
  return summary === undefined ? {} : { summary };
}

/** A digest in an open field means that a secret flowed into it once. */
function isSecret(pair: Pair | undefined): boolean {
  return pair !== undefined && 'digest' in pair.answered;
}

function remedyFor(field: Field, observed: Json, isHidden: boolean): string {
  const now =
    field.secrecy === undefined && !isHidden && observed !== null
      ? `Write ${JSON.stringify(observed)}, as the platform has it`
      : 'Write what the platform has';
  return `${now}, or leave the line out.`;
}

/** The key in the name of an attribute of a map: `env["A"]` gives A for env. */
function keyOf(field: string, attribute: string): string | undefined {
  return attribute.startsWith(`${field}["`) && attribute.endsWith(']')
    ? (JSON.parse(attribute.slice(field.length + 1, -1)) as string)
    : undefined;
}

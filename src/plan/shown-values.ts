import { plain } from '../kind/codecs.ts';
import { type Json, mapTexts, same, textsIn } from '../formats/json.ts';
import { withoutAppended } from '../kind/row-values.ts';
import { type Outputs, type Resolved, knownValue, withHidden } from '../manifest/wanted.ts';
import { inEachLine, isSecretEntry, maskAttribute } from '../secrets/looks-secret.ts';
import { concealedMark, redacted, rotatedMark } from '../secrets/secret.ts';
import type { Stored } from '../state/record.ts';
import { heldSecrets, withoutSecrets } from '../state/stored.ts';
import type { Change, Shown } from './action.ts';
import type { JudgedAttribute } from './standing.ts';

/**
 * The values that a plan shows. `usual`: what stands in the manifest in clear and does not look secret, and what the platform
 * has under declared keys. `hidden`: nothing of fields that may hold secrets. `all`: also what the platform has under keys
 * that are not declared, unless it looks secret.
 */
export type Values = 'usual' | 'hidden' | 'all';

/** What deciding which part of a value is shown needs. */
export interface Showing {
  readonly planned: JudgedAttribute;
  /** The wanted value; undefined where none is wanted. */
  readonly resolved: Resolved | undefined;
  readonly values: Values;
  readonly outputs: Outputs;
  /** Keys and fields that the user calls private. */
  readonly privateKeys?: ReadonlySet<string> | undefined;
  /** Of a key of a map: the other keys of the map that are secret. */
  readonly beside?: SecretsBeside | undefined;
}

/** The keys of a map that are secret. */
export interface SecretsBeside {
  readonly keys: ReadonlySet<string>;
  /** One of them is not as it was settled: where quotes broke, parts of it stand in other keys. */
  readonly isBroken: boolean;
}

/** Finds the keys of a map that are secret, among its attributes. */
export function secretsBeside(
  all: readonly Pick<JudgedAttribute, 'attribute' | 'wanted' | 'pair' | 'standing' | 'before'>[],
  privateKeys: ReadonlySet<string> | undefined,
): SecretsBeside {
  const keys = new Set<string>();
  let isBroken = false;
  for (const { attribute, wanted, pair, standing, before } of all) {
    const { key } = attribute;
    if (key === undefined || (wanted === undefined && pair === undefined)) continue;
    const isSecret =
      wanted?.isSecret === true ||
      (pair !== undefined && 'digest' in pair.answered) ||
      isSecretEntry(key, String(knownValue(wanted) ?? ''), { privateKeys });
    if (!isSecret) continue;
    keys.add(key);
    isBroken ||= standing.there === 'other' && (pair !== undefined || before.reveal() !== null);
  }
  return { keys, isBroken };
}

/** Both sides of a change as people may see them, and what was settled last, for a conflict. */
export function showSides(showing: Showing): Required<Pick<Change, 'before' | 'after' | 'last'>> {
  const { planned, resolved } = showing;
  const plainly = withoutAddition(planned);
  const observed = planned.before.reveal();
  const value = resolved?.is === 'known' ? resolved.value : null;
  const before = observedAs(showing);
  const after = withRotated([before, markWanted(showing)], [observed, value]);
  return {
    before: shownAs(observed, before, plainly),
    after:
      resolved?.is === 'pending' && !isStrict(showing) ? showPending(showing, plainly) : shownAs(value, after, plainly),
    last: showStored(showing),
  };
}

/**
 * Shows a value as users write it, without the text that the platform has behind it. Where the platform has another text
 * there, or none, the change is one of that text, and shows it.
 */
function withoutAddition({ wanted, before }: JudgedAttribute): (value: Json) => Json {
  const { appended = '' } = wanted ?? {};
  const observed = before.reveal();
  const isOther = observed !== null && withoutAppended(observed, appended) === observed;
  return (value) => (isOther ? value : withoutAppended(value, appended));
}

/** Shown of most attributes on one side. */
export const absent: Shown = { is: 'absent' };
const hidden: Shown = { is: 'hidden' };

/** A value with its secret parts masked; undefined when nothing of it is shown. */
type Masked = Json | undefined;

function shownAs(value: Json, masked: Masked, plainly: (value: Json) => Json): Shown {
  if (masked === undefined || masked === redacted) return hidden;
  if (masked === null) return absent;
  const shown = plainly(typeof masked === 'string' ? withoutRepeats(masked) : masked);
  return { is: masked === value ? 'value' : 'masked', value: shown };
}

/** What is known of a value that refers to an object which this run creates. */
function showPending(showing: Showing, plainly: (value: Json) => Json): Shown {
  const { planned, outputs, privateKeys } = showing;
  const { wanted } = planned;
  const filled: Outputs = (reference) => outputs(reference) ?? unknown;
  if (wanted === undefined) return { is: 'known after apply' };
  const known = withHidden(wanted, filled, (text) => inEachLine(text, concealedMark));
  const masked = known === undefined ? null : unmarked(maskAttribute(planned, known, privateKeys));
  const isPartly = masked !== unknown && textsIn(masked).some((text) => text.includes(unknown));
  return isPartly ? { is: 'masked', value: plainly(masked) } : { is: 'known after apply' };
}

/** The text in place of an output that is known after apply. */
const unknown = '(known after apply)';

/** Whether nothing of the value is shown, whatever it is. */
function isStrict({ planned: { field, wanted }, values }: Showing): boolean {
  if (field.secrecy === 'secret' || wanted?.isPrivate === true) return true;
  return values === 'hidden' && (field.secrecy !== undefined || wanted?.isSecret === true);
}

/** Whether the user calls a key of a map private, also one that is not declared. */
function isPrivateKey({ planned: { attribute }, privateKeys }: Showing): boolean {
  return attribute.key !== undefined && privateKeys?.has(attribute.key) === true;
}

/** What stands in the manifest in clear, and looks like no secret. */
export function wantedAs(showing: Showing): Masked {
  const marked = markWanted(showing);
  return marked === undefined ? undefined : unmarked(marked);
}

/** The same with marks in place of concealed parts, which tell those that get another value from the others. */
function markWanted(showing: Showing): Masked {
  const { planned, resolved, outputs } = showing;
  const { wanted, rotation } = planned;
  if (wanted === undefined || resolved === undefined || (resolved.is === 'known' && resolved.value === null))
    return null;
  if (isStrict(showing) || resolved.is !== 'known') return undefined;
  const value = wanted.isSecret
    ? withHidden(wanted, outputs, (text, name) => {
        const isRotated = name !== undefined && rotation?.secrets.has(name) === true;
        return inEachLine(text, isRotated ? rotatedMark : concealedMark);
      })
    : resolved.value;
  return value === undefined ? undefined : maskAttribute(planned, value, showing.privateKeys);
}

/** A value with `(sensitive)` in place of marks; `rotated`: in place of those of parts that get another value. */
function unmarked(value: Json, rotated = redacted): Json {
  // Most values have none, and stay the same object.
  if (!textsIn(value).some((text) => text.includes(concealedMark) || text.includes(rotatedMark))) return value;
  return mapTexts(value, (text) => text.replaceAll(concealedMark, redacted).replaceAll(rotatedMark, rotated));
}

/**
 * What the platform has, where its key is declared. Text into which a secret flowed is shown only as it was settled, without
 * the lines of the secrets: in any other text its place is unknown.
 */
export function observedAs(showing: Showing): Masked {
  const { planned, resolved, values, privateKeys } = showing;
  const { field, wanted, pair, standing } = planned;
  const observed = planned.before.reveal();
  if (observed === null) return null;
  if (isStrict(showing) || isPrivateKey(showing)) return undefined;
  const settled = pair?.answered;
  if (values === 'hidden') {
    const isOpen = field.secrecy === undefined && (settled === undefined || 'value' in settled);
    return isOpen ? maskAttribute(planned, observed, privateKeys) : undefined;
  }
  if (settled !== undefined && standing.there === 'as settled') {
    const open = asSettled(showing, settled, observed);
    return open === undefined ? undefined : unmarked(maskAttribute(planned, open, privateKeys));
  }
  if (resolved?.is === 'known' && same(resolved.value, observed)) return wantedAs(showing);
  // A secret flows into it, or flowed into it once: where it stands is not known.
  if (wanted?.isSecret === true || (settled !== undefined && heldSecrets(settled))) return undefined;
  return changedAs(showing, observed);
}

/**
 * What the platform has, where nothing says that a secret flowed into it. A key that is not declared shows on demand, while
 * each secret of its map is where it was.
 */
function changedAs(showing: Showing, observed: Json): Masked {
  const { planned, values, privateKeys } = showing;
  const { field, attribute, wanted } = planned;
  const { foreign, ...beside } =
    showing.beside === undefined ? besideInText(showing, observed) : { ...showing.beside, foreign: [] };
  const showsForeign = values === 'all' && !beside.isBroken;
  if (wanted === undefined && field.secrecy !== undefined && !showsForeign) return undefined;
  const isSpread = typeof observed === 'string' && /[\r\n]/.test(observed);
  if (attribute.key !== undefined && beside.isBroken && isSpread) return undefined;
  const masked = (more: Iterable<string>) =>
    maskAttribute(planned, observed, new Set([...(privateKeys ?? []), ...more]));
  const shown = masked(showsForeign ? [] : foreign);
  // A part of the secret of another key may stand here.
  const others = [...beside.keys].filter((key) => key !== attribute.key);
  return same(shown, masked([...(showsForeign ? [] : foreign), ...others])) ? shown : undefined;
}

/** The same of an env file that is one text, and the keys that the manifest does not have in it. */
function besideInText({ planned, resolved, privateKeys }: Showing, observed: Json) {
  const { field, attribute } = planned;
  const keys = new Set<string>();
  if (field.map === undefined || attribute.key !== undefined || typeof observed !== 'string')
    return { keys, isBroken: false, foreign: [] };
  const meant = resolved?.is === 'known' && typeof resolved.value === 'string' ? resolved.value : '';
  const [declared, now] = [field.map.read(meant), field.map.read(observed)];
  const isBroken = [...declared].some(
    ([key, value]) => isSecretEntry(key, value, { privateKeys }) && now.get(key) !== value,
  );
  return { keys, isBroken, foreign: [...now.keys()].filter((key) => !declared.has(key)) };
}

/** A value that is as it was settled, with marks in place of what came from a secret then. */
function asSettled(
  { planned: { field, wanted, rotation }, resolved, outputs }: Showing,
  settled: Stored,
  observed: Json,
): Masked {
  if (!heldSecrets(settled)) return observed;
  const conceal = (text: string) => inEachLine(text, concealedMark);
  if (wanted?.missing.length === 0 && rotation?.isAll === true) return withHidden(wanted, outputs, conceal);
  // The numbers of the lines are those of a text that is stored as it was sent.
  if ((field.codec ?? plain).normal(observed) !== observed) return undefined;
  const apart = new Map<string, string>();
  const shown = wanted === undefined ? undefined : withHidden(wanted, outputs, conceal);
  const meant = resolved?.is === 'known' ? resolved.value : undefined;
  if (typeof shown === 'string' && typeof meant === 'string') {
    const lines = shown.split('\n');
    for (const [at, line] of meant.split('\n').entries())
      if (lines[at] !== line) apart.set(line, lines[at] ?? concealedMark);
  }
  return withoutSecrets(settled, observed, apart);
}

/** What people may see of the value that was settled last. */
function showStored(showing: Showing): Shown {
  const { planned, privateKeys } = showing;
  const settled = planned.pair?.answered;
  if (settled === undefined || 'digest' in settled || isPrivateKey(showing) || isStrict(showing)) return hidden;
  if (settled.value === null) return absent;
  const masked = maskAttribute(planned, settled.value, privateKeys);
  return shownAs(settled.value, masked, (value) => value);
}

/**
 * The new side of a change without marks. Where both sides would look the same, `(sensitive, changed)` stands in place of
 * the parts that change, as far as it is known which they are.
 */
function withRotated([before, after]: readonly [Masked, Masked], [old, fresh]: readonly [Json, Json]): Masked {
  if (after === undefined) return undefined;
  const plainly = unmarked(after);
  if (plainly === redacted) return plainly;
  if (typeof after !== 'string') return same(before, plainly) ? unmarked(after, changed) : plainly;
  if (typeof before !== 'string' || typeof old !== 'string' || typeof fresh !== 'string') return plainly;
  const [shown, was, written] = [new Set(before.split('\n')), new Set(old.split('\n')), fresh.split('\n')];
  const lines = after.split('\n');
  if (lines.length !== written.length || before.split('\n').length !== old.split('\n').length) return plainly;
  return lines
    .map((line, at) => {
      const text = unmarked(line) as string; // of a string
      if (was.has(written[at] ?? '') || !shown.has(text)) return text;
      const isOne = text.indexOf(redacted) === text.lastIndexOf(redacted);
      return isOne ? text.replace(redacted, changed) : (unmarked(line, changed) as string);
    })
    .join('\n');
}

/** The text in place of a secret part that the change gives another value. */
const changed = '(sensitive, changed)';

/** A text in which lines that are secret as a whole, one below the other, are one line. */
function withoutRepeats(text: string): string {
  const lines = text.split('\n');
  return lines
    .filter(
      (line, at) =>
        !([redacted, changed].includes(line.trim()) && /\(sensitive(?:, changed)?\)$/.test(lines[at - 1] ?? '')),
    )
    .join('\n');
}

/** A value of the platform without secrets of the run: of a text of several lines the part, of any other value all of it. */
export function redactShown(shown: Shown, redact: (text: string) => string): Shown {
  if (shown.is !== 'value' && shown.is !== 'masked') return shown;
  const { value } = shown;
  if (textsIn(value).every((text) => redact(text) === text)) return shown;
  if (typeof value !== 'string' || !value.trimEnd().includes('\n')) return { is: 'hidden' };
  const masked = redact(value);
  return masked.replaceAll(redacted, '').trim() === '' ? { is: 'hidden' } : { is: 'masked', value: masked };
}

/** What may be said of two texts without showing them: how many lines there are and which differ. */
export function compareHidden(before: Json, after: Json): string | undefined {
  if (typeof after !== 'string' || !after.includes('\n')) return undefined;
  const lines = after.replace(/\n$/, '').split('\n');
  if (typeof before !== 'string') return lines.length === 1 ? '1 line' : `${lines.length} lines`;
  const old = before.replace(/\n$/, '').split('\n');
  let first = 0;
  while (first < lines.length && first < old.length && lines[first] === old[first]) first++;
  let same = 0;
  while (same < lines.length - first && same < old.length - first && lines.at(-1 - same) === old.at(-1 - same)) same++;
  const last = lines.length - same;
  // Where nothing but the end is missing, that is the line before it.
  const where = last - first <= 1 ? `line ${Math.min(first + 1, lines.length)}` : `lines ${first + 1} to ${last}`;
  return `${where} of ${lines.length}, before ${old.length}`;
}

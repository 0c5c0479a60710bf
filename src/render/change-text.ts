import type { Json } from '../formats/json.ts';
import { type FieldUnit, inUnits } from '../formats/units.ts';
import type { PlanDocument, Shown } from './document-schemas.ts';
import { envDifference } from './env-differences.ts';
import { jsonDifferences } from './json-differences.ts';
import { fits, fold, indented } from './fold-lines.ts';
import { printable } from './printable.ts';
import { unmarked, withoutMarks, withRotated } from './rotated.ts';
import { type Style, plainStyle } from './style.ts';
import { areAlike, cutLine, inAscii, maxLineLength, rest, textDifference, textLines } from './text-lines.ts';
import { inlineShown, isLong, valueOf } from './value-text.ts';

/** A change of a plan. */
export type Change = PlanDocument['actions'][number]['changes'][number];

/** Most characters of a list or a map that stands on one line. */
const maxInline = 60;

/** Most keys or members of one value that are shown. */
const maxDifferences = 40;

/** Where lines stand; `indent`: the columns before them. */
interface Frame {
  readonly indent: number;
  readonly style: Style;
}

/** Two sides of a field, or of a part of one. */
export interface Sides extends Pick<Change, 'before' | 'after' | 'position'> {
  readonly path: string;
  /** The reason, for people; empty when there is nothing to say. */
  readonly why: string;
  /** What can be said of hidden text. */
  readonly summary?: string | undefined;
  /** It goes with the object that has it. */
  readonly isGone?: boolean;
}

/** The sides of a change; `theirs`: those of a change on the platform since the last apply, where no reason shows it. */
export function sidesOf(change: Change): { readonly sides: Sides; readonly theirs: Sides | undefined } {
  const { path, cause, summary, position } = change;
  const [before, written] = [inAmounts(change, change.before), inAmounts(change, change.after)];
  const last = change.last && inAmounts(change, change.last);
  const after: Shown = cause === 'removed' ? { is: 'absent' } : written;
  const why = before.is === 'absent' && cause === 'first managed' ? '' : causeWords({ cause, before, after, last });
  const isTheirs = last !== undefined && isSpread(last) && isSpread(before);
  return {
    sides: { path, before, after, why, summary, position, isGone: cause === 'delete' },
    theirs: isTheirs ? { path, before: last, after: before, why: '', position } : undefined,
  };
}

/** Renders one attribute change as lines; `indent`: the columns before them. */
export function renderChange(change: Change, indent: number, style: Style): string[] {
  const { sides, theirs } = sidesOf(change);
  const lines = difference(sides, { indent, style });
  if (theirs !== undefined) {
    const below = difference(theirs, { indent: indent + 2, style });
    lines.push(style.paint('info', '(changed on the platform since the last apply:)'), ...indented(below, 2));
  }
  if (change.forcesReplacement) lines.push(style.paint('bad', '! forces replacement'));
  return lines;
}

function difference(sides: Sides, frame: Frame): string[] {
  const { before, after } = sides;
  if (before.is === 'absent' && after.is !== 'absent') return whole('+', after, sides, frame);
  if (after.is === 'absent' && before.is !== 'absent') return whole('-', before, sides, frame);
  const [old, fresh] = [valueOf(before), valueOf(after)];
  if (isText(old) && isText(fresh) && [old, fresh].some((text) => text.length > maxLineLength || isLong(text)))
    return betweenTexts([old, fresh], sides, frame);
  const isRotated = Array.isArray(fresh) && rotatedWords(sides) !== undefined;
  if (isComposite(old) && isComposite(fresh) && !isRotated) return betweenComposites([old, fresh], sides, frame);
  return inline(sides, frame);
}

/** A value that comes or goes. */
function whole(mark: '+' | '-', shown: Shown, sides: Sides, frame: Frame): string[] {
  const { indent, style } = frame;
  const { summary } = sides;
  const value = valueOf(shown);
  const words = summary === undefined || shown.is !== 'hidden' ? inlineShown(shown) : hiddenWords(summary);
  const name = nameOf(sides, style);
  // Of what goes with its object the number of lines is enough.
  const isGone = sides.isGone === true && !style.isFull;
  if (isLong(value) && !isGone) {
    const lines = textLines(value, indent + 4, style);
    const signed = style.isDiff ? lines.map((line) => style.paint(tones[mark], `${mark} ${line}`)) : lines;
    return [...withWhy(headed(mark, `${name}: ${words}`, frame), sides.why, frame), ...indented(signed, 4)];
  }
  if (isComposite(value) && words.length > maxInline) {
    const empty = Array.isArray(value) ? [] : {};
    return parts(mark === '+' ? [empty, value] : [value, empty], sides, shown, frame);
  }
  const cut = cutLine(words, 0, style);
  if (fits(`${mark} ${name}: ${cut}`, indent, style))
    return withWhy(headed(mark, `${name}: ${cut}`, frame), sides.why, frame);
  return [...withWhy(headed(mark, `${name}:`, frame), sides.why, frame), ...indented(fold(cut, indent + 4, style), 4)];
}

/** Two texts, one of them long: key by key where both are env files, else as hunks. */
function betweenTexts([old, written]: readonly [string, string], sides: Sides, frame: Frame): string[] {
  const { indent, style } = frame;
  const name = nameOf(sides, style);
  const { text, rotated, keys, isEnv, hasMore } = compareKeys([old, written], sides);
  if (keys.length === 0) {
    const hunks = textDifference([old, text], { rotated, indent: indent + 2, style });
    if (hunks.length === 0) return inline(sides, frame);
    const same = isEnv ? ' the same values' : '';
    return [...withWhy(headed('', `${name}:${same}`, frame), sides.why, frame), ...indented(hunks, 2)];
  }
  const more = fold(`(${name}: comments, order or quotes differ too)`, indent, style);
  return [...capped(keys, frame), ...(hasMore ? more.map((line) => style.paint('info', line)) : [])];
}

/** Two texts without marks of secrets, and where both are env files their keys that differ. */
export function compareKeys([old, written]: readonly [string, string], { path, before, after, why, position }: Sides) {
  const { text, rotated } = withoutMarks(after, written);
  const env = envDifference([old, text], rotated);
  const keys = (env?.keys ?? []).map(([key, was, is]): Sides => ({
    path: `${path}.${key}`,
    before: like(before, was),
    after: like(after, is),
    why,
    position,
  }));
  return { text, rotated, keys, isEnv: env !== undefined, hasMore: env?.hasMore === true };
}

/** Two lists or maps: member by member, if one line does not hold them. */
function betweenComposites([old, fresh]: readonly [Json, Json], sides: Sides, frame: Frame): string[] {
  const isFlat = Array.isArray(old) && Array.isArray(fresh) && ![...old, ...fresh].some(isComposite);
  const words = inlineShown(sides.before).length + inlineShown(sides.after).length;
  return isFlat && words <= maxInline ? inline(sides, frame) : parts([old, fresh], sides, sides.after, frame);
}

function parts([old, fresh]: readonly [Json, Json], sides: Sides, shown: Shown, frame: Frame): string[] {
  const found = compareMembers([old, fresh], sides, shown);
  return found.length === 0 ? inline(sides, frame) : capped(found, frame);
}

/** The members of two lists or maps that differ; `shown`: the side that says how they are shown. */
export function compareMembers(
  [old, fresh]: readonly [Json, Json],
  { path, why, position }: Sides,
  shown: Shown,
): Sides[] {
  return jsonDifferences(old, fresh, path).map((one) => ({
    path: one.path,
    before: like(shown, one.before),
    after: like(shown, one.after),
    why: one.isOrder === true ? [why, 'another order'].filter((part) => part !== '').join('; ') : why,
    position,
  }));
}

/** The first of many differences of one value, and the number of the others. */
function capped(all: readonly Sides[], frame: Frame): string[] {
  const shown = frame.style.isFull || all.length <= maxDifferences + 1 ? all.length : maxDifferences;
  return [
    ...all.slice(0, shown).flatMap((sides) => (areComposite(sides) ? inline : difference)(sides, frame)),
    ...rest(all.length - shown, 'more difference', frame.style),
  ];
}

/** Both sides on one line, or one below the other. */
function inline(sides: Sides, frame: Frame): string[] {
  const { before, after, why, summary } = sides;
  const { indent, style } = frame;
  const name = nameOf(sides, style);
  const [old, fresh] = [before, after].map((side) => cutLine(inlineShown(side), 0, style)) as [string, string];
  const rotated = rotatedWords(sides);
  const isEqual = old === fresh || rotated !== undefined;
  if (summary !== undefined && (isEqual || before.is === 'hidden'))
    return withWhy(headed('', `${name}: ${hiddenWords(summary)}`, frame), why, frame);
  const changed = `(${why === '' ? 'changed in the manifest' : 'changed'})`;
  if (isEqual) {
    const words = rotated === undefined ? `${old} ${changed}` : cutLine(rotated, 0, style);
    return withWhy(headed('~', `${name}: ${words}`, frame), why, frame);
  }
  const [was, is] = areAlike(old, fresh) ? [inAscii(old), inAscii(fresh)] : [old, fresh];
  if (style.isDiff)
    return withWhy([...headed('-', `${name}: ${was}`, frame), ...headed('+', `${name}: ${is}`, frame)], why, frame);
  if (fits(`${name}: ${was} -> ${is}`, indent, style))
    return withWhy([`${name}: ${was} ${style.paint('change', '->')} ${is}`], why, frame);
  return [
    ...withWhy(headed('', `${name}:`, frame), why, frame),
    ...folded(style.paint('bad', '-'), was, indent + 2, style),
    ...folded(style.paint('good', '+'), is, indent + 2, style),
  ];
}

/** A value that changes in its secret parts alone, on one line; undefined for any other, or where it is not known which. */
export function rotatedWords({ before, after }: Pick<Change, 'before' | 'after'>): string | undefined {
  const old = inlineShown(before);
  return old === inlineShown(unmarked(after)) && after.is !== 'value'
    ? withRotated(old, inlineShown(after))
    : undefined;
}

function folded(sign: string, value: string, indent: number, style: Style): string[] {
  return fold(value, indent + 2, style).map((line, index) => (index === 0 ? `  ${sign} ${line}` : `    ${line}`));
}

function hiddenWords(summary: string): string {
  return `(sensitive; ${printable(summary)})`;
}

/** A text behind a sign, folded where there is no room. */
function headed(sign: '' | keyof typeof tones, text: string, { indent, style }: Frame): string[] {
  const start = sign === '' ? '' : `${sign} `;
  const lines = fits(start + text, indent, style) ? [text] : fold(text, indent + 4, style);
  const painted = sign === '' ? '' : `${style.paint(tones[sign], sign)} `;
  return lines.map((line, at) => (at === 0 ? painted + line : `    ${line}`));
}

const tones = { '+': 'good', '-': 'bad', '~': 'change' } as const;

/** The path, which may have names of any length in it. */
function nameOf({ path }: Sides, style: Style): string {
  return cutLine(printable(path), 0, style);
}

/** Adds the reason behind the last line, or below it where there is no room. */
function withWhy(lines: readonly string[], why: string, { indent, style }: Frame): string[] {
  if (why === '') return [...lines];
  const reason = `(${why})`;
  const last = lines.at(-1) ?? '';
  return fits(`${last} ${reason}`, indent, style)
    ? [...lines.slice(0, -1), `${last} ${style.paint('info', reason)}`]
    : [...lines, ...indented(fold(reason, indent + 4, style), 4).map((part) => style.paint('info', part))];
}

/** What is shown, with its numbers as amounts where their unit is known. */
export function inAmounts({ unit }: { readonly unit?: FieldUnit | undefined }, shown: Shown): Shown {
  const value = valueOf(shown);
  return unit === undefined || value === undefined ? shown : like(shown, inUnits(unit, value));
}

/** The reason for a change, for people; empty where the values say it. */
function causeWords(change: Pick<Change, 'cause' | 'before' | 'after'> & { readonly last: Shown | undefined }): string {
  switch (change.cause) {
    case 'drift':
      return 'drift: changed on the platform, apply puts it back';
    case 'conflict': {
      const { last = change.before, before, after } = change;
      const sides = [last, before, unmarked(after)];
      const words = sides.map((side) => cutLine(inlineShown(side), 0, plainStyle));
      const [was, has, says] = words;
      if (sides.some(isSpread) || new Set(words).size < sides.length)
        return 'conflict: changed here and on the platform, apply writes what the manifest says';
      return `conflict: was ${was}, platform has ${has}, manifest says ${says}; apply writes what the manifest says`;
    }
    case 'first managed':
      return 'first managed';
    case 'ignored':
      return 'ignored by the platform once: written again';
    case 'unproven':
      return 'stored, and the platform answered an error: written again';
    case 'removed':
      return change.last === undefined ? 'on the platform only, not in the manifest' : 'no longer in the manifest';
    case 'create':
    case 'delete':
    case 'edit':
    case 'known after apply':
      return '';
    default:
      return change.cause satisfies never;
  }
}

/** Part of a value, shown as the whole value is. */
function like(shown: Shown, value: Json | undefined): Shown {
  return value === undefined ? { is: 'absent' } : { is: shown.is === 'masked' ? 'masked' : 'value', value };
}

/** Whether a value takes more than a line. */
function isSpread(shown: Shown): boolean {
  const value = valueOf(shown);
  return isLong(value) || isComposite(value);
}

/** Whether there is nothing to compare within. */
function areComposite({ before, after }: Sides): boolean {
  return isComposite(valueOf(before)) && isComposite(valueOf(after));
}

function isText(value: Json | undefined): value is string {
  return typeof value === 'string';
}

export function isComposite(value: Json | undefined): value is Json & object {
  return typeof value === 'object' && value !== null;
}

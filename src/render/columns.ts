import { once } from '../api/once.ts';

/** Colour codes, which take no column. */
// eslint-disable-next-line no-control-regex -- they are what this is about
const colours = /\u001b\[[0-9;]*m/g;

const narrow = /^[\u0020-\u007e]*$/;

/** Characters without a column of their own. */
const weightless = /^[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff]$/u;

/** Characters that take two columns: East Asian ones and emoji. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}\u{16fe0}-\u{18d08}\u{1b000}-\u{1b2ff}\u{1f300}-\u{1f64f}\u{1f900}-\u{1f9ff}\u{20000}-\u{3fffd}]$/u;

const segmenter = once(() => new Intl.Segmenter('en', { granularity: 'grapheme' }));

/** Most UTF-16 units of one character that stays whole. */
const maxCharacter = 64;

/** The offset, or one a little before it, at which a text ends with a whole character: no half emoji, no letter without its accent. */
export function wholeUpTo(text: string, offset: number): number {
  const start = segmenter().segment(text).containing(offset)?.index ?? offset;
  if (offset - start < maxCharacter) return start;
  return /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(offset - 1, offset + 1)) ? offset - 1 : offset;
}

/** The columns that a text takes on a terminal, painted or not; rather one too many than one too few. */
export function columnsOf(text: string): number {
  const bare = text.replaceAll(colours, '');
  if (narrow.test(bare)) return bare.length;
  let columns = 0;
  for (const character of bare) columns += widthOf(character);
  return columns;
}

/** The start of an unpainted text, with an ellipsis where it is cut. */
export function cut(text: string, room: number): string {
  if (columnsOf(text) <= room) return text;
  return room < 1 ? '' : `${startOf(text, room - 1)}…`;
}

/** An unpainted text in two: what fits, at least one character, and what follows. */
export function splitAt(text: string, room: number): [string, string] {
  const start = startOf(text, room) || String.fromCodePoint(text.codePointAt(0) ?? 0);
  return [start, text.slice(start.length)];
}

/** The end of an unpainted text, with an ellipsis where it is cut. */
export function cutStart(text: string, room: number): string {
  if (columnsOf(text) <= room) return text;
  return room < 1 ? '' : `…${endOf(text, room - 1)}`;
}

/** Both ends of an unpainted text, with an ellipsis where the middle is cut. */
export function shortened(text: string, room: number): string {
  if (columnsOf(text) <= room) return text;
  if (room < 1) return '';
  const start = startOf(text, Math.floor((room - 1) / 2));
  return `${start}…${endOf(text, room - 1 - columnsOf(start))}`;
}

/** A text with spaces behind it, up to so many columns. */
export function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - columnsOf(text)));
}

function startOf(text: string, room: number): string {
  let [taken, left] = ['', room];
  for (const character of text) {
    left -= widthOf(character);
    if (left < 0) break;
    taken += character;
  }
  return taken;
}

function endOf(text: string, room: number): string {
  const characters = Array.from(text);
  let [at, left] = [characters.length, room];
  while (at > 0 && left >= widthOf(characters[at - 1] ?? '')) {
    at--;
    left -= widthOf(characters[at] ?? '');
  }
  // An accent without its letter would be drawn over the mark.
  while (weightless.test(characters[at] ?? '')) at++;
  return characters.slice(at).join('');
}

function widthOf(character: string): number {
  if (character === emojiStyle) return 1; // what stands before it becomes as wide as two
  if (weightless.test(character)) return 0;
  return wide.test(character) ? 2 : 1;
}

const emojiStyle = '\uFE0F';

import type { View } from './views.ts';
import { partOf } from './views.ts';

/** A part of a text: the first character, and the one behind the last. */
export type Bounds = readonly [from: number, to: number];

/** Texts that are looked for. */
export interface Known {
  readonly isEmpty: () => boolean;
  readonly add: (text: string) => void;
  /** Adds to `found` where a view holds one of them, by the positions of the original. */
  readonly find: (view: View, found: Bounds[]) => void;
}

/**
 * Makes an empty set of texts that are looked for: as they are; backwards, or with other case or separators, where they
 * stand by themselves; and their beginnings, where a text was cut. `isExact`: only as they are.
 */
export function createKnown({ isExact = false }: { readonly isExact?: boolean } = {}): Known {
  const added = new Set<string>();
  const exact = createIndex(shortest);
  const loose = createIndex(leastLoose);
  /** Those of `loose` that consist of words, which a sentence may hold too. */
  const wordy = new Set<string>();
  const addExact = (text: string) => {
    for (let at = 0; at === 0 || at + longest - 1 < text.length; at += longest - 1) {
      const piece = text.slice(at, at + longest);
      const last = text.length < longest ? piece : text.slice(-longest);
      for (const one of new Set([piece, last])) if (one.length >= shortest) exact.add(one);
    }
  };
  return {
    isEmpty: () => added.size === 0,
    add: (text) => {
      if (added.has(text)) return;
      added.add(text);
      addExact(text);
      // Decoded bytes are one character each.
      const bytes = Buffer.from(text, 'utf8').toString('latin1');
      if (bytes !== text) addExact(bytes);
      // As forms write it.
      if (text.includes(' ')) addExact(bytes.replaceAll(' ', '+'));
      if (isExact) return;
      for (const one of [text, Array.from(text).toReversed().join('')]) {
        const signs = foldedOf(one.slice(0, longest)).text();
        if (signs.length < leastLoose || !/\p{L}/u.test(signs)) continue;
        loose.add(signs);
        if (isWords(text)) wordy.add(signs);
      }
    },
    find: (view, found) => {
      const { text } = view;
      if (text.length < shortest) return;
      for (const at of exact.candidates(codesOf(text), text.length)) {
        const { full, shared, of } = exact.longestAt(text, at);
        const isCut = !isExact && full === 0 && isBeginning({ text, at, of, shared });
        const length = isCut ? shared : full;
        if (length > 0) found.push(partOf(view, at, at + length));
      }
      if (loose.isEmpty()) return;
      const folded = foldedOf(text);
      for (const at of loose.candidates(folded.codes, folded.length)) {
        const signs = folded.text();
        const { full } = loose.longestAt(signs, at);
        if (full === 0) continue;
        const [first, last] = [folded.places[at] ?? 0, folded.places[at + full - 1] ?? 0];
        if (isSign(text, first - 1) || isSign(text, last + 1)) continue;
        const gap = wordy.has(signs.slice(at, at + full)) ? wideForWords : wide;
        if (!gap.test(text.slice(first, last + 1))) found.push(partOf(view, first, last + 1));
      }
    },
  };
}

/** A gap between two signs that a secret was not merely split by. */
const wide = /[^\p{L}\p{N}\p{Surrogate}]{4}/u;

/** The same for a secret of words, which may follow each other in a sentence. */
const wideForWords = /[^\p{L}\p{N}\p{Surrogate}]{4}|[ .,]/u;

/** Least characters of a text that is looked for. */
const shortest = 6;

/** Least letters and digits of one that is found with other case and separators. */
const leastLoose = 8;

/** Least characters of the beginning of one. */
const leastBeginning = 8;

/** Most characters that are compared: longer texts are looked for in pieces. */
const longest = 1_024;

/**
 * Whether a text was cut within a secret, rather than holding words that the secret begins with too: `postgres` is no
 * part of postgres://shop:password@db, nor `production` of production-7f3a.
 */
function isBeginning({ text, at, of, shared }: { text: string; at: number; of: string; shared: number }): boolean {
  if (isSign(text, at - 1) || isSign(text, at + shared)) return false;
  const common = /^(?:[a-z][a-z\d+.-]*:\/\/[^\s/]*\/?|AGE-SECRET-KEY-(?:PQ-)?1)/i.exec(of)?.[0].length ?? 0;
  const told = of.slice(common, shared);
  if (told.length < leastBeginning) return false;
  if (!isWords(told)) return true;
  const isWithinWord = isSign(of, shared) && isSign(of, shared - 1);
  return isWithinWord && /[^\p{L}\p{N}]/u.test(told);
}

/** Whether a text consists of words and small numbers. */
function isWords(text: string): boolean {
  return text.split(/[^\p{L}\p{N}]+/u).every((chunk) => /^(?:\p{Lu}?\p{Ll}{0,11}|\p{Lu}{1,12}|\d{0,4})$/u.test(chunk));
}

function isSign(text: string, at: number): boolean {
  return /^[\p{L}\p{N}]$/u.test(text[at] ?? '');
}

/** Texts by their first characters. */
interface Index {
  readonly isEmpty: () => boolean;
  readonly add: (text: string) => void;
  /** The places where one of them may begin. */
  readonly candidates: (codes: Uint16Array, length: number) => readonly number[];
  /** At a place: the length of the longest text that stands there whole, and of the longest beginning `of` one. */
  readonly longestAt: (text: string, at: number) => { full: number; shared: number; of: string };
}

/** Makes an index by so many characters. A hash of them that rolls over the text finds the candidates. */
function createIndex(window: number): Index {
  const starts = new Map<string, { sorted: boolean; readonly texts: string[]; longest: number }>();
  /** The hashes of all starts; so few slots are taken that a text without secrets has few candidates. */
  let slots = new Uint8Array(leastSlots);
  const slotOf = (hash: number) => Math.imul(hash, spread) >>> (32 - Math.log2(slots.length));
  const mark = (start: string) => {
    let hash = 0;
    for (let at = 0; at < window; at++) hash = (Math.imul(hash, base) + start.charCodeAt(at)) | 0;
    if (starts.size * 64 <= slots.length) {
      slots[slotOf(hash)] = 1;
      return;
    }
    slots = new Uint8Array(slots.length * 4);
    for (const one of starts.keys()) mark(one);
  };
  const leaving = power(window);
  return {
    isEmpty: () => starts.size === 0,
    add: (text) => {
      const start = text.slice(0, window);
      const bucket = starts.get(start) ?? { sorted: false, texts: [], longest: 0 };
      if (bucket.texts.length === 0) {
        starts.set(start, bucket);
        mark(start);
      }
      bucket.texts.push(text);
      bucket.sorted = false;
      bucket.longest = Math.max(bucket.longest, text.length);
    },
    candidates: (codes, length) => {
      if (starts.size === 0 || length < window) return none;
      let found: number[] | undefined;
      const shift = 32 - Math.log2(slots.length);
      let hash = 0;
      for (let at = 0; at < length; at++) {
        hash = (Math.imul(hash, base) + (codes[at] ?? 0)) | 0;
        if (at >= window) hash = (hash - Math.imul(leaving, codes[at - window] ?? 0)) | 0;
        if (at >= window - 1 && slots[Math.imul(hash, spread) >>> shift] === 1) (found ??= []).push(at - window + 1);
      }
      return found ?? none;
    },
    longestAt: (text, at) => {
      const bucket = starts.get(text.slice(at, at + window));
      if (bucket === undefined) return nothing;
      if (!bucket.sorted) bucket.texts.sort(byCode);
      bucket.sorted = true;
      let here = text.slice(at, at + bucket.longest);
      let best = nothing;
      // A text that stands here whole comes before all that it is the beginning of, and after all that are less.
      for (;;) {
        const after = placeOf(bucket.texts, here);
        const [before = '', behind = ''] = [bucket.texts[after - 1], bucket.texts[after]];
        const shared = commonLength(before, here);
        if (best.of === '') {
          const sharedBehind = commonLength(behind, here);
          best =
            sharedBehind > shared ? { full: 0, shared: sharedBehind, of: behind } : { full: 0, shared, of: before };
        }
        if (before !== '' && shared === before.length) return { ...best, full: shared };
        if (shared < window) return best;
        here = here.slice(0, shared);
      }
    },
  };
}

const base = 0x01_00_01_93;
const none: readonly number[] = [];
const nothing = { full: 0, shared: 0, of: '' };

const spread = 0x9e_37_79_b1;
const leastSlots = 1 << 12;

function power(exponent: number): number {
  let result = 1;
  for (let at = 0; at < exponent; at++) result = Math.imul(result, base);
  return result;
}

function byCode(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** How many of the sorted texts are not greater than one. */
function placeOf(sorted: readonly string[], text: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') <= text) low = middle + 1;
    else high = middle;
  }
  return low;
}

function commonLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at++;
  return at;
}

/** Room for one text, which is used again for the next: texts are many and short. */
let [rawCodes, foldedCodes, foldedPlaces] = [new Uint16Array(0), new Uint16Array(0), new Int32Array(0)];

function makeRoom(length: number): void {
  if (rawCodes.length >= length) return;
  [rawCodes, foldedCodes, foldedPlaces] = [
    new Uint16Array(2 * length),
    new Uint16Array(2 * length),
    new Int32Array(2 * length),
  ];
}

function codesOf(text: string): Uint16Array {
  makeRoom(text.length);
  for (let at = 0; at < text.length; at++) rawCodes[at] = text.charCodeAt(at);
  return rawCodes;
}

/** The letters and digits of a text, small, and their places in it. Valid until the next call. */
function foldedOf(text: string) {
  makeRoom(text.length);
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    const sign = folds[code] || foldCode(code);
    if (sign === skipped) continue;
    foldedCodes[length] = sign;
    foldedPlaces[length++] = at;
  }
  let whole: string | undefined;
  return {
    codes: foldedCodes,
    places: foldedPlaces,
    length,
    /** Made when something may stand in it. */
    text: () => (whole ??= Buffer.from(foldedCodes.buffer, 0, 2 * length).toString('utf16le')),
  };
}

const skipped = 1;

/** The small form of each character by its code, once it was needed; 0: not yet. */
const folds = new Uint16Array(0x1_00_00);

function foldCode(code: number): number {
  const sign = String.fromCharCode(code);
  const small = sign.toLowerCase();
  const fold = /^[\p{L}\p{N}\p{Surrogate}]$/u.test(sign) ? (small.length === 1 ? small : sign).charCodeAt(0) : skipped;
  folds[code] = fold;
  return fold;
}

import { closest } from '../diagnostics/closest.ts';
import { type Kind, root } from '../kind/kind.ts';
import { keyMeant, remedyWithoutKey, wordMeant } from '../kind/foreign-words.ts';
import { alternatives, missingBlank } from './problem.ts';

/** Most keys that a remedy lists. */
const maxListed = 12;

/** What is known of the place where an unknown key stands. */
interface Place {
  /** The keys that can stand there, sections included. */
  readonly keys: readonly string[];
  /** The sections among them. */
  readonly sections: ReadonlyMap<string, Kind>;
  /** Where a key can stand instead, such as `below source:`. */
  readonly elsewhere?: (key: string) => string | undefined;
  /** The remedy for a value that the key that was meant does not take; undefined: it takes it. */
  readonly instead?: (meant: string) => string | undefined;
  /** The page with all keys. */
  readonly page?: string;
  /** The key has no value. */
  readonly isEmpty: boolean;
}

/** The remedy for an unknown key: the key that was meant, where it belongs, or the keys that there are. */
export function remedyForKey(key: string, place: Place): string {
  const blank = missingBlank(key, place.isEmpty);
  if (blank !== undefined && !/\s/.test(key)) return blank;
  // A word of other tools for a key that stands here counts more than a section of another place.
  const elsewhere = keyMeant(key, place.keys) === undefined ? place.elsewhere?.(key) : undefined;
  if (elsewhere !== undefined) return elsewhere;
  const guess = guessKey(key, place);
  if (guess === undefined) return blank ?? remedyWithoutKey(key) ?? listed(place);
  return place.instead?.(guess) ?? `Did you mean ${guess}?`;
}

/** The key that was probably meant. */
export function guessKey(key: string, { keys, sections }: Pick<Place, 'keys' | 'sections'>): string | undefined {
  const lower = key.toLowerCase();
  const section = [...sections].find(([, { alsoCalled = [] }]) => alsoCalled.includes(lower))?.[0];
  return section ?? wordMeant(key, keys) ?? closest(key, keys) ?? keyMeant(key, keys);
}

function listed({ keys, page }: Place): string {
  const sorted = keys.toSorted();
  if (sorted.length <= maxListed + 1) return `It takes ${sorted.join(', ')}.`;
  const more = `${sorted.length - maxListed} more${page === undefined ? '' : `: ${page}`}`;
  return `It takes ${sorted.slice(0, maxListed).join(', ')} and ${more}.`;
}

/** The remedy for a section that belongs into a block of another one. */
export function placeOfSection(section: string, kinds: readonly Kind[]): string | undefined {
  const kind = kinds.find((item) => item.section === section);
  const above = Object.keys(kind?.parents ?? {});
  const parents = kinds.filter((item) => above.includes(item.kind));
  const [first] = parents;
  if (first === undefined) return above.includes(root) ? `Write ${section}: at the top of the file.` : undefined;
  const places = parents.map((item) => `${item.section}:`);
  return `Write it inside of a block of ${alternatives(places)}, as ${first.section}: { name: { ${section}: … } }.`;
}

/** The page of a kind, as the docs name it. */
export function pageOf({ kind }: Pick<Kind, 'kind'>): string {
  return `docs/kinds/${kind.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.md`;
}

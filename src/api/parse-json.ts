/** Most objects and lists in one text of JSON: an empty one takes two bytes of the text, and 60 of the memory. */
const maxParts = 2_000_000;

/** JSON that is not parsed. */
export class TooManyParts extends Error {
  constructor() {
    super(`has more than ${maxParts} objects and lists`);
  }
}

/**
 * Parses JSON of another machine.
 *
 * @throws {SyntaxError} @throws {TooManyParts} where it has so many objects and lists that they could fill the memory
 */
export function parseJson(text: string): unknown {
  if (text.length > 2 * maxParts) {
    let parts = 0;
    for (let at = 0; at < text.length; at++) {
      const character = text.charCodeAt(at);
      if (character === 0x5b || character === 0x7b) parts++;
    }
    if (parts > maxParts) throw new TooManyParts();
  }
  return JSON.parse(text) as unknown;
}

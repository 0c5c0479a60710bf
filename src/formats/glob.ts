/**
 * Makes the function that tells whether a text matches a pattern, in which each `*` stands for any characters, also none. It
 * takes time in proportion to the text, however many `*` there are.
 */
export function globMatcher(pattern: string): (text: string) => boolean {
  const [first = '', ...others] = pattern.split('*');
  const last = others.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    if (!text.startsWith(first)) return false;
    let at = first.length;
    for (const piece of others) {
      // The earliest place leaves the most for the pieces after it.
      const found = text.indexOf(piece, at);
      if (found === -1) return false;
      at = found + piece.length;
    }
    return at + last.length <= text.length && text.endsWith(last);
  };
}

/** Tells whether a text matches a pattern with `*`. */
export function matchesGlob(pattern: string, text: string): boolean {
  return globMatcher(pattern)(text);
}

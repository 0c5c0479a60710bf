/** The passwords of the addresses in a text, or the user where one stands alone. */
export function passwordsIn(text: string): readonly string[] {
  const patterns = [/:\/\/(?:[^\s/:@]*:)?([^\s/?#]+)@/g, /[?&]password=([^\s&#]+)/g];
  const found = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, password = '']) => password));
  return [...found, ...found.map(decoded)];
}

/** A text without percent-encoding; as it is where that is wrong. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

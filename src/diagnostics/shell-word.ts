/** A word as a shell takes it. */
export function shellWord(word: string): string {
  if (/^[\w./@%+-][\w./@%+:,=-]*$/.test(word)) return word;
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

export type Part = readonly [from: number, to: number];

/** Adds a part behind others. Two that overlap become one: a rest of either would show part of a secret. */
export function addPart(parts: Part[], [from, to]: Part): void {
  const last = parts.at(-1);
  if (last === undefined || from >= last[1]) parts.push([from, to]);
  else parts[parts.length - 1] = [last[0], Math.max(last[1], to)];
}

/** A text with another one in place of each part. */
export function replaceParts(text: string, parts: readonly Part[], shown: (part: string) => string): string {
  let replaced = '';
  let at = 0;
  for (const [from, to] of parts) {
    replaced += text.slice(at, from) + shown(text.slice(from, to));
    at = to;
  }
  return replaced + text.slice(at);
}

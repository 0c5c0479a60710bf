/** A name with what is assigned to it: a text in quotes, which may have several lines, or what stands before a `#`. */
const assignment =
  /^\s*(?:export\s+)?([\w.-]+)(?:\s*=|:\s)(\s*(['"`])(?:\\\3|(?!\3)[^])*\3(?=[^\S\n]*(?:#.*)?$)|[^#\n]*)/gm;

/** The variables of a text, as the platform reads them: a line that assigns nothing is left out, and the last one of a name counts. */
export function readVariables(text: string): Record<string, string> {
  const found = [...text.replaceAll(/\r\n?/g, '\n').matchAll(assignment)];
  return Object.fromEntries(found.map(([, name = '', written = '']) => [name, valueOf(written.trim())]));
}

function valueOf(written: string): string {
  const [, , inner = written] = /^(['"`])([^]*)\1$/.exec(written) ?? [];
  const isExpanded = written.startsWith('"');
  return isExpanded ? inner.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\r`, '\r') : inner;
}

import { isRow } from '../kind/json.ts';

/** Most members of one object in a part: of records, some hundred kilobytes. */
const mostMembers = 500;

/**
 * The text of `JSON.stringify`, in parts where a member of the content is a large object. The text of a large state in one
 * piece would be in memory several times: as it is made, for its MAC, and for its file.
 */
export function jsonParts(content: object, indent = 0): string[] {
  const entries = Object.entries(content);
  const at = entries.findIndex(([, value]) => isRow(value) && Object.keys(value).length > mostMembers);
  const [name, large] = entries[at] ?? [];
  if (name === undefined) return [JSON.stringify(content, null, indent)];
  const line = (depth: number) => (indent === 0 ? '' : `\n${' '.repeat(indent * depth)}`);
  const open = `{${line(1)}${JSON.stringify(name)}:${indent === 0 ? '' : ' '}{${line(2)}`;
  const close = `${line(1)}}${line(0)}}`;
  const members = Object.entries(large as object);
  const parts: string[] = [];
  for (let from = 0; from < members.length; from += mostMembers) {
    const isFirst = from === 0;
    const isLast = from + mostMembers >= members.length;
    const some = Object.fromEntries([
      ...(isFirst ? entries.slice(0, at) : []),
      [name, Object.fromEntries(members.slice(from, from + mostMembers))],
      ...(isLast ? entries.slice(at + 1) : []),
    ]);
    const text = JSON.stringify(some, null, indent);
    const own = text.slice(isFirst ? 0 : open.length, isLast ? undefined : -close.length);
    parts.push(isFirst ? own : `,${line(2)}${own}`);
  }
  return parts;
}

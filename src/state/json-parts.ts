import { isRow } from '../formats/json.ts';

/** Most members of one object in a part: of records, some hundred kilobytes. */
const maxMembers = 500;

/** What stands before a member of the content, before one of an object in it, behind a name, and before each end. */
const layouts = {
  /** As `JSON.stringify` writes it. */
  dense: { outer: '', inner: '', colon: ':', ends: ['', ''] },
  /** Each record on a line of its own, for people and for git: a third shorter than with all members on lines of their own. */
  lines: { outer: '\n ', inner: '\n  ', colon: ': ', ends: ['\n ', '\n'] },
} as const;

/** A layout of a JSON text. */
export type Layout = keyof typeof layouts;

/**
 * The text of a content as JSON, in parts where a member of it is a large object. The text of a large state in one piece
 * would be in memory several times: as it is made, for its MAC, and for its file.
 */
export function jsonParts(content: object, layout: Layout = 'dense'): string[] {
  const {
    outer,
    inner,
    colon,
    ends: [innerEnd, outerEnd],
  } = layouts[layout];
  const parts: string[] = [];
  let part = '{';
  for (const [place, [name, value]] of membersOf(content).entries()) {
    part += `${place === 0 ? '' : ','}${outer}${JSON.stringify(name)}${colon}`;
    const members = isRow(value) ? membersOf(value) : [];
    if (members.length === 0) {
      part += JSON.stringify(value);
      continue;
    }
    for (let from = 0; from < members.length; from += maxMembers) {
      if (from > 0) parts.push(part);
      const texts = members
        .slice(from, from + maxMembers)
        .map(([key, one]) => `${inner}${JSON.stringify(key)}${colon}${JSON.stringify(one)}`);
      part = `${from > 0 ? ',' : `${part}{`}${texts.join(',')}`;
    }
    part += `${innerEnd}}`;
  }
  return [...parts, `${part}${outerEnd}}`];
}

/** The members that JSON has. */
function membersOf(content: object): [string, unknown][] {
  return Object.entries(content).filter(([, value]) => value !== undefined);
}

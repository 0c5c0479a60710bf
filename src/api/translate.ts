import { type Vocabulary, document, freeMembers } from './vocabulary.ts';

/** The words of a platform, at the edge of a client or an emulator. */
export interface Names {
  /** The platform's word for an operation: `application.saveGithubProvider` gives `application.saveHubgitProvider`. Never throws. */
  readonly operation: (name: string) => string;
  /** The platform's word for a member. Never throws. */
  readonly member: (name: string) => string;
  /** The platform's word for a value of a member. Never throws. */
  readonly value: (member: string, value: string) => string;
  /**
   * An input or an answer in the words of the other side: members, and values of the members that hold them, wherever rows
   * of the platform stand in it; what users wrote stays as it is. It works both ways, because each word of one side takes
   * the place of that of the other: a word of the wrong side names nothing on either. Gives the same object where nothing
   * changes, and changes none. Linear in its size. Never throws.
   *
   * @param member the member that has the same values, when the whole is a value
   */
  readonly data: (data: unknown, member?: string) => unknown;
  /** The platform's words in a text of Trueup about operations. Never throws. */
  readonly text: (text: string) => string;
}

/** The words of a platform, ready for use. Never throws. */
export function namesOf({ groups, operations, members, values }: Vocabulary): Names {
  const theirs = {
    groups: new Map(Object.entries(groups)),
    operations: new Map(Object.entries(operations)),
    members: new Map(Object.entries(members)),
    values: new Map(Object.entries(values).map(([member, words]) => [member, new Map(Object.entries(words))])),
  };
  const everyWord = new Map(
    [groups, operations, members, ...Object.values(values)].flatMap((words) => Object.entries(words)),
  );

  return {
    operation: (name) => {
      const [group = '', ...rest] = name.split('.');
      const own = rest.join('.');
      return rest.length === 0 ? name : `${theirs.groups.get(group) ?? group}.${theirs.operations.get(own) ?? own}`;
    },
    member: (name) => theirs.members.get(name) ?? name,
    value: (member, value) => theirs.values.get(member)?.get(value) ?? value,
    data: translator({ members, values }, (words) => [...Object.entries(words), ...backwards(words)]),
    text: (text) => text.replaceAll(/\b[A-Za-z]\w*\b/g, (word) => everyWord.get(word) ?? word),
  };
}

/** Gives data in the words of the API document those of Trueup; all other data stays the same object. Never throws. */
export const fromDocument: Names['data'] = translator(document, backwards);

function backwards(words: Readonly<Record<string, string>>): (readonly [string, string])[] {
  return Object.entries(words).map(([ours, theirs]) => [theirs, ours] as const);
}

/** Rows of the platform nest less than ten levels deep: what is below this is none, and stays as it is. */
const maxDepth = 100;

/** Translates data by pairs of words. */
function translator(
  { members, values }: Pick<Vocabulary, 'members' | 'values'>,
  pairs: (words: Readonly<Record<string, string>>) => readonly (readonly [string, string])[],
): Names['data'] {
  const memberNames: ReadonlyMap<string, string> = new Map(pairs(members));
  const valuesOf = new Map(Object.entries(values).map(([member, words]) => [member, new Map(pairs(words))]));

  function translated(data: unknown, depth: number): unknown {
    if (typeof data !== 'object' || data === null || depth > maxDepth) return data;
    return Array.isArray(data)
      ? translatedList(data, depth)
      : translatedRow(data as Readonly<Record<string, unknown>>, depth);
  }

  function translatedList(list: readonly unknown[], depth: number): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index++) {
      const now = translated(list[index], depth + 1);
      if (copy === undefined && now === list[index]) continue;
      copy ??= list.slice(0, index);
      copy.push(now);
    }
    return copy ?? list;
  }

  function translatedRow(row: Readonly<Record<string, unknown>>, depth: number): Readonly<Record<string, unknown>> {
    const keys = Object.keys(row);
    let entries: [string, unknown][] | undefined;
    for (let index = 0; index < keys.length; index++) {
      const key = keys[index] ?? '';
      const before = row[key];
      const name = memberNames.get(key) ?? key;
      const now = translatedMember(key, before, depth + 1);
      if (entries === undefined && name === key && now === before) continue;
      entries ??= keys.slice(0, index).map((earlier) => [earlier, row[earlier]]);
      entries.push([name, now]);
    }
    return entries === undefined ? row : Object.fromEntries(entries);
  }

  function translatedMember(key: string, value: unknown, depth: number): unknown {
    if (typeof value === 'string') return valuesOf.get(key)?.get(value) ?? value;
    return typeof value !== 'object' || value === null || freeMembers.has(key) ? value : translated(value, depth);
  }

  return (data, member = '') => translatedMember(member, data, 0);
}

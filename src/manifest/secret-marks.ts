import { anyMark, secretMarks } from '../formats/secret-mark.ts';
import type { Resource } from './resource.ts';
import { type Concealed, concealedIn, knownTexts, writtenName } from './wanted.ts';

/** Characters that stand for secrets in the texts that checks read: they compute on none of the values. */
export interface Marks {
  /** The mark of a secret: one character, the same wherever it is named with the same encoding. */
  readonly of: (secret: Pick<Concealed, 'from' | 'name' | 'encoding'>) => string | undefined;
  /** The number of marks in a text, or of characters that could be one. */
  readonly countIn: (text: string) => number;
  /** A text with the expressions of secrets in place of their marks. */
  readonly asWritten: (text: string) => string;
}

/** Marks for the secrets in the fields of resources, whose texts have none of the characters. */
export function marksOf(resources: readonly Resource[]): Marks {
  const fields = resources.flatMap((resource) => Object.values(resource.fields));
  const texts = fields.filter((wanted) => concealedIn(wanted).length > 0).flatMap(knownTexts);
  const taken = new Set(texts.flatMap((text) => text.match(anyMark) ?? []));
  const [marks, names] = [new Map<string, string>(), new Map<string, string>()];
  let next = secretMarks.first.charCodeAt(0);
  return {
    of: (secret) => {
      const name = `${secret.from}:${writtenName(secret)}`;
      const known = marks.get(name);
      if (known !== undefined) return known;
      while (taken.has(String.fromCharCode(next))) next++;
      if (next > secretMarks.last.charCodeAt(0)) return undefined; // too many: their texts are not checked
      const mark = String.fromCharCode(next++);
      marks.set(name, mark);
      names.set(mark, name);
      return mark;
    },
    countIn: (text) => text.match(anyMark)?.length ?? 0,
    asWritten: (text) =>
      text.replaceAll(anyMark, (mark) => {
        const name = names.get(mark);
        return name === undefined ? mark : `\${${name}}`;
      }),
  };
}

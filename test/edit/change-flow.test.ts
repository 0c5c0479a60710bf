import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { editYaml } from '../../src/edit/edit-yaml.ts';
import { plainly } from '../../src/edit/write-yaml.ts';
import type { Json } from '../../src/formats/json.ts';
import { effort } from '../support/whole.ts';

/** Braces and brackets over several lines, with comments, in which entries come, go and change. */

/** What stands before an entry: a blank, a line break, or a line with a comment. */
type Lead = 'blank' | 'line' | 'comment';

interface Shape {
  readonly isMap: boolean;
  readonly isCommented: boolean;
  readonly entries: readonly { readonly value: Shape | null; readonly lead: Lead; readonly isCommented: boolean }[];
  readonly close: Lead;
}

const lead = fc.constantFrom<Lead>('blank', 'line', 'line', 'comment');
const shape = fc.letrec<{ any: Shape }>((tie) => ({
  any: fc.record({
    isMap: fc.boolean(),
    isCommented: fc.boolean(),
    entries: fc.array(fc.record({ value: fc.option(tie('any'), { maxDepth: 2 }), lead, isCommented: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    }),
    close: lead,
  }),
})).any;

interface Range {
  readonly from: number;
  readonly to: number;
}

const style = fc.record({ hasComma: fc.boolean(), end: fc.constantFrom('\n', '\r\n') });

/** Braces or brackets as they are written. */
interface Written {
  /** Keys and numbers, outermost first. */
  readonly path: readonly string[];
  readonly isMap: boolean;
  readonly open: number;
  readonly close: number;
  readonly entries: readonly (Range & { readonly key: string; readonly leaf: string | undefined })[];
}

/** A text with a value of this shape below `top`. */
function writeText(shown: Shape, { hasComma, end }: { readonly hasComma: boolean; readonly end: string }) {
  let text = '';
  let id = 0;
  const all: Written[] = [];
  const put = (more: string) => {
    text += more.replaceAll('\n', end);
  };
  const gap = (before: Lead, isCommented: boolean, depth: number) => {
    const line = `\n${'  '.repeat(depth)}`;
    if (isCommented) put(` # c${++id}`);
    put(
      before === 'blank' && !isCommented
        ? ' '
        : before === 'comment'
          ? `\n${'  '.repeat(Math.max(depth, 1))}# c${++id}${line}`
          : line,
    );
  };
  const write = ({ isMap, isCommented, entries, close }: Shape, path: readonly string[]): void => {
    put(isMap ? '{' : '[');
    const open = text.length;
    gap(entries[0]?.lead ?? close, isCommented, path.length);
    const written = entries.map((entry, at) => {
      const from = text.length;
      const key = isMap ? `k${++id}` : String(at);
      const leaf = entry.value === null ? `v${++id}` : undefined;
      put(isMap ? `${key}: ` : '');
      if (entry.value === null) put(leaf ?? '');
      else write(entry.value, [...path, key]);
      const to = text.length;
      const next = entries[at + 1];
      put(next !== undefined || hasComma ? ',' : '');
      gap(next?.lead ?? close, entry.isCommented, next === undefined ? path.length - 1 : path.length);
      return { from, to, key, leaf };
    });
    all.push({ path, isMap, open, close: text.length, entries: written });
    put(isMap ? '}' : ']');
  };
  put('first: 1 # one\ntop: ');
  write(shown, ['top']);
  put(' # end\n# after\nlast: [ 3 ]\n');
  return { text, all };
}

/** The text after the value at a path is another one; undefined: it goes. Below a number, the whole list is given. */
function edited(text: string, path: readonly string[], value: Json | undefined): string {
  const number = path.findIndex((key) => /^\d/.test(key));
  const keys = number === -1 ? path : path.slice(0, number);
  const next = number === -1 ? value : valueAt(withValue(parse(text) as Json, path, value), keys);
  return editYaml('f', text, [{ path: keys, value: next === undefined ? undefined : plainly(next) }]);
}

function valueAt(node: Json, path: readonly string[]): Json {
  return path.reduce((value, key) => (value as Record<string, Json>)[key] ?? null, node);
}

/** A value with another one at a path; undefined: without it. */
function withValue(node: Json, [key = '', ...rest]: readonly string[], value: Json | undefined): Json {
  const entries = Object.entries(node as Record<string, Json>).flatMap(([name, one]): [string, Json][] => {
    if (name !== key) return [[name, one]];
    if (rest.length > 0) return [[name, withValue(one, rest, value)]];
    return value === undefined ? [] : [[name, value]];
  });
  return Array.isArray(node) ? entries.map(([, one]) => one) : Object.fromEntries(entries);
}

/** Each comment with the word before it on its line, else with its line and the word below. */
function beside(text: string): Readonly<Record<string, string>> {
  const words = (part: string) => part.replaceAll(/#.*/g, '').match(/\w+|[[\]{}]/g) ?? [];
  const places = [...text.matchAll(/# c\d+/g)].map(({ 0: comment, index }): [string, string] => {
    const line = text.slice(text.lastIndexOf('\n', index) + 1, index);
    return [comment, words(line).at(-1) ?? `${line}above ${words(text.slice(index))[0]}`];
  });
  return Object.fromEntries(places);
}

/** A text in which parts are blank. */
function without(text: string, parts: readonly Range[]): string {
  return parts.reduce(
    (rest, { from, to }) => rest.slice(0, from) + rest.slice(from, to).replaceAll(/[^\r\n]/g, ' ') + rest.slice(to),
    text,
  );
}

/** The comments that go with entries: they stand at the end of a line on which no entry stays. */
function commentsOf({ entries }: Written, leaving: ReadonlySet<number>, text: string): Range[] {
  return entries.flatMap(({ to }, at) => {
    const comment = /^,? # c\d+/.exec(text.slice(to))?.[0] ?? '';
    const stays = entries.slice(0, at).findLast((_, index) => !leaving.has(index));
    const isShared = stays !== undefined && !text.slice(stays.to, to).includes('\n');
    return leaving.has(at) && !isShared ? [{ from: to, to: to + comment.length }] : [];
  });
}

const change = fc.record({
  node: fc.nat(),
  at: fc.nat(),
  leaves: fc.integer({ min: 0, max: 2 }),
  coming: fc.constantFrom<[string, Json][]>(
    [],
    [['new', 'fresh']],
    [
      ['new', 'fresh'],
      ['new2', 'fresh2'],
    ],
  ),
});
const fresh = /(?:new2?: )?fresh2?/g;
const bare = (text: string) => text.replaceAll(/[\s,]/g, '');

test('a comment stays beside its entry when others come and go, in braces and brackets', () => {
  const made = { removals: 0, insertions: 0, exchanges: 0 };
  fc.assert(
    fc.property(shape, style, change, (shown, how, { node, at, leaves, coming }) => {
      const { text, all } = writeText(shown, how);
      const chosen = all[node % all.length];
      const { path = [], isMap = false, open = 0, close = 0, entries = [] } = chosen ?? {};
      const first = at % entries.length;
      const leaving = new Set([...entries.keys()].slice(first, first + leaves));
      const isEmptied = leaving.size === entries.length;
      // A list in which some items come where others go gets other values in their places; an empty value is written as a whole.
      if (leaves + coming.length === 0 || (leaves > 0 && coming.length > 0 && !isMap)) return;
      if (isEmptied && (entries.length > 1 || coming.length > 0 || !isMap || path.some((key) => /^\d/.test(key))))
        return;
      const goal = Object.entries(valueAt(parse(text) as Json, path) as Record<string, Json>).flatMap(
        (entry, index) => [...(index === first ? coming : []), ...(leaving.has(index) ? [] : [entry])],
      );
      const value = isMap ? Object.fromEntries(goal) : goal.map(([, one]) => one);
      const next = isEmptied ? edited(text, [...path, entries[0]?.key ?? ''], undefined) : edited(text, path, value);
      const both = `${text}---\n${next}`;
      expect(parse(next), both).toEqual(withValue(parse(text) as Json, path, value));
      const gone = [
        ...entries.filter((_, index) => leaving.has(index)),
        ...(chosen ? commentsOf(chosen, leaving, text) : []),
      ];
      const rest = without(text, gone);
      expect(bare(next.replaceAll(fresh, '')), both).toBe(bare(rest));
      expect(beside(leaves > 0 ? next.replaceAll(fresh, '') : next), both).toEqual(beside(rest));
      expect(next.startsWith(text.slice(0, entries[first - 1]?.to ?? open)), both).toBe(true);
      expect(next.endsWith(text.slice(entries[first + leaves]?.from ?? close)), both).toBe(true);
      if (!how.hasComma) expect(next, both).not.toMatch(/,\s*(?:#.*\s+)*[\]}]/);
      expect(next.replaceAll(how.end, ''), both).not.toMatch(/[\r\n]/);
      made[leaves === 0 ? 'insertions' : coming.length === 0 ? 'removals' : 'exchanges'] += 1;
    }),
    { numRuns: effort({ fast: 200, full: 2_000 }) },
  );
  expect(Object.values(made).every((count) => count > 0)).toBe(true);
});

test('a value in braces or brackets changes, and no other byte', () => {
  let made = 0;
  fc.assert(
    fc.property(shape, style, fc.nat(), (shown, how, at) => {
      const { text, all } = writeText(shown, how);
      const leaves = all.flatMap(({ path, entries }) =>
        entries.flatMap(({ key, to, leaf }) => (leaf === undefined ? [] : [{ path: [...path, key], to, leaf }])),
      );
      const chosen = leaves[at % leaves.length];
      if (chosen === undefined) return;
      const { path, to, leaf } = chosen;
      expect(edited(text, path, 'new')).toBe(`${text.slice(0, to - leaf.length)}new${text.slice(to)}`);
      made += 1;
    }),
    { numRuns: effort({ fast: 100, full: 500 }) },
  );
  expect(made).toBeGreaterThan(50);
});

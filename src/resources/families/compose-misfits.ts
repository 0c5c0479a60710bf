import { ofCompose } from '../../compose/compose-shape.ts';
import type { ComposeModel } from '../../compose/model.ts';
import { type Misfit, misfitsIn } from '../../compose/shape.ts';
import { someOf } from '../../diagnostics/some-of.ts';
import { type Json, isObject } from '../../formats/json.ts';
import type { CheckedResource, Problem } from '../../kind/checks.ts';
import { groupBy } from '../../kind/group.ts';
import { inFile, mayShow } from './compose-model.ts';

/** What to write in place of members that a stack does not have. */
const instead: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:cpus|mem_limit|mem_reservation|pids_limit|cpu_.*|memswap_limit)$/,
    'Write deploy: { resources: { limits: … } }.',
  ],
  [/^scale$/, 'Write deploy: { replicas: … }.'],
  [/^profiles$/, 'Remove it: a stack starts all of its services.'],
  [/^extends$/, 'Write what it brings into the service itself.'],
  [/^content$/, 'Write file: ../files/NAME, and the content under files: { NAME: { content: … } }.'],
  [/^host_ip$/, 'Remove it: a stack publishes on all addresses.'],
];

function inPlaceOf(key: string): string {
  return instead.find(([pattern]) => pattern.test(key))?.[1] ?? 'Remove it.';
}

/** What compose refuses in its file; what a variable leaves of a text, `others` may have. */
export function fitsCompose(
  self: CheckedResource,
  { content }: ComposeModel,
  others: readonly Problem[],
): readonly Problem[] {
  // What a tag takes away is not refused.
  const isTagged = /!(?:reset|override)\b/.test(String(self.values.composeFile));
  if (self.values.composeType === 'stack' || isTagged) return [];
  const known = new Set(others.flatMap(({ fails, path }) => (fails === true ? [path?.join('.')] : [])));
  return refusedMembers(
    self,
    misfitsIn(content, ofCompose).filter(({ at }) => !known.has(at.join('.'))),
    'compose',
  );
}

/** What is refused in a compose file; of what several services have alike there is one. */
export function refusedMembers(
  self: CheckedResource,
  misfits: readonly Misfit[],
  who: 'a stack' | 'compose',
): readonly Problem[] {
  const alike = groupBy(misfits.map((one) => [`${placeIn(one).join('.')} ${one.is?.join(' ')}`, one] as const));
  return [...alike.values()].flatMap((all): Problem[] => {
    const [first] = all;
    if (first === undefined) return [];
    const { at, value, is, meant } = first;
    const key = at.at(-1) ?? '';
    const path = withIndexes(at);
    const where = ofServices(self.shown(placeIn(first).join('.')), all);
    const [message, remedy] =
      is === undefined
        ? [`${who} refuses ${where}`, meant === undefined ? inPlaceOf(key) : `Did you mean ${meant}?`]
        : is[0] === 'once'
          ? [`${who} refuses ${where}: it is listed twice`, 'Remove one of the two.']
          : [`${who} refuses ${where}: it must be ${wordsOf(is)}`, formOf(key, value, is, mayShow(self, path))];
    return [inFile(self, { code: 'refused-setting', fails: true, path, message, remedy })];
  });
}

/** The place of a value in its service, or in the file. */
function placeIn({ at }: Misfit): readonly string[] {
  return at[0] === 'services' && at.length > 2 ? at.slice(2) : at;
}

function ofServices(place: string, all: readonly Misfit[]): string {
  const names = all.flatMap(({ at: [section, name = ''], at }) =>
    section === 'services' && at.length > 2 ? [name] : [],
  );
  return names.length === 0 ? place : `${place} of ${someOf(names)}`;
}

const words: Readonly<Record<string, string>> = {
  text: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  list: 'a list',
  map: 'a map',
  null: 'empty',
};

/** Forms of texts; those that are left out are one of the words above, in quotes. */
const forms: Readonly<Record<string, string>> = {
  amount: 'an amount such as 512m',
  duration: 'a duration such as 30s',
  address: 'an address such as 127.0.0.1',
  port: 'a port such as 8080:80',
  volume: 'a volume such as data:/data',
  policy: 'always, missing, never, build, daily, weekly or a time such as every_12h',
};

function wordsOf(is: readonly string[]): string {
  const form = is.find((word) => word in forms);
  if (form !== undefined) return forms[form] ?? form;
  const all = is.flatMap((word) => (word.includes('|') ? word.split('|') : (words[word] ?? [])));
  return all.join(' or ');
}

function formOf(key: string, value: Json, is: readonly string[], isShown: boolean): string {
  const isPlain = is.every((word) => word in words);
  if (value === null) return `Remove ${key}:, or write what it has.`;
  if (typeof value !== 'object' && typeof value !== 'string' && is.includes('text'))
    return isShown ? `Write it in quotes: "${String(value)}".` : 'Write it in quotes.';
  if (isPlain && typeof value === 'string' && is.some((word) => word !== 'list' && word !== 'map'))
    return 'Write it without quotes.';
  if (key === 'depends_on' && isObject(value))
    return 'Write the names in a list, or remove it: a stack starts all services at once.';
  return `Write ${wordsOf(is)}.`;
}

/** A path whose numbers are indexes: no key of a compose file is one where a list may stand. */
function withIndexes(path: readonly string[]): (string | number)[] {
  return path.map((part) => (/^\d+$/.test(part) ? Number(part) : part));
}

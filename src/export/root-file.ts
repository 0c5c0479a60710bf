import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { usage } from '../diagnostics/usage.ts';
import { matchesGlob } from '../manifest/glob.ts';
import type { Settings } from '../manifest/settings.ts';
import type { Entry } from './yaml.ts';
import { plainly, renderEntries } from './yaml.ts';

/** The settings of a new manifest, as text. */
export function rootText(about: {
  readonly platform: Settings['platform'];
  readonly project: string;
  readonly include?: readonly string[];
  readonly secrets?: SecretFile | undefined;
}): string {
  const { platform, project, include = [], secrets } = about;
  const entries: Entry[] = [
    { key: 'trueup', value: plainly(1) },
    { key: 'platform', value: plainly(platform === 'emulator' ? platform : { url: platform.url }) },
    { key: 'project', value: plainly(project) },
  ];
  if (include.length > 0) entries.push({ key: 'include', value: plainly(include) });
  if (secrets !== undefined) entries.push({ key: 'secrets', value: plainly([{ [secrets.is]: secrets.path }]) });
  return renderEntries(entries);
}

/** A file of secrets that a manifest names. */
export interface SecretFile {
  readonly is: 'file' | 'age';
  readonly path: string;
}

/** Patterns for files: those of one folder become one pattern. */
export function patternsFor(files: readonly string[]): string[] {
  const patterns = files.map((file) => (file.includes('/') ? `${file.slice(0, file.lastIndexOf('/'))}/*.yaml` : file));
  return [...new Set(patterns)].toSorted();
}

/**
 * The text of a manifest that includes more files. Everything else stays byte for byte.
 *
 * @throws {Stop} `usage`, when the text is in a form that no line can be added to.
 */
export function withIncludes(text: string, files: readonly string[], secrets?: SecretFile): string {
  const document = parseDocument(text, { logLevel: 'silent', schema: 'core' });
  const { contents } = document;
  if (!isMap(contents) || contents.flow === true) throw cannotAdd(files);
  const list = contents.get('include', true);
  const present = isSeq(list) ? list.items.flatMap((item) => (isScalar(item) ? [String(item.value)] : [])) : [];
  const missing = files.filter((file) => !present.some((pattern) => isNamed(file, pattern)));
  let next = text;
  if (missing.length > 0) {
    const patterns = isSeq(list) ? missing : patternsFor(missing);
    next =
      isSeq(list) && list.items.length > 0
        ? insertItems(text, list, patterns, files)
        : appended(text, { include: patterns });
    if (isSeq(list) && list.items.length === 0) throw cannotAdd(files);
  }
  if (secrets !== undefined && !contents.has('secrets'))
    next = appended(next, { secrets: [{ [secrets.is]: secrets.path }] });
  return next;
}

function isNamed(file: string, pattern: string): boolean {
  const at = pattern.lastIndexOf('/') + 1;
  const [folder, last] = [pattern.slice(0, at).replace(/^\.\//, ''), pattern.slice(at)];
  const own = file.lastIndexOf('/') + 1;
  return file.slice(0, own) === folder && matchesGlob(last, file.slice(own));
}

function appended(
  text: string,
  value: Readonly<Record<string, readonly string[] | readonly { readonly [key: string]: string }[]>>,
): string {
  const lines = renderEntries(Object.entries(value).map(([key, item]) => ({ key, value: plainly(item) })));
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${lines}`;
}

function insertItems(
  text: string,
  list: { readonly flow?: boolean; readonly items: readonly unknown[]; readonly range?: readonly number[] | null },
  items: readonly string[],
  files: readonly string[],
): string {
  const last = list.items.at(-1);
  const end = isScalar(last) ? last.range?.[1] : undefined;
  if (end === undefined) throw cannotAdd(files);
  const written = items.map((item) => JSON.stringify(item));
  if (list.flow === true) return `${text.slice(0, end)}, ${written.join(', ')}${text.slice(end)}`;
  const start = text.lastIndexOf('\n', (list.range?.[0] ?? 0) - 1) + 1;
  const indent = /^[ ]*/.exec(text.slice(start))?.[0] ?? '';
  const at = text.indexOf('\n', end);
  const [before, after] = at === -1 ? [`${text}\n`, ''] : [text.slice(0, at + 1), text.slice(at + 1)];
  return before + written.map((item) => `${indent}- ${item}\n`).join('') + after;
}

function cannotAdd(files: readonly string[]) {
  return usage(
    'include: of the manifest is in a form that no line can be added to',
    `Write include: as a list, one entry a line, with ${files.join(', ')}.`,
  );
}

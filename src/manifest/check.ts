import type { Diagnostic, Position } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import { plain } from '../kind/codecs.ts';
import type { Json } from '../kind/json.ts';
import { groupBy } from '../kind/group.ts';
import { canonical } from '../kind/json.ts';
import type { CheckedResource, Problem } from '../kind/checks.ts';
import type { Kind } from '../kind/kind.ts';
import { fieldPath, keyDefault } from '../kind/wire.ts';
import { portsTakenTwice } from './published-ports.ts';
import type { Resource } from './resource.ts';
import { keyPaths } from './resource.ts';
import { explainSyntax } from './syntax.ts';
import type { Place } from './tree.ts';
import { position } from './tree.ts';
import { knownValue } from './wanted.ts';
import type { Workspace } from './workspace.ts';

/** Runs the kinds' own checks over everything that is known before any request. */
export function checkResources(
  resources: readonly Resource[],
  kinds: readonly Kind[],
  diagnostics: Diagnostic[],
  sources: Sources,
): void {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  const seen = resources.map((resource) => ({ resource, checked: knownValues(resource) }));
  const children = groupBy(seen.map(({ resource, checked }) => [resource.parent, checked]));
  diagnostics.push(...sameKeys(seen));
  const problems: Problem[] = [];
  for (const { resource, checked } of seen) {
    problems.push(...(resource.kind.checks?.each?.(checked, children.get(resource.address) ?? []) ?? []));
  }
  const checkedAt = new Map(seen.map(({ checked }) => [checked.address, checked]));
  for (const kind of kinds) {
    if (kind.checks?.all === undefined) continue;
    const all = seen.filter(({ resource }) => resource.kind === kind).map(({ checked }) => checked);
    problems.push(...kind.checks.all(all, (address) => checkedAt.get(address)));
  }
  const published = seen.map(({ resource, checked }) => ({ checked, checks: resource.kind.checks }));
  problems.push(...portsTakenTwice(published, (address) => checkedAt.get(address)));
  for (const problem of problems) {
    const resource = byAddress.get(problem.address);
    if (resource === undefined) continue;
    const { field } = problem;
    const place = (field === undefined ? undefined : resource.fields[field]?.at) ?? resource.at;
    const where = field === undefined ? '' : `${fieldPath(resource.kind, field)}: `;
    if (problem.syntax !== undefined) {
      diagnostics.push(brokenText(problem, `${where}${problem.message}`, { ...problem.syntax, place, sources }));
      continue;
    }
    diagnostics.push(
      diagnostic(problem.code, `${where}${problem.message}`, {
        remedy: problem.remedy ?? 'Make the two agree, or leave one out.',
        address: problem.address,
        position: position(place),
      }),
    );
  }
}

/** The texts of a manifest, and where its files lie. */
interface Sources {
  readonly texts: ReadonlyMap<string, string>;
  readonly beside: Workspace['beside'];
}

/** Reports an error in a value that is YAML itself, at its line in the file that holds it, where that line is known. */
function brokenText(
  { code, address }: Problem,
  subject: string,
  { text, error, place, sources }: Required<Problem>['syntax'] & { readonly place: Place; readonly sources: Sources },
): Diagnostic {
  const { message, remedy, from } = explainSyntax(error, text);
  const before = text.slice(0, from).split('\n');
  const [line, column] = [before.length, (before.at(-1) ?? '').length + 1];
  const known = placeInFile({ text, line, column, place }, sources);
  const where = known === undefined ? `, line ${line}, column ${column} of it` : '';
  const about = { remedy, address, position: known ?? position(place) };
  return diagnostic(code, `${subject}${where}: ${message}`, about);
}

/** Where a line of a value stands: in the file that the value names, or below the `|` of a text of several lines. */
function placeInFile(
  { text, line, column, place }: { text: string; line: number; column: number; place: Place },
  { texts, beside }: Sources,
): Position | undefined {
  const source = texts.get(place.file)?.slice(place.offset, place.end) ?? '';
  const path = /^(["']?)\$\{file:([^}]+)\}\1\s*$/.exec(source)?.[2];
  if (path !== undefined) return { file: beside(place.file, path), line, column };
  if (!source.startsWith('|') || source.includes('${')) return undefined;
  const [written = '', wanted = ''] = [source.split('\n')[line], text.split('\n')[line - 1]];
  const isSame = wanted !== '' && written.replace(/\r$/, '').endsWith(wanted);
  const start = position(place).line;
  return isSame
    ? { file: place.file, line: start + line, column: written.replace(/\r$/, '').length - wanted.length + column }
    : undefined;
}

/** Two blocks of one natural key make two objects, which nothing but the state tells apart. A pinned block has its object. */
function sameKeys(seen: readonly { readonly resource: Resource; readonly checked: CheckedResource }[]): Diagnostic[] {
  const first = new Map<string, string>();
  return seen.flatMap(({ resource, checked }): Diagnostic[] => {
    const { kind, address, parent } = resource;
    const key = resource.pinned === undefined ? keyOf(resource, checked) : undefined;
    if (key === undefined) return [];
    const text = canonical([parent ?? null, kind.kind, ...Object.values(key)]);
    const other = first.get(text);
    if (other === undefined) {
      first.set(text, address);
      return [];
    }
    const names = keyPaths(resource, Object.keys(key));
    const message = `${address} and ${other} have the same ${names.join(', ')}: they would be two objects that nothing but the state tells apart`;
    const remedy = `Write another ${names.join(' or ')} in one of them, or remove it. For two objects that exist, write id: in both.`;
    return [diagnostic('defined-twice', message, { remedy, address, position: position(resource.at) })];
  });
}

/** The natural key of a block, in the form that stands for all values of its meaning; undefined while it is not known. */
function keyOf({ kind, fields }: Resource, { values }: CheckedResource): Record<string, Json> | undefined {
  const value = (name: string): Json | undefined =>
    values[name] ?? (fields[name] === undefined || values[name] === null ? keyDefault(kind, name) : undefined);
  const names = typeof kind.identity.key === 'function' ? kind.identity.key(value) : kind.identity.key;
  const key: Record<string, Json> = {};
  for (const name of names) {
    const known = value(name);
    if (known === undefined) return undefined;
    const normal = (kind.fields[name]?.codec ?? plain).normal(known);
    key[name] = typeof normal === 'string' ? normal.trim() : normal;
  }
  return key;
}

/** Declared values that are known, with what comes from the place of the resource. */
function knownValues(resource: Resource): CheckedResource {
  const values: Record<string, Json> = {};
  const unknown: string[] = [];
  for (const [name, from] of Object.entries(resource.link.set)) if ('value' in from) values[name] = from.value;
  for (const [name, wanted] of Object.entries(resource.fields)) {
    const value = knownValue(wanted);
    if (value !== undefined) values[name] = value;
    else unknown.push(name);
  }
  const { address, key, parent } = resource;
  return { address, kind: resource.kind.kind, key, parent, values, unknown };
}

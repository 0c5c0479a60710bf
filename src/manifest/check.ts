import { keptIn, once } from '../api/once.ts';
import { type Diagnostic, type Position, diagnostic } from '../diagnostics/diagnostic.ts';
import { groupBy } from '../kind/group.ts';
import { type Json, canonical, defined } from '../formats/json.ts';
import { type CheckedResource, type DeploymentFinding, type Problem, deploymentCodes } from '../kind/checks.ts';
import type { Kind } from '../kind/kind.ts';
import { pathOf } from '../kind/attribute.ts';
import { fieldPath, keyDefault, keyOfValues, normalInKey } from '../kind/row-values.ts';
import { checkedResource } from './checked-resource.ts';
import { compose, hasBareHash } from './expression-encoding.ts';
import { asVariables } from './misplaced-secret.ts';
import { pathsIn, placesInFile } from './place-in-file.ts';
import { portsTakenTwice } from './published-ports.ts';
import { reportInto } from './report-at.ts';
import { type Marks, marksOf } from './secret-marks.ts';
import { misreadSecrets } from './secrets-in-yaml.ts';
import { type Resource, keyPaths, wantedAttributes } from './resource.ts';
import { restoresUncertainly } from './restorable.ts';
import { explainSyntax } from './syntax-errors.ts';
import { type Place, position } from './tree.ts';
import { type Concealed, type Wanted, asWritten, concealedIn, withTexts, writtenName } from './wanted.ts';
import type { Workspace } from './workspace.ts';

/** Runs the kinds' own checks over everything that is known before any request. */
export function checkResources(
  resources: readonly Resource[],
  kinds: readonly Kind[],
  { diagnostics, deployments }: Found,
  sources: Sources,
): void {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  const marks = marksOf(resources);
  const seenWith = (isKnown: (variable: string) => boolean) =>
    resources.map((resource) => ({ resource, checked: knownValues(resource, marks, isKnown) }));
  const seen = seenWith(() => true);
  diagnostics.push(...sameKeys(seen));
  // One block after the other: what it reads of a long text serves both.
  const problems = problemsOf(seen, kinds, (one) =>
    diagnostics.push(...splitHashes(one.resource), ...secretsInYaml(one, { ...sources, marks })),
  );
  if (problems.length === 0) return;
  const variables = [...new Set(resources.flatMap(variablesIn))];
  const problemsWith = (isKnown: (variable: string) => boolean) =>
    variables.length === 0 ? problems : problemsOf(seenWith(isKnown), kinds);
  const openProblems = problemsWith(() => false);
  const open = new Set(openProblems.map(textOf));
  const byVariable = once(() =>
    variables
      .slice(0, maxAlone)
      .map((name) => ({ name, found: new Set(problemsWith((one) => one === name).map(textOf)) })),
  );
  const checkedAt = once(() => new Map(seen.map(({ checked }) => [checked.address, checked])));
  const placeAt = placesInValues(sources);
  const allowed = new Map<string, Diagnostic>();
  for (const problem of withMarks(problems, openProblems, marks)) {
    const resource = byAddress.get(problem.address);
    if (resource === undefined) continue;
    const { field, address, code } = problem;
    const place = (field === undefined ? undefined : resource.fields[field]?.at) ?? resource.at;
    const where = field === undefined ? '' : `${fieldPath(resource.kind, field)}: `;
    const allowing = [resource, byAddress.get(resource.parent ?? '')].find((one) => one?.allows?.has(code));
    if (allowing !== undefined) {
      const message = `${code} is allowed: ${allowing.allows?.get(code) ?? ''}`;
      const about = { address: allowing.address, position: position(allowing.at) };
      allowed.set(`${allowing.address} ${code}`, diagnostic('allowed', message, about));
    } else if (!open.has(textOf(problem))) {
      if (problem.when !== undefined) continue; // what it depends on, and a value that may not be shown
      const alone = byVariable().flatMap(({ name, found }) => (found.has(textOf(problem)) ? [name] : []));
      const named = (alone.length > 0 ? alone : variables).map((name) => `\${${name}}`).join(', ');
      const report = reportInto(isOfDeployment(code) ? deployments : diagnostics, address);
      report(code, `${where}${closedMessage(problem, named)}`, place, `Correct ${named}.`);
    } else if (problem.syntax !== undefined) {
      diagnostics.push(brokenText(problem, `${where}${problem.message}`, { ...problem.syntax, place, sources, marks }));
    } else {
      const known = problem.path === undefined ? undefined : placeAt(checkedAt().get(address), problem, place);
      const found = openFinding(problem, where, { marks, at: known ?? position(place) });
      if (isOfDeployment(code)) deployments.push(found);
      else diagnostics.push(found);
    }
  }
  deployments.push(...allowed.values());
}

/** Problems; in place of those that name a value which may not be shown, the same with its mark. */
function withMarks(problems: readonly Problem[], open: readonly Problem[], marks: Marks): readonly Problem[] {
  const texts = new Set(problems.map(textOf));
  const marked = open.filter((problem) => !texts.has(textOf(problem)) && marks.countIn(textOf(problem)) > 0);
  if (marked.length === 0) return problems;
  const subjectOf = ({ code, address, field, path }: Problem): string => JSON.stringify([code, address, field, path]);
  const [told, subjects] = [new Set(open.map(textOf)), new Set(marked.map(subjectOf))];
  return [...problems.filter((one) => told.has(textOf(one)) || !subjects.has(subjectOf(one))), ...marked];
}

/** What is said of a problem that depends on values which may not be shown. */
function closedMessage({ code, syntax }: Problem, named: string): string {
  const general = inGeneral[code] ?? 'its deployment does not do what is meant';
  return `with the value of ${named}, ${syntax === undefined ? general : 'this is not valid YAML'}`;
}

/** The finding of a problem that can be told as it is. */
function openFinding(
  problem: Problem,
  where: string,
  { marks, at }: { readonly marks: Marks; readonly at: Position },
): DeploymentFinding {
  const remedy = marks.asWritten(problem.remedy ?? 'Make the two agree, or leave one out.');
  const about = { remedy, address: problem.address, position: at };
  const found = diagnostic(problem.code, marks.asWritten(`${where}${problem.message}`), about);
  const judged = problem.fails === true ? { ...found, severity: 'error' as const } : found;
  return isOfDeployment(problem.code) ? defined({ ...judged, when: problem.when }) : judged;
}

/** What checks find: what is so whatever becomes of the blocks, and what their deployments will do. */
interface Found {
  readonly diagnostics: Diagnostic[];
  readonly deployments: DeploymentFinding[];
}

const ofDeployments: ReadonlySet<string> = new Set(deploymentCodes);

function isOfDeployment(code: Problem['code']): boolean {
  return ofDeployments.has(code);
}

/** Finds where in a file the paths of problems lead; a text is read once for all that is found in it. */
function placesInValues(sources: Sources) {
  const texts = new Map<string, { readonly find: ReturnType<typeof pathsIn>; readonly at: Map<Place, PlacesInFile> }>();
  return (checked: CheckedResource | undefined, { field, path = [] }: Problem, place: Place) => {
    const text = checked?.values[field ?? ''];
    if (typeof text !== 'string') return undefined;
    const { find, at } = keptIn(texts, text, () => ({ find: pathsIn(text), at: new Map() }));
    return keptIn(at, place, () => placesInFile({ text, place }, sources))(find(path));
  };
}

type PlacesInFile = ReturnType<typeof placesInFile>;

/** Most variables that are tried one by one, to name the one that a problem comes from. */
const maxAlone = 20;

/** A problem that only a value makes which may not be shown, without anything that is computed from it. */
const inGeneral: Readonly<Partial<Record<Problem['code'], string>>> = {
  inconsistent: 'two declarations contradict each other',
  overlap: 'two declarations overlap',
  'wrong-type': 'this has a wrong form',
  'unknown-permission': 'a permission is not known',
};

/** The texts of a manifest, and where its files lie. */
interface Sources {
  readonly texts: ReadonlyMap<string, string>;
  readonly beside: Workspace['beside'];
  /** The names of the declared variables. */
  readonly variableNames: readonly string[];
}

type Seen = readonly { readonly resource: Resource; readonly checked: CheckedResource }[];

function problemsOf(seen: Seen, kinds: readonly Kind[], alongside?: (one: Seen[number]) => void): Problem[] {
  const children = groupBy(seen.map(({ resource, checked }) => [resource.parent, checked]));
  const problems: Problem[] = [];
  const checkedAt = new Map(seen.map(({ checked }) => [checked.address, checked]));
  const at = (address: string) => checkedAt.get(address);
  for (const one of seen) {
    const own = one.resource.kind.checks?.each?.(one.checked, children.get(one.resource.address) ?? []) ?? [];
    problems.push(...own, ...restoresUncertainly(one.resource, one.checked));
    alongside?.(one);
  }
  for (const kind of kinds) {
    if (kind.checks?.all === undefined) continue;
    const all = seen.filter(({ resource }) => resource.kind === kind).map(({ checked }) => checked);
    problems.push(...kind.checks.all(all, at));
  }
  const published = seen.map(({ resource, checked }) => ({ checked, checks: resource.kind.checks }));
  return [...problems, ...portsTakenTwice(published, at)];
}

function textOf({ code, address, field = '', message, remedy = '', syntax, path = [], when }: Problem): string {
  return JSON.stringify([code, address, field, message, remedy, syntax?.text, path, when]);
}

/** The variables in the fields of a resource whose values may not be shown, as their expressions have them: `env:HOST`. */
function variablesIn({ fields }: Resource): string[] {
  return Object.values(fields).flatMap((wanted) =>
    concealedIn(wanted).flatMap((part) => (part.from === 'secret' ? [] : [variableOf(part)])),
  );
}

function variableOf({ from, name }: Concealed): string {
  return `${from}:${name}`;
}

/** Refuses hashes whose `$` compose reads as variables: in the file, and in the variables that it fills in. */
function splitHashes(resource: Resource): Diagnostic[] {
  const { address, kind } = resource;
  const { field } = kind.checks?.yaml ?? {};
  if (field === undefined) return [];
  const all = wantedAttributes(resource).filter(
    ({ attribute }) => attribute.field === field || kind.fields[attribute.field]?.map !== undefined,
  );
  return all.flatMap(({ attribute, wanted }) => {
    const text = asWritten(wanted);
    // A variable in single quotes is taken as it stands.
    if (typeof text === 'string' && text.startsWith("'")) return [];
    return concealedIn(wanted)
      .filter(({ encoding }) => hasBareHash(encoding))
      .map((part) => {
        const written = `\${secret:${writtenName(part)}`;
        const message = `${pathOf(kind, attribute)}: compose reads each $ of ${written}} as a variable`;
        const remedy = `Write ${written}|${compose}}, which doubles them.`;
        return diagnostic('wrong-type', message, { address, position: position(wanted.at), remedy });
      });
  });
}

/** Refuses secrets that YAML does not read as text in the field that checks read as YAML. */
function secretsInYaml(
  { resource: { address, kind, fields }, checked }: Seen[number],
  { variableNames, marks }: Sources & { readonly marks: Marks },
): Diagnostic[] {
  const { field, read } = kind.checks?.yaml ?? {};
  const wanted = field === undefined ? undefined : fields[field];
  if (field === undefined || wanted === undefined) return [];
  return misreadSecrets(wanted, read?.(checked), marks).map(({ name, written, is, mayBeQuoted }) => {
    const secret = `\${secret:${written}}`;
    const about = { address, position: position(wanted.at) };
    const path = fieldPath(kind, field);
    if (is === 'key') {
      const remedy = asVariables(`Write \${var:${written}} in place of ${secret}`, [name], variableNames);
      return diagnostic('misplaced-secret', `${path}: a key of a map must not hold ${secret}`, { ...about, remedy });
    }
    const remedy = mayBeQuoted
      ? `Put the value that holds ${secret} in single quotes.`
      : `Write ${name}: "${secret}" under env:, and \${${name}} in the text: compose fills it in.`;
    return diagnostic('wrong-type', `${path}: YAML does not read the value of ${secret} as text`, { ...about, remedy });
  });
}

/** Reports an error in a value that is YAML itself, at its line in the file that holds it, where that line is known. */
function brokenText(
  { code, address }: Problem,
  subject: string,
  {
    text,
    error,
    place,
    sources,
    marks,
  }: Required<Problem>['syntax'] & { readonly place: Place; readonly sources: Sources; readonly marks: Marks },
): Diagnostic {
  const { message, remedy, from } = explainSyntax(error, text);
  const before = marks.asWritten(text.slice(0, from)).split('\n');
  const [line, column] = [before.length, (before.at(-1) ?? '').length + 1];
  const known = placesInFile({ text, place }, sources)({ line, column });
  const where = known === undefined ? `, line ${line}, column ${column} of it` : '';
  const about = { remedy: marks.asWritten(remedy), address, position: known ?? position(place) };
  return diagnostic(code, `${subject}${where}: ${marks.asWritten(message)}`, about);
}

/** Two blocks of one natural key make two objects, which nothing but the state tells apart. A pinned block has its object. */
function sameKeys(seen: Seen): Diagnostic[] {
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
function keyOf({ kind, fields }: Resource, { values }: CheckedResource) {
  const value = (name: string): Json | undefined =>
    values[name] ?? (fields[name] === undefined || values[name] === null ? keyDefault(kind, name) : undefined);
  const key = keyOfValues(kind, value);
  return key && Object.fromEntries(Object.entries(key).map(([name, known]) => [name, normalInKey(kind, name, known)]));
}

/**
 * Declared values that are known, with what comes from the place of the resource. Marks stand for secrets in texts; a secret
 * that is all of a text may have any form.
 */
function knownValues(resource: Resource, marks: Marks, isKnown: (variable: string) => boolean): CheckedResource {
  const values: Record<string, Json> = {};
  const unknown: string[] = [];
  for (const [name, from] of Object.entries(resource.link.set)) if ('value' in from) values[name] = from.value;
  const textOf = (part: Concealed): string | undefined => {
    if (part.from !== 'secret' && isKnown(variableOf(part))) return part.hidden;
    // A variable of the environment may be any part of a text.
    return part.from === 'env' ? undefined : marks.of(part);
  };
  for (const [name, wanted] of Object.entries(resource.fields)) {
    const shape = wanted.content.reveal();
    const isOne = shape.is === 'text' && shape.pieces.length === 1 && concealedIn(wanted)[0]?.from === 'secret';
    const value = isOne ? undefined : withTexts(wanted, textOf);
    if (value !== undefined) values[name] = value;
    else unknown.push(name);
  }
  return checkedResource(resource, { values, unknown, textOf: (wanted) => knownText(wanted, textOf) });
}

/** The value of a key of a map; undefined: it is not known. */
function knownText(wanted: Wanted, textOf: (part: Concealed) => string | undefined): string | undefined {
  const value = withTexts(wanted, textOf);
  return value === undefined || value === null ? undefined : String(value);
}

import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { didYouMean } from '../diagnostics/closest.ts';
import type { MapCodec } from '../kind/codecs.ts';
import { secretMarks } from '../formats/secret-mark.ts';
import { groupBy } from '../kind/group.ts';
import type { Kind } from '../kind/kind.ts';
import { pathOf } from '../kind/attribute.ts';
import { reportInto } from './report-at.ts';
import type { Resource } from './resource.ts';
import { type Wanted, concealedIn, knownTexts, withTexts } from './wanted.ts';
import { onceFor } from '../api/once.ts';

/**
 * The names in a text that the platform fills in with variables of what its service stands below, each once. A name is all
 * that stands between `${{environment.`, with the `kind` of that, and the next `}}` of the line, as the platform takes it: a
 * space is part of it.
 */
export function mentionsIn(text: string, kind: string): readonly string[] {
  const opening = openingOf(kind);
  const names = new Set<string>();
  for (const line of text.split(/[\n\r\u2028\u2029]/)) {
    let from = line.indexOf(opening);
    while (from !== -1) {
      const end = line.indexOf('}}', from + opening.length);
      if (end === -1) break;
      names.add(line.slice(from + opening.length, end));
      from = line.indexOf(opening, end + 2);
    }
  }
  return [...names];
}

function openingOf(kind: string): string {
  return `\${{${kind}.`;
}

/** Something in a manifest or a plan that stands below something else. */
interface Standing {
  readonly kind: Kind;
  readonly parent?: string | undefined;
}

/**
 * What has the variables that the platform fills in for a service, nearest first: its environment, and the project where
 * that is a block. The variables of the project are for services only, not for those of environments.
 */
export function variablesAbove<T extends Standing>({ parent }: Standing, byAddress: ReadonlyMap<string, T>): T[] {
  const above = parent === undefined ? undefined : byAddress.get(parent);
  if (above === undefined || above.kind.isTop === true) return [];
  const top = above.parent === undefined ? undefined : byAddress.get(above.parent);
  return top?.kind.isTop === true ? [above, top] : [above];
}

/**
 * Refuses mentions of variables that, as is declared, what stands above does not have: no deployment succeeds with one. The
 * platform fills in variables of the project first, and then what their values mention of the environment.
 */
export function checkMentions(resources: readonly Resource[], diagnostics: Diagnostic[]): void {
  const byAddress = new Map(resources.map((resource) => [resource.address, resource]));
  const project = resources.find(({ kind }) => kind.isTop === true);
  const ofProject = project === undefined ? undefined : { kind: project.kind, values: valuesOf(project) };
  for (const resource of resources) {
    const texts = textsOf(resource).filter(({ text }) => text.includes('${{'));
    if (texts.length === 0) continue;
    const report = reportInto(diagnostics, resource.address);
    for (const above of variablesAbove(resource, byAddress)) {
      const variables = declaredVariables(above);
      if (variables === undefined) continue;
      for (const { written, text, wanted } of texts) {
        for (const [name, through] of mentioned(text, above.kind, ofProject)) {
          if (name.includes(mark)) continue;
          const isDeclared = variables.keys.includes(name);
          const problem = isDeclared ? explainNested(name, above) : explain(name, above, variables);
          if (problem === undefined) continue;
          const { message, remedy } = problem;
          report('bad-reference', `${written}: ${through}${message}`, wanted.at, remedy);
        }
      }
    }
  }
}

/** The variables of a project by name: what is known of their texts. */
type Values = ReadonlyMap<string, readonly string[]>;

const valuesOf = onceFor((above: Resource): Values =>
  groupBy(textsOf(above).map(({ key, text }) => [key, text] as const)),
);

/** The names of variables of `kind` that a text mentions, each with the words for how: '', or a variable of the project. */
function mentioned(
  text: string,
  { kind, isTop }: Kind,
  project: { readonly kind: Kind; readonly values: Values } | undefined,
): ReadonlyMap<string, string> {
  const found = new Map(mentionsIn(text, kind).map((name) => [name, '']));
  if (project === undefined || isTop === true) return found;
  for (const variable of mentionsIn(text, project.kind.kind)) {
    const through = `${openingOf(project.kind.kind)}${variable}}} `;
    for (const value of project.values.get(variable) ?? [])
      for (const name of mentionsIn(value, kind)) if (!found.has(name)) found.set(name, through);
  }
  return found;
}

/** Whether a text of a resource may mention a variable of something above it; a value that is not known yet does not. */
export function mayMention({ kind, maps, fields }: Pick<Resource, 'kind' | 'maps' | 'fields'>, above: Kind): boolean {
  const opening = openingOf(above.kind);
  return mapFieldsOf(kind).some(([name]) => {
    const written = [...(maps[name]?.values() ?? []), ...(fields[name] === undefined ? [] : [fields[name]])];
    return written.some((wanted) => knownTexts(wanted).some((text) => text.includes(opening)));
  });
}

interface Variables {
  readonly keys: readonly string[];
  readonly codec: MapCodec;
}

/** The variables that a resource has and no others; undefined where that is not known. */
function declaredVariables({ kind, maps, mapMode, fields }: Resource): Variables | undefined {
  for (const [name, codec] of mapFieldsOf(kind)) {
    const map = maps[name];
    if (map !== undefined) return mapMode === 'own' ? { keys: [...map.keys()], codec } : undefined;
    const wanted = fields[name];
    const text = markedText(wanted);
    if (wanted === undefined || text === undefined) return undefined;
    const keys = [...codec.read(text).keys()];
    // A concealed text outside of a value, or with line breaks, may be any variables; one that is not known too.
    const isOpen = text.split('\n').some((line) => line.split('=')[0]?.includes(mark) === true);
    const mayBeMore = isOpen || concealedIn(wanted).some(({ hidden = '\n' }) => /[\n\r]/.test(hidden));
    return mayBeMore ? undefined : { keys, codec };
  }
  return undefined;
}

/** The fields of a kind that hold a map, each with its codec. */
const mapFieldsOf = onceFor((kind: Kind): readonly (readonly [name: string, codec: MapCodec])[] =>
  Object.entries(kind.fields).flatMap(([name, { map }]) => (map === undefined ? [] : [[name, map] as const])),
);

interface Text {
  readonly key: string;
  /** The field and its key, as they are written. */
  readonly written: string;
  readonly text: string;
  readonly wanted: Wanted;
}

/** The texts of a resource in which the platform fills in variables, as far as they are known. */
function textsOf({ kind, maps, fields }: Resource): Text[] {
  return mapFieldsOf(kind).flatMap(([name, codec]): Text[] => {
    const map = maps[name];
    if (map !== undefined) {
      return [...map].flatMap(([key, wanted]) =>
        knownTexts(wanted).map((text) => ({ key, written: pathOf(kind, { field: name, key }), text, wanted })),
      );
    }
    const wanted = fields[name];
    if (wanted === undefined) return [];
    return [...codec.read(markedText(wanted) ?? '')].map(([key, text]) => ({
      key,
      written: pathOf(kind, { field: name, key }),
      text,
      wanted,
    }));
  });
}

/** A text with a mark in place of each concealed part: nothing is computed on one. undefined while it is not known. */
function markedText(wanted: Wanted | undefined): string | undefined {
  const text = wanted === undefined ? undefined : withTexts(wanted, () => mark);
  return typeof text === 'string' ? text : undefined;
}

/** A character that no name of a variable has. */
const mark = secretMarks.first;

/**
 * Why a value that the platform fills in is refused afterwards: of what it mentions itself only variables of the environment in
 * those of the project are filled in. Source: prepareEnvironmentVariables.
 */
function explainNested(name: string, above: Resource): { message: string; remedy: string } | undefined {
  const { address, kind } = above;
  const never = kind.isTop === true ? [kind.kind] : [kind.kind, 'project'];
  const values = valuesOf(above).get(name) ?? [];
  const nested = never.flatMap((one) =>
    values.flatMap((value) => mentionsIn(value, one).map((inner) => `${openingOf(one)}${inner}}}`)),
  );
  const first = nested.find((text) => /^\$\{\{\w+\.[\w.-]+\}\}$/.test(text));
  if (first === undefined) return undefined;
  return {
    message: `mentions ${openingOf(kind.kind)}${name}}}, whose value mentions ${first}, and the platform fills that in no more`,
    remedy: `Write the value itself into ${name} of ${address}.`,
  };
}

/** Shows no name that cannot be one: it may be half of a value. */
function explain(
  name: string,
  { address, kind }: Resource,
  { keys, codec }: Variables,
): { message: string; remedy: string } {
  const opening = openingOf(kind.kind);
  if (codec.write(new Map([[name, '']])).refused.length > 0) {
    return {
      message: `mentions a variable of ${address} by a name that no variable can have`,
      remedy: `Write ${opening}NAME}} with a name of letters, digits, "_", "." and "-", without spaces.`,
    };
  }
  const message = `mentions ${opening}${name}}}, and ${address} declares no variable ${name}`;
  const declared = keys.length === 0 ? 'It declares none' : `It declares ${keys.join(', ')}`;
  const otherwise = `${declared}; declare ${name} there, or remove what mentions it.`;
  return { message, remedy: didYouMean(name, keys, otherwise) };
}

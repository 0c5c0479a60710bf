import { firstAtLeast } from '../formats/first-at-least.ts';
import { keptIn } from '../api/once.ts';

/** What stands around a value: the key that it has, and whether it is secret whatever it looks like. */
export interface Around {
  readonly key?: string | undefined;
  readonly isSecret: boolean;
}

/** The parameters of templates and the variables in the texts of a manifest, and where their values go. */
export interface Flows {
  /** Notes that a value has the expressions of a text; `defines`: the parameter or the variable whose value it is. */
  readonly add: (text: string, around: Around, defines?: string) => void;
  /** What stands around the values that a parameter or a variable becomes. */
  readonly to: (name: string) => readonly Around[];
}

const expression = /\$\{((?:param|var):[\w-]+)/g;

/** Returns true for a text with expressions of parameters or variables, whose values stand elsewhere. */
export function mayFlow(text: string): boolean {
  return text.search(expression) !== -1;
}

/** Tells whether a part of a text has such an expression; parts are asked for in any order. */
export function hasFlows(text: string): (from: number, to: number) => boolean {
  const starts = Array.from(text.matchAll(expression), ({ index }) => index);
  return (from, to) => (starts[firstAtLeast(starts, from)] ?? Infinity) < to;
}

/** Makes an empty collection. */
export function createFlows(): Flows {
  const places = new Map<string, Map<string, Around>>();
  const through = new Map<string, Set<string>>();
  return {
    add: (text, { key, isSecret }, defines) => {
      for (const [, name = ''] of text.matchAll(expression)) {
        keptIn(places, name, () => new Map()).set(`${String(isSecret)} ${key}`, { key, isSecret });
        if (defines !== undefined) keptIn(through, name, () => new Set()).add(defines);
      }
    },
    to: (name) => {
      const names = new Set([name]);
      // The loop comes to what is added.
      for (const one of names) for (const next of through.get(one) ?? []) names.add(next);
      return [...names].flatMap((one) => [...(places.get(one)?.values() ?? [])]);
    },
  };
}

/**
 * The parameter or the variable that a value is of, by the keys above it: `with: { NAME: … }`, `parameters: { NAME: { default: … } }`,
 * `variables: { NAME: … }`. A file of values has those of variables at its top.
 */
export function definedBy(above: string | undefined, name: string, isAtTop: boolean): string | undefined {
  if (above === 'with' || above === 'parameters') return `param:${name}`;
  return above === 'variables' || isAtTop ? `var:${name}` : undefined;
}

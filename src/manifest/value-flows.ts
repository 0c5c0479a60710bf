import { firstAtLeast } from '../formats/first-at-least.ts';
import { keptIn } from '../api/once.ts';

/** What stands around a value: the key that it has, and whether it is secret whatever it looks like. */
export interface Around {
  readonly key?: string | undefined;
  readonly isSecret: boolean;
  /** It is that of a field which is declared open: neither its key nor random letters say anything. */
  readonly isOpen?: boolean | undefined;
}

/** The text that a value is a part of, as far as it may tell what the value is; both are empty for one that stands alone. */
interface Within {
  readonly before: string;
  readonly after: string;
  /** How the value is encoded there. */
  readonly encoding?: string | undefined;
}

/** A place that a value gets to. */
export interface Use extends Around, Within {}

/** The parameters of templates and the variables in the texts of a manifest, and where their values go. */
export interface Flows {
  /** Notes that a value has the expressions of a text; `defines`: the parameter or the variable whose value it is. */
  readonly add: (text: string, around: Around, defines?: string) => void;
  /** The places that the values of a parameter or a variable get to. */
  readonly to: (name: string) => readonly Use[];
}

const expression = /\$\{((?:param|var):[\w-]+)(?:\|([\w|]+))?\}?/g;

/** Most characters that are kept of the text on each side of a value. */
const maxAround = 200;

/** Most places that are looked at for one value. */
const maxUses = 1_000;

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
  const uses = new Map<string, Map<string, Use>>();
  const through = new Map<string, Map<string, Within & { readonly name: string }>>();
  return {
    add: (text, { key, isSecret, isOpen }, defines) => {
      for (const { 0: written, 1: name = '', 2: encoding, index } of text.matchAll(expression)) {
        const end = index + written.length;
        const within = {
          before: text.slice(Math.max(0, index - maxAround), index),
          after: text.slice(end, end + maxAround),
          encoding,
        };
        note(uses, name, { key, isSecret, isOpen, ...within });
        if (defines !== undefined) note(through, name, { name: defines, ...within });
      }
    },
    to: (name) => {
      const found: Use[] = [];
      const steps = new Map([[name, { name, before: '', after: '' } as Within & { readonly name: string }]]);
      // The loop comes to what is added.
      for (const step of steps.values()) {
        if (found.length > maxUses) break;
        for (const use of uses.get(step.name)?.values() ?? []) found.push({ ...use, ...joined(step, use) });
        for (const next of through.get(step.name)?.values() ?? []) {
          const further = { name: next.name, ...joined(step, next) };
          const key = JSON.stringify(further);
          if (steps.size < maxUses && !steps.has(key)) steps.set(key, further);
        }
      }
      return found;
    },
  };
}

function note<T extends object>(all: Map<string, Map<string, T>>, name: string, one: T): void {
  keptIn(all, name, () => new Map<string, T>()).set(JSON.stringify(one), one);
}

/** What stands around a value that is a part of a text which is a part of another. */
function joined(inner: Within, outer: Within): Within {
  return {
    before: `${outer.before}${inner.before}`.slice(-maxAround),
    after: `${inner.after}${outer.after}`.slice(0, maxAround),
    encoding: inner.encoding ?? outer.encoding,
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

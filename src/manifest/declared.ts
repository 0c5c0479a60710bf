import * as z from 'zod';
import { closest } from '../diagnostics/closest.ts';
import { maskValue } from '../secrets/looks-secret.ts';
import { type Pattern, matches, maxCharacters, readPattern } from './pattern.ts';
import { alternatives, shown } from './problem.ts';
import { choice } from './schema-expressions.ts';
import type { Report } from './report-at.ts';
import type { TypedValue } from './sources/source.ts';
import { type MapNode, type Node, type ScalarNode, isEmpty, itemsOf, nodeAt } from './tree.ts';

/** Declarations of variables, and of the parameters of templates: a type, a default and limits. */

type Type = 'text' | 'number' | 'boolean' | 'list';

/** What a value may be. */
export interface Declaration {
  /** undefined: text; a value keeps the type that YAML gives it, which a field of another type takes. */
  readonly type: Type | undefined;
  readonly description?: string | undefined;
  readonly default?: TypedValue | undefined;
  /** The values that it may have, as they are written. */
  readonly oneOf?: readonly TypedValue[] | undefined;
  readonly min?: number | undefined;
  readonly max?: number | undefined;
  readonly pattern?: Pattern | undefined;
}

const scalar = () => z.union([z.string(), z.number(), z.boolean()], { error: 'must be text, a number or a boolean' });

/** What stands for a value: a scalar, or a list of them. */
export const writtenValue = () =>
  z.union([scalar(), z.array(scalar())], { error: 'must be text, a number, a boolean or a list of these' });

/** The keys of a declaration. */
export const declarationShape = () => ({
  type: z
    .union(
      [
        z.literal('text').describe('What is written: 1.10 stays 1.10.'),
        z.literal('number').describe('A number.'),
        z.literal('boolean').describe('true or false.'),
        z.literal('list').describe('A list of texts.'),
      ],
      { error: 'must be text, number, boolean or list' },
    )
    .optional()
    .describe('Type of the value; text when left out.'),
  default: writtenValue().optional().describe('Value where none is given.'),
  description: z.string().min(1).optional().describe('What it is for, for people.'),
  oneOf: z.array(scalar()).min(1).optional().describe('The values that it may have; of a list, each item.'),
  min: z.number().optional().describe('Smallest number.'),
  max: z.number().optional().describe('Largest number.'),
  pattern: z
    .string()
    .min(1)
    .max(maxCharacters)
    .optional()
    .describe('Regular expression that the whole text matches; of a list, each item.'),
});

const ofType = (...types: readonly Type[]) => ({
  type: 'object',
  properties: { type: { enum: types } },
  required: ['type'],
});

const having = (properties: object) => ({ type: 'object', properties });

/** A text that the id of a preview fills. */
const ofPreview = { type: 'string', pattern: String.raw`\$\{preview:` };

/** What the type of a declaration says about its other keys, as JSON Schema. */
export const declarationRules = {
  allOf: [
    {
      description: 'min and max limit numbers.',
      ...choice(
        ofType('number'),
        having({ default: { anyOf: [{ type: 'number' }, ofPreview] } }),
        having({ min: false, max: false }),
      ),
    },
    {
      description: 'pattern limits texts.',
      ...choice(ofType('number', 'boolean'), having({ pattern: false })),
    },
    {
      description: 'The default of a boolean is true or false.',
      ...choice(ofType('boolean'), having({ default: { anyOf: [{ type: 'boolean' }, ofPreview] } })),
    },
    {
      description: 'The default of a list is a list.',
      ...choice(
        ofType('list'),
        having({ default: { type: 'array' } }),
        having({ default: { not: { type: 'array' } } }),
      ),
    },
  ],
};

/** What is wrong with a value: completes its name to a sentence. */
export interface Mismatch {
  readonly message: string;
  readonly remedy?: string | undefined;
}

/**
 * Reads a declaration whose form was checked. `name`: as messages have it, such as `variables.tag`. What is wrong is reported;
 * the rest of the declaration stands.
 * @throws {Stop} as `checkLimits`
 */
export function readDeclaration(name: string, node: Node, report: Report): Declaration {
  if (node.is !== 'map') return { type: undefined };
  const at = (key: string) => nodeAt(node, [key]);
  const type = valueAt(node, 'type') as Type | undefined; // its form was checked
  refuseUseless(name, type, node, report);
  const declaration = {
    type,
    description: valueAt(node, 'description') as string | undefined,
    min: type === 'number' ? (valueAt(node, 'min') as number | undefined) : undefined,
    max: type === 'number' ? (valueAt(node, 'max') as number | undefined) : undefined,
    pattern: readPattern(`${name}.pattern`, at('pattern'), report),
  };
  const read = (key: string, one: Node, limits: Declaration): TypedValue | undefined => {
    const value = readValue(limits, one, lastStep(name));
    if (!('message' in value)) return value;
    report('wrong-type', `${name}.${key} ${value.message}`, one.at, value.remedy);
    return undefined;
  };
  const ofItems = { ...declaration, type: type === 'list' ? 'text' : type } as const;
  const oneOf = at('oneOf') && itemsOf(at('oneOf')).flatMap((one) => read('oneOf', one, ofItems) ?? []);
  const whole = { ...declaration, oneOf };
  const written = at('default');
  return { ...whole, default: written === undefined ? undefined : read('default', written, whole) };
}

function valueAt(map: MapNode, key: string): unknown {
  const node = nodeAt(map, [key]);
  return node?.is === 'scalar' ? node.value : undefined;
}

/** Refuses limits that say nothing about values of the type, or that no value keeps. */
function refuseUseless(name: string, type: Type | undefined, node: MapNode, report: Report): void {
  for (const [key, types] of Object.entries(limits)) {
    const limit = node.entries.get(key);
    if (limit === undefined || types.includes(type ?? 'text')) continue;
    const remedy = `Write type: ${types[0]}.`;
    report('wrong-type', `${name}.${key} limits ${alternatives(types)} values only`, limit.keyAt, remedy);
  }
  const [min, max] = [valueAt(node, 'min'), valueAt(node, 'max')];
  const above = node.entries.get('min');
  if (typeof min !== 'number' || typeof max !== 'number' || min <= max || above === undefined) return;
  report('wrong-type', `${name}.min must be at most max, ${max}, got ${min}`, above.node.at, 'Correct one of the two.');
}

/** The limits that are for some types only. */
const limits: Readonly<Record<string, readonly Type[]>> = {
  min: ['number'],
  max: ['number'],
  pattern: ['text', 'list'],
};

/** Reads a value that stands in a file. `key`: its name, which may say that it is secret. @throws {Stop} as `checkLimits` */
export function readValue(declaration: Declaration, node: Node, key: string): TypedValue | Mismatch {
  const { type } = declaration;
  if (type === 'list') {
    if (node.is !== 'list') return { message: `must be a list, got ${got(key, node)}`, remedy: 'Write [a, b].' };
    const wrong = node.items.find((item) => item.is !== 'scalar' || isEmpty(item));
    if (wrong !== undefined) return { message: `must be a list of texts, got ${got(key, wrong)} in it` };
    const value = node.items.flatMap((item) => (item.is === 'scalar' ? textOf(item) : []));
    return checkLimits(declaration, { value, written: undefined }, key);
  }
  if (node.is !== 'scalar' || node.value === null) {
    const remedy = node.is === 'list' ? 'Declare type: list.' : undefined;
    return { message: `must be ${nouns[type ?? 'text']}, got ${got(key, node)}`, remedy };
  }
  const written = textOf(node);
  const value = type === 'text' ? written : node.value;
  if (type === 'number' || type === 'boolean') {
    const isOne = typeof value === type && (type === 'boolean' || Number.isFinite(value));
    if (!isOne) {
      const remedy = node.written === undefined ? wordMeant(type, written, key) : undefined;
      return { message: `must be ${nouns[type]}, got ${got(key, node)}`, remedy };
    }
  }
  return checkLimits(declaration, { value, written }, key);
}

/** Reads a value of the command line or the environment: the declared type decides. @throws {Stop} as `checkLimits` */
export function readText(declaration: Declaration, text: string, key: string): TypedValue | Mismatch {
  const { type } = declaration;
  const wrong = (noun: string, remedy?: string) => ({ message: `must be ${noun}, got ${hidden(key, text)}`, remedy });
  switch (type) {
    case undefined:
    case 'text':
      return checkLimits(declaration, { value: text, written: text }, key);
    case 'number':
      if (!isNumber.test(text) || !Number.isFinite(Number(text))) return wrong(nouns.number);
      return checkLimits(declaration, { value: Number(text), written: text }, key);
    case 'boolean':
      if (text !== 'true' && text !== 'false') return wrong(nouns.boolean, wordMeant(type, text, key));
      return checkLimits(declaration, { value: text === 'true', written: text }, key);
    case 'list': {
      const value = text === '' ? [] : text.split(',').map((item) => item.trim());
      return checkLimits(declaration, { value, written: undefined }, key);
    }
    default:
      return type satisfies never;
  }
}

/** A number of YAML 1.2, but those that JSON does not have. */
const isNumber = /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[\da-fA-F]+)$/;

/**
 * Checks a value of the right type against `oneOf`, `min`, `max` and `pattern`.
 * @throws {Stop} `manifest`, when the pattern takes too long: the next one would too
 */
function checkLimits(
  { type, oneOf, min, max, pattern }: Declaration,
  value: TypedValue,
  key: string,
): TypedValue | Mismatch {
  const texts = value.written === undefined ? value.value : [value.written];
  const isChoice = (text: string, choice: TypedValue) =>
    type === 'number' || type === 'boolean' ? choice.value === value.value : choice.written === text;
  const other = oneOf && texts.find((text) => !oneOf.some((choice) => isChoice(text, choice)));
  if (oneOf !== undefined && other !== undefined) {
    const words = oneOf.map(({ written }) => String(written));
    const guess = closest(other, words);
    const remedy = guess === undefined ? undefined : `Did you mean ${guess}?`;
    return { message: `must be ${alternatives(words)}, got ${hidden(key, other)}`, remedy };
  }
  const number = typeof value.value === 'number' ? value.value : undefined;
  if (number !== undefined && min !== undefined && number < min)
    return { message: `must be at least ${min}, got ${hidden(key, number)}` };
  if (number !== undefined && max !== undefined && number > max)
    return { message: `must be at most ${max}, got ${hidden(key, number)}` };
  const wrong = pattern && texts.find((text) => !matches(pattern, text, key));
  if (pattern === undefined || wrong === undefined) return value;
  return { message: `must match ${pattern.text} as a whole, got ${hidden(key, wrong)}` };
}

const nouns: Readonly<Record<Type, string>> = {
  text: 'text',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list',
};

function wordMeant(type: Type, written: string, key: string): string | undefined {
  const word = written.trim().toLowerCase();
  if (type === 'number') {
    if (!isNumber.test(written) || !Number.isFinite(Number(written))) return undefined;
    return maskValue(key, written) === written ? `Write ${written}, without quotes.` : 'Write it without quotes.';
  }
  if (['yes', 'y', 'on', 'true', '1'].includes(word)) return 'Write true.';
  return ['no', 'n', 'off', 'false', '0'].includes(word) ? 'Write false.' : undefined;
}

/** A scalar as it is written, without quotes. */
function textOf(node: ScalarNode): string {
  return typeof node.value === 'string' ? node.value : node.source;
}

function got(key: string, node: Node): string {
  return node.is === 'scalar' ? hidden(key, node.value) : node.is === 'list' ? 'a list' : 'a map';
}

/** A value as a message shows it: only its type, where it may be a secret. */
function hidden(key: string, value: string | number | boolean | null): string {
  if (maskValue(key, value) === value) return shown(value);
  return typeof value === 'number' ? 'a number' : 'text';
}

function lastStep(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

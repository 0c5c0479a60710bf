import * as z from 'zod';
import { type MemberType, memberTypes, sharedMembers } from './member-types.ts';
import { once } from './once.ts';

/** One operation of the platform's API: how it is called and what it takes. */
export interface Endpoint {
  /** GET reads and takes a query; POST acts and takes a JSON body. */
  readonly method: 'GET' | 'POST';
  /** Every documented member; a name that is not in it is refused, because the platform would drop it silently. */
  readonly input: z.ZodObject;
  /** The kind of body of its 200; the API document says object of all of them. */
  readonly answer: AnswerBody;
}

/** The kinds of body of a 200, by their words in a line; `object` where a line has none. */
const answerBodies = {
  array: 'array',
  string: 'string',
  boolean: 'boolean',
  number: 'number',
  null: 'null',
  nothing: 'nothing',
  'object?': 'object or nothing',
  'array?': 'array or nothing',
  'false?': 'false or nothing',
} as const;

/** The kinds of body of a 200. */
export type AnswerBody = 'object' | (typeof answerBodies)[keyof typeof answerBodies];

/**
 * An operation as a line of the contract: its method, and its members with commas between them.
 *
 * - `name: type`, or `name` where the type has the same name: a type of `values.ts`
 * - `name?: type` may be left out, `name: type|null` may be null, `name: type = value` has a default
 * - `...name` stands for shared members of `values.ts`; in `...name?` each of them may be left out
 * - `...` alone: the operation takes members that the API document does not show
 * - `-> kind` at the end: the kind of body of its 200, where it is no object; `array?`: an array, or no body
 */
export type OperationLine = `${Endpoint['method']}${string}`;

/** The members of an operation by their types, read from its line. */
export type InputOf<Line extends OperationLine> = Line extends `${infer Taken extends OperationLine} -> ${string}`
  ? InputOf<Taken>
  : Line extends Endpoint['method']
    ? Record<string, never>
    : Line extends `${Endpoint['method']}${infer Members}`
      ? Flat<MembersIn<Members>>
      : never;

type Flat<T> = { [Name in keyof T]: T[Name] };

type MembersIn<Text extends string, Read = unknown> = Text extends `${infer Member},${infer Rest}`
  ? MembersIn<Rest, Read & MemberIn<Trimmed<Member>>>
  : Read & MemberIn<Trimmed<Text>>;

type Trimmed<Text extends string> = Text extends ` ${infer Rest}` | `\n${infer Rest}` ? Trimmed<Rest> : Text;

type MemberIn<Text extends string> = Text extends '...'
  ? unknown
  : Text extends `...${infer Name extends keyof typeof sharedMembers}?`
    ? Partial<MembersIn<(typeof sharedMembers)[Name]>>
    : Text extends `...${infer Name extends keyof typeof sharedMembers}`
      ? MembersIn<(typeof sharedMembers)[Name]>
      : Text extends `${infer Member} = ${string}` | `${infer Member}?`
        ? Optional<NameIn<Member>, TypeIn<Member>>
        : Text extends `${infer Name}?: ${infer Type}`
          ? Optional<Name, TypeIn<Type>>
          : { [Key in NameIn<Text>]: TypeIn<Text> };

type Optional<Name extends string, Type> = { [Key in Name]?: Type | undefined };

type NameIn<Text extends string> = Text extends `${infer Name}: ${string}` ? Name : Text;

type TypeIn<Text extends string> = Text extends `${string}: ${infer Type}`
  ? TypeIn<Type>
  : Text extends `${infer Type}|null`
    ? TypeIn<Type> | null
    : Text extends MemberType
      ? z.input<ReturnType<(typeof memberTypes)[Text]>>
      : never;

/**
 * Reads the line of an operation. A run uses few of them: the schema of each is built when it is used first.
 *
 * @throws {Error} where a line has an answer that is none: a mistake in the contract.
 */
export function readEndpoint(line: OperationLine): Endpoint {
  const [taken = '', answer] = line.split(' -> ');
  const input = once(() => inputIn(taken.replace(/^\w+\s*/, '')));
  return {
    method: taken.startsWith('GET') ? 'GET' : 'POST',
    answer: answer === undefined ? 'object' : named(answerBodies, answer),
    get input() {
      return input();
    },
  };
}

function inputIn(text: string): z.ZodObject {
  const schema = z.strictObject(shapeIn(text));
  return text.endsWith('...') ? schema.loose() : schema;
}

function shapeIn(text: string): z.ZodRawShape {
  return Object.assign({}, ...text.split(',').map((member) => memberIn(member.trim()))) as z.ZodRawShape; // all are shapes
}

function memberIn(text: string): z.ZodRawShape {
  const [, shared, partial] = /^\.\.\.(\w+)(\??)$/.exec(text) ?? [];
  if (shared !== undefined) {
    const shape = shapeIn(named(sharedMembers, shared));
    return partial === '?' ? z.strictObject(shape).partial().shape : shape;
  }
  const [, name, optional, type = name, nullable, preset] =
    /^(\w+)(\??)(?:: (\w+)(\|null)?)?(?: = (.+))?$/.exec(text) ?? [];
  if (name === undefined || type === undefined) {
    if (text === '' || text === '...') return {};
    throw new Error(`The contract has no ${text}`);
  }
  return { [name]: schemaOf(type, [optional, nullable, preset]) };
}

/** Schemas never change: operations share those of members with the same words. */
const schemas = new Map<string, z.ZodType>();

function schemaOf(type: string, [optional, nullable, preset]: readonly (string | undefined)[]): z.ZodType {
  const key = [type, optional, nullable, preset].join(' ');
  const known = schemas.get(key);
  if (known !== undefined) return known;
  const schema: z.ZodType = named(memberTypes, type)();
  const orNull = nullable === undefined ? schema : schema.nullable();
  const orNothing = optional === '?' ? orNull.optional() : orNull;
  const made = preset === undefined ? orNothing : orNull.default(valueIn(preset));
  schemas.set(key, made);
  return made;
}

/** A default as a line has it: JSON, or else a text. Never throws. */
export function valueIn(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

/** @throws {Error} where a line has a name that is none: a mistake in the contract. */
function named<T>(table: Readonly<Record<string, T>>, name: string): T {
  const found = table[name];
  if (found === undefined) throw new Error(`The contract has no ${name}`);
  return found;
}

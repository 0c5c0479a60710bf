import { readEnvText } from '../../formats/env-text.ts';
import { type Json, type Row, isObject } from '../../formats/json.ts';

/** Values of variables by name. A name that is missing has no value, or none that can be told. */
export type Variables = ReadonlyMap<string, string>;

/**
 * The variables that a compose file of a compose takes: those of its env, with the variables of the environment filled in.
 * Without its .env file a compose has none; a stack takes them from the command line.
 */
export function variablesOf({ env, createEnvFile, composeType }: Row, environment: Row = {}): Variables {
  const filled = new Map<string, string>();
  if (createEnvFile === false && composeType !== 'stack') return filled;
  const outer = readEnvText(textOf(environment.env));
  for (const [name, value] of readEnvText(textOf(env))) {
    const whole = value.replaceAll(/\$\{\{environment\.(.*?)\}\}/g, (all, key: string) => outer.get(key) ?? all);
    filled.set(name, interpolated(whole, filled));
  }
  return filled;
}

/** A value with the variables in all its texts filled in, as Docker Compose does; keys of maps stay. */
export function withVariables(value: Json, variables: Variables): Json {
  if (typeof value === 'string') return interpolated(value, variables);
  if (Array.isArray(value)) return value.map((item) => withVariables(item as Json, variables));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withVariables(item, variables)]));
}

// One level of braces in a default: `${A:-${B}}`.
const EXPRESSION = /\$(?:\$|([A-Za-z_]\w*)|\{([A-Za-z_]\w*)(?:(:?[-+?])((?:[^{}]|\{[^{}]*\})*))?\})/g;

/** A variable without value and default stays, as `${X}`: two of them are the same. */
function interpolated(text: string, variables: Variables): string {
  const fill = (all: string, bare?: string, braced?: string, operator = '', word = ''): string => {
    const name = bare ?? braced;
    if (name === undefined) return '$';
    const value = variables.get(name);
    const isSet = operator.startsWith(':') ? value !== undefined && value !== '' : value !== undefined;
    if (operator.endsWith('-')) return isSet ? (value ?? '') : interpolated(word, variables);
    if (operator.endsWith('+')) return isSet ? interpolated(word, variables) : '';
    return value ?? `\${${name}}`;
  };
  return text.replaceAll(EXPRESSION, fill);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

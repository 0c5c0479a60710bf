import { interpolate } from '../../compose/interpolate.ts';
import { readEnvText } from '../../formats/env-text.ts';
import type { Row } from '../../formats/json.ts';

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
    filled.set(name, interpolate(whole, (inner) => filled.get(inner)).text);
  }
  return filled;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

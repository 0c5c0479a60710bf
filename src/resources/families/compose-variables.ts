import { interpolate } from '../../compose/interpolate.ts';
import { readEnvText } from '../../formats/env-text.ts';
import type { Row } from '../../formats/json.ts';
import { contentOf, hasEnvFile } from './compose-model.ts';

/** Values of variables by name. A name that is missing has no value, or none that can be told. */
export type Variables = ReadonlyMap<string, string>;

/**
 * The variables of a service as the platform passes them on: it fills in the variables of the environment, then the raw values
 * of other variables of the service. Those of the project are not known. Source: prepareEnvironmentVariables.
 */
export function filledEnv({ env }: Row, environment: Row = {}): Variables {
  const own = readEnvText(textOf(env));
  const outer = readEnvText(textOf(environment.env));
  return new Map([...own].map(([name, value]) => [name, putIn(own, '${{', putIn(outer, '${{environment.', value))]));
}

/** A text with the values of the variables that it mentions behind an `opening`, up to `}}`. */
function putIn(values: Variables, opening: string, text: string): string {
  const [start = '', ...rest] = text.split(opening);
  const parts = rest.map((part) => {
    const end = part.indexOf('}}');
    const value = end === -1 ? undefined : values.get(part.slice(0, end));
    return value === undefined ? opening + part : value + part.slice(end + 2);
  });
  return start + parts.join('');
}

/**
 * The variables that a compose file of a compose takes. Without its .env file a compose has none; a stack takes them from the
 * command line.
 */
export function variablesOf(row: Row, environment?: Row): Variables {
  const filled = new Map<string, string>();
  if (!hasEnvFile(row) && row.composeType !== 'stack') return filled;
  for (const [name, value] of filledEnv(row, environment))
    filled.set(name, interpolate(value, (inner) => filled.get(inner)).text);
  return filled;
}

/**
 * The project of a compose, or the stack, whose name stands before those of its volumes: the one that its command names. A
 * command without one takes it from the .env file, where the platform writes it, and without that from the compose file or the
 * folder.
 */
export function projectOf(row: Row, variables: Variables): string {
  const { command, appName, composeType } = row;
  const own = textOf(appName);
  const parts = textOf(command).split('&&');
  const words = (parts.find((part) => /\sup(?:\s|$)/.test(part)) ?? parts[0] ?? '').trim();
  if (words === '') return own;
  if (composeType === 'stack') return words.split(/\s+/).findLast((word) => !word.startsWith('-')) ?? own;
  const flag = /\s(?:-p|--project-name)[=\s]?\s*(\S+)/.exec(words)?.[1];
  if (hasEnvFile(row)) return flag ?? variables.get('COMPOSE_PROJECT_NAME') ?? own;
  return flag ?? nameIn(row) ?? 'code';
}

/** The name of the project that a compose file itself has; one in which variables stand is not known without them. */
function nameIn({ composeFile }: Row): string | undefined {
  const { name } = contentOf(composeFile) ?? {};
  return typeof name === 'string' ? interpolate(name, () => undefined).text : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

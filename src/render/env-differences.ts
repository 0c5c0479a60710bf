import { readEnvText } from '../formats/env-text.ts';

/** The difference of two env files: by key, and whether more than values differs. */
export interface EnvDifference {
  /** A side is undefined where the key is not there. */
  readonly keys: readonly (readonly [key: string, before: string | undefined, after: string | undefined])[];
  /** Comments, the order of the keys, or how values are quoted. */
  readonly hasMore: boolean;
}

/** An entry of an env file on a line of its own. */
interface Entry {
  readonly value: string;
  /** Its number, from 1. */
  readonly line: number;
}

const assignment = /^(?:export\s+)?([A-Za-z_][\w.-]*)=/;

/**
 * Compares two env files key by key; undefined where one of the texts is something else, names a key twice, or has a value
 * of several lines. `rotated`: the new lines in which secret parts change, by their numbers.
 */
export function envDifference(
  [before, after]: readonly [string, string],
  rotated: ReadonlyMap<number, string> = new Map(),
): EnvDifference | undefined {
  const [old, fresh] = [readLines(before), readLines(after)];
  if (old === undefined || fresh === undefined || old.size + fresh.size === 0) return undefined;
  const keys = [...new Set([...old.keys(), ...fresh.keys()])].flatMap((key) => {
    const [was, is] = [old.get(key), fresh.get(key)];
    const marked = is === undefined ? undefined : rotated.get(is.line);
    if (marked !== undefined) return [[key, was?.value, readEnvText(marked).get(key)] as const];
    return was?.value === is?.value ? [] : [[key, was?.value, is?.value] as const];
  });
  const changed = new Set(keys.map(([key]) => key));
  return { keys, hasMore: without(before, changed) !== without(after, changed) };
}

/** The entries of an env file in which each has one line; undefined for other texts. */
function readLines(text: string): ReadonlyMap<string, Entry> | undefined {
  const entries = new Map<string, Entry>();
  for (const [at, line] of text.split('\n').entries()) {
    if (/^\s*(?:#|$)/.test(line)) continue;
    const key = assignment.exec(line)?.[1];
    if (key === undefined || entries.has(key)) return undefined;
    entries.set(key, { value: readEnvText(line).get(key) ?? '', line: at + 1 });
  }
  const all = readEnvText(text);
  const isSame = all.size === entries.size && [...entries].every(([key, { value }]) => all.get(key) === value);
  return isSame ? entries : undefined;
}

/** The lines of an env file without those of some keys. */
function without(text: string, keys: ReadonlySet<string>): string {
  const isOther = (line: string): boolean => !keys.has(assignment.exec(line)?.[1] ?? '');
  return text.trimEnd().split('\n').filter(isOther).join('\n');
}

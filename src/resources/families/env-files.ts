import { interpolate, isOpen } from '../../compose/interpolate.ts';
import { mapOf } from '../../compose/service-parts.ts';
import { readEnvText } from '../../formats/env-text.ts';
import { type Json, type Row, isObject } from '../../formats/json.ts';
import type { Variables } from './compose-variables.ts';
import { isBeside, isOff } from './compose-reach.ts';
import { mountRows } from './mounted-volumes.ts';
import { resolvedPath } from './own-folder.ts';

/** The files beside a compose file, by their paths from it, such as `../files/db.env`. */
export type FilesBeside = ReadonlyMap<string, string>;

/** The files that the platform writes for a compose, from its row: those of the blocks under `files:`. */
export function filesBeside(row: Row): FilesBeside {
  return new Map(
    mountRows(row).flatMap(({ filePath, content }) =>
      typeof filePath === 'string' && typeof content === 'string' ? [[pathOf(filePath), content] as const] : [],
    ),
  );
}

/** Where a compose file finds the file of a block under `files:`. */
export function pathOf(filePath: string): string {
  return resolvedPath(`../files/${filePath}`);
}

/** What a service gets by `env_file:`. */
interface Given {
  readonly variables: Variables;
  /** The files whose variables are not known, as the compose file names them: those of the host. */
  readonly unread: readonly string[];
}

/**
 * Reads what a service gets by `env_file:`, in a list, a text or maps with `path:`; the last file that has a variable counts.
 * A stack reads lines as they are, and so does `format: raw`. A file that no block writes may be there by other hands.
 * Source: compose-go, types/project.go and dotenv; docker/cli, opts.ParseEnvFile.
 */
export function readEnvFiles(
  listed: Json | undefined,
  { variables, files, isStack }: { variables: Variables; files: FilesBeside; isStack: boolean },
): Given {
  const given = new Map<string, string>();
  const unread: string[] = [];
  for (const item of isOff(listed) ? [] : [listed ?? []].flat()) {
    const { path, format } = isObject(item) ? mapOf(item) : { path: item, format: undefined };
    const [name, plain] = [String(path), resolvedPath(String(path))];
    const text = files.get(plain);
    if (plain === '.env') for (const [key, value] of variables) given.set(key, value);
    else if (text === undefined) {
      // A deployment makes the folder of the compose file anew: nothing else is in it.
      if (isOpen(name) || !isBeside(name) || plain.startsWith('../')) unread.push(name);
    } else if (isStack || format === 'raw') for (const [key, value] of rawLines(text)) given.set(key, value);
    else {
      for (const [key, value] of readEnvText(text))
        given.set(key, interpolate(value, (one) => variables.get(one) ?? given.get(one)).text);
    }
  }
  return { variables: given, unread };
}

function rawLines(text: string): readonly (readonly [string, string])[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, name, value] = /^\s*([^#=\s][^=]*)=(.*)$/.exec(line) ?? [];
    return name === undefined || value === undefined ? [] : [[name, value] as const];
  });
}

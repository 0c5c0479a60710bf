import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { stop } from '../diagnostics/diagnostic.ts';
import { reasonOf } from '../diagnostics/disk-errors.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Environment } from '../project/folder.ts';

/** Most characters of a file with a secret. */
const maxLength = 65_536;

/**
 * The file that a text names: `${NAME}` in it stands for a variable of the environment, such as CREDENTIALS_DIRECTORY of systemd, and
 * a relative one begins in `folder`. Or why it names none.
 */
export function fileNamed(
  text: string,
  env: Environment,
  folder: string,
): { readonly path: string } | { readonly problem: string } {
  const names = [...text.matchAll(/\$\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);
  const unset = names.find((name) => (env[name] ?? '') === '');
  if (unset !== undefined) return { problem: `names ${unset}, which the environment does not have` };
  return {
    path: resolve(
      folder,
      text.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => env[name] ?? ''),
    ),
  };
}

/** Reads a secret from a file, without the line end behind it. @throws {Stop} `usage`, where it cannot be read or is empty */
export async function readSecretFile(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    const remedy = 'Make the file, and let the user of this process read it.';
    throw stop('usage', 'file-unreadable', `cannot read ${path}: ${reasonOf(error)}`, { remedy, cause: error });
  });
  const secret = text.trim();
  if (secret === '' || secret.length > maxLength) {
    const is = secret === '' ? 'is empty' : `has more than ${maxLength} characters`;
    throw stop('usage', 'file-unreadable', `${path} ${is}`, { remedy: 'Write the secret and nothing else into it.' });
  }
  return secret;
}

/** The file that a record names. @throws {Stop} `usage`, where the environment of this process lacks a variable of it */
export function secretPath(named: string): string {
  const found = fileNamed(named, process.env, '/');
  if ('path' in found) return found.path;
  throw usage(`${named} ${found.problem}`, 'Set the variable for this process, or enrol another name of the file.');
}

/** Reads the secret in a file that a record names. @throws {Stop} `usage`, where it cannot be read */
export async function readNamedSecret(named: string): Promise<string> {
  return readSecretFile(secretPath(named));
}

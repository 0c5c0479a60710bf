import { homedir } from 'node:os';
import { join } from 'node:path';
import { usage } from '../diagnostics/usage.ts';
import type { Environment } from '../project/folder.ts';
import { parseStateKey } from '../secrets/state-key.ts';
import { connectionTo } from './pool.ts';
import { fileNamed, readSecretFile } from './secret-file.ts';

/** The value of a variable, or of the file that NAME_FILE names; undefined: neither is set. @throws {Stop} `usage` */
async function valueOf(env: Environment, name: string): Promise<string | undefined> {
  const [text = '', file = ''] = [env[name], env[`${name}_FILE`]];
  if (text !== '' && file !== '') throw usage(`${name} and ${name}_FILE are both set`, 'Unset one of them.');
  if (file === '') return text === '' ? undefined : text.trim();
  const named = fileNamed(file, env, '/');
  if ('problem' in named) throw usage(`${name}_FILE ${named.problem}`, 'Correct the name of the file.');
  return readSecretFile(named.path);
}

/** The address of a database that is set for the controller; undefined: none is. @throws {Stop} `state`, where it is none */
export async function givenDatabaseUrl(env: Environment): Promise<string | undefined> {
  const url = await valueOf(env, 'TRUEUP_CONTROLLER_URL');
  if (url !== undefined) connectionTo(url);
  return url;
}

/** The address of the database of the controller. @throws {Stop} `usage`, where it is not set; `state`, where it is none */
export async function databaseUrl(env: Environment): Promise<string> {
  const url = await givenDatabaseUrl(env);
  if (url !== undefined) return url;
  throw usage(
    'TRUEUP_CONTROLLER_URL is not set: the controller has no database',
    'Set it to postgres://user:password@host/database, or TRUEUP_CONTROLLER_URL_FILE to a file with that.',
  );
}

/** The key of all states of the controller. @throws {Stop} `usage`, where it is not set or is no key; never with its text */
export async function stateKey(env: Environment): Promise<string> {
  const key = await valueOf(env, 'TRUEUP_STATE_KEY');
  const remedy =
    'Set TRUEUP_STATE_KEY, or TRUEUP_STATE_KEY_FILE to a file with the key. trueup controller key makes a new one: keep a copy.';
  if (key === undefined) throw usage('TRUEUP_STATE_KEY is not set: the states of the controller have no key', remedy);
  if (parseStateKey(key) === undefined)
    throw usage('TRUEUP_STATE_KEY is no key of a state, or not the whole of one', remedy);
  return key;
}

/** The folder of the checkouts, unless an option names one: that of systemd, or one of this user. */
export function checkoutsFolder(env: Environment): string {
  const [service = ''] = (env['STATE_DIRECTORY'] ?? '').split(':');
  const own = env['XDG_STATE_HOME'] ?? '';
  const state = own === '' ? join(homedir(), '.local/state') : own;
  return join(service === '' ? join(state, 'trueup') : service, 'checkouts');
}

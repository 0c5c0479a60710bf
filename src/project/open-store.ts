import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { localStore } from '../state/backends/local.ts';
import { postgresStore } from '../state/backends/postgres.ts';
import { s3Store } from '../state/backends/s3.ts';
import type { StateStore } from '../state/state.ts';
import type { Environment, ProjectFolder } from './folder.ts';
import { refuseLinks } from './links.ts';
import type { StateLocation } from './state-location.ts';

/**
 * Opens the storage of a state, with the credentials in the environment. Sends nothing yet.
 *
 * @throws {Stop} `state`, when a credential is missing, or when the folder of a local state leads elsewhere.
 */
export function openStore(
  location: StateLocation,
  { options, redactor }: { readonly options: ProjectFolder; readonly redactor: Redactor },
): StateStore {
  const { env } = options;
  switch (location.backend) {
    case 'local':
      refuseLinks(options.folder, location.folder, ['lease', 'documents', 'state.json', 'state.journal']);
      return localStore(location.folder);
    case 'postgres':
      addSecretsOfUrl(redactor, location.url);
      return postgresStore(location);
    case 's3': {
      const why = 'It is half of the key for the bucket of the state; the other half is';
      const accessKeyId = credential(env, 'AWS_ACCESS_KEY_ID', `${why} AWS_SECRET_ACCESS_KEY.`);
      const secretAccessKey = credential(env, 'AWS_SECRET_ACCESS_KEY', `${why} AWS_ACCESS_KEY_ID.`);
      const sessionToken = env['AWS_SESSION_TOKEN'] ?? '';
      for (const secret of [secretAccessKey, sessionToken]) redactor.add(secret);
      const key = { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) };
      return s3Store({ ...location, key });
    }
    default:
      return location satisfies never;
  }
}

function credential(env: Environment, name: string, remedy: string): string {
  const value = env[name] ?? '';
  if (value !== '') return value;
  throw new Stop('state', [
    diagnostic('secret-missing', `the state cannot be reached: ${name} is not set`, {
      remedy: `Set ${name}. ${remedy}`,
    }),
  ]);
}

function addSecretsOfUrl(redactor: Redactor, url: string): void {
  redactor.add(url);
  if (!URL.canParse(url)) return;
  const { password, searchParams } = new URL(url);
  for (const secret of [password, decoded(password), searchParams.get('password') ?? '']) redactor.add(secret);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

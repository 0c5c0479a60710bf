import { basename, join } from 'node:path';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { StatePlace } from '../manifest/settings.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { localStore } from '../state/backends/local.ts';
import { postgresStore } from '../state/backends/postgres.ts';
import { s3Store } from '../state/backends/s3.ts';
import type { StateStore } from '../state/state.ts';
import type { Environment, ProjectFolder } from './folder.ts';

/**
 * Opens the storage of the state that a manifest names, with the credentials in the environment. Sends nothing yet.
 *
 * @throws {Stop} `state`, when a credential is missing.
 */
export function openStore(
  { state, project }: { readonly state: StatePlace; readonly project: string | undefined },
  { options, redactor }: { readonly options: ProjectFolder; readonly redactor: Redactor },
): StateStore {
  const { env } = options;
  // Each manifest of a folder has a state of its own.
  const name = [project ?? 'state', ...(options.file === 'trueup.yaml' ? [] : [basename(options.file)])].join('/');
  switch (state.backend) {
    case 'local':
      return localStore(stateFolder(options));
    case 'postgres': {
      const url = credential(
        env,
        'TRUEUP_STATE_URL',
        'It is the address of the database: postgres://user:password@host/name.',
      );
      addSecretsOfUrl(redactor, url);
      return postgresStore({ url, schema: state.schema ?? 'trueup', name: state.name ?? name });
    }
    case 's3': {
      const why = 'It is half of the key for the bucket of the state; the other half is';
      const accessKeyId = credential(env, 'AWS_ACCESS_KEY_ID', `${why} AWS_SECRET_ACCESS_KEY.`);
      const secretAccessKey = credential(env, 'AWS_SECRET_ACCESS_KEY', `${why} AWS_ACCESS_KEY_ID.`);
      const sessionToken = env['AWS_SESSION_TOKEN'] ?? '';
      for (const secret of [secretAccessKey, sessionToken]) redactor.add(secret);
      return s3Store({
        endpoint: state.endpoint,
        bucket: state.bucket,
        region: state.region ?? 'us-east-1',
        prefix: `${(state.prefix ?? name).replace(/\/+$/, '')}/`,
        key: { accessKeyId, secretAccessKey, ...(sessionToken === '' ? {} : { sessionToken }) },
      });
    }
    default:
      return state satisfies never;
  }
}

/** The folder beside the manifest in which a local state is kept. */
export function stateFolder({ folder, file }: Pick<ProjectFolder, 'folder' | 'file'>): string {
  return file === 'trueup.yaml' ? join(folder, '.trueup') : join(folder, '.trueup', basename(file));
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

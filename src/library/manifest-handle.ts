import { resolve } from 'node:path';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import type { Manifest as ReadManifest } from '../manifest/manifest.ts';
import { type Environment, type ProjectFolder, findPlace } from '../project/folder.ts';
import { refuseLinkOut } from '../project/root-of-trust.ts';
import { checkManifest, loadWithSecrets } from '../project/load.ts';
import { readValueFiles } from '../project/value-files.ts';
import type { Validated } from '../workflow/validate.ts';
import { kinds } from '../resources/index.ts';
import { type Handle, createHandles } from './handle.ts';
import { type ProjectSecrets, createSecrets } from './project-secrets.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { secretsOfEnvironment } from '../secrets/sources/env.ts';

/** A manifest that was read and is valid. */
export type Manifest = Handle<'manifest'>;

/** The surroundings that a manifest is read in. */
export interface ManifestOptions {
  /** The manifest in the folder; `trueup.yaml` by default. */
  readonly file?: string;
  /** Values of variables; they come before TRUEUP_VAR_<name>. */
  readonly variables?: Readonly<Record<string, string>>;
  /**
   * YAML files with values of variables, by paths from the working folder; they come behind TRUEUP_VAR_<name>, and later
   * ones over earlier ones.
   */
  readonly valueFiles?: readonly string[];
  /** The preview of a root file that has `preview:`, such as the number of a pull request. */
  readonly preview?: string;
  /** Secrets, variables, the API key and the credentials of the state; the environment of the process by default. */
  readonly env?: Environment;
  /** true: programs that the manifest names may run to give secrets. */
  readonly allowsSecretCommands?: boolean;
  /** true: only the environment chooses the platform and the state. By default TRUEUP_PINNED decides, then CI. */
  readonly isPinned?: boolean;
  /** true: plain http to other hosts than this machine is allowed. By default TRUEUP_ALLOW_HTTP decides. */
  readonly allowsHttp?: boolean;
  /** The kinds that the manifest may use; all of Trueup by default. */
  readonly kinds?: readonly Kind[];
}

interface Content {
  readonly manifest: ReadManifest;
  readonly secrets: ProjectSecrets;
  readonly folder: ProjectFolder;
}

const handles = createHandles<'manifest', Content>('manifest');

/** Reads the content of a manifest, for the library itself. @throws {TypeError} when it is none of Trueup. */
export const contentOf = handles.read;

/**
 * Reads and checks the manifest of a folder. Sends nothing, and reads secrets from `env` only.
 *
 * @throws {Stop} `manifest`, with everything that is wrong in it; `usage`, when the folder or a variable does not exist.
 */
export function validate(
  folder: string,
  options: ManifestOptions = {},
): Promise<{
  readonly manifest: Manifest;
  readonly addresses: readonly string[];
  readonly warnings: readonly Diagnostic[];
}> {
  return read(folder, options, checkManifest);
}

/**
 * Reads and checks the manifest of a folder, with the secrets of the sources that it declares.
 *
 * @throws {Stop} as `validate`; `refused`, when a source does not give a secret.
 */
export async function readManifest(folder: string, options: ManifestOptions = {}): Promise<Manifest> {
  const { manifest } = await read(folder, options, (place) => loadWithSecrets(place, { check: () => {} }));
  return manifest;
}

/**
 * Reads the manifest of a folder whose own platform and state are used.
 *
 * @throws {Stop} as `readManifest`; `refused`, when the environment does not allow them.
 */
export async function readOwnManifest(folder: string, options: ManifestOptions): Promise<Manifest> {
  const { manifest } = await read(folder, options, loadWithSecrets);
  return manifest;
}

async function read(folder: string, options: ManifestOptions, load: (place: ProjectFolder) => Promise<Validated>) {
  const secrets = createSecrets();
  for (const secret of secretsOfEnvironment(options.env ?? process.env)) secrets.add(secret);
  const redactor = secrets.redactor();
  const add: Redactor['add'] = (secret) => {
    secrets.add(secret);
    redactor.add(secret);
  };
  const place = placeOf(folder, options, { ...redactor, add });
  await refuseLinkOut(place);
  const { manifest, warnings } = await load(place);
  return {
    manifest: handles.make({ manifest, secrets, folder: place }),
    addresses: manifest.resources.map(({ address }) => address),
    warnings,
  };
}

function placeOf(folder: string, options: ManifestOptions, redactor: Redactor): ProjectFolder {
  const place = findPlace(resolve(folder), options.file ?? 'trueup.yaml');
  const { valueFiles = [], preview } = options;
  return {
    ...place,
    variables: new Map(Object.entries(options.variables ?? {})),
    valueFiles: readValueFiles(valueFiles, { folder: place.folder, cwd: process.cwd(), option: 'valueFiles' }),
    preview,
    env: options.env ?? process.env,
    redactor,
    allowsSecretCommands: options.allowsSecretCommands === true,
    isPinned: options.isPinned,
    allowsHttp: options.allowsHttp,
    kinds: options.kinds ?? kinds,
  };
}

import { type Json, canonical } from '../formats/json.ts';
import { createHash } from 'node:crypto';
import { readFileSync, realpathSync } from 'node:fs';
import { relative, resolve, sep } from 'node:path';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Kind } from '../kind/kind.ts';
import type { Manifest as ReadManifest } from '../manifest/manifest.ts';
import { type Environment, type ProjectFolder, findPlace } from '../project/folder.ts';
import { refuseLinkOut } from '../project/root-of-trust.ts';
import { checkManifest, loadToDestroy, loadWithSecrets } from '../project/load.ts';
import { readValueFiles } from '../project/value-files.ts';
import { checkPlatform } from '../project/platform-address.ts';
import { locateState, readPreview, requirePreview } from '../project/state-location.ts';
import type { Settings } from '../manifest/settings.ts';
import type { Validated } from '../workflow/validate.ts';
import { kinds } from '../resources/index.ts';
import { type Terms, leaseTerms } from '../state/lease.ts';
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
  /** The durations of the lock of a state; with `lastsMs` alone it is renewed three times in that time. */
  readonly lease?: Partial<Terms>;
  /** The kinds that the manifest may use; all of Trueup by default. */
  readonly kinds?: readonly Kind[];
}

/** What a manifest is made of. */
export interface ManifestDocument {
  /** The addresses of its blocks. */
  readonly addresses: readonly string[];
  /** The files that it was read from, by their paths below its folder, with `/`. */
  readonly files: readonly string[];
  /**
   * SHA-256 of these files, of the values of its variables and of `${env:…}`, and of the preview, as hex: with the same digest it
   * wants the same, but for secrets.
   */
  readonly digest: string;
}

interface Content {
  readonly document: ManifestDocument;
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
): Promise<{ readonly manifest: Manifest; readonly warnings: readonly Diagnostic[] }> {
  return read(folder, options, checkManifest);
}

/**
 * Reads and checks the manifest of a folder, with the secrets of the sources that it declares. `uses`: what of it a run uses;
 * `destroys`: only what a plan that deletes everything needs.
 *
 * @throws {Stop} as `validate`; `refused`, when a source does not give a secret, or the environment does not allow what is used;
 *   `usage`, when the file has `preview:` and no preview is named.
 */
export async function readManifest(
  folder: string,
  options: ManifestOptions,
  uses: { readonly platform: boolean; readonly state: boolean; readonly destroys: boolean },
): Promise<Manifest> {
  const { manifest } = await read(folder, options, async (place) => {
    const check = (settings: Settings): void => {
      if (uses.platform) checkPlatform(settings.platform, place);
      if (uses.state) locateState(settings, place);
    };
    const loaded = await (uses.destroys ? loadToDestroy(place) : loadWithSecrets(place, { check }));
    requirePreview(loaded.manifest.settings, place);
    return loaded;
  });
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
  const document = documentOf(manifest, place);
  return { manifest: handles.make({ manifest, document, secrets, folder: place }), warnings };
}

function documentOf(
  { resources, variables, files }: ReadManifest,
  { folder, env, preview }: ProjectFolder,
): ManifestDocument {
  const root = realpathSync.native(folder);
  const paths = [...files].map((file) => [relative(root, file).split(sep).join('/'), file] as const);
  const byPath = paths.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const hash = createHash('sha256');
  const read = new Set<string>();
  for (const [path, file] of byPath) {
    const bytes = readFileSync(file);
    hash.update(`${path}\0${bytes.length}\0`).update(bytes);
    for (const [, name = ''] of bytes.toString().matchAll(/\$\{env:([^}|]*)/g)) read.add(name);
  }
  const values: readonly Json[] = [
    [...variables].map(([name, { value }]) => [name, value as Json]),
    [...read].toSorted().map((name) => [name, env[name] ?? null]),
    preview ?? null,
  ];
  hash.update(canonical(values));
  return {
    addresses: resources.map(({ address }) => address),
    files: byPath.map(([path]) => path),
    digest: hash.digest('hex'),
  };
}

/** The blocks and the files of a manifest, and the digest of what it wants. @throws {TypeError} when it is none of Trueup. */
export function manifestDocument(manifest: Manifest): ManifestDocument {
  return handles.read(manifest).document;
}

function placeOf(folder: string, options: ManifestOptions, redactor: Redactor): ProjectFolder {
  const place = findPlace(resolve(folder), options.file ?? 'trueup.yaml');
  const { valueFiles = [], preview } = options;
  return {
    ...place,
    variables: new Map(Object.entries(options.variables ?? {})),
    valueFiles: readValueFiles(valueFiles, { folder: place.folder, cwd: process.cwd(), option: 'valueFiles' }),
    preview: preview === undefined ? undefined : readPreview('preview', preview),
    env: options.env ?? process.env,
    redactor,
    allowsSecretCommands: options.allowsSecretCommands === true,
    isPinned: options.isPinned,
    allowsHttp: options.allowsHttp,
    kinds: options.kinds ?? kinds,
    lease: options.lease && leaseTerms(options.lease),
  };
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { closest } from '../diagnostics/closest.ts';
import { type Diagnostic, hasErrors, Stop } from '../diagnostics/diagnostic.ts';
import { reasonOf, remedyForDisk } from '../diagnostics/disk-errors.ts';
import { usage } from '../diagnostics/usage.ts';
import { readFile } from '../files/read.ts';
import { adoptOnly } from '../manifest/required.ts';
import { type ManifestInput, withoutBlocks } from '../manifest/manifest.ts';
import { withQuotes } from '../manifest/quote.ts';
import type { Resource } from '../manifest/resource.ts';
import { deploymentsExpected } from '../plan/deployment-findings.ts';
import { applyMoves } from '../plan/moved-addresses.ts';
import type { Settings } from '../manifest/settings.ts';
import { askSources } from '../manifest/ask-sources.ts';
import { missingSecrets } from '../manifest/needed-secrets.ts';
import type { WholeRead } from '../manifest/whole.ts';
import type { FileText, Workspace } from '../manifest/workspace.ts';
import { type Validated, validate } from '../workflow/validate.ts';
import { envSecrets } from '../secrets/sources/env.ts';
import type { Environment, ProjectFolder } from './folder.ts';
import { nameRootFile, noRootFile, refuseShared, requireFolder } from './no-root-file.ts';
import { ownedTwice } from './owned-twice.ts';
import { readingOf, workspaceOf } from './pins.ts';
import { checkAddresses } from './platform-address.ts';
import { howToGiveIn, overridden, variableIn } from './secret-remedies.ts';
import { sharedPlatforms } from './shared-platforms.ts';
import { refuseNoFamily } from './state-location.ts';
import { settingsIn, targetOf } from './target.ts';

/**
 * Reads and checks the manifest of a folder. Sends nothing, and reads secrets from the environment only: whoever may not
 * know them can check a manifest.
 *
 * @throws {Stop} `manifest`, with everything that is wrong in it; `usage`, when the folder or a variable does not exist.
 */
export async function loadManifest(
  options: ProjectFolder,
  {
    around = (workspace) => workspace,
    ...asked
  }: Asked & { readonly around?: (workspace: Workspace) => Workspace } = {},
): Promise<Validated> {
  const workspace = around(await openFolder(options));
  return load(options, { workspace, secret: envSecrets(options.env), ...asked });
}

/**
 * Reads and checks the manifest of a folder on its own: what a plan would say of blocks that lack keys is a warning here.
 *
 * @throws {Stop} as `loadManifest`; `manifest`, when another root file of the folder declares the same.
 */
export async function checkManifest(given: ProjectFolder): Promise<Validated> {
  const options = sharing(given);
  let own: WholeRead | undefined;
  const { manifest, warnings } = await loadManifest(options, { onWhole: (read) => void (own = read) });
  const found = await refuseRivals(options, own);
  const { settings, resources, texts, deployments } = manifest;
  const { diagnostics: moves } = applyMoves(undefined, settings.moved, resources);
  const quoted = withQuotes([...moves, ...deploymentsExpected(deployments)], texts, options.kinds);
  const all = [...warnings, ...found, ...adoptOnly(resources), ...quoted];
  if (hasErrors(all)) throw new Stop('manifest', all);
  return { manifest, warnings: all };
}

/**
 * Reads and checks the manifest of a folder with the secrets of the sources that it declares. A manifest with a mistake
 * asks none of them. Before the first is asked, `check` is called: by default it refuses a manifest whose platform or state
 * this run may not use. `accept` is called before that.
 *
 * @throws {Stop} as `loadManifest`; `refused`, when a source does not give a secret. @throws whatever `check` or `accept` throws.
 */
export async function loadWithSecrets(
  options: ProjectFolder,
  {
    check = (settings) => void targetOf(settings, options),
    accept,
    ...asked
  }: Asked & {
    readonly check?: (settings: Settings) => void;
    readonly accept?: () => Promise<void>;
  } = {},
): Promise<Validated & { readonly secret: (name: string) => string | undefined }> {
  const { env, redactor } = options;
  const workspace = await openFolder(options);
  const inEnvironment = envSecrets(env);
  const validated = await load(options, { workspace, secret: inEnvironment, ...asked });
  await accept?.();
  const { secrets: sources } = validated.manifest.settings;
  const names = missingSecrets(validated.manifest);
  if (sources.length > 0) check(validated.manifest.settings);
  const { values, offers, diagnostics } = await askSources({
    sources,
    names,
    workspace,
    identity: () => readIdentity(env),
    allowsCommands: options.allowsSecretCommands === true,
    env,
    addSecret: redactor.add,
    redact: redactor.redact,
    variable: (name) => variableIn(options, name),
  });
  if (diagnostics.length > 0) throw new Stop('refused', diagnostics);
  const secret = secretsFrom(inEnvironment, values);
  const { manifest, warnings } =
    values.size === 0 ? validated : await load(options, { workspace, secret, freeText: asked.freeText });
  const files = new Map([...offers].map(([name, { by }]) => [name, by]));
  const howToGive = howToGiveIn(options, manifest.settings, files);
  const shadowed = overridden(options, manifest, offers);
  return { manifest: { ...manifest, howToGive }, warnings: [...warnings, ...shadowed], secret };
}

/** Secrets of the environment, else those that were asked for. Made here, it keeps nothing of what was read before. */
function secretsFrom(inEnvironment: (name: string) => string | undefined, asked: ReadonlyMap<string, string>) {
  return (name: string) => inEnvironment(name) ?? asked.get(name);
}

/**
 * As `loadWithSecrets`, for a plan that writes: before a secret is asked for, the other root files of the folder are compared.
 *
 * @throws {Stop} as `loadWithSecrets`; `manifest`, when another root file of the folder declares the same.
 */
export async function loadToWrite(given: ProjectFolder, asked: Asked = {}): ReturnType<typeof loadWithSecrets> {
  const options = sharing(given);
  let found: readonly Diagnostic[] = [];
  let own: WholeRead | undefined;
  const onWhole = (read: WholeRead) => void (own = read);
  const accept = async () => void (found = await refuseRivals(options, own));
  const loaded = await loadWithSecrets(options, { ...asked, onWhole, accept });
  return { ...loaded, warnings: [...loaded.warnings, ...found] };
}

/** A run that reads the files of its folder once, also for the other root files. */
function sharing(options: ProjectFolder): ProjectFolder {
  return { ...options, platforms: options.platforms ?? sharedPlatforms() };
}

/** @throws {Stop} `manifest`, when another root file of the folder declares the same. */
async function refuseRivals(options: ProjectFolder, own: WholeRead | undefined): Promise<readonly Diagnostic[]> {
  const found = await ownedTwice(options, own);
  if (hasErrors(found)) throw new Stop('manifest', found);
  return found;
}

/**
 * Reads a manifest to delete what its state holds. Of a preview only the settings count: no mistake in a block and no missing
 * variable keeps it.
 *
 * @throws {Stop} as `loadManifest`.
 */
export async function loadToDestroy(options: ProjectFolder, asked: Asked = {}): Promise<Validated> {
  if (options.preview === undefined) return loadManifest(options, asked);
  const settings = await settingsIn(options);
  refuseNoFamily(settings, options);
  await asked.onSettings?.(settings, new Map());
  return { manifest: withoutBlocks(settings), warnings: [] };
}

/** The resources of the manifest, for commands that name one by its address. */
export async function declaredResources(options: ProjectFolder): Promise<readonly Resource[]> {
  return (await loadManifest(options)).manifest.resources;
}

/** Opens the folder of a manifest that is there. @throws {Stop} `usage`; `manifest`, without the file */
export async function openFolder(options: ProjectFolder): Promise<Workspace> {
  const { folder, file } = options;
  requireFolder(options);
  if (existsSync(join(folder, file))) return workspaceOf(options);
  throw noRootFile(options, nameRootFile);
}

/** A text to evaluate beside the manifest, and what is called while it is read. */
type Asked = Pick<ManifestInput, 'freeText' | 'onSettings' | 'onWhole'>;

interface Loading extends Asked {
  readonly workspace: Workspace;
  readonly secret: (name: string) => string | undefined;
}

async function load(options: ProjectFolder, loading: Loading): Promise<Validated> {
  const validated = await validate({ ...readingOf(options), ...loading }).catch(async (error: unknown) => {
    await refuseShared(options);
    throw error;
  });
  const { settings, variables } = validated.manifest;
  refuseNoFamily(settings, options);
  const known = [...variables.keys()];
  for (const name of options.variables.keys()) {
    if (known.includes(name)) continue;
    const meant = closest(name, known);
    const remedy =
      meant === undefined ? `It declares ${known.join(', ') || 'none'}.` : `Did you mean --var ${meant}=…?`;
    throw usage(`--var ${name}: the manifest declares no variable of this name`, remedy);
  }
  const hostile = checkAddresses(settings, options);
  if (hostile.length > 0) throw new Stop('manifest', hostile);
  return validated;
}

/** The identity for age. Where it is, only the environment says: a manifest must not be able to name a file of the user. */
export async function readIdentity(env: Environment): Promise<FileText> {
  const { TRUEUP_AGE_IDENTITY: text = '', TRUEUP_AGE_IDENTITY_FILE: path = '' } = env;
  if (text !== '') return { text };
  if (path === '') {
    const empty = ['TRUEUP_AGE_IDENTITY', 'TRUEUP_AGE_IDENTITY_FILE'].find((name) => env[name] === '');
    return { problem: empty === undefined ? 'this run has no identity' : `${empty} is set, and empty` };
  }
  try {
    return { text: await readFile(path, 'utf8') };
  } catch (error) {
    const problem = `the identity of TRUEUP_AGE_IDENTITY_FILE cannot be read (${reasonOf(error)})`;
    return { problem, remedy: remedyForDisk(error) };
  }
}

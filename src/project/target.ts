import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Names } from '../api/translate.ts';
import { type NamedPlatform, contractAt } from '../api/profile.ts';
import { type Diagnostic, Stop, stop, unlessStopped } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { withQuotes } from '../manifest/quote.ts';
import { type Settings, platformAt } from '../manifest/settings.ts';
import { loadWhole } from '../manifest/whole.ts';
import { type Workspace, openWorkspace } from '../manifest/workspace.ts';
import { platformName } from '../plan/plan-facts.ts';
import type { ProjectFolder } from './folder.ts';
import { nameRootFile, noRootFile, refuseShared, requireFolder } from './no-root-file.ts';
import { readPin, readingOf } from './pins.ts';
import { checkAddress, checkAddresses, checkPlatform } from './platform-address.ts';
import { type StateLocation, hasLocalState, locateState, stateFolder } from './state-location.ts';

/** Where a run may go; `project` only where there is a manifest. */
export interface Target {
  readonly platform: NamedPlatform;
  readonly project: string | undefined;
  readonly state: StateLocation;
}

/**
 * The platform and the state of a manifest, as the environment allows them.
 *
 * @throws {Stop} `refused` or `state`, when this run may not use one of them.
 */
export function targetOf(settings: Settings, options: ProjectFolder): Target {
  const { platform, project } = settings;
  checkPlatform(platform, options);
  return { platform, project, state: locateState(settings, options) };
}

/** The platform of the manifest of a folder; where there is no manifest, that of TRUEUP_URL. */
export async function findPlatform(options: ProjectFolder): Promise<NamedPlatform> {
  const platform = (await findSettings(options))?.platform ?? fromEnvironment(options);
  checkPlatform(platform, options);
  return platform;
}

/** The address of the platform of a manifest, also of one that a run may not use; undefined: it is the emulator, or cannot be read. */
export async function findUrl(options: ProjectFolder): Promise<string | undefined> {
  const platform = (await unlessStopped(readRoot(options)))?.platform;
  return platform === undefined || platform.emulator ? undefined : platformName(platform);
}

/** The words of the platform of a manifest, also of one that a run may not use; undefined: they are those of Trueup, or nothing names others. */
export async function namesOf(options: ProjectFolder): Promise<Names | undefined> {
  const settings = await unlessStopped(readRoot(options));
  return settings && contractAt(settings.platform).names;
}

/** The platform and the state of the manifest of a folder; where there is no manifest, the platform of TRUEUP_URL. */
export async function findTarget(options: ProjectFolder): Promise<Target> {
  const settings = await findSettings(options);
  if (settings !== undefined) return targetOf(settings, options);
  return { platform: fromEnvironment(options), ...withoutManifest(options) };
}

/** The state of the manifest of a folder; a state in that folder can be read without a manifest. @throws {Stop} as `openFolder` */
export async function findState(options: ProjectFolder): Promise<Pick<Target, 'project' | 'state'>> {
  const { folder, file } = options;
  requireFolder(options);
  const isThere = existsSync(join(folder, file));
  // A file that was named, and has neither a manifest nor a state, is a mistake.
  if (!isThere && file !== 'trueup.yaml' && !hasLocalState(options)) throw noRootFile(options, nameRootFile);
  const settings = isThere ? await findSettings(options) : undefined;
  if (settings === undefined) return withoutManifest(options);
  return { project: settings.project, state: locateState(settings, options) };
}

/** The state of a root file that has another name now. @throws as `findState` */
export async function findFormerState(
  options: ProjectFolder,
  renamed: string,
): Promise<Pick<Target, 'project' | 'state'>> {
  const workspace = await openWorkspace(options.folder);
  const read: Workspace['read'] = (path, limit) => workspace.read(path === options.file ? renamed : path, limit);
  const settings = await readIn({ ...workspace, read }, options);
  return { project: settings.project, state: locateState(settings, options) };
}

function withoutManifest(options: ProjectFolder): Pick<Target, 'project' | 'state'> {
  return { project: undefined, state: { backend: 'local', folder: stateFolder(options) } };
}

/** The settings of the manifest of a folder, whose addresses this run may use. @throws {Stop} `manifest`, also without the file */
export async function settingsIn(options: ProjectFolder): Promise<Settings> {
  const settings = await findSettings(options);
  if (settings !== undefined) return settings;
  throw stop('manifest', 'file-unreadable', `there is no file ${options.file} in ${options.folder}`);
}

/** The settings of the manifest of a folder, whose addresses this run may use; undefined: only TRUEUP_URL names a platform. */
async function findSettings(options: ProjectFolder): Promise<Settings | undefined> {
  const settings = await readRoot(options);
  const hostile = settings === undefined ? [] : checkAddresses(settings, options);
  if (hostile.length > 0) throw new Stop('manifest', hostile);
  return settings;
}

/** Reads only the settings: a mistake in a resource does not prevent a call of the platform. */
async function readRoot(options: ProjectFolder): Promise<Settings | undefined> {
  const { folder, file, env } = options;
  requireFolder(options);
  if (!existsSync(join(folder, file))) {
    // A manifest that was named and is missing is a mistake, not the wish to do without.
    if (file === 'trueup.yaml' && readPin(env, 'TRUEUP_URL') !== undefined) return undefined;
    throw noRootFile(options, 'Name the folder of a manifest with -C, or set TRUEUP_URL and TRUEUP_API_KEY.');
  }
  return readIn(await openWorkspace(folder), options);
}

async function readIn(workspace: Workspace, options: ProjectFolder): Promise<Settings> {
  const diagnostics: Diagnostic[] = [];
  const texts = new Map<string, string>();
  const whole = await loadWhole({ ...readingOf(options), workspace }, { diagnostics, texts });
  if (whole === undefined || whole.lacksFiles) {
    await refuseShared(options);
    throw new Stop('manifest', withQuotes(diagnostics, texts, options.kinds));
  }
  return whole.settings;
}

function fromEnvironment(options: ProjectFolder): NamedPlatform {
  const platform = platformAt(readPin(options.env, 'TRUEUP_URL'));
  if (platform?.url === undefined)
    throw usage('TRUEUP_URL is no address of a platform', 'Write https://…, without user, query and fragment.');
  const hostile = checkAddress(platform.url, { named: 'TRUEUP_URL', ofStore: false }, options);
  if (hostile.length > 0) throw new Stop('refused', hostile);
  return platform;
}

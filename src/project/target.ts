import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import { loadRoot } from '../manifest/load.ts';
import type { Settings, StatePlace } from '../manifest/settings.ts';
import { readSettings, settingsShape } from '../manifest/settings.ts';
import { expressionSources } from '../manifest/sources/all.ts';
import { openWorkspace } from '../manifest/workspace.ts';
import type { ProjectFolder } from './folder.ts';
import { checkAddress } from './platform-address.ts';

/** Where a run goes that needs no more of a manifest than its settings; `project` only where there is a manifest. */
export interface Target {
  readonly platform: Settings['platform'];
  readonly project: string | undefined;
  readonly state: StatePlace;
}

/** The platform of the manifest of a folder; where there is no manifest, that of TRUEUP_URL. */
export async function findPlatform(options: ProjectFolder): Promise<Settings['platform']> {
  return (await findTarget(options)).platform;
}

/** The platform and the project of the manifest of a folder; where there is no manifest, the platform of TRUEUP_URL. */
export async function findTarget({ folder, file, env }: ProjectFolder): Promise<Target> {
  if (!existsSync(folder) || !statSync(folder).isDirectory()) throw usage(`there is no folder ${folder}`);
  if (existsSync(join(folder, file))) return fromManifest(folder, file);
  const url = env['TRUEUP_URL'] ?? '';
  // A manifest that was named and is missing is a mistake, not the wish to do without.
  if (file === 'trueup.yaml' && url !== '') {
    return { platform: fromEnvironment(url), project: undefined, state: { backend: 'local' } };
  }
  throw new Stop('manifest', [
    diagnostic('file-unreadable', `there is no file ${file} in ${folder}`, {
      remedy: 'Name the folder of a manifest with -C, or set TRUEUP_URL and TRUEUP_API_KEY.',
    }),
  ]);
}

/** Reads only the settings: a mistake in a resource does not prevent a call of the platform. */
async function fromManifest(folder: string, file: string): Promise<Target> {
  const diagnostics: Diagnostic[] = [];
  const root = await loadRoot(await openWorkspace(folder), file, diagnostics);
  const settings =
    root === undefined
      ? undefined
      : readSettings(root, { given: () => undefined, sources: expressionSources }, diagnostics);
  if (settings === undefined) throw new Stop('manifest', diagnostics);
  const hostile = checkAddress(settings.platform);
  if (hostile.length > 0) throw new Stop('manifest', hostile);
  return settings;
}

function fromEnvironment(url: string): Settings['platform'] {
  const { success, data } = settingsShape.platform.safeParse({ url });
  if (!success) {
    throw usage('TRUEUP_URL is no address of a platform', 'Write https://…, without user, query and fragment.');
  }
  const hostile = checkAddress(data, 'TRUEUP_URL');
  if (hostile.length > 0) throw new Stop('refused', hostile);
  return data;
}

import { readFile } from 'node:fs/promises';
import type { Pool } from 'pg';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { readEnvText } from '../formats/env-text.ts';
import { type Platform, type Project, open, platformAt, stateAt } from '../index.ts';
import { contentOf } from '../library/manifest-handle.ts';
import { isSameAddress, shownAddress } from '../project/platform-address.ts';
import type { PlatformRecord } from './records/all.ts';
import { readNamedSecret, secretPath } from './secret-file.ts';
import { onlyOptions, onlyText } from './site.ts';

/** What opening the projects of stacks needs, and what they share. */
export interface Opening {
  /** The database of the states. */
  readonly pool: Pool;
  /** The schema of the states, and their key. */
  readonly states: { readonly schema: string; readonly key: string };
  /** The labels that this worker names: it reaches the platforms that are bound to them. */
  readonly only: PlatformRecord['only'];
  /** The platforms that were opened: all runs there share the limits of its key. */
  readonly platforms: Map<
    string,
    { readonly record: PlatformRecord; readonly key: string; readonly platform: Platform }
  >;
}

/** A stack with the files of a commit. */
interface StackFiles {
  readonly id: string;
  readonly path: string;
  readonly platform: PlatformRecord;
  readonly folder: string;
  /** The pull request whose preview it is. */
  readonly pull?: number | null;
  /** true: it is opened to be destroyed. */
  readonly destroys?: boolean;
}

/**
 * Opens the project of a stack on its platform, with its state and the secrets of that platform.
 *
 * @throws {Stop} as `open`; `refused`, where the manifest names another platform, and where other workers reach the platform
 */
export async function openStack(opening: Opening, files: StackFiles): Promise<Project> {
  const { id, path, platform, folder, pull = null, destroys = false } = files;
  const { pool, states } = opening;
  const unreached = whyUnreached(opening, platform);
  if (unreached !== undefined) throw unreached;
  const project = await open(folder, {
    file: path,
    ...(pull === null ? {} : { preview: String(pull) }),
    destroys,
    env: { ...(await environmentOf(platform)), TRUEUP_URL: platform.url },
    isPinned: false, // the platform and the state are those of the controller, and a checkout has no other files
    platform: await platformOf(opening, platform),
    state: stateAt({ pool, schema: states.schema, name: id, key: states.key }),
  });
  try {
    refuseOtherPlatform(project, files);
    return project;
  } catch (error) {
    await project.close();
    throw error;
  }
}

/** Why this worker sends nothing to a platform: only others reach it. undefined: it reaches it. */
export function whyUnreached(
  { only }: Pick<Opening, 'only'>,
  { id, only: needed }: Pick<PlatformRecord, 'id' | 'only'>,
): Stop | undefined {
  if (onlyText(only) === onlyText(needed)) return undefined;
  const reached = onlyText(needed) === '' ? 'without --only' : `with ${onlyOptions(needed)}`;
  const message = `the platform ${id} is for workers ${reached}, and this is another one; nothing was sent`;
  return stop('refused', 'usage', message, { remedy: 'Its own workers plan and apply its stacks: see their pages.' });
}

/** Refuses a manifest that names another platform than that of its stack: what it says was meant for that one. */
function refuseOtherPlatform({ manifest }: Project, { path, platform: { id, url } }: StackFiles): void {
  const { platform } = contentOf(manifest).manifest.settings;
  const named = platform.emulator ? 'emulator' : platform.url;
  if (isSameAddress(named, url)) return;
  const message = `${path} names the platform ${shownAddress(named)}, and its stack is on ${id} (${shownAddress(url)})`;
  const remedy =
    'Remove platform: from the manifest, or give its path to the other platform in the source; nothing was sent.';
  throw stop('refused', 'hostile-setting', message, { remedy });
}

/** The secrets and variables that the stacks on a platform have. */
export async function environmentOf({ envFile }: PlatformRecord): Promise<Readonly<Record<string, string>>> {
  if (envFile === null) return {};
  return Object.fromEntries(readEnvText(await readFile(secretPath(envFile), 'utf8')));
}

/** Returns the platform of a record; opens it again when the record or its key changed. */
async function platformOf({ platforms }: Opening, record: PlatformRecord): Promise<Platform> {
  const key = await readNamedSecret(record.keyFile);
  const known = platforms.get(record.id);
  if (known?.key === key && JSON.stringify(known.record) === JSON.stringify(record)) return known.platform;
  const { url, profile, connections } = record;
  const platform = platformAt({ url, apiKey: key, connections, ...(profile === null ? {} : { profile }) });
  platforms.set(record.id, { record, key, platform });
  return platform;
}

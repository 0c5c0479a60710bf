import { Stop } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Workspace } from '../manifest/workspace.ts';
import { expressionSources } from '../manifest/sources/all.ts';
import { loadWhole } from '../manifest/whole.ts';
import type { ProjectFolder } from './folder.ts';
import { loadManifest } from './load.ts';
import { readingOf, workspaceOf } from './pins.ts';
import { rootFiles } from './root-files.ts';

/** Another root file of a folder. */
export interface Sibling {
  readonly file: string;
  /** The files that it is read from; undefined: nothing is known of what it includes. */
  readonly includes: ReadonlySet<string> | undefined;
  /** Undefined: it cannot be read here, such as one whose values only a command line gives. */
  readonly manifest: Manifest | undefined;
  /** Reads it again, in another workspace. @throws {Stop} as `loadManifest` */
  readonly load: (around: (workspace: Workspace) => Workspace) => Promise<Manifest>;
}

/** The other root files of the folder of a manifest, read without secrets and keys. Sends nothing. */
export function siblingsOf(options: ProjectFolder): Promise<readonly Sibling[]> {
  const env = Object.fromEntries(Object.entries(options.env).filter(([name]) => !isSecret.test(name)));
  const others = rootFiles(options.folder).filter(({ file }) => file !== options.file);
  return Promise.all(
    others.map(async ({ file }) => {
      const about = { ...options, file, env, preview: undefined, variables: new Map<string, string>(), valueFiles: [] };
      const load: Sibling['load'] = async (around) => (await loadManifest(about, { around })).manifest;
      const manifest = await load((workspace) => workspace).catch((error: unknown) => {
        if (error instanceof Stop) return undefined;
        throw error;
      });
      return { file, includes: await includesOf(about), manifest, load };
    }),
  );
}

async function includesOf(options: ProjectFolder): Promise<Sibling['includes']> {
  const texts = new Map<string, string>();
  // Files that name no platform include the same.
  const reading = { ...readingOf(options), platformUrl: 'https://unnamed.invalid' };
  const input = { ...reading, workspace: await workspaceOf(options), sources: expressionSources };
  const whole = await loadWhole(input, { diagnostics: [], texts });
  return whole === undefined || whole.lacksFiles ? undefined : new Set(texts.keys());
}

const isSecret = /^TRUEUP_(?:SECRET_|AGE_|API_KEY$|STATE_KEY$)/;

/** Tells of each file of a manifest whether no other root file includes it. One that cannot be read may include all. */
export function ownFiles(
  { texts }: Pick<Manifest, 'texts'>,
  { siblings, rootFile }: { readonly siblings: readonly Sibling[]; readonly rootFile: string },
): (file: string) => boolean {
  const isShared = (file: string) => siblings.some(({ includes }) => includes?.has(file) !== false);
  const own = new Set([...texts.keys()].filter((file) => file === rootFile || !isShared(file)));
  return (file) => own.has(file);
}

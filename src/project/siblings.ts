import { Stop } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Workspace } from '../manifest/workspace.ts';
import type { ProjectFolder } from './folder.ts';
import { loadManifest } from './load.ts';
import { rootFiles } from './root-files.ts';

/** Another root file of a folder. */
export interface Sibling {
  readonly file: string;
  /** Undefined: it cannot be read, so nothing is known of what it includes. */
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
      const about = { ...options, file, env, variables: new Map<string, string>(), valueFiles: [] };
      const load: Sibling['load'] = async (around) => (await loadManifest(about, { around })).manifest;
      const manifest = await load((workspace) => workspace).catch((error: unknown) => {
        if (error instanceof Stop) return undefined;
        throw error;
      });
      return { file, manifest, load };
    }),
  );
}

const isSecret = /^TRUEUP_(?:SECRET_|AGE_|API_KEY$|STATE_KEY$)/;

/** Tells of each file of a manifest whether no other root file includes it. One that cannot be read may include all. */
export function ownFiles(
  { texts }: Pick<Manifest, 'texts'>,
  { siblings, rootFile }: { readonly siblings: readonly Sibling[]; readonly rootFile: string },
): (file: string) => boolean {
  const isShared = (file: string) =>
    siblings.some(({ manifest }) => manifest === undefined || manifest.texts.has(file));
  const own = new Set([...texts.keys()].filter((file) => file === rootFile || !isShared(file)));
  return (file) => own.has(file);
}

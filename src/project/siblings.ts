import { join } from 'node:path';
import { once } from '../api/once.ts';
import { unlessStopped } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Workspace } from '../manifest/workspace.ts';
import { type WholeRead, loadWhole } from '../manifest/whole.ts';
import type { ProjectFolder } from './folder.ts';
import { linkTarget } from './links.ts';
import { readingOf, workspaceOf } from './pins.ts';
import { type RootFile, rootFiles } from './root-files.ts';
import { environmentOf } from './stage-environment.ts';

/** Another root file of a folder. Each is read when something asks for it; nothing is sent. */
export interface Sibling extends RootFile {
  /** Undefined: it cannot be read. */
  readonly read: () => Promise<WholeRead | undefined>;
  /** How it is loaded without secrets and keys. */
  readonly options: () => ProjectFolder;
}

/** The other ones of the root files of a folder. A link to the manifest is none. */
export function siblingsOf(
  options: ProjectFolder,
  { roots = rootFiles(options.folder), workspace = once(() => workspaceOf(options)) } = {},
): readonly Sibling[] {
  const { folder } = options;
  const target = linkTarget(join(folder, options.file));
  const others = roots.filter(({ file }) => linkTarget(join(folder, file)) !== target);
  return others.map((root) => {
    const own = { ...options, file: root.file, preview: undefined };
    const keyless = once(() => {
      const env = Object.entries(environmentOf(own, options.env)).filter(([name]) => !isSecret.test(name));
      return { ...own, env: Object.fromEntries(env), variables: new Map(), valueFiles: [] };
    });
    return { ...root, options: keyless, read: once(async () => readRoot(own, await workspace())) };
  });
}

const isSecret = /^TRUEUP_(?:SECRET_|AGE_|API_KEY$|STATE_KEY$)/;

/** Reads a root file with what it includes; undefined: it cannot be read. One that names no platform has a platform all the same. */
export async function readRoot(options: ProjectFolder, workspace: Workspace): Promise<WholeRead | undefined> {
  const texts = new Map<string, string>();
  const reading = { ...readingOf(options), platformUrl: 'https://unnamed.invalid' };
  const input = { ...reading, workspace };
  // A pattern may take too long.
  const whole = await unlessStopped(loadWhole(input, { diagnostics: [], texts }));
  return whole === undefined || whole.lacksFiles ? undefined : { whole, texts };
}

/** Tells of each file of a manifest whether no other root file includes it. One that cannot be read may include all. */
export async function ownFiles(
  { texts }: Pick<Manifest, 'texts'>,
  { siblings, rootFile }: { readonly siblings: readonly Sibling[]; readonly rootFile: string },
): Promise<(file: string) => boolean> {
  const others = await Promise.all(siblings.map(({ read }) => read()));
  const isShared = (file: string) => others.some((other) => other?.texts.has(file) !== false);
  const own = new Set([...texts.keys()].filter((file) => file === rootFile || !isShared(file)));
  return (file) => own.has(file);
}

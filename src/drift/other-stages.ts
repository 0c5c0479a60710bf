import { diagnostic, Stop, stop, unlessStopped } from '../diagnostics/diagnostic.ts';
import { someOf } from '../diagnostics/some-of.ts';
import { overlay } from '../export/prove-export.ts';
import { differingAddresses } from '../manifest/differing.ts';
import type { Workspace } from '../manifest/workspace.ts';
import { loadManifest } from '../project/load.ts';
import type { Sibling } from '../project/siblings.ts';

/** Another root file, and the addresses whose blocks change in it. */
export interface OtherStage {
  readonly file: string;
  readonly addresses: readonly string[];
  /** Those of them that it declares no longer: its next apply deletes them. */
  readonly removed: readonly string[];
}

/**
 * The siblings that mean something else with other texts. One that cannot be checked may do so where it names such a file.
 *
 * @throws {Stop} `refused`, when one cannot be read with them, or may change
 */
export async function otherStages(
  siblings: readonly Sibling[],
  edit: {
    readonly files: ReadonlyMap<string, string>;
    /** The name of a file below the root that another one there names. */
    readonly beside: Workspace['beside'];
    /** The root file of the stage, which no other one includes. */
    readonly rootFile: string;
    readonly isEverywhere: boolean;
  },
): Promise<readonly OtherStage[]> {
  const found = siblings.map(async (sibling): Promise<OtherStage> => {
    const { file, options } = sibling;
    const before = await unlessStopped(loadManifest(options()));
    if (before === undefined) {
      if (!edit.isEverywhere && (await mayName(sibling, edit)))
        throw notEveryone(
          `${file} may change too: it names a file that changes, and is not valid; nothing was written`,
        );
      return { file, addresses: [], removed: [] };
    }
    const around = (workspace: Workspace) => overlay(workspace, edit.files);
    const after = await loadManifest(options(), { around }).catch((error: unknown) => {
      if (!(error instanceof Stop)) throw error;
      const message = `${file} would not be valid with what the platform has; nothing was written`;
      throw new Stop('refused', [diagnostic('not-editable', message, { remedy: byHand }), ...error.diagnostics]);
    });
    const left = new Set(after.manifest.resources.map(({ address }) => address));
    const removed = before.manifest.resources.map(({ address }) => address).filter((address) => !left.has(address));
    return { file, addresses: differingAddresses(before.manifest, after.manifest), removed };
  });
  return (await Promise.all(found)).filter(({ addresses }) => addresses.length > 0);
}

/** Returns true where the files of a sibling name one that changes by `${file:…}`, or cannot be read. */
async function mayName(
  { read }: Sibling,
  { files, beside, rootFile }: Omit<Parameters<typeof otherStages>[1], 'isEverywhere'>,
): Promise<boolean> {
  const changing = new Set([...files.keys()].filter((file) => file !== rootFile));
  const found = await read();
  if (changing.size === 0 || found === undefined) return changing.size > 0;
  return [...found.texts].some(([from, text]) => filesNamedIn(from, text, beside).some((file) => changing.has(file)));
}

/** The files that `${file:…}` names in the text of a file, by the names that they have below the root. */
export function filesNamedIn(from: string, text: string, beside: Workspace['beside']): readonly string[] {
  return [...text.matchAll(/\$\{file:([^}]*)\}/g)].map(([, path = '']) => beside(from, path));
}

const byHand = 'Change the manifest by hand.';

/** The refusal of an edit that changes other stages, or other blocks of the manifest `own`. */
export function changesOther({ file, addresses, removed }: OtherStage, own: string): Stop {
  if (file === own) return notEveryone(`${someOf(addresses)} would change too; nothing was written`);
  const deletes = removed.length === 0 ? '' : `, and its next apply would delete ${someOf(removed)}`;
  return notEveryone(`${file} would change too, in ${someOf(addresses)}${deletes}; nothing was written`);
}

function notEveryone(message: string): Stop {
  const remedy = 'trueup drift adopt --everywhere changes all that share the value. Or change the manifest by hand.';
  return stop('refused', 'not-editable', message, { remedy });
}

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
 * The siblings that mean something else with other texts, as far as they can be read.
 *
 * @throws {Stop} `refused`, when one cannot be read with them
 */
export async function otherStages(
  siblings: readonly Sibling[],
  files: ReadonlyMap<string, string>,
): Promise<readonly OtherStage[]> {
  const found = siblings.map(async ({ file, options }): Promise<OtherStage> => {
    const before = await unlessStopped(loadManifest(options()));
    if (before === undefined) return { file, addresses: [], removed: [] };
    const around = (workspace: Workspace) => overlay(workspace, files);
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

const byHand = 'Change the manifest by hand.';

/** The refusal of an edit that changes other stages. */
export function changesOther({ file, addresses, removed }: OtherStage): Stop {
  const deletes = removed.length === 0 ? '' : `, and its next apply would delete ${someOf(removed)}`;
  const message = `${file} would change too, in ${someOf(addresses)}${deletes}; nothing was written`;
  const remedy = 'Change it for all stages with --everywhere, or change the manifest by hand.';
  return stop('refused', 'not-editable', message, { remedy });
}

import { PlatformError } from '../../api/platform-error.ts';
import { type Diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { exitOf } from '../../documents/result-document.ts';
import { isPreviewId } from '../../manifest/preview.ts';
import { loadToDestroy } from '../../project/load.ts';
import { type Prunable, leavePreview, notedPreviews, prunable } from '../../project/previews.ts';
import { counted } from '../../render/lines.ts';
import type { PreviewsReport } from '../../render/previews.ts';
import { confirm } from '../approval.ts';
import { type Run, defineCommand } from '../command.ts';
import { withLock } from '../locked.ts';
import { autoApprove } from '../option-sets.ts';
import { explain } from '../run-command.ts';
import { usage } from '../settle-options.ts';
import { noteSignals } from '../signals.ts';
import { type FamilySettings, familyOf, previewFormats, previewsThere } from './preview-list.ts';

/** Says which of the noted previews are to be removed. */
type Choice = (settings: FamilySettings) => Promise<readonly Prunable[]>;

/** What the removals of a run share. */
interface Removing {
  readonly settings: FamilySettings;
  readonly choose: Choice;
  /** Whether a preview was removed: a signal then leaves a changed platform. */
  readonly hasRemoved: boolean;
}

/** Destroys previews that are closed or over, one after the other, and goes on after a failure. */
export const command = defineCommand({
  options: {
    '--open <ids>': 'ids of the open ones, with commas, or none: every other preview is removed',
    ...autoApprove,
  },
  notes: `Removes what was applied last longer ago than for: says, and with --open also what is not open. Environments that are called like
previews and that no state has are listed, and stay. The exit code is 1 when one could not be removed.`,
  examples: [
    'trueup preview prune -f preview.yaml',
    'trueup preview prune -f preview.yaml --open 12,15 --auto-approve',
    'trueup preview prune -f preview.yaml --open none --auto-approve',
  ],
  formats: previewFormats,
  execute: async (run, view, { flags }) => {
    const open = flags.open === undefined ? undefined : readOpen(flags.open);
    const now = run.clock.wall();
    const choose: Choice = async (settings) =>
      prunable(await notedPreviews(settings, run.options), settings.preview, { open, now });
    const settings = await familyOf(run);
    const chosen = await choose(settings);
    if (chosen.length > 0) {
      const lines = chosen.map(({ id, because }) => `  ${id}: ${because}\n`).join('');
      const previews = counted(chosen.length, 'preview');
      const question = `${lines}This deletes ${previews} with all data.`;
      if (!(await confirm(run, { question, about: `delete ${previews}`, isGiven: flags.autoApprove === true })))
        return 'failed';
    }
    const { wasCut, ...ended } = await removeEach(run, settings, chosen, choose);
    view.report({ ...(await previewsThere(run, settings)), ...ended });
    return ended.failed.length > 0 ? 'failed' : wasCut ? 'interrupted' : 'done';
  },
});

/** Reads `--open`. An empty list is what a pipeline passes whose request failed. @throws {Stop} `usage` */
function readOpen(text: string): ReadonlySet<string> {
  if (text === 'none') return new Set();
  const ids = text.split(',').map((id) => id.trim());
  const wrong = ids.find((id) => !isPreviewId(id));
  if (wrong === undefined) return new Set(ids);
  if (text.trim() === '') throw usage('--open is empty; nothing was removed', 'If none is open, write --open none.');
  throw usage(`--open: ${JSON.stringify(wrong)} is no id of a preview; nothing was removed`, 'Write --open 12,15.');
}

async function removeEach(
  run: Run,
  settings: FamilySettings,
  chosen: readonly Prunable[],
  choose: Choice,
): Promise<Pick<PreviewsReport, 'removed' | 'failed'> & { readonly wasCut: boolean }> {
  const removed: Prunable[] = [];
  const failed: { readonly id: string; readonly diagnostics: readonly Diagnostic[] }[] = [];
  const noted = noteSignals(run.process);
  let wasCut = false;
  for (const one of chosen) {
    wasCut = noted.wasSent();
    if (wasCut) break;
    const diagnostics = await remove(run, one, { settings, choose, hasRemoved: removed.length > 0 });
    if (diagnostics === 'kept') continue;
    if (diagnostics === 'removed') removed.push(one);
    else {
      failed.push({ id: one.id, diagnostics });
      run.warn(diagnostics);
    }
  }
  noted.end();
  return { removed, failed, wasCut };
}

/** Destroys one preview. `kept`: an apply ended meanwhile, and it is not over any more. Else why it is still there. */
async function remove(
  run: Run,
  { id, applied }: Prunable,
  { settings, choose, hasRemoved }: Removing,
): Promise<'removed' | 'kept' | readonly Diagnostic[]> {
  const options = { ...run.options, preview: id, lockTimeoutMs: run.options.lockTimeoutMs ?? 0 };
  let ended: 'removed' | 'kept' | readonly Diagnostic[] = [];
  try {
    const { manifest } = await loadToDestroy(options);
    await withLock({ ...run, options }, manifest, {
      purpose: 'destroy',
      work: async (session, interruption) => {
        if (hasRemoved) interruption.startWriting();
        // One that was applied since it was chosen may have been opened again.
        if (!(await choose(settings)).some((one) => one.id === id && one.applied === applied)) {
          ended = 'kept';
          return 'done';
        }
        const { signal } = interruption;
        const made = await session.plan({ destroys: true }, signal);
        interruption.startWriting();
        const permissions = { dataLoss: true, adoption: false, massDeletion: true };
        const result = await session.apply(made, permissions, { signal });
        await leavePreview(manifest.settings, options, session.connection.store);
        const exit = exitOf(result);
        ended = exit === 'done' ? 'removed' : result.outcomes.flatMap(({ diagnostics }) => diagnostics);
        return exit;
      },
    });
    return ended;
  } catch (error) {
    if (!(error instanceof Stop) && !(error instanceof PlatformError)) throw error;
    return explain(error, run.options.redactor.redact).diagnostics;
  }
}

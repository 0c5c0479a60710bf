import { PlatformError } from '../../api/platform-error.ts';
import { type Diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { exitOf } from '../../documents/result-document.ts';
import { isPreviewId } from '../../manifest/preview.ts';
import { loadToDestroy } from '../../project/load.ts';
import { type Prunable, leavePreview, notedPreviews, prunable, removal } from '../../project/previews.ts';
import { counted } from '../../render/fold-lines.ts';
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
    '--open <ids>': 'ids of the open ones, with commas, or none: every other one whose id is a number is removed',
    '--closed <ids>': 'ids of closed ones, with commas: these are removed',
    ...autoApprove,
  },
  notes: `Removes what was applied last longer ago than for: says, with --open also each number that is not open, as only a number is
that of a pull request, and with --closed what that lists. Environments that are called like previews and that no state has are listed, and stay. The exit code is 1 when one could not be removed.`,
  examples: [
    'trueup preview prune -f preview.yaml',
    'trueup preview prune -f preview.yaml --open 12,15 --auto-approve',
    'trueup preview prune -f preview.yaml --open none --auto-approve',
  ],
  formats: previewFormats,
  execute: async (run, view, { flags }) => {
    const open = flags.open === undefined ? undefined : readIds('--open', flags.open);
    const closed = flags.closed === undefined ? undefined : readIds('--closed', flags.closed);
    const both = [...(open ?? [])].find((id) => closed?.has(id) === true);
    if (both !== undefined)
      throw usage(`${both} is in --open and in --closed; nothing was removed`, 'Name each preview in one of the two.');
    const now = run.clock.wall();
    const choose: Choice = async (settings) =>
      prunable(await notedPreviews(settings, run.options), settings.preview, { open, closed, now });
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

/** Reads `--open` or `--closed`. An empty list is what a pipeline passes whose request failed. @throws {Stop} `usage` */
function readIds(option: '--open' | '--closed', text: string): ReadonlySet<string> {
  if (text === 'none') return new Set();
  const ids = text.split(',').map((id) => id.trim());
  const wrong = ids.find((id) => !isPreviewId(id));
  if (wrong === undefined) return new Set(ids);
  const none = `If none is ${option.slice(2)}, write ${option} none.`;
  if (text.trim() === '') throw usage(`${option} is empty; nothing was removed`, none);
  throw usage(
    `${option}: ${JSON.stringify(wrong)} is no id of a preview; nothing was removed`,
    `Write ${option} 12,15.`,
  );
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
  const options = { ...run.options, preview: id };
  const found: Diagnostic[] = [];
  let ended: 'removed' | 'kept' | readonly Diagnostic[] = found;
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
        const result = await session.apply(made, removal, { signal });
        const exit = exitOf(result);
        if (exit !== 'done') found.push(...result.outcomes.flatMap(({ diagnostics }) => diagnostics));
        await leavePreview(manifest.settings, options, session.connection.store);
        ended = exit === 'done' ? 'removed' : found;
        return exit;
      },
    });
    return ended;
  } catch (error) {
    if (!(error instanceof Stop) && !(error instanceof PlatformError)) throw error;
    return [...found, ...explain(error, run.options.redactor.redact, run.options).diagnostics];
  }
}

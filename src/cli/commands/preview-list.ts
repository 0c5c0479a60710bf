import type { Preview, Settings } from '../../manifest/settings.ts';
import { createReader } from '../../observe/reader.ts';
import { strayPreviews } from '../../observe/stray-previews.ts';
import { type NotedPreview, notedPreviews } from '../../project/previews.ts';
import { settingsIn } from '../../project/target.ts';
import { reportFormats } from '../../render/output-format.ts';
import { type PreviewsReport, previewsJson, renderPreviews } from '../../render/previews.ts';
import { isoTime } from '../../state/clock.ts';
import { type Run, defineCommand } from '../command.ts';
import { withPlatform } from '../connect.ts';
import { usage } from '../settle-options.ts';

/** The settings of a root file of previews. */
export type FamilySettings = Settings & { readonly preview: Preview };

/** The formats of the commands about all previews of a root file. */
export const previewFormats = reportFormats<PreviewsReport>({
  text: (report, { out, outStyle }) => out(renderPreviews(report, outStyle)),
  json: previewsJson,
});

/** Reads the settings of a root file of previews. @throws {Stop} `usage`, of another root file, or for one preview */
export async function familyOf({ options }: Run): Promise<FamilySettings> {
  if (options.preview !== undefined)
    throw usage('--preview names one preview, and this command is about all of them', 'Leave it out.');
  const settings = await settingsIn(options);
  const { preview } = settings;
  if (preview !== undefined) return { ...settings, preview };
  throw usage(`${options.file} has no preview:`, 'Name the root file of the previews with -f.');
}

/** The previews that are noted, and environments that look like others. Sends GETs only. */
export async function previewsThere(
  run: Run,
  settings: FamilySettings,
): Promise<Pick<PreviewsReport, 'previews' | 'strays'>> {
  const { preview, environment, project, platform } = settings;
  const stem = (environment?.name ?? '').slice(0, -preview.id.length);
  const noted = await notedPreviews(settings, run.options);
  const known = new Set(noted.map(({ id }) => `${stem}${id}`));
  const strays = await withPlatform(run, platform, { purpose: 'preview list' }, ({ client }) =>
    strayPreviews(createReader(client), run.options.kinds, { project, stem, known }),
  );
  const entry = ({ id, applied }: NotedPreview) => ({
    id,
    environment: `${stem}${id}`,
    applied,
    until: preview.forMs === undefined ? undefined : isoTime(Date.parse(applied) + preview.forMs),
  });
  return { previews: noted.map(entry), strays };
}

/** Lists the previews of a root file. Sends GETs only. */
export const command = defineCommand({
  examples: ['trueup preview list -f preview.yaml', 'trueup preview list -f preview.yaml --format json'],
  formats: previewFormats,
  execute: async (run, view) => {
    view.report({ ...(await previewsThere(run, await familyOf(run))), removed: [], failed: [] });
    return 'done';
  },
});

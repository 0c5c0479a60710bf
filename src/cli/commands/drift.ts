import { driftDocument } from '../../drift/drift-document.ts';
import { lineOf } from '../../drift/remedies.ts';
import type { Manifest } from '../../manifest/manifest.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { type Drift, findDrift, refuseWrites } from '../../drift/drift-run.ts';
import { loadManifest } from '../../project/load.ts';
import type { Load } from '../../project/open-project.ts';
import type { Validated } from '../../workflow/validate.ts';
import { notify } from '../../drift/notify.ts';
import { pipelineRun } from '../../project/pipeline-run.ts';
import { renderDrift } from '../../render/drift-text.ts';
import { type Exit, driftExit } from '../../render/exit-codes.ts';
import { type Formats, jsonView, printJson, textView } from '../../render/output-format.ts';
import { notificationOf } from '../../render/notification-document.ts';
import type { DriftCommandView } from '../../render/reports.ts';
import { wordsOf } from '../../render/verdict.ts';
import { isoTime } from '../../state/clock.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { loadFor, withProject } from '../connect.ts';
import { usage } from '../settle-options.ts';
import { values } from '../option-sets.ts';
import { commandLine } from '../shell-command.ts';
import { readValues } from '../values-of-plan.ts';

const reports = async () => (await import('../../render/reports.ts')).driftReports;

const formats: Formats<DriftCommandView> = {
  text: (screen) => ({
    ...textView(screen),
    drift: ({ drift, applying, isFull }) => {
      screen.out(renderDrift(drift, applying, { ...screen.outStyle, isFull }));
      screen.conclude?.(wordsOf(drift));
    },
  }),
  json: (screen) => ({ ...jsonView(screen), drift: ({ drift }) => printJson(screen, drift) }),
  markdown: async (screen) => (await reports()).markdown(screen),
  sarif: async (screen) => (await reports()).sarif(screen),
  junit: async (screen) => (await reports()).junit(screen),
  html: async (screen) => (await reports()).html(screen),
};

const options = {
  '--no-remember': 'do not write the memory, drift.yaml',
  '--notify': 'send a message to every receiver of drift.notify, also when nothing is new',
  '--no-notify': 'send no message; the default with --no-remember',
  '--full': 'list also what is ignored, and all lines of long texts and lists',
  ...values,
} as const satisfies Options;

type DriftFlags = FlagsOf<typeof options>;

/** Compares the platform with what was applied last, and remembers what it found. Sends the platform GETs only. */
export const command = defineCommand({
  options,
  notes: `Sends the platform GETs only: a key that may only read is enough, and no secret has to be at hand. drift.yaml beside the
manifest remembers what was found, so that the exit code is 2 for new drift, and 8 for drift that is known or accepted.`,
  examples: [
    'trueup drift',
    'trueup drift --no-remember --format json | jq .summary',
    'trueup drift --notify --no-remember',
    'trueup drift --format markdown > drift.md',
    "trueup drift accept production.compose.shop --field env.REGION --until 2027-01-31 --because 'vendor moves us'",
  ],
  formats,
  several: { runs: 'at once' },
  execute: (run, view, { flags }) => compare(run, view, flags),
});

async function compare(run: Run, view: DriftCommandView, flags: DriftFlags): Promise<Exit> {
  const { options, clock } = run;
  const values = readValues(run, view, flags);
  // Secrets of the environment only: whoever may not know them can compare by digests.
  const load: Load<Validated> = async (onSettings) => {
    const validated = await loadFor(run, loadManifest, { onSettings });
    refuseNotifying(validated.manifest, flags);
    return validated;
  };
  const purpose = { purpose: 'drift', mayWrite: refuseWrites };
  return withProject(run, load, purpose, async ({ manifest, warnings }, connection) => {
    const { platform, notify: receivers = [] } = manifest.settings;
    // A preview has no memory.
    const remembers = flags.remember !== false && options.preview === undefined;
    const notifies = receivers.length > 0 && (flags.notify ?? remembers);
    const { counts } = connection.client;
    const now = clock.wall();
    const command = (asked: Parameters<typeof lineOf>[0]): string => {
      const { words, flags: options } = lineOf(asked);
      return commandLine(run, words, options);
    };
    const isFull = flags.full === true;
    const documentOf = async (drift: Drift) => {
      const about = await aboutPlan(drift.plan, { manifest, folder: options.folder, connection });
      return driftDocument({ drift, counts, about, isFull, command, warnings });
    };
    const report = async (found: Drift) => {
      const message = { time: isoTime(now), run: pipelineRun(options.env) };
      const about = { env: options.env, redactor: options.redactor, platform, clock, isForced: flags.notify === true };
      return notify(receivers, notificationOf({ document: await documentOf(found), ...message }), about);
    };
    const drift = await findDrift(manifest, connection, {
      folder: options,
      now,
      remembers,
      values,
      notify: notifies ? report : undefined,
    });
    const shown = { isFull, applying: command({ words: ['apply'] }) };
    const showing = command({ words: ['drift'], options: [['--full']] });
    view.drift({ drift: await documentOf(drift), ...shown, showing });
    return driftExit(drift);
  });
}

/** @throws {Stop} `usage`, when messages are asked for and the manifest names no receiver. */
function refuseNotifying({ settings: { notify = [] } }: Manifest, flags: DriftFlags): void {
  if (flags.notify !== true || notify.length > 0) return;
  const remedy = 'Write drift: { notify: [{ url: "${secret:HOOK}", as: json }] }.';
  throw usage('--notify: the manifest names no receiver', remedy);
}

import { defined } from '../../formats/json.ts';
import { performance } from 'node:perf_hooks';
import { attempts } from '../../api/attempts.ts';
import { turn } from '../../api/sleep.ts';
import type { Deploying } from '../../apply/apply-run.ts';
import { stop } from '../../diagnostics/diagnostic.ts';
import { planDocument } from '../../documents/plan-document.ts';
import { appliedPlan, exitOf, resultDocument } from '../../documents/result-document.ts';
import type { Settings } from '../../manifest/settings.ts';
import { readNarrowing } from '../../plan/narrow.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { loadToDestroy, loadToWrite } from '../../project/load.ts';
import { enterPreview, leavePreview } from '../../project/previews.ts';
import { renderResult } from '../../render/apply-text.ts';
import type { PlanDocument } from '../../render/document-schemas.ts';
import { renderDiagnostics } from '../../render/diagnostics-text.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { type Format, type Formats, jsonView, printJson, textView } from '../../render/output-format.ts';
import { renderPlan } from '../../render/plan-text.ts';
import { eventDocuments, eventLines, eventTree } from '../../render/progress-reporters.ts';
import { type ProgressInput, createProgress } from '../../render/progress.ts';
import type { ApplyView } from '../../render/reports.ts';
import { wordsOf } from '../../render/verdict.ts';
import type { PlanRequest, Session } from '../../workflow/session.ts';
import { longestTimeoutMs } from '../../state/wait-out.ts';
import { approve } from '../approval.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Given, type Run, defineCommand } from '../command.ts';
import { loadFor } from '../connect.ts';
import { readDeployLimits } from '../deploy-limits.ts';
import { loadForSession, withLock } from '../locked.ts';
import { readSeconds, usage } from '../settle-options.ts';
import { readPlanFile } from '../plan-file-on-disk.ts';
import {
  adding,
  allowDataLoss,
  autoApprove,
  fullWithFile,
  inFlightTimeout,
  narrowing,
  noDeploy,
  values,
} from '../option-sets.ts';
import type { Interruption } from '../signals.ts';
import { readValues } from '../values-of-plan.ts';

const text: Format<ApplyView> = (screen) => {
  const { out, err, outStyle, errStyle, live } = screen;
  let hasChanges = false;
  return {
    ...textView(screen),
    plan: (plan, isFull) => {
      ({ hasChanges } = plan);
      out(renderPlan(plan, { ...outStyle, isFull }));
    },
    progress: (input) => {
      if (hasChanges) out('\n');
      const reporter = live === undefined ? eventLines(err, errStyle) : eventTree(live, errStyle);
      return createProgress({ ...input, reporter });
    },
    result: (result) => {
      if (hasChanges) err('\n');
      if (hasChanges || result.exitCode !== 0) out(renderResult(result, outStyle));
      screen.conclude?.(wordsOf(result));
      const unsaved = result.diagnostics.filter(({ source }) => source === 'state');
      if (unsaved.length > 0) err(`${renderDiagnostics(unsaved, errStyle)}\n`);
    },
  };
};

const json: Format<ApplyView> = (screen) => {
  const print = (document: object): void => printJson(screen, document, 'lines');
  return {
    ...jsonView(screen, 'lines'),
    plan: print,
    progress: (input) => createProgress({ ...input, reporter: eventDocuments(print) }),
    result: print,
  };
};

const reports = async () => (await import('../../render/reports.ts')).applyReports;

/** The formats of `apply` and `destroy`. */
export const applyFormats: Formats<ApplyView> = {
  text,
  json,
  html: async (screen) => (await reports()).html(screen),
  markdown: async (screen) => (await reports()).markdown(screen),
};

const options = {
  ...narrowing,
  ...adding,
  ...autoApprove,
  '--adopt': 'take over objects that exist already',
  ...allowDataLoss,
  '--allow-mass-delete': 'allow to delete more than 10 of a kind, or 30 % of at least 10',
  '--allow-mass-recreate': 'allow to create again everything, or that much of a kind, that is gone',
  ...noDeploy,
  ...fullWithFile,
  ...values,
  ...inFlightTimeout,
  '--no-wait': 'start deployments and do not wait for their end',
  '--no-probe': 'ask no address after a deployment',
  '--deploy-timeout <[kind=]time>': {
    about: 'time limit of a deployment: 15m, 900; default: 15m; repeatable',
    isRepeatable: true,
  },
} as const satisfies Options;

type ApplyFlags = FlagsOf<typeof options>;

/** Plans, asks, and applies; with a plan file it applies without a question. */
export const command = defineCommand({
  arguments: { '[plan]': 'file from plan --out: applied without a question if the plan is still the same' },
  options,
  examples: [
    'trueup apply',
    'trueup apply --auto-approve --adopt',
    'trueup apply plan.trueup --format html > apply.html',
    'trueup apply plan.trueup',
    'trueup apply --full plan.trueup',
    'trueup apply --target production.compose.shop',
    'trueup apply --replace production.redis.cache --allow-data-loss',
    'trueup apply --auto-approve --deploy-timeout 10m --deploy-timeout application=30m',
  ],
  formats: applyFormats,
  several: { runs: 'until one fails' },
  execute: apply,
});

async function apply(run: Run, view: ApplyView, { args: [path], flags }: Given<ApplyFlags>): Promise<Exit> {
  const limitMs = readDeployLimits(flags.deployTimeout ?? [], run.options.kinds);
  const deploying = { waits: flags.wait !== false, limitMs };
  const asks = deploying.waits && flags.probe !== false;
  if (path === undefined) {
    const request = { deploys: flags.deploy !== false, asks, narrowing: readNarrowing(flags) };
    return planAndApply(run, view, { flags, command: 'apply', request, deploying });
  }
  if (flags.deploy === false) {
    throw usage('--no-deploy cannot be combined with a plan file', 'Write the file with trueup plan --no-deploy.');
  }
  refuseNarrowing(flags, 'trueup plan');
  const reviewed = await readPlanFile(run.process.cwd(), path);
  if (reviewed.file.destroys) {
    throw stop('refused', 'plan-file', `the plan file ${path} deletes everything; apply does not; nothing was sent`, {
      remedy: `Run trueup destroy ${path}.`,
    });
  }
  return planAndApply(run, view, {
    // Who reviewed it agreed to it, and to what it takes over; data goes by a flag of its own.
    flags: { ...flags, autoApprove: true, adopt: true },
    command: 'apply',
    request: { reviewed, asks, full: flags.full === true },
    deploying,
  });
}

/** @throws {Stop} `usage`, when a plan file is to be narrowed: it says itself what it is narrowed to. */
export function refuseNarrowing(
  { target, exclude, replace, includeAccepted, retryFailed }: FlagsOf<typeof narrowing & typeof adding>,
  plan: string,
): void {
  for (const [name, given] of Object.entries({ target, exclude, replace })) {
    if (given === undefined) continue;
    throw usage(`--${name} cannot be combined with a plan file`, `Write the file with ${plan} --${name} … --out FILE.`);
  }
  for (const [name, given] of Object.entries({ 'include-accepted': includeAccepted, 'retry-failed': retryFailed })) {
    if (given !== true) continue;
    throw usage(`--${name} cannot be combined with a plan file`, `Write the file with ${plan} --${name} --out FILE.`);
  }
}

/** Plans, asks and applies, for `apply` and `destroy`. */
export async function planAndApply(
  run: Run,
  view: ApplyView,
  task: {
    readonly flags: ApplyFlags;
    readonly command: 'apply' | 'destroy';
    readonly request: PlanRequest;
    readonly deploying?: Deploying;
  },
): Promise<Exit> {
  const { options, terminal } = run;
  const values = readValues(run, view, task.flags);
  // Deleting takes no secrets.
  const load = task.command === 'destroy' ? loadToDestroy : loadToWrite;
  const { deploying, request } = task;
  // A preview has nothing that it did not create.
  const losesAll = task.command === 'destroy' && options.preview !== undefined;
  const flags: ApplyFlags = losesAll ? { ...task.flags, allowDataLoss: true } : task.flags;
  const limits = {
    purpose: task.command,
    inFlightTimeoutMs: readInFlightTimeout(flags),
    ...defined({ deploying }),
    onWait: (ms: number) => terminal.err(`${waiting(ms)}\n`),
  };
  const loading = (onSettings?: (settings: Settings) => Promise<void>) => loadFor(run, load, { onSettings });
  const { validated, early } = await loadForSession(run, loading, { ...limits, request });
  const { manifest, warnings } = validated;
  const work = {
    ...limits,
    work: async (session: Session, interruption: Interruption): Promise<Exit> => {
      const { signal } = interruption;
      const made = await session.plan({ ...request, values });
      const { counts } = session.connection.client;
      const about = await aboutPlan(made, { manifest, folder: options.folder, connection: session.connection });
      const allowed = { adoption: flags.adopt === true, dataLoss: flags.allowDataLoss === true };
      let shown: PlanDocument | undefined = planDocument({ plan: made, counts, about, allowed, warnings });
      const plan = appliedPlan(shown);
      await turn();
      view.plan(shown, flags.full === true);
      await turn();
      const permissions = await approve(run, made, { ...task, flags, about });
      if (permissions === undefined) {
        terminal.err('Nothing was applied.\n');
        return 'failed';
      }
      if (task.command === 'apply') await enterPreview(manifest.settings, options, run.clock.wall());
      const { onEvent, end } = view.progress({ plan: shown, counts, ...progressClock });
      shown = undefined; // a large one would take memory as long as it is applied
      interruption.startWriting(() => end(true));
      const result = await session.apply(made, permissions, { signal, onEvent }).finally(() => end());
      view.result(resultDocument({ plan, result, isInterrupted: signal.aborted, counts }));
      // Its failure ends the run: what happened to the objects is shown before.
      if (task.command === 'destroy') await leavePreview(manifest.settings, options, session.connection.store);
      return exitOf(result);
    },
  };
  return withLock(run, manifest, work, early);
}

/** Reads `--in-flight-timeout`. Milliseconds. @throws {Stop} `usage` */
function readInFlightTimeout({ inFlightTimeout, fence }: ApplyFlags): number {
  const name = inFlightTimeout === undefined ? '--fence' : '--in-flight-timeout';
  const seconds = inFlightTimeout ?? fence;
  if (seconds === undefined) return attempts.effect.timeoutMs;
  return readSeconds(name, seconds, 0, longestTimeoutMs / 1_000) * 1_000;
}

function waiting(ms: number): string {
  return `waiting ${Math.ceil(ms / 1_000)} s: requests of an earlier run may still reach the platform`;
}

/** The clock of this process, for progress: milliseconds since 1970 that never go back, and a timer. */
const progressClock: Pick<ProgressInput, 'clock' | 'every'> = {
  clock: () => performance.timeOrigin + performance.now(),
  // Does not keep the process alive.
  every: (milliseconds, work) => {
    const timer = setInterval(work, milliseconds).unref();
    return () => clearInterval(timer);
  },
};

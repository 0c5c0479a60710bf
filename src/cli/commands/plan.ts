import { type Diagnostic, diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { planDocument } from '../../documents/plan-document.ts';
import { hasChanges } from '../../plan/action.ts';
import { planFile } from '../../plan/plan-facts.ts';
import { readNarrowing } from '../../plan/narrow.ts';
import { mistakes } from '../../plan/safeguard.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { loadToDestroy, loadToWrite } from '../../project/load.ts';
import type { Load } from '../../project/open-project.ts';
import { readVersion } from '../../project/version.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { type Formats, jsonView, printJson, textView } from '../../render/output-format.ts';
import { renderPlan } from '../../render/plan-text.ts';
import { printable } from '../../render/printable.ts';
import type { PlanCommandView } from '../../render/reports.ts';
import { wordsOf } from '../../render/verdict.ts';
import type { Validated } from '../../workflow/validate.ts';
import { plan } from '../../workflow/make-plan.ts';
import type { StateStore } from '../../state/state.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { loadFor, withProject } from '../connect.ts';
import { usage } from '../settle-options.ts';
import { checkPlanPath, writePlanFile } from '../plan-file-on-disk.ts';
import { adding, full, narrowing, noDeploy, values } from '../option-sets.ts';
import { commandLine } from '../shell-command.ts';
import { readValues } from '../values-of-plan.ts';

const reports = async () => (await import('../../render/reports.ts')).planReports;

/** The formats of `plan` and `show`. */
export const planFormats: Formats<PlanCommandView> = {
  text: (screen) => ({
    ...textView(screen),
    plan: ({ plan, isFull, savedTo, command }) => {
      screen.out(renderPlan(plan, { ...screen.outStyle, isFull }));
      screen.conclude?.(wordsOf(plan));
      if (savedTo === undefined) return;
      const name = printable(savedTo);
      screen.out(`Saved to ${name}. To apply this plan and nothing else, run:\n  ${printable(command)}\n`);
    },
  }),
  json: (screen) => ({ ...jsonView(screen), plan: ({ plan }) => printJson(screen, plan) }),
  markdown: async (screen) => (await reports()).markdown(screen),
  sarif: async (screen) => (await reports()).sarif(screen),
  junit: async (screen) => (await reports()).junit(screen),
  html: async (screen) => (await reports()).html(screen),
};

const options = {
  '--detailed-exitcode': 'exit with 2 when there are changes',
  ...noDeploy,
  '--destroy': 'plan what trueup destroy would do',
  ...narrowing,
  ...adding,
  ...full,
  ...values,
  '--out <file>':
    'save the plan for a review and for trueup apply; the file has digests, and what it prints is encrypted',
} as const satisfies Options;

type PlanFlags = FlagsOf<typeof options>;

/** Shows the differences between manifest and platform. Sends GETs only. */
export const command = defineCommand({
  options,
  examples: [
    'trueup plan',
    'trueup plan --full',
    'trueup plan --hide-values',
    'trueup plan --detailed-exitcode',
    'trueup plan --format json | jq .summary',
    'trueup plan --format markdown > comment.md',
    'trueup plan --format html > plan.html',
    'trueup plan --format markdown --link-base https://git.example.com/shop/infra/src/commit/0d5c7e0f6a1b',
    'trueup plan --out plan.trueup',
    "trueup plan --target 'production.compose.*' --exclude production.compose.shop",
  ],
  formats: planFormats,
  several: { runs: 'at once' },
  execute: (run, view, { flags }) => showPlan(run, view, flags),
});

async function showPlan(run: Run, view: PlanCommandView, flags: PlanFlags): Promise<Exit> {
  const { options, terminal } = run;
  const destroys = flags.destroy === true;
  const values = readValues(run, view, flags);
  if (values === 'all' && flags.out !== undefined)
    throw usage('--show-values cannot be combined with --out', 'A plan file is for other readers too: leave one out.');
  if (destroys && flags.replace !== undefined) throw usage('--replace cannot be combined with --destroy');
  if (destroys && flags.includeAccepted === true) throw usage('--include-accepted cannot be combined with --destroy');
  if (destroys && flags.retryFailed === true) throw usage('--retry-failed cannot be combined with --destroy');
  if (flags.out !== undefined) checkPlanPath(options.folder, run.process.cwd(), flags.out);
  const load = destroys ? loadToDestroy : loadToWrite;
  const loading: Load<Validated> = (onSettings) => loadFor(run, load, { onSettings });
  return withProject(run, loading, { purpose: 'plan', destroys }, async ({ manifest, warnings }, connection) => {
    const { client } = connection;
    const purpose = { manifest, deploys: flags.deploy !== false, destroys, narrowing: readNarrowing(flags) };
    const made = await plan(manifest, { ...connection, values }, purpose);
    // A missing permission does not stop a plan; a mistake does.
    const isInTheWay = mistakes(made).length > 0;
    const savedTo = isInTheWay ? undefined : flags.out;
    const others = hasChanges(made) ? await underWay(connection.store) : [];
    const about = await aboutPlan(made, { manifest, folder: options.folder, connection });
    const document = planDocument({
      plan: { ...made, diagnostics: [...others, ...made.diagnostics] },
      counts: client.counts,
      about,
      warnings,
    });
    if (savedTo !== undefined) {
      const origin = { version: readVersion(), at: new Date().toISOString(), shown: JSON.stringify(document) };
      const { store } = connection;
      await store.keepKey();
      await writePlanFile(run.process.cwd(), savedTo, planFile(made, purpose, origin, await store.key()));
    }
    const command = commandLine(run, [destroys ? 'destroy' : 'apply', savedTo ?? '']);
    const showing = commandLine(run, savedTo === undefined ? ['plan'] : ['show', savedTo], [
      ...(savedTo === undefined ? planFlags(flags) : []),
      '--full',
    ]);
    view.plan({ plan: document, isFull: flags.full === true, savedTo, command, showing });
    if (isInTheWay) {
      if (flags.out !== undefined) terminal.err(`The plan was not saved to ${printable(flags.out)}.\n`);
      return 'failed';
    }
    if (flags.detailedExitcode !== true) return 'done';
    return document.hasChanges ? 'changes' : document.ignored > 0 ? 'partly' : 'done';
  });
}

/** The options that choose what a plan has, as written. */
function planFlags({
  deploy,
  destroy,
  includeAccepted,
  retryFailed,
  target = [],
  exclude = [],
  replace = [],
  hideValues,
}: PlanFlags): string[] {
  return [
    ...(deploy === false ? ['--no-deploy'] : []),
    ...(destroy === true ? ['--destroy'] : []),
    ...target.flatMap((address) => ['--target', address]),
    ...exclude.flatMap((address) => ['--exclude', address]),
    ...replace.flatMap((address) => ['--replace', address]),
    ...(includeAccepted === true ? ['--include-accepted'] : []),
    ...(retryFailed === true ? ['--retry-failed'] : []),
    ...(hideValues === true ? ['--hide-values'] : []),
  ];
}

/**
 * A note about the run that holds the lock: its remaining work shows as a difference. None where the lock cannot be read,
 * such as on a read-only disk, whose clock cannot be asked: a plan needs no lock.
 */
async function underWay(store: StateStore): Promise<Diagnostic[]> {
  const holder = await store.holder().catch((error: unknown) => {
    if (error instanceof Stop && error.failure === 'state') return undefined;
    throw error;
  });
  if (holder === undefined) return [];
  const { owner, purpose, since, isOver } = holder;
  if (isOver) {
    const message = `${printable(owner)} was interrupted while it ran ${printable(purpose)}, since ${printable(since)}`;
    const remedy = 'This plan shows what it left to do. The next apply also finishes what it had begun.';
    return [diagnostic('under-way', message, { remedy })];
  }
  const message = `${printable(owner)} runs ${printable(purpose)} since ${printable(since)}`;
  return [
    diagnostic('under-way', message, {
      remedy: 'This plan still shows what that run has yet to do. Plan again when it has ended.',
    }),
  ];
}

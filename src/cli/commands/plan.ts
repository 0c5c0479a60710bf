import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { planDocument } from '../../documents/plan.ts';
import { hasChanges } from '../../plan/action.ts';
import { planFile } from '../../plan/fingerprint.ts';
import { readNarrowing } from '../../plan/narrow.ts';
import { obstacles } from '../../plan/safeguard.ts';
import { aboutPlan } from '../../project/about-plan.ts';
import { readVersion } from '../../project/version.ts';
import type { PlanCommandView } from '../../render/formats/plan.ts';
import { planFormats } from '../../render/formats/plan.ts';
import { printable } from '../../render/printable.ts';
import { makePlan } from '../../review.ts';
import type { StateStore } from '../../state/state.ts';
import type { NarrowFlags } from '../approval.ts';
import type { Command, Run } from '../command.ts';
import { openProject } from '../connect.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { loadManifest, loadWithSecrets } from '../../project/load.ts';
import { usage } from '../options.ts';
import { checkPlanPath, writePlanFile } from '../plan-file.ts';
import { commandLine } from '../shell-command.ts';
import type { ValuesFlags } from '../values.ts';
import { readValues } from '../values.ts';

/** The options of `plan`. */
interface PlanFlags extends NarrowFlags, ValuesFlags {
  readonly detailedExitcode?: true;
  readonly deploy?: boolean;
  readonly destroy?: true;
  readonly full?: true;
  /** The plan file to write. */
  readonly out?: string;
}

/** Shows the differences between manifest and platform. Sends GETs only. */
export function planCommand(flags: PlanFlags): Command<PlanCommandView> {
  return { formats: planFormats, execute: (run, view) => showPlan(run, view, flags) };
}

async function showPlan(run: Run, view: PlanCommandView, flags: PlanFlags): Promise<Exit> {
  const { options, terminal } = run;
  const destroys = flags.destroy === true;
  const values = readValues(run, view, flags);
  if (values === 'all' && flags.out !== undefined)
    throw usage('--show-values cannot be combined with --out', 'A plan file is for other readers too: leave one out.');
  if (destroys && flags.replace !== undefined) throw usage('--replace cannot be combined with --destroy');
  if (destroys && flags.includeAccepted === true) throw usage('--include-accepted cannot be combined with --destroy');
  if (flags.out !== undefined) checkPlanPath(options.folder, run.process.cwd(), flags.out);
  const load = destroys ? loadManifest : loadWithSecrets;
  const about = { options, terminal, purpose: 'plan', destroys };
  const { validated, connection } = await openProject(async (onSettings) => {
    const validated = await load(options, { onSettings });
    run.warn(validated.warnings);
    return validated;
  }, about);
  const { manifest, warnings } = validated;
  try {
    const { client } = connection;
    const purpose = { manifest, deploys: flags.deploy !== false, destroys, narrowing: readNarrowing(flags) };
    const made = await makePlan(purpose, { ...connection, values });
    // A missing permission does not stop a plan; a mistake does.
    const everything = { dataLoss: true, adoption: true, massDeletion: true, massRecreation: true };
    const isInTheWay = obstacles(made, everything).length > 0;
    const savedTo = isInTheWay ? undefined : flags.out;
    const others = hasChanges(made) ? await underWay(connection.store) : [];
    const plan = { ...made, diagnostics: [...others, ...made.diagnostics] };
    const about = await aboutPlan(made, { manifest, folder: options.folder, world: connection });
    const document = planDocument({ plan, counts: client.counts, about, warnings });
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
  } finally {
    await connection.close();
  }
}

/** The options that choose what a plan has, as written. */
function planFlags({
  deploy,
  destroy,
  includeAccepted,
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

import { keptIn, onceFor } from '../api/once.ts';
import { shellWord } from '../diagnostics/shell-word.ts';
import { type Diagnostic, diagnostic, hasErrors, Stop, stop } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Settings } from '../manifest/settings.ts';
import type { ReadAhead } from '../observe/read-ahead.ts';
import type { Plan } from '../plan/action.ts';
import type { PlanFile } from '../plan/plan-file.ts';
import { isIntact, planFacts, platformName } from '../plan/plan-facts.ts';
import { isNarrow } from '../plan/narrow.ts';
import { type Touched, createdBy, touchedBy } from '../plan/reviewed-reads.ts';
import { comparePlans, elsewhere, isSamePlan } from '../plan/reviewed-comparison.ts';
import type { Connection } from './connection.ts';
import { plan } from './make-plan.ts';
import { planAhead } from './plan-ahead.ts';
import { counted } from '../render/fold-lines.ts';
import type { StateKey } from '../secrets/state-key.ts';

/** A plan file that a person reviewed, as it was read. */
export interface ReviewedPlan {
  readonly file: PlanFile;
  /** The name of the plan, for messages: `the plan in shop.plan`. */
  readonly name: string;
  /** The version of Trueup that applies it. */
  readonly version: string;
}

/**
 * Makes a reviewed plan again. The new plan does what was reviewed, or less, because a person did a part of it by hand.
 * Reads what the reviewed plan touches, and what that needs. Where that does not give exactly the reviewed plan, and with
 * `full`, it reads everything. With `continues` the new plan is what is left of a reviewed one: an apply of it began, and what the
 * state says since is taken for done by that.
 *
 * @throws {Stop} `refused`, when the new plan would do anything else; every reason is a diagnostic.
 */
export async function planAgain(
  reviewedPlan: ReviewedPlan,
  manifest: Manifest,
  connection: Connection,
  { full = false, continues = false }: { readonly full?: boolean; readonly continues?: boolean } = {},
): Promise<Plan> {
  const { file: reviewed } = reviewedPlan;
  const { deploys, destroys, narrowing, state } = reviewed;
  const { project } = manifest.settings;
  const key = await refuseOther(reviewedPlan, manifest.settings, connection.store);
  const options = { deploys, destroys, narrowing, begins: 'serial' in state ? undefined : state };
  // What it was to create counts as not there: what refers to that was reviewed so.
  const created = continues ? createdBy(reviewed.facts) : undefined;
  const make = async (touched?: Touched) => {
    const made = await plan(manifest, connection, { ...options, touched });
    return { made, facts: planFacts(made, manifest, key, created) };
  };
  const touched = touchedIn(reviewed, full);
  const quick = touched === undefined ? undefined : await unlessRefused(make(touched));
  const isEnough = quick !== undefined && (quick.made.observed.unread.size === 0 || isSamePlan(reviewed, quick.facts));
  const { made, facts } = isEnough ? quick : await make();
  const found = comparePlans({ reviewed, now: facts, project, resources: manifest.resources, continues });
  if (hasErrors(found)) throw outdated(reviewedPlan, found);
  return { ...made, diagnostics: [...made.diagnostics, ...found, ...aboutUnread(made)] };
}

/**
 * Begins the reads of a reviewed plan, before its manifest is checked.
 *
 * @throws {Stop} `refused`, as `planAgain` before it reads anything; `state`, when the state cannot be used.
 */
export async function reviewedAhead(
  reviewedPlan: ReviewedPlan,
  settings: Settings,
  connection: Connection,
  { full = false }: { readonly full?: boolean } = {},
): Promise<ReadAhead | undefined> {
  const { file } = reviewedPlan;
  await refuseOther(reviewedPlan, settings, connection.store);
  return planAhead(settings, connection, { destroys: file.destroys, touched: touchedIn(file, full) });
}

/** What is read to make a reviewed plan again; undefined: everything. */
function touchedIn({ facts, narrowing }: PlanFile, full: boolean): Touched | undefined {
  const touched = touchedBy(facts);
  // A plan that changes nothing proves just that; one of a part says what it leaves out.
  return full || touched.blocks.size === 0 || isNarrow(narrowing) ? undefined : touched;
}

/** Whether a file has the MAC of a key: that is asked before its reads begin, and once more when they are used. */
const verdicts = onceFor((_file: PlanFile) => new Map<StateKey, boolean>());

/** Refuses a file that was changed, or is of another root file, platform or project. Gives the key of the state. @throws {Stop} */
async function refuseOther(
  reviewedPlan: ReviewedPlan,
  { rootFile: root = 'trueup.yaml', platform, project }: Settings,
  store: Connection['store'],
): ReturnType<Connection['store']['key']> {
  const { file, name } = reviewedPlan;
  // Another root file has another state, and mostly another key: with that, the MAC says that another person changed the file.
  if (file.root !== root) {
    const message = `${name} is of ${file.root}, and this run reads ${root}; nothing was sent`;
    throw stop('refused', 'plan-file', message, { remedy: `Apply it with -f ${shellWord(file.root)}.` });
  }
  const key = await store.key();
  if (!keptIn(verdicts(file), key, () => isIntact(file, key))) {
    const message = `${name} was changed after it was made, or was made with another key; nothing was sent`;
    throw stop('refused', 'plan-file', message, { remedy: remedyFor(reviewedPlan) });
  }
  const abroad = elsewhere(file, { platform: platformName(platform), project });
  if (abroad.length > 0) throw outdated(reviewedPlan, abroad);
  return key;
}

function outdated(reviewedPlan: ReviewedPlan, found: readonly Diagnostic[]): Stop {
  const message = `${reviewedPlan.name} is out of date (${counted(found.length, 'reason')} below); nothing was sent`;
  return new Stop('refused', [diagnostic('plan-outdated', message, { remedy: remedyFor(reviewedPlan) }), ...found]);
}

/** undefined: it was refused. A plan that reads everything is refused for all of its reasons. */
async function unlessRefused<T>(making: Promise<T>): Promise<T | undefined> {
  try {
    return await making;
  } catch (error) {
    if (error instanceof Stop && error.failure === 'refused') return undefined;
    throw error;
  }
}

function aboutUnread({ observed: { unread } }: Plan): Diagnostic[] {
  if (unread.size === 0) return [];
  const message = `${counted(unread.size, 'object')} that the plan does not touch ${unread.size === 1 ? 'was' : 'were'} not read; the next plan reads them`;
  return [diagnostic('not-read', message, { remedy: 'To read everything first, apply with --full.' })];
}

function remedyFor({ file: { madeBy, madeAt }, version }: ReviewedPlan): string {
  const other = madeBy === version ? '' : ` It was made by Trueup ${madeBy}, and this is ${version}.`;
  return `Plan again, and review that. This one is from ${madeAt}.${other}`;
}

import { defined } from '../formats/json.ts';
import { type Diagnostic, diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Narrowing, Plan } from '../plan/action.ts';
import type { PlanFile } from '../plan/plan-file.ts';
import { isIntact, planFacts, platformName, versionOf } from '../plan/fingerprint.ts';
import { everything, isNarrow } from '../plan/narrow.ts';
import { type Touched, touchedBy } from '../plan/reviewed-reads.ts';
import { comparePlans, elsewhere, isSamePlan, upgraded } from '../plan/reviewed.ts';
import type { World } from './world.ts';
import { plan, planDestruction } from './plan.ts';
import { counted } from '../render/lines.ts';

/** A plan file that a person reviewed, as it was read. */
export interface ReviewedPlan {
  readonly file: PlanFile;
  /** The name of the plan, for messages: `the plan in shop.plan`. */
  readonly name: string;
  /** The version of Trueup that applies it. */
  readonly version: string;
}

/** The purpose of a plan. */
export type Purpose = Pick<PlanFile, 'deploys' | 'destroys'> & {
  readonly manifest: Manifest;
  /** Nothing is left out and nothing replaced on purpose by default. */
  readonly narrowing?: Narrowing;
  /** What a reviewed plan touches: nothing else is read than what that needs. Everything by default. */
  readonly touched?: Touched;
};

/**
 * Makes a plan for its purpose; `begins` holds the first words of a state that does not exist yet.
 *
 * @throws {Stop} when no plan can be made. @throws {PlatformError} when a read fails.
 */
export function makePlan(
  { manifest, deploys, destroys, narrowing = everything, touched }: Purpose,
  world: World,
  begins?: { readonly lineage: string },
): Promise<Plan> {
  const options = { narrowing, touched, ...defined({ begins }) };
  return destroys ? planDestruction(manifest, world, options) : plan(manifest, world, { ...options, deploys });
}

/**
 * Makes a reviewed plan again. The new plan does what was reviewed, or less, because a person did a part of it by hand.
 * Reads what the reviewed plan touches, and what that needs. Where that does not give exactly the reviewed plan, and with
 * `full`, it reads everything.
 *
 * @throws {Stop} `refused`, when the new plan would do anything else; every reason is a diagnostic.
 */
export async function planAgain(
  reviewedPlan: ReviewedPlan,
  manifest: Manifest,
  world: World,
  { full = false }: { readonly full?: boolean } = {},
): Promise<Plan> {
  const { file: reviewed, name } = reviewedPlan;
  const { deploys, destroys, narrowing } = reviewed;
  const { platform, project } = manifest.settings;
  const outdated = (found: readonly Diagnostic[]): Stop => {
    const message = `${name} is out of date (${counted(found.length, 'reason')} below); nothing was sent`;
    return new Stop('refused', [diagnostic('plan-outdated', message, { remedy: remedyFor(reviewedPlan) }), ...found]);
  };
  const key = await world.store.key();
  if (!isIntact(reviewed, key)) {
    const message = `${name} was changed after it was made, or was made with another key; nothing was sent`;
    throw new Stop('refused', [diagnostic('plan-file', message, { remedy: remedyFor(reviewedPlan) })]);
  }
  const abroad = elsewhere(reviewed, { platform: platformName(platform), project });
  if (abroad.length > 0) throw outdated(abroad);
  const begins = 'serial' in reviewed.state ? undefined : reviewed.state;
  const purpose = { manifest, deploys, destroys, narrowing };
  const make = async (about: Purpose) => {
    const plan = await makePlan(about, world, begins);
    return { plan, facts: planFacts(plan, purpose, key) };
  };
  const isReviewed = ({ plan, facts }: Awaited<ReturnType<typeof make>>): boolean =>
    plan.observed.projectId === reviewed.projectId &&
    upgraded(reviewed, versionOf(plan.base)).length === 0 &&
    isSamePlan(reviewed, facts);
  const touched = touchedBy(reviewed.facts);
  // A plan that changes nothing proves just that; one of a part says what it leaves out.
  const readsAll = full || touched.blocks.size === 0 || isNarrow(narrowing);
  const quick = readsAll ? undefined : await unlessRefused(make({ ...purpose, touched }));
  const isEnough = quick !== undefined && (quick.plan.observed.unread === undefined || isReviewed(quick));
  const { plan, facts } = isEnough ? quick : await make(purpose);
  const other = elsewhere(reviewed, { platform: reviewed.platform, project, projectId: plan.observed.projectId });
  const upgrades = upgraded(reviewed, versionOf(plan.base));
  if (other.length + upgrades.length > 0) throw outdated([...other, ...upgrades]);
  const { moved, leftOut } = comparePlans({ reviewed, now: facts, resources: manifest.resources });
  if (moved.length > 0) throw outdated(moved);
  return { ...plan, diagnostics: [...plan.diagnostics, ...leftOut, ...aboutUnread(plan)] };
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
  if (unread === undefined) return [];
  const message = `${counted(unread.size, 'object')} that the plan does not touch ${unread.size === 1 ? 'was' : 'were'} not read; the next plan reads them`;
  return [diagnostic('not-read', message, { remedy: 'To read everything first, apply with --full.' })];
}

function remedyFor({ file: { madeBy, madeAt }, version }: ReviewedPlan): string {
  const other = madeBy === version ? '' : ` It was made by Trueup ${madeBy}, and this is ${version}.`;
  return `Plan again, and review that. This one is from ${madeAt}.${other}`;
}

import type { Diagnostic } from './diagnostics/diagnostic.ts';
import { diagnostic, Stop } from './diagnostics/diagnostic.ts';
import type { Manifest } from './manifest/manifest.ts';
import type { Narrowing, Plan } from './plan/action.ts';
import type { PlanFile } from './plan/file.ts';
import { isIntact, planFacts, platformName, versionOf } from './plan/fingerprint.ts';
import { everything } from './plan/narrow.ts';
import { comparePlans, elsewhere, upgraded } from './plan/reviewed.ts';
import type { World } from './reconcile.ts';
import { plan, planDestruction } from './reconcile.ts';
import { counted } from './render/lines.ts';

/** A plan file that somebody reviewed, as it was read. */
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
  /** Nothing is left out and nothing made anew by default. */
  readonly narrowing?: Narrowing;
};

/**
 * Makes a plan for its purpose; `begins` holds the first words of a state that does not exist yet.
 *
 * @throws {Stop} when no plan can be made. @throws {PlatformError} when a read fails.
 */
export function makePlan(
  { manifest, deploys, destroys, narrowing = everything }: Purpose,
  world: World,
  begins?: { readonly lineage: string },
): Promise<Plan> {
  const options = { narrowing, ...(begins === undefined ? {} : { begins }) };
  return destroys ? planDestruction(manifest, world, options) : plan(manifest, world, { ...options, deploys });
}

/**
 * Makes a reviewed plan again. The new plan does what was reviewed, or less, because somebody did a part of it by hand.
 *
 * @throws {Stop} `refused`, when the new plan would do anything else; every reason is a diagnostic.
 */
export async function planAgain(reviewedPlan: ReviewedPlan, manifest: Manifest, world: World): Promise<Plan> {
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
  const made = await makePlan(purpose, world, begins);
  const other = elsewhere(reviewed, { platform: reviewed.platform, project, projectId: made.observed.projectId });
  const upgrades = upgraded(reviewed, versionOf(made.base));
  if (other.length + upgrades.length > 0) throw outdated([...other, ...upgrades]);
  const { moved, leftOut } = comparePlans({
    reviewed,
    now: planFacts(made, purpose, key),
    resources: manifest.resources,
  });
  if (moved.length > 0) throw outdated(moved);
  return { ...made, diagnostics: [...made.diagnostics, ...leftOut] };
}

function remedyFor({ file: { madeBy, madeAt }, version }: ReviewedPlan): string {
  const other = madeBy === version ? '' : ` It was made by Trueup ${madeBy}, and this is ${version}.`;
  return `Plan again, and review that. This one is from ${madeAt}.${other}`;
}

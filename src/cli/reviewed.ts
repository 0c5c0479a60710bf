import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Manifest } from '../manifest/manifest.ts';
import { resourcePosition } from '../manifest/resource.ts';
import type { Plan } from '../plan/action.ts';
import type { PlanFile } from '../plan/file.ts';
import { isIntact, planFile, platformName } from '../plan/fingerprint.ts';
import { comparePlans, elsewhere } from '../plan/reviewed.ts';
import type { World } from '../reconcile.ts';
import { plan, planDestruction } from '../reconcile.ts';
import { counted } from '../render/lines.ts';
import { digest } from '../secrets/digest.ts';
import type { ReadPlan } from './plan-file.ts';
import { readVersion } from './version.ts';

/** What a plan is made for. */
type Purpose = Pick<PlanFile, 'deploys' | 'destroys'> & { readonly manifest: Manifest };

/** Makes a plan for its purpose; `begins` is what a state begins with that is not there yet. */
export function makePlan(
  { manifest, deploys, destroys }: Purpose,
  world: World,
  begins?: { readonly lineage: string; readonly digestKey: string },
): Promise<Plan> {
  const options = begins === undefined ? {} : { begins };
  return destroys ? planDestruction(manifest, world, options) : plan(manifest, world, { ...options, deploys });
}

/** Puts a plan down for its review. */
export function fileOf(made: Plan, { manifest, deploys, destroys }: Purpose): PlanFile {
  const { platform, moved } = manifest.settings;
  return planFile({
    plan: made,
    resources: destroys ? [] : manifest.resources,
    settings: { platform, moved: destroys ? [] : moved },
    deploys,
    destroys,
    madeBy: readVersion(),
    madeAt: new Date().toISOString(),
    digest: (text) => digest(made.base.digestKey, text),
  });
}

/** Makes a plan that was reviewed again. It is that plan, or less because some of it was done by hand; else it stops. */
export async function planAgain({ file: reviewed, path }: ReadPlan, manifest: Manifest, world: World): Promise<Plan> {
  const { deploys, destroys } = reviewed;
  const { platform, project } = manifest.settings;
  const outdated = (found: readonly Diagnostic[]): Stop => {
    const message = `the plan in ${path} is not the plan any more, for ${counted(found.length, 'reason')}; nothing was sent`;
    return new Stop('refused', [diagnostic('plan-outdated', message, { remedy: remedyFor(reviewed) }), ...found]);
  };
  const abroad = elsewhere(reviewed, { platform: platformName(platform), projectId: project });
  if (abroad.length > 0) throw outdated(abroad);
  const begins = 'digestKey' in reviewed.state ? reviewed.state : undefined;
  const made = await makePlan({ manifest, deploys, destroys }, world, begins);
  const positions = new Map(manifest.resources.map((resource) => [resource.address, resourcePosition(resource)]));
  const { moved, leftOut } = comparePlans({
    reviewed,
    now: fileOf(made, { manifest, deploys, destroys }),
    isIntact: isIntact(reviewed, (text) => digest(made.base.digestKey, text)),
    positionOf: (address) => positions.get(address),
  });
  if (moved.length > 0) throw outdated(moved);
  return { ...made, diagnostics: [...made.diagnostics, ...leftOut] };
}

function remedyFor({ madeBy, madeAt }: PlanFile): string {
  const version = readVersion();
  const other = madeBy === version ? '' : ` It was made by Trueup ${madeBy}, and this is ${version}.`;
  return `Plan again, and review that. This one is from ${madeAt}.${other}`;
}

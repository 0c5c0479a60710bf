import { blockAddress } from '../kind/address.ts';
import type { Change, Narrowed, ShownAction } from '../plan/action.ts';
import { hasChanges, notDeployed, overwriting, recreating, restarting, risking, underWay } from '../plan/action.ts';
import { inCanonicalOrder } from './canonical.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { PlanDocument } from './documents.ts';
import type { PlanAbout } from './plan-head.ts';
import type { PlanView } from './plan-text.ts';
import { countActions, within } from './words.ts';

/** A plan as a document, in canonical order: all of it, unchanged resources included. Secrets are redacted already. */
export function planJson({ plan: given, counts, about }: PlanView): PlanDocument {
  const plan = inCanonicalOrder(given);
  return {
    format: 'trueup/plan',
    version: 1,
    hasChanges: hasChanges(plan),
    summary: Object.fromEntries(countActions(within(plan))),
    requests: { reads: counts.reads, writes: counts.writes },
    ...(about === undefined ? {} : aboutJson(about)),
    restarts: restarting(within(plan)),
    recreates: recreating(within(plan)),
    waitsFor: underWay(within(plan)),
    notDeployed: notDeployed(within(plan)),
    overwrites: overwriting(within(plan)).map(blockAddress),
    dataAtRisk: risking(within(plan)).map(blockAddress),
    ...(plan.unmanaged === undefined ? {} : { unmanaged: plan.unmanaged }),
    actions: within(plan).map(actionJson),
    ...(plan.narrowed === undefined ? {} : { narrowed: narrowedJson(plan.narrowed) }),
    diagnostics: plan.diagnostics.map(diagnosticJson),
  };
}

function narrowedJson({ targets, excludes, leftOut }: Narrowed): PlanDocument['narrowed'] {
  return {
    targets: [...targets],
    excludes: [...excludes],
    leftOut: leftOut.map(({ address, ...rest }) => ({ ...rest, address: blockAddress(address) })),
  };
}

/** The head of a plan as members of a document. */
export function aboutJson({
  platform,
  platformVersion,
  project,
  state,
  commit,
}: PlanAbout): Pick<PlanDocument, 'platform' | 'platformVersion' | 'project' | 'state' | 'commit'> {
  return {
    ...(platform === undefined ? {} : { platform }),
    ...(platformVersion === undefined ? {} : { platformVersion }),
    project: { ...project },
    state: { ...state },
    ...(commit === undefined ? {} : { commit: { ...commit } }),
  };
}

/** One action as a member of a document. */
export function actionJson(action: ShownAction): PlanDocument['actions'][number] {
  const { id, parent, movedFrom, because, isAsked, holds, dataAtRisk, protect, position } = action;
  const needs = new Set((action.dependsOn ?? []).map(blockAddress));
  needs.delete(blockAddress(action.address));
  return {
    address: blockAddress(action.address),
    kind: action.kind.kind,
    action: action.action,
    ...(id === undefined ? {} : { id }),
    ...(parent === undefined ? {} : { parent }),
    ...(action.dependsOn === undefined ? {} : { dependsOn: [...needs].toSorted() }),
    ...(movedFrom === undefined ? {} : { movedFrom }),
    ...(action.createsBeforeDestroy ? { createsBeforeDestroy: true } : {}),
    ...(action.comesWithParent === true ? { comesWithParent: true as const } : {}),
    ...(action.goesWithParent === true ? { goesWithParent: true as const } : {}),
    ...(action.isOrdered === true ? { underWay: true as const } : {}),
    ...(sendsNothing(action) ? { sendsNothing: true as const } : {}),
    changes: action.changes.map(changeJson),
    ...(because === undefined ? {} : { because: [...because] }),
    ...(holds === undefined ? {} : { holds: holds as PlanAction['holds'] }),
    ...(isAsked === undefined ? {} : { asked: isAsked }),
    ...(dataAtRisk === undefined ? {} : { dataAtRisk }),
    ...(protect === undefined ? {} : { protect }),
    needsConsent: action.needsConsent,
    notes: action.notes.map(diagnosticJson),
    ...(position === undefined ? {} : { position }),
  };
}

/** Whether an action of its own needs no request. */
function sendsNothing({ action, steps, teardown }: ShownAction): boolean {
  return action !== 'no-op' && steps.length === 0 && teardown.length === 0;
}

function changeJson(change: Change): PlanDocument['actions'][number]['changes'][number] {
  const { path, cause, before, after, last, unit, summary, atDeploy, forcesReplacement, position } = change;
  return {
    path,
    cause,
    // Shown values are JSON already; the document's type only spells it without readonly.
    before: before as PlanShown,
    after: after as PlanShown,
    ...(last === undefined ? {} : { last: last as PlanShown }),
    ...(unit === undefined ? {} : { unit: typeof unit === 'string' ? unit : { ...unit } }),
    ...(summary === undefined ? {} : { summary }),
    atDeploy,
    forcesReplacement,
    ...(position === undefined ? {} : { position }),
  };
}

type PlanAction = PlanDocument['actions'][number];
type PlanShown = PlanDocument['actions'][number]['changes'][number]['before'];

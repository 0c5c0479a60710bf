import type { ApplyResult } from '../apply/job.ts';
import { defined } from '../formats/json.ts';
import { isBeside, isDeployment, shownAddress } from '../plan/action.ts';
import { diagnosticJson } from '../render/diagnostics-json.ts';
import type { PlanDocument, ResultDocument } from '../render/document-schemas.ts';
import { type Exit, exitCodes, stopExits } from '../render/exit-codes.ts';
import { isNews } from '../render/outcomes.ts';
import type { StateRecord } from '../state/record.ts';

/** What the document of a result has of the plan that was applied: a run of thousands need not keep the rest. */
export type AppliedPlan = Omit<PlanDocument, 'actions'> & { readonly actions?: never };

/** A plan without its actions; their notes are diagnostics. */
export function appliedPlan({ actions, ...plan }: PlanDocument): AppliedPlan {
  return { ...plan, diagnostics: [...plan.diagnostics, ...actions.flatMap(({ notes }) => notes)] };
}

/** The result of an apply, and what a run knows beside it. */
export interface ResultInput {
  readonly plan: AppliedPlan;
  readonly result: ApplyResult;
  readonly isInterrupted: boolean;
  readonly counts: { readonly reads: number; readonly writes: number };
}

/**
 * Returns the ending of an apply as a whole. `partly`: something was written, and something else failed or is not verified; or
 * the platform ignores a field.
 */
export function endingOf({ outcomes, state, unsaved }: ApplyResult): ResultDocument['ending'] {
  const news = outcomes.filter(({ action, result }) => isNews({ action: action.action, result }));
  if (unsaved === undefined && news.every(({ result }) => result === 'done')) {
    return countIgnored(state) === 0 ? 'done' : 'partly';
  }
  return outcomes.some(({ mayHaveWritten }) => mayHaveWritten) ? 'partly' : 'failed';
}

/** How the run of an apply ends. What it wrote on the platform counts for more than why it could not save the state. */
export function exitOf(result: ApplyResult, ending = endingOf(result)): Exit {
  if (ending !== 'failed') return ending;
  if (result.unsaved !== undefined) return stopExits[result.unsaved.failure];
  return result.isKeyRefused === true ? 'authentication' : 'failed';
}

/** Counts the fields of a state that the platform ignores. */
function countIgnored({ resources }: ApplyResult['state']): number {
  const ignoredOf = ({ pairs }: StateRecord) =>
    Object.values(pairs).filter(({ ignored }) => ignored !== undefined).length;
  return Object.values(resources).reduce((sum, record) => sum + ignoredOf(record), 0);
}

/** What the plan was narrowed to. A service keeps the old value of a secret where the new one may be in effect elsewhere. */
function narrowedTo(
  { oldSecrets = [], ...narrowed }: NonNullable<AppliedPlan['narrowed']>,
  { outcomes }: ApplyResult,
): NonNullable<ResultDocument['narrowed']> {
  const written = new Set(
    outcomes
      .filter(({ result, stopped }) => stopped === undefined && (result === 'done' || result === 'unverified'))
      .filter(({ action }) => !isBeside(action))
      .map(({ action }) => action.address),
  );
  const old = oldSecrets.filter(({ writtenAt }) => writtenAt.some((address) => written.has(address)));
  return { ...narrowed, ...(old.length === 0 ? {} : { oldSecrets: old }) };
}

/** The services that a plan restarts because of new values of secrets, by what became of their deployments. */
function rotatedIn({ rotated = [] }: AppliedPlan, { outcomes }: ApplyResult): NonNullable<ResultDocument['rotated']> {
  const deployed = new Set(
    outcomes.flatMap(({ action, result }) => (isDeployment(action) && result === 'done' ? [action.block] : [])),
  );
  return rotated
    .filter(({ restarts }) => restarts.length > 0)
    .map(({ secret, restarts }) => ({
      secret,
      restarted: restarts.filter((address) => deployed.has(address)),
      notRestarted: restarts.filter((address) => !deployed.has(address)),
    }));
}

/** The result of an apply as a document: every view is made from it. */
export function resultDocument(input: ResultInput): ResultDocument {
  const { plan, result, isInterrupted, counts } = input;
  const { platform, platformVersion, project, state, commit, compared, notCompared, left, destroys, narrowed } = plan;
  const rotated = rotatedIn(plan, result);
  const ending = endingOf(result);
  return {
    format: 'trueup/result',
    version: 2,
    ending,
    interrupted: isInterrupted,
    exitCode: exitCodes[exitOf(result, ending)].code,
    requests: { reads: counts.reads, writes: counts.writes },
    ...defined({ platform, platformVersion, project, state, commit }),
    compared,
    notCompared,
    left,
    ignored: countIgnored(result.state),
    ...defined({ destroys, narrowed: narrowed && narrowedTo(narrowed, result) }),
    ...(rotated.length === 0 ? {} : { rotated }),
    outcomes: result.outcomes.map(({ action, result: ended, stopped, diagnostics }) => {
      const address = shownAddress(action);
      const id = result.state.resources[address]?.id;
      return {
        address,
        kind: action.kind.kind,
        action: action.action,
        ...(typeof id === 'string' ? { id } : {}),
        result: ended,
        ...(stopped === undefined ? {} : { stopped }),
        writes: action.steps.length,
        diagnostics: diagnostics.map(diagnosticJson),
        ...(action.position === undefined ? {} : { position: action.position }),
      };
    }),
    diagnostics: [
      ...plan.diagnostics,
      ...(result.unsaved?.diagnostics ?? []).map((item) => ({ ...diagnosticJson(item), source: 'state' as const })),
    ],
  };
}

import type { ShownAction } from '../plan/action.ts';
import { renderAction } from './action-text.ts';
import { diagnosticCases, problemOf } from './finding-views.ts';
import { groupActions } from './groups.ts';
import type { JunitCase } from './junit.ts';
import { junitXml } from './junit.ts';
import type { PlanView } from './plan-text.ts';
import type { ReviewSite } from './review-site.ts';
import { fileInRepository } from './review-site.ts';
import { plainStyle } from './style.ts';
import { within } from './words.ts';

/** Renders a plan in the form of JUnit: a case for each resource, which fails when it has an error. */
export function planJunit({ plan, isFull }: PlanView, site: ReviewSite): string {
  const style = isFull === true ? { ...plainStyle, isFull } : plainStyle;
  const groups = groupActions(plan.actions).flatMap((group) => group.actions.map((one) => ({ one, group })));
  const changes = new Map(
    groups.map(({ one, group }) => {
      const lines = renderAction({ ...one, action: { ...one.action, notes: [] } }, group.address, style);
      return [one.action.address, one.action.action === 'no-op' ? [] : lines] as const;
    }),
  );
  const cases = within(plan).map((action) => caseOf(action, changes.get(action.address) ?? [], site));
  return junitXml('trueup plan', [...cases, ...diagnosticCases(plan.diagnostics, site)]);
}

function caseOf(
  { address, kind, notes, position }: ShownAction,
  changes: readonly string[],
  site: ReviewSite,
): JunitCase {
  const { problem, output = [] } = problemOf(...notes);
  return {
    group: kind.kind,
    name: address,
    file: position === undefined ? undefined : fileInRepository(site, position.file),
    problem,
    output: [...changes, ...output],
  };
}

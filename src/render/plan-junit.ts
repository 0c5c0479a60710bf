import { deployAddress } from '../kind/address.ts';
import { renderAction } from './action-text.ts';
import type { PlanDocument } from './documents.ts';
import { diagnosticCases, problemOf } from './finding-views.ts';
import type { PlannedAction } from './groups.ts';
import { groupActions } from './groups.ts';
import type { JunitCase } from './junit.ts';
import { junitXml } from './junit.ts';
import type { ReviewSite } from './review-site.ts';
import { fileInRepository } from './review-site.ts';
import type { Style } from './style.ts';

/** Renders a plan in the form of JUnit: a case for each resource, which fails when it has an error. */
export function planJunit({ actions, diagnostics }: PlanDocument, site: ReviewSite, style: Style): string {
  const groups = groupActions(actions).flatMap((group) => group.actions.map((one) => ({ one, group })));
  const changes = new Map(
    groups.map(({ one, group }) => {
      const lines = renderAction({ ...one, action: { ...one.action, notes: [] } }, group.address, style);
      return [one.action, one.action.action === 'no-op' ? [] : lines] as const;
    }),
  );
  const cases = actions.map((action) => caseOf(action, changes.get(action) ?? [], site));
  return junitXml('trueup plan', [...cases, ...diagnosticCases(diagnostics, site)]);
}

function caseOf(
  { address, action, kind, notes, position }: PlannedAction,
  changes: readonly string[],
  site: ReviewSite,
): JunitCase {
  const { problem, output = [] } = problemOf(...notes);
  return {
    group: kind,
    name: action === 'deploy' ? deployAddress(address) : address,
    file: position === undefined ? undefined : fileInRepository(site, position.file),
    problem,
    output: [...changes, ...output],
  };
}

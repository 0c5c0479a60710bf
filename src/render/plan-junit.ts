import { renderAction } from './action-text.ts';
import type { PlanDocument } from './document-schemas.ts';
import { diagnosticCases, problemOf } from './finding-views.ts';
import { type PlannedAction, groupActions } from './groups.ts';
import { type JunitCase, junitXml } from './junit.ts';
import { type ReviewSite, fileInRepository } from './report-links.ts';
import type { Style } from './style.ts';
import { isChange } from './action-words.ts';
import { plannedName } from './progress-view.ts';

/** Renders a plan in the form of JUnit: a case for each resource, which fails when it has an error. */
export function planJunit({ actions, diagnostics }: PlanDocument, site: ReviewSite, style: Style): string {
  const groups = groupActions(actions).flatMap((group) => group.actions.map((one) => ({ one, group })));
  const changes = new Map(
    groups.map(({ one, group }) => {
      const lines = renderAction({ ...one, action: { ...one.action, notes: [] } }, group.address, style);
      return [one.action, isChange(one.action) ? lines : []] as const;
    }),
  );
  const cases = actions.map((action) => caseOf(action, changes.get(action) ?? [], site));
  return junitXml('trueup plan', [...cases, ...diagnosticCases(diagnostics, site)]);
}

function caseOf(action: PlannedAction, changes: readonly string[], site: ReviewSite): JunitCase {
  const { kind, notes, position } = action;
  const { problem, output } = problemOf(...notes);
  return {
    group: kind,
    name: plannedName(action),
    file: position === undefined ? undefined : fileInRepository(site, position.file),
    problem,
    output: [...changes, ...output],
  };
}

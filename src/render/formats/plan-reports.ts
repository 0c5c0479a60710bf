import type { Format } from '../format.ts';
import { diagnosticResults, diagnosticRules, junitView, sarifView } from '../finding-views.ts';
import { htmlView } from '../html-view.ts';
import { renderPlanPage } from '../html/plan.ts';
import { markdownView } from '../markdown-view.ts';
import { planJunit } from '../plan-junit.ts';
import { renderPlanMarkdown } from '../plan-markdown.ts';
import { sarifLog } from '../sarif.ts';
import { printJson } from '../json-view.ts';
import { planJson } from '../plan-json.ts';
import type { PlanCommandView } from './plan.ts';
import { withWarnings } from './plan.ts';

/** The formats of `plan` for reviewers, forges and test reports. */

export const markdown: Format<PlanCommandView> = (screen) => ({
  ...markdownView(screen, 'plan'),
  plan: (result) => {
    const { savedTo, command, showing } = result;
    const steps = { showing, applying: savedTo === undefined ? undefined : command };
    screen.out(renderPlanMarkdown(withWarnings(result), screen.site(), steps));
  },
});

export const sarif: Format<PlanCommandView> = (screen) => ({
  ...sarifView(screen, 'plan'),
  plan: (result) => {
    const { plan } = withWarnings(result);
    const found = [...plan.diagnostics, ...plan.actions.flatMap(({ notes }) => notes)];
    const log = { command: 'plan', results: diagnosticResults(found), isSuccessful: true };
    printJson(screen, sarifLog(log, diagnosticRules, screen.site()));
  },
});

export const junit: Format<PlanCommandView> = (screen) => ({
  ...junitView(screen, 'plan'),
  plan: (result) => screen.out(planJunit(withWarnings(result), screen.site())),
});

export const html: Format<PlanCommandView> = (screen) => ({
  ...htmlView(screen),
  plan: (result) => screen.out(renderPlanPage({ plan: planJson(withWarnings(result)) })),
});

import type { Format } from '../format.ts';
import { diagnosticResults, diagnosticRules, junitView, sarifView } from '../finding-views.ts';
import { htmlView } from '../html-view.ts';
import { renderPlanPage } from '../html/plan.ts';
import { printJson } from '../json-view.ts';
import { markdownView } from '../markdown-view.ts';
import { planJunit } from '../plan-junit.ts';
import { renderPlanMarkdown } from '../plan-markdown.ts';
import { sarifLog } from '../sarif.ts';
import { plainStyle } from '../style.ts';
import type { PlanCommandView } from './plan.ts';
import { styleFor } from './plan.ts';

/** The formats of `plan` for reviewers, forges and test reports. */

export const markdown: Format<PlanCommandView> = (screen) => ({
  ...markdownView(screen, 'plan'),
  plan: ({ plan, isFull, savedTo, command, showing }) => {
    const steps = { showing, applying: savedTo === undefined ? undefined : command, isFull };
    screen.out(renderPlanMarkdown(plan, screen.site(), steps));
  },
});

export const sarif: Format<PlanCommandView> = (screen) => ({
  ...sarifView(screen, 'plan'),
  plan: ({ plan }) => {
    const found = [...plan.diagnostics, ...plan.actions.flatMap(({ notes }) => notes)];
    const log = { command: 'plan', results: diagnosticResults(found), isSuccessful: true };
    printJson(screen, sarifLog(log, diagnosticRules, screen.site()));
  },
});

export const junit: Format<PlanCommandView> = (screen) => ({
  ...junitView(screen, 'plan'),
  plan: ({ plan, isFull }) => screen.out(planJunit(plan, screen.site(), styleFor(isFull, plainStyle))),
});

export const html: Format<PlanCommandView> = (screen) => ({
  ...htmlView(screen),
  plan: ({ plan }) => screen.out(renderPlanPage({ plan })),
});

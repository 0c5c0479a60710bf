import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { inCanonicalOrder } from '../canonical.ts';
import type { Formats, View } from '../format.ts';
import { diagnosticResults, diagnosticRules, junitView, sarifView } from '../finding-views.ts';
import { htmlView } from '../html-view.ts';
import { renderPlanPage } from '../html/plan.ts';
import { jsonView, printJson } from '../json-view.ts';
import { markdownView } from '../markdown-view.ts';
import { planJson } from '../plan-json.ts';
import { planJunit } from '../plan-junit.ts';
import { renderPlanMarkdown } from '../plan-markdown.ts';
import type { PlanView } from '../plan-text.ts';
import { renderPlan } from '../plan-text.ts';
import { printable } from '../printable.ts';
import { sarifLog } from '../sarif.ts';
import { textView } from '../text-view.ts';

/** The result of `plan`. */
export interface PlanResult extends PlanView {
  /** Warnings of the manifest, which people have read on stderr. */
  readonly warnings: readonly Diagnostic[];
  /** The file that the plan was saved to. */
  readonly savedTo: string | undefined;
  /** The command line that applies that file. */
  readonly command: string;
  /** The command line that shows all of the plan. */
  readonly showing: string;
}

/** Prints what `plan` reports. */
export interface PlanCommandView extends View {
  readonly plan: (result: PlanResult) => void;
}

/** The formats of `plan`. */
export const planFormats: Formats<PlanCommandView> = {
  text: (screen) => ({
    ...textView(screen),
    plan: ({ savedTo, command, showing: _showing, ...view }) => {
      screen.out(renderPlan(view, screen.outStyle));
      if (savedTo === undefined) return;
      const name = printable(savedTo);
      screen.out(`Saved to ${name}. To apply this plan and nothing else, run:\n  ${printable(command)}\n`);
    },
  }),
  json: (screen) => ({
    ...jsonView(screen),
    plan: (result) => printJson(screen, planJson(withWarnings(result))),
  }),
  markdown: (screen) => ({
    ...markdownView(screen, 'plan'),
    plan: (result) => {
      const { savedTo, command, showing } = result;
      const steps = { showing, applying: savedTo === undefined ? undefined : command };
      screen.out(renderPlanMarkdown(withWarnings(result), screen.site(), steps));
    },
  }),
  sarif: (screen) => ({
    ...sarifView(screen, 'plan'),
    plan: (result) => {
      const { plan } = withWarnings(result);
      const found = [...plan.diagnostics, ...plan.actions.flatMap(({ notes }) => notes)];
      const log = { command: 'plan', results: diagnosticResults(found), isSuccessful: true };
      printJson(screen, sarifLog(log, diagnosticRules, screen.site()));
    },
  }),
  junit: (screen) => ({
    ...junitView(screen, 'plan'),
    plan: (result) => screen.out(planJunit(withWarnings(result), screen.site())),
  }),
  html: (screen) => ({
    ...htmlView(screen),
    plan: (result) => screen.out(renderPlanPage({ plan: planJson(withWarnings(result)) })),
  }),
};

/** A plan with the warnings of its manifest among its diagnostics, in the order of programs and reviewers. */
export function withWarnings({
  plan,
  warnings,
  ...view
}: Omit<PlanResult, 'savedTo' | 'command' | 'showing'>): PlanView {
  return { ...view, plan: inCanonicalOrder({ ...plan, diagnostics: [...warnings, ...plan.diagnostics] }) };
}

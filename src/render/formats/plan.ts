import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { inCanonicalOrder } from '../canonical.ts';
import type { Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { planJson } from '../plan-json.ts';
import type { PlanView } from '../plan-text.ts';
import { renderPlan } from '../plan-text.ts';
import { printable } from '../printable.ts';
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

const reports = () => import('./plan-reports.ts');

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
  markdown: async (screen) => (await reports()).markdown(screen),
  sarif: async (screen) => (await reports()).sarif(screen),
  junit: async (screen) => (await reports()).junit(screen),
  html: async (screen) => (await reports()).html(screen),
};

/** A plan with the warnings of its manifest among its diagnostics, in the order of programs and reviewers. */
export function withWarnings({
  plan,
  warnings,
  ...view
}: Omit<PlanResult, 'savedTo' | 'command' | 'showing'>): PlanView {
  return { ...view, plan: inCanonicalOrder({ ...plan, diagnostics: [...warnings, ...plan.diagnostics] }) };
}

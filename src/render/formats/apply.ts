import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { hasChanges } from '../../plan/action.ts';
import type { ResultView } from '../apply-text.ts';
import { renderResult } from '../apply-text.ts';
import type { Format, Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { planJson } from '../plan-json.ts';
import type { PlanView } from '../plan-text.ts';
import { renderPlan } from '../plan-text.ts';
import type { Progress, ProgressInput } from '../progress.ts';
import { createProgress } from '../progress.ts';
import { eventDocuments, eventLines, eventTree } from '../progress-reporters.ts';
import { resultJson } from '../result-json.ts';
import { textView } from '../text-view.ts';
import { withWarnings } from './plan.ts';

/** The result of `apply` and `destroy`. */
interface Applied extends Pick<PlanView, 'plan'> {
  readonly view: ResultView;
  readonly exitCode: number;
  /** Warnings of the manifest. */
  readonly warnings: readonly Diagnostic[];
  /** Why the state could not be written at the end. */
  readonly unsaved: readonly Diagnostic[];
}

/** Prints what `apply` and `destroy` report: the plan, then events, then the result. */
export interface ApplyView extends View {
  readonly plan: (view: PlanView & Pick<Applied, 'warnings'>) => void;
  readonly progress: (input: Omit<ProgressInput, 'reporter'>) => Progress;
  readonly result: (applied: Applied) => void;
}

const text: Format<ApplyView> = (screen) => {
  const { out, err, outStyle, errStyle, live } = screen;
  const common = textView(screen);
  return {
    ...common,
    plan: (view) => out(renderPlan(view, outStyle)),
    progress: (input) => {
      if (hasChanges(input.plan)) out('\n');
      const reporter = live === undefined ? eventLines(err, errStyle) : eventTree(live, errStyle);
      return createProgress({ ...input, reporter });
    },
    result: ({ view, plan, exitCode, unsaved }) => {
      if (hasChanges(plan)) err('\n');
      if (hasChanges(plan) || exitCode !== 0) out(renderResult(view, outStyle, exitCode));
      common.warnings(unsaved);
    },
  };
};

const json: Format<ApplyView> = (screen) => {
  const print = (document: object): void => printJson(screen, document, 'lines');
  return {
    ...jsonView(screen, 'lines'),
    plan: (view) => print(planJson(withWarnings(view))),
    progress: (input) => createProgress({ ...input, reporter: eventDocuments(print) }),
    result: (applied) => print(resultOf(applied)),
  };
};

/** The document of a result. */
export function resultOf({ view, plan, exitCode, warnings, unsaved }: Applied) {
  const notes = plan.actions.flatMap((action) => action.notes);
  return resultJson(view, exitCode, [...warnings, ...plan.diagnostics, ...notes, ...unsaved]);
}

const reports = () => import('./apply-reports.ts');

/** The formats of `apply` and `destroy`. */
export const applyFormats: Formats<ApplyView> = {
  text,
  json,
  html: async (screen) => (await reports()).html(screen),
  markdown: async (screen) => (await reports()).markdown(screen),
};

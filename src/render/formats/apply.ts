import { renderResult } from '../apply-text.ts';
import type { PlanDocument, ResultDocument } from '../documents.ts';
import type { Format, Formats, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { renderPlan } from '../plan-text.ts';
import type { Progress, ProgressInput } from '../progress.ts';
import { createProgress } from '../progress.ts';
import { eventDocuments, eventLines, eventTree } from '../progress-reporters.ts';
import { renderDiagnostics } from '../diagnostics-text.ts';
import { textView } from '../text-view.ts';
import { styleFor } from './plan.ts';

/** Prints what `apply` and `destroy` report: the plan, then events, then the result. */
export interface ApplyView extends View {
  readonly plan: (plan: PlanDocument, isFull: boolean) => void;
  readonly progress: (input: Omit<ProgressInput, 'reporter'>) => Progress;
  readonly result: (result: ResultDocument) => void;
}

const text: Format<ApplyView> = (screen) => {
  const { out, err, outStyle, errStyle, live } = screen;
  let hasChanges = false;
  return {
    ...textView(screen),
    plan: (plan, isFull) => {
      ({ hasChanges } = plan);
      out(renderPlan(plan, styleFor(isFull, outStyle)));
    },
    progress: (input) => {
      if (hasChanges) out('\n');
      const reporter = live === undefined ? eventLines(err, errStyle) : eventTree(live, errStyle);
      return createProgress({ ...input, reporter });
    },
    result: (result) => {
      if (hasChanges) err('\n');
      if (hasChanges || result.exitCode !== 0) out(renderResult(result, outStyle));
      const unsaved = result.diagnostics.filter(({ source }) => source === 'state');
      if (unsaved.length > 0) err(`${renderDiagnostics(unsaved, errStyle)}\n`);
    },
  };
};

const json: Format<ApplyView> = (screen) => {
  const print = (document: object): void => printJson(screen, document, 'lines');
  return {
    ...jsonView(screen, 'lines'),
    plan: print,
    progress: (input) => createProgress({ ...input, reporter: eventDocuments(print) }),
    result: print,
  };
};

const reports = () => import('./apply-reports.ts');

/** The formats of `apply` and `destroy`. */
export const applyFormats: Formats<ApplyView> = {
  text,
  json,
  html: async (screen) => (await reports()).html(screen),
  markdown: async (screen) => (await reports()).markdown(screen),
};

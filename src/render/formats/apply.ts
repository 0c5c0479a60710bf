import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { hasChanges } from '../../plan/action.ts';
import type { ResultView } from '../apply-text.ts';
import { renderResultMarkdown } from '../apply-markdown.ts';
import { renderResult } from '../apply-text.ts';
import { diagnosticJson } from '../diagnostics-json.ts';
import type { EventDocument, PlanDocument } from '../documents.ts';
import type { Format, Formats, View } from '../format.ts';
import { htmlView } from '../html-view.ts';
import type { PlanRun } from '../html/plan.ts';
import { renderPlanPage } from '../html/plan.ts';
import { jsonView, printJson } from '../json-view.ts';
import { markdownView } from '../markdown-view.ts';
import type { PlanAbout } from '../plan-head.ts';
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

function resultOf({ view, plan, exitCode, warnings, unsaved }: Applied) {
  const notes = plan.actions.flatMap((action) => action.notes);
  return resultJson(view, exitCode, [...warnings, ...plan.diagnostics, ...notes, ...unsaved]);
}

/** One page at the end, of everything that the documents hold; meanwhile the events on stderr. */
const html: Format<ApplyView> = (screen) => {
  const { out, err, errStyle } = screen;
  const common = htmlView(screen);
  const events: EventDocument[] = [];
  let plan: PlanDocument | undefined;
  /** What ends the run after its page stands on stderr alone. */
  const print = (ending: Omit<PlanRun, 'plan' | 'events'>): void => {
    if (plan !== undefined) out(renderPlanPage({ plan, events, ...ending }));
    plan = undefined;
  };
  return {
    ...common,
    plan: (view) => {
      plan = planJson(withWarnings(view));
    },
    progress: (input) => {
      const lines = createProgress({ ...input, reporter: eventLines(err, errStyle) });
      const documents = createProgress({ ...input, reporter: eventDocuments((event) => events.push(event)) });
      return {
        onEvent: (event) => [lines, documents].forEach((one) => one.onEvent(event)),
        end: (isCut) => [lines, documents].forEach((one) => one.end(isCut)),
      };
    },
    result: (applied) => print({ result: resultOf(applied) }),
    failure: (errors, exitCode) => {
      print({ errors: errors.map(diagnosticJson) });
      common.failure(errors, exitCode);
    },
  };
};

/** One comment at the end; meanwhile the events on stderr. */
const markdown: Format<ApplyView> = (screen) => {
  const { out, err, errStyle } = screen;
  let about: PlanAbout | undefined;
  return {
    ...markdownView(screen, 'apply'),
    plan: (view) => {
      about = view.about;
    },
    progress: (input) => createProgress({ ...input, reporter: eventLines(err, errStyle) }),
    result: ({ view, exitCode, warnings, unsaved }) => {
      const diagnostics = [...unsaved, ...warnings];
      out(renderResultMarkdown({ view, about, exitCode, diagnostics }, screen.site()));
    },
  };
};

/** The formats of `apply` and `destroy`. */
export const applyFormats: Formats<ApplyView> = { text, json, html, markdown };

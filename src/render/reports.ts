import { renderResultMarkdown } from './apply-markdown.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { DriftDocument, EventDocument, PlanDocument, ResultDocument } from './document-schemas.ts';
import { driftJunit, driftSarif } from './drift-findings.ts';
import { renderDriftMarkdown } from './drift-markdown.ts';
import { diagnosticResults, diagnosticRules } from './finding-views.ts';
import { type Format, type View, printJson } from './output-format.ts';
import { renderDriftPage } from './html/drift-page.ts';
import { type PlanRun, renderPlanPage } from './html/plan-page.ts';
import { planJunit } from './plan-junit.ts';
import { renderPlanMarkdown } from './plan-markdown.ts';
import { type Progress, type ProgressInput, createProgress } from './progress.ts';
import { eventDocuments, eventLines } from './progress-reporters.ts';
import { htmlView, junitView, markdownView, sarifView } from './report-views.ts';
import { sarifLog } from './sarif.ts';
import { plainStyle } from './style.ts';
import { wordsOf } from './verdict.ts';

/** Reports of plans, applies and drift, for reviewers, forges and test results: loaded when `--format` asks for one. */

/** The result of `plan`. */
interface PlanResult {
  readonly plan: PlanDocument;
  /** Nothing is cut short. */
  readonly isFull: boolean;
  /** The file that the plan was saved to. */
  readonly savedTo: string | undefined;
  /** The command line that applies that file. */
  readonly command: string;
  /** The command line that shows all of the plan. */
  readonly showing: string;
}

/** Prints what `plan` and `show` report. */
export interface PlanCommandView extends View {
  readonly plan: (result: PlanResult) => void;
}

/** Prints what `apply` and `destroy` report: the plan, then events, then the result. */
export interface ApplyView extends View {
  readonly plan: (plan: PlanDocument, isFull: boolean) => void;
  readonly progress: (input: Omit<ProgressInput, 'reporter'>) => Progress;
  readonly result: (result: ResultDocument) => void;
}

/** The result of `drift`. */
interface DriftResult {
  readonly drift: DriftDocument;
  /** Nothing is cut short. */
  readonly isFull: boolean;
  /** The command line that applies. */
  readonly applying: string;
  /** The command line that shows all that was found. */
  readonly showing: string;
}

/** Prints what `drift` reports. */
export interface DriftCommandView extends View {
  readonly drift: (result: DriftResult) => void;
}

/** The reports of `plan` and `show`. */
export const planReports = {
  markdown: (screen) => ({
    ...markdownView(screen, 'plan'),
    plan: ({ plan, isFull, savedTo, command, showing }) => {
      const steps = { showing, applying: savedTo === undefined ? undefined : command, isFull };
      screen.out(renderPlanMarkdown(plan, screen.site(), steps));
      screen.conclude?.(wordsOf(plan));
    },
  }),
  sarif: (screen) => ({
    ...sarifView(screen, 'plan'),
    plan: ({ plan }) => {
      const found = [...plan.diagnostics, ...plan.actions.flatMap(({ notes }) => notes)];
      const log = { command: 'plan', results: diagnosticResults(found), isSuccessful: true };
      printJson(screen, sarifLog(log, diagnosticRules, screen.site()));
    },
  }),
  junit: (screen) => ({
    ...junitView(screen, 'plan'),
    plan: ({ plan, isFull }) => screen.out(planJunit(plan, screen.site(), { ...plainStyle, isFull })),
  }),
  html: (screen) => ({
    ...htmlView(screen),
    plan: ({ plan }) => screen.out(renderPlanPage({ plan })),
  }),
} satisfies Record<string, Format<PlanCommandView>>;

/** The reports of `drift`. */
export const driftReports = {
  markdown: (screen) => ({
    ...markdownView(screen, 'drift'),
    drift: ({ drift, ...about }) => {
      screen.out(renderDriftMarkdown(drift, screen.site(), about));
      screen.conclude?.(wordsOf(drift));
    },
  }),
  sarif: (screen) => ({
    ...sarifView(screen, 'drift'),
    drift: ({ drift }) => printJson(screen, driftSarif(drift, screen.site())),
  }),
  junit: (screen) => ({
    ...junitView(screen, 'drift'),
    drift: ({ drift }) => screen.out(driftJunit(drift, screen.site())),
  }),
  html: (screen) => ({
    ...htmlView(screen),
    drift: ({ drift }) => screen.out(renderDriftPage(drift)),
  }),
} satisfies Record<string, Format<DriftCommandView>>;

/** The reports of `apply` and `destroy`: at the end; meanwhile the events on stderr. */
export const applyReports = {
  html: (screen) => {
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
      plan: (made) => {
        plan = made;
      },
      progress: (input) => {
        const lines = createProgress({ ...input, reporter: eventLines(err, errStyle) });
        const documents = createProgress({ ...input, reporter: eventDocuments((event) => events.push(event)) });
        return {
          onEvent: (event) => [lines, documents].forEach((one) => one.onEvent(event)),
          end: (isCut) => [lines, documents].forEach((one) => one.end(isCut)),
        };
      },
      result: (result) => print({ result }),
      failure: (errors, exitCode) => {
        print({ errors: errors.map(diagnosticJson) });
        common.failure(errors, exitCode);
      },
    };
  },
  markdown: (screen) => {
    const { out, err, errStyle } = screen;
    return {
      ...markdownView(screen, 'apply'),
      plan: () => {},
      progress: (input) => createProgress({ ...input, reporter: eventLines(err, errStyle) }),
      result: (result) => {
        out(renderResultMarkdown(result, screen.site()));
        screen.conclude?.(wordsOf(result));
      },
    };
  },
} satisfies Record<string, Format<ApplyView>>;

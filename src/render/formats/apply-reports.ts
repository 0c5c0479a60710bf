import { renderResultMarkdown } from '../apply-markdown.ts';
import { diagnosticJson } from '../diagnostics-json.ts';
import type { EventDocument, PlanDocument } from '../documents.ts';
import type { Format } from '../format.ts';
import { htmlView } from '../html-view.ts';
import type { PlanRun } from '../html/plan.ts';
import { renderPlanPage } from '../html/plan.ts';
import { markdownView } from '../markdown-view.ts';
import { createProgress } from '../progress.ts';
import { eventDocuments, eventLines } from '../progress-reporters.ts';
import type { ApplyView } from './apply.ts';

/** The formats of `apply` and `destroy` for people who read them later. */

/** One page at the end, of everything that the documents hold; meanwhile the events on stderr. */
export const html: Format<ApplyView> = (screen) => {
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
};

/** One comment at the end; meanwhile the events on stderr. */
export const markdown: Format<ApplyView> = (screen) => {
  const { out, err, errStyle } = screen;
  return {
    ...markdownView(screen, 'apply'),
    plan: () => {},
    progress: (input) => createProgress({ ...input, reporter: eventLines(err, errStyle) }),
    result: (result) => out(renderResultMarkdown(result, screen.site())),
  };
};

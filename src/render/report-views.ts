import { diagnosticCases, diagnosticResults, diagnosticRules } from './finding-views.ts';
import { type Screen, type View, printJson, textView } from './output-format.ts';
import { junitXml } from './junit.ts';
import { renderFailureMarkdown } from './markdown-report.ts';
import { siteOrNone } from './report-links.ts';
import { sarifLog } from './sarif.ts';

/** What every command can report, as a report for others: warnings are part of the result, and nothing is asked. */

const quiet = { asks: false, warnings: () => {} };

/** Errors on stderr, as text: stdout is a page. */
export function htmlView(screen: Screen): View {
  return { ...textView(screen), ...quiet };
}

/** Errors on stdout, for a comment. */
export function markdownView({ out, site }: Screen, command: 'plan' | 'drift' | 'apply'): View {
  const failure: View['failure'] = (errors) => out(renderFailureMarkdown(errors, command, siteOrNone(site)));
  return { ...quiet, check: () => void site(), failure };
}

/** The errors that ended a run are results. */
export function sarifView(screen: Screen, command: string): View {
  return {
    ...quiet,
    check: () => void screen.site(),
    failure: (errors) => {
      const log = { command, results: diagnosticResults(errors), isSuccessful: false };
      printJson(screen, sarifLog(log, diagnosticRules, siteOrNone(screen.site)));
    },
  };
}

/** Each error that ended a run is a failure. */
export function junitView({ out, site }: Screen, command: string): View {
  const failure: View['failure'] = (errors) =>
    out(junitXml(`trueup ${command}`, diagnosticCases(errors, siteOrNone(site))));
  return { ...quiet, check: () => void site(), failure };
}

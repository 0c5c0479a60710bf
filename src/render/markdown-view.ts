import type { Screen, View } from './format.ts';
import { renderFailureMarkdown } from './markdown-report.ts';
import { siteOrNone } from './review-site.ts';

/** Prints what every command can report as Markdown: on stdout, for a comment; warnings are part of the result. */
export function markdownView({ out, site }: Screen, command: 'plan' | 'drift' | 'apply'): View {
  return {
    asks: false,
    check: () => void site(),
    warnings: () => {},
    failure: (errors) => out(renderFailureMarkdown(errors, command, siteOrNone(site))),
  };
}

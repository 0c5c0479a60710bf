import { driftJunit, driftSarif } from '../drift-findings.ts';
import { renderDriftMarkdown } from '../drift-markdown.ts';
import { junitView, sarifView } from '../finding-views.ts';
import type { Format } from '../format.ts';
import { htmlView } from '../html-view.ts';
import { renderDriftPage } from '../html/drift.ts';
import { printJson } from '../json-view.ts';
import { markdownView } from '../markdown-view.ts';
import type { DriftCommandView } from './drift.ts';

/** The formats of `drift` for reviewers, forges and test reports. */

export const markdown: Format<DriftCommandView> = (screen) => ({
  ...markdownView(screen, 'drift'),
  drift: ({ drift, ...about }) => screen.out(renderDriftMarkdown(drift, screen.site(), about)),
});

export const sarif: Format<DriftCommandView> = (screen) => ({
  ...sarifView(screen, 'drift'),
  drift: ({ drift }) => printJson(screen, driftSarif(drift, screen.site())),
});

export const junit: Format<DriftCommandView> = (screen) => ({
  ...junitView(screen, 'drift'),
  drift: ({ drift }) => screen.out(driftJunit(drift, screen.site())),
});

export const html: Format<DriftCommandView> = (screen) => ({
  ...htmlView(screen),
  drift: ({ drift }) => screen.out(renderDriftPage(drift)),
});

import type { Format } from '../format.ts';
import { driftJunit, driftSarif } from '../drift-findings.ts';
import { renderDriftMarkdown } from '../drift-markdown.ts';
import { junitView, sarifView } from '../finding-views.ts';
import { htmlView } from '../html-view.ts';
import { renderDriftPage } from '../html/drift.ts';
import { markdownView } from '../markdown-view.ts';
import { driftJson } from '../drift-json.ts';
import { printJson } from '../json-view.ts';
import type { DriftCommandView } from './drift.ts';
import { withDriftWarnings } from './drift.ts';

/** The formats of `drift` for reviewers, forges and test reports. */

export const markdown: Format<DriftCommandView> = (screen) => ({
  ...markdownView(screen, 'drift'),
  drift: (result) => screen.out(renderDriftMarkdown(withDriftWarnings(result), screen.site())),
});

export const sarif: Format<DriftCommandView> = (screen) => ({
  ...sarifView(screen, 'drift'),
  drift: (result) => printJson(screen, driftSarif(withDriftWarnings(result), screen.site())),
});

export const junit: Format<DriftCommandView> = (screen) => ({
  ...junitView(screen, 'drift'),
  drift: (result) => screen.out(driftJunit(withDriftWarnings(result), screen.site())),
});

export const html: Format<DriftCommandView> = (screen) => ({
  ...htmlView(screen),
  drift: (result) => screen.out(renderDriftPage(driftJson(withDriftWarnings(result)))),
});

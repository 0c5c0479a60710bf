import { renderResultMarkdown } from './apply-markdown.ts';
import { renderResult } from './apply-text.ts';
import type { DriftDocument, PlanDocument, ResultDocument } from './document-schemas.ts';
import { driftJunit, driftSarif } from './drift-findings.ts';
import { renderDriftMarkdown } from './drift-markdown.ts';
import { renderDrift } from './drift-text.ts';
import { renderDriftPage } from './html/drift-page.ts';
import { renderPlanPage } from './html/plan-page.ts';
import { planJunit } from './plan-junit.ts';
import { renderPlanMarkdown } from './plan-markdown.ts';
import { renderPlan } from './plan-text.ts';
import { type Printed, printed } from './printable.ts';
import { type ReviewSite, noSite } from './report-links.ts';
import { plainStyle } from './style.ts';

/** A view of a document, safe in the log of a pipeline; `site`: where a report is read, for links and the mark of a comment. */
type View<Document> = (document: Document, site?: ReviewSite) => Printed;

/** A plan without colour: as `trueup plan` prints it, and by `--format`. */
export const planViews = {
  text: (plan) => printed(renderPlan(plan, plainStyle)),
  markdown: (plan, site = noSite) =>
    printed(renderPlanMarkdown(plan, site, { showing: 'trueup plan --full', applying: undefined })),
  html: (plan) => printed(renderPlanPage({ plan })),
  junit: (plan, site = noSite) => printed(planJunit(plan, site, plainStyle)),
} satisfies Record<string, View<PlanDocument>>;

/** The result of an apply without colour. */
export const resultViews = {
  text: (result) => printed(renderResult(result, plainStyle)),
  markdown: (result, site = noSite) => printed(renderResultMarkdown(result, site)),
} satisfies Record<string, View<ResultDocument>>;

/** Drift without colour. */
export const driftViews = {
  text: (drift) => printed(renderDrift(drift, 'trueup apply', plainStyle)),
  markdown: (drift, site = noSite) =>
    printed(renderDriftMarkdown(drift, site, { showing: 'trueup drift --full', isFull: false })),
  html: (drift) => printed(renderDriftPage(drift)),
  sarif: (drift, site = noSite) => printed(`${JSON.stringify(driftSarif(drift, site), null, 2)}\n`),
  junit: (drift, site = noSite) => printed(driftJunit(drift, site)),
} satisfies Record<string, View<DriftDocument>>;

/**
 * The views of documents: what the command line prints of a plan, a result and drift, also of a document that was kept.
 *
 * ```ts
 * import { open, planDocument } from 'trueup';
 * import { planViews } from 'trueup/views';
 *
 * const project = await open('infra');
 * const document = planDocument(await project.plan());
 * process.stdout.write(planViews.markdown(document));
 * await project.close();
 * ```
 */

export type { ReviewSite } from '../render/report-links.ts';
export { driftViews, planViews, resultViews } from '../render/views.ts';

import type { TestProject } from 'vitest/node';
import { examplePages, exampleSecret } from '../../scripts/support/example-pages.ts';
import { renderDriftPage } from '../../src/render/html/drift-page.ts';
import { renderPlanPage } from '../../src/render/html/plan-page.ts';
import type { ProvidedPages } from '../browser/provided.ts';
import { hostileNames } from '../render/hostile.ts';
import { hostileDrift, hostilePlan } from './hostile-documents.ts';

/** Makes the pages that the tests in the browser look at. */
export default async function setup(project: TestProject): Promise<void> {
  const pages: ProvidedPages = {
    ...(await examplePages()),
    hostile: renderPlanPage({ plan: hostilePlan(hostileNames) }),
    hostileDrift: renderDriftPage(hostileDrift(hostileNames)),
  };
  project.provide('pages', pages);
  project.provide('secretOfPages', exampleSecret);
}

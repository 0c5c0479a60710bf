import type { TestProject } from 'vitest/node';
import { api } from '../../src/controller/page/api.ts';
import { pages } from '../../src/controller/page/pages.ts';
import type { ProvidedController } from '../browser/provided.ts';
import { proxyHeaders } from './controller-person.ts';
import { pageFor, startControllerDatabase } from './controller-pages.ts';
import { exampleRows } from './controller-rows.ts';
import { freePort } from './free-port.ts';

/** A controller with something in every state, at an address that browsers can open. */
export async function startController(): Promise<{
  readonly controller: ProvidedController;
  readonly stop: () => Promise<void>;
}> {
  const database = await startControllerDatabase();
  const example = await exampleRows(database.pool, 'trueup_controller');
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  const name = 'dev@example.com';
  const app = pageFor(database.records, { address, parts: [pages, api], roles: [{ user: name, role: 'admin' }] });
  await app.listen({ port, host: '127.0.0.1' });
  return {
    controller: { address, headers: proxyHeaders(name), database: database.url, pages: pagesOf(example) },
    stop: async () => {
      await app.close();
      await database.stop();
    },
  };
}

/** The addresses of one page of each form, and of each state that looks different. */
function pagesOf({
  waiting,
  refused,
  superseded,
  going,
  done,
  looked,
  stopped,
  wave,
}: Awaited<ReturnType<typeof exampleRows>>) {
  const checkout = '/stacks/shops:checkout~1trueup.yaml';
  return {
    home: '/',
    found: '/?state=failed',
    none: '/?text=nowhere',
    stack: checkout,
    failed: '/stacks/shops:search~1trueup.yaml',
    paused: '/stacks/shops:billing-and-invoices-of-all-regions~1trueup.yaml',
    drift: '/stacks/sites:paris~1trueup.yaml/drift',
    history: `${checkout}/history`,
    plan: `/plans/${waiting}`,
    refused: `/plans/${refused}`,
    superseded: `/plans/${superseded}`,
    going: `/runs/${going}`,
    done: `/runs/${done}`,
    looked: `/runs/${looked}`,
    waves: '/waves',
    wave: `/waves/${wave}`,
    stopped: `/waves/${stopped}`,
    platforms: '/platforms',
    sources: '/sources',
    audit: '/audit',
    pulls: '/sources/shops/pulls',
    me: '/me',
    sessions: '/sessions',
  };
}

/** Starts the controller that the tests in the browser open. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { controller, stop } = await startController();
  project.provide('controller', controller);
  return stop;
}

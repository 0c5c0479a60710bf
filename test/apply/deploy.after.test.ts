import { afterEach, describe, expect, test, vi } from 'vitest';
import { renderPlanPage } from '../../src/render/html/plan-page.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { applyInTime, ordersIn, passing, plansNothingMore, platformWith } from '../support/deploying.ts';
import { documentOf } from '../support/documents.ts';
import { results, said, worldOver } from '../support/faults.ts';
import { head } from '../support/world.ts';
import { markdown } from '../render/markdown-plans.ts';
import { shown } from '../render/plans.ts';

/** Services that are deployed after others by `after:`. */

afterEach(() => {
  vi.useRealTimers();
});

const kinds = {
  application: (name: string, image: string, more: string) =>
    `    application: { ${name}: { source: { type: docker, image: "${image}" }${more} } }\n`,
  compose: (name: string, image: string, more: string) =>
    `    compose: { ${name}: { source: { type: raw, composeFile: "services: { web: { image: '${image}' } }" }${more} } }\n`,
  postgres: (name: string, image: string, more: string) =>
    `    postgres: { ${name}: { dockerImage: "${image}", databaseName: shop, databaseUser: u, databasePassword: password-1${more} } }\n`,
};
type Kind = keyof typeof kinds;

/** A manifest in which the first service waits for the second. */
const waiting = (first: Kind, second: Kind, image = 'nginx:1', more = '') =>
  `${head}environments:\n  production:\n${kinds[first]('first', 'nginx:1', `, after: [${second}.second]${more}`)}${kinds[second]('second', image, '')}`;

const pairs = (Object.keys(kinds) as Kind[]).flatMap((first) =>
  (Object.keys(kinds) as Kind[]).flatMap((second) => (first === second ? [] : [[first, second] as const])),
);

describe.each(pairs)('a %s after a %s', (first, second) => {
  const [at, before] = [`production.${first}.first`, `production.${second}.second`];

  test('is deployed when the other runs, and then plans nothing', async () => {
    const made = platformWith(20);
    const text = waiting(first, second);
    const result = await applyInTime(made, text);
    expect(results(result)[`${at} (deploy)`]).toBe('done');
    expect(ordersIn(made)).toEqual(['second', 'first']);
    expect(result.seconds).toBeGreaterThan(40);
    await plansNothingMore(made, text);
  });

  test('waits for nothing where the other is not deployed', async () => {
    const made = platformWith(1);
    await applyInTime(made, waiting(first, second));
    ordersIn(made);
    const text = waiting(first, second, 'nginx:1', ', env: { A: "1" }');
    expect(
      documentOf(await passing(plan(await made.manifest(text), worldOver(made, made.emulator.send)))),
    ).toMatchObject({
      actions: expect.not.arrayContaining([expect.objectContaining({ deploysAfter: expect.anything() })]),
    });
    await applyInTime(made, text);
    expect(ordersIn(made)).toEqual(['first']);
    await plansNothingMore(made, text);
  });

  test('is skipped when the other fails, and both are planned again', async () => {
    const made = platformWith(1);
    const result = await applyInTime(made, waiting(first, second, 'fail:2'));
    expect(results(result)).toMatchObject({
      [`${before} (deploy)`]: 'failed',
      [`${at} (deploy)`]: 'skipped',
      [at]: 'done',
    });
    expect(said(result)).toContain(before);
    expect(ordersIn(made)).toEqual(['second']);
    const text = waiting(first, second, 'nginx:2');
    await applyInTime(made, text);
    expect(ordersIn(made)).toEqual(['second', 'first']);
    await plansNothingMore(made, text);
  });
});

test('with --no-wait, the deployment that another one waits for is waited for', async () => {
  const made = platformWith(20);
  const text = waiting('application', 'compose');
  const result = await applyInTime(made, text, { waits: false });
  expect(result.seconds).toBeGreaterThan(20);
  expect(result.seconds).toBeLessThan(40);
  expect(said(result)).toContain('started the deployment of production.application.first; not waiting for it');
  expect(said(result)).not.toContain('started the deployment of production.compose.second');
  await applyInTime(made, text);
  expect(ordersIn(made)).toEqual(['second', 'first']);
  await plansNothingMore(made, text);
});

test('goes before a reference the other way', async () => {
  const made = platformWith(1);
  const text = `${head}environments:\n  production:\n    compose:\n${['first', 'second']
    .map((name) => {
      const more = name === 'first' ? 'after: [compose.second]' : 'env: { A: "${ref:compose.first.appName}" }';
      return `      ${name}: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, ${more} }\n`;
    })
    .join('')}`;
  await applyInTime(made, text);
  expect(ordersIn(made)).toEqual(['second', 'first']);
  await plansNothingMore(made, text);
});

test('every view of a plan shows it, and a narrowed plan only where it deploys both', async () => {
  const made = platformWith(1);
  const manifest = await made.manifest(waiting('application', 'compose'));
  const whole = await passing(plan(manifest, made.world()));
  const words = 'first deployment; deploys after production.compose.second';
  expect(shown(whole)).toContain(words);
  const document = documentOf(whole);
  expect(markdown(whole)).toContain(words);
  expect(renderPlanPage({ plan: document })).toContain('Deploys after production.compose.second');
  const deployments = document.actions.filter(({ action }) => action === 'deploy');
  expect(deployments.map(({ address, deploysAfter }) => [address, deploysAfter])).toEqual([
    ['production.application.first', ['production.compose.second']],
    ['production.compose.second', undefined],
  ]);
  const narrowed = async (target: readonly string[]) =>
    shown(await passing(plan(manifest, made.world(), { narrowing: readNarrowing({ target }) })));
  expect(await narrowed(['production.application', 'production.compose'])).toContain(words);
  expect(await narrowed(['production.application'])).not.toContain('deploys after');
});

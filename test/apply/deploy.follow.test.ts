import { afterEach, describe, expect, test, vi } from 'vitest';
import { everything } from '../../src/plan/narrow.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import { type Applying, applyInTime, ordersIn, plansNothingMore, platformWith } from '../support/deploying.ts';
import { detailsIn, idOf, results, said } from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { head } from '../support/world.ts';

/** A run that only follows the deployments that an earlier run started. */

afterEach(() => {
  vi.useRealTimers();
});

const stack = (image: string) =>
  `${head}environments:\n  production:\n    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: '${image}' } }" } }\n`;
const shop = 'production.compose.shop (deploy)';

const unwatched = [
  {
    code: 'unverified',
    address: shop,
    message: 'the deployment of production.compose.shop goes on on the platform without being watched',
    remedy: 'The next plan looks at what became of it, and deploys it again if it has to.',
  },
];

const deploysOf = (made: Bench) => made.store.state?.deployments['production.compose.shop'];

const diagnosticsOf = ({ outcomes }: ApplyResult) => outcomes.flatMap(({ diagnostics }) => diagnostics);

/** Applies a manifest with `--no-wait`, on a platform whose deployments take so many seconds. */
async function started(seconds: number, image = 'nginx:1'): Promise<Bench> {
  const made = platformWith(seconds);
  await applyInTime(made, stack(image), { waits: false });
  expect(deploysOf(made)?.pending).toBeDefined();
  ordersIn(made);
  made.requests('POST');
  return made;
}

/** Follows deployments, and proves that nothing is written to the platform. */
async function follow(made: Bench, text: string, options: Applying = {}) {
  const result = await applyInTime(made, text, { ...options, narrowing: { ...everything, followsOnly: true } });
  expect(made.requests('POST')).toEqual([]);
  return result;
}

describe('a deployment that is only followed', () => {
  test('is done when it succeeds, and then nothing is planned', async () => {
    const made = await started(20);
    const result = await follow(made, stack('nginx:1'));
    expect([results(result)[shop], said(result)]).toEqual(['done', '']);
    expect(result.seconds).toBeGreaterThan(15);
    expect(deploysOf(made)).toEqual({ inputs: expect.any(String) });
    await plansNothingMore(made, stack('nginx:1'));
  });

  test('is done when it succeeds, and an edit since is left to an apply', async () => {
    const made = await started(20);
    const inputs = deploysOf(made)?.pending?.inputs;
    const result = await follow(made, stack('nginx:2'));
    expect([results(result)[shop], said(result)]).toEqual(['done', '']);
    expect(deploysOf(made)).not.toHaveProperty('pending');
    expect(inputs).toBeDefined();
    await applyInTime(made, stack('nginx:2'));
    expect(ordersIn(made)).toEqual(['shop']);
    await plansNothingMore(made, stack('nginx:2'));
  });

  test.each(['fail:1', 'nginx:2'])(
    'fails with its log when it fails, and the next apply deploys again: %s',
    async (now) => {
      const made = await started(20, 'fail:1');
      const result = await follow(made, stack(now));
      expect(results(result)[shop]).toBe('failed');
      expect(said(result)).toContain('production.compose.shop was not deployed: it ended as error');
      expect(detailsIn(result)).toContain('Error: cannot pull the image');
      expect(deploysOf(made)).not.toHaveProperty('pending');
      expect(results(await applyInTime(made, stack('nginx:1')))[shop]).toBe('done');
      await plansNothingMore(made, stack('nginx:1'));
    },
  );

  test('is unverified when the run is interrupted, and stays pending for the next one', async () => {
    const made = await started(60);
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(), 5_000);
    const { pending } = deploysOf(made) ?? {};
    const result = await follow(made, stack('nginx:2'), { signal: stopping.signal });
    expect(results(result)[shop]).toBe('unverified');
    expect(diagnosticsOf(result)).toMatchObject(unwatched);
    expect(result.seconds).toBeLessThan(10);
    expect(deploysOf(made)?.pending).toMatchObject({ mark: pending?.mark, inputs: pending?.inputs });
    expect(results(await follow(made, stack('nginx:1')))[shop]).toBe('done');
    await plansNothingMore(made, stack('nginx:1'));
  });

  test('is unverified when its time limit passes, and is not started again', async () => {
    const made = await started(600);
    const result = await follow(made, stack('nginx:1'), { limitSeconds: 60 });
    expect(results(result)[shop]).toBe('unverified');
    expect(diagnosticsOf(result)).toMatchObject(unwatched);
    expect(result.seconds).toBeGreaterThan(55);
    expect(result.seconds).toBeLessThan(75);
    expect(deploysOf(made)?.pending).toBeDefined();
    expect(results(await follow(made, stack('nginx:1')))[shop]).toBe('done');
    await plansNothingMore(made, stack('nginx:1'));
  });
});

test.each([true, false])(
  'a deployment whose service is deleted while a run follows it fails, and is not started again: only followed %j',
  async (followsOnly) => {
    const made = await started(60);
    const composeId = idOf(made, 'production.compose.shop');
    setTimeout(() => void made.emulator.act('compose.delete', { composeId, deleteVolumes: false }), 5_000);
    const narrowing = { ...everything, ...(followsOnly ? { followsOnly } : {}) };
    const result = await applyInTime(made, stack('nginx:1'), { narrowing });
    expect(results(result)[shop]).toBe('failed');
    expect(diagnosticsOf(result)).toMatchObject([
      {
        code: 'deploy-failed',
        message: 'production.compose.shop was not deployed: it is not on the platform any more',
        remedy: 'Plan again.',
      },
    ]);
    expect(ordersIn(made)).toEqual([]);
    await applyInTime(made, stack('nginx:1'));
    await plansNothingMore(made, stack('nginx:1'));
  },
);

import { describe, expect, it } from 'vitest';
import { diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { renderResult } from '../../src/render/apply-text.ts';
import type { ResultDocument } from '../../src/render/document-schemas.ts';
import { resultDocument } from '../../src/render/document-schemas.ts';
import { renderEvent } from '../../src/render/progress-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { resultOf } from '../support/documents.ts';
import { bench, head } from '../support/world.ts';

const shop = `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }
        domains: { shop.example.com: { serviceName: web, port: 8080 } }
`;

/** Applies to a platform that fails at one operation. */
async function applyWith(failing: string | undefined, issues: readonly unknown[] = []): Promise<ResultDocument> {
  const world = bench();
  const { emulator } = world;
  const { send } = emulator;
  emulator.send = (request) =>
    request.path === `/api/${failing}`
      ? Promise.resolve({
          status: 400,
          headers: {},
          body: JSON.stringify({ message: 'no\u001b[31m room', code: 'BAD_REQUEST', issues }),
        })
      : send(request);
  return resultOf(await world.apply(shop));
}

describe('the result of an apply as text', () => {
  it('is short when everything went well', async () => {
    const view = await applyWith(undefined);
    expect(view.ending).toBe('done');
    expect(renderResult(view, plainStyle)).toBe('Applied: 2 created, 1 adopted, 1 deployed.\n4 reads, 2 writes\n');
  });

  it('is short when the run was interrupted: what ended alike is one block', async () => {
    const view = await applyWith(undefined);
    const one = view.outcomes.find(({ action }) => action === 'deploy');
    if (one === undefined) throw new Error('nothing was deployed');
    const outcomes = Array.from({ length: 9 }, (_, at) => {
      const address = `production.compose.s${at}`;
      const message = `${address} was not deployed: the run was interrupted, and the platform did not execute compose.deploy`;
      const item = diagnostic('deploy-failed', message, { remedy: 'Apply again.', address });
      return { ...one, address, result: 'failed' as const, diagnostics: [{ ...item }] };
    });
    const interrupted: ResultDocument = {
      ...view,
      outcomes,
      ending: 'partly',
      interrupted: true,
      exitCode: 6,
    };
    const text = renderResult(interrupted, plainStyle);
    expect(text).toContain('production.compose.s4 and 4 more: deploying failed\n');
    expect(text).toContain(
      'error[deploy-failed]: each was not deployed: the run was interrupted, and the platform did not execute compose.deploy',
    );
    expect(text.split('\n').length).toBeLessThanOrEqual(12);
    expect(renderResult({ ...interrupted, interrupted: false }, plainStyle).match(/deploying failed/g)).toHaveLength(9);
  });

  it('says of a deployment that goes on that nothing waited for it, and not that it failed', async () => {
    const view = await applyWith(undefined);
    const outcomes = view.outcomes.map((one) =>
      one.action === 'deploy' ? { ...one, result: 'unverified' as const } : one,
    );
    const text = renderResult({ ...view, outcomes, ending: 'partly', interrupted: true, exitCode: 6 }, plainStyle);
    expect(text).toContain('production.compose.shop: deployment started; not waiting for it\n');
    expect(text).toContain('Interrupted: 2 created, 1 adopted, 1 deployment not waited for.\n');
    expect(text).not.toMatch(/failed|verified/);
    const event = { event: 'unverified', address: 'production.compose.shop', reason: 'x' } as const;
    expect(renderEvent({ ...event, action: 'deploy' }, 2, plainStyle)).toBe(
      'production.compose.shop: deployment started; not waiting for it\n',
    );
    expect(renderEvent({ ...event, action: 'update' }, 2, plainStyle)).toBe(
      'production.compose.shop: updated, not verified: x\n',
    );
  });

  it('names the failures and the next step, when a part was applied', async () => {
    const view = await applyWith('domain.create');
    expect(view.ending).toBe('partly');
    const text = renderResult(view, plainStyle);
    expect(text).toContain(
      'production.compose.shop.domains["shop.example.com"]: creating failed\n  error[platform-answer]: ',
    );
    expect(text).toContain('Not everything was applied: 1 created, 1 adopted, 1 failed, 1 skipped.\n');
    expect(text).toContain('the next plan reads the platform again.\n');
    expect(text).not.toContain('\u001B');
    expect(resultDocument.parse({ ...view, exitCode: 6 })).toMatchObject({ ending: 'partly', exitCode: 6 });
  });

  it('names the skipped actions and the reason, when nothing was applied', async () => {
    expect((await applyWith('compose.create')).ending, 'a 400 alone does not prove that nothing was done').toBe(
      'partly',
    );
    const view = await applyWith('compose.create', [{ path: ['name'], message: 'too short' }]);
    expect(view.ending).toBe('failed');
    const text = renderResult(view, plainStyle);
    expect(text).toContain('domains["shop.example.com"]: skipped\n');
    expect(text).toContain('because production.compose.shop did not succeed');
    expect(text).toContain('No change of the platform is known.');
  });
});

describe('progress', () => {
  it('is one line per event, with the time it took', () => {
    const about = { address: 'production.compose.shop', action: 'create' } as const;
    expect(renderEvent({ event: 'started', ...about }, undefined, plainStyle)).toBe(
      'production.compose.shop: creating…\n',
    );
    expect(renderEvent({ event: 'done', ...about }, 1.24, plainStyle)).toBe(
      'production.compose.shop: created in 1.2s\n',
    );
    expect(renderEvent({ event: 'failed', ...about }, 2, plainStyle)).toBe(
      'production.compose.shop: creating failed after 2.0s\n',
    );
    expect(renderEvent({ event: 'skipped', ...about }, undefined, plainStyle)).toBe(
      'production.compose.shop: skipped\n',
    );
  });
});

import { describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { actionsOf, everything, notesOf, plansNothing, refusal, rowsIn } from '../support/faults.ts';
import { startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { keyText } from '../support/state-key.ts';
import { bench, head } from '../support/world.ts';
import { project, trueup } from '../cli/process.ts';

/** Two repositories with one project find one state by its default name: the second must not delete what the first made. */

const stack = '{ source: { type: raw, composeFile: "services: { web: { image: nginx } }" } }';
const block = (names: readonly string[]) => `{ compose: { ${names.map((name) => `${name}: ${stack}`).join(', ')} } }`;
const environments = (production: readonly string[], staging: readonly string[]) =>
  `environments:\n  production: ${block(production)}\n  staging: ${block(staging)}\n`;
const first = environments(['a', 'b'], ['c']);
const second = environments(['x'], ['y']);
const ordinary = { dataLoss: true, adoption: true };

describe('K3: a manifest that shares no address with the state', () => {
  test('is refused, and the refusal names both and the remedies', async () => {
    const made = bench();
    await made.apply(head + first, everything);
    made.requests('POST');
    const found = await refusal(made, () => made.apply(head + second, ordinary));
    expect(found).toMatchObject([{ code: 'other-manifest', severity: 'error' }]);
    expect(found[0]?.message).toBe(
      'the state holds nothing that this manifest declares: it holds production.compose.a, production.compose.b, ' +
        'staging.compose.c; the manifest declares production.compose.x, staging.compose.y',
    );
    expect(found[0]?.remedy).toBe(
      'If the state is that of another manifest, give this one a state of its own: another name: or prefix: under ' +
        'state:, or a folder of its own. If the blocks only got other keys, say so under moved:. If all of them are to ' +
        'go, apply needs --allow-mass-delete.',
    );
    expect(made.requests('POST')).toEqual([]);
    expect(notesOf(await made.plan(head + second)).map(({ code, severity }) => [code, severity])).toContainEqual([
      'other-manifest',
      'warning',
    ]);
  });

  test('is refused also when the state holds a single service', async () => {
    const made = bench();
    await made.apply(head + environments(['a'], []), everything);
    const found = await refusal(made, () => made.apply(head + environments(['x'], []), ordinary));
    expect(found.map(({ code }) => code)).toEqual(['other-manifest']);
  });

  test('is refused also when both manage the organization', async () => {
    const made = bench();
    const shared = 'organizations: { Organization: {} }\n';
    await made.apply(head + shared + first, everything);
    made.requests('POST');
    const found = await refusal(made, () => made.apply(head + shared + second, ordinary));
    expect(found.map(({ code }) => code)).toEqual(['other-manifest']);
    expect(made.requests('POST')).toEqual([]);
  });

  test('is applied with --allow-mass-delete', async () => {
    const made = bench();
    await made.apply(head + first, everything);
    await made.apply(head + second, { ...ordinary, massDeletion: true });
    expect(rowsIn(made, 'compose').map(({ name }) => name)).toEqual(['x', 'y']);
    await plansNothing(made, head + second);
  });
});

describe('K3: a manifest is applied as ever', () => {
  test('when moved: renames everything', async () => {
    const made = bench();
    await made.apply(head + first, everything);
    const pairs = [
      ['production.compose.a', 'production.compose.x'],
      ['production.compose.b', 'staging.compose.z'],
      ['staging.compose.c', 'staging.compose.y'],
    ];
    const moved = `moved: [${pairs.map(([from, to]) => `{ from: ${from}, to: ${to} }`).join(', ')}]\n`;
    const text = head + moved + environments(['x'], ['y', 'z']);
    const planned = await made.plan(text);
    expect(planned.diagnostics).toEqual([]);
    expect(actionsOf(planned).filter((action) => /^(create|delete)/.test(action))).toEqual([]);
    await made.apply(text);
    expect(rowsIn(made, 'compose')).toHaveLength(3);
    await plansNothing(made, text);
  });

  test('when it shares a single address', async () => {
    const made = bench();
    await made.apply(head + first, everything);
    const text = head + environments(['a'], ['y']);
    expect((await made.plan(text)).diagnostics.map(({ code }) => code)).not.toContain('other-manifest');
    await made.apply(text);
    await plansNothing(made, text);
  });

  test('when the state holds environments only, and when the manifest declares environments only', async () => {
    const made = bench();
    await made.apply(`${head}environments: { production: {}, staging: {} }\n`, everything);
    await made.apply(head + environments(['a'], []));
    const empty = `${head}environments: { production: {}, staging: {} }\n`;
    expect((await made.plan(empty)).diagnostics).toEqual([]);
    await made.apply(empty);
    await plansNothing(made, empty);
  });
});

const missing = whyNoPostgres();

describe.skipIf(missing !== undefined)(missing ?? 'K3: with a state in PostgreSQL', () => {
  test('the second repository is refused, and has a state of its own with another name', async () => {
    const apiKey = 'right-key';
    const emulator = createEmulator({ profile: 'standard', apiKey });
    const platform = await serve(emulator);
    const server = await startPostgres();
    const env = { TRUEUP_API_KEY: apiKey, TRUEUP_STATE_URL: server.url(), TRUEUP_STATE_KEY: keyText };
    const repository = (sections: string, state: string) =>
      project(`trueup: 1\nplatform: { url: "${platform.url}" }\nproject: prj_1\nstate: ${state}\n${sections}`);
    const apply = (cwd: string) => trueup(['apply', '--auto-approve', '--adopt'], { cwd, env });
    const names = () =>
      Object.values(emulator.world.tables.compose)
        .map(({ name }) => String(name))
        .toSorted();
    try {
      expect((await apply(repository(first, '{ backend: postgres }'))).code).toBe(0);
      emulator.log.splice(0);
      const refused = await apply(repository(second, '{ backend: postgres }'));
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('error[other-manifest]');
      expect(refused.err).toContain('production.compose.a');
      expect(emulator.log.filter(({ method }) => method === 'POST')).toEqual([]);
      expect(names()).toEqual(['a', 'b', 'c']);
      const own = repository(environments(['x'], []), '{ backend: postgres, name: second }');
      expect((await apply(own)).code).toBe(0);
      expect(names()).toEqual(['a', 'b', 'c', 'x']);
      const again = await trueup(['plan', '--detailed-exitcode'], { cwd: own, env });
      expect(again.code).toBe(0);
    } finally {
      server.stop();
      await platform.close();
    }
  });
});

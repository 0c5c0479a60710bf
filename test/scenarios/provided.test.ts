import { describe, expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { importObject } from '../../src/workflow/import-object.ts';
import {
  actionsOf,
  applyOver,
  everything,
  idOf,
  operationOf,
  plansNothing,
  refusal,
  results,
  rowsIn,
} from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { bench, head } from '../support/world.ts';

/** What the platform makes by itself: the default environment and the data volume of a database. */

const address = 'production.postgres.main';

describe('the default environment', () => {
  test('is adopted without consent when no foreign value is overwritten, and never created', async () => {
    const made = bench();
    const text = `${head}environments: { production: { env: { A: "1" } } }\n`;
    await made.apply(text);
    expect(made.requests('POST')).toEqual(['environment.update']);
    await plansNothing(made, text);
  });

  test('is not overwritten without consent', async () => {
    const made = bench();
    await made.emulator.act('environment.update', { environmentId: 'env_prj_1', env: 'A=by hand\n' });
    const text = `${head}environments: { production: { env: { A: "1" } } }\n`;
    expect((await refusal(made, () => made.apply(text))).map((item) => item.code)).toEqual(['consent']);
    await made.apply(text, { adoption: true });
    await plansNothing(made, text);
  });

  test('keeps its name', async () => {
    const made = bench();
    const text = `${head}environments: { live: { id: env_prj_1 } }\n`;
    const found = await refusal(made, () => made.apply(text, everything));
    expect(found).toMatchObject([{ code: 'cannot-change', address: 'live' }]);
  });

  test('is forgotten, not deleted', async () => {
    const made = bench();
    const text = `${head}environments: { production: {}, staging: {} }\n`;
    await made.apply(text);
    made.requests('POST');
    const without = `${head}environments: { staging: {} }\n`;
    expect(actionsOf(await made.plan(without))).toEqual(['forget production']);
    await made.apply(without);
    expect(made.requests('POST')).toEqual([]);
    await plansNothing(made, without);
    await made.destroy(text);
    expect(rowsIn(made, 'environment').map((row) => row.name)).toContain('production');
  });

  test('that a list does not show, because it is filtered, is not deleted either', async () => {
    const made = bench();
    await made.apply(`${head}environments:\n  production: { env: { A: "1" } }\n  staging: {}\n`);
    made.requests('POST');
    const without = `${head}environments: { staging: {} }\n`;
    const result = await applyOver(made, without, async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'environment.byProjectId') return answer;
      const shown = (JSON.parse(answer.body) as Row[]).filter((row) => row.isDefault !== true);
      return { ...answer, body: JSON.stringify(shown) };
    });
    expect(results(result)).toEqual({ staging: 'done', production: 'done' });
    expect(made.requests('POST')).toEqual([]);
    expect(Object.keys(made.emulator.world.tables.environment)).toContain('env_prj_1');
    await plansNothing(made, without);
  });

  test('has to be there: a list without any is of another project or for another key', async () => {
    const made = bench();
    const text = `${head}environments: { production: {} }\n`;
    const found = await refusal(made, () =>
      applyOver(made, text, async (request) => {
        const answer = await made.emulator.send(request);
        return operationOf(request) === 'environment.byProjectId' ? { ...answer, body: '[]' } : answer;
      }),
    );
    expect(found).toMatchObject([{ code: 'platform-answer', remedy: expect.stringContaining('project:') as string }]);
  });
});

describe('the data volume of a database', () => {
  /** A database and the mount that it brought along. */
  async function withData() {
    const made = bench();
    await made.apply(production(database()));
    const [mount] = rowsIn(made, 'mount');
    return { made, mountId: String(mount?.mountId), path: String(mount?.mountPath) };
  }
  const withMount = (path: string, more = '') =>
    production(database(`mounts: { ${path}: { type: volume, volumeName: other${more} } }`));

  test('is nothing that the plan wants to remove', async () => {
    const { made } = await withData();
    await plansNothing(made, production(database('mounts: {}')));
    expect(rowsIn(made, 'mount')).toHaveLength(1);
  });

  test('leaves no room for another mount at its path', async () => {
    const { made, path } = await withData();
    const found = await refusal(made, () => made.apply(withMount(path), everything));
    expect(found).toMatchObject([{ code: 'inconsistent', address: `${address}.mounts["${path}"]` }]);
  });

  test('cannot be pinned', async () => {
    const { made, mountId } = await withData();
    const found = await refusal(made, () => made.apply(withMount('/q', `, id: ${mountId}`), everything));
    expect(found.map((item) => item.message)).toContain(
      `${address}.mounts["/q"] is the one that the platform made by itself`,
    );
  });

  test('cannot be imported', async () => {
    const { made, mountId } = await withData();
    const manifest = await made.manifest(withMount('/q'));
    const found = await refusal(made, () => importObject(manifest, made.world(), `${address}.mounts["/q"]`, mountId));
    expect(found.map((item) => item.code)).toContain('cannot-change');
    expect(made.store.state?.resources[`${address}.mounts["/q"]`]).toBeUndefined();
  });

  test('may be mounted a second time elsewhere, and that one is ours', async () => {
    const { made, mountId } = await withData();
    const text = production(
      database('mounts: { /more: { type: volume, volumeName: "${ref:postgres.main.appName}-data" } }'),
    );
    await made.apply(text);
    await plansNothing(made, text);
    expect(idOf(made, `${address}.mounts["/more"]`)).not.toBe(mountId);
    expect(rowsIn(made, 'mount')).toHaveLength(2);
  });
});

test('a mount of ours on the data volume is ours: it goes when its block is gone', async () => {
  const made = bench();
  const text = production(
    database('mounts: { /more: { type: volume, volumeName: "${ref:postgres.main.appName}-data" } }'),
  );
  await made.apply(text);
  await plansNothing(made, text);
  const without = production(database(''));
  const planned = await made.plan(without);
  const action = planned.actions.find((item) => item.address === 'production.postgres.main.mounts["/more"]');
  expect(action?.action).toBe('delete');
  await made.apply(without, everything);
  expect(rowsIn(made, 'mount').map((row) => row.mountPath)).not.toContain('/more');
  expect(rowsIn(made, 'mount')).toHaveLength(1);
  await plansNothing(made, without);
});

import { documentOf } from '../support/documents.ts';
import { describe, expect, test } from 'vitest';
import { renderPlan } from '../../src/render/plan-text.ts';
import { plainStyle } from '../../src/render/style.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { bench, head } from '../support/world.ts';

/** A new object beside one of nearly the same name may be a slip. */

const manifest = (name: string) =>
  `${head}environments:\n  production:\n    redis:\n      ${JSON.stringify(name)}: { dockerImage: "redis:8", databasePassword: correct-horse-1 }\n`;

async function planned(there: string, written: string, environmentId = 'env_prj_1') {
  const made = bench();
  const input = { dockerImage: 'redis:8', databasePassword: 'x' };
  await made.emulator.act('redis.create', { ...input, name: there, environmentId });
  return made.plan(manifest(written));
}

describe('U4: a planned create', () => {
  test('beside an object with an id that begins with a hyphen is noted with a command that takes it', async () => {
    const input = { dockerImage: 'redis:8', databasePassword: 'x', environmentId: 'env_prj_1' };
    const world = seedWorld();
    addRow(world, 'redis', { ...input, redisId: '-x9', name: 'adimn', appName: 'adimn' });
    const plan = await bench({ emulate: { world } }).plan(manifest('admin'));
    expect(plan.diagnostics.find(({ code }) => code === 'similar-name')?.remedy).toContain(
      'trueup import production.redis.admin -- -x9.',
    );
  });

  test.each([
    ['admin', 'adimn'],
    ['admin', 'admn'],
    ['admin', 'addmin'],
    ['admin', 'Admin'],
    ['web ', 'web'],
    ['web', 'WEB'],
    ['shop-cache', 'shop_cache'],
    ['shop-cache', 'shopcahce'],
  ])('beside %j is noted for %j', async (there, written) => {
    const plan = await planned(there, written);
    const found = plan.diagnostics.filter(({ code }) => code === 'similar-name');
    expect(found).toHaveLength(1);
    expect(found[0]?.message).toContain(`the platform has ${JSON.stringify(there)} (`);
    expect(found[0]?.remedy).toContain(`name: ${JSON.stringify(there)}`);
  });

  test.each([
    ['web1', 'web2'],
    ['shop-10', 'shop-11'],
    ['worker-a', 'worker-b'],
    ['db', 'dba'],
    ['web', 'wbe'],
    ['orders', 'payments'],
  ])('beside %j is none for %j', async (there, written) => {
    expect((await planned(there, written)).diagnostics.map(({ code }) => code)).not.toContain('similar-name');
  });

  test('is none for an object of another environment', async () => {
    const made = bench();
    await made.emulator.act('environment.create', { name: 'staging', projectId: 'prj_1' });
    const [id = ''] = Object.values(made.emulator.world.tables.environment).flatMap(({ name, environmentId }) =>
      name === 'staging' ? [String(environmentId)] : [],
    );
    const input = { dockerImage: 'redis:8', databasePassword: 'x', name: 'admin', environmentId: id };
    await made.emulator.act('redis.create', input);
    expect((await made.plan(manifest('adimn'))).diagnostics).toEqual([]);
  });
});

describe('objects that are not managed', () => {
  const lineOf = async (plan: Awaited<ReturnType<typeof planned>>) =>
    /^(.* not managed.*)$/m.exec(renderPlan(documentOf(plan), plainStyle))?.[1];

  test('are counted at the end of a plan, and what the platform made by itself is not', async () => {
    expect(await lineOf(await planned('orders', 'payments'))).toBe(
      '1 object of the project is not managed (trueup export --unmanaged).',
    );
    const made = bench();
    expect(await lineOf(await made.plan(manifest('payments')))).toBeUndefined();
    await made.apply(manifest('payments'), { adoption: true });
    expect(await lineOf(await made.plan(manifest('payments')))).toBeUndefined();
    const redisId = made.store.state?.resources['production.redis.payments']?.id;
    await made.emulator.act('mounts.create', {
      type: 'bind',
      hostPath: '/a',
      mountPath: '/b',
      serviceType: 'redis',
      serviceId: redisId,
    });
    expect(await lineOf(await made.plan(manifest('payments')))).toMatch(/^1 object /);
  });
});

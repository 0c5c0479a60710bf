import { expect, test } from 'vitest';
import { obstacles } from '../../src/plan/safeguard.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { session } from '../../src/workflow/session.ts';
import { stage, stageHead } from '../support/stages.ts';
import { bench } from '../support/world.ts';

/** A root file that loses its include must not delete what its environment has. */

const all = { dataLoss: true, adoption: true, massDeletion: true, massRecreation: true };
const image = 'source: { type: docker, image: "nginx:1.27" }';
const services = (...names: readonly string[]) =>
  `application: { ${names.map((name) => `${name}: { ${image} }`).join(', ')} }\n`;

test.each([
  ['all', '', ['deletes-everything']],
  ['all, where others are new', services('x'), ['deletes-everything']],
  ['some', services('a'), []],
])('a plan that deletes %s of the services of its environment', async (_title, left, codes) => {
  const made = bench();
  const own = `${stageHead}environment: production\n`;
  const first = await stage({ 'staging.yaml': `${own}include: [a.yaml]\n`, 'a.yaml': services('a', 'b', 'c') });
  await session(first, made.platform(), { purpose: 'apply', clock: made.clock }, async (run) =>
    run.apply(await run.plan({}), all),
  );
  const next = await plan(await stage({ 'staging.yaml': own + left }), made.world());
  expect(obstacles(next, all).map(({ code }) => code)).toEqual(codes);
  const said = next.diagnostics.filter(({ code }) => code === 'deletes-everything').map(({ message }) => message);
  expect(said).toEqual(codes.map(() => expect.stringContaining('all 3 services of production') as string));
  const destroyed = await plan(first, made.world(), { destroys: true });
  expect(obstacles(destroyed, all)).toEqual([]);
});

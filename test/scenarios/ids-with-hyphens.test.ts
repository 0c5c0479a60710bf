import { expect, test } from 'vitest';
import { bench, head } from '../support/world.ts';
import { trueup } from '../cli/process.ts';
import { importObject } from '../../src/workflow/import-object.ts';

/** The platform makes ids up from letters, digits, `-` and `_`: one in 64 begins with a hyphen. */

const manifest = `${head}environments:
  staging:
    libsql:
      edge: { databaseUser: shop, databasePassword: correct-horse-1 }
    mysql:
      main:
        { databaseName: shop, databaseUser: shop, databasePassword: correct-horse-1, dockerImage: "mysql:8", backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: shop/ } } }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        domains: { shop.example.com: { serviceName: web, port: 80 } }
`;
const consent = { adoption: true, dataLoss: true };

function hyphens() {
  let ids = 0;
  return bench({ emulate: { newId: () => `-${'-'.repeat(ids % 3)}id=${++ids}` } });
}

test('a command line takes such an id behind --, and says so', async () => {
  const at = 'production.redis.main';
  expect((await trueup(['import', at, '-x9'])).err).toContain('An id that begins with a hyphen goes last, behind --.');
  expect((await trueup(['import', at, '--', '-x9'])).err).not.toContain('unknown option');
});

test.each(['-Vx9', '-Cx9', '-fx9', '-x9', '--'])('an option takes such an id, here %s', async (id) => {
  const words = ['export', '--url', 'http://127.0.0.1:1', '--project', id, '--format=json'];
  const { code, out, err } = await trueup(words);
  expect({ code, out: out + err }).toEqual({ code: 4, out: expect.stringContaining('secret-missing') as string });
});

test('objects with ids that begin with a hyphen are created, adopted, imported and deleted', async () => {
  const made = hyphens();
  await made.apply(manifest, consent);
  const ids = Object.values(made.store.state?.resources ?? {}).map(({ id }) => String(id));
  expect(ids).toHaveLength(6);
  expect(ids.every((id) => id.startsWith('-'))).toBe(true);
  const plansNothing = async () =>
    expect((await made.plan(manifest)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  await plansNothing();

  made.store.state = undefined;
  await made.apply(manifest, consent);
  await plansNothing();

  const before = await made.store.read();
  if (before === undefined) throw new Error('the apply wrote no state');
  const { 'staging.mysql.main': main, ...others } = before.resources;
  made.store.state = { ...before, resources: others };
  await importObject(await made.manifest(manifest), made.world(), 'staging.mysql.main', String(main?.id));
  await plansNothing();

  const { outcomes } = await made.destroy(manifest);
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  expect(made.store.state?.resources).toEqual({});
});

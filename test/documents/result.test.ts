import { expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/server.ts';
import { open, resultDocument as documentOf, resultText } from '../../src/index.ts';
import { documentsOf, project, trueup } from '../cli/process.ts';

/** The result of an apply: a narrowed one names the services that keep the old value of a secret. */

const main = 'production.postgres.main';
const shop = 'production.compose.shop';
const worker = 'production.compose.worker';
const keep = `${shop}, ${worker} keep the old value of PW until they are applied too.`;

/** A database and two services with its password, applied; then the password is another one. */
async function rotated() {
  const emulator = createEmulator({ apiKey: 'key-1' });
  let isBroken = false;
  const send: typeof emulator.send = (request) =>
    isBroken && request.path.startsWith('/api/postgres.')
      ? Promise.resolve({ status: 400, headers: {}, body: '{"message":"no","code":"BAD_REQUEST"}' })
      : emulator.send(request);
  const server = await serve({ ...emulator, send });
  const secret = '${secret:PW}';
  const compose = (key: string) =>
    `      ${key}: { deploy: never, source: { type: raw, composeFile: "services: {}" }, env: { URL: "postgres://shop:${secret}@db/shop" } }\n`;
  const folder = project(`trueup: 1
platform: { url: "${server.url}" }
project: prj_1
environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "${secret}", deploy: never }
    compose:
${compose('shop')}${compose('worker')}`);
  const env = (password: string) => ({ TRUEUP_API_KEY: 'key-1', TRUEUP_SECRET_PW: password });
  const run = (password: string, ...args: string[]) => trueup([...args, '-C', folder], { env: env(password) });
  expect((await run('correct-horse-1', 'apply', '--auto-approve', '--adopt')).code).toBe(0);
  return {
    folder,
    env: env('correct-horse-2'),
    run: (...args: string[]) => run('correct-horse-2', ...args),
    breakDatabase: () => {
      isBroken = true;
    },
    close: () => server.close(),
  };
}

test.each([
  ['text', keep],
  ['markdown', keep.replace(shop, `\`${shop}\``).replace(worker, `\`${worker}\``)],
])('as %s ends with the services that keep the old value', async (format, sentence) => {
  const { run, close } = await rotated();
  const args = format === 'text' ? [] : ['--format', format];
  const { code, out } = await run('apply', '--auto-approve', '--target', main, ...args);
  expect([code, out.replaceAll(/\s+/g, ' ')]).toEqual([0, expect.stringContaining(sentence)]);
  expect(out).not.toContain('correct-horse');
  const rest = await run('apply', '--auto-approve');
  expect([rest.code, rest.out]).toEqual([0, expect.not.stringContaining('keep the old')]);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  await close();
});

test('as a document, and of the library, has them too', async () => {
  const { run, folder, env, close } = await rotated();
  const oldSecrets = [shop, worker].map((address) => ({ address, secrets: ['PW'], writtenAt: [main] }));
  const byLibrary = await open(folder, { env });
  const result = await byLibrary.apply({ target: [main] });
  await byLibrary.close();
  expect(documentOf(result).narrowed).toMatchObject({ oldSecrets });
  expect(resultText(result).replaceAll(/\s+/g, ' ')).toContain(keep);
  const ofShop = documentsOf(await run('apply', '--auto-approve', '--target', shop, '--format', 'json')).find(
    ({ format }) => format === 'trueup/result',
  );
  expect(ofShop).toMatchObject({
    narrowed: { oldSecrets: [{ address: worker, secrets: ['PW'], writtenAt: [shop] }] },
  });
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  await close();
});

test('names none where the new value was not written', async () => {
  const { run, breakDatabase, close } = await rotated();
  breakDatabase();
  const { code, out } = await run('apply', '--auto-approve', '--target', main);
  expect([code, out]).toEqual([1, expect.not.stringContaining('keep the old')]);
  await close();
});

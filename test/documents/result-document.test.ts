import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { stop } from '../../src/diagnostics/diagnostic.ts';
import { appliedPlan, resultDocument } from '../../src/documents/result-document.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { open, resultDocument as documentOf, resultText } from '../../src/index.ts';
import { hasChanges } from '../../src/plan/action.ts';
import { anyDocument } from '../../src/render/document-schemas.ts';
import { documentsOf, project, trueup } from '../cli/process.ts';
import { documentOf as planDocumentOf, resultOf } from '../support/documents.ts';
import { applyOver, operationOf } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** The result of an apply: a narrowed one names the services that keep the old value of a secret. */

const main = 'production.postgres.main';
const cache = 'production.redis.cache';
const shop = 'production.compose.shop';
const worker = 'production.compose.worker';
const mail = 'production.compose.mail';
const keep = `${shop}, ${worker} keep the old value of PW until they are applied too.`;

/** A database and two services with its password, applied; then the password is another one. */
async function rotated(how = 'deploy: never, ') {
  const emulator = createEmulator({ profile: 'standard', apiKey: 'key-1' });
  let broken: string | undefined;
  const send: typeof emulator.send = (request) =>
    broken !== undefined && request.path.startsWith(`/api/${broken}`)
      ? Promise.resolve({ status: 400, headers: {}, body: '{"message":"no","code":"BAD_REQUEST","issues":[{}]}' })
      : emulator.send(request);
  const server = await serve({ ...emulator, send });
  const secret = '${secret:PW}';
  const compose = (key: string) =>
    `      ${key}: { ${how}source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, env: { URL: "postgres://shop:${secret}@db/shop" } }\n`;
  const folder = project(`trueup: 1
platform: { url: "${server.url}" }
project: prj_1
environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "${secret}", deploy: never }
    compose:
${compose('shop')}${compose('worker')}      mail: { ${how}source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, env: { A: one } }
`);
  const env = (password: string) => ({ TRUEUP_API_KEY: 'key-1', TRUEUP_SECRET_PW: password });
  const run = (password: string, ...args: string[]) => trueup([...args, '-C', folder], { env: env(password) });
  expect((await run('correct-horse-1', 'apply', '--auto-approve', '--adopt')).code).toBe(0);
  return {
    folder,
    env: env('correct-horse-2'),
    run: (...args: string[]) => run('correct-horse-2', ...args),
    manifest: (edited: (text: string) => string) => {
      const file = join(folder, 'trueup.yaml');
      writeFileSync(file, edited(readFileSync(file, 'utf8')));
    },
    breaks: (operations: string) => {
      broken = operations;
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

test.each(['text', 'markdown', 'html'])(
  'as %s, a plan names the services that restart, and the result those that did',
  async (format) => {
    const { run, close } = await rotated('');
    const names = format === 'markdown' ? `\`${shop}\`, \`${worker}\`` : `${shop}, ${worker}`;
    const args = format === 'text' ? [] : ['--format', format];
    const planned = await run('plan', ...args);
    const sentence =
      format === 'html'
        ? 'Restarts 2 services for a new value of PW'
        : `Restarts 2 services for a new value of PW: ${names}.`;
    expect(planned.out.replaceAll(/\s+/g, ' ')).toContain(sentence);
    if (format === 'html') return close();
    const { code, out } = await run('apply', '--auto-approve', ...args);
    expect([code, out.replaceAll(/\s+/g, ' ')]).toEqual([
      0,
      expect.stringContaining(`${names} run with the new value of PW.`),
    ]);
    expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
    return close();
  },
);

test('a plan that restarts more names those that do because of a new value; a result, those that do not run with it yet', async () => {
  const { run, close, manifest, breaks } = await rotated('');
  manifest((text) => text.replace('env: { A: one }', 'env: { A: two }'));
  const { out } = await run('plan');
  expect(out.replaceAll(/\s+/g, ' ')).toContain(
    `Restarts 3 services: ${shop}, ${worker}, ${mail}. Restarts 2 services for a new value of PW: ${shop}, ${worker}.`,
  );
  breaks('compose.deploy');
  const partly = documentsOf(await run('apply', '--auto-approve', '--format', 'json')).at(-1);
  expect(partly).toMatchObject({ rotated: [{ secret: 'PW', restarted: [], notRestarted: [shop, worker] }] });
  breaks('nothing.');
  expect((await run('apply', '--auto-approve')).code).toBe(0);
  expect((await run('plan', '--detailed-exitcode')).code).toBe(0);
  await close();
});

test('names none where the new value was not written', async () => {
  const { run, breaks, close } = await rotated();
  breaks('postgres.');
  const { code, out } = await run('apply', '--auto-approve', '--target', main);
  expect([code, out]).toEqual([1, expect.not.stringContaining('keep the old')]);
  await close();
});

test('has what its plan says of the comparison, and of each action its writes and its line', async () => {
  const made = bench();
  const text = (tag: string) => `${head}environments:
  production:
    redis:
      cache: { dockerImage: "redis:${tag}", databasePassword: x, deploy: never }
`;
  await made.apply(text('8.0'), { adoption: true });
  const plan = await made.plan(text('8.2'));
  made.requests('POST');
  const result = await made.apply(text('8.2'));
  const sent = made.requests('POST');
  const said = {
    compared: 7,
    notCompared: [{ address: cache, path: 'description', why: 'not returned' as const }],
    left: 2,
    destroys: true as const,
    state: { location: 'state.json', serial: 3 },
  };
  const document = resultOf(result, { plan: { ...planDocumentOf(plan), ...said } });
  expect(document).toMatchObject({ version: 2, ignored: 0, ...said });
  expect(document.outcomes.map(({ address, writes }) => [address, writes])).toEqual([
    ['production', 0],
    [cache, sent.length],
  ]);
  expect(document.outcomes.map(({ position }) => position?.line)).toEqual([5, 7]);
  expect(anyDocument.parse(JSON.parse(JSON.stringify(document)))).toEqual(document);
  expect(hasChanges(await made.plan(text('8.2')))).toBe(false);
});

test('says what was not begun when a run was interrupted, and why the state could not be written', async () => {
  const made = bench();
  const services = ['one', 'two', 'three'].map(
    (key) => `      ${key}: { dockerImage: "redis:8", databasePassword: x }\n`,
  );
  const text = `${head}environments:\n  production:\n    redis:\n${services.join('')}`;
  const ending = new AbortController();
  const send: typeof made.emulator.send = async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) === 'redis.create') ending.abort();
    return answer;
  };
  const result = await applyOver(made, text, send, { signal: ending.signal, connections: 1 });
  const unsaved = stop('state', 'state-unusable', 'the disk is full');
  const plan = planDocumentOf(await made.plan(text));
  const about = { isInterrupted: true, counts: { reads: 0, writes: 0 } };
  const document = resultDocument({ plan: appliedPlan(plan), result: { ...result, unsaved }, ...about });
  const stopped = document.outcomes.filter((one) => one.stopped === 'the run was interrupted');
  expect(stopped.map(({ address }) => address)).toContain('production.redis.three');
  expect([document.ending, document.exitCode]).toEqual(['partly', 6]);
  expect(document.diagnostics.at(-1)).toMatchObject({ message: 'the disk is full', source: 'state' });
  await made.apply(text);
  expect(hasChanges(await made.plan(text))).toBe(false);
});

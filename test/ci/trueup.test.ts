import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trueupOf } from '../../src/ci/trueup.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { program, project, trueupProcess } from '../cli/process.ts';
import { processOfTest } from '../support/process.ts';

/** A program that ends at the second signal, and says how many it got; its parent is in another group of processes. */
const stub = `
import { readFileSync } from 'node:fs';
let signals = 0;
process.on('SIGTERM', () => {
  signals += 1;
  if (signals === 1) setTimeout(() => process.exit(6), 100);
});
process.on('exit', () => console.log('signals: ' + signals));
const groupOf = (id) => readFileSync('/proc/' + id + '/stat', 'utf8').replace(/^.*\\) /, '').split(' ')[2];
console.log(groupOf('self') === groupOf(process.ppid) ? 'same group' : 'own group');
setInterval(() => {}, 1_000);
`;

test.skipIf(process.platform !== 'linux')('a signal of the runner reaches the program, once', async () => {
  const folder = project({ 'trueup.mjs': stub });
  const own = processOfTest({ cwd: folder });
  const trueup = trueupOf(own, process.execPath, join(folder, 'trueup.mjs'));
  const ended = trueup([], { isShown: true });
  await expect.poll(() => own.printed.out).toBe('own group\n');
  own.emit('SIGTERM');
  expect(await ended).toMatchObject({ code: 6, out: 'own group\nsignals: 1\n' });
  expect(own.listenerCount('SIGTERM')).toBe(0);
});

test('a program that is not there is an error', async () => {
  const own = processOfTest({ cwd: project({}) });
  await expect(trueupOf(own, '/no/node', 'x')([])).rejects.toThrow('ENOENT');
});

test('who started an apply decides under the lock, right before its first write', async () => {
  const emulator = createEmulator({ profile: 'dokploy', apiKey: 'key' });
  const platform = await serve(emulator);
  const text = `trueup: 1\nplatform: { url: "${platform.url}" }\nproject: { name: shop }\n`;
  const cwd = project(text);
  const env = { PATH: process.env.PATH ?? '', TRUEUP_API_KEY: 'key' };
  const trueup = trueupOf(processOfTest({ cwd, env }), process.execPath, program());
  const writes = () => emulator.log.filter(({ method }) => method !== 'GET').map(({ operation }) => operation);
  const apply = (mayWrite: () => Promise<boolean>) => trueup(['apply', '--auto-approve'], { mayWrite });

  const refused = await apply(() => Promise.resolve(false));
  expect(refused).toMatchObject({ code: 1, all: expect.stringContaining('Nothing was applied.') });
  await expect(apply(() => Promise.reject(new Error('no answer')))).rejects.toThrow('no answer');
  expect(
    (await trueupProcess(['apply', '--auto-approve'], { cwd, env: { ...env, TRUEUP_APPROVAL: 'parent' } })).code,
  ).toBe(1);
  expect(writes()).toEqual([]);

  const others: (number | null)[] = [];
  const applied = await apply(async () => {
    others.push((await trueupProcess(['apply', '--auto-approve', '--lock-timeout', '0'], { cwd, env })).code);
    return writes().length === 0;
  });
  expect(applied).toMatchObject({ code: 0 });
  expect([others, writes()]).toEqual([[5], ['project.create']]);
  expect(await trueup(['plan', '--detailed-exitcode'])).toMatchObject({ code: 0 });
  await platform.close();
});

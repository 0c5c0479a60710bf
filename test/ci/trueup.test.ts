import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trueupOf } from '../../src/ci/trueup.ts';
import { project } from '../cli/process.ts';
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

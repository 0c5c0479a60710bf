import { expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { createFaults } from '../../src/emulator/faults/faults.ts';
import { faultPlan } from '../../src/emulator/faults/fault-plan.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { composeBody } from '../support/manifest-texts.ts';
import { project, trueup } from './process.ts';

/** A server of the profile dokploy with four services, and a folder with their manifest. */
async function opened(faults: readonly object[] = []) {
  const emulator = createEmulator({ profile: 'dokploy' });
  const server = await serve(emulator, { faults: createFaults(emulator, faultPlan.parse({ faults })) });
  onTestFinished(() => server.close());
  const services = ['a', 'b', 'c', 'd'].map((name) => `      ${name}: { ${composeBody} }\n`).join('');
  const folder = project(`trueup: 1
platform: { url: '${server.url}', profile: dokploy }
project: prj_1
environments:
  production:
    compose:
${services}`);
  const env = { TRUEUP_API_KEY: 'emulator-key' };
  const run = async (...words: string[]) => trueup([...words, '-C', folder], { env });
  const applied = await run('apply', '--auto-approve', '--no-bulk');
  expect(applied.code).toBe(0);
  emulator.log.splice(0);
  return { run, reads: () => emulator.log.splice(0).map(({ operation }) => operation) };
}

test('a plan reads in bulk, and --no-bulk reads each object with a request of its own', async () => {
  const { run, reads } = await opened();
  const together = await run('plan', '--format', 'json');
  expect([together.code, together.err]).toEqual([0, '']);
  expect(reads()).toEqual(['environment.byProjectId', 'trpc']);
  const alone = await run('plan', '--format', 'json', '--no-bulk');
  expect(reads().filter((operation) => operation === 'compose.one')).toHaveLength(4);
  const withoutCounts = (text: string) => text.replace(/"reads": \d+/, '');
  expect(withoutCounts(together.out)).toBe(withoutCounts(alone.out));
});

test('a run whose bulk reads fail says so once, with the reason, and plans the same', async () => {
  const { run } = await opened([{ on: ['trpc'], before: { answer: 404 } }]);
  const { code, err, out } = await run('plan');
  expect(code).toBe(0);
  expect(out).toContain('No changes');
  expect(err).toMatch(
    /^note: Trueup reads each object with a request of its own from now on: the server answered 404 \(bulk reads at http:\/\/127\.0\.0\.1:\d+\/api\/trpc\)\. --no-bulk does so from the start\.\n$/,
  );
});

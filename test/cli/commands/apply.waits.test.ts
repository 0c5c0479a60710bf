import { expect, test } from 'vitest';
import { applyCommand, planCommand } from '../asked.ts';
import { places } from '../place.ts';

const open = places();
const address = 'production.redis.cache';

test('a run after one that ended with an unknown outcome says whose requests it waits for', async () => {
  const { run, rewriteState } = await open(
    'environments:\n  production:\n    redis: { cache: { dockerImage: "redis:8", databasePassword: a-password } }\n',
  );
  // An update without an answer stays so at the end of a run, which nothing interrupted.
  await rewriteState((resources) => {
    const record = resources[address];
    if (typeof record?.id !== 'string') throw new Error('it was applied');
    return { ...resources, [address]: { ...record, pending: { is: 'write', at: Date.now(), timeoutMs: 1_000 } } };
  });
  const ran = await run(applyCommand({ autoApprove: true, inFlightTimeout: '1' }));
  expect(ran).toMatchObject({ exit: 'done' });
  expect(ran.err).toContain('waiting 1 s: requests of an earlier run may still reach the platform\n');
  expect((await run(planCommand({ detailedExitcode: true }))).exit).toBe('done');
});

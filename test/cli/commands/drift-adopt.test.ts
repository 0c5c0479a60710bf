import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { driftAdoptCommand, planCommand } from '../asked.ts';
import { edit } from '../../support/drifting.ts';
import { apiKey, places } from '../place.ts';

/** All cases: test/scenarios/drift-adopt.test.ts. */

const place = places();
const manifest = `environments:
    production:
        redis: # one
            cache: { dockerImage: 'redis:7', databasePassword: "\${secret:TOKEN}", deploy: never } # two
`;

test('a value that the platform has is written into the manifest, and then plans nothing', async () => {
  const at = await place(manifest, { secrets: { TOKEN: 'correct-horse-battery' } });
  at.rewrite(manifest);
  const read = () => readFileSync(join(at.folder, 'trueup.yaml'), 'utf8');
  const before = read();
  const redisId = at.idOf('production.redis.cache');
  await edit({ emulator: at.emulator, apiKey }, 'redis.update', { redisId, dockerImage: 'redis:8' });
  at.requests();
  const ran = await at.run(driftAdoptCommand(['production.redis.cache'], {}));
  expect(ran).toMatchObject({ exit: 'done', err: '' });
  expect(ran.out).toContain(
    'Adopted 1 finding; trueup plan shows no change of:\n  production.redis.cache: dockerImage\n',
  );
  expect(read()).toBe(before.replace("'redis:7'", "'redis:8'"));
  expect(at.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
  expect((await at.run(planCommand({}))).out).toMatch(/No changes|nothing to/i);
});

import { readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
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

test.each([
  ['the manifest', 'trueup.yaml'],
  ['the file that the manifest is a link to', 'shop.yml'],
])('a value that the platform has is written into %s, and then plans nothing', async (_, name) => {
  const at = await place(manifest, { secrets: { TOKEN: 'correct-horse-battery' } });
  at.rewrite(manifest);
  const [root, file] = [join(at.folder, 'trueup.yaml'), join(at.folder, name)];
  if (file !== root) {
    renameSync(root, file);
    symlinkSync(name, root);
  }
  const read = () => readFileSync(file, 'utf8');
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
  if (file !== root) expect(readlinkSync(root)).toBe(name);
});

import { describe, expect, test } from 'vitest';
import { seedWorld } from '../../src/emulator/world.ts';
import { explore } from '../support/crashes/explore.ts';
import { imageOf } from '../support/crashes/platform.ts';
import type { Place, Task } from '../support/crashes/process.ts';
import { runProcess } from '../support/crashes/process.ts';
import { simulateTimers } from '../support/crashes/timers.ts';
import { keys } from '../support/organization-blocks.ts';
import { bench, head } from '../support/world.ts';
import { effort } from '../support/whole.ts';

/**
 * Twelve objects of many kinds, by a process that ends at some moment, and by another one that ends at some moment
 * too: whatever the pair, the third comes to what one would have come to.
 */

simulateTimers();

/** Of the thousands of pairs few are tried: each sixth first crash, and then each 19th; `npm run test:soak` tries all. */
const [everyBefore, every] = effort({ fast: [6, 19], all: [1, 37], soak: [1, 1] });

/** Of the situations after one crash beside seven other requests each third is run on, by `TRUEUP_TESTS=all` each. */
const everyAtOnce = effort({ fast: 3, all: 1 });

const made = bench();

const twelve = `${head}${keys('one')}environments:
  staging:
    env: { REGION: eu }
    postgres:
      main:
        dockerImage: "postgres:17"
        databaseName: shop
        databaseUser: u
        databasePassword: password-1
        mounts: { /extra: { type: bind, hostPath: /srv/extra } }
        backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/ } }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { DB: "\${ref:postgres.main.host}" }
        domains: { a.example.com: { serviceName: web } }
        files: { a.conf: { content: hello } }
    application:
      web:
        source: { type: docker, image: nginx }
        env: { REGION: "\${{environment.REGION}}" }
        domains: { b.example.com: { port: 80 } }
        volumeBackups: { v: { volumeName: v, cronExpression: "0 3 * * *", prefix: v/, destinationId: dst_1 } }
    redis:
      cache: { dockerImage: "redis:8", databasePassword: password-1 }
`;
const edited = twelve
  .replace('AAAAone', 'AAAAtwo')
  .replace('REGION: eu', 'REGION: us')
  .replace('databaseName: shop', 'databaseName: store')
  .replace('prefix: n/', 'prefix: m/')
  .replace('a.example.com', 'c.example.com')
  .replace('content: hello', 'content: bye')
  .replace('image: nginx }', 'image: nginx:2 }')
  .replace('    redis:\n      cache:', '    mariadb:\n      other:')
  .replace('"redis:8",', '"mariadb:11", databaseName: d, databaseUser: u,');

const nothing: Place = { platform: imageOf(seedWorld()), files: new Map(), at: 0, underway: [] };

async function startAfter(text: string): Promise<Place> {
  const { failures, place } = await runProcess(nothing, { manifest: await made.manifest(text) });
  expect(failures).toEqual([]);
  return place;
}

const stories: [string, { readonly before: string | undefined; readonly after: string; readonly seeds: number[] }][] = [
  ['are made', { before: undefined, after: twelve, seeds: [2, 3, 4, 5, 6] }],
  ['are changed, replaced, removed and made', { before: twelve, after: edited, seeds: [7, 8, 10, 11, 12] }],
];

describe.each(stories)('twelve objects %s', (_, { before, after, seeds }) => {
  const begin = async () => (before === undefined ? nothing : await startAfter(before));

  test('by processes of which two end in the middle, one after the other', async () => {
    expect((await made.manifest(after)).resources).toHaveLength(12);
    const task: Task = { manifest: await made.manifest(after), seed: 1 };
    const { situations } = await explore({ start: await begin(), task, crashes: 2, every, everyBefore, tears: false });
    expect(situations).toBeGreaterThan(effort({ fast: 120, all: 1_000 }));
  }, 1_200_000);

  test.each(effort({ fast: seeds.slice(0, 1), all: seeds }))(
    'by a process that has 8 connections and ends in the middle, in sequence %i',
    async (seed) => {
      const task: Task = { manifest: await made.manifest(after), seed, connections: 8 };
      let most = 0;
      await explore({
        start: await begin(),
        task,
        crashes: 1,
        every: everyAtOnce,
        tears: false,
        onMoment: ({ place }) => (most = Math.max(most, place.underway.length)),
      });
      expect(most).toBeGreaterThan(2);
    },
  );
});

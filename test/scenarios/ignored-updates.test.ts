import { describe, expect, test } from 'vitest';
import { endingOf } from '../../src/documents/result-document.ts';
import { shown } from '../render/plans.ts';
import { isDeployOrder } from '../support/deployments.ts';
import { actionsOf, answered, answering, applyOver, notesOf, plansNothing, results } from '../support/faults.ts';
import { database, production, stack } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** Updates that the platform answers with 200 and does not carry out. */

const composeWith = (image: string) =>
  production(
    `    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: ${image} } }" } }\n`,
  );
const fetched = (branch: string) =>
  production(
    `    application:\n      web: { source: { type: git, url: "https://git.example.com/shop.git", branch: ${branch} } }\n`,
  );
const variable = (region: string) =>
  production(`    env: { REGION: ${region} }\n${stack('env: { AT: "$${{environment.REGION}}" }')}`);
const backupWith = (keep: number) =>
  production(
    `    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }\\nvolumes: { data: {} }" }, volumeBackups: { data: { serviceName: web, volumeName: data, cronExpression: "0 3 * * *", destinationId: dst_1, prefix: x, keepLatestCount: ${keep} } } }\n`,
  );
const mounted = (content: string) =>
  production(database(`mounts: { /etc/a: { type: file, filePath: a, content: ${content} } }`));

const image = (name: string) =>
  production(`    application:\n      web: { source: { type: docker, image: ${name} } }\n`);

const cases = [
  {
    operation: 'application.saveDockerProvider',
    path: 'source.image',
    before: image('nginx'),
    after: image('httpd'),
    other: image('caddy'),
    isStale: true,
    deployments: 1,
  },
  {
    operation: 'compose.update',
    path: 'source.composeFile',
    before: composeWith('nginx'),
    after: composeWith('httpd'),
    other: composeWith('caddy'),
    isStale: true,
    deployments: 1,
  },
  {
    operation: 'application.saveGitProvider',
    path: 'source.branch',
    before: fetched('main'),
    after: fetched('next'),
    other: fetched('last'),
    isStale: true,
    deployments: 1,
  },
  {
    operation: 'environment.update',
    path: 'env.REGION',
    before: variable('one'),
    after: variable('two'),
    other: variable('three'),
    isStale: true,
    deployments: 1,
  },
  {
    operation: 'mounts.update',
    path: 'content',
    before: mounted('one'),
    after: mounted('two'),
    other: mounted('three'),
    isStale: true,
    deployments: 1,
  },
  {
    operation: 'volumeBackups.update',
    path: 'keepLatestCount',
    before: backupWith(1),
    after: backupWith(2),
    other: backupWith(3),
    isStale: false,
    deployments: 0,
  },
] as const;

const ignoring = (made: Bench, operation: string) =>
  answering(made, (name) => (name === operation ? answered('true') : undefined));

/** How often the platform got a request of an operation, and how often it was to deploy, since the last call. */
function counter(made: Bench, operation: string) {
  let writes = 0;
  let seen = made.emulator.log.length;
  const send = ignoring(made, operation);
  return {
    send: ((request) => {
      if (request.path === `/api/${operation}`) writes += 1;
      return send(request);
    }) satisfies typeof send,
    count: () => {
      const fresh = made.emulator.log.slice(seen);
      seen = made.emulator.log.length;
      const counted = { writes, deployments: fresh.filter((request) => isDeployOrder(request.operation)).length };
      writes = 0;
      return counted;
    },
  };
}

const saidIgnored = (planned: Parameters<typeof notesOf>[0]) =>
  notesOf(planned).flatMap(({ code, message }) => (code === 'ignored' ? [message] : []));

describe.each(cases)(
  '$operation that the platform ignores',
  ({ operation, path, before, after, other, isStale, deployments }) => {
    test('once is sent again by the next run, and everything is deployed then', async () => {
      const made = bench();
      await made.apply(before, { adoption: true });
      const { send, count } = counter(made, operation);
      const first = await applyOver(made, after, send);
      expect(Object.values(results(first))).toContain('ignored');
      expect(count()).toEqual({ writes: 1, deployments: 0 });
      const again = await made.plan(after);
      expect(again.actions.flatMap(({ changes }) => changes)).toMatchObject([{ path, cause: 'ignored' }]);
      const second = await made.apply(after);
      expect(endingOf(second)).toBe('done');
      expect(count().deployments).toBe(deployments);
      await plansNothing(made, after);
      expect(shown(await made.plan(after))).toMatch(/No changes\. The platform matches the manifest\.\n$/);
    });

    test('twice is not sent a third time; nothing is deployed without it, and each plan and apply reports that', async () => {
      const made = bench();
      await made.apply(before, { adoption: true });
      const { send, count } = counter(made, operation);
      await applyOver(made, after, send);
      await applyOver(made, after, send);
      expect(count()).toEqual({ writes: 2, deployments: 0 });
      for (let run = 3; run <= 4; run += 1) {
        const planned = await made.plan(after);
        expect(actionsOf(planned)).toEqual([]);
        expect(saidIgnored(planned)).toEqual([`${path}: the platform ignored the value`]);
        expect(shown(planned)).toMatch(/\nNo changes\. 1 field is ignored by the platform\.\n$/);
        expect(notesOf(planned).flatMap(({ code, message }) => (code === 'not-deployed' ? [message] : []))).toEqual(
          isStale ? [expect.stringContaining(path)] : [],
        );
        const result = await applyOver(made, after, send);
        expect(endingOf(result)).toBe('partly');
        expect(count()).toEqual({ writes: 0, deployments: 0 });
      }
      const changed = await made.apply(other);
      expect(endingOf(changed)).toBe('done');
      expect(count().deployments).toBe(deployments);
      await plansNothing(made, other);
    });
  },
);

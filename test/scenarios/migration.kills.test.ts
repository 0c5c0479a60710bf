import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { project, trueup, trueupProcess } from '../cli/process.ts';
import { killedBefore } from '../support/killing.ts';
import { effort } from '../support/whole.ts';

/** The way of docs/stages.md from one file to stages, killed at any point: the plan is empty after each step, and nothing twice. */

const apiKey = 'key-1';
const block = (key: string) => `${key}: { dockerImage: "redis:8", databasePassword: "\${secret:PASSWORD}" }`;
const shop = `project: prj_1\nvariables: { suffix: {} }\nredis: { ${block('cache')}, ${block('queue')} }\n`;
const wait = ['--lock-timeout', '30', '--in-flight-timeout', '1'];

/** The steps: what each changes in the folder, the command of it, and the root files whose plans are empty then. */
const steps = [
  {
    change: (folder: string, head: string) => {
      writeFileSync(join(folder, 'shop.yaml'), shop);
      const own = 'environment: production\ninclude: [shop.yaml]\nvariables: { suffix: "" }\n';
      writeFileSync(join(folder, 'trueup.yaml'), head + own);
    },
    command: ['apply', '--auto-approve', ...wait],
    files: ['trueup.yaml'],
  },
  {
    change: (folder: string) => renameSync(join(folder, 'trueup.yaml'), join(folder, 'production.yaml')),
    command: ['state', 'move', 'trueup.yaml', 'production.yaml', '--lock-timeout', '30'],
    files: ['production.yaml'],
  },
  {
    change: (folder: string, head: string) => {
      const own = 'environment: staging\ninclude: [shop.yaml]\nvariables: { suffix: -staging }\n';
      writeFileSync(join(folder, 'staging.yaml'), head + own);
    },
    command: ['apply', '--auto-approve', '-f', 'staging.yaml', ...wait],
    files: ['production.yaml', 'staging.yaml'],
  },
];

/** Walks the whole way; the command of one step is killed before a change of a file. Returns whether it was. */
async function walk(killed?: { readonly step: number; readonly before: number }): Promise<boolean> {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const server = await serve(emulator);
  onTestFinished(() => server.close());
  const head = `trueup: 1\nplatform: { url: "${server.url}" }\n`;
  const one = `${head}project: prj_1\nenvironments: { production: { redis: { ${block('cache')}, ${block('queue')} } } }\n`;
  const folder = project(one);
  const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_PASSWORD: 'correct-horse-1' };
  const run = (...args: readonly string[]) => trueup([...args, '-C', folder], { env });
  expect(await run('apply', '--auto-approve', '--adopt')).toMatchObject({ code: 0 });
  let wasKilled = false;
  for (const [at, { change, command, files }] of steps.entries()) {
    change(folder, head);
    const when = `step ${at + 1}, ${JSON.stringify(killed)}`;
    if (killed?.step === at) {
      const hook = killedBefore(killed.before, folder, /\/\.trueup/);
      const { code } = await trueupProcess([...command, '-C', folder], { env: { ...env, ...hook } });
      wasKilled = code === null;
    }
    expect(await run(...command), when).toMatchObject({ code: 0 });
    for (const file of files)
      expect(await run('plan', '--detailed-exitcode', '-f', file), `${when}: ${file}`).toMatchObject({ code: 0 });
  }
  expect(existsSync(join(folder, '.trueup/state.json'))).toBe(false);
  const created = emulator.log.flatMap(({ operation, input }) =>
    operation === 'redis.create' ? [JSON.stringify(input)] : [],
  );
  expect([created.length, new Set(created).size], JSON.stringify(killed)).toEqual([4, 4]);
  return wasKilled;
}

test('the plan is empty after each step', async () => {
  expect(await walk()).toBe(false);
});

test('killed anywhere, each step goes on, and nothing is created again', async () => {
  let kills = 0;
  // Forty kills in the tier all: the steps in turn, each at points that spread over the changes that it makes.
  const most = effort({ fast: 9, all: 40 });
  const points = [0, 0, 0];
  for (let at = 0; kills < most && at < 3 * most; at++) {
    const step = at % 3;
    const before = points[step] ?? 0;
    points[step] = before + effort({ fast: 4, all: 1 });
    if (await walk({ step, before })) kills++;
    else points[step] = at % 4;
  }
  expect(kills).toBe(most);
}, 600_000);

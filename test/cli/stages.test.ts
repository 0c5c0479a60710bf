import { copyFileSync, existsSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { runCommandLine } from '../../src/cli/command-line.ts';
import { processOfTest } from '../support/process.ts';
import { project, trueup } from './process.ts';

const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

const block = (name: string, more = '') => `environments:
  production:
    redis: { ${name}: { dockerImage: "redis:8", databasePassword: "\${secret:PASSWORD}"${more} } }
`;

/** Two stages, each on a platform of its own with a key of its own, and their secrets. */
async function stages(texts: Record<string, string> = {}) {
  const platforms = await Promise.all(
    ['staging', 'production'].map(async (name) => {
      const emulator = createEmulator({ apiKey: `key-of-${name}-4711`, profile: 'standard' });
      const server = await serve(emulator);
      open.push(server);
      const root = `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${texts[name] ?? block('cache')}`;
      return { name, emulator, root };
    }),
  );
  const folder = project(Object.fromEntries(platforms.map(({ name, root }) => [`${name}.yaml`, root])));
  const env = Object.fromEntries(
    platforms.flatMap(({ name }) => {
      const key = `TRUEUP__${name.toUpperCase()}__`;
      return [
        [`${key}API_KEY`, `key-of-${name}-4711`],
        [`${key}SECRET_PASSWORD`, `canary-of-${name}-0815`],
      ];
    }),
  );
  const run = (args: string, more: Record<string, string> = {}) =>
    trueup([...args.split(' '), '-C', folder], { env: { ...env, ...more }, cwd: folder });
  const requests = (name: string) => platforms.find((one) => one.name === name)?.emulator.log.splice(0) ?? [];
  return { folder, env, run, requests };
}

const both = '-f staging.yaml -f production.yaml';

describe('several root files', () => {
  test('are applied in the order of the command line, and then nothing is planned', async () => {
    const { run } = await stages();
    const applied = await run(`apply --auto-approve ${both}`);
    expect(applied.code, applied.err).toBe(0);
    expect(applied.out.match(/^=== .* ===$/gm)).toEqual(['=== staging ===', '=== production ===']);
    expect(applied.out.trimEnd().split('\n').at(-1)).toMatch(/^staging: applied: .*; production: applied: /);
    const planned = await run('plan --all --detailed-exitcode');
    expect(planned.code).toBe(0);
    expect(planned.out).toMatch(/\nproduction: no changes; staging: no changes\n$/);
  });

  test('after a failure no other one is applied', async () => {
    const { run, requests } = await stages();
    const applied = await run(`apply --auto-approve ${both}`, { TRUEUP__STAGING__API_KEY: 'wrong-key-4711' });
    expect(applied.code).toBe(4);
    expect(applied.out).toBe('\nstaging: failed, exit code 4; production: not run\n');
    expect(requests('production')).toEqual([]);
    const planned = await run('plan --all --detailed-exitcode --format json', {
      TRUEUP__STAGING__API_KEY: 'wrong-key-4711',
    });
    expect(planned.code).toBe(4);
    expect(JSON.parse(planned.out)).toMatchObject({
      format: 'trueup/stages',
      stages: [
        { stage: 'production', exitCode: 2, documents: [{ format: 'trueup/plan' }] },
        { stage: 'staging', exitCode: 4, documents: [{ format: 'trueup/error' }] },
      ],
    });
  });

  test('a target has to be in one of them', async () => {
    const { run, requests } = await stages({ staging: block('queue') });
    const one = await run('graph --all --target production.redis.queue');
    expect(one.code, one.err).toBe(0);
    expect(one.out).toContain('production: nothing of what the command line names; staging: done');
    const narrowed = await run('plan --all --target production.redis.queue');
    expect(narrowed.code, narrowed.err).toBe(0);
    expect(requests('production')).toEqual([]);
    const none = await run('graph --all --target production.redis.missing');
    expect([none.code, none.err.match(/missing: the manifest has nothing there/g)]).toEqual([1, expect.any(Array)]);
  });

  test('each has its own plan file, which is of its root file alone', async () => {
    const { run, folder } = await stages();
    expect((await run('plan --all --out plans')).code).toBe(0);
    expect(readdirSync(join(folder, 'plans')).toSorted()).toEqual(['production.trueup', 'staging.trueup']);
    const other = await run('apply -f production.yaml plans/staging.trueup');
    expect(other.code).toBe(1);
    expect(other.err).toContain(
      'the plan in plans/staging.trueup is of staging.yaml, and this run reads production.yaml; nothing was sent',
    );
    expect((await run('apply -f staging.yaml plans/staging.trueup')).code).toBe(0);
    expect((await run('plan -f staging.yaml --detailed-exitcode')).code).toBe(0);
    const two = await run(`apply ${both} plans/staging.trueup`);
    expect(two.err).toContain('apply takes no plans/staging.trueup for several root files');
  });

  test('a plan file names its root file as a shell takes it', async () => {
    const { run, folder } = await stages();
    copyFileSync(join(folder, 'staging.yaml'), join(folder, 'a$b.yaml'));
    const plain = { TRUEUP_API_KEY: 'key-of-staging-4711', TRUEUP_SECRET_PASSWORD: 'canary-of-a-0815' };
    expect((await run('plan -f a$b.yaml --out p.trueup', plain)).code).toBe(0);
    expect((await run('apply -f staging.yaml p.trueup')).err).toContain("-> Apply it with -f 'a$b.yaml'.");
  });

  test.each([
    ['destroy -f staging.yaml -f production.yaml', 'destroy takes one root file, and several are named with -f'],
    ['plan --all -f staging.yaml', '--all and -f exclude each other'],
    ['plan --all --format html', '--format html is for one root file'],
    ['status --all --watch', '--watch is for one root file'],
    ['plan -f staging.yaml -f ./staging.yaml', '-f names staging.yaml twice'],
    ['plan -f staging.yaml -f a.b.yaml', 'a.b.yaml has no name that a stage can have'],
    ['plan -f prod.yaml -f prod.yml', 'prod.yaml and prod.yml differ only in .yaml and .yml'],
    ['plan -f my-stage.yaml -f My_Stage.yaml', 'my-stage.yaml and My_Stage.yaml differ only in case or in - and _'],
    ['apply --all', "unknown option '--all'"],
    ['plan', 'there is no file trueup.yaml in'],
  ])('%s is refused', async (args, message) => {
    const { run, requests } = await stages();
    const { code, err } = await run(args);
    expect(code).not.toBe(0);
    expect(err).toContain(message);
    expect([...requests('staging'), ...requests('production')]).toEqual([]);
  });

  test('without trueup.yaml the error lists them', async () => {
    const { run } = await stages();
    expect((await run('plan')).err).toContain('It has production.yaml, staging.yaml: name one with -f.');
  });
});

test('the --all of a command that takes one root file is its own', async () => {
  const { run } = await stages();
  expect((await run('apply -f staging.yaml --auto-approve')).code).toBe(0);
  const adopted = await run('drift adopt --all -f staging.yaml');
  expect([adopted.code, adopted.err]).toEqual([1, expect.stringContaining('nothing has drifted; nothing was written')]);
  expect((await run('plan -f staging.yaml --detailed-exitcode')).code).toBe(0);
});

test('a signal while a stage ends keeps the next one from beginning', async () => {
  const { folder, env, requests } = await stages();
  const args = ['apply', ...both.split(' '), '--auto-approve', '-C', folder];
  const process = processOfTest({ args, env, cwd: folder });
  const { stdout } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = (text) => {
    if (text.includes('Applied: ')) process.emit('SIGINT', 'SIGINT');
    return write(text);
  };
  expect(await runCommandLine(process)).toBe(130);
  expect(process.printed.out).toMatch(/\nstaging: applied: .*; production: not run\n$/);
  expect(requests('production')).toEqual([]);
  expect(process.listenerCount('SIGINT')).toBe(0);
});

test('a comment about several root files is not the one about one of them', async () => {
  const { run } = await stages();
  const markers: unknown[] = [];
  for (const files of ['-f production.yaml', both, '--all']) {
    const { out } = await run(`plan ${files} --format markdown`);
    markers.push(/^<!-- trueup:plan:\w+ -->/.exec(out)?.[0] ?? 'none');
  }
  expect(markers).not.toContain('none');
  expect(new Set(markers).size).toBe(3);
});

describe('the variables of a stage', () => {
  test('a secret of one stage is in no request, file or output of another', async () => {
    const { run, folder, requests } = await stages();
    const outputs: string[] = [];
    for (const format of ['text', 'json', 'markdown'])
      for (const args of [
        'validate --all',
        'plan --all',
        'plan --all --out plans',
        `apply ${both} --auto-approve`,
        'plan --all',
        'drift --all',
        'status --all',
        'graph --all',
        'fmt --all --check',
      ]) {
        const { out, err } = await run(`${args} --format ${format}`);
        outputs.push(out, err);
      }
    const texts = new Map([
      ['staging', JSON.stringify(requests('staging'))],
      ['production', JSON.stringify(requests('production'))],
    ]);
    expect(texts.get('staging')).toContain('redis.create');
    for (const [own, other] of [
      ['staging', 'production'],
      ['production', 'staging'],
    ] as const) {
      const canaries = [`canary-of-${other}-0815`, `key-of-${other}-4711`];
      const files = filesBelow(join(folder, '.trueup', `${own}.yaml`));
      for (const canary of canaries) {
        expect(texts.get(own)).not.toContain(canary);
        expect(files).not.toContain(canary);
        expect(outputs.join('\n')).not.toContain(canary);
      }
    }
    expect(filesBelow(join(folder, 'plans'))).not.toMatch(/canary-of|key-of/);
  });

  test('a source that cannot be read names the variable of its stage in a run of several files', async () => {
    const { run, env } = await stages({ staging: `secrets: [{ file: gone.env }]\n${block('cache')}` });
    delete env.TRUEUP__STAGING__SECRET_PASSWORD;
    const given = { TRUEUP_API_KEY: 'key-of-staging-4711' };
    expect((await run(`plan ${both}`)).err).toContain('Or set TRUEUP__STAGING__SECRET_PASSWORD: then');
    expect((await run('plan -f staging.yaml', given)).err).toContain('Or set TRUEUP_SECRET_PASSWORD: then');
  });

  test('a plain secret gives no value, and the output says which variable does', async () => {
    const { run, requests, env } = await stages();
    delete env.TRUEUP__STAGING__SECRET_PASSWORD;
    const { code, err } = await run(`apply ${both} --auto-approve`, { TRUEUP_SECRET_PASSWORD: 'plain-canary-0815' });
    expect(code).not.toBe(0);
    expect(err).toContain('staging reads TRUEUP__STAGING__SECRET_PASSWORD, not TRUEUP_SECRET_PASSWORD');
    expect(JSON.stringify(requests('staging'))).not.toContain('plain-canary');
  });

  test('a plain key counts where all stages have one platform only', async () => {
    const { run, requests, folder, env } = await stages();
    for (const name of ['STAGING', 'PRODUCTION']) delete env[`TRUEUP__${name}__API_KEY`];
    const plain = { TRUEUP_API_KEY: 'key-of-staging-4711' };
    const { code, err } = await run('plan --all', plain);
    expect(code).toBe(4);
    expect(err).toContain('staging reads TRUEUP__STAGING__API_KEY, not TRUEUP_API_KEY');
    expect([...requests('staging'), ...requests('production')]).toEqual([]);
    rmSync(join(folder, 'production.yaml'));
    expect((await run('plan --all', plain)).code).toBe(0);
    const without = (await run('plan --all')).err;
    expect(without).toContain('TRUEUP_API_KEY');
    expect(without).not.toContain('not TRUEUP_API_KEY');
  });

  test('a run of one file reads those of its stage before the plain ones', async () => {
    const { run } = await stages();
    expect((await run('plan -f staging.yaml', { TRUEUP_API_KEY: 'wrong-key-4711' })).code).toBe(0);
  });
});

/** The content of all files below a folder. */
function filesBelow(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .flatMap((entry) => (entry.isFile() ? [readFileSync(join(entry.parentPath, entry.name), 'latin1')] : []))
    .join('\n');
}

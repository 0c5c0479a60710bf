import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { documentOf, project, trueup } from '../cli/process.ts';

/** A root file with `preview:` on the command line. */

const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

const shared = `project: prj_1
variables: { suffix: {}, tag: {} }
application:
  api: { source: { type: docker, image: "nginx:\${var:tag}" }, domains: { main: { host: "api\${var:suffix}" } } }
redis: { cache: { dockerImage: redis:8, databasePassword: correct-horse-4711, protect: true } }
`;

/** A platform with previews and a stage of one shop. */
async function shop(preview = '{}') {
  const emulator = createEmulator({ apiKey: 'key-of-previews-4711', profile: 'standard' });
  const server = await serve(emulator);
  open.push(server);
  const root = (environment: string, more: string) =>
    `trueup: 1\nplatform: { url: "${server.url}" }\nenvironment: ${environment}\ninclude: [shop.yaml]\n${more}`;
  const folder = project({
    'shop.yaml': shared,
    'staging.yaml': root('staging', 'variables: { suffix: .example.com, tag: "1.27" }\n'),
    'preview.yaml': root('pr', `preview: ${preview}\nvariables: { suffix: "-\${preview:id}.example.com" }\n`),
  });
  const run = (args: string) =>
    trueup([...args.split(' '), '-C', folder], { env: { TRUEUP_API_KEY: 'key-of-previews-4711' }, cwd: folder });
  const requests = () => emulator.log.splice(0);
  return { folder, run, requests, emulator };
}

const of = (id: string) => `-f preview.yaml --var tag=1.28 --preview ${id}`;

test('each preview has an environment and a state of its own, and is destroyed without a variable', async () => {
  const { folder, run, requests } = await shop();
  expect((await run('apply -f staging.yaml --auto-approve')).code).toBe(0);
  for (const id of ['12', 'feature-x']) {
    const applied = await run(`apply ${of(id)} --auto-approve`);
    expect(applied.code, applied.err).toBe(0);
    const planned = await run(`plan ${of(id)} --detailed-exitcode`);
    expect([planned.code, planned.err]).toEqual([0, '']);
  }
  expect((await run('state list -f preview.yaml --preview 12')).out.match(/^\S+/gm)).toEqual(
    expect.arrayContaining(['pr-12', 'pr-12.application.api.domains.main', 'pr-12.redis.cache']),
  );
  expect(existsSync(join(folder, '.trueup/preview.yaml/feature-x/state.json'))).toBe(true);
  const drift = await run(`drift ${of('12')}`);
  expect([drift.code, existsSync(join(folder, 'drift.preview.yaml'))]).toEqual([0, false]);
  const explained = await run(`explain pr-12.redis.cache ${of('12')} --offline`);
  expect(explained.out).toContain('left out of previews: protect');
  requests();
  for (const id of ['12', 'never']) {
    const destroyed = await run(`destroy -f preview.yaml --preview ${id} --auto-approve`);
    expect(destroyed.code, destroyed.err).toBe(0);
  }
  expect((await run('state list -f preview.yaml --preview 12')).out).not.toContain('pr-12');
  for (const args of ['-f staging.yaml', of('feature-x')])
    expect((await run(`plan ${args} --detailed-exitcode`)).code).toBe(0);
});

test('adopts nothing, also not by import and state rebuild', async () => {
  const { run, folder, requests } = await shop();
  expect((await run(`apply ${of('12')} --auto-approve`)).code).toBe(0);
  rmSync(join(folder, '.trueup/preview.yaml/12'), { recursive: true });
  requests();
  const says = 'the state of this preview does not have it';
  const applied = await run(`apply --adopt --auto-approve ${of('12')}`);
  expect([applied.code, applied.err]).toEqual([1, expect.stringContaining(says)]);
  const [, id = ''] = /pr-12 exists on the platform \(([^)]+)\)/.exec(applied.err) ?? [];
  for (const command of ['state rebuild --yes', `import pr-12 ${id}`]) {
    const { code, err } = await run(`${command} ${of('12')}`);
    expect([command, code, err]).toEqual([command, 1, expect.stringContaining(says)]);
  }
  expect(requests().filter(({ method }) => method === 'POST')).toEqual([]);
});

describe('the command line', () => {
  test.each([
    ['plan -f preview.yaml --var tag=1', 'preview.yaml has preview:, and this command is about one preview'],
    ['state list -f preview.yaml', 'Give --preview ID'],
    ['plan -f preview.yaml --preview=-1', '--preview must be 1 to 20 of a-z, 0-9 and -'],
    ['plan -f staging.yaml --preview 1', '--preview: staging.yaml has no preview:'],
    ['validate -f staging.yaml --preview 1', 'Name the file of the previews: -f preview.yaml.'],
    ['state list -f staging.yaml --preview 1', '--preview: staging.yaml has no preview:'],
  ])('%s is refused', async (args, message) => {
    const { run, requests } = await shop();
    const { code, err } = await run(args);
    expect(code).toBe(1);
    expect(err).toContain(message);
    expect(requests()).toEqual([]);
  });

  test('checks, draws and formats a file of previews without an id', async () => {
    const { run } = await shop();
    for (const command of ['validate', 'graph']) {
      const { code, err } = await run(`${command} -f preview.yaml --var tag=1`);
      expect([code, err]).toEqual([0, '']);
    }
    expect((await run('fmt --check -f preview.yaml')).err).not.toContain('preview');
    expect(documentOf(await run('graph -f preview.yaml --var tag=1 --format json'))).toMatchObject({
      format: 'trueup/graph',
    });
  });
});

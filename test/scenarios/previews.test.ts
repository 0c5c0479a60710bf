import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { prunable } from '../../src/project/previews.ts';
import { documentOf, project, trueup } from '../cli/process.ts';
import { countedIds } from '../support/unreliable.ts';

/** A root file with `preview:` on the command line. */

const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

const shared = `project: prj_1
variables: { suffix: {}, tag: {} }
application:
  api: { source: { type: docker, image: "nginx:\${var:tag}" }, domains: { main: { host: "api\${var:suffix}", port: 80 } } }
redis: { cache: { dockerImage: redis:8, databasePassword: correct-horse-4711, protect: true } }
`;

/** A platform with previews and a stage of one shop. */
async function shop(preview = '{}') {
  // Of ids of chance, one in 64 begins with a hyphen, and would go behind --.
  const emulator = createEmulator({ apiKey: 'key-of-previews-4711', profile: 'standard', newId: countedIds() });
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
  return { folder, run, requests };
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
  const toDestroy = await run('plan --destroy -f preview.yaml --preview 12');
  expect([toDestroy.code, toDestroy.out]).toEqual([0, expect.stringContaining('- pr-12.redis.cache')]);
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
  const without = await run(`apply --auto-approve ${of('12')}`);
  expect([without.code, without.err]).toEqual([1, expect.stringContaining(says)]);
  expect(without.err).not.toContain('--adopt');
  const [, id = ''] = /pr-12 exists on the platform \(([^)]+)\)/.exec(applied.err) ?? [];
  for (const command of ['state rebuild --yes', `import pr-12 ${id}`]) {
    const { code, err } = await run(`${command} ${of('12')}`);
    expect([command, code, err]).toEqual([command, 1, expect.stringContaining(says)]);
  }
  expect(requests().filter(({ method }) => method === 'POST')).toEqual([]);
});

test('one more than most: is refused with the list, until one is destroyed', async () => {
  const { run, requests } = await shop('{ most: 2 }');
  for (const id of ['1', '2']) expect((await run(`apply ${of(id)} --auto-approve`)).code).toBe(0);
  requests();
  const third = await run(`apply ${of('3')} --auto-approve`);
  expect([third.code, third.err]).toEqual([
    1,
    expect.stringContaining('preview.yaml allows 2 previews at a time, and there are 2: 1, 2; 3 was not applied'),
  ]);
  expect(requests().filter(({ method }) => method === 'POST')).toEqual([]);
  expect((await run(`apply ${of('2')} --auto-approve`)).code).toBe(0);
  expect((await run('destroy -f preview.yaml --preview 1 --auto-approve')).code).toBe(0);
  expect((await run(`apply ${of('3')} --auto-approve`)).code).toBe(0);
});

test('prune removes what is closed, goes on after a failure, and leaves strangers', async () => {
  const { run, requests, folder } = await shop('{ for: 3d }');
  expect((await run('apply -f staging.yaml --auto-approve')).code).toBe(0);
  for (const id of ['1', '2', '3']) expect((await run(`apply ${of(id)} --auto-approve`)).code).toBe(0);
  const created = await run('call environment.create projectId=prj_1 name=pr-77 --yes -f staging.yaml');
  expect(created.code, created.err).toBe(0);
  const isThere = async () =>
    (
      documentOf(await run('preview list -f preview.yaml --format json')) as { previews: { id: string }[] }
    ).previews.map(({ id }) => id);
  requests();
  for (const open of ['--open=', '--open 1,2,', '--open 1;2', '--open 1,2 --closed 3,2']) {
    const { code, err } = await run(`preview prune -f preview.yaml --auto-approve ${open}`);
    expect([code, err]).toEqual([1, expect.stringContaining('nothing was removed')]);
  }
  const state = join(folder, '.trueup/preview.yaml/1/state.json');
  const text = readFileSync(state, 'utf8');
  writeFileSync(state, text.slice(0, -9));
  const pruned = await run('preview prune -f preview.yaml --open 3 --auto-approve');
  expect([pruned.code, pruned.out]).toEqual([1, expect.stringMatching(/removed 2: closed\ncould not remove 1\n/)]);
  expect(pruned.out).toMatch(/^pr-77 \(\S+\) is not on this list/m);
  expect((await isThere()).toSorted()).toEqual(['1', '3']);
  writeFileSync(state, text);
  const again = await run('preview prune -f preview.yaml --open 3 --auto-approve --format json');
  expect(again.code, again.err).toBe(0);
  expect(documentOf(again)).toMatchObject({
    previews: [{ id: '3', environment: 'pr-3' }],
    strays: [{ name: 'pr-77' }],
    removed: [{ id: '1', because: 'closed' }],
    failed: [],
  });
  requests();
  expect((await run('preview prune -f preview.yaml --auto-approve')).code).toBe(0);
  expect(await isThere()).toEqual(['3']);
  expect((await run(`apply ${of('4')} --auto-approve`)).code).toBe(0);
  const closed = await run('preview prune -f preview.yaml --closed 4 --auto-approve');
  expect([closed.out, await isThere()]).toEqual([expect.stringContaining('removed 4: closed'), ['3']]);
  const none = await run('preview prune -f preview.yaml --open none --auto-approve');
  expect(none.out).toContain('removed 3: closed');
  for (const [args, message] of [
    ['preview list -f staging.yaml', 'staging.yaml has no preview:'],
    ['preview prune -f preview.yaml --preview 3', '--preview names one preview'],
  ] as const)
    expect((await run(args)).err).toContain(message);
  expect((await run('plan -f staging.yaml --detailed-exitcode')).code).toBe(0);
});

test('what happened to the objects is shown, also where the list of previews cannot be written', async () => {
  const { run, folder } = await shop();
  expect((await run(`apply ${of('12')} --auto-approve`)).code).toBe(0);
  const list = join(folder, '.trueup/preview.yaml/documents/previews.json');
  const text = readFileSync(list, 'utf8');
  writeFileSync(list, '{}');
  const destroyed = await run('destroy -f preview.yaml --preview 12 --auto-approve');
  expect(destroyed).toMatchObject({
    code: 7,
    out: expect.stringContaining('Applied: 4 deleted.'),
    err: expect.stringContaining('is no list of previews'),
  });
  writeFileSync(list, text);
  expect((await run('destroy -f preview.yaml --preview 12 --auto-approve')).code).toBe(0);
  const left = documentOf(await run('preview list -f preview.yaml --format json'));
  expect(left).toMatchObject({ previews: [], strays: [] });
});

test('is over when it was applied last longer ago than for:', () => {
  const present = ['2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z'].map((applied, id) => ({
    id: `${id}`,
    applied,
  }));
  const day = 86_400_000;
  const now = Date.parse('2026-01-04T00:00:00Z');
  const ids = (forMs: number | undefined, open?: ReadonlySet<string>) =>
    prunable(present, { forMs }, { open, now }).map(({ id }) => id);
  expect(ids(3 * day)).toEqual(['0']);
  expect(ids(3 * day + 1)).toEqual([]);
  expect(ids(undefined)).toEqual([]);
  expect(ids(3 * day, new Set(['0']))).toEqual(['0', '1']);
  expect(ids(undefined, new Set())).toEqual(['0', '1']);
});

describe('the command line', () => {
  test.each([
    ['plan -f preview.yaml --var tag=1', 'preview.yaml has preview:, and this command is about one preview'],
    ['state list -f preview.yaml', 'Give --preview ID'],
    ['plan -f preview.yaml --preview=-1', '--preview must be 1 to 20 of a-z, 0-9 and -'],
    ['apply -f preview.yaml --preview=key', 'and none of documents, key, lease, got "key"'],
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

  test('says how to delete what is left, where preview: is gone', async () => {
    const { run, folder } = await shop();
    expect((await run(`apply ${of('1')} --auto-approve`)).code).toBe(0);
    const root = join(folder, 'preview.yaml');
    const text = readFileSync(root, 'utf8');
    writeFileSync(root, text.replace('preview: {}\n', ''));
    const destroy = 'destroy -f preview.yaml --preview 1';
    const { code, err } = await run(`${destroy} --auto-approve`);
    const remedy = `If preview 1 is left from before, write preview: {} into preview.yaml again, and run trueup ${destroy}.`;
    expect([code, err.replaceAll(/\s+/g, ' ')]).toEqual([1, expect.stringContaining(remedy)]);
    writeFileSync(root, text);
    expect((await run(`${destroy} --auto-approve`)).code).toBe(0);
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

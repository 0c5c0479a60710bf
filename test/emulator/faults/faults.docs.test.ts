import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readFaultsFile } from '../../../src/cli/faults-file.ts';
import type { WireAnswer } from '../../../src/api/wire.ts';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { createFaults } from '../../../src/emulator/faults/faults.ts';
import { keysIn } from '../../../src/emulator/faults/fault-plan.ts';
import { finish, project, start } from '../../cli/process.ts';
import { applyOnce, calmPlatform, leftOver, whole } from '../../support/unreliable.ts';

/** docs/faults.md: every example in it is run here, and does what stands beside it. */

const page = readFileSync(new URL('../../../docs/faults.md', import.meta.url), 'utf8');

/** The blocks of code of each chapter, by its title. */
const chapters = new Map(
  page
    .split(/^## /m)
    .slice(1)
    .map((text) => {
      const [title = ''] = text.split('\n');
      const blocks = [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)];
      return [title, blocks.map(([, language = '', code = '']) => ({ language, code }))] as const;
    }),
);

/** The file of faults of a chapter, as the command line reads it. */
async function faultsOf(title: string) {
  const code = chapters.get(title)?.find(({ code: text }) => /^faults:/m.test(text))?.code;
  if (code === undefined) throw new Error(`no faults in ${title}`);
  return readFaultsFile(project({ 'faults.yaml': code }), 'faults.yaml');
}

/** An emulator with the faults of a chapter; what comes of requests is a status, or the code of what was thrown. */
async function platform(title: string) {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  const emulator = createEmulator({ batches: true });
  const { send } = createFaults(emulator, await faultsOf(title));
  const headers = { 'x-api-key': 'emulator-key', 'content-type': 'application/json' };
  const get = (operation: string, query = '') =>
    send({ method: 'GET', path: `/api/${operation}?${query}`, headers, body: undefined });
  const post = (operation: string, input: object) =>
    send({ method: 'POST', path: `/api/${operation}`, headers, body: JSON.stringify(input) });
  return {
    emulator,
    get,
    post,
    list: async () => {
      const { body } = await get('environment.byProjectId', 'projectId=prj_1');
      return (JSON.parse(body) as { name: string }[]).map(({ name }) => name);
    },
    make: (name: string) => fate(post('environment.create', { name, projectId: 'prj_1' })),
    has: (name: string) => Object.values(emulator.world.tables.environment).some((row) => row.name === name),
  };
}

afterEach(() => void vi.useRealTimers());

function fate(work: Promise<WireAnswer>): Promise<unknown> {
  return work.then(
    ({ status, headers }) => (headers['content-type'] === 'text/html' ? `page ${status}` : status),
    (error: unknown) => (error as { code?: unknown }).code,
  );
}

/** How many seconds something takes. */
async function seconds(work: Promise<unknown>): Promise<number> {
  const begin = Date.now();
  const done = work.then(() => Date.now());
  await vi.advanceTimersByTimeAsync(10_000);
  return ((await done) - begin) / 1_000;
}

/** What each chapter says, by its title. */
const claims: Readonly<Record<string, (title: string) => Promise<void>>> = {
  'The file': async (title) => {
    expect(await faultsOf(title)).toEqual({
      seed: 7,
      faults: [{ on: ['postgres.create'], at: [2], before: { drop: true } }],
    });
  },
  'A request that takes long': async (title) => {
    const { get, make } = await platform(title);
    expect(await seconds(get('user.get'))).toBe(2);
    expect(await seconds(make('a'))).toBe(2);
  },
  'A connection that ends': async (title) => {
    const { make, has } = await platform(title);
    expect([await make('a'), await make('b')]).toEqual(['ECONNRESET', 'ECONNRESET']);
    expect([has('a'), has('b')]).toEqual([false, true]);
  },
  'An error instead of the work': async (title) => {
    const { make, has } = await platform(title);
    const names = ['a', 'b', 'c', 'd'];
    const fates = [];
    for (const name of names) fates.push(await make(name));
    expect(fates).toEqual([503, 429, 401, 'page 502']);
    expect(names.some(has)).toBe(false);
  },
  'An error after the work': async (title) => {
    const { make, has } = await platform(title);
    const names = ['a', 'b', 'c', 'd'];
    const fates = [];
    for (const name of names) fates.push(await make(name));
    expect(fates).toEqual([500, 400, 'page 502', 'page 200']);
    expect(names.every(has)).toBe(true);
  },
  'An answer that arrives in pieces': async (title) => {
    const { get } = await platform(title);
    const { body } = await get('user.get');
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
    expect([await fate(get('user.get')), await fate(get('user.get'))]).toEqual(['UND_ERR_SOCKET', 'ECONNRESET']);
    expect(await seconds(get('user.get'))).toBe(3);
  },
  'Many reads in one request': async (title) => {
    const { get } = await platform(title);
    const batch = async (): Promise<readonly [status: number, items: string[]]> => {
      const { status, body } = await get('trpc/user.get,organization.all', 'batch=1');
      if (status === 414) return [status, []];
      return [
        status,
        (JSON.parse(body) as object[]).map((item) => /role|slug|Failed query/.exec(JSON.stringify(item))?.[0] ?? ''),
      ];
    };
    expect(await batch()).toEqual([200, ['role']]);
    expect(await batch()).toEqual([200, ['role', 'slug', 'role']]);
    expect(await batch()).toEqual([200, ['slug', 'role']]);
    expect(await batch()).toEqual([207, ['Failed query', 'slug']]);
    expect(await batch()).toEqual([414, []]);
  },
  'A request that is executed later': async (title) => {
    const { make, has } = await platform(title);
    expect(await make('a')).toBe('ECONNRESET');
    await vi.advanceTimersByTimeAsync(59_999);
    expect(has('a')).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(has('a')).toBe(true);
  },
  'A change that shows later': async (title) => {
    const { make, has, list } = await platform(title);
    expect(await make('a')).toBe(200);
    expect([has('a'), (await list()).includes('a')]).toEqual([true, false]);
    await vi.advanceTimersByTimeAsync(5_000);
    expect(await list()).toContain('a');
  },
  'A list that lacks rows': async (title) => {
    const { make, list } = await platform(title);
    await make('staging');
    expect(await list()).toEqual([]);
    expect(await list()).toEqual(['production']);
    expect(await list()).toContain('staging');
  },
  'Another user': async (title) => {
    const { emulator, post, make, has } = await platform(title);
    const made = await emulator.act('environment.create', { name: 'b', projectId: 'prj_1' });
    const { environmentId } = made as { environmentId: string };
    await post('environment.update', { environmentId, name: 'c' });
    expect(emulator.world.tables.environment[environmentId]).toMatchObject({ name: 'c', description: 'theirs' });
    expect([await make('a'), has('a')]).toEqual([200, false]);
  },
  'All of it': async (title) => {
    const faults = await faultsOf(title);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'] });
    const made = calmPlatform();
    const { failed } = await applyOnce(made, whole, createFaults(made.emulator, faults).send, () => 0.5);
    expect([failed, await leftOver(made, whole)]).toEqual([[], []]);
    expect(made.emulator.log.filter(({ fault }) => fault !== undefined).length).toBeGreaterThan(20);
  },
};

describe('the page of faults', () => {
  test.each(Object.keys(claims))('%s', async (title) => {
    await expect(claims[title]?.(title)).resolves.toBeUndefined();
  });

  test('has a claim for each example, and names every key of the file', () => {
    const examples = [...chapters].flatMap(([title, blocks]) => (blocks.length > 0 ? [title] : []));
    expect(examples.toSorted()).toEqual([...Object.keys(claims), 'Try what Trueup does'].toSorted());
    const keys = Object.values(keysIn).flat();
    expect(keys.filter((key) => !new RegExp(`\\b${key}:|\`${key}\``).test(page))).toEqual([]);
  });

  test('its example session has the documented results', async () => {
    const [faults, manifest, commands] = chapters.get('Try what Trueup does') ?? [];
    const folder = project({ 'faults.yaml': faults?.code ?? '' });
    const emulator = start(['emulate', '--port', '0', '--faults', 'faults.yaml'], { cwd: folder });
    const ended = finish(emulator);
    const line = await new Promise<string>((resolve) => emulator.stdout.once('data', (text: string) => resolve(text)));
    const url = /TRUEUP_URL=(\S+)/.exec(line)?.[1] ?? '';
    writeFileSync(join(folder, 'trueup.yaml'), (manifest?.code ?? '').replace('http://127.0.0.1:4050', url));
    const [serving, key, ...rest] = (commands?.code ?? '').trim().split('\n');
    expect([serving, key]).toEqual(['trueup emulate --faults faults.yaml &', 'export TRUEUP_API_KEY=emulator-key']);
    const env = { TRUEUP_API_KEY: 'emulator-key' };
    const runs = [];
    for (const command of rest) runs.push(await finish(start(command.split(' ').slice(1), { cwd: folder, env })));
    emulator.kill('SIGTERM');
    expect(runs.map(({ code, err }) => [code, code === 0 ? '' : err])).toEqual([
      [0, ''],
      [0, ''],
      [0, ''],
    ]);
    expect(runs[0]?.out).toContain('3 created');
    expect(runs[1]?.out).toContain('No changes.');
    expect(JSON.parse(runs[2]?.out ?? '')).toMatchObject({ total: 1 });
    expect((await ended).err).toContain('postgres.create: after: drop\n');
  });
});

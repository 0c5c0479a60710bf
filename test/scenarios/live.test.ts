import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { hashOfKey } from '../../src/emulator/keys.ts';
import type { World } from '../../src/emulator/world.ts';
import { addRow } from '../../src/emulator/world.ts';
import { program } from '../cli/process.ts';
import { bundled } from '../support/bundled.ts';
import { worldWithMember } from '../support/kind-world.ts';
import { isAll } from '../support/whole.ts';
import type { Report } from '../live/report.ts';

/** Runs `npm run test:live` against the emulator as a process of its own. */

const root = resolve(import.meta.dirname, '../..');
const [main] = bundled(['test/live/main.ts']);
const place = mkdtempSync(join(tmpdir(), 'trueup-live-test-'));
const running: ReturnType<typeof spawn>[] = [];

afterAll(() => {
  for (const child of running) child.kill();
});

/** A platform with its world in a file, which is written when it ends. */
async function platform(name: string, { world, words = [] }: { world?: World; words?: readonly string[] } = {}) {
  const file = join(place, `${name}.json`);
  if (world !== undefined) writeFileSync(file, JSON.stringify(world));
  const start = async () => {
    const args = [program(), 'emulate', '--port', '0', '--data', file, '--profile', 'dokploy', ...words];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    running.push(child);
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const url = /http:\S+/.exec(chunk.toString())?.[0] ?? '';
    return { child, url };
  };
  const { child, url } = await start();
  return {
    url,
    /** Ends it, and gives its tables without what no run can leave untouched. */
    end: async (): Promise<Record<string, unknown>> => {
      child.kill('SIGTERM');
      await once(child, 'exit');
      const { tables } = JSON.parse(readFileSync(file, 'utf8')) as World;
      const { apiKey: _counters, ...rest } = tables;
      return rest;
    },
  };
}

interface Run {
  readonly code: number | null;
  readonly out: string;
}

/** Starts the live tests; the pieces of its output as they come. */
function live(url: string, settings: Record<string, string> = {}) {
  const child = spawn(process.execPath, [main], {
    cwd: root,
    env: { PATH: process.env['PATH'], HOME: place, TRUEUP_LIVE_URL: url, TRUEUP_LIVE_KEY: 'emulator-key', ...settings },
  });
  let out = '';
  const listeners: ((text: string) => void)[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text;
      for (const listener of listeners) listener(out);
    });
  const ended = new Promise<Run>((done) => child.on('close', (code) => done({ code, out })));
  return {
    child,
    ended,
    /** Until the output holds a text. */
    says: (text: string) =>
      new Promise<void>((done) => {
        const look = (all: string) => {
          if (all.includes(text)) done();
        };
        listeners.push(look);
        look(out);
      }),
  };
}

/** A few checks of each sort, so that a run takes seconds. */
const few = { TRUEUP_LIVE_ONLY: 'kind compose,kind domain below compose,kind sshKey,renamed,export' };

const titles = ({ checks }: Report, result: string) =>
  checks.filter((one) => one.result === result).map((one) => one.title);

function reportFile(name: string): { readonly settings: Record<string, string>; readonly read: () => Report } {
  const path = join(place, `${name}-report.json`);
  return {
    settings: { TRUEUP_LIVE_REPORT: path },
    read: () => JSON.parse(readFileSync(path, 'utf8')) as Report,
  };
}

/** What differs by who runs them: everyone in the tier `all`, the owner and the runs that break off in each. */
const inAll = isAll ? test : test.skip;

describe('the live tests', () => {
  test('of an owner pass, and leave the platform as it was', async () => {
    const served = await platform('owner');
    const untouched = await (await platform('owner-before')).end();
    const file = reportFile('owner');
    const { code, out } = await live(served.url, { ...few, ...file.settings }).ended;
    expect(code, out).toBe(0);
    const report = file.read();
    expect(titles(report, 'failed')).toEqual([]);
    expect(titles(report, 'passed').length).toBeGreaterThan(4);
    expect(report).toMatchObject({ platform: 'v0.30.2', role: 'owner', differences: [], heldBack: [], left: [] });
    expect(out).not.toContain('emulator-key');
    expect(JSON.stringify(report)).not.toMatch(/emulator-key|127\.0\.0\.1/);
    const after = await served.end();
    expect(Object.keys(after['project'] as object)).toEqual(Object.keys(untouched['project'] as object));
    expect(Object.keys(after['compose'] as object)).toEqual([]);
    expect(Object.keys(after['sshKey'] as object)).toEqual(Object.keys(untouched['sshKey'] as object));
  });

  inAll('of an admin pass beside objects that have texts of the examples under names of ids', async () => {
    const world = worldWithMember();
    addRow(world, 'gitProvider', { gitProviderId: 'gp_9', name: 'theirs', organizationId: 'org_1', userId: 'user_1' });
    // Not the ids of objects, and what the examples of these kinds send.
    const lab = { gitlabId: 'lab_9', gitProviderId: 'gp_9', applicationId: 'trueup', groupName: 'shop' };
    addRow(world, 'gitlab', { ...lab, gitlabUrl: 'https://lab.example.com', accessToken: 'a', refreshToken: 'r' });
    const channel = { channelId: 'tel_9', channel: { botToken: 'b', chatId: '-100123', messageThreadId: null } };
    const theirs = { notificationId: 'not_9', name: 'theirs', notificationType: 'telegram', organizationId: 'org_1' };
    addRow(world, 'notification', { ...theirs, ...channel });
    Object.assign(world.tables.member['member_1'] ?? {}, { role: 'admin' });
    const served = await platform('admin', { world });
    const file = reportFile('admin');
    const only = { TRUEUP_LIVE_ONLY: 'kind compose,kind gitlab,kind notification,kind ai' };
    const { code, out } = await live(served.url, { ...only, ...file.settings }).ended;
    expect(code, out).toBe(0);
    expect(file.read()).toMatchObject({ role: 'admin', differences: [], heldBack: [], left: [] });
    expect(titles(file.read(), 'failed')).toEqual([]);
    expect(titles(file.read(), 'passed')).toEqual(expect.arrayContaining([expect.stringContaining('notification')]));
    await served.end();
  });

  inAll('of a platform without operations beyond the document need a project, and pass in it', async () => {
    const served = await platform('documented', { words: ['--documented-only'] });
    const without = await live(served.url, few).ended;
    expect(without.code).toBe(4);
    expect(without.out).toContain('TRUEUP_LIVE_PROJECT');
    const file = reportFile('documented');
    const { code, out } = await live(served.url, { ...few, ...file.settings, TRUEUP_LIVE_PROJECT: 'prj_1' }).ended;
    expect(code, out).toBe(0);
    expect(titles(file.read(), 'passed').length).toBeGreaterThan(3);
    const after = await served.end();
    expect(Object.keys(after['environment'] as object)).toHaveLength(2);
  });

  inAll('of a restricted member skip what it may not do, and touch nothing of others', async () => {
    const world = worldWithMember();
    addRow(world, 'apiKey', {
      id: 'key_member',
      name: 'member',
      referenceId: 'user_9',
      key: hashOfKey('member-key'),
      rateLimitEnabled: false,
      metadata: JSON.stringify({ organizationId: 'org_1' }),
    });
    Object.assign(world.tables.member['member_9'] ?? {}, { canCreateProjects: true, canDeleteProjects: true });
    const served = await platform('member', { world });
    const file = reportFile('member');
    const { code, out } = await live(served.url, { ...few, ...file.settings, TRUEUP_LIVE_KEY: 'member-key' }).ended;
    expect(code, out).toBe(0);
    expect(titles(file.read(), 'failed')).toEqual([]);
    expect(titles(file.read(), 'skipped')).not.toEqual([]);
    const after = await served.end();
    expect(Object.keys(after['project'] as object)).toEqual(['prj_1', 'prj_2']);
  });

  test('of a key with a rate limit end before the first write, with the remedy', async () => {
    const world = worldWithMember();
    addRow(world, 'apiKey', {
      id: 'key_limited',
      name: 'limited',
      referenceId: 'user_1',
      key: hashOfKey('limited-key'),
      metadata: JSON.stringify({ organizationId: 'org_1' }),
      rateLimitEnabled: true,
      rateLimitMax: 10,
      rateLimitTimeWindow: 86_400_000,
    });
    const served = await platform('limited', { world });
    const { code, out } = await live(served.url, { ...few, TRUEUP_LIVE_KEY: 'limited-key' }).ended;
    expect(code).not.toBe(0);
    expect(out).toMatch(/rate limit/i);
    expect(out).toContain('Nothing was changed');
    const after = await served.end();
    expect(Object.keys(after['project'] as object)).toEqual(['prj_1', 'prj_2']);
  });

  test('that were killed are cleaned up by the next run, and those that got Ctrl-C by themselves', async () => {
    const served = await platform('killed');
    const killed = live(served.url, few);
    await killed.says('ok   kind compose');
    killed.child.kill('SIGKILL');
    await killed.ended;
    const again = live(served.url, few);
    await again.says('removed what an earlier run left: project trueup-live-');
    await again.says('ok   kind compose');
    again.child.kill('SIGINT');
    const interrupted = await again.ended;
    expect(interrupted.code).toBe(130);
    expect(interrupted.out).toContain('Everything that was there before is as it was.');
    const after = await served.end();
    expect(Object.keys(after['project'] as object)).toEqual(['prj_1', 'prj_2']);
    expect(Object.keys(after['compose'] as object)).toEqual([]);
    expect(Object.keys(after['sshKey'] as object)).toEqual(['key_1', 'key_2']);
  });
});

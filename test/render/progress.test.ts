import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLive } from '../../src/cli/live.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { EventDocument, PlanDocument, ResultDocument } from '../../src/render/document-schemas.ts';
import { eventDocument } from '../../src/render/document-schemas.ts';
import type { Reporter } from '../../src/render/progress.ts';
import { createProgress } from '../../src/render/progress.ts';
import { eventDocuments, eventLines, eventTree } from '../../src/render/progress-reporters.ts';
import { plainStyle } from '../../src/render/style.ts';
import type { Happened, Planned } from '../support/progress.ts';
import { eventOf, planOf } from '../support/progress.ts';
import { printed } from '../../src/render/printable.ts';
import { documentOf } from '../support/documents.ts';
import type { Screen } from '../support/screen.ts';
import { createScreen } from '../support/screen.ts';
import { documentsOf, project, trueup } from '../cli/process.ts';

const shop = 'production.compose.shop';
const planned: readonly Planned[] = [
  { address: 'production', action: 'no-op' },
  { address: shop, action: 'create', parent: 'production' },
  { address: `${shop}.domains.www`, action: 'create', parent: shop, kind: 'domain' },
  { address: `${shop} (deploy)`, action: 'deploy', parent: shop },
];

/** An apply that is reported, in a time that passes when the test says so. */
function reporting(reporter: Reporter, plan = planOf(planned)) {
  const begin = Date.UTC(2025, 10, 21, 10);
  const counts = { reads: 0, writes: 0 };
  const timers: { readonly milliseconds: number; readonly work: () => void }[] = [];
  let now = begin;
  const progress = createProgress({
    plan: documentOf(plan),
    counts,
    reporter,
    clock: () => now,
    every: (milliseconds, work) => {
      const timer = { milliseconds, work };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  });
  const pass = (second: number): void => {
    while (now < begin + second * 1_000) {
      now += 100;
      for (const { milliseconds, work } of timers) if ((now - begin) % milliseconds === 0) work();
    }
  };
  return {
    counts,
    timers,
    /** Lets the time pass until a second. */
    pass,
    /** Lets a tenth of a second pass. */
    wait: () => pass((now - begin) / 1_000 + 0.1),
    happen: (...events: readonly Happened[]): void => {
      for (const event of events) {
        pass(event[0]);
        progress.onEvent(eventOf(event));
      }
    },
    end: progress.end,
  };
}

function inPipe() {
  let text = '';
  const run = reporting(eventLines((more) => (text += more), plainStyle));
  /** What was written since the last look, a tenth of a second later. */
  const told = (): string => {
    run.wait();
    const all = text;
    text = '';
    return all;
  };
  return { ...run, told };
}

describe('in a pipe', () => {
  it('everything that happens is a line', () => {
    const { happen, told } = inPipe();
    happen(
      [0, shop, 'create', 'started'],
      [1.2, shop, 'create', 'done'],
      [2, `${shop} (deploy)`, 'deploy', 'started'],
      [2.2, `${shop} (deploy)`, 'deploy', 'waiting for earlier'],
      [2.5, `${shop} (deploy)`, 'deploy', 'waiting for queue'],
      [5, `${shop} (deploy)`, 'deploy', 'waiting for deployment'],
      [9, `${shop} (deploy)`, 'deploy', 'failed'],
      [9, `${shop}.domains.www`, 'create', 'skipped'],
    );
    expect(told()).toBe(`${shop}: creating…
${shop}: created in 1.2s
${shop}: deploying…
${shop}: deploying, waiting for the end of an earlier deployment (time limit 14m 0s)
${shop}: deploying, in the queue of the platform
${shop}: deploying, the deployment runs (time limit 15m 0s)
${shop}: deploying failed after 7.0s: the host is taken
${shop}.domains.www: skipped
`);
  });

  it('lines of a tenth of a second are written together, and the last ones at the end', () => {
    const written: string[] = [];
    const { happen, pass, end } = reporting(eventLines((more) => void written.push(more), plainStyle));
    happen([0, shop, 'create', 'started'], [0, `${shop}.domains.www`, 'create', 'started']);
    expect(written).toEqual([]);
    pass(0.1);
    expect(written).toEqual([`${shop}: creating…\n${shop}.domains.www: creating…\n`]);
    pass(0.3);
    happen([0.3, shop, 'create', 'done']);
    expect(written).toHaveLength(1);
    end();
    expect(written).toHaveLength(2);
    expect(written[1]).toBe(`${shop}: created in 0.3s\n`);
  });

  it('a line names the running actions after each 30 seconds of silence', () => {
    const { happen, pass, told, counts } = inPipe();
    happen(
      [0, shop, 'create', 'started'],
      [29, `${shop} (deploy)`, 'deploy', 'started'],
      [29, `${shop} (deploy)`, 'deploy', 'waiting for queue'],
    );
    told();
    pass(58.8);
    expect(told()).toBe('');
    Object.assign(counts, { reads: 14, writes: 6 });
    pass(59);
    expect(told()).toBe(
      `still going after 59s: creating ${shop} (for 59s), deploying ${shop} (in the queue for 30s); 14 reads, 6 writes\n`,
    );
    happen([60, shop, 'create', 'done'], [61, `${shop} (deploy)`, 'deploy', 'waiting for answer']);
    told();
    pass(91);
    expect(told()).toBe(
      `still going after 1m 31s: deploying ${shop} (pulling and starting for 30s); 14 reads, 6 writes\n`,
    );
    pass(120.8);
    expect(told()).toBe('');
    pass(121);
    expect(told()).toContain('still going after 2m 1s: ');
  });

  it('the heartbeat is printed also without a known action, and names three of many', () => {
    let text = '';
    const keys = ['a', 'b', 'c', 'd', 'e'].map((key): Planned => ({ address: `sshKey.${key}`, action: 'create' }));
    const run = reporting(
      eventLines((more) => (text = more), plainStyle),
      planOf(keys),
    );
    run.pass(30);
    expect(text).toBe('still going after 30s; 0 reads, 0 writes\n');
    for (const [at, { address }] of keys.entries()) run.happen([31 + at, address, 'create', 'started']);
    run.pass(65);
    expect(text).toBe(
      'still going after 65s: creating sshKey.a (for 34s), creating sshKey.b (for 33s), creating sshKey.c (for 32s) and 2 more; 0 reads, 0 writes\n',
    );
  });

  it('nothing is printed after the end, and no timer is left', () => {
    const { happen, pass, told, timers, end } = inPipe();
    happen([0, shop, 'create', 'started']);
    told();
    expect(timers).toHaveLength(1);
    end();
    expect(timers).toEqual([]);
    pass(100);
    expect(told()).toBe('');
  });
});

describe('as JSON', () => {
  it('every event is a document, and so is the heartbeat after 30 seconds of silence', () => {
    const documents: EventDocument[] = [];
    const run = reporting(eventDocuments((document) => void documents.push(eventDocument.parse(document))));
    run.happen([0, `${shop}.domains.www`, 'create', 'started']);
    Object.assign(run.counts, { reads: 3, writes: 1 });
    run.happen([1, `${shop} (deploy)`, 'deploy', 'started'], [1.5, `${shop} (deploy)`, 'deploy', 'waiting for queue']);
    run.pass(31.5);
    run.pass(32);
    run.happen([35, `${shop} (deploy)`, 'deploy', 'done'], [35, shop, 'create', 'failed']);
    run.end();
    const head = { format: 'trueup/event', version: 1 };
    const requests = { reads: 3, writes: 1 };
    const about = { address: shop, action: 'deploy', kind: 'compose' };
    const domain = { address: `${shop}.domains.www`, action: 'create' };
    expect(documents).toEqual([
      {
        ...head,
        time: '2025-11-21T10:00:00.000Z',
        event: 'started',
        ...domain,
        kind: 'domain',
        requests: { reads: 0, writes: 0 },
      },
      { ...head, time: '2025-11-21T10:00:01.000Z', event: 'started', ...about, requests },
      {
        ...head,
        time: '2025-11-21T10:00:01.500Z',
        event: 'waiting',
        ...about,
        for: 'queue',
        seconds: 0.5,
        requests,
      },
      {
        ...head,
        time: '2025-11-21T10:00:32.000Z',
        event: 'heartbeat',
        running: [
          { ...domain, seconds: 32 },
          { address: shop, action: 'deploy', for: 'queue', seconds: 31 },
        ],
        requests,
      },
      { ...head, time: '2025-11-21T10:00:35.000Z', event: 'done', ...about, seconds: 34, requests },
      {
        ...head,
        time: '2025-11-21T10:00:35.000Z',
        event: 'failed',
        address: shop,
        action: 'create',
        kind: 'compose',
        requests,
      },
    ]);
  });
});

/** An apply that is reported on a terminal. */
function onTerminal(columns: number, rows: number, plan = planOf(planned)) {
  const screen: Screen = createScreen(columns, rows);
  let writes = 0;
  const write = (text: string): void => {
    writes++;
    screen.write(text);
  };
  const live = createLive({ write, size: screen.size });
  screen.write('what was there before\n');
  const run = reporting(eventTree(live, { ...plainStyle, width: columns }), plan);
  return { ...run, screen, live, writes: () => writes, say: (text: string) => live.above(printed(text), write) };
}

const many = Array.from({ length: 60 }, (_none, at) => `sshKey.key-${at}-of-somebody`);
const manyPlanned = planOf(many.map((address) => ({ address, action: 'create' })));

describe('on a terminal', () => {
  it('U10: open actions are drawn in place, and a line for each finished one stays above them', async () => {
    const { happen, pass, end, screen, timers, writes, say } = onTerminal(80, 24);
    expect(await screen.seen()).toHaveLength(6);
    happen([0.1, shop, 'create', 'started']);
    pass(2);
    const waits = `waits for ${shop}`;
    expect(await screen.seen()).toEqual([
      'what was there before',
      '2s: 0 of 3 done; 0 reads, 0 writes',
      'production',
      '  + compose.shop   creating 1s',
      `    + domains.www  ${waits}`,
      `    ^ deploy       ${waits}`,
    ]);
    happen([2, shop, 'create', 'done'], [2.1, `${shop}.domains.www`, 'create', 'failed']);
    pass(3);
    const before = writes();
    pass(3.9);
    expect(writes(), 'nothing is written while nothing is different').toBe(before);
    const over = [
      'what was there before',
      `${shop}: created in 1.9s`,
      `${shop}.domains.www: creating failed: the host is taken`,
    ];
    const head = '3s: 1 of 3 done, 1 failed; 0 reads, 0 writes';
    expect(await screen.seen()).toEqual([...over, head, 'production', '  compose.shop', '    ^ deploy       waiting']);
    happen([3.9, `${shop} (deploy)`, 'deploy', 'skipped']);
    end();
    const last = [...over, `${shop}: skipped`, '3s: 1 of 3 done, 1 failed, 1 skipped; 0 reads, 0 writes'];
    expect(await screen.seen()).toEqual(last);
    expect(timers).toEqual([]);
    const done = writes();
    say('what comes next');
    expect(await screen.all()).toEqual([...last, 'what comes next']);
    expect(writes() - done, 'the tree is not drawn again').toBe(1);
  });

  it('text appears above the tree, also without an end of line', async () => {
    const { say, pass, screen, happen } = onTerminal(80, 24);
    happen([0.1, shop, 'create', 'started']);
    say('stopping after the requests in flight\n');
    say('and more');
    pass(1);
    expect(await screen.seen()).toEqual([
      'what was there before',
      'stopping after the requests in flight',
      'and more',
      '1s: 0 of 3 done; 0 reads, 0 writes',
      'production',
      '  + compose.shop   creating 0s',
      `    + domains.www  waits for ${shop}`,
      `    ^ deploy       waits for ${shop}`,
    ]);
  });

  it('a tree higher than the terminal is cut, and the last lines stay visible', async () => {
    const { say, pass, screen, happen } = onTerminal(60, 20, manyPlanned);
    for (const [at, address] of many.slice(0, 40).entries()) happen([at, address, 'create', 'started']);
    say('stopping after the requests in flight\n');
    pass(40);
    const seen = await screen.seen();
    expect(seen).toHaveLength(19);
    expect(seen[1]).toBe('stopping after the requests in flight');
    expect(seen.at(-1)).toBe('… 25 running, 20 to come');
    expect((await screen.all()).filter((line) => line.includes(' of 60 done'))).toHaveLength(1);
  });

  it('U10: every finished action is in the scrollback once, in order, when there are more than the terminal has rows', async () => {
    const { screen, happen, end } = onTerminal(80, 12, manyPlanned);
    for (const [at, address] of many.entries()) {
      happen([at, address, 'create', 'started'], [at + 0.7, address, 'create', at === 20 ? 'failed' : 'done']);
    }
    end();
    expect(await screen.all()).toEqual([
      'what was there before',
      ...many.map((address, at) =>
        at === 20 ? `${address}: creating failed after 0.7s: the host is taken` : `${address}: created in 0.7s`,
      ),
      '59s: 59 of 60 done, 1 failed; 0 reads, 0 writes',
    ]);
  });

  it('a finished line that is wider than the terminal is whole, and breaks nothing', async () => {
    const long = `sshKey.${'x'.repeat(90)}`;
    const { pass, screen, happen } = onTerminal(
      40,
      12,
      planOf([
        { address: long, action: 'create' },
        { address: 'sshKey.other', action: 'create' },
      ]),
    );
    happen([0, long, 'create', 'started'], [1, 'sshKey.other', 'create', 'started'], [1, long, 'create', 'done']);
    pass(3);
    const all = await screen.all();
    expect(all.slice(1, 4).join('')).toBe(`${long}: created in 1.0s`);
    expect(all.slice(4)).toEqual(['3s: 1 of 2 done; 0 reads, 0 writes', '+ sshKey.other  creating 2s']);
  });

  it('wide characters, accents and emoji leave no stale line', async () => {
    const names = ['配置搜索同义词', '한국어-도메인', 'e\u0301'.repeat(9), '👍🏽🚀', 'plain'];
    const addresses = names.map((name) => `redis["${name}"]`);
    const { pass, screen, happen, end } = onTerminal(
      34,
      12,
      planOf(addresses.map((address) => ({ address, action: 'create' }))),
    );
    for (const address of addresses) happen([0, address, 'create', 'started']);
    for (const [at, address] of addresses.entries()) happen([at + 1, address, 'create', 'done']);
    pass(6);
    end();
    const all = await screen.all();
    expect(all.filter((line) => line.includes('done;') || line.includes(' of 5 done'))).toHaveLength(1);
    expect(all.join('').match(/created in/g)).toHaveLength(5);
    expect(all.some((line) => line.includes('creating'))).toBe(false);
  });

  it.each([
    [120, 30, 60, 12],
    [80, 24, 40, 24],
    [60, 12, 120, 40],
    [100, 20, 33, 20],
    [80, 24, 80, 10],
  ])('a terminal of %d by %d may become one of %d by %d', async (columns, rows, newColumns, newRows) => {
    const { happen, pass, screen, end } = onTerminal(columns, rows, manyPlanned);
    for (const address of many.slice(0, 30)) happen([1, address, 'create', 'started']);
    pass(2);
    await screen.resize(newColumns, newRows);
    pass(3);
    const seen = await screen.seen();
    const isHead = (line: string) => line.includes(' of 60 done') || line.includes('/60 done');
    expect(seen.filter(isHead)).toHaveLength(1);
    expect(seen.at(-1)).toMatch(/^… /);
    expect(seen.length).toBeLessThan(newRows);
    for (const line of seen) expect(line.length).toBeLessThanOrEqual(newColumns);
    await screen.resize(columns, rows);
    pass(4);
    expect((await screen.seen()).filter(isHead), 'what it shows again is no earlier drawing').toHaveLength(1);
    end();
    const last = await screen.seen();
    for (const address of many) {
      expect(last.filter((line) => line.includes(`${address} `)).length).toBeLessThanOrEqual(1);
    }
  });

  it('lines that a narrower terminal breaks are redrawn, and the lines above them stay', async () => {
    const keys = ['a', 'b', 'c'].map((key) => `sshKey.${key.repeat(60)}`);
    const plan = planOf(keys.map((address) => ({ address, action: 'create' })));
    const { happen, pass, screen, say } = onTerminal(100, 40, plan);
    for (const address of keys) happen([0, address, 'create', 'started']);
    pass(1);
    await screen.resize(40, 40);
    pass(2);
    expect(await screen.all()).toHaveLength(5);
    const seen = await screen.seen();
    expect(seen[0]).toBe('what was there before');
    expect(seen.slice(2).map((line) => line.length)).toEqual([39, 39, 39]);
    await screen.resize(25, 40);
    say('said in between');
    pass(3);
    expect((await screen.seen()).slice(0, 2)).toEqual(['what was there before', 'said in between']);
    expect(await screen.all()).toHaveLength(6);
  });

  it('is drawn ten times in a second at most, however much happens', () => {
    const { happen, writes } = onTerminal(80, 24, manyPlanned);
    const before = writes();
    for (const address of many) happen([0, address, 'create', 'started'], [0, address, 'create', 'done']);
    expect(writes() - before).toBeLessThanOrEqual(1);
    for (const [at, address] of many.entries()) happen([Math.ceil(at / 6) / 10, address, 'create', 'failed']);
    expect(writes() - before).toBeLessThanOrEqual(12);
  });

  it('is not drawn at all while nothing is sent', async () => {
    const { pass, end, screen, writes } = onTerminal(80, 24, planOf([{ address: 'production', action: 'no-op' }]));
    pass(5);
    end();
    expect(writes()).toBe(0);
    expect(await screen.all()).toEqual(['what was there before']);
  });

  it('an apply that ends at once says what is done, what is open, what the next run does, and the exit code', async () => {
    const { happen, pass, end, screen } = onTerminal(80, 24, manyPlanned);
    happen([0, many[0] ?? '', 'create', 'started'], [1, many[0] ?? '', 'create', 'done']);
    for (const address of many.slice(1, 9)) happen([2, address, 'create', 'started']);
    pass(5);
    end(true);
    expect(await screen.all()).toEqual([
      'what was there before',
      `${many[0]}: created in 1.0s`,
      'Ended at once after 5s: 1 of 60 done, 8 with unknown outcome, 51 not started.',
      `Outcome unknown: creating ${many[1]}, creating`,
      `${many[2]}, creating ${many[3]}, creating`,
      `${many[4]}, creating ${many[5]} and 3 more.`,
      'What is done is recorded. The next run reads what became of the rest, and starts',
      'what is left.',
      'Exit code 130.',
    ]);
  });
});

const manifest = (platform: string): string => `trueup: 1
platform: ${platform}
project: prj_1
environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx:1.27\\n" }
        domains: { shop.example.com: { serviceName: web, port: 8080 } }
`;

describe('the real program', () => {
  it('prints the plan, events and the result with --format json, each in a line, and nothing else', async () => {
    const at = ['-C', project(manifest('emulator')), '--format', 'json'];
    const applied = await trueup(['apply', '--auto-approve', ...at]);
    expect(applied).toMatchObject({ code: 0, err: '' });
    const documents = documentsOf(applied);
    expect(documents[0]).toMatchObject({ format: 'trueup/plan', hasChanges: true });
    expect(documents.at(-1)).toMatchObject({ format: 'trueup/result', ending: 'done', exitCode: 0 });
    const events = documents.slice(1, -1).map((document) => eventDocument.parse(document));
    const ends = new Map<string, string[]>();
    for (const event of events) {
      if (event.event === 'heartbeat') continue;
      const key = `${event.action} ${event.address}`;
      ends.set(key, [...(ends.get(key) ?? []), event.event]);
    }
    expect(ends.size).toBeGreaterThanOrEqual(2);
    expect([...ends.keys()]).toContain(`create ${shop}`);
    for (const told of ends.values()) expect(told.join(' ')).toMatch(/^started( waiting)* done$/);
    const { actions } = documents[0] as PlanDocument;
    const { outcomes, requests } = documents.at(-1) as ResultDocument;
    expect(outcomes).toHaveLength(actions.length);
    expect(events.at(-1)?.requests.writes).toBe(requests.writes);
    const again = await trueup(['apply', '--auto-approve', ...at]);
    expect(documentsOf(again)).toMatchObject([
      { format: 'trueup/plan', hasChanges: false },
      { format: 'trueup/result', ending: 'done' },
    ]);
    expect(documentsOf(await trueup(['destroy', ...at]))).toMatchObject([
      { format: 'trueup/plan', hasChanges: true },
      { format: 'trueup/error', diagnostics: [{ code: 'consent' }] },
    ]);
    const gone = documentsOf(await trueup(['destroy', '--auto-approve', ...at]));
    expect(gone[0]).toMatchObject({ format: 'trueup/plan', summary: { delete: 2 } });
    expect(gone[1]).toMatchObject({ format: 'trueup/event', event: 'started', action: 'delete' });
    expect(gone.at(-1)).toMatchObject({ format: 'trueup/result', ending: 'done' });
  });

  it('ends the lines with the error that ended the run', async () => {
    const folder = project(manifest('emulator'));
    const at = ['-C', folder, '--format', 'json'];
    expect(documentsOf(await trueup(['apply', ...at]))).toMatchObject([
      { format: 'trueup/plan' },
      { format: 'trueup/error', diagnostics: [{ code: 'consent' }] },
    ]);
    mkdirSync(join(folder, 'empty'));
    expect(documentsOf(await trueup(['apply', '-C', join(folder, 'empty'), '--format', 'json']))).toMatchObject([
      { format: 'trueup/error', exitCode: 3 },
    ]);
    expect(documentsOf(await trueup(['destroy', '--wrong', ...at]))).toMatchObject([
      { format: 'trueup/error', diagnostics: [{ code: 'usage' }] },
    ]);
  });

  it('writes lines into a pipe, with any TERM', async () => {
    const server = await serve(createEmulator({ profile: 'standard', apiKey: 'right-key' }), { latencyMs: 20 });
    const run = await trueup(['apply', '--auto-approve', '-C', project(manifest(`{ url: "${server.url}" }`))], {
      env: { TRUEUP_API_KEY: 'right-key', TERM: 'xterm-256color', FORCE_COLOR: '1', COLUMNS: '80' },
    });
    await server.close();
    expect(run.code).toBe(0);
    expect(run.out + run.err).not.toContain('\u001B');
    expect(run.err).toMatch(new RegExp(`^${shop}: creating…\n`));
    expect(run.err).toMatch(new RegExp(`^${shop}: created in \\d+\\.\\ds$`, 'm'));
    for (const line of run.err.trimEnd().split('\n')) expect(line).toMatch(/^production\.compose\.shop/);
  });
});

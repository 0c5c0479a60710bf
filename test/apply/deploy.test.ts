import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyEvent } from '../../src/apply/job.ts';
import type { Row } from '../../src/formats/json.ts';
import { applyInTime, ordersIn, passing, plansNothingMore, platformWith } from '../support/deploying.ts';
import {
  actionsOf,
  answered,
  answering,
  connection,
  detailsIn,
  everything,
  failed,
  operationOf,
  platformOver,
  results,
  rowsIn,
  said,
  worldOver,
} from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { head } from '../support/world.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { session } from '../../src/workflow/session.ts';
import { systemClock } from '../../src/state/clock.ts';

/** What docs/deployments.md promises of deployments, case by case. */

afterEach(() => {
  vi.useRealTimers();
});

const file = (image: string) => `"services: { web: { image: '${image}' } }"`;
const compose = (name: string, more = '', image = 'nginx:1') =>
  `      ${name}: { source: { type: raw, composeFile: ${file(image)} }${more === '' ? '' : `, ${more}`} }\n`;
const stack = (more = '', image = 'nginx:1') =>
  `${head}environments:\n  production:\n    compose:\n${compose('shop', more, image)}`;
const database = (image = 'postgres:17', more = '') =>
  `${head}environments:\n  production:\n    postgres:\n      main: { dockerImage: "${image}", databaseName: shop, databaseUser: u, databasePassword: password-1${more} }\n`;
const application = (image = 'nginx:1') =>
  `${head}environments:\n  production:\n    application:\n      web: { source: { type: docker, image: "${image}" } }\n`;

const shop = 'production.compose.shop (deploy)';
const main = 'production.postgres.main (deploy)';
const web = 'production.application.web (deploy)';

/** Where the platform keeps the reason of a deployment in its log only. */
const withLog = (address: string) => ({
  reason: 'it ended as error',
  details: [
    'status: error',
    expect.stringMatching(/^log on the server: \//),
    'Initializing deployment',
    'Error: cannot pull the image',
    'Error occurred ❌, check the logs for details.',
  ],
  remedy: `Fix it, and apply again. trueup logs ${address} --deployment shows more.`,
});

/** The three kinds of services that differ in how they are deployed. */
const services = [
  {
    ...withLog('production.compose.shop'),
    name: 'a compose',
    text: (image: string) => stack('', image),
    at: shop,
    order: 'compose.deploy',
  },
  {
    ...withLog('production.application.web'),
    name: 'an application',
    text: application,
    at: web,
    order: 'application.deploy',
  },
  {
    name: 'a database',
    text: database,
    at: main,
    order: 'postgres.deploy',
    reason: 'cannot pull the image',
    details: expect.arrayContaining(['status: error']),
    remedy: 'Fix it, and apply again. trueup logs production.postgres.main shows more.',
  },
];

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** The status of the only service of a platform. */
function statusOf(made: Bench): unknown {
  const { compose: stacks, application: applications, postgres } = made.emulator.world.tables;
  const [row] = [stacks, applications, postgres].flatMap((table) => Object.values(table) as Row[]);
  return row?.composeStatus ?? row?.applicationStatus;
}

describe.each(services)('$name', ({ text, at, order, reason, details, remedy }) => {
  test.each([0, 1, 30])('apply waits once for a deployment that takes %d s, with few reads', async (seconds) => {
    const made = platformWith(seconds);
    const result = await applyInTime(made, text('nginx:1'));
    expect(results(result)[at]).toBe('done');
    expect(statusOf(made)).toBe('done');
    expect(result.seconds).toBeGreaterThanOrEqual(seconds);
    expect(result.seconds).toBeLessThan(seconds + 3);
    expect(ordersIn(made)).toHaveLength(1);
    expect(made.requests('GET').length).toBeLessThan(30);
    await plansNothingMore(made, text('nginx:1'));
  });

  test('an earlier deployment does not count as done while the new one is in the queue', async () => {
    const made = platformWith(30);
    await applyInTime(made, text('nginx:1'));
    ordersIn(made);
    const result = await applyInTime(made, text('nginx:2'));
    expect(result.seconds).toBeGreaterThanOrEqual(30);
    expect(ordersIn(made)).toHaveLength(1);
    await plansNothingMore(made, text('nginx:2'));
  });

  test('a failed deployment is reported with its reason, and planned again until it succeeds', async () => {
    const made = platformWith(1);
    await applyInTime(made, text('nginx:1'));
    const bad = await applyInTime(made, text('fail:2'));
    expect(results(bad)[at]).toBe('failed');
    expect(said(bad)).toContain('was not deployed: ');
    expect(said(bad)).toContain(reason);
    expect(detailsIn(bad)).toEqual(details);
    expect(bad.outcomes.flatMap(({ diagnostics }) => diagnostics.map((one) => one.remedy))).toContain(remedy);
    expect(actionsOf(await plan(await made.manifest(text('fail:2')), worldOver(made, made.emulator.send)))).toEqual([
      `deploy ${at}`,
    ]);
    expect(results(await applyInTime(made, text('fail:2')))[at]).toBe('failed');
    expect(results(await applyInTime(made, text('nginx:1')))[at]).toBe('done');
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a stalled deployment fails after its time limit, and the next run checks it', async () => {
    const made = platformWith(1);
    let orders = 0;
    const send: Bench['emulator']['send'] = async (request) => {
      if (operationOf(request) === order) orders++;
      return made.emulator.send(request);
    };
    const result = await applyInTime(made, text('stall:1'), { limitSeconds: 120, send });
    expect(results(result)[at]).toBe('failed');
    expect(said(result)).toContain('it was not over within 120 s');
    expect(result.seconds).toBeGreaterThanOrEqual(120);
    expect(result.seconds).toBeLessThan(130);
    expect(orders).toBe(1);
    // It still runs: the next run looks at it first, and starts another one.
    const again = await applyInTime(made, text('stall:1'), { limitSeconds: 60, send });
    expect(results(again)[at]).toBe('failed');
    expect(orders).toBe(2);
  });

  test('a start that was executed without an answer is found, and not sent again', async () => {
    const made = platformWith(5);
    let isLost = false;
    const result = await applyInTime(made, text('nginx:1'), {
      send: async (request) => {
        if (operationOf(request) !== order || isLost) return made.emulator.send(request);
        isLost = true;
        void made.emulator.send(request);
        throw connection('ECONNRESET');
      },
    });
    expect(results(result)[at]).toBe('done');
    expect(ordersIn(made)).toHaveLength(1);
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a start that never arrived is sent again after the in-flight timeout, and reported', async () => {
    const made = platformWith(1);
    let lost = 0;
    const result = await applyInTime(made, text('nginx:1'), {
      send: async (request) => {
        if (operationOf(request) !== order || lost > 0) return made.emulator.send(request);
        lost++;
        throw connection('ECONNRESET');
      },
    });
    expect(results(result)[at]).toBe('done');
    expect(said(result)).toContain('within 60 s; started it again');
    expect(result.seconds).toBeGreaterThanOrEqual(60);
    expect(ordersIn(made)).toHaveLength(1);
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a start that never arrives is sent four times at most, and planned again', async () => {
    const made = platformWith(1);
    let sent = 0;
    const result = await applyInTime(made, text('nginx:1'), {
      limitSeconds: 120,
      send: async (request) => {
        if (operationOf(request) !== order) return made.emulator.send(request);
        sent++;
        throw connection('ECONNRESET');
      },
    });
    expect(results(result)[at]).toBe('failed');
    expect(sent).toBe(4);
    expect(results(await applyInTime(made, text('nginx:1')))[at]).toBe('done');
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a refused start is not looked for, and planned again', async () => {
    const made = platformWith(1);
    const result = await applyInTime(made, text('nginx:1'), {
      send: answering(made, (operation) =>
        operation === order ? failed('Too many requests', 429, { code: 'TOO_MANY_REQUESTS' }) : undefined,
      ),
    });
    expect(results(result)[at]).toBe('failed');
    expect(result.seconds).toBeLessThan(2);
    expect(results(await applyInTime(made, text('nginx:1')))[at]).toBe('done');
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a start that was executed and answered with an error is found', async () => {
    const made = platformWith(5);
    let isAnswered = false;
    const result = await applyInTime(made, text('nginx:1'), {
      send: async (request) => {
        if (operationOf(request) !== order || isAnswered) return made.emulator.send(request);
        isAnswered = true;
        void made.emulator.send(request);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        return failed('Internal server error');
      },
    });
    expect(results(result)[at]).toBe('done');
    expect(ordersIn(made)).toHaveLength(1);
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a start that was answered with an error and is in the queue is found by the next run', async () => {
    const made = platformWith(20);
    let isAnswered = false;
    const failing = await applyInTime(made, text('nginx:1'), {
      send: async (request) => {
        if (operationOf(request) !== order || isAnswered) return made.emulator.send(request);
        isAnswered = true;
        setTimeout(() => void made.emulator.send(request), 10_000);
        return failed('Bad gateway', 502);
      },
    });
    expect(results(failing)[at]).toBe('failed');
    expect(results(await applyInTime(made, text('nginx:1')))[at]).toBe('done');
    expect(ordersIn(made)).toHaveLength(1);
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a start that was answered with an error and not executed is planned again', async () => {
    const made = platformWith(5);
    const result = await applyInTime(made, text('nginx:1'), {
      send: answering(made, (operation) => (operation === order ? failed('Out of memory') : undefined)),
    });
    expect(results(result)[at]).toBe('failed');
    expect(said(result)).toContain('Out of memory');
    expect(result.seconds).toBeLessThan(6);
    expect(ordersIn(made)).toEqual([]);
    expect(results(await applyInTime(made, text('nginx:1')))[at]).toBe('done');
    await plansNothingMore(made, text('nginx:1'));
  });

  test('a deployment that succeeds after the run was interrupted is not started again', async () => {
    const made = platformWith(20);
    const stopping = new AbortController();
    const events: ApplyEvent[] = [];
    const running = applyInTime(made, text('nginx:1'), {
      signal: stopping.signal,
      send: async (request) => {
        const answer = made.emulator.send(request);
        if (operationOf(request) === order) setTimeout(() => stopping.abort(), 5_000);
        return answer;
      },
      onEvent: (event) => events.push(event),
    });
    const result = await running;
    expect(results(result)[at]).toBe('unverified');
    expect(events.map(({ event }) => event)).toContain('unverified');
    expect(events.map(({ event }) => event)).not.toContain('failed');
    expect(result.seconds).toBeLessThan(10);
    expect(said(result)).toContain('goes on on the platform without being watched');
    await passing(new Promise((resolve) => setTimeout(resolve, 60_000)));
    ordersIn(made);
    await applyInTime(made, text('nginx:1'));
    expect(ordersIn(made)).toEqual([]);
    await plansNothingMore(made, text('nginx:1'));
  });
});

test('a run that is interrupted while it looks at a service before its deployment records and sends none, and keeps what it saved', async () => {
  const made = platformWith();
  const cache = '    redis:\n      cache: { dockerImage: "redis:8", databasePassword: password-2 }\n';
  await applyInTime(made, application('nginx:1'));
  ordersIn(made);
  const stopping = new AbortController();
  let hasListed = false;
  const send: Send = async (request) => {
    hasListed ||= operationOf(request).startsWith('docker.');
    if (operationOf(request).startsWith('docker.')) await pause(6_000); // so the look at the service is too old
    if (hasListed && operationOf(request) === 'application.one') {
      stopping.abort();
      await pause(1_000);
    }
    return made.emulator.send(request);
  };
  const at = { purpose: 'apply', clock: systemClock };
  const manifest = await made.manifest(application('nginx:2') + cache);
  const working = session(manifest, platformOver(made, send), at, async (run) => {
    const result = await run.apply(await run.plan(), everything, { signal: stopping.signal });
    await pause(3_000); // it holds its lock until its output is written
    return result;
  });
  const { state } = await passing(working);
  expect(stopping.signal.aborted).toBe(true);
  expect(ordersIn(made)).not.toContain('web');
  expect(made.store.state).toEqual(state);
});

test('after --no-wait the next run checks the deployment of a compose', async () => {
  const made = platformWith(20);
  const result = await applyInTime(made, stack(), { waits: false });
  expect(results(result)[shop]).toBe('done');
  expect(result.seconds).toBeLessThan(2);
  expect(said(result)).toContain('; not waiting for it (--no-wait)');
  ordersIn(made);
  const joining = await applyInTime(made, stack());
  expect(results(joining)[shop]).toBe('done');
  expect(joining.seconds).toBeGreaterThan(15);
  expect(ordersIn(made)).toEqual([]);
  await plansNothingMore(made, stack());
});

const git = (name: string, branch: string) =>
  `      ${name}: { source: { type: git, url: "git@git.example.com:${name}.git", branch: ${branch} } }\n`;
const fetched = (branch: string) =>
  `${head}environments:\n  production:\n    application:\n${git('web', branch)}${git('wiki', 'main')}`;
const pasted = (image: string) => `${stack('', image)}${compose('wiki')}`;

// The platform puts the commit that it fetched in the place of the description: at its end a deployment bears no mark.
describe.each([
  { table: 'compose', from: 'a text', one: pasted('nginx:1'), two: pasted('nginx:2'), at: shop },
  { table: 'application', from: 'a repository', one: fetched('main'), two: fetched('next'), at: web },
] as const)('for a service from $from,', ({ table, one, two, at }) => {
  test('a deployment that another user started and that ends first is not taken for ours', async () => {
    const made = platformWith(10);
    await applyInTime(made, one);
    const result = await applyInTime(made, two, {
      send: async (request) => {
        // That of the wiki is between the two in the queue.
        const rows = rowsIn(made, table).toSorted((a, b) => String(a.name).localeCompare(String(b.name)));
        for (const row of operationOf(request) === `${table}.deploy` ? rows : [])
          await made.emulator.act(`${table}.deploy`, { [`${table}Id`]: row[`${table}Id`], description: 'by hand' });
        return made.emulator.send(request);
      },
    });
    expect(results(result)[at]).toBe('done');
    expect(rowsIn(made, table).map((row) => row[`${table}Status`])).toEqual(['done', 'done']);
    await plansNothingMore(made, two);
  });
});

test('a deployment that a restart of the platform removed from its queue is planned again', async () => {
  const made = platformWith(10);
  const two = `${stack()}${compose('blog')}`;
  const running = applyInTime(made, two, {
    limitSeconds: 120,
    send: async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) === 'compose.deploy') setTimeout(() => made.emulator.restart(), 5_000);
      return answer;
    },
  });
  const result = await running;
  expect(said(result)).toMatch(/it ended as cancelled/);
  expect(said(result)).toMatch(/the platform did not begin with it within 120 s/);
  const again = await applyInTime(made, two);
  expect(Object.values(results(again)).every((word) => word === 'done')).toBe(true);
  await plansNothingMore(made, two);
});

describe('K13: a deployment that the platform accepted and does not begin', () => {
  test('is waited for 5 minutes while nothing else is deployed, and not for the whole limit', async () => {
    const made = platformWith(1);
    const dropping: Send = async (request) =>
      operationOf(request) === 'compose.deploy' ? answered('{"success":true}') : made.emulator.send(request);
    const result = await applyInTime(made, stack(), { send: dropping });
    expect(results(result)[shop]).toBe('failed');
    expect(result.seconds).toBeGreaterThan(290);
    expect(result.seconds).toBeLessThan(320);
    expect(said(result)).toContain('did not begin with it within 300 s');
    expect(results(await applyInTime(made, stack()))[shop]).toBe('done');
    expect(ordersIn(made)).toEqual(['shop']);
    await plansNothingMore(made, stack());
  });

  test('is waited for as long as another one of its environment runs', async () => {
    const made = platformWith(700);
    const composeFile = 'services: { a: { image: "a:1" } }';
    const other = (await made.emulator.act('compose.create', { name: 'other', environmentId: 'env_prj_1' })) as Row;
    await made.emulator.act('compose.update', { composeId: other.composeId, sourceType: 'raw', composeFile });
    await made.emulator.act('compose.deploy', { composeId: other.composeId });
    const result = await applyInTime(made, stack());
    expect(results(result)[shop]).toBe('done');
    expect(result.seconds).toBeGreaterThan(1_300);
    await plansNothingMore(made, stack());
  });

  test('is waited for 5 minutes also while a database of its environment shows a deployment that nothing ends', async () => {
    const made = platformWith(1);
    const text = (image: string) => `${database()}    compose:\n${compose('shop', '', image)}`;
    await applyInTime(made, text('nginx:1'));
    for (const row of Object.values(made.emulator.world.tables.postgres)) row['applicationStatus'] = 'running';
    const dropping: Send = async (request) =>
      operationOf(request) === 'compose.deploy' ? answered('{"success":true}') : made.emulator.send(request);
    const result = await applyInTime(made, text('nginx:2'), { send: dropping });
    expect(results(result)[shop]).toBe('failed');
    expect(said(result)).toContain('did not begin with it within 300 s');
    expect(result.seconds).toBeLessThan(320);
    ordersIn(made);
    expect(results(await applyInTime(made, text('nginx:2')))[shop]).toBe('done');
    expect(ordersIn(made)).toEqual(['shop']);
    await plansNothingMore(made, text('nginx:2'));
  });
});

describe('a platform that lists no deployments', () => {
  /** Answers of the platform without its list. */
  const unlisted = (made: Bench) => async (request: Parameters<Bench['emulator']['send']>[0]) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) !== 'compose.one') return answer;
    const { deployments: _, ...row } = JSON.parse(answer.body) as Row;
    return answered(JSON.stringify(row), answer.status);
  };

  test('is believed when the service runs and then is done', async () => {
    const made = platformWith(10);
    await applyInTime(made, stack(), { send: unlisted(made) });
    const result = await applyInTime(made, stack('', 'nginx:2'), { send: unlisted(made) });
    expect(results(result)[shop]).toBe('done');
    expect(result.seconds).toBeGreaterThanOrEqual(10);
    await plansNothingMore(made, stack('', 'nginx:2'));
  });

  test('is not believed when the service is done all the time', async () => {
    const made = platformWith(0);
    await applyInTime(made, stack(), { send: unlisted(made) });
    const result = await applyInTime(made, stack('', 'nginx:2'), { send: unlisted(made), limitSeconds: 60 });
    expect(results(result)[shop]).toBe('failed');
    expect(said(result)).toContain('did not begin with it within 60 s');
  });
});

describe('events during a deployment', () => {
  test.each([
    ['a compose', stack(), shop, ['sent', 'queue', 'deployment']],
    ['a database, which answers when the deployment is over', database(), main, ['answer', 'sent']],
  ])('is what is waited for: %s', async (_, text, at, phases) => {
    const made = platformWith(5);
    const events: ApplyEvent[] = [];
    const order: string[] = [];
    await applyInTime(made, text, {
      onEvent: (event) => {
        events.push(event);
        if (event.event === 'waiting') order.push(event.for);
      },
      send: (request) => {
        if (operationOf(request).endsWith('.deploy')) order.push('sent');
        return made.emulator.send(request);
      },
    });
    expect(order).toEqual(phases);
    const address = at.replace(' (deploy)', '');
    const own = events.filter((event) => event.action === 'deploy');
    expect(own.map((event) => (event.event === 'waiting' ? event.for : event.event))).toEqual([
      'started',
      ...phases.filter((phase) => phase !== 'sent'),
      'done',
    ]);
    expect(own.every((event) => event.address === address)).toBe(true);
  });

  test.each([
    ['a database', database('fail:17'), 'trueup logs production.postgres.main shows more'],
    ['a compose', stack('', 'fail:1'), undefined],
  ])('is where the log of a deployment that failed is, as far as that can be had: %s', async (_, text, logs) => {
    const made = platformWith(1, ['deployment.readLogs']);
    const { outcomes } = await applyInTime(made, text);
    const [told] = outcomes.flatMap(({ diagnostics }) => diagnostics.filter(({ code }) => code === 'deploy-failed'));
    expect(told?.remedy).toContain('Fix it, and apply again.');
    if (logs === undefined) expect(told?.remedy).not.toContain('trueup logs');
    else expect(told?.remedy).toContain(logs);
  });
});

describe('the log of a deployment that failed', () => {
  const withLogText = async (log: () => ReturnType<Send>, image = 'fail:1') => {
    const made = platformWith(1);
    let asked = 0;
    const result = await applyInTime(made, stack(', env: { TOKEN: "canary-7f3a91" }'.slice(2), image), {
      send: (request) => {
        if (operationOf(request) !== 'deployment.readLogs') return made.emulator.send(request);
        asked++;
        return log();
      },
    });
    return { asked, result };
  };
  const text = (lines: readonly string[]) => () => Promise.resolve(answered(JSON.stringify(lines.join('\n'))));

  test('is asked for once, and reported with its last 20 lines, without colours, empty lines and secrets', async () => {
    const lines = Array.from({ length: 25 }, (_, n) => `\u001b[3${n % 8}mstep ${n}\u001b[0m\r\n`);
    const { asked, result } = await withLogText(text([...lines, 'login with canary-7f3a91 failed', 'x'.repeat(600)]));
    expect(asked).toBe(1);
    const shown = detailsIn(result).slice(2);
    expect(shown).toEqual([
      ...Array.from({ length: 18 }, (_, n) => `step ${n + 7}`),
      'login with (sensitive) failed',
      `${'x'.repeat(499)}…`,
    ]);
  });

  test('is not asked for when the deployment succeeds', async () => {
    const { asked, result } = await withLogText(text([]), 'nginx:1');
    expect([asked, results(result)[shop]]).toEqual([0, 'done']);
  });

  test.each([
    ['cannot be read', () => Promise.resolve(failed('no such file'))],
    ['is no text', () => Promise.resolve(answered('{"lines":[]}'))],
    ['is cut off', () => Promise.reject(connection('ECONNRESET'))],
  ])('that %s is asked for once and holds nothing up', async (_, log) => {
    const { asked, result } = await withLogText(log);
    expect([asked, results(result)[shop]]).toEqual([1, 'failed']);
    expect(detailsIn(result)).toEqual(['status: error', expect.stringMatching(/^log on the server: /)]);
  });
});

describe('the log of a database that did not come up', () => {
  const detailsWith = async (log: () => ReturnType<Send>) => {
    const made = platformWith(1);
    const result = await applyInTime(made, database('fail:17'), {
      send: (request) => (operationOf(request) === 'postgres.readLogs' ? log() : made.emulator.send(request)),
    });
    expect(results(result)[main]).toBe('failed');
    return detailsIn(result);
  };
  const lines = Array.from({ length: 12 }, (_, n) => `line ${n}`);

  test('is reported with its last ten lines, without empty ones', async () => {
    const details = await detailsWith(() => Promise.resolve(answered(JSON.stringify(`${lines.join('\n\r\n')}\n`))));
    expect(details).toEqual(['status: error', ...lines.slice(2)]);
  });

  test.each([
    ['cannot be read', () => Promise.resolve(failed('no docker'))],
    ['is no text', () => Promise.resolve(answered('{"lines":[]}'))],
    ['is cut off', () => Promise.reject(connection('ECONNRESET'))],
    ['is a page of a proxy', () => Promise.resolve({ ...answered('<html>', 502), headers: {} })],
  ])('R5: that %s is asked for once and holds nothing up', async (_, log) => {
    let asked = 0;
    const details = await detailsWith(() => {
      asked++;
      return log();
    });
    expect([asked, details]).toEqual([1, ['status: error']]);
  });
});

test('the reason of a failed deployment redacts secrets of the compose file and shows its other lines', async () => {
  const made = platformWith(1);
  const composeFile =
    'services: { web: { image: "fail:1", environment: { API_TOKEN: abc-12345, URL: "redis://u:pw-456789@r", MODE: lively } } }';
  const text = `${head}environments:\n  production:\n    compose:\n      shop: { source: { type: raw, composeFile: '${composeFile}' } }\n`;
  const quote = 'API_TOKEN: abc-12345, URL: redis://u:pw-456789@r, MODE: lively; pw-456789 was refused';
  const result = await applyInTime(made, text, {
    send: async (request) => {
      const answer = await made.emulator.send(request);
      const body = answer.body.replace('"errorMessage":null', `"errorMessage":${JSON.stringify(quote)}`);
      return operationOf(request) === 'compose.one' ? { ...answer, body } : answer;
    },
  });
  expect(results(result)[shop]).toBe('failed');
  expect(said(result)).toContain('MODE: lively');
  expect(said(result)).not.toMatch(/abc-12345|pw-456789/);
});

test('after a deployment that failed, one that somebody else makes counts', async () => {
  const made = platformWith(1);
  const bad = stack('', 'fail:1');
  expect(results(await applyInTime(made, bad))[shop]).toBe('failed');
  // The image can be pulled for once, and somebody deploys.
  const composeId = rowsIn(made, 'compose')[0]?.composeId;
  const composeFile = rowsIn(made, 'compose')[0]?.composeFile;
  await made.emulator.act('compose.update', { composeId, composeFile: String(composeFile).replace('fail', 'nginx') });
  await made.emulator.act('compose.deploy', { composeId });
  await passing(new Promise((resolve) => setTimeout(resolve, 5_000)));
  await made.emulator.act('compose.update', { composeId, composeFile });
  ordersIn(made);
  await applyInTime(made, bad);
  expect(ordersIn(made)).toEqual([]);
  await plansNothingMore(made, bad);
});

test('ten changed objects below one service cause one deployment; a description causes none', async () => {
  const made = platformWith();
  const leafs = (port: number) =>
    Array.from({ length: 10 }, (_, n) => `d${n}.example.com: { serviceName: web, port: ${port} }`).join(', ');
  const text = (port: number, more = '') => stack(`domains: { ${leafs(port)} }${more}`);
  await applyInTime(made, text(80));
  ordersIn(made);
  const result = await applyInTime(made, text(81));
  expect(result.outcomes.filter(({ action }) => action.action === 'update')).toHaveLength(10);
  expect(ordersIn(made)).toEqual(['shop']);
  await applyInTime(made, text(81));
  expect(ordersIn(made)).toEqual([]);
  await applyInTime(made, text(81, ', description: Live.'));
  expect(ordersIn(made)).toEqual([]);
  await plansNothingMore(made, text(81, ', description: Live.'));
});

describe('a chain', () => {
  const chain = (image: string, n: number) => `${database(image, `, env: { N: "${n}" }`)}    compose:
${compose('web', `env: { API: "\${ref:compose.api.appName}", N: "${n}" }`)}${compose(
    'api',
    `env: { DB: "\${ref:postgres.main.host}", N: "${n}" }`,
  )}`;

  test('is deployed from the database up, each after the one before has come up', async () => {
    const made = platformWith(5);
    await applyInTime(made, chain('postgres:17', 1));
    expect(ordersIn(made)).toEqual(['main', 'api', 'web']);
    const result = await applyInTime(made, chain('postgres:17', 2));
    expect(ordersIn(made)).toEqual(['main', 'api', 'web']);
    expect(result.seconds).toBeGreaterThanOrEqual(15);
    await plansNothingMore(made, chain('postgres:17', 2));
  });

  test('stops at the database that fails: the others are not sent, and named', async () => {
    const made = platformWith(5);
    await applyInTime(made, chain('postgres:17', 1));
    ordersIn(made);
    const result = await applyInTime(made, chain('fail:18', 2));
    expect(ordersIn(made)).toEqual(['main']);
    expect(results(result)).toMatchObject({
      [main]: 'failed',
      'production.compose.api (deploy)': 'skipped',
      'production.compose.web (deploy)': 'skipped',
    });
    expect(said(result)).toContain(
      'the deployment of production.compose.api was not tried, because the deployment of production.postgres.main did not succeed',
    );
    expect(said(result)).toContain(
      'the deployment of production.compose.web was not tried, because the deployment of production.compose.api did not succeed',
    );
    await applyInTime(made, chain('postgres:17.5', 2));
    expect(ordersIn(made)).toEqual(['main', 'api', 'web']);
    await plansNothingMore(made, chain('postgres:17.5', 2));
  });
});

test('a run that ends between the reset of the status and the deployment does not take the old status for a success', async () => {
  const made = platformWith(1);
  await applyInTime(made, database());
  const killed = new Error('killed');
  const dying = applyInTime(made, database('postgres:17.5'), {
    send: async (request) => {
      if (operationOf(request) === 'postgres.changeStatus') throw killed;
      return made.emulator.send(request);
    },
  });
  await dying.catch(() => undefined);
  ordersIn(made);
  await applyInTime(made, database('postgres:17.5'));
  expect(ordersIn(made)).toEqual(['main']);
  await plansNothingMore(made, database('postgres:17.5'));
});

describe('a platform that died while it deployed a database', () => {
  const showRunning = (made: Bench) => {
    for (const row of Object.values(made.emulator.world.tables.postgres)) row['applicationStatus'] = 'running';
  };

  /** Deploys over a connection that breaks off; the platform shows `running` from then on, and nothing ends that. */
  async function dying(made: Bench) {
    await applyInTime(made, database());
    const dies: Send = async (request) => {
      if (operationOf(request) !== 'postgres.deploy') return made.emulator.send(request);
      showRunning(made);
      throw connection('ECONNRESET');
    };
    const events: ApplyEvent[] = [];
    const onEvent = (event: ApplyEvent) => events.push(event);
    const result = await applyInTime(made, database('postgres:17.5'), { send: dies, onEvent });
    expect(results(result)[main]).toBe('failed');
    expect(said(result)).toContain('was not over within 900 s');
    // Each wait names its bound.
    const waits = events.flatMap((event) => (event.event === 'waiting' ? [[event.for, event.limitMs] as const] : []));
    expect(waits).toEqual([
      ['answer', 900_000],
      ['deployment', expect.closeTo(900_000, -5)],
    ]);
    expect(result.seconds).toBeGreaterThan(890);
    expect(result.seconds).toBeLessThan(960);
    ordersIn(made);
  }

  test('is waited for once: the next apply starts the deployment again at once, with a note', async () => {
    const made = platformWith();
    await dying(made);
    const result = await applyInTime(made, database('postgres:17.5'));
    expect(results(result)[main]).toBe('done');
    expect(said(result)).toContain(
      'the deployment of production.postgres.main that an earlier run started has not ended within 900 s; started it again',
    );
    expect(result.seconds).toBeLessThan(10);
    expect(ordersIn(made)).toEqual(['main']);
    await plansNothingMore(made, database('postgres:17.5'));
  });

  test('is waited for only for the rest of the time limit, which the run announces', async () => {
    const made = platformWith();
    await applyInTime(made, database());
    const over = new AbortController();
    const dies: Send = async (request) => {
      if (operationOf(request) !== 'postgres.deploy') return made.emulator.send(request);
      showRunning(made);
      setTimeout(() => over.abort(), 300_000);
      throw connection('ECONNRESET');
    };
    await applyInTime(made, database('postgres:17.5'), { send: dies, signal: over.signal });
    ordersIn(made);
    const events: ApplyEvent[] = [];
    const result = await applyInTime(made, database('postgres:17.5'), { onEvent: (event) => events.push(event) });
    expect(results(result)[main]).toBe('done');
    expect(result.seconds).toBeGreaterThan(500);
    expect(result.seconds).toBeLessThan(650);
    const waiting = events.find(({ event }) => event === 'waiting');
    expect(waiting).toMatchObject({ for: 'earlier', address: 'production.postgres.main' });
    const { limitMs = 0 } = waiting as { readonly limitMs?: number };
    expect(limitMs).toBeGreaterThan(500_000);
    expect(limitMs).toBeLessThan(650_000);
    expect(ordersIn(made)).toEqual(['main']);
    await plansNothingMore(made, database('postgres:17.5'));
  });

  test('and whose deployment no run of Trueup started is waited for once, too', async () => {
    const made = platformWith();
    await applyInTime(made, database());
    showRunning(made);
    ordersIn(made);
    const events: ApplyEvent[] = [];
    const result = await applyInTime(made, database('postgres:17.5'), { onEvent: (event) => events.push(event) });
    expect(results(result)[main]).toBe('done');
    expect(said(result)).toContain(
      'another deployment of production.postgres.main has not ended within 900 s; started this one',
    );
    expect(result.seconds).toBeLessThan(960);
    expect(events.find(({ event }) => event === 'waiting')).toMatchObject({ for: 'earlier', limitMs: 900_000 });
    expect(ordersIn(made)).toEqual(['main']);
    await plansNothingMore(made, database('postgres:17.5'));
  });
});

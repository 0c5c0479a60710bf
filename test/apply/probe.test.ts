import { afterEach, expect, test, vi } from 'vitest';
import type { Ask, Asked } from '../../src/api/ask-address.ts';
import type { Plan } from '../../src/plan/action.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { applyInTime, passing, plansNothingMore, platformWith } from '../support/deploying.ts';
import { documentOf } from '../support/documents.ts';
import { actionsOf, answering, results, said, worldOver } from '../support/faults.ts';
import { type Bench, head } from '../support/world.ts';
import { shown } from '../render/plans.ts';

/** Addresses that apply asks after a deployment, as `probe:` says; a table of answers stands for the web. */

afterEach(() => void vi.useRealTimers());

const environment = `${head}variables: { check: { default: /health } }\nenvironments:\n  production:\n`;
const application = (probe: string, { image = 'web:1', more = '' } = {}) =>
  `${environment}    application:\n      web:\n        source: { type: docker, image: "${image}" }\n        domains:\n          shop.example.com: { https: true, certificateType: letsencrypt${probe === '' ? '' : `, probe: ${probe}`}${more} }\n`;
const compose = (probe: string, image = 'web:1') =>
  `${environment}    compose:\n      shop:\n        source: { type: raw, composeFile: 'services: { db: { image: "db:1" }, web: { image: "${image}" } }' }\n        domains:\n          shop.example.com: { serviceName: web, path: /api/${probe === '' ? '' : `, probe: ${probe}`} }\n`;

type Answer = Partial<Omit<Extract<Asked, { is: 'answer' }>, 'is'>> | Exclude<Asked, { is: 'answer' }>;

/** A web of addresses: each answers with the next of its answers, and goes on with the last. */
function web(addresses: Readonly<Record<string, readonly Answer[]>>, takesMs = 0) {
  const asked: string[] = [];
  const ask: Ask = async ({ href }) => {
    const before = asked.filter((one) => one === href).length;
    asked.push(href);
    if (takesMs > 0) await new Promise((resolve) => setTimeout(resolve, takesMs));
    const answers = addresses[href] ?? [{ status: 404 }];
    const answer = answers[before] ?? answers.at(-1) ?? {};
    if ('why' in answer) return answer;
    return { is: 'answer', status: 200, location: undefined, body: '', lacks: undefined, ...answer };
  };
  return { ask, asked };
}

const site = 'https://shop.example.com';
const moved = (location: string, status = 302): Answer => ({ status, location });

const answering200 = [
  ['its own path', application('{}'), { [`${site}/`]: [{}] }],
  ['a path below it', application('{ path: /health }'), { [`${site}/health`]: [{ status: 204 }] }],
  ['a path by an expression', application("{ path: '${var:check}' }"), { [`${site}/health`]: [{}] }],
  ['a query', application("{ path: '/health?full=1' }"), { [`${site}/health?full=1`]: [{}] }],
  ['its path and one below, by http', compose('{ path: /up }'), { 'http://shop.example.com/api/up': [{}] }],
  [
    'another port',
    application('{ path: /health, port: 8443 }'),
    { 'https://shop.example.com:8443/health': [moved('/in')], 'https://shop.example.com:8443/in': [{}] },
  ],
  [
    'the port of another entry point',
    application('{ port: 8443 }', { more: ', customEntrypoint: inside' }),
    { 'https://shop.example.com:8443/': [{}] },
  ],
  ['the usual entry point', application('{}', { more: ', customEntrypoint: websecure' }), { [`${site}/`]: [{}] }],
  ['another status', application('{ status: 401 }'), { [`${site}/`]: [{ status: 401 }] }],
  ['a redirect as its answer', application('{ status: 302 }'), { [`${site}/`]: [moved('https://login.example.com/')] }],
  ['a text', application('{ text: all is well }'), { [`${site}/`]: [{ body: '<p>all is well</p>' }] }],
  ['a redirect on its host', application('{}'), { [`${site}/`]: [moved('/en', 308)], [`${site}/en`]: [{}] }],
  [
    'a redirect to TLS',
    compose('{}'),
    { 'http://shop.example.com/api/': [moved('https://shop.example.com/api/', 301)], [`${site}/api/`]: [{}] },
  ],
  [
    'the right answer after some others',
    application('{ path: /health, within: 60s }'),
    {
      [`${site}/health`]: [
        { is: 'no name', why: 'the name does not resolve' },
        { is: 'certificate', why: 'its certificate is self-signed' },
        { status: 502 },
        { status: 404 },
        {},
      ],
    },
  ],
] as const satisfies readonly (readonly [string, string, Readonly<Record<string, readonly Answer[]>>])[];

test.each(answering200)('a service is deployed that answers at %s', async (_name, text, addresses) => {
  const made = platformWith(0);
  const { ask, asked } = web(addresses);
  const result = await applyInTime(made, text, { ask });
  expect([Object.values(results(result)).filter((one) => one !== 'done'), said(result)]).toEqual([[], '']);
  expect(new Set(asked)).toEqual(new Set(Object.keys(addresses)));
  await plansNothingMore(made, text);
});

const silent = [
  [
    'whose name does not resolve',
    { is: 'no name', why: 'the name shop.example.com does not resolve on this machine' },
    'the name shop.example.com does not resolve on this machine',
    'apply with --no-probe',
  ],
  [
    'that refuses the connection',
    { is: 'no answer', why: 'the server refused the connection' },
    'the server refused the connection',
    'apply with --no-probe',
  ],
  [
    'with a wrong certificate',
    { is: 'certificate', why: 'its certificate has expired' },
    'its certificate has expired',
    'certificateType: letsencrypt',
  ],
  [
    'that leads to another host',
    moved('https://user:pw@login.example.com/in?token=abc'),
    'it answers 302 and leads to https://login.example.com/in, another host',
    'Write status: 302',
  ],
  [
    'that leads to another port',
    moved('https://shop.example.com:8443/'),
    'leads to https://shop.example.com:8443/, another host',
    'Write status: 302',
  ],
  [
    'that redirects in a circle',
    moved('/'),
    `it redirects in a circle: ${site}/health -> ${site}/ -> ${site}/health`,
    'deploys it again',
  ],
  ['that answers 500', { status: 500, body: 'stack trace' }, 'it answers 500, not 200 to 299', 'trueup logs'],
  ['that leads nowhere', moved('mailto:a@b.example'), 'it answers 302, not 200 to 299', 'trueup logs'],
] as const satisfies readonly (readonly [string, Answer, string, string])[];

test.each(silent)('an address %s is a failed deployment', async (_name, answer, why, remedy) => {
  const made = platformWith(0);
  const text = application('{ path: /health }');
  const { ask, asked } = web({ [`${site}/health`]: [answer], [`${site}/`]: [moved('/health')] });
  const result = await applyInTime(made, text, { ask });
  expect(results(result)['production.application.web (deploy)']).toBe('failed');
  const remedies = result.outcomes.flatMap(({ diagnostics }) => diagnostics.flatMap((one) => one.remedy ?? []));
  const message = [said(result), ...remedies].join('\n');
  expect(message).toContain(`was deployed and does not answer as its probe says: ${site}/health`);
  for (const part of [why, remedy]) expect(message).toContain(part);
  for (const part of ['stack trace', 'token', 'pw@']) expect(message).not.toContain(part);
  // In rounds, until 30 s are over.
  expect(result.seconds).toBeGreaterThanOrEqual(30);
  expect(result.seconds).toBeLessThan(35);
  expect(new Set(asked.map((href) => new URL(href).host))).toEqual(new Set(['shop.example.com']));
  // The next plan deploys it again; an address that nobody asks is no reason against it.
  expect(await plannedNext(made, text)).toEqual(['deploy production.application.web (deploy)']);
  const before = asked.length;
  const again = await applyInTime(made, text, { ask, asks: false });
  expect([said(again), asked.length]).toEqual(['', before]);
  await plansNothingMore(made, text);
});

async function plannedNext(made: Bench, text: string) {
  return actionsOf(await passing(plan(await made.manifest(text), worldOver(made, made.emulator.send))));
}

test('an answer without the text is a failed deployment, and neither of them is shown', async () => {
  const made = platformWith(0);
  made.env['GREETING'] = 'good-morning-7';
  const text = application("{ text: '${env:GREETING}', within: 5s }");
  const { ask } = web({ [`${site}/`]: [{ body: 'password: hunter2', lacks: 'only the first 1 MiB are read' }] });
  const result = await applyInTime(made, text, { ask });
  expect(said(result)).toContain(': it answers 200 without the text of its probe: only the first 1 MiB are read');
  expect(said(result)).not.toMatch(/hunter2|good-morning/);
});

test('the end of the log of the container behind the address is shown, redacted', async () => {
  const made = platformWith(0);
  const send = answering(made, (operation) =>
    operation === 'compose.readLogs'
      ? { status: 200, headers: {}, body: JSON.stringify(`${'line\n'.repeat(40)}the key is emulator-key\n`) }
      : undefined,
  );
  const { ask } = web({});
  const result = await applyInTime(made, compose('{ within: 5s }'), { ask, send });
  const [{ details = [] } = {}] = result.outcomes.flatMap(({ diagnostics }) => diagnostics);
  expect(details.filter((line) => line.includes('line'))).toHaveLength(19);
  expect(said(result)).not.toContain('emulator-key');
  const read = made.emulator.log.find(({ operation }) => operation === 'docker.getContainersByAppNameMatch');
  expect(read).toBeDefined();
});

test('a container that dies while its address is asked is the reason', async () => {
  const made = platformWith(0);
  const { ask } = web({});
  const result = await applyInTime(made, compose('{}', 'web:will-exit-3-after-15s'), { ask });
  expect(said(result)).toMatch(/does not stay up: container \S+: it exited with code 3, after it had come up/);
});

test('a deployment waits for the domain, and what comes after it for the answer', async () => {
  const made = platformWith(0);
  const text = `${application('{ path: /health }')}      worker: { source: { type: docker, image: "w:1" }, after: [application.web] }\n`;
  const { ask, asked } = web({ [`${site}/health`]: [{ status: 503 }] });
  const result = await applyInTime(made, text, { ask });
  expect(results(result)).toMatchObject({
    'production.application.web (deploy)': 'failed',
    'production.application.worker (deploy)': 'skipped',
  });
  const order = made.emulator.log.map(({ operation }) => operation);
  expect(order.indexOf('domain.create')).toBeLessThan(
    order.findIndex((one) => /^application\.(?:re)?deploy$/.test(one)),
  );
  expect(asked.length).toBeLessThan(15);
  await applyInTime(made, text, { ask: web({ [`${site}/health`]: [{}] }).ask });
  await plansNothingMore(made, text);
});

test('a plan says what is asked, and an edit of a probe alone is no change', async () => {
  const made = platformWith(0);
  const { ask } = web({ [`${site}/`]: [{}] });
  const planned = async (text: string, asks = true) => {
    const world = { ...worldOver(made, made.emulator.send), ask: asks ? ask : undefined };
    return passing(plan(await made.manifest(text), world));
  };
  const asksOf = (one: Plan) => documentOf(one).actions.flatMap(({ asks = [] }) => asks);
  const first = await planned(application("{ path: '${var:check}' }"));
  expect(shown(first)).toContain(`; asks ${site}/health afterwards`);
  expect(asksOf(first)).toEqual([`${site}/health`]);
  expect(asksOf(await planned(application('{}'), false))).toEqual([]);
  expect(asksOf(await planned(application('{}', { more: ', enabled: false' })))).toEqual([]);
  made.env['CHECK'] = '/secret-way';
  expect(asksOf(await planned(application("{ path: '${env:CHECK}' }")))).toEqual([
    'production.application.web.domains["shop.example.com"]',
  ]);
  await applyInTime(made, application('{}'), { ask });
  for (const other of [application('{ path: /other, within: 90s }'), application('')])
    await plansNothingMore(made, other);
  const changed = application('{}', { image: 'web:2' });
  expect(asksOf(await planned(changed))).toEqual([`${site}/`]);
});

const unasked = [
  ['its own entry point', 'inside', []],
  ['the usual entry point of the other scheme', 'web', []],
  [
    'an entry point that is not known before',
    '${ref:application.other.appName}',
    [expect.stringContaining('.web.domains')],
  ],
] as const;

test.each(unasked)(
  'nothing is known of an address at %s, and that is no failure',
  async (_name, entrypoint, planned) => {
    const made = platformWith(0);
    const { ask, asked } = web({});
    const other = '      other: { source: { type: docker, image: "o:1" } }\n';
    const text = application('{}', { more: `, customEntrypoint: "${entrypoint}"` }) + other;
    const world = { ...worldOver(made, made.emulator.send), ask };
    const first = await passing(plan(await made.manifest(text), world));
    expect(documentOf(first).actions.flatMap(({ asks = [] }) => asks)).toEqual(planned);
    const result = await applyInTime(made, text, { ask });
    expect([Object.values(results(result)).filter((one) => one !== 'done'), asked]).toEqual([[], []]);
    const notes = [...first.actions.flatMap((one) => one.notes), ...result.outcomes.flatMap((one) => one.diagnostics)];
    expect(notes.filter(({ code }) => code === 'no-probe')).toMatchObject([
      {
        severity: 'note',
        message: expect.stringContaining('nothing says at which port its customEntrypoint is served'),
      },
    ]);
    await plansNothingMore(made, text);
  },
);

test('an interruption ends the questions', async () => {
  const made = platformWith(0);
  const { ask, asked } = web({ [`${site}/`]: [{ status: 502 }] }, 500);
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 15_000);
  const result = await applyInTime(made, application('{}'), { ask, signal: stop.signal });
  expect(results(result)['production.application.web (deploy)']).toBe('unverified');
  expect(result.seconds).toBeLessThan(17);
  expect(asked.length).toBeGreaterThan(2);
});

const wrong = [
  ['{ path: health }', 'probe.path "health" must begin with /'],
  ['{ within: 10ms }', 'probe.within must be a duration of 1s or more'],
  ['{ status: 99 }', 'probe.status'],
  ['{ port: 0 }', 'probe.port'],
  ['{ text: "${secret:TOKEN}" }', 'probe must not hold ${secret:TOKEN}'],
  ['{ text: "${ref:application.web.appName}" }', 'probe must not hold ${ref:production.application.web.appName}'],
  ['yes please', 'probe must be a map'],
] as const;

test.each(wrong)('probe: %s is refused', async (probe, message) => {
  const made = platformWith(0);
  await expect(made.manifest(application(probe))).rejects.toThrow(message);
});

import { afterEach, expect, test, vi } from 'vitest';
import type { Ask, Asked } from '../../src/api/ask-address.ts';
import { applyInTime, platformWith } from '../support/deploying.ts';
import { answering, said } from '../support/faults.ts';
import { head } from '../support/world.ts';
import { effort, isFull } from '../support/whole.ts';

/** Many services in one apply, each with a fate of its own: all are told apart. */

afterEach(() => void vi.useRealTimers());

type Kind = 'compose' | 'stack' | 'application' | 'postgres';

/** A service, and why it does not hold; empty: it holds. `former`: the image of the version before. */
type Planted = readonly [name: string, kind: Kind, image: string, why: string, about?: About];
interface About {
  readonly former?: string;
  /** In the service of the compose file. */
  readonly inFile?: string;
  /** Beside it in the compose file. */
  readonly beside?: string;
  readonly inBlock?: string;
}

const check = { inFile: ', healthcheck: { test: curl }' };
const always = { inFile: ', restart: always' };
const before = { former: '1' };
const noNode = 'no suitable node (scheduling constraints not satisfied on 1 node)';
const again = 'it is started again and again: ';
const back = 'Swarm put the former version back: task ';

const job = (mode: string, image: string): About => ({
  beside: `migrate: { image: "m:${image}", deploy: { mode: ${mode} } }`,
});
const named = (neighbour: string): About => ({ inBlock: `, appName: "\${ref:${neighbour}.appName}"` });

const planted: readonly Planted[] = [
  ['old', 'compose', '1', ''],
  ['fresh', 'compose', 'will-start', ''],
  ['edited', 'compose', '2-will-start', '', before],
  ['dies', 'compose', 'will-exit-3-after-1s', 'it exited with code 3'],
  ['dies-edited', 'compose', 'will-exit-137-after-1s', 'it exited with code 137', before],
  ['dies-late', 'compose', 'will-exit-1-after-20s', 'it exited with code 1, after it had come up'],
  ['loops', 'compose', 'will-exit-1-after-2s', `${again}it exited with code 1`, always],
  ['loops-with-0', 'compose', 'will-exit-0-after-2s', `${again}it ends by itself, with code 0`, always],
  ['loops-once', 'compose', 'will-exit-1-after-2s-1-times', '', always],
  ['loops-twice', 'compose', 'will-exit-1-after-2s-2-times', '', always],
  ['healthy', 'compose', 'will-healthy-after-5s', '', check],
  ['healthy-late', 'compose', 'will-healthy-after-25s', '', check],
  ['sick', 'compose', 'will-unhealthy-after-20s', 'its health check fails', check],
  ['sick-soon', 'compose', 'will-unhealthy-after-2s', 'its health check fails', check],
  ['one-shot', 'compose', 'will-exit-0-after-2s', ''],
  ['migrates', 'compose', '1', '', { beside: 'migrate: { image: "m:will-exit-0-after-3s" }' }],
  ['migrates-not', 'compose', '1', 'it exited with code 1', { beside: 'migrate: { image: "m:will-exit-1-after-3s" }' }],
  ['profile', 'compose', '1', '', { beside: 'cli: { image: "c:will-exit-1-after-1s", profiles: [cli] }' }],
  ['short', 'compose', 'will-start', '', { inBlock: ', health: { within: 12s }' }],
  [
    'short-sick',
    'compose',
    'will-healthy-after-25s',
    'its health check did not succeed within 12 s',
    { ...check, inBlock: ', health: { within: 12s }' },
  ],
  [
    'long',
    'compose',
    'will-exit-1-after-40s',
    'it exited with code 1, after it had come up',
    { inBlock: ', health: { within: 60s }' },
  ],
  ['shop', 'compose', '1', ''],
  ['shop-2', 'compose', 'will-exit-2-after-1s', 'it exited with code 2'],
  ['stack', 'stack', 'will-start', ''],
  ['stack-pulls', 'stack', 'will-pull-90s', ''],
  ['stack-no-image', 'stack', 'fail', 'its node rejected it: No such image: '],
  ['stack-dies', 'stack', 'will-exit-1-after-2s', 'it failed: task: non-zero exit (1)'],
  ['stack-pending', 'stack', 'will-pending', noNode],
  ['stack-elsewhere', 'stack', 'will-elsewhere', ''],
  ['stack-edited', 'stack', '2-will-start', '', before],
  ['stack-job', 'stack', '1', '', job('replicated-job', 'will-exit-0-after-3s')],
  [
    'stack-job-fails',
    'stack',
    '1',
    'it failed: task: non-zero exit (1)',
    job('replicated-job', 'will-exit-1-after-3s'),
  ],
  ['stack-global-job', 'stack', '1', '', job('global-job', 'will-exit-0-after-3s')],
  ['stack-no-job', 'stack', '1', 'it failed', job('replicated', 'will-exit-1-after-3s')],
  ['stack-idle', 'stack', '1', '', { beside: 'idle: { image: "i:will-exit-1-after-1s", deploy: { replicas: 0 } }' }],
  // The name of each second one begins with that of its neighbour.
  ['near', 'compose', '1', ''],
  [
    'near-2',
    'compose',
    'will-exit-1-after-2s',
    `${again}it exited with code 1`,
    { ...always, ...named('compose.near') },
  ],
  ['near-stack', 'stack', 'will-start', ''],
  ['near-stack-2', 'stack', 'will-exit-1-after-2s', 'it failed', named('compose.near-stack')],
  ['near-app', 'application', 'will-start', ''],
  ['near-app-2', 'application', 'will-exit-1-after-2s', 'it failed', named('application.near-app')],
  ['app', 'application', 'will-start', ''],
  ['app-2', 'application', 'will-exit-1-after-2s', 'it failed: task: non-zero exit (1)'],
  ['app-copies', 'application', 'will-start', '', { inBlock: ', replicas: 3' }],
  [
    'app-job',
    'application',
    'will-exit-0-after-2s',
    '',
    { inBlock: ', modeSwarm: { ReplicatedJob: { TotalCompletions: 1 } }' },
  ],
  ['app-none', 'application', 'will-exit-1-after-1s', '', { inBlock: ', replicas: 0' }],
  ['app-back', 'application', 'will-exit-1-after-2s', back, before],
  ['app-late-crash', 'application', '2-will-exit-1-after-8s-1-times', '', before],
  ['app-edited', 'application', '2-will-start', '', before],
  ['app-pending', 'application', 'will-pending', noNode],
  ['app-elsewhere', 'application', 'will-elsewhere', ''],
  ['db', 'postgres', '17', ''],
  ['db-edited', 'postgres', '17-will-start', '', { former: '17' }],
  ['db-back', 'postgres', '17-will-exit-1-after-2s', back, { former: '17' }],
  ['db-dies', 'postgres', '17-will-exit-1-after-2s', 'it failed: task: non-zero exit (1)'],
  ['web-well', 'application', '1', ''],
  ['web-25s', 'application', '1', ''],
  ['web-moved', 'application', '1', ''],
  ['web-500', 'application', '1', 'https://web-500.example.com/up: it answers 500, not 200 to 299'],
  [
    'web-circle',
    'application',
    '1',
    'it redirects in a circle: https://web-circle.example.com/up -> https://web-circle.example.com/up',
  ],
  ['web-abroad', 'application', '1', 'leads to https://login.example.com/, another host'],
  ['web-certificate', 'application', '1', 'its certificate is for other.example, not for'],
  ['web-no-name', 'application', '1', 'does not resolve on this machine'],
  ['web-refused', 'application', '1', 'the server refused the connection'],
  ['web-slow', 'application', '1', 'no whole answer came within'],
  ['web-empty', 'application', '1', 'it answers 200 without the text of its probe'],
];

/** What the address of a service answers so long after the first question. */
function answerOf(
  name: string,
  sinceMs: number,
): Partial<Extract<Asked, { is: 'answer' }>> | Exclude<Asked, { is: 'answer' }> {
  switch (name) {
    case 'web-25s':
      return sinceMs < 25_000 ? { status: 502 } : { body: 'up' };
    case 'web-moved':
      return { status: 308, location: '/in' };
    case 'web-500':
      return { status: 500 };
    case 'web-circle':
      return { status: 302, location: '/up' };
    case 'web-abroad':
      return { status: 302, location: 'https://login.example.com/' };
    case 'web-certificate':
      return { is: 'certificate', why: `its certificate is for other.example, not for ${name}.example.com` };
    case 'web-no-name':
      return { is: 'no name', why: `the name ${name}.example.com does not resolve on this machine` };
    case 'web-refused':
      return { is: 'no answer', why: 'the server refused the connection' };
    case 'web-empty':
      return { body: '' };
    default:
      return { body: 'up' };
  }
}

function web(): Ask {
  const since = new Map<string, number>();
  return async ({ hostname, pathname }, { deadlineMs }) => {
    const name = hostname.split('.')[0] ?? '';
    if (!since.has(name)) since.set(name, Date.now());
    if (name === 'web-slow') {
      await after(deadlineMs);
      return { is: 'no answer', why: `no whole answer came within ${deadlineMs / 1_000} s` };
    }
    const answer = pathname === '/in' ? { body: 'up' } : answerOf(name, Date.now() - (since.get(name) ?? 0));
    if ('why' in answer) return answer;
    return { is: 'answer', status: 200, location: undefined, body: '', lacks: undefined, ...answer };
  };
}

function blockOf([name, kind, image, , { inFile = '', beside, inBlock = '' } = {}]: Planted): string {
  switch (kind) {
    case 'compose':
    case 'stack': {
      const more = beside === undefined ? '' : `, ${beside}`;
      const type = kind === 'stack' ? ', composeType: stack' : '';
      const file = `services: { web: { image: "web:${image}"${inFile} }${more} }`;
      // An image that cannot be pulled is called fail:….
      return `${name}: { source: { type: raw, composeFile: '${file.replace('web:fail', 'fail:1')}' }${type}${inBlock} }`;
    }
    case 'application': {
      const domain = `${name}.example.com: { https: true, certificateType: letsencrypt, port: 80, probe: { path: /up, text: up } }`;
      const domains = name.startsWith('web') ? `, domains: { ${domain} }` : '';
      return `${name}: { source: { type: docker, image: "web:${image}" }${inBlock}${domains} }`;
    }
    case 'postgres':
      return `${name}: { dockerImage: "postgres:${image}", databaseName: shop, databaseUser: u, databasePassword: password-1 }`;
    default:
      return kind satisfies never;
  }
}

function manifestOf(all: readonly Planted[]): string {
  const section = (...kinds: Kind[]) =>
    all.filter(([, kind]) => kinds.includes(kind)).map((one) => `      ${blockOf(one)}\n`);
  const sections = [
    ['compose', section('compose', 'stack')],
    ['application', section('application')],
    ['postgres', section('postgres')],
  ] as const;
  const written = sections.flatMap(([name, blocks]) =>
    blocks.length === 0 ? [] : [`    ${name}:\n${blocks.join('')}`],
  );
  return `${head}environments:\n  production:\n${written.join('')}`;
}

test(`${planted.length} services are told apart`, async () => {
  const made = platformWith(0);
  const former = planted.flatMap(([name, kind, , why, about]): Planted[] =>
    about?.former === undefined ? [] : [[name, kind, about.former, why, about]],
  );
  await applyInTime(made, manifestOf(former));
  const { outcomes } = await applyInTime(made, manifestOf(planted), { ask: web(), limitSeconds: 120 });
  const found = planted.map(([name]) => {
    const own = outcomes.find(({ action }) => action.action === 'deploy' && action.block.endsWith(`.${name}`));
    return [name, own?.diagnostics.map(({ message }) => message).join('\n')];
  });
  const expected = planted.map(([name, , , why]) => [name, why === '' ? '' : expect.stringContaining(why)]);
  expect(found).toEqual(expected);
  const failed = outcomes.filter(({ result }) => result !== 'done').map(({ action }) => action.block.split('.').at(-1));
  expect(new Set(failed)).toEqual(new Set(planted.flatMap(([name, , , why]) => (why === '' ? [] : name))));
});

test.each([
  ['docker fails, and the platform answers []', 200, '[]', 'the platform lists no containers of it'],
  ['the key lacks docker.read', 403, '{"message":"no","code":"FORBIDDEN"}', 'lacks the right'],
])('nothing is known where %s, and nothing fails', async (_name, status, body, why) => {
  const made = platformWith(0);
  const send = answering(made, (operation) =>
    operation.startsWith('docker.') ? { status, headers: { 'content-type': 'application/json' }, body } : undefined,
  );
  const some = planted.filter(([name]) => ['dies', 'old', 'stack', 'app', 'db', 'web-well'].includes(name));
  const result = await applyInTime(made, manifestOf(some), { ask: web(), send });
  expect(result.outcomes.filter((one) => one.result !== 'done')).toEqual([]);
  expect(said(result)).toContain(why);
  expect(said(result).match(/is not known/g)).toHaveLength(1);
});

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test.runIf(isFull)(
  'healthy services hold under load, whatever the answers take and however late this process runs',
  { timeout: 3_600_000 },
  async () => {
    const healthy = planted.filter(
      ([name, , , why, about]) => why === '' && about?.former === undefined && name !== 'stack-pulls',
    );
    for (let run = 0, services = 0; services < effort({ fast: 0, full: 150, all: 1_000 }); run += 1) {
      const made = platformWith(run % 4);
      const some = [1, 2, 3].flatMap((copy) => healthy.map(([name, ...rest]): Planted => [`${name}-${copy}`, ...rest]));
      let seed = run;
      const send: typeof made.emulator.send = async (request) => {
        // A linear congruential generator: each run has delays of its own, the same each time.
        seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31;
        const [ms, isBefore] = [seed % 10 === 0 ? 8_000 : seed % 500, (seed >> 8) % 2 === 0];
        if (isBefore) await after(ms);
        const answer = await made.emulator.send(request);
        if (!isBefore) await after(ms);
        return answer;
      };
      const stallMs = [700, 6_000, 0][run % 3] ?? 0;
      const result = await applyInTime(made, manifestOf(some), { ask: web(), send, stallMs });
      expect(result.outcomes.filter((one) => one.result !== 'done').map(({ action }) => action.address)).toEqual([]);
      services += some.length;
    }
  },
);

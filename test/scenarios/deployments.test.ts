import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Plan } from '../../src/plan/action.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { applyInTime, ordersIn, passing, plansNothingMore, platformWith } from '../support/deploying.ts';
import {
  actionsOf,
  answered,
  answering,
  applyOver,
  connection,
  everything,
  failed,
  idOf,
  notesOf,
  operationOf,
  results,
  rowsIn,
  said,
  worldOver,
} from '../support/faults.ts';
import { deployByHand } from '../support/deployments.ts';
import type { Bench } from '../support/world.ts';
import { systemClock } from '../../src/state/clock.ts';
import { msToWait } from '../../src/state/wait-out.ts';
import { bench, head } from '../support/world.ts';

/** Services that others deploy too, that are taken back, and that wait behind others. */

afterEach(() => {
  vi.useRealTimers();
});

const shop = 'production.compose.shop';
const main = 'production.postgres.main';
const web = 'production.application.web';
const file = (image: string) => `"services: { web: { image: '${image}' } }"`;
const block = (name: string, more = '', image = 'nginx:1') =>
  `      ${name}: { source: { type: raw, composeFile: ${file(image)} }${more === '' ? '' : `, ${more}`} }\n`;
const stack = (more = '', { environment = '', image = 'nginx:1' } = {}) =>
  `${head}environments:\n  production:\n${environment === '' ? '' : `    ${environment}\n`}    compose:\n${block('shop', more, image)}`;
const inRegion = (region: string, more = '') =>
  stack(`env: { R: "\${{environment.REGION}}" }${more}`, { environment: `env: { REGION: ${region} }` });
const database = (image: string, more = '') =>
  `${head}environments:\n  production:\n    postgres:\n      main: { dockerImage: "${image}", databaseName: shop, databaseUser: u, databasePassword: password-1${more} }\n`;
const fetched = (kind: string, branch: string, more = '') =>
  `${head}environments:\n  production:\n    ${kind}:\n      ${kind === 'compose' ? 'shop' : 'web'}: { source: { type: git, url: "https://git.example.com/shop.git", branch: ${branch} }${more} }\n`;

const apply = (made: Bench, text: string) => made.apply(text, everything);
const deploysIn = (planned: Plan) =>
  planned.actions.flatMap(({ action, parent }) => (action === 'deploy' ? [parent] : []));

async function byHand(made: Bench): Promise<void> {
  await deployByHand(made, idOf(made, shop), 'compose');
}

describe('a reverted change is deployed, because something else may run:', () => {
  test('a database that was deployed by hand', async () => {
    const made = bench();
    await apply(made, database('postgres:17'));
    await apply(made, database('postgres:18', ', deploy: never'));
    await made.emulator.act('postgres.deploy', { postgresId: idOf(made, main) });
    expect(deploysIn(await made.plan(database('postgres:17')))).toEqual([main]);
  });

  test('a manual change that was deployed, and that the manifest had for a while', async () => {
    const made = bench();
    await apply(made, stack('env: { A: "1" }'));
    await made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'A=2' });
    await byHand(made);
    await apply(made, stack('env: { A: "2" }, deploy: never'));
    expect(deploysIn(await made.plan(stack('env: { A: "1" }')))).toEqual([shop]);
  });

  test('a manual deployment after a partly failed run', async () => {
    const made = bench();
    await apply(made, stack('env: { A: "1" }'));
    await applyOver(
      made,
      stack('env: { A: "2" }, domains: { a.example.com: { serviceName: web } }'),
      answering(made, (operation) => (operation === 'domain.create' ? failed('disk full') : undefined)),
    );
    await byHand(made);
    expect(deploysIn(await made.plan(stack('env: { A: "1" }')))).toEqual([shop]);
  });

  test('a service that a person moved and deployed elsewhere', async () => {
    const made = bench();
    const text = `${inRegion('eu')}  staging:\n    env: { REGION: us }\n`;
    await apply(made, text);
    await made.emulator.act('compose.update', { composeId: idOf(made, shop), environmentId: idOf(made, 'staging') });
    await byHand(made);
    expect(deploysIn(await made.plan(text))).toEqual([shop]);
  });

  test('a variable that was deployed by hand', async () => {
    const made = bench();
    await apply(made, inRegion('eu'));
    await apply(made, inRegion('us', ', deploy: never'));
    await byHand(made);
    expect(deploysIn(await made.plan(inRegion('us')))).toEqual([]);
    expect(deploysIn(await made.plan(inRegion('eu')))).toEqual([shop]);
  });

  test('a replacement that failed beside a variable that was written', async () => {
    const made = bench();
    const text = (region: string, type: string) => inRegion(region, `, composeType: ${type}`);
    await apply(made, text('eu', 'docker-compose'));
    await applyOver(
      made,
      text('us', 'stack'),
      answering(made, (operation) =>
        operation === 'compose.delete' ? failed('no', 400, { code: 'BAD_REQUEST' }) : undefined,
      ),
    );
    expect(deploysIn(await made.plan(text('us', 'docker-compose')))).toEqual([shop]);
  });
});

describe('a variable of the environment', () => {
  test('that a person wrote, and that the manifest has now, deploys the services that mention it', async () => {
    const made = bench();
    await apply(made, inRegion('eu'));
    await made.emulator.act('environment.update', { environmentId: 'env_prj_1', env: 'REGION=us' });
    expect(deploysIn(await made.plan(inRegion('us')))).toEqual([shop]);
  });

  test('is compared beside a secret that the run does not have', async () => {
    const made = bench();
    made.secrets.PW = 'password-99';
    const text = (region: string) =>
      stack(`env: { R: "\${secret:PW}@\${{environment.REGION}}" }`, { environment: `env: { REGION: ${region} }` });
    await apply(made, text('eu'));
    delete made.secrets.PW;
    expect(deploysIn(await made.plan(text('us')))).toEqual([shop]);
  });
});

describe('code', () => {
  test('of an application is not fetched by a redeployment: by the document only, the plan keeps reporting that', async () => {
    const made = bench({ documentedOnly: true });
    await apply(made, fetched('application', 'main'));
    await deployByHand(made, idOf(made, web));
    expect(notesOf(await made.plan(fetched('application', 'main')))).toEqual([]);
    await apply(made, fetched('application', 'next'));
    await deployByHand(made, idOf(made, web), 'application', 'redeploy');
    expect(notesOf(await made.plan(fetched('application', 'next'))).map(({ code }) => code)).toEqual(['not-deployed']);
  });

  test('of a compose is not fetched by a redeployment either', async () => {
    const made = bench();
    await apply(made, fetched('compose', 'main'));
    await apply(made, fetched('compose', 'next', ', deploy: never'));
    await deployByHand(made, idOf(made, shop), 'compose', 'redeploy');
    expect(deploysIn(await made.plan(fetched('compose', 'next')))).toEqual([shop]);
  });

  test.each([0, 20])(
    'of a compose: the deployment is ours although it ends under its commit, after %d s',
    async (seconds) => {
      const made = platformWith(seconds);
      const result = await applyInTime(made, fetched('compose', 'main'));
      expect(results(result)[`${shop} (deploy)`]).toBe('done');
      expect(result.seconds).toBeLessThan(seconds + 5);
      expect(ordersIn(made)).toHaveLength(1);
      expect(Object.values(made.emulator.world.tables.deployment as Record<string, Row>)[0]?.description).toMatch(
        /^Commit: /,
      );
      await plansNothingMore(made, fetched('compose', 'main'));
    },
  );
});

describe('an image with a registry', () => {
  const text = `${head}registries:\n  own: { username: u, password: password-1, registryUrl: images.example.com }\nenvironments:\n  production:\n    application:\n      web: { source: { type: docker, image: "nginx:1" }, registryId: own }\n`;

  test('is deployed by the operation that pulls it, and then plans nothing', async () => {
    const made = bench();
    const result = await apply(made, text);
    expect(results(result)[`${web} (deploy)`]).toBe('done');
    expect(made.requests('POST')).toContain('application.deploy');
    expect(notesOf(await made.plan(text))).toEqual([]);
    expect(actionsOf(await made.plan(text))).toEqual([]);
  });
});

describe.each([0, 5, 30, -30])('a run whose clock is %i minutes ahead of that of the run before', (minutes) => {
  let aheadMs = 0;
  beforeEach(() => {
    aheadMs = 0;
  });
  /** The platform, with its own time in its answers. */
  const dated =
    (made: Bench): Send =>
    async (request) => {
      const answer = await made.emulator.send(request);
      const date = new Date(Date.now() - aheadMs).toUTCString();
      return { ...answer, headers: { ...answer.headers, date } };
    };

  /** Interrupts a run as soon as it ordered a deployment, which the platform gets so many seconds later. */
  const interrupted = async (made: Bench, text: string, order: string, laterMs: number) => {
    const stopping = new AbortController();
    const send: Send = async (request) => {
      if (operationOf(request) !== order) return dated(made)(request);
      setTimeout(() => void made.emulator.send(request), laterMs);
      stopping.abort();
      throw connection('ECONNRESET');
    };
    await applyInTime(made, text, { send, signal: stopping.signal });
    aheadMs = minutes * 60_000;
    vi.setSystemTime(Date.now() + aheadMs);
  };

  test('gives a deployment the whole in-flight timeout to begin', async () => {
    const made = platformWith(5);
    await interrupted(made, stack(), 'compose.deploy', 30_000);
    await applyInTime(made, stack(), { send: dated(made) });
    await passing(systemClock.sleep(60_000));
    expect(ordersIn(made)).toEqual(['shop']);
    await plansNothingMore(made, stack());
  });

  test('gives a deployment of a database the whole in-flight timeout to begin', async () => {
    const made = platformWith(5);
    await interrupted(made, database('postgres:17'), 'postgres.deploy', 30_000);
    await applyInTime(made, database('postgres:17'), { send: dated(made) });
    await passing(systemClock.sleep(60_000));
    expect(ordersIn(made)).toEqual(['main']);
    await plansNothingMore(made, database('postgres:17'));
  });

  test('gives the deployment of a database its whole time', async () => {
    const made = platformWith(600);
    await interrupted(made, database('postgres:17'), 'postgres.deploy', 0);
    const next = await applyInTime(made, database('postgres:17'), { send: dated(made) });
    expect(said(next)).not.toContain('has not ended within');
    await passing(systemClock.sleep(60_000));
    expect(ordersIn(made)).toEqual(['main']);
    await plansNothingMore(made, database('postgres:17'));
  });
});

describe('deployments that the platform accepted', () => {
  const text = stack() + [1, 2, 3, 4].map((n) => block(`s${n}`)).join('');

  test('and that wait in its queue when the run ends are not started again', async () => {
    const made = platformWith(60);
    await applyInTime(made, text, { waits: false });
    expect(ordersIn(made)).toHaveLength(5);
    await passing(new Promise((resolve) => setTimeout(resolve, 90_000)));
    const result = await applyInTime(made, text);
    expect(ordersIn(made)).toEqual([]);
    expect(Object.values(results(result)).every((word) => word === 'done')).toBe(true);
    await plansNothingMore(made, text);
  });

  test('and lost with its queue are started again after the in-flight timeout, with a note', async () => {
    const made = platformWith(1);
    const lost = answering(made, (operation) =>
      operation === 'compose.deploy' ? answered('{"success":true}') : undefined,
    );
    await applyInTime(made, stack(), { waits: false, send: lost });
    expect(ordersIn(made)).toEqual([]);
    const result = await applyInTime(made, stack());
    expect(ordersIn(made)).toEqual(['shop']);
    expect(said(result)).toContain('that an earlier run started did not begin, and no other runs; started it again');
    // The in-flight timeout, and a few seconds that a list may lag.
    expect(result.seconds).toBeLessThan(90);
    await plansNothingMore(made, stack());
  });

  test('keep no later write from its own in-flight timeout: the next run waits for it, and reads what it left', async () => {
    const made = platformWith(300);
    const described = stack('description: other');
    await applyInTime(made, stack(), { waits: false });
    const controller = new AbortController();
    const landing: Promise<unknown>[] = [];
    let begin = 0;
    const killed: Send = (request) => {
      if (operationOf(request) !== 'compose.update') return made.emulator.send(request);
      controller.abort();
      begin = performance.now();
      const late = new Promise((resolve) => setTimeout(resolve, 590_000));
      landing.push(late.then(() => made.emulator.send(request)));
      return Promise.reject(connection('ETIMEDOUT'));
    };
    await applyInTime(made, described, { send: killed, signal: controller.signal, inFlightTimeoutMs: 600_000 });
    expect(landing).toHaveLength(1);
    expect(await msToWait(made.store, { inFlightTimeoutMs: 60_000, clock: systemClock })).toBe(600_000);
    const sent = made.emulator.log.length;
    await applyInTime(made, described);
    expect(performance.now() - begin).toBeGreaterThanOrEqual(600_000);
    // The write came before the run read anything: the run has nothing to write, and the deployment is over.
    const [first, ...others] = made.emulator.log.slice(sent);
    expect(first?.operation).toBe('compose.update');
    expect(others.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(ordersIn(made)).toEqual(['shop']);
    await plansNothingMore(made, described);
  });

  test('behind a foreign deployment are not started again', async () => {
    const made = platformWith(200);
    const composeFile = 'services: { a: { image: "a:1" } }';
    const other = (await made.emulator.act('compose.create', { name: 'other', environmentId: 'env_prj_1' })) as Row;
    await made.emulator.act('compose.update', { composeId: other.composeId, sourceType: 'raw', composeFile });
    await made.emulator.act('compose.deploy', { composeId: other.composeId });
    await applyInTime(made, text, { waits: false });
    ordersIn(made);
    await passing(new Promise((resolve) => setTimeout(resolve, 90_000)));
    await applyInTime(made, text);
    expect(ordersIn(made)).toEqual([]);
  });
});

describe('services that refer to others', () => {
  const composes = (lines: string) => `${head}environments:\n  production:\n    compose:\n${lines}`;
  const namesOther = (other: string) => `files: { a: { content: "\${ref:compose.${other}.appName}" } }`;

  test('and those to them, each by a file, are deployed both', async () => {
    const made = platformWith();
    const text = composes(block('shop', namesOther('blog')) + block('blog', namesOther('shop')));
    const result = await applyInTime(made, text);
    expect(Object.values(results(result)).every((word) => word === 'done')).toBe(true);
    expect(ordersIn(made).toSorted()).toEqual(['blog', 'shop']);
    await plansNothingMore(made, text);
  });

  test('wait for deployments behind one that is not deployed itself, and name the one that failed', async () => {
    const made = bench();
    const refersTo = (other: string) => `env: { A: "\${ref:compose.${other}.appName}" }`;
    const text = (image: string) =>
      composes(block('shop', refersTo('middle'), image) + block('middle', refersTo('last')) + block('last', '', image));
    await apply(made, text('nginx:1'));
    ordersIn(made);
    await apply(made, text('nginx:2'));
    expect(ordersIn(made)).toEqual(['last', 'shop']);
    const result = await applyOver(
      made,
      text('nginx:3'),
      answering(made, (operation) =>
        operation === 'compose.deploy' ? failed('no', 400, { code: 'BAD_REQUEST' }) : undefined,
      ),
    );
    expect(said(result)).toContain(
      'the deployment of production.compose.shop was not tried, because the deployment of production.compose.last did not succeed',
    );
  });
});

describe('a database', () => {
  test('is not deployed while an earlier deployment runs, because the end of that one looks the same', async () => {
    const made = platformWith(100);
    await applyInTime(made, database('postgres:15'));
    await applyInTime(made, database('postgres:16'), { limitSeconds: 30 });
    const orders: number[] = [];
    const send: Send = async (request) => {
      if (operationOf(request) === 'postgres.deploy') orders.push(rowsIn(made, 'postgres').filter(isRunning).length);
      return made.emulator.send(request);
    };
    const result = await applyInTime(made, database('postgres:17'), { send });
    expect(results(result)[`${main} (deploy)`]).toBe('done');
    expect(orders).toEqual([0]);
    await plansNothingMore(made, database('postgres:17'));
  });

  const isRunning = ({ applicationStatus }: Row) => applicationStatus === 'running';
});

test('a compose without a list of deployments, started with --no-wait, is not done because it was done before', async () => {
  const made = platformWith(30);
  const send: Send = async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) !== 'compose.one') return answer;
    const { deployments: _, ...row } = JSON.parse(answer.body) as Row;
    return answered(JSON.stringify(row), answer.status);
  };
  await applyInTime(made, stack(), { send });
  await applyInTime(made, stack('', { image: 'nginx:2' }), { send, waits: false });
  const planned = await passing(plan(await made.manifest(stack('', { image: 'nginx:2' })), worldOver(made, send)));
  expect(actionsOf(planned)).toEqual([`deploy ${shop} (deploy)`]);
});

test('an unknown status is not the end of a deployment', async () => {
  const made = platformWith(20);
  const send: Send = async (request) => {
    const answer = await made.emulator.send(request);
    if (operationOf(request) !== 'compose.one') return answer;
    return answered(answer.body.replaceAll('"status":"running"', '"status":"preparing"'), answer.status);
  };
  const result = await applyInTime(made, stack(), { send });
  expect(results(result)[`${shop} (deploy)`]).toBe('done');
  expect(result.seconds).toBeGreaterThanOrEqual(20);
});

describe('a failure', () => {
  const telling =
    (made: Bench, errorMessage: string): Send =>
    async (request) => {
      const answer = await made.emulator.send(request);
      if (operationOf(request) !== 'compose.one') return answer;
      const row = JSON.parse(answer.body) as Row & { deployments: Row[] };
      const deployments = row.deployments.map((item) =>
        item.status === 'done' ? { ...item, status: 'error', errorMessage } : item,
      );
      return answered(JSON.stringify({ ...row, deployments }), answer.status);
    };

  test('is reported with the log of our deployment, also when another one comes after it', async () => {
    const made = platformWith(5);
    await applyInTime(made, stack());
    const composeId = rowsIn(made, 'compose')[0]?.composeId;
    const result = await applyInTime(made, stack('', { image: 'fail:2' }), {
      send: async (request) => {
        const answer = await made.emulator.send(request);
        if (operationOf(request) === 'compose.deploy') {
          await made.emulator.act('compose.deploy', { composeId, description: 'by hand' });
        }
        return answer;
      },
    });
    const rows = Object.values(made.emulator.world.tables.deployment as Record<string, Row>);
    const ours = rows.findLast(({ description }) => String(description).startsWith('trueup-'));
    const details = result.outcomes.flatMap((item) => item.diagnostics.flatMap((about) => about.details ?? []));
    expect(details).toContain('status: error');
    expect(details).toContain(`log on the server: ${String(ours?.logPath)}`);
  });

  test('quotes the platform without secrets', async () => {
    const made = platformWith();
    const composeFile = 'services: { web: { image: "nginx:2", environment: [DB_PASSWORD=by-hand-1] } }';
    const text = `${head}environments:\n  production:\n    compose:\n      shop: { source: { type: raw, composeFile: '${composeFile}' }, env: { TOKEN: shown-nowhere } }\n`;
    const message = 'validating docker-compose.yml: web: image nginx:2 not found, DB_PASSWORD=by-hand-1 shown-nowhere';
    const result = await applyInTime(made, text, { send: telling(made, message) });
    expect(said(result)).toContain('validating docker-compose.yml: web: image nginx:2 not found');
    expect(said(result)).not.toContain('by-hand-1');
    expect(said(result)).not.toContain('shown-nowhere');
  });
});

test('a service that was surely never deployed is deployed when it is adopted', async () => {
  const made = bench();
  await apply(made, stack('deploy: never'));
  made.store.state = undefined;
  const planned = await made.plan(stack());
  expect(actionsOf(planned)).toEqual(['adopt production', `adopt ${shop}`, `deploy ${shop} (deploy)`]);
  await apply(made, stack());
  expect(actionsOf(await made.plan(stack()))).toEqual([]);
});

test('a database that was surely never deployed is deployed when it is adopted', async () => {
  const made = bench();
  await apply(made, database('postgres:17', ', deploy: never'));
  made.store.state = undefined;
  const text = database('postgres:17');
  expect(actionsOf(await made.plan(text))).toEqual(['adopt production', `adopt ${main}`, `deploy ${main} (deploy)`]);
  await apply(made, text);
  expect(rowsIn(made, 'postgres')).toMatchObject([{ applicationStatus: 'done' }]);
  made.store.state = undefined;
  expect(actionsOf(await made.plan(text))).toEqual(['adopt production', `adopt ${main}`]);
});

import { describe, expect, test } from 'vitest';
import type { Send } from '../../src/api/wire.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { World } from '../../src/emulator/world.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { commandFor, commandInput } from '../../src/kind/command-call.ts';
import type { Row } from '../../src/formats/json.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { schedule } from '../../src/resources/schedule.ts';
import { driftOf, edit } from '../support/drifting.ts';
import { exportOf } from '../support/exporting.ts';
import { answered, failed, operationOf, worldOver } from '../support/faults.ts';
import { warningsAndMark } from '../support/problems.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Ports, redirects, users of basic authentication, schedules and tags, which the API document does not have. */

const web = (more: string) =>
  `${head}environments:\n  production:\n    application:\n      web: { source: { type: docker, image: nginx }, ${more} }\n`;
const published = web('ports: { http: { publishedPort: 8080, targetPort: 80 } }');
const http = 'production.application.web.ports.http';

async function actionsOf(made: Bench, text: string): Promise<string[]> {
  const { actions } = await made.plan(text);
  return actions.filter(({ action }) => action !== 'no-op').map(({ action, address }) => `${action} ${address}`);
}

/** The codes of the errors that a plan stops with. */
async function errorsOf(planning: Promise<unknown>): Promise<string[]> {
  const error: unknown = await planning.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Stop)) throw new Error('it did not stop', { cause: error });
  return error.diagnostics.map(({ code, message }) => `${code}: ${message}`);
}

test('leafs that somebody made by hand have the names in drift that an export gives their blocks', async () => {
  const made = bench();
  const { state } = await made.apply(published, { adoption: true });
  const at = { applicationId: state.resources['production.application.web']?.id };
  for (const [publishedPort, protocol] of [
    [8080, 'udp'],
    [9000, 'tcp'],
  ] as const)
    await edit(made, 'port.create', { ...at, publishedPort, protocol, targetPort: 80, publishMode: 'ingress' });
  const regex = '^https?://old\\.example\\.com/(.*)';
  await edit(made, 'redirects.create', { ...at, regex, replacement: 'https://example.com/${1}', permanent: true });
  await edit(made, 'security.create', { ...at, username: 'reader', password: 'canary-1' });
  const { findings } = await driftOf(made, published);
  expect(findings.map(({ is, address, name }) => [is, address, name])).toEqual(
    [
      ['ports["8080/udp"]', '8080/udp'],
      ['ports["9000/tcp"]', '9000/tcp'],
      ['redirects.https-old-example-com', 'https-old-example-com'],
      ['security.reader', 'reader'],
    ].map(([key = '', name]) => ['unmanaged', `production.application.web.${key}`, name]),
  );
  const { blocks } = await exportOf(made);
  expect([...blocks.keys()]).toEqual(expect.arrayContaining(findings.map(({ address }) => address)));
});

describe('a port, whose read answers every failure alike', () => {
  test('that somebody deleted is created again, and then plans nothing', async () => {
    const made = bench();
    const { state } = await made.apply(published);
    await made.emulator.act('port.delete', { portId: state.resources[http]?.id });
    expect(await actionsOf(made, published)).toEqual([`create ${http}`, 'deploy production.application.web (deploy)']);
    await made.apply(published);
    expect(await actionsOf(made, published)).toEqual([]);
  });

  test('that its application does not list once is not believed to be gone', async () => {
    const made = bench();
    const { state } = await made.apply(published);
    expect(state.resources[http]?.id).toBeDefined();
    let lists = 0;
    const send: Send = async (request) => {
      const answer = await made.emulator.send(request);
      const operation = operationOf(request);
      if (operation === 'port.one') return failed('Port not found', 400, { code: 'BAD_REQUEST' });
      if (operation !== 'application.one') return answer;
      lists += 1;
      return lists > 1 ? answer : answered(JSON.stringify({ ...(JSON.parse(answer.body) as object), ports: [] }));
    };
    made.requests('POST');
    expect(await errorsOf(plan(await made.manifest(published), worldOver(made, send)))).toEqual([
      expect.stringContaining(`hidden: a list of the platform shows ${http}`),
    ]);
    expect(made.requests('POST')).toEqual([]);
  });
});

describe('a schedule of a server, which can stand at the top as well', () => {
  const text = `${head}servers: { server-1: { schedules: { prune: { cronExpression: "@daily", script: prune } } } }\n`;
  const prune = 'servers.server-1.schedules.prune';

  test('is found with one list per server, and read by itself never', async () => {
    const made = bench({ emulate: { world: { ...seedWorld(), everyServerAnswers: true } } });
    await made.apply(text, { adoption: true });
    made.requests('GET');
    expect(await actionsOf(made, text)).toEqual([]);
    const reads = made.requests('GET').filter((operation) => operation.startsWith('schedule.'));
    expect(reads).toEqual(['schedule.list', 'schedule.list']);
  });

  test('that somebody deleted is created again, and then plans nothing', async () => {
    const made = bench({ emulate: { world: { ...seedWorld(), everyServerAnswers: true } } });
    const { state } = await made.apply(text, { adoption: true });
    await made.emulator.act('schedule.delete', { scheduleId: state.resources[prune]?.id });
    expect(await actionsOf(made, text)).toEqual([`create ${prune}`]);
    await made.apply(text);
    expect(await actionsOf(made, text)).toEqual([]);
  });

  test('moves to the server of the platform by a new schedule there', async () => {
    const made = bench({ emulate: { world: { ...seedWorld(), everyServerAnswers: true } } });
    await made.apply(text, { adoption: true });
    const atTop = `${head}servers: { server-1: {} }\nschedules: { prune: { cronExpression: "@daily", script: prune } }\n`;
    expect((await actionsOf(made, atTop)).toSorted()).toEqual(['create schedules.prune', `delete ${prune}`]);
    await made.apply(atTop, { dataLoss: true });
    expect(await actionsOf(made, atTop)).toEqual([]);
  });
});

/** A world with one of each kind in another organization, which its operations do not guard. */
function worldWithForeign(): World {
  const world = seedWorld();
  addRow(world, 'organization', { id: 'org_2', name: 'theirs', slug: 'theirs', ownerId: 'user_1' });
  addRow(world, 'project', { projectId: 'prj_9', name: 'theirs', organizationId: 'org_2' });
  addRow(world, 'environment', { environmentId: 'env_9', name: 'production', projectId: 'prj_9', isDefault: true });
  addRow(world, 'application', { applicationId: 'app_9', name: 'web', appName: 'web-9', environmentId: 'env_9' });
  const applicationId = 'app_9';
  addRow(world, 'port', { portId: 'por_9', publishedPort: 8080, targetPort: 80, applicationId });
  addRow(world, 'redirect', { redirectId: 'red_9', regex: '^a$', replacement: 'theirs', applicationId });
  addRow(world, 'security', { securityId: 'sec_9', username: 'reader', password: 'canary-theirs', applicationId });
  addRow(world, 'schedule', { scheduleId: 'sch_9', name: 'nightly', command: 'theirs', appName: 's', applicationId });
  const ofMachine = { scheduleType: 'dokploy-server', organizationId: 'org_2', script: 'canary-theirs' };
  addRow(world, 'schedule', { scheduleId: 'mac_9', name: 'prune', appName: 'p', ...ofMachine });
  addRow(world, 'tag', { tagId: 'tag_9', name: 'live', color: 'canary-theirs', organizationId: 'org_2' });
  return world;
}

const blocks: readonly [title: string, id: string, text: (more: string) => string, address: string][] = [
  ['port', 'por_9', (more) => web(`ports: { http: { publishedPort: 8080, targetPort: 81${more} } }`), http],
  [
    'redirect',
    'red_9',
    (more) => web(`redirects: { a: { regex: ^a$, replacement: ours${more} } }`),
    'production.application.web.redirects.a',
  ],
  [
    'security',
    'sec_9',
    (more) => web(`security: { reader: { password: correct-horse${more} } }`),
    'production.application.web.security.reader',
  ],
  [
    'schedule',
    'sch_9',
    (more) => web(`schedules: { nightly: { cronExpression: "@daily", command: ours${more} } }`),
    'production.application.web.schedules.nightly',
  ],
  [
    'machineSchedule',
    'mac_9',
    (more) => `${head}schedules: { prune: { cronExpression: "@daily", script: ours${more} } }\n`,
    'schedules.prune',
  ],
];

describe.each(blocks)('a %s of another organization', (_title, id, text, address) => {
  test('is refused where id: names it, before any write', async () => {
    const made = bench({ emulate: { world: worldWithForeign() } });
    await made.apply(web('env: {}'));
    made.requests('POST');
    const [error = '', ...more] = await errorsOf(made.plan(text(`, id: ${id}`)));
    expect(error).toContain(`foreign-object: ${address} (${id}) is not in`);
    expect(error).not.toContain('canary');
    expect(more).toEqual([]);
    expect(made.requests('POST')).toEqual([]);
  });

  test('is refused where the state names it, and neither changed nor deleted', async () => {
    const made = bench({ emulate: { world: worldWithForeign() } });
    await made.apply(text(''));
    const { state } = made.store;
    const record = state?.resources[address];
    if (state === undefined || record === undefined) throw new Error(`${address} is not in the state`);
    made.store.state = { ...state, resources: { ...state.resources, [address]: { ...record, id } } };
    made.requests('POST');
    for (const manifest of [text(''), web('env: {}')]) {
      expect((await errorsOf(made.plan(manifest))).join('\n')).toContain(`${address} (${id}) is not in`);
    }
    expect(made.requests('POST')).toEqual([]);
  });
});

test('a tag of another organization is not found', async () => {
  const made = bench({ emulate: { world: worldWithForeign() } });
  const errors = await errorsOf(made.plan(`${head}tags: { live: { id: tag_9 } }\n`));
  expect(errors).toEqual([expect.stringContaining('no tag with id tag_9')]);
});

test('a refusal of the platform that quotes its query shows no password', async () => {
  const made = bench();
  made.secrets.READER = 'canary-7f3a-password';
  const text = web('security: { reader: { password: "${secret:READER}" } }');
  const planned = await made.plan(text);
  const world = made.world();
  const applicationOf = (body: string) => (JSON.parse(body) as { applicationId: string }).applicationId;
  let quoted = '';
  const send: Send = async (request) => {
    if (operationOf(request) === 'security.create') {
      // Somebody is faster.
      const applicationId = applicationOf(request.body ?? '');
      await made.emulator.act('security.create', { applicationId, username: 'reader', password: 'other' });
      const answer = await made.emulator.send(request);
      quoted += answer.body;
      return answer;
    }
    return made.emulator.send(request);
  };
  const { client } = worldOver(made, send);
  const permissions = { dataLoss: false, adoption: false };
  const result = await applyPlan(planned, { ...world, client }, { permissions, connections: 1, clock: made.clock });
  expect(quoted).toContain('canary-7f3a-password');
  const outcome = result.outcomes.find(({ action }) => action.address.endsWith('security.reader'));
  expect(outcome?.result).not.toBe('done');
  const said = JSON.stringify([outcome?.diagnostics, result.state]);
  expect(said).toContain('security');
  expect(said).not.toContain('canary-7f3a');
});

test('a schedule runs at once by a command, whose answer says whether it did what it should', async () => {
  const made = bench();
  const text = web('schedules: { nightly: { cronExpression: "@daily", command: cleanup } }');
  const { state } = await made.apply(text);
  const id = state.resources['production.application.web.schedules.nightly']?.id ?? '';
  const { client } = made.world();
  const run = async () => {
    const row = (await client.invoke('schedule.one', { scheduleId: id })) as Row;
    const command = commandFor(schedule, 'execute', row);
    if (command === undefined || !('call' in command)) throw new Error('it has an operation');
    const input = commandInput(schedule, command, id, row);
    return command.verdict?.((await client.invoke(command.call, input)) as Row);
  };
  expect(await run()).toEqual({ passed: true, findings: {} });
  await made.emulator.act('application.stop', { applicationId: state.resources['production.application.web']?.id });
  expect(await run()).toMatchObject({ passed: false, reason: expect.stringContaining('its log on the server: /') });
  made.requests('POST');
  expect(await actionsOf(made, text)).toEqual([]);
});

describe('before any request', () => {
  const application = (name: string, more: string) =>
    `      ${name}: { source: { type: docker, image: nginx }, ${more} }\n`;
  const two = (a: string, b: string) =>
    `${head}environments:\n  production:\n    application:\n${application('a', a)}${application('b', b)}`;
  const port = (more: string) => `ports: { p: { publishedPort: 8080, targetPort: 80${more} } }`;

  test.each([
    ['a port beyond the last one', web('ports: { p: { publishedPort: 70000, targetPort: 80 } }'), 'wrong-type'],
    [
      'a port twice in one application',
      web('ports: { p: { publishedPort: 1, targetPort: 1 }, q: { publishedPort: 1, targetPort: 2 } }'),
      'defined-twice',
    ],
    [
      'a regular expression of another engine',
      web('redirects: { a: { regex: "(?!a)b", replacement: b } }'),
      'wrong-type',
    ],
    ['a replacement of a missing group', web('redirects: { a: { regex: "^a", replacement: "b$1" } }'), 'inconsistent'],
    [
      'a time zone that is none',
      `${head}schedules: { a: { timezone: Mars/Base, cronExpression: "@daily", script: a } }`,
      'wrong-type',
    ],
    [
      'an offset as a time zone',
      `${head}schedules: { a: { timezone: "+02:00", cronExpression: "@daily", script: a } }`,
      'wrong-type',
    ],
    ['a cron expression in words', `${head}schedules: { a: { cronExpression: every day, script: a } }`, 'wrong-type'],
    ['a user name with a colon', web('security: { "a:b": { password: c } }'), 'wrong-type'],
  ])('%s is an error', async (_title, text, code) => {
    const made = bench();
    const errors = await errorsOf(made.plan(text));
    expect(errors).toEqual([expect.stringMatching(new RegExp(`^${code}: `))]);
    expect(made.requests('GET')).toEqual([]);
  });

  test.each([
    ['in one mode', two(port(''), port(''))],
    ['in two modes', two(port(', publishMode: host'), port(''))],
  ])('a port that two applications of one server publish %s is a warning', async (_title, text) => {
    const { warnings } = await warningsAndMark(text);
    expect(warnings.map(({ message }) => message)).toEqual([
      'publishedPort: port 8080 (tcp) of the same server is also published by production.application.a.ports.p',
    ]);
  });

  const postgres = (externalPort: number, more = '') =>
    `{ dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: x, externalPort: ${externalPort}${more} }`;
  const redis = (externalPort: number) =>
    `{ dockerImage: "redis:8", databasePassword: x, externalPort: ${externalPort} }`;
  const databases = (a: string, b: string) =>
    `${head}environments:\n  production:\n    postgres: { a: ${a}, b: ${b} }\n    redis: { c: ${redis(8080)} }\n`;

  test('a port that two databases, or a database and an application, publish on one server is a warning', async () => {
    const text = `${databases(postgres(5432), postgres(5432))}    application:\n${application('w', port(''))}`;
    const { warnings } = await warningsAndMark(text);
    expect(warnings.map(({ address, message }) => `${address} ${message}`)).toEqual([
      'production.postgres.b externalPort: port 5432 (tcp) of the same server is also published by production.postgres.a',
      'production.application.w.ports.p publishedPort: port 8080 (tcp) of the same server is also published by production.redis.c',
    ]);
  });

  test('the three ports of a libSQL count, and a port of its own twice does not', async () => {
    const libsql = 'dockerImage: "libsql:1", databaseUser: u, databasePassword: x, sqldNode: primary';
    const text = `${databases(postgres(1), postgres(2))}    libsql: { d: { ${libsql}, externalPort: 9, externalAdminPort: 2, externalGRPCPort: 9 } }\n`;
    const { warnings } = await warningsAndMark(text);
    expect(warnings.map(({ message }) => message)).toEqual([
      'externalAdminPort: port 2 (tcp) of the same server is also published by production.postgres.b',
    ]);
  });

  test('a schedule without a script is an action with an error', async () => {
    const { actions } = await bench().plan(`${head}schedules: { a: { cronExpression: "@daily" } }`);
    expect(actions.flatMap(({ notes }) => notes.map(({ message }) => message))).toEqual([
      'schedules.a cannot be created without script',
    ]);
  });

  test.each([
    ['of two protocols', two(port(''), port(', protocol: udp'))],
    ['on the machines that containers run on', two(port(', publishMode: host'), port(', publishMode: host'))],
    ['of two databases of two servers', databases(postgres(1, ', serverId: srv_1'), postgres(1, ', serverId: srv_2'))],
    ['of two servers', two(`serverId: srv_1, ${port('')}`, `serverId: srv_2, ${port('')}`)],
  ])('a port %s is none', async (_title, text) => {
    expect((await warningsAndMark(text)).warnings).toEqual([]);
  });
});

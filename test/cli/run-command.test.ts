import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createProgram } from '../../src/cli/program.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/formats/json.ts';
import { alternativesOf } from '../../src/kind/command-call.ts';
import type { RunDocument } from '../../src/render/document-schemas.ts';
import { isOperation } from '../../src/api/contract.ts';
import { kinds } from '../../src/resources/index.ts';
import type { RunFlags } from './asked.ts';
import { executeCommand, statusCommand } from './asked.ts';
import { documentOf, trueup } from './process.ts';
import { apiKey, documentIn, places } from './place.ts';
import { processOfTest } from '../support/process.ts';
import { sealAgain } from '../support/state-key.ts';

const open = places();

const password = 'canary-7f3a';
const database = (image: string) =>
  `{ dockerImage: "${image}", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}"`;
const copy = (service: string) =>
  `volumeBackups: { copy: { volumeName: data, cronExpression: "0 3 * * *", prefix: ${service}/, destinationId: dst_1`;
const dump = (more: string) => `{ schedule: "0 3 * * *", destinationId: dst_1${more} }`;

/** One of everything that can be told something. */
const everything = `environments:
  production:
    postgres:
      main: ${database('postgres:17')}, backups: { nightly: ${dump(', prefix: pg/')} }, ${copy('pg')} } } }
    mariadb:
      main: ${database('mariadb:11')}, backups: { nightly: ${dump(', prefix: ma/')} } }
    redis:
      cache: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" }
    application:
      web:
        source: { type: docker, image: "nginx:1.27" }
        domains: { web.example.com: { port: 80 } }
        ${copy('web')}, turnOff: true } }
      api: { source: { type: git, url: "https://git.example.com/api.git", branch: main } }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx }, db: { image: postgres } }" }
        env: { TOKEN: "\${secret:DB}" }
        backups:
          db: ${dump(', prefix: co/, databaseType: postgres, serviceName: db, database: shop')}
      swarm:
        composeType: stack
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
github: { github-1: { githubAppName: "https://github.example.test/apps/emulator" } }
gitlab: { gitlab-1: { gitlabUrl: "https://gitlab-1.example.test", groupName: example } }
gitea: { gitea-1: { giteaUrl: "https://gitea-1.example.test" } }
bitbucket: { bitbucket-1: { bitbucketUsername: emulator, bitbucketWorkspaceName: shop } }
`;
const one = `environments: { production: { postgres: { main: ${database('postgres:17')} } } } }\n`;
/** Nothing of it runs before somebody says so. */
const resting = (sections: string) => sections.replaceAll('{ dockerImage:', '{ deploy: never, dockerImage:');
const stack = (image: string, key = 'shop', more = '') =>
  `${key}: { source: { type: raw, composeFile: "services: { web: { image: '${image}' } }" }${more} }`;
const secrets = { DB: password };

const flags: RunFlags = { wait: true, yes: true };
const at = (rest: string) => `production.${rest}`;

/** An object, what it is told, and the request that it comes to besides reads. */
const table: readonly (readonly [string, string, string, Row?])[] = [
  ...['postgres.main', 'mariadb.main', 'redis.cache'].flatMap((rest) => {
    const group = rest.split('.')[0] ?? '';
    return ['deploy', 'stop', 'start', 'reload', 'rebuild'].map(
      (name) => [at(rest), name, `${group}.${name}`] as const,
    );
  }),
  [at('application.web'), 'deploy', 'application.redeploy'],
  ...['stop', 'start', 'reload', 'redeploy'].map(
    (name) => [at('application.web'), name, `application.${name}`] as const,
  ),
  ...['deploy', 'redeploy', 'stop', 'start'].map((name) => [at('compose.shop'), name, `compose.${name}`] as const),
  [at('compose.shop'), 'kill-build', 'compose.killBuild'],
  [at('compose.shop'), 'clean-queues', 'compose.cleanQueues'],
  [at('compose.shop'), 'refresh-token', 'compose.refreshToken'],
  [at('postgres.main.backups.nightly'), 'backup', 'backup.manualBackupPostgres'],
  [at('mariadb.main.backups.nightly'), 'backup', 'backup.manualBackupMariadb'],
  [at('compose.shop.backups.db'), 'backup', 'backup.manualBackupCompose'],
  [at('postgres.main.volumeBackups.copy'), 'backup', 'volumeBackups.runManually'],
  [at('application.web.volumeBackups.copy'), 'backup', 'volumeBackups.runManually'],
  ['github.github-1', 'test', 'github.testConnection'],
  ['gitlab.gitlab-1', 'test', 'gitlab.testConnection', { groupName: 'example' }],
  ['gitea.gitea-1', 'test', 'gitea.testConnection'],
  [
    'bitbucket.bitbucket-1',
    'test',
    'bitbucket.testConnection',
    { bitbucketUsername: 'emulator', workspaceName: 'shop' },
  ],
];

describe('every command of every kind', () => {
  it('sends one POST with the id and the members that it needs, and has its effect', async () => {
    const place = await open(everything, { secrets });
    const statuses = new Map<string, string>();
    for (const [address, name, operation, more] of table) {
      const ran = await place.run(executeCommand([name, address], { ...flags, allowDataLoss: true }), {
        format: 'json',
      });
      expect({ ...ran, title: `${name} ${address}` }).toMatchObject({ exit: 'done' });
      expect(ran.out + ran.err).not.toContain(password);
      const posts = place.emulator.log.splice(0).filter(({ method }) => method === 'POST');
      const kind = kinds.find((item) => item.kind === place.state.resources[address]?.kind);
      const id = { [kind?.identity.id ?? '']: place.idOf(address) };
      expect(posts).toMatchObject([{ operation, status: 200, input: { ...id, ...more } }]);
      const document = documentIn(ran) as { outcomes: { status?: string }[] };
      statuses.set(`${address} ${name}`, document.outcomes[0]?.status ?? '');
    }
    for (const service of ['postgres.main', 'mariadb.main', 'redis.cache', 'application.web', 'compose.shop'].map(at)) {
      expect(statuses.get(`${service} stop`)).toBe('idle');
      expect(statuses.get(`${service} start`)).toBe('done');
      expect(statuses.get(`${service} deploy`)).toBe('done');
    }
  });

  it('is in that table, unless the emulator has no objects of the kind', () => {
    const told = new Set(table.map(([, , operation]) => operation));
    const declared = kinds.flatMap((kind) =>
      Object.keys(kind.commands ?? {}).flatMap((name) =>
        alternativesOf(kind, name).flatMap((one) => ('call' in one ? [one.call] : [])),
      ),
    );
    // This platform serves the operations of the API document.
    const documented = [...new Set(declared)].filter(isOperation);
    expect(documented.filter((operation) => !told.has(operation)).toSorted()).toEqual([
      'backup.manualBackupMongo',
      'backup.manualBackupMySql',
      'backup.manualBackupWebServer',
      'domain.validateDomain', // fails in the emulator, which knows no names: below
    ]);
  });

  it('is in the help of the command', async () => {
    let help = '';
    const program = await createProgram(processOfTest({ args: ['run'], cwd: '/' }), () => {});
    const command = program.commands.find((item) => item.name() === 'run');
    command?.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    for (const name of kinds.flatMap((kind) => Object.keys(kind.commands ?? {}))) {
      expect(help).toMatch(new RegExp(`^  (?:[a-z-]+, )*${name}\\b`, 'm'));
    }
  });

  it('a rebuild empties the volume and starts with the declared values', async () => {
    const place = await open(one, { secrets });
    await place.run(executeCommand(['deploy', at('postgres.main')], flags));
    const volumes = () => Object.values(place.emulator.world.tables.volume);
    expect(volumes()).toHaveLength(1);
    await place.emulator.act('postgres.update', { postgresId: place.idOf(at('postgres.main')), databaseName: 'other' });
    expect(volumes()).toMatchObject([{ databaseName: 'shop' }]);
    expect(
      await place.run(executeCommand(['rebuild', at('postgres.main')], { ...flags, allowDataLoss: true })),
    ).toMatchObject({
      exit: 'done',
    });
    expect(volumes()).toMatchObject([{ databaseName: 'other' }]);
  });

  it('a new token shows with --show-secrets only, and the old one is gone', async () => {
    const place = await open(everything, { secrets });
    const address = at('compose.shop');
    const token = async () =>
      ((await place.emulator.act('compose.one', { composeId: place.idOf(address) })) as { refreshToken: string })
        .refreshToken;
    const before = await token();
    const hidden = await place.run(executeCommand(['refresh-token', address], flags));
    const second = await token();
    expect(second).not.toBe(before);
    expect(hidden.out).toBe(`${address}: refresh-token done; status done; refreshToken (sensitive)\n`);
    expect(hidden.out + hidden.err).not.toContain(second);
    const json = await place.run(executeCommand(['refresh-token', address], flags), { format: 'json' });
    expect(json.out + json.err).not.toContain(await token());
    expect(documentIn(json)).toMatchObject({
      outcomes: [{ renewed: { member: 'refreshToken', value: '(sensitive)' } }],
    });
    const shown = await place.run(executeCommand(['refresh-token', address], { ...flags, showSecrets: true }));
    expect(shown.out).toContain(`refreshToken ${await token()}\n`);
  });

  it('a test prints the findings of the platform, and a failed one has changed nothing', async () => {
    const place = await open(everything, { secrets });
    expect((await place.run(executeCommand(['test', 'gitea.gitea-1'], flags))).out).toMatch(
      /^gitea\.gitea-1: test done; Found \d+ repositories\n$/,
    );
    const name = at('application.web.domains["web.example.com"]');
    const failed = await place.run(executeCommand(['test', name], flags));
    expect(failed).toMatchObject({ exit: 'failed', out: `${name}: test failed\n` });
    expect(failed.err).toContain('queryA ENOTFOUND web.example.com');
    expect(failed.err).not.toContain('not known');
    expect(place.requests()).toContain('POST domain.validateDomain');
  });

  it('a volume backup that the platform answers with false has failed', async () => {
    const place = await open(resting(everything), { secrets });
    const failed = await place.run(executeCommand(['backup', at('postgres.main.volumeBackups.copy')], flags));
    expect(failed).toMatchObject({ exit: 'partly' });
    expect(failed.err).toContain(
      'the platform answered volumeBackups.runManually, and it failed: the platform gives no reason',
    );
  });
});

describe('a command that is not possible', () => {
  it.each([
    ['deploy', 'application.api', 'it was never deployed', 'Push to its repository, or deploy it once'],
    ['redeploy', 'application.api', 'it was never deployed', 'Push to its repository, or deploy it once'],
    ['start', 'compose.swarm', 'starts nothing', 'trueup run deploy'],
    ['rebuild', 'compose.shop', 'no documented operation for it on a compose', 'start, stop, deploy, redeploy'],
    ['start', 'postgres.main.backups.nightly', 'for it on a backup', 'Its commands: backup.'],
    ['stop', 'application.web.domains["web.example.com"]', 'for it on a domain', 'Its commands: test.'],
    ['backup', 'mariadb.main', 'for it on a mariadb', 'Name one below it: production.mariadb.main.backups.nightly.'],
  ])('%s %s sends nothing, and the error has a remedy', async (name, rest, message, remedy) => {
    const place = await open(everything, { secrets });
    const ran = await place.run(executeCommand([name, at(rest)], flags));
    expect(ran).toMatchObject({ exit: 'stopped', out: '' });
    expect(ran.err).toContain(message);
    expect(ran.err).toContain(remedy);
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it('a repository that was deployed once: it is built again, and its code is not fetched', async () => {
    const place = await open(everything, { secrets });
    const address = at('application.api');
    await place.emulator.act('application.deploy', { applicationId: place.idOf(address) });
    await place.run(statusCommand([], { interval: '2' })); // lets the queue of the emulator take it
    const ran = await place.run(executeCommand(['deploy', address], flags));
    expect(ran.err).toContain('no documented operation that fetches the code');
    expect(ran.err).toContain('trueup run redeploy');
    expect(await place.run(executeCommand(['redeploy', address], flags))).toMatchObject({ exit: 'done' });
  });

  it('an unknown command, no address, --id with several addresses', async () => {
    const place = await open(one, { secrets });
    for (const [words, more, told] of [
      [['stat', at('postgres.main')], {}, 'Did you mean start?'],
      [['toString', at('postgres.main')], {}, 'there is no command toString'],
      [['start'], {}, 'an address is missing'],
      [['start', 'a', 'b'], { id: 'x' }, '--id takes exactly one address'],
      [['start', 'a'], { timeout: 'soon' }, '--timeout must be 1 to 86400 seconds'],
    ] as const) {
      const ran = await place.run(executeCommand(words, { ...flags, ...more }));
      expect(ran.err).toContain(`[usage]`);
      expect(ran.err).toContain(told);
    }
    expect(place.requests()).toEqual([]);
  });
});

describe('the object', () => {
  const address = at('postgres.main');
  const told = (words: readonly string[], more: Partial<RunFlags> = {}) => executeCommand(words, { ...flags, ...more });

  it('is that of the state; the error of an unknown address suggests a known one', async () => {
    const place = await open(one, { secrets });
    expect(await place.run(told(['deploy', 'production["postgres"].main']))).toMatchObject({ exit: 'done' });
    place.requests();
    const wrong = await place.run(told(['start', 'production.postgres.mian', 'staging.api']));
    expect(wrong.err).toBe(
      '[bad-reference]  the state has no resource production.postgres.mian -> Did you mean production.postgres.main?\n' +
        '[bad-reference]  the state has no resource staging.api -> trueup state list shows what it has.\n',
    );
    expect(place.requests()).toEqual([]);
  });

  it('is the one of id: in the manifest or of --id, where the state does not have it', async () => {
    const place = await open(one, { secrets });
    const id = place.idOf(address);
    await place.run(told(['deploy', address]));
    place.rewrite(one.replace('main: {', `main: { id: ${id},`).replaceAll('main', 'pinned'));
    expect(await place.run(told(['stop', at('postgres.pinned')]))).toMatchObject({ exit: 'done' });
    place.rewrite(one.replaceAll('main', 'new'));
    const unapplied = await place.run(told(['stop', at('postgres.new')]));
    expect(unapplied.err).toContain('is declared and not applied yet -> trueup apply makes it.');
    place.rewrite('[');
    expect(await place.run(told(['start', at('postgres.main')]))).toMatchObject({ exit: 'stopped' });
    place.rewrite('environments: { production: { postgres: 7 } }');
    expect(await place.run(told(['start', at('postgres.elsewhere')], { id }))).toMatchObject({ exit: 'done' });
    expect(await place.run(told(['start', address], { id: 'another' }))).toMatchObject({ exit: 'stopped' });
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([
      'POST postgres.deploy',
      'POST postgres.stop',
      'POST postgres.start',
    ]);
  });

  it('gets no command when the platform does not have it, or the state is of another project', async () => {
    const place = await open(one, { secrets });
    const gone = await place.run(told(['start', at('postgres.x')], { id: 'nobody' }));
    expect(gone.err).toContain('[not-found] production.postgres.x the platform has no postgres with id nobody');
    const file = join(place.folder, '.trueup/state.json');
    const state = readFileSync(file, 'utf8');
    writeFileSync(file, sealAgain(state.replace('"prj_1"', '"prj_2"')));
    const foreign = await place.run(told(['start', address]));
    expect(foreign.err).toContain('belongs to project prj_2, and the manifest names prj_1');
    writeFileSync(file, sealAgain(state.replace(`"${place.idOf(address)}"`, 'null')));
    expect((await place.run(told(['start', address]))).err).toContain('its creation was never confirmed');
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  });
});

describe('consent', () => {
  const refused = async (words: readonly string[], more: Partial<RunFlags>, sections = everything) => {
    const place = await open(sections, { secrets });
    const ran = await place.run(executeCommand(words, { wait: true, ...more }));
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
    return ran.err;
  };

  it.each([
    ['stop', 'postgres.main', 'it stops running until it is started again'],
    ['reload', 'postgres.main', 'its clients are disconnected'],
    ['reload', 'application.web', 'its container is replaced'],
    ['kill-build', 'compose.shop', 'also those of other services'],
    ['clean-queues', 'compose.shop', 'deployments that wait for their turn are dropped'],
    ['refresh-token', 'compose.shop', 'works no more'],
    ['backup', 'application.web.volumeBackups.copy', 'its service is stopped while the volume is copied'],
  ])('%s %s asks for approval, and needs --yes where there is no terminal', async (name, rest, clause) => {
    const err = await refused([name, at(rest)], {});
    expect(err).toContain('[consent]');
    expect(err).toContain(`${name} ${at(rest)}: `);
    expect(err).toContain(clause);
    expect(err).toContain('To approve it, add --yes');
  });

  it('a rebuild warns that it deletes the data, and needs --allow-data-loss and --yes', async () => {
    const words = ['rebuild', at('postgres.main')];
    expect(await refused(words, { yes: true })).toContain(
      '[data-at-risk] production.postgres.main to rebuild production.postgres.main deletes the volumes of this database with all its data',
    );
    expect(await refused(words, { allowDataLoss: true })).toContain(
      'its volumes are deleted, and with them all its data',
    );
  });

  it('protect: true keeps the data in spite of every permission, protect: false gives it up', async () => {
    const protecting = (value: boolean) => one.replace('main: {', `main: { protect: ${value},`);
    const words = ['rebuild', at('postgres.main')];
    expect(await refused(words, { yes: true, allowDataLoss: true }, protecting(true))).toContain('[protected]');
    const place = await open(protecting(false), { secrets });
    expect(await place.run(executeCommand(words, flags))).toMatchObject({ exit: 'done' });
  });
});

describe('several addresses', () => {
  const [first, second, third] = [at('redis.cache'), at('postgres.main'), at('mariadb.main')];

  it('get the command in the given order, until one fails', async () => {
    const place = await open(resting(everything), { secrets });
    await place.run(executeCommand(['deploy', first], flags));
    place.requests();
    const words = ['start', first, second, third];
    const ran = await place.run(executeCommand(words, flags));
    expect(ran).toMatchObject({
      exit: 'partly',
      out: `${first}: start done; status done\n${second}: start failed; status idle\n${third}: start not tried\n`,
    });
    expect(ran.err).toContain('Trueup does not know whether the platform executed it');
    expect(ran.err).toContain('Its status is idle now.');
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([
      'POST redis.start',
      'POST postgres.start',
    ]);
    expect(documentIn(await place.run(executeCommand(words, flags), { format: 'json' }))).toMatchObject({
      format: 'trueup/run',
      verb: 'start',
      exitCode: 6,
      requests: { writes: 2 },
      outcomes: [
        { address: first, kind: 'redis', operation: 'redis.start', result: 'done', diagnostics: [] },
        { address: second, result: 'failed', diagnostics: [{ code: 'platform-answer' }] },
        { address: third, result: 'not tried', diagnostics: [] },
      ],
    });
  });

  it('get no further command after an interruption, which lets the one in flight end', async () => {
    const signals = processOfTest({ cwd: '/' });
    const around = <T extends Emulator>(emulator: T): T => ({
      ...emulator,
      send: (request) => {
        if (request.path.endsWith('/redis.start')) signals.emit('SIGINT');
        return emulator.send(request);
      },
    });
    const place = await open(everything, { secrets, around });
    await place.run(executeCommand(['deploy', first], flags));
    const ran = await place.run(executeCommand(['start', first, second], flags), { signals });
    expect(ran).toMatchObject({
      exit: 'partly',
      out: `${first}: start done; status done\n${second}: start not tried\n`,
    });
    expect(ran.err).toContain('stopping after the requests in flight');
  });

  it('end at once after a second interruption, with what is known', async () => {
    const codes: number[] = [];
    const signals = Object.assign(processOfTest({ cwd: '/' }), { exit: (code: number) => void codes.push(code) });
    const around = <T extends Emulator>(emulator: T): T => ({
      ...emulator,
      send: (request) => {
        if (request.path.endsWith('/redis.start') && codes.length === 0) {
          signals.emit('SIGINT');
          signals.emit('SIGINT');
        }
        return emulator.send(request);
      },
    });
    const place = await open(everything, { secrets, around });
    await place.run(executeCommand(['deploy', first], flags));
    const ran = await place.run(executeCommand(['start', first, second], flags), { signals });
    expect(codes).toEqual([130]);
    expect(ran.err).toContain(
      `Ended at once: start ${first} was started, and its outcome is unknown; 1 not tried. trueup status shows the services. Exit code 130.\n`,
    );
  });

  it('get no command when it is not possible for one of them', async () => {
    const place = await open(everything, { secrets });
    const ran = await place.run(executeCommand(['redeploy', at('application.web'), at('application.api')], flags));
    expect(ran.err).toContain('cannot redeploy production.application.api');
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  });
});

describe('a deployment', () => {
  it('is waited for, and the reason of its failure is printed without secrets', async () => {
    const place = await open(
      `environments: { production: { compose: { ${stack('nginx')}, ${stack('nginx', 'bad', ', deploy: never')} } } }`,
      {
        deployDelayMs: 5,
      },
    );
    const domain = { domainType: 'compose', host: 'by-hand.example.com', serviceName: 'nope' };
    await place.emulator.act('domain.create', { ...domain, composeId: place.idOf(at('compose.bad')) });
    const good = await place.run(executeCommand(['deploy', at('compose.shop')], flags));
    expect(good).toMatchObject({ exit: 'done', out: 'production.compose.shop: deploy done; status done\n' });
    const bad = await place.run(executeCommand(['deploy', at('compose.bad'), at('compose.shop')], flags));
    expect(bad).toMatchObject({ exit: 'partly' });
    expect(bad.out).toContain('production.compose.bad: deploy failed; status error\n');
    expect(bad.out).toContain('production.compose.shop: deploy not tried\n');
    expect(bad.err).toContain(
      'the deployment ended as error: Domain "by-hand.example.com" is attached to service "nope" which does not exist',
    );
  });

  it('that went well before proves nothing of the one that waits for its turn', async () => {
    const sections = `environments: { production: { compose: { ${stack('nginx')}, ${stack('nginx', 'other')} } } }`;
    const place = await open(sections, { deployDelayMs: 50 });
    const [composeId, other] = ['shop', 'other'].map((key) => place.idOf(at(`compose.${key}`)));
    const deploy = () => place.run(executeCommand(['deploy', at('compose.shop')], flags));
    expect(await deploy()).toMatchObject({ exit: 'done' });
    await place.emulator.act('compose.update', { composeId, composeFile: 'services: { web: { image: "fail:x" } }' });
    await place.emulator.act('compose.deploy', { composeId: other });
    const second = await deploy();
    expect(second).toMatchObject({ exit: 'partly' });
    expect(second.err).toContain('the deployment ended as error');
    expect(second.err).toContain('Its log is on the platform, on the page of the service under Deployments.');
  });

  it('is only started with --no-wait', async () => {
    const sections = `environments: { production: { compose: { ${stack('nginx', 'shop', ', deploy: never')} } } }`;
    const place = await open(sections, { deployDelayMs: 60_000 });
    const ran = await place.run(executeCommand(['deploy', at('compose.shop')], { ...flags, wait: false }));
    expect(ran).toMatchObject({
      exit: 'done',
      out: 'production.compose.shop: deploy ordered; trueup status shows how it ends\n',
    });
  });

  it('of a database has the time of --timeout, and its outcome is unknown after that', async () => {
    const place = await open(resting(one), { secrets, deployDelayMs: 1_500 });
    const ran = await place.run(executeCommand(['deploy', at('postgres.main')], { ...flags, timeout: '1' }), {
      format: 'json',
    });
    expect(ran).toMatchObject({ exit: 'partly' });
    const [outcome] = (documentIn(ran) as RunDocument).outcomes;
    expect(documentIn(ran)).toMatchObject({ exitCode: 6, requests: { writes: 1 } });
    expect(outcome).toMatchObject({ result: 'failed', status: 'running' });
    expect(outcome?.diagnostics[0]?.message).toMatch(/^the whole answer did not arrive in time \(postgres\.deploy at /);
    expect(outcome?.diagnostics[0]?.remedy).toMatch(
      /^Its status is running now\. Check what the platform has now .* Trueup does not know/,
    );
  });
});

describe('the program', () => {
  it('prints the results, as one document with --format json, without secrets', async () => {
    const place = await open(one, { secrets });
    const run = (...words: string[]) =>
      trueup(['run', ...words], { cwd: place.folder, env: { TRUEUP_API_KEY: apiKey } });
    const text = await run('deploy', at('postgres.main'));
    expect(text).toEqual({
      code: 0,
      out: 'production.postgres.main: deploy done; status done\n',
      err: 'production.postgres.main: deploy…\n',
    });
    const json = await run('stop', at('postgres.main'), '--yes', '--format', 'json');
    expect(json.code).toBe(0);
    expect(documentOf(json)).toMatchObject({
      format: 'trueup/run',
      verb: 'stop',
      exitCode: 0,
      requests: { reads: 3, writes: 1 },
      outcomes: [{ result: 'done', status: 'idle' }],
    });
    const asked = await run('stop', at('postgres.main'), '--format', 'json');
    expect(documentOf(asked)).toMatchObject({
      format: 'trueup/error',
      exitCode: 1,
      diagnostics: [{ code: 'consent' }],
    });
    for (const { out, err } of [text, json, asked]) expect(out + err).not.toMatch(/canary|right-key/);
  });
});

describe('a platform that fails', () => {
  it('gets every POST once, and secrets of the row that it quotes are redacted', async () => {
    let posts = 0;
    const around = <T extends Emulator>(emulator: T): T => ({
      ...emulator,
      send: async (request) => {
        if (!request.path.endsWith('/postgres.start')) return emulator.send(request);
        posts += 1;
        const body = JSON.stringify({
          message: `could not log in with ${password}`,
          code: 'INTERNAL_SERVER_ERROR',
        });
        return { status: 500, headers: { 'content-type': 'application/json' }, body };
      },
    });
    const place = await open(one, { secrets, around });
    for (const format of ['text', 'json']) {
      const broken = await place.run(executeCommand(['start', at('postgres.main')], flags), { format });
      expect(broken).toMatchObject({ exit: 'partly' });
      expect(broken.err + broken.out).toContain('could not log in with (sensitive)');
      expect(broken.err + broken.out).not.toContain(password);
    }
    expect(posts).toBe(2);
  });

  it('gets no further request when the key is wrong', async () => {
    const place = await open(one, { secrets });
    const run = await trueup(['run', 'start', at('postgres.main')], {
      cwd: place.folder,
      env: { TRUEUP_API_KEY: 'wrong-key' },
    });
    expect(run).toMatchObject({ code: 4, out: '' });
    expect(run.err).toContain('the platform rejected TRUEUP_API_KEY (401 Unauthorized from postgres.one at http://');
    expect(place.requests()).toEqual(['GET postgres.one']);
  });
});

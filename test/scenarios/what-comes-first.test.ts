import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { session } from '../../src/workflow/session.ts';
import { everything, idOf, plansNothing, rowsIn } from '../support/faults.ts';
import { begin, goOn, killedRun, startAfter } from '../support/histories.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What an object needs of another one comes first: its name, its path, its place, its users. One apply is enough. */

const database = `{ dockerImage: "postgres:17", databaseName: a, databaseUser: u, databasePassword: password-1`;
const web = (more: string) => `application: { web: { source: { type: docker, image: nginx }${more} } }`;
const inProduction = (blocks: string, more = '') =>
  `${head}${more}environments:\n  production: { ${blocks} }\n  staging: {}\n`;

type Asked = Parameters<typeof readNarrowing>[0];

/** Applies with choices; everything succeeds, and then plans nothing. Gives the requests that changed something. */
async function applied(made: Bench, text: string, asked: Asked = {}): Promise<string[]> {
  made.requests('POST');
  const options = { purpose: 'apply', clock: made.clock };
  const result = await session(await made.manifest(text), made.platform(), options, async (run) =>
    run.apply(await run.plan({ narrowing: readNarrowing(asked) }), { ...everything, massRecreation: true }),
  );
  expect(result.outcomes.filter((one) => one.result !== 'done')).toEqual([]);
  const sent = made.requests('POST');
  await plansNothing(made, text);
  return sent;
}

/** Tries to apply with choices: nothing is sent. Gives the errors. */
async function refused(made: Bench, text: string, asked: Asked): Promise<string[]> {
  made.requests('POST');
  const error = await applied(made, text, asked).catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw error;
  expect(made.requests('POST')).toEqual([]);
  await plansNothing(made, text);
  return error.diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
}

describe('a name or a path that a replaced object gives up', () => {
  test('is free before a new object takes it: the removal of a file mount deletes the file of its path', async () => {
    const made = bench();
    const files = (blocks: string) =>
      inProduction(
        `compose: { shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, files: ${blocks} } }`,
      );
    await applied(made, files('{ second: { filePath: x.conf, content: one } }'));
    const both = files('{ first: { filePath: x.conf, content: two }, second: { filePath: y.conf, content: one } }');
    expect(await applied(made, both)).toEqual(['mounts.remove', 'mounts.create', 'mounts.create', 'compose.deploy']);
  });

  test('is free before a new user of basic authentication takes it', async () => {
    const made = bench();
    const security = (blocks: string) => inProduction(web(`, security: ${blocks}`));
    await applied(made, security('{ b: { username: x, password: p1 } }'));
    const both = security('{ a: { username: x, password: p2 }, b: { username: y, password: p1 } }');
    expect((await applied(made, both)).slice(0, 3)).toEqual(['security.delete', 'security.create', 'security.create']);
  });

  test.each([
    ['another block', '{ live: { name: Live } }', '{ prod: { name: Live } }', 'tag.create'],
    ['a block that stays', '{ a: { name: x }, b: { name: y } }', '{ a: { name: y } }', 'tag.update'],
  ])('is free before a tag takes it: %s', async (_what, before, after, write) => {
    const made = bench();
    const tags = (blocks: string) => inProduction('', `tags: ${blocks}\n`);
    await applied(made, tags(before));
    expect(await applied(made, tags(after))).toEqual(['tag.remove', write]);
  });

  test('is not free before its users let go of it: the plan refuses one that needs the new object first', async () => {
    const made = bench();
    const text = (tag: string, more = '') =>
      `trueup: 1\nplatform: emulator\n${more}project: { name: Mine, tags: [${tag}] }\ntags: { ${tag}: { name: Live } }\n`;
    await applied(made, text('live'));
    expect((await made.plan(text('prod'))).diagnostics.filter(({ severity }) => severity === 'error')).toMatchObject([
      {
        message: expect.stringContaining('tags.prod -> tags.live -> project -> tags.prod') as string,
        remedy: 'Say moved: [{ from: "tags.live", to: "tags.prod" }], or give tags.prod a name that no other has.',
      },
    ]);
    await expect(applied(made, text('prod'))).rejects.toThrow(Stop);
    expect(made.requests('POST')).toEqual([]);
    expect(await applied(made, text('prod', 'moved: [{ from: tags.live, to: tags.prod }]\n'))).toEqual([]);
  });
});

describe('a name of a tag that gets another name', () => {
  const tags = (blocks: string) => inProduction('', `tags: { ${blocks} }\n`);

  test('is free before another tag takes it', async () => {
    const made = bench();
    await applied(made, tags('a: { name: x }, b: { name: y }, c: { name: z }'));
    const after = tags('a: { name: y }, b: { name: z }, c: { name: w }, d: { name: x }');
    expect(await applied(made, after)).toEqual(['tag.update', 'tag.update', 'tag.update', 'tag.create']);
  });

  test('cannot be taken in exchange: the plan refuses that', async () => {
    const made = bench();
    await applied(made, tags('a: { name: x }, b: { name: y }'));
    const swapped = tags('a: { name: y }, b: { name: x }');
    expect((await made.plan(swapped)).diagnostics).toMatchObject([
      {
        severity: 'error',
        message: 'no order of the requests works, because each of these waits for the next: tags.a -> tags.b -> tags.a',
        remedy: 'Give tags.a a name that no other has, apply, and then the one that it is to have.',
      },
    ]);
    await expect(applied(made, swapped)).rejects.toThrow(Stop);
    expect(made.requests('POST')).toEqual([]);
    await applied(made, tags('a: { name: other }, b: { name: x }'));
    await applied(made, swapped);
  });
});

test('a server goes after the service on it that is replaced', async () => {
  const made = bench();
  const keys =
    'sshKeys: { deploy: { publicKey: ssh-ed25519 AAAA deploy, privateKey: "-----BEGIN OPENSSH PRIVATE KEY-----\\nx\\n-----END OPENSSH PRIVATE KEY-----\\n" } }\n';
  const server = 'box: { ipAddress: 10.0.0.1, port: 22, username: root, sshKey: deploy, serverType: deploy }';
  const on = (name: string, servers: string) =>
    inProduction(web(`, server: ${name}`), `${keys}servers: { ${servers} }\n`);
  await applied(made, on('box', server));
  expect((await applied(made, on('server-1', ''))).slice(0, 3)).toEqual([
    'application.delete',
    'application.create',
    'server.remove',
  ]);
});

test('a destination goes after a backup that a killed run led to it', async () => {
  const destination = `{ provider: Minio, endpoint: "https://s3.example.com", bucket: b, region: "", accessKey: ak, secretAccessKey: sk }`;
  const text = (name: string, more = '') =>
    inProduction(
      `postgres: { main: ${database}, backups: { nightly: { schedule: "0 0 * * *", destinationId: ${name}, prefix: p } } } }`,
      `destinations: { off: ${destination}${more} }\n`,
    );
  const made = begin(await startAfter(text('off')));
  const backups = rowsIn(made, 'backup');
  expect(await killedRun(made, text('on', `, on: ${destination}`), { at: 2, where: 'after the POST' })).toBe(true);
  expect(rowsIn(made, 'backup')).not.toEqual(backups);
  await goOn(made, text('off'), { runs: 1 });
  expect(rowsIn(made, 'backup')).toEqual(backups);
});

describe('a replacement on purpose of what others use', () => {
  test('leaves them to the new object: the platform deletes the backups of a destination', async () => {
    const made = bench();
    const text = inProduction(
      `postgres: { main: ${database}, backups: { nightly: { schedule: "0 0 * * *", destinationId: off, prefix: p } } } }`,
      'destinations: { off: { provider: Minio, endpoint: "https://s3.example.com", bucket: b, region: "", accessKey: ak, secretAccessKey: sk } }\n',
    );
    await applied(made, text);
    const [old, backup] = [idOf(made, 'destinations.off'), idOf(made, 'production.postgres.main.backups.nightly')];
    expect(await applied(made, text, { replace: ['destinations.off'] })).toEqual([
      'destination.create',
      'backup.update',
      'destination.remove',
    ]);
    expect(idOf(made, 'destinations.off')).not.toBe(old);
    expect(rowsIn(made, 'backup')).toMatchObject([{ backupId: backup, destinationId: idOf(made, 'destinations.off') }]);
  });

  test.each([
    [
      'registries.images',
      'registry',
      'registries: { images: { registryUrl: r.test.net, username: reader, password: pp-pp, imagePrefix: x } }',
      web(', registry: images'),
    ],
    [
      'gitea.forge',
      'gitProvider',
      'gitea: { forge: { giteaUrl: "https://git.example.com", clientId: c, clientSecret: cs-cs, redirectUri: "https://d.example.com/callback" } }',
      'application: { web: { source: { type: gitea, provider: forge, owner: o, repository: r, branch: main } } }',
    ],
  ])('deploys what uses %s with the new one, and deletes the old one then', async (standard, noun, top, blocks) => {
    const made = bench();
    const address = standard;
    const text = inProduction(blocks, `${top}\n`);
    await applied(made, text);
    const old = idOf(made, address);
    const sent = await applied(made, text, { replace: [address] });
    expect(sent.at(-1)).toBe(`${noun}.remove`);
    expect(sent.join(' ')).toMatch(/application\.(?:re)?deploy/);
    expect(idOf(made, address)).not.toBe(old);
  });

  test('is refused where the old one has to go first', async () => {
    const made = bench();
    const text =
      'trueup: 1\nplatform: emulator\nproject: { name: Mine, tags: [live] }\ntags: { live: { color: red }, free: { color: red } }\n';
    await applied(made, text);
    expect(await refused(made, text, { replace: ['tags.live'] })).toEqual([
      'tags.live cannot be replaced while it is used: tags of project',
    ]);
    expect(await applied(made, text, { replace: ['tags.free'] })).toEqual(['tag.remove', 'tag.create']);
  });

  test('is refused where the new one has no id before a person connects it', async () => {
    const made = bench();
    const provider = 'gitlab: { lab: { gitlabUrl: "https://lab.example.com", secret: correct-horse } }\n';
    const text = (more: string) => inProduction(web(more), provider);
    await made.apply(text(''), everything);
    const [gitlabId] = Object.keys(made.emulator.world.tables.gitlab).slice(-1);
    await made.emulator.act('gitlab.connect', { gitlabId });
    const used = text(', env: { LAB: "${ref:gitlab.lab.id}" }');
    await applied(made, used);
    expect(await refused(made, used, { replace: ['gitlab.lab'] })).toEqual([
      'gitlab.lab cannot be replaced while it is used: production.application.web',
    ]);
  });

  test('is refused for the project, in which everything would go', async () => {
    const made = bench();
    const text = `trueup: 1\nplatform: emulator\nproject: { name: Mine }\nenvironments: { production: { postgres: { main: ${database} } } } }\n`;
    await applied(made, text);
    expect(await refused(made, text, { replace: ['project'] })).toEqual([
      expect.stringMatching(/^project cannot be replaced: everything in it would go; /),
    ]);
  });
});

describe('an environment that is replaced', () => {
  const cache = 'redis: { cache: { dockerImage: "redis:8", databasePassword: password-1 } }';

  test.each<Asked>([{ replace: ['staging'] }, { target: ['staging'], replace: ['staging'] }])(
    'goes after a service that a person moved into it has left: %j',
    async (asked) => {
      const made = bench();
      const text = `${head}environments:\n  production: { postgres: { main: ${database} } } }\n  staging: { ${cache} }\n`;
      await applied(made, text);
      await made.emulator.act('postgres.move', {
        postgresId: idOf(made, 'production.postgres.main') ?? '',
        targetEnvironmentId: idOf(made, 'staging') ?? '',
      });
      expect((await applied(made, text, asked)).slice(0, 3)).toEqual([
        'postgres.move',
        'redis.remove',
        'environment.remove',
      ]);
    },
  );

  test('is refused where what leaves it needs what is made anew in it', async () => {
    const made = bench();
    const app = web(', env: { DB: "${ref:staging.postgres.main.host}" }');
    const data = `postgres: { main: ${database} } }`;
    await applied(made, `${head}environments: { production: {}, staging: { ${app}, ${data} } }\n`);
    const moved = `${head}moved: [{ from: staging.application.web, to: production.application.web }]\nenvironments: { production: { ${app} }, staging: { ${data} } }\n`;
    const before = rowsIn(made, 'postgres');
    const circle = {
      code: 'bad-reference',
      message:
        'no order of the requests works, because each of these waits for the next: staging -> production.application.web -> staging.postgres.main -> staging',
      remedy: 'Apply the move of production.application.web first, and the rest of the change after it.',
      position: { file: 'trueup.yaml' },
    };
    const narrowing = readNarrowing({ replace: ['staging'] });
    const planned = await session(await made.manifest(moved), made.platform(), { purpose: 'plan' }, (run) =>
      run.plan({ narrowing }),
    );
    expect(planned.diagnostics).toMatchObject([circle]);
    const error = await applied(made, moved, { replace: ['staging'] }).catch((reason: unknown) => reason);
    if (!(error instanceof Stop)) throw error;
    expect(error.diagnostics).toMatchObject([circle]);
    expect(made.requests('POST')).toEqual([]);
    expect(rowsIn(made, 'postgres')).toEqual(before);
    await applied(made, moved);
    await applied(made, moved, { replace: ['staging'] });
  });
});

test('the variables of a new project are merged with none', async () => {
  const made = bench();
  const text =
    'trueup: 1\nplatform: emulator\nproject: { name: Mine, env: { A: "1" }, envMode: merge }\nenvironments: { production: {} }\n';
  expect(await applied(made, text)).toEqual(['project.create']);
  expect(Object.values(made.emulator.world.tables.project).map(({ name, env }) => [name, env])).toContainEqual([
    'Mine',
    'A=1\n',
  ]);
});

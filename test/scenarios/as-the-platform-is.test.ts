import { describe, expect, test } from 'vitest';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { fileMount } from '../../src/resources/file-mount.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { exportOf } from '../support/exporting.ts';
import { actionsOf, everything, notesOf, plansNothing, refusal, rowsIn, said } from '../support/faults.ts';
import { database, production } from '../support/manifest-texts.ts';
import { oneError, told, warningsOf } from '../support/problems.ts';
import { effort } from '../support/whole.ts';
import { bench, head } from '../support/world.ts';

/** What the real platform does, where an obvious reading of its API would go wrong. */

const shop = (body: string) => `${head}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
${body}`;
const files = (block: string) => shop(`        files: { ${block} }\n`);
const content = (text: string) => `content: "${text}"`;
const stopOf = async (run: Promise<unknown>): Promise<readonly Diagnostic[]> => {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof Stop) return error.diagnostics;
  throw new Error('it was not refused', { cause: error });
};

const errorsOf = ({ diagnostics }: { readonly diagnostics: readonly Diagnostic[] }) =>
  diagnostics.filter(({ severity }) => severity === 'error');

describe('R2: a file whose path begins with a slash', () => {
  test('is declared so, and stays as it is when the slash goes', async () => {
    const made = bench();
    await made.apply(files(`/nginx/nginx.conf: { ${content('a')} }`));
    expect(rowsIn(made, 'mount')).toMatchObject([{ filePath: '/nginx/nginx.conf', type: 'file' }]);
    await plansNothing(made, files(`/nginx/nginx.conf: { ${content('a')} }`));
    const moved = `moved: [{ from: 'production.compose.shop.files["/nginx/nginx.conf"]', to: 'production.compose.shop.files["nginx/nginx.conf"]' }]\n`;
    const without = files(`nginx/nginx.conf: { ${content('a')} }`);
    await made.apply(without.replace('environments:', `${moved}environments:`));
    expect(rowsIn(made, 'mount')).toMatchObject([{ filePath: '/nginx/nginx.conf' }]);
    await plansNothing(made, without);
  });

  test.each([
    ['/nginx/nginx.conf', 'nginx/nginx.conf'],
    ['nginx/nginx.conf', '/nginx/nginx.conf'],
    ['./nginx//nginx.conf', 'nginx/nginx.conf'],
  ])('%s on the platform is adopted by a block for %s', async (onPlatform, declared) => {
    const made = bench();
    await made.apply(shop(''));
    const [compose] = rowsIn(made, 'compose');
    const about = { type: 'file', mountPath: '/x', filePath: onPlatform, content: 'a', serviceType: 'compose' };
    await made.emulator.act('mounts.create', { ...about, serviceId: compose?.['composeId'] });
    const text = files(`${declared}: { ${content('a')} }`);
    expect(actionsOf(await made.plan(text))).toEqual([`adopt production.compose.shop.files["${declared}"]`]);
    made.requests('POST');
    await made.apply(text, everything);
    expect(made.requests('POST').filter((operation) => operation.startsWith('mounts.'))).toEqual([]);
    await plansNothing(made, text);
  });

  test.each(['/', '/../x', 'a/', '.'])('%s is refused', async (path) => {
    const found = await stopOf(bench().plan(files(`"${path}": { ${content('a')} }`)));
    expect(found[0]?.message).toMatch(/^filePath has to be the path of a file below the folder of files/);
  });
});

describe('a path that the platform writes into a command of a shell', () => {
  const application = (settings: string) =>
    production(
      `    application:\n      web: { source: { type: git, url: "https://git.example.com/a.git", branch: main }, ${settings} }\n`,
    );

  test.each(['my file.conf', 'a;b', 'a$b', '*.conf'].map((path) => JSON.stringify(path)))(
    'a new file at %s is refused: the platform deletes it by rm -rf without quotes, but on another server',
    async (path) => {
      const [ofCompose] = errorsOf(await bench().plan(files(`${path}: { ${content('a')} }`)));
      const refused = /^filePath: the platform deletes .+ by a command of a shell without quotes/;
      expect(ofCompose?.message).toMatch(refused);
      const mount = `mounts: { /a: { type: file, filePath: ${path}, content: a } }`;
      const [ofApplication] = errorsOf(await bench().plan(application(mount)));
      expect(ofApplication?.message).toMatch(refused);
      expect(await read({ 'trueup.yaml': application(`server: srv_1, ${mount}`) })).toEqual([]);
    },
  );

  test.each(['app/[id]/my page.tsx', 'a,b=c@d.conf'].map((path) => JSON.stringify(path)))(
    'a patch of %s is taken: it stands in double quotes',
    async (path) => {
      const made = bench();
      const text = application(`patches: { ${path}: { content: "a\\n" } }`);
      await made.apply(text);
      expect(Object.keys(made.emulator.world.tables.patch)).toHaveLength(1);
      await plansNothing(made, text);
    },
  );

  test.each(['a"b', 'a$(b)', 'a`b`', 'a\\b'].map((path) => JSON.stringify(path)))(
    'a patch of %s is refused',
    async (path) => {
      const [found] = await stopOf(bench().plan(application(`patches: { ${path}: { content: a } }`)));
      expect(found?.message).toMatch(/^filePath may hold none of/);
    },
  );

  test.each([
    [
      'source: { type: git, url: "https://git.example.com/a.git", branch: main, buildPath: /my app }',
      'source.buildPath',
    ],
    ['build: { type: dockerfile, dockerfile: "my/Dockerfile; reboot" }', 'build.dockerfile'],
    ['build: { type: dockerfile, buildStage: "a b" }', 'build.buildStage'],
  ])('%s is refused', async (settings, path) => {
    const text = settings.startsWith('source')
      ? production(`    application:\n      web: { ${settings} }\n`)
      : application(settings);
    const [found] = await stopOf(bench().plan(text));
    expect(found?.message).toMatch(new RegExp(`^${path} may hold no blank`));
  });

  test('a file that has one stays as it is, in an export too; deleting it needs leave', async () => {
    const made = bench();
    await made.apply(files(`my: { ${content('a')} }`));
    const [compose] = rowsIn(made, 'compose');
    const about = { type: 'file', mountPath: '/x', content: 'a', serviceType: 'compose' };
    await made.emulator.act('mounts.create', { ...about, filePath: 'my file.conf', serviceId: compose?.['composeId'] });
    const exported = await exportOf(made);
    expect([...exported.files.values()].join('')).toContain('my file.conf');
    const kept = files(`my: { ${content('a')} }, my file.conf: { ${content('a')} }`);
    expect(errorsOf(await made.plan(kept))).toEqual([]);
    const [, blank = {}] = rowsIn(made, 'mount');
    const risk = fileMount.lifecycle?.dataAtRisk?.({
      row: blank,
      parent: compose ?? {},
      options: {},
      action: 'delete',
    });
    expect(risk?.what).toContain('what a shell makes of rm -rf …/my file.conf');
    const elsewhere = { ...compose, serverId: 'srv_1' };
    expect(fileMount.lifecycle?.dataAtRisk?.({ row: blank, parent: elsewhere, options: {}, action: 'delete' })).toBe(
      undefined,
    );
    // The shell of the platform deletes my, and leaves my file.conf.
    await made.emulator.act('mounts.remove', { mountId: blank['mountId'] });
    expect(Object.values(made.emulator.world.tables.hostFile)).toMatchObject([{ content: null }]);
  });
});

test('an export writes the internal name that a person gave, of four words too, and none that the platform made up', async () => {
  const made = bench();
  const services = ['a', 'b', 'c', 'd'].map((name) => `      ${name}: { source: { type: docker, image: nginx } }\n`);
  await made.apply(
    production(
      `    application:\n      own: { appName: My-Own-Shop-App, source: { type: docker, image: nginx } }\n${services.join('')}`,
    ),
  );
  const exported = [...(await exportOf(made)).files.values()].join('');
  expect(exported.match(/appName: .*/g)).toEqual(['appName: my-own-shop-app']);
});

describe('R3: an empty swarm field means something else than none:', () => {
  const redis = (fields: string) =>
    production(`    redis:\n      cache: { dockerImage: redis:8, databasePassword: pw-1${fields} }\n`);

  test.each([
    ['networkSwarm', '[]', []],
    ['placementSwarm', '{}', {}],
    ['labelsSwarm', '{}', {}],
    ['ulimitsSwarm', '[]', []],
  ])('%s: %s is written, and null writes none again', async (field, written, value) => {
    const made = bench();
    await made.apply(redis(''));
    await made.apply(redis(`, ${field}: ${written}`));
    expect(rowsIn(made, 'redis')).toMatchObject([{ [field]: value }]);
    await plansNothing(made, redis(`, ${field}: ${written}`));
    await made.apply(redis(`, ${field}: null`));
    expect(rowsIn(made, 'redis')).toMatchObject([{ [field]: null }]);
    await plansNothing(made, redis(`, ${field}: null`));
  });
});

describe('a field that only a new object can change', () => {
  test('R4: is no reason to replace an object when it is declared for the first time; the way to it is named', async () => {
    const made = bench();
    await made.apply(shop(''));
    const found = await refusal(made, () => made.apply(shop('        composeType: stack\n'), everything));
    expect(found).toMatchObject([{ code: 'cannot-change', address: 'production.compose.shop' }]);
    expect(found[0]?.remedy).toBe(
      'Write "docker-compose", as the platform has it, or leave the line out. To replace the object: write that and apply, then change the line and apply again.',
    );
    await made.apply(shop('        composeType: docker-compose\n'));
    const stack = shop('        composeType: stack\n');
    const [refused] = await refusal(made, () => made.apply(stack));
    expect(refused).toMatchObject({ code: 'data-at-risk' });
    expect(refused?.message).toContain('the volumes of this compose');
    await made.apply(stack, everything);
    expect(rowsIn(made, 'compose')).toMatchObject([{ composeType: 'stack' }]);
    await plansNothing(made, stack);
  });

  test('K13: after the platform was restored to before a replacement, the error names the way out', async () => {
    const made = bench();
    const named = (name: string) => production(database('', 'main', name));
    await made.apply(named('shop'));
    const before = structuredClone(made.emulator.world);
    await made.apply(named('store'), everything);
    const restored = bench({ emulator: createEmulator({ world: before }), clock: made.clock });
    const { state } = made.store;
    if (state !== undefined) await restored.store.write(state);
    const found = await refusal(restored, () => restored.apply(named('store'), everything));
    expect(found).toMatchObject([{ code: 'cannot-change' }]);
    expect(found[0]?.remedy).toContain('To replace the object: write that and apply');
    await restored.apply(named('shop'), everything);
    await restored.apply(named('store'), everything);
    expect(rowsIn(restored, 'postgres')).toMatchObject([{ databaseName: 'store' }]);
    await plansNothing(restored, named('store'));
  });
});

describe('R8: a failed deployment of a compose has no reason on a platform without logs', () => {
  test('but the conversion of its file does, and apply quotes it', async () => {
    const made = bench({ lacks: ['deployment.readLogs'] });
    await made.apply(shop(''));
    const [compose] = rowsIn(made, 'compose');
    const about = { domainType: 'compose', serviceName: 'nope', composeId: compose?.['composeId'] };
    await made.emulator.act('domain.create', { host: 'by-hand.example.com', ...about });
    const result = await made.apply(
      shop('')
        .replace('image: nginx', 'image: "nginx:2"')
        .replace('composeFile: "', "composeFile: '")
        .replace('} }"', "} }'"),
    );
    expect(said(result)).toContain(
      'production.compose.shop was not deployed: Domain "by-hand.example.com" is attached to service "nope" which does not exist in the compose',
    );
    expect(Object.values(made.emulator.world.tables.deployment).at(-1)).toMatchObject({
      status: 'error',
      errorMessage: null,
    });
  });
});

describe('R6: a git host that nobody has connected is in no list of the platform', () => {
  const lab = `${head}gitlab:
  lab: { gitlabUrl: "https://lab.example.com", applicationId: a, secret: s-1, redirectUri: "https://x.example.com/c" }
environments: { production: {} }
`;

  test('so a plan without a record of it warns that it may create a second one', async () => {
    const made = bench();
    await made.apply(lab, everything);
    await plansNothing(made, lab);
    const lost = bench({ emulator: made.emulator, clock: made.clock });
    const warned = notesOf(await lost.plan(lab)).filter(({ address }) => address === 'gitlab.lab');
    expect(warned).toMatchObject([{ code: 'duplicate', severity: 'warning' }]);
    expect(warned[0]?.message).toContain('if an earlier state had it, this creates a second one');
    expect(warned[0]?.remedy).toContain('trueup import gitlab.lab');
  });
});

describe('silent mistakes in a manifest', () => {
  test.each([
    '${secrets:PW}',
    '${ secret:PW}',
    '${SECRET:PW}',
    '${secert:PW}',
    '${Env:HOME}',
    '${files:x}',
    '${secret.PW}',
    '${{ secrets.PW }}',
    '${{secret:PW}}',
    '$(secret:PW)',
    '${refs:postgres.main.host}',
    '${ var:x }',
  ])('U1: %s is warned of, because it stays as text', async (written) => {
    expect(await warningsOf(shop(`        env: { A: §'${written}' }\n`))).toEqual([
      'warning no-expression at the mark',
    ]);
  });

  test.each([
    '${NAME:-default}',
    '${VAR:?is missing}',
    '$${secrets:PW}',
    '${{environment.X}}',
    '${colour:red}',
    '${ENV:-x}',
    '$(date)',
    '${{ environment.X }}',
    '$.path',
  ])('U1: %s is text, as people mean it', async (written) => {
    expect(await warningsOf(shop(`        env: { A: '${written}' }\n`))).toEqual([]);
  });

  test.each([
    ['NUL in a comment', '# §\0\n'],
    ['a control character in a comment', '# bell §\u0007\n'],
    ['a control character in a plain value', 'outputs: { a: x§\u0007y }\n'],
    ['a control character in quotes', 'outputs: { a: "x§\u001B[2Jy" }\n'],
    ['a control character in a block', 'outputs:\n  a: |\n    x§\u0001\n'],
    ['a control character in a key', 'outputs: { a§\u0001: x }\n'],
    ['DEL in a plain value', 'outputs: { a: x§\u007F }\n'],
    ['a C1 control character in a comment', '# §\u0090\n'],
    ['a noncharacter in a comment', '# §\uFFFE\n'],
  ])('U8: %s is an error at its place', async (_title, lines) => {
    const text = `${head}environments: { production: {} }\n${lines}`;
    expect(await told(text)).toEqual(oneError('yaml-syntax', /the control character U\+[0-9A-F]{4} stands here/));
  });

  test.each([
    ['tabs, CR and LF', '# a\tb\r\n'],
    ['NEL, a no-break space and a byte order mark', 'outputs: { a: "x\u0085y\u00A0z\uFEFF" }\n'],
    ['DEL and C1 in quotes, as JSON has them', 'outputs: { a: "x\u007Fy\u0090", b: \'\u0080\' }\n'],
    ['control characters that are escaped', 'outputs: { a: "\\x07\\e[2J\\u0001" }\n'],
    ['emoji', 'outputs: { a: "😀", b: 😀 }\n'],
  ])('U8: %s stay allowed', async (_title, lines) => {
    const text = `${head}environments: { production: {} }\n${lines}`;
    expect(await told(text)).toMatchObject({ problems: [] });
  });

  test('U24: keys that begin with x- hold fragments at the top of any file', async () => {
    const made = bench();
    const main = `${head}include: [more.yaml]
x-env: &env { LEVEL: info, TOKEN: "\${secret:NONE}" }
x-anything: [1, { two: 3 }]
environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { <<: *env, TOKEN: t }
`;
    const more = `x-db: &db { databaseUser: u, databasePassword: pw-1 }
x-env: &env { A: b }
environments: { production: { postgres: { main: { <<: *db, databaseName: d, env: *env } } } }
`;
    await made.apply({ 'trueup.yaml': main, 'more.yaml': more });
    expect(rowsIn(made, 'compose')).toMatchObject([
      { env: expect.stringMatching(/^TOKEN=t\nLEVEL=info\n?$/) as string },
    ]);
    expect(rowsIn(made, 'postgres')).toMatchObject([
      { databaseUser: 'u', env: expect.stringMatching(/^A=b\n?$/) as string },
    ]);
    await plansNothing(made, { 'trueup.yaml': main, 'more.yaml': more });
  });

  test('U24: below the top they are unknown, like any other key', async () => {
    expect(await told(`${head}environments: { production: { §x-env: {} } }\n`)).toEqual(
      oneError('unknown-key', /an environment has no key x-env/),
    );
  });

  test.each([
    ['files of one path', files(`x: { ${content('a')} }, y: { filePath: x, ${content('b')} }`)],
    ['files of one path written in two ways', files(`x: { ${content('a')} }, ./x: { ${content('b')} }`)],
    ['services of one name', production(database('', 'web') + database('name: web', 'other').replace(/.*\n/, ''))],
    [
      'services whose names differ by a space',
      production(database('', 'web') + database('name: "web "', 'other').replace(/.*\n/, '')),
    ],
    [
      'domains of one host and path',
      shop(
        '        domains: { a: { host: a.test, serviceName: web }, b: { host: a.test, serviceName: web, path: / } }\n',
      ),
    ],
  ])('U20: two %s are refused', async (_title, text) => {
    const found = await stopOf(bench().plan(text));
    expect(found.filter(({ severity }) => severity === 'error')).toMatchObject([{ code: 'defined-twice' }]);
  });

  test('U20: two objects of one name that exist are declared with id:', async () => {
    const made = bench();
    const ids = [];
    for (const databaseName of ['one', 'two']) {
      const about = { databaseUser: 'u', databasePassword: 'password-1', environmentId: 'env_prj_1' };
      const row = await made.emulator.act('postgres.create', { name: 'web', databaseName, ...about });
      ids.push(String((row as Record<string, unknown>)['postgresId']));
    }
    const text = production(
      `    postgres:\n      one: { name: web, id: ${ids[0]} }\n      two: { name: web, id: ${ids[1]} }\n`,
    );
    await made.apply(text, everything);
    expect(new Set(rowsIn(made, 'postgres').map((row) => row['postgresId']))).toEqual(new Set(ids));
    await plansNothing(made, text);
  });

  test('U19: a compose file that uses an anchor thousands of times is deployed as it is', async () => {
    const times = effort({ fast: 1_000, full: 6_000 });
    const services = Array.from({ length: times }, (_, index) => `  s${index}: *web\n`).join('');
    const file = `x-web: &web { image: nginx, volumes: [data:/data] }\nservices:\n${services}volumes: { data: {} }\n`;
    const text = shop(`        domains: { a.test: { serviceName: s${times - 1} } }\n`).replace(
      /composeFile: .*/,
      `composeFile: ${JSON.stringify(file)} }`,
    );
    const made = bench();
    await made.apply(text);
    expect(rowsIn(made, 'compose')).toMatchObject([{ composeFile: file, composeStatus: 'done' }]);
    await plansNothing(made, text);
  });

  test.each([
    ['uses an anchor 11,000 times', `a: &a { x: 1 }\nb: [${'*a,'.repeat(11_000)}]\nservices: { web: {} }\n`],
    [
      'expands to millions of values',
      `a: &a [${'x,'.repeat(9_000)}]\nb: [${'*a,'.repeat(9_000)}]\nservices: { web: {} }\n`,
    ],
  ])('U19: a compose file that %s is refused before any request', async (_title, file) => {
    const text = shop('').replace(/composeFile: .*/, `composeFile: ${JSON.stringify(file)} }`);
    const found = await stopOf(bench().plan(text));
    expect(found).toMatchObject([{ code: 'inconsistent' }]);
    expect(found[0]?.message).toContain('the aliases of the compose file expand to too much');
  });

  test.each([
    ['a key twice', 'services: { web: { image: a }, web: { image: b } }', 'Write each key of a map once.'],
    [
      'two documents',
      'services: { web: { image: a } }\\n---\\nservices: { web: { image: b } }\\n',
      'A file holds one document: give the second one a file of its own.',
    ],
  ])('U23: a compose file with %s is refused before any request', async (_title, text, remedy) => {
    const found = await stopOf(bench().plan(shop('').replace('services: { web: { image: nginx } }', text)));
    expect(found).toMatchObject([{ code: 'inconsistent', remedy }]);
  });
});

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { armor, Encrypter, generateX25519Identity, identityToRecipient } from 'age-encryption';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Send, WireAnswer, WireRequest } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import type { Finished } from '../cli/process.ts';
import { finish, project, start, trueupProcess } from '../cli/process.ts';
import { inFormat, trueupInEveryFormat } from '../support/every-format.ts';
import { startPostgres, whyNoPostgres } from '../support/postgres-server.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { canariesIn, oddCanary, plainCanary, quotings, quoting } from '../secrets/canaries.ts';
import { keyText } from '../support/state-key.ts';
import { effort, thinned } from '../support/whole.ts';

/** No secret comes out of the real program: neither by what it prints, nor by what it leaves, nor when it crashes. */

const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  await Promise.all(open.map((server) => server.close()));
});

const apiKey = 'canary-api-key-4711';
const values = {
  ODD: oddCanary('odd'),
  FILE: plainCanary('file'),
  AGE: plainCanary('age'),
  COMMAND: plainCanary('command'),
  ROUTE: `/${plainCanary('route')}`,
};
const ofEnvironment = plainCanary('variable');

const manifest = (url: string, state: string) => `trueup: 1
platform: { url: "${url}" }
project: prj_1
state: ${state}
secrets:
  - { file: secrets.env }
  - { age: secrets.env.age }
  - { command: [sh, ask.sh, "{name}"] }
environments:
  production:
    description: Shop
    env: { TOKEN: "\${secret:ODD}", FROM_ENV: "\${env:CANARY_OF_ENV}" }
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:FILE}" }
    compose:
      shop:
        description: A shop
        source: { type: raw, composeFile: "\${file:compose.yaml}\\n      AGE: \${secret:AGE}\\n" }
        env:
          URL: postgres://shop:\${secret:FILE}@\${ref:postgres.main.host}/shop
          TOKEN: \${secret:ODD}
          COMMAND: \${secret:COMMAND}
        files: { shop.conf: { content: "password = \${secret:ODD}\\n" } }
        domains:
          shop.example.com: { serviceName: web, port: 8080, path: "\${env:ROUTE}" }
outputs: { url: "postgres://shop:\${secret:FILE}@\${ref:production.postgres.main.host}" }
`;

/** A state that is not in the folder of the manifest. */
interface Elsewhere {
  /** How the manifest names it. */
  readonly state: string;
  /** Its credentials. */
  readonly env: Readonly<Record<string, string>>;
  /** Everything that it holds. */
  readonly left: () => Promise<string>;
  /** Nobody can reach it any more. */
  readonly breakDown: () => void;
}

/**
 * A platform that can be told to answer otherwise, and a folder with a manifest for it. `command`: runs a command line,
 * in the process of the test and in every format at once unless everything is tried.
 */
async function place(elsewhere?: Elsewhere, command = effort({ fast: trueupInEveryFormat, all: trueupProcess })) {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const ways: {
    instead: (request: WireRequest) => WireAnswer | undefined;
    change: (answer: WireAnswer, request: WireRequest) => WireAnswer;
  } = { instead: () => undefined, change: (answer) => answer };
  const send: Send = async (request) => ways.instead(request) ?? ways.change(await emulator.send(request), request);
  const server = await serve({ ...emulator, send });
  open.push(server);
  const identity = await generateX25519Identity();
  const encrypter = new Encrypter();
  encrypter.addRecipient(await identityToRecipient(identity));
  const folder = project({
    'trueup.yaml': manifest(server.url, elsewhere?.state ?? '{ backend: local }'),
    'compose.yaml': 'services:\n  api: { image: nginx }\n  web:\n    image: nginx\n    environment:\n      A: "1"',
    'secrets.env': `FILE=${values.FILE}\n`,
    'secrets.env.age': armor.encode(await encrypter.encrypt(`AGE=${values.AGE}\n`)),
    'ask.sh': `echo '${values.COMMAND}'\n`,
  });
  const env = {
    TRUEUP_API_KEY: apiKey,
    TRUEUP_SECRET_ODD: values.ODD,
    ROUTE: values.ROUTE,
    TRUEUP_AGE_IDENTITY: identity,
    CANARY_OF_ENV: ofEnvironment,
    TRUEUP_DEBUG: '1',
    ...elsewhere?.env,
  };
  const argsOf = (words: readonly string[]) => [...words, '--allow-secret-commands', '-C', folder];
  /** Runs a command; nothing that it prints or leaves may hold a secret. Gives what it printed. */
  const run = async (
    words: readonly string[],
    more: { env?: Record<string, string>; input?: string; by?: typeof trueupProcess } = {},
  ) => {
    const input = more.input === undefined ? {} : { input: more.input };
    const ran = await (more.by ?? command)(argsOf(words), { env: { ...env, ...more.env }, ...input });
    const { out, err } = ran;
    const kept = left(folder) + ((await elsewhere?.left()) ?? '');
    const found = [out, err, kept].flatMap(canariesIn);
    expect([...new Set(found)].slice(0, 5), words.join(' ')).toEqual([]);
    expect(out + err + kept).not.toContain(identity);
    return { ...ran, both: out + err };
  };
  const applied = async () => expect(await run(apply), 'the first apply').toMatchObject({ code: 0 });
  return { emulator, ways, folder, env, argsOf, run, applied };
}

const apply = ['apply', '--auto-approve', '--adopt'];
const json = ['--format', 'json'];
/** The formats that are tried one after the other, in turns: none where each run prints all of them. */
const formats = effort({ fast: [[]], all: [[], json] });
const formatOf = (turn: number) => formats[turn % formats.length] ?? [];
/** The formats in which the real program runs too where every command succeeds. */
const ofProcess = effort({ fast: [], full: [[]], all: [[], json] });
/** Where nothing fails the real program starts with its code cache; what it prints for `TRUEUP_DEBUG=1` is in each format above. */
const asUsersRun: Readonly<Record<string, string>> = effort({ fast: { TRUEUP_DEBUG: '0' }, all: {} });
const forReviewers = ['markdown', 'sarif', 'junit'];

/** Those of some formats of a run that do not say something; of a run in one format, the run. Text says on stderr what failed. */
function silentOn(text: string, ran: Finished, names: readonly string[] = ['text', 'json']): string[] {
  const isEvery = /^=== \w+ ===$/m.test(ran.out);
  if (!isEvery) return (ran.out + ran.err).includes(text) ? [] : [`the run: ${ran.out}${ran.err}`];
  return names.filter((name) => !(inFormat(name, ran) + (name === 'text' ? ran.err : '')).includes(text));
}

/** Everything that runs left beside the manifest. */
function left(folder: string): string {
  const state = join(folder, '.trueup');
  if (!existsSync(state)) return '';
  const files = readdirSync(state, { withFileTypes: true, recursive: true }).filter((item) => item.isFile());
  return files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8')).join('\n');
}

/** A text in which every secret stands, each quoted in another way; from another way on each turn. */
function quoted(secrets: readonly string[], turn = 0): string {
  const ways = Object.values(quotings);
  return secrets.map((secret, index) => ways[(index + turn) % ways.length]?.(secret) ?? '').join(' ');
}

describe('the program prints no secret and leaves none', () => {
  test('when every command succeeds', async () => {
    const { run, emulator, folder } = await place(undefined, trueupInEveryFormat);
    const succeeds = async (words: readonly string[], more: Parameters<typeof run>[1] = {}) => {
      const ran = await run(words, more);
      expect(ran, words.join(' ')).toMatchObject({ code: 0 });
      return ran;
    };
    const real = { by: trueupProcess, env: asUsersRun };
    /** What only reads: in every format at once, and as a process. */
    const reads = async (words: readonly string[], inProcess = ofProcess) => {
      await succeeds(words);
      for (const format of inProcess) await succeeds([...words, ...format], real);
    };
    await reads(['validate'], effort({ fast: [], full: [[]] }));
    const reviews = forReviewers.map((format) => ['--format', format]);
    await reads(['plan'], effort({ fast: [[], json], full: [[], json, ...reviews] }));
    await succeeds([...apply, ...json], real);
    const sent = JSON.stringify(emulator.world.tables);
    for (const value of Object.values(values)) expect(sent).toContain(JSON.stringify(value).slice(1, -1));
    for (const words of [['status'], ['state', 'show', 'production.compose.shop'], ['output']]) await reads(words);
    // Other secrets: a plan with changes, the file of that plan, and what comes of it; in every format, then as a process.
    const plan = join(folder, '.trueup/plan');
    for (const by of effort({ fast: [trueupInEveryFormat], full: [trueupInEveryFormat, trueupProcess] })) {
      const secrets = { TRUEUP_SECRET_ODD: oddCanary(by.name), TRUEUP_SECRET_FILE: plainCanary(by.name) };
      const other = by === trueupProcess ? { ...secrets, ...asUsersRun } : secrets;
      const planned = await succeeds(['plan', '--out', plan], { env: other, by });
      expect(by === trueupProcess ? planned.out : inFormat('text', planned)).toContain('(sensitive');
      await succeeds([...apply, plan, '--allow-data-loss'], { env: other, by });
    }
    const destroy = ['destroy', '--auto-approve', '--allow-data-loss'];
    await succeeds(destroy, real);
  });

  test.each([
    'environment.update',
    'postgres.create',
    'compose.create',
    'compose.update',
    'domain.create',
    'mounts.create',
  ])('when the platform echoes the input of %s', async (operation) => {
    const { run, ways } = await place();
    let turn = operation.length;
    ways.instead = (request) => (request.path === `/api/${operation}` ? quoting(request, turn++) : undefined);
    for (const again of [0, 1]) {
      const ran = await run([...apply, '--in-flight-timeout', '1', ...formatOf(again)]);
      expect(ran.code).not.toBe(0);
      expect(silentOn('failed', ran)).toEqual([]);
    }
  });

  test('when a read or a deletion fails and its error quotes everything', async () => {
    const { run, ways, applied } = await place();
    await applied();
    const all = [...Object.values(values), ofEnvironment, apiKey];
    let turn = 0;
    const message = () => quoted(all, turn++);
    const answers: readonly (() => WireAnswer)[] = [
      () => ({ status: 400, headers: jsonType, body: JSON.stringify({ message: message(), code: 'BAD_REQUEST' }) }),
      () => ({ status: 403, headers: {}, body: `<html><title>${message()}</title></html>` }),
      () => ({ status: 200, headers: {}, body: `no JSON: ${message()}` }),
      () => ({ status: 200, headers: jsonType, body: JSON.stringify({ [message()]: message() }) }),
    ];
    for (const [index, answer] of answers.entries()) {
      ways.instead = ({ path }) => (/compose|byProjectId/.test(path) ? answer() : undefined);
      expect((await run(['plan', ...formatOf(index)])).code).not.toBe(0);
    }
    const known = {
      TRUEUP_SECRET_FILE: values.FILE,
      TRUEUP_SECRET_AGE: values.AGE,
      TRUEUP_SECRET_COMMAND: values.COMMAND,
    };
    ways.instead = ({ method }) => (method === 'GET' ? undefined : answers[0]?.());
    const destroy = await run(['destroy', '--auto-approve', '--allow-data-loss'], { env: known });
    expect(destroy.both).toContain('deleting failed');
  });

  test('when a deployment or a log quotes the secrets of its service', async () => {
    const { run, ways, applied } = await place();
    await applied();
    const own = [values.ODD, values.FILE, values.AGE, values.COMMAND];
    for (let turn = 0; turn < 4; turn++) {
      ways.change = (answer, { path }) => failing(answer, path, (secrets) => quoted(secrets ?? own, 2 * turn));
      const format = formatOf(turn);
      expect(silentOn('it did not start', await run(['status', ...format]))).toEqual([]);
      expect(silentOn('(sensitive)', await run(['logs', 'production.postgres.main', ...format]))).toEqual([]);
    }
    for (const format of formats) {
      const redeploy = ['run', 'redeploy', 'production.compose.shop', '--yes', ...format];
      expect(silentOn('it did not start', await run(redeploy))).toEqual([]);
      // An apply waits for a deployment, and tells why it failed.
      own[3] = plainCanary(`fresh${format.length}`);
      expect(
        silentOn('deploy-failed', await run([...apply, ...format], { env: { TRUEUP_SECRET_COMMAND: own[3] } })),
      ).toEqual([]);
    }
  });

  test('when objects of the platform have secrets as names', async () => {
    const { run, emulator, folder, applied } = await place(undefined, trueupInEveryFormat);
    await applied();
    const name = values.FILE;
    const keys = {
      privateKey: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n',
      publicKey: 'ssh-ed25519 AAAA',
      organizationId: 'org_1',
    };
    await emulator.act('sshKey.create', { name, description: '', ...keys });
    await emulator.act('environment.create', { name, description: name, projectId: 'prj_1' });
    await emulator.act('compose.create', { name, environmentId: 'env_prj_1' });
    expect(await run(['plan'])).toMatchObject({ code: 0 });
    const more = '      git: { source: { type: git, url: "git@host:a.git", branch: main, sshKey: nowhere } }\n';
    const text = readFileSync(join(folder, 'trueup.yaml'), 'utf8');
    writeFileSync(
      join(folder, 'trueup.yaml'),
      text.replace('    compose:\n', (line) => line + more),
    );
    const ran = await run(['plan']);
    expect(ran.code).not.toBe(0);
    expect(silentOn('nowhere', ran, ['text', 'json', ...forReviewers])).toEqual([]);
  });

  test('when it is killed at any moment', async () => {
    const { argsOf, env, folder, ways } = await place();
    let posts = 0;
    let child: ReturnType<typeof start> | undefined;
    for (let stopAt = 1; stopAt <= 6; stopAt++) {
      posts = 0;
      ways.change = (answer, { method }) => {
        if (method === 'POST' && ++posts === stopAt) child?.kill('SIGKILL');
        return answer;
      };
      child = start(argsOf([...apply, '--in-flight-timeout', '1']), { env: { ...env, ...asUsersRun } });
      const { out, err } = await finish(child);
      expect([out, err, left(folder)].flatMap(canariesIn), `after ${stopAt} writes`).toEqual([]);
    }
  });
});

describe('the program leaves no secret in a state', () => {
  const inPostgres = async (): Promise<Elsewhere> => {
    const server = await startPostgres();
    const password = plainCanary('password');
    const admin = new pg.Client(server.url());
    await admin.connect();
    await admin.query(`create role writer login superuser password '${password}'`);
    open.push({
      close: async () => {
        await admin.end().catch(() => undefined);
        server.stop();
      },
    });
    admin.on('error', () => undefined); // its connection breaks when the server does
    const url = new URL(server.url());
    url.username = 'writer';
    url.password = password;
    const rows = async (table: string) => JSON.stringify((await admin.query(`select * from trueup.${table}`)).rows);
    return {
      state: '{ backend: postgres }',
      env: { TRUEUP_STATE_URL: url.href, TRUEUP_STATE_KEY: keyText },
      left: async () => [await rows('state'), await rows('journal'), await rows('lease')].join('\n'),
      breakDown: () => server.crash(),
    };
  };
  const inBucket = async (): Promise<Elsewhere> => {
    const server = await serveS3(['bucket']);
    open.push(server);
    return {
      state: `{ backend: s3, endpoint: "${server.url}", bucket: bucket, region: us-east-1, prefix: shop }`,
      env: { AWS_ACCESS_KEY_ID: 'writer', AWS_SECRET_ACCESS_KEY: secretOf('writer'), TRUEUP_STATE_KEY: keyText },
      left: () => Promise.resolve([...server.objects.values()].map(({ text }) => text).join('\n')),
      breakDown: () => {
        server.switches.fault = () => 403;
      },
    };
  };
  const isMissing = whyNoPostgres() !== undefined;
  const places = { 'in a bucket': inBucket, ...(isMissing ? {} : { 'in PostgreSQL': inPostgres }) };

  test.each(Object.entries(places))(
    '%s, also when it is killed or cannot be reached',
    async (_, make) => {
      const elsewhere = await make();
      const { run, env, argsOf, ways } = await place(elsewhere);
      let posts = 0;
      let child: ReturnType<typeof start> | undefined;
      ways.change = (answer, { method }) => {
        if (method === 'POST' && ++posts === 3) child?.kill('SIGKILL');
        return answer;
      };
      child = start(argsOf([...apply, '--in-flight-timeout', '1']), { env });
      const killed = await finish(child);
      const journal = await elsewhere.left();
      expect(journal).toMatch(/\bpending\b/);
      expect([killed.out, killed.err, journal].flatMap(canariesIn)).toEqual([]);
      expect(await run([...apply, '--in-flight-timeout', '1', '--lock-timeout', '120'])).toMatchObject({ code: 0 });
      expect(await elsewhere.left()).toContain('production.compose.shop');
      const other = { TRUEUP_SECRET_ODD: oddCanary('other') };
      expect(await run(apply, { env: other })).toMatchObject({ code: 0 });
      expect(inFormat('json', await run(['plan'], { env: other, by: trueupInEveryFormat }))).toContain('"changes"');
      elsewhere.breakDown();
      const commands = [['plan'], apply, ['state', 'list']];
      const ends = commands.map((words) => trueupInEveryFormat(argsOf(words), { env }));
      const inBoth = commands.flatMap((words) => [words, [...words, ...json]]);
      const processes = effort({ fast: [['plan']], all: inBoth }).map((words) => trueupProcess(argsOf(words), { env }));
      for (const { code, out, err } of await Promise.all([...ends, ...processes])) {
        expect(code).not.toBe(0);
        expect([out, err].flatMap(canariesIn)).toEqual([]);
        expect(out + err).not.toContain(secretOf('writer'));
      }
    },
    180_000,
  );
});

const jsonType = { 'content-type': 'application/json' };

/** An answer of a platform on which every deployment fails, and quotes secrets as its log does. */
function failing(answer: WireAnswer, path: string, quote: (secrets?: readonly string[]) => string): WireAnswer {
  if (path.includes('readLogs')) return { ...answer, status: 200, body: JSON.stringify(`${quote([values.FILE])}\n`) };
  if (!path.includes('compose.one')) return answer;
  const text = JSON.stringify(`it did not start: ${quote()}`);
  const body = answer.body
    .replaceAll('"errorMessage":null', () => `"errorMessage":${text}`)
    .replaceAll('"status":"done"', '"status":"error"')
    .replaceAll('"title":"Trueup"', () => `"title":${text}`);
  return { ...answer, body };
}

describe('the program prints no secret when it crashes', () => {
  const everything = JSON.stringify(Object.values(values).join(' | '));
  const crashes: Readonly<Record<string, string>> = {
    'an error that nobody catches': `throw new Error(${everything})`,
    'an error with a cause': `throw new Error(${everything}, { cause: new TypeError('because ' + ${everything}) })`,
    'an error of several': `throw new AggregateError([new Error(${everything})], ${everything})`,
    'an error with another name': `throw Object.assign(new Error('x'), { name: ${everything} })`,
    'a text that is thrown': `throw ${everything}`,
    'a promise that nobody awaits': `void Promise.reject(new Error(${everything}))`,
    'a promise that is rejected with a text': `void Promise.reject(${everything})`,
  };
  let begun: Awaited<ReturnType<typeof place>>;
  beforeAll(async () => {
    begun = await place();
  });

  const rows = Object.entries(crashes).map(
    ([what, crash], index) => [what, crash, index % 2 === 0 ? [] : json] as const,
  );
  test.each(thinned(rows, 4))('by %s', async (what, crash, one) => {
    const { argsOf, env, folder } = begun;
    const file = join(folder, `crash-${what.replaceAll(' ', '-')}.mjs`);
    // It crashes when the plan is printed: all secrets are known then.
    writeFileSync(
      file,
      `const { write } = process.stdout;
process.stdout.write = (text, ...rest) => {
  if (/to create|trueup.plan/.test(text)) setImmediate(() => { ${crash}; });
  return write.call(process.stdout, text, ...rest);
};`,
    );
    for (const format of effort({ fast: [one], all: [[], json] })) {
      const more = { NODE_OPTIONS: `--import ${file}` };
      // What it has to print elsewhere keeps it from ending before it crashes.
      const { code, out, err } = await trueupProcess(argsOf([...apply, ...format]), { env: { ...env, ...more } });
      expect(out + err).toContain('this is a defect of Trueup');
      expect(code).toBe(1);
      expect([out, err, left(folder)].flatMap(canariesIn)).toEqual([]);
    }
  });
});

describe('the redactor', () => {
  test('redacts a secret in a plan that the platform has in an open field', async () => {
    const { run, emulator, applied } = await place();
    await applied();
    const [composeId] = Object.keys(emulator.world.tables.compose);
    await emulator.act('compose.update', { composeId, description: `deployed with ${values.FILE}` });
    expect(await run(['plan'])).toMatchObject({ code: 0 });
  });

  test('redacts a secret in warnings in JSON', async () => {
    const { run, folder } = await place(undefined, trueupInEveryFormat);
    const text = readFileSync(join(folder, 'trueup.yaml'), 'utf8');
    const twice = '          again: { host: SHOP.example.com, serviceName: web, port: 80, path: "${env:ROUTE}" }\n';
    writeFileSync(
      join(folder, 'trueup.yaml'),
      text.replace('        domains:\n', (line) => line + twice),
    );
    const ran = await run(['validate']);
    expect(ran.code).toBe(0);
    expect(inFormat('text', ran) + ran.err).toMatch(/is valid[\s\S]*two declarations overlap/);
  });

  test('redacts the secrets of the input in the answer of trueup call', async () => {
    const { run, ways } = await place();
    ways.instead = () => ({
      status: 200,
      headers: jsonType,
      body: JSON.stringify({ message: `set to ${values.FILE}` }),
    });
    const call = ['call', 'compose.update', 'composeId=cmp_1', 'env=@-'];
    expect(await run(call, { input: `A_TOKEN=${values.FILE}` })).toMatchObject({ code: 0 });
  });

  test('redacts the API key in the answer of trueup call', async () => {
    const { run, ways } = await place();
    ways.instead = () => ({ status: 200, headers: jsonType, body: JSON.stringify({ message: `by ${apiKey}` }) });
    expect(await run(['call', 'user.get'])).toMatchObject({ code: 0 });
  });

  test('redacts the previous secret of the platform in an error', async () => {
    const { run, ways, applied } = await place();
    await applied();
    ways.instead = ({ path, body = '' }) =>
      path === '/api/compose.update' && body.includes('fresh')
        ? {
            status: 500,
            headers: jsonType,
            body: JSON.stringify({ message: `Failing row contains (${values.COMMAND})` }),
          }
        : undefined;
    const fresh = { TRUEUP_SECRET_COMMAND: plainCanary('fresh') };
    expect((await run([...apply, '--in-flight-timeout', '1'], { env: fresh })).code).not.toBe(0);
  });
});

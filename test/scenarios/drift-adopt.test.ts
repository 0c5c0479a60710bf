import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { Operation } from '../../src/api/contract.ts';
import type { Json } from '../../src/formats/json.ts';
import { applyCommand, driftAdoptCommand, driftCommand, planCommand } from '../cli/asked.ts';
import { apiKey, documentIn, places } from '../cli/place.ts';
import { edit } from '../support/drifting.ts';

/** What the platform has is written into YAML files that somebody wrote, and then plans nothing. */

const place = places();

/** A folder with a manifest that was applied, whose other files are these; `REGION` and more drift. */
async function world(sections: string, files: Readonly<Record<string, string>> = {}, applied = sections) {
  const at = await place(applied, { secrets: { TOKEN: 'canary-token-4711' } });
  at.rewrite(sections);
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at.folder, name)), { recursive: true });
    writeFileSync(join(at.folder, name), text);
  }
  const read = (name = 'trueup.yaml') => readFileSync(join(at.folder, name), 'utf8');
  const before = read();
  return {
    ...at,
    read,
    change: (
      operation: Operation,
      address: string,
      input: Record<string, unknown>,
      id = `${operation.split('.')[0]}Id`,
    ) => edit({ emulator: at.emulator, apiKey }, operation, { [id]: at.idOf(address), ...input }),
    /** The manifest with some texts replaced, and nothing else. */
    with: (...replaced: readonly (readonly [string, string])[]) => {
      let text = before;
      for (const [from, to] of replaced) {
        expect(text.split(from)).toHaveLength(2);
        text = text.replace(from, () => to);
      }
      return text;
    },
    adopt: (subjects: readonly string[], flags = {}, format = 'text') =>
      at.run(driftAdoptCommand(subjects, flags), { format }),
    /** The changes that a plan has. */
    planned: async (): Promise<Json> => {
      const ran = await at.run(planCommand({}), { format: 'json' });
      const document = documentIn(ran);
      if (document.format !== 'trueup/plan') return ran.err;
      return document.actions
        .filter(({ action }) => action !== 'no-op')
        .map(({ address, action }) => `${action} ${address}`);
    },
  };
}

const shop = `# the shop
environments:
    production:   # live
        compose:
            # do not touch
            shop:
                env:   # of all services
                    REGION: 'eu-1'   # where
                    # how many
                    REPLICAS: 2
                    "LIMIT": "10"
                source:
                    type: raw
                    composeFile: |
                        # a comment of the file
                        services:
                          web:
                            image: nginx:1.27

                domains: { shop.example.com: { port: 80, serviceName: web } }   # public
        redis: {cache: {dockerImage: "redis:7", databasePassword: '\${secret:TOKEN}', memoryLimit: 512Mi}}
# end`;

const compose = 'production.compose.shop';
const cache = 'production.redis.cache';

describe('drift adopt', () => {
  it('writes values in the quotes and the place that they had, and then plans nothing', async () => {
    const at = await world(shop);
    await at.change('compose.update', 'production.compose.shop', {
      env: 'REGION=eu-2\nREPLICAS=3\nLIMIT=20',
      composeFile: '# a comment of the file\nservices:\n  web:\n    image: nginx:1.28\n',
    });
    await at.change('redis.update', 'production.redis.cache', { memoryLimit: '1073741824', dockerImage: 'redis:8' });
    await at.change('domain.update', 'production.compose.shop.domains["shop.example.com"]', {
      host: 'shop.example.com',
      port: 8080,
    });
    await at.change('compose.deploy', 'production.compose.shop', {});
    await at.change('redis.deploy', 'production.redis.cache', {});
    at.requests();
    const ran = await at.adopt([], { all: true });
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).toBe(
      at.with(
        ["'eu-1'", "'eu-2'"],
        ['REPLICAS: 2', 'REPLICAS: 3'],
        ['"10"', '"20"'],
        ['nginx:1.27', 'nginx:1.28'],
        ['"redis:7"', '"redis:8"'],
        ['512Mi', '1Gi'],
        ['port: 80,', 'port: 8080,'],
      ),
    );
    expect(at.requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
    // What runs may not have what was saved: that is deployed once.
    expect(ran.out).toContain('The next apply deploys production.compose.shop, production.redis.cache:');
    expect(await at.planned()).toEqual(['deploy production.compose.shop', 'deploy production.redis.cache']);
    expect((await at.run(driftCommand({ remember: false }))).exit).toBe('done');
    expect((await at.run(applyCommand({ autoApprove: true }))).exit).toBe('done');
    expect(await at.planned()).toEqual([]);
  });

  it('gives fields that unset names their values, takes them out of it, and then plans nothing', async () => {
    const unset = 'unset: [cpuLimit, memoryLimit, description, env]';
    const at = await world(shop.replace('memoryLimit: 512Mi', unset));
    await at.change('redis.update', cache, { memoryLimit: '1073741824', description: 'Sessions.' });
    expect(await at.adopt([], { all: true })).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).toBe(
      at.with(
        ['{dockerImage:', '{description: Sessions., dockerImage:'],
        [unset, 'memoryLimit: 1Gi, unset: [cpuLimit, env]'],
      ),
    );
    expect((await at.run(applyCommand({ autoApprove: true }))).exit).toBe('done');
    expect(await at.planned()).toEqual([]);
    await at.change('redis.update', cache, { cpuLimit: '1000000000' });
    await at.change('redis.update', cache, { env: 'A=1' });
    expect(await at.adopt([cache])).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).not.toContain('unset');
    expect((await at.run(applyCommand({ autoApprove: true }))).exit).toBe('done');
    expect(await at.planned()).toEqual([]);
  });

  it('adds and removes the keys of a map, and changes one field only where --field says so', async () => {
    const at = await world(shop);
    await at.change('compose.update', 'production.compose.shop', { env: 'REGION=eu-2\nREPLICAS=2\nNEW=x y' });
    const added = await at.adopt([compose], { field: ['env.NEW'] });
    expect(added).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).toBe(at.with(['"LIMIT": "10"\n', '"LIMIT": "10"\n                    NEW: x y\n']));
    expect(await at.adopt([compose])).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).toBe(
      at.with(["'eu-1'", "'eu-2'"], ['                    "LIMIT": "10"\n', '                    NEW: x y\n']),
    );
    expect(await at.adopt([compose])).toMatchObject({ exit: 'stopped' });
  });

  it('adopts each field that --field names, and all below it', async () => {
    const at = await world(shop);
    await at.change('compose.update', 'production.compose.shop', {
      env: 'REGION=eu-2\nREPLICAS=3\nLIMIT=10',
      composeFile: '# a comment of the file\nservices:\n  web:\n    image: nginx:1.28\n',
      description: 'Sold out.',
    });
    const ran = await at.adopt([compose], { field: ['env', 'source.composeFile'] });
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).toBe(at.with(["'eu-1'", "'eu-2'"], ['REPLICAS: 2', 'REPLICAS: 3'], ['nginx:1.27', 'nginx:1.28']));
  });

  it('writes nothing with --dry-run, and shows what would change without secrets', async () => {
    const at = await world(shop);
    await at.change('compose.update', 'production.compose.shop', { env: 'REGION=eu-2\nREPLICAS=2\nLIMIT=10' });
    const ran = await at.adopt([compose], { dryRun: true });
    expect(ran.exit).toBe('done');
    expect(ran.out).toContain(
      'Would adopt 1 finding; nothing was written:\n  production.compose.shop\n    env.REGION: eu-1 -> eu-2\n',
    );
    expect(ran.out).toMatch(/^trueup\.yaml\n/);
    expect(at.read()).toBe(at.with());
    const document = documentIn(await at.adopt([compose], {}, 'json'));
    expect(document).toMatchObject({
      format: 'trueup/drift-adopt',
      written: true,
      files: ['trueup.yaml'],
      adopted: [{ is: 'drifted', address: compose, path: 'env.REGION', file: 'trueup.yaml' }],
      deploys: [compose],
      diagnostics: [],
    });
  });

  it('shows the lines that change, and names only services that have adopted values', async () => {
    const withOther = (image: string) =>
      shop.replace('redis: {', `redis: {other: {dockerImage: "${image}", databasePassword: abcdefgh}, `);
    const at = await world(withOther('redis:8'), {}, withOther('redis:7'));
    await at.change('compose.update', 'production.compose.shop', { env: 'REGION=eu-2\nREPLICAS=2\nLIMIT=10' });
    const ran = await at.adopt([compose], { dryRun: true });
    expect(ran.out).toMatch(/^- +REGION: 'eu-1' {3}#…\n\+ +REGION: 'eu-2' {3}#…$/m);
    expect(ran.out).toContain('The next apply deploys production.compose.shop: what runs');
  });

  it('shows with --dry-run what a plan shows of variables and texts, and no secret', async () => {
    const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
    const compose2 =
      '                          web:\n                            environment: { DB_PASSWORD: canary-old-4712 }\n';
    const text = shop
      .replace("'eu-1'", `'${token}'`)
      .replace('                          web:\n', compose2)
      .replace('            shop:\n', "            shop:\n                private: ['LIMIT']\n");
    const at = await world(text);
    await at.change('compose.update', compose, {
      env: 'REGION=eu-2\nREPLICAS=3\nLIMIT=canary-limit\nNEW=canary-new\nAPI_TOKEN=canary-5f1c9b7e21d04a',
      composeFile:
        '# a comment of the file\nservices:\n  web:\n    environment: { DB_PASSWORD: canary-old-4712 }\n    image: nginx:1.28\n',
    });
    const ran = await at.adopt([], { all: true, dryRun: true });
    expect(ran.out + ran.err).not.toMatch(/canary|ghp_/);
    const shown = ran.out.slice(ran.out.indexOf('Would adopt'));
    expect(shown).toContain('    env.REGION: (sensitive) -> eu-2\n    env.REPLICAS: "2" -> "3"\n');
    expect(shown).toContain('-     image: nginx:1.27\n');
    expect(shown).toContain('+     image: nginx:1.28\n');
    expect(shown).toContain('env.NEW: (sensitive)\n');
    expect(at.read()).toBe(at.with());
    expect(await at.adopt([], { all: true })).toMatchObject({ exit: 'failed' });
    expect((await at.run(applyCommand({ autoApprove: true }))).exit).toBe('done');
    expect(await at.planned()).toEqual([]);
  });

  it('never writes a secret, nor over an expression, and says what was left', async () => {
    const at = await world(
      shop.replace("'eu-1'", () => '"${var:region}"').replace('# end', 'variables: { region: { default: eu-1 } }'),
    );
    const env = 'REGION=eu-2\nREPLICAS=4\nLIMIT=10\nAPI_TOKEN=canary-5f1c9b7e21d04a';
    await at.change('compose.update', 'production.compose.shop', { env });
    await at.change('redis.update', 'production.redis.cache', { databasePassword: 'canary-password-4712' });
    const ran = await at.adopt([], { all: true });
    expect(ran.exit).toBe('failed');
    expect(ran.err).toContain('env.API_TOKEN: its value is a secret, or looks like one');
    expect(ran.err).toContain('REGION: it is written with the expression ${var:…}');
    expect(ran.err).toContain('databasePassword: its value is a secret');
    expect(ran.out + ran.err + at.read()).not.toContain('canary');
    expect(at.read()).toBe(at.with(['REPLICAS: 2', 'REPLICAS: 4']));
    const only = await at.adopt([cache]);
    expect(only.exit).toBe('stopped');
    expect(at.read()).toBe(at.with(['REPLICAS: 2', 'REPLICAS: 4']));
  });

  it('writes no secret that the run knows, nor one that only the place of a text makes one', async () => {
    vi.stubEnv('TRUEUP_SECRET_TOKEN', 'canary-token-4711');
    const text = shop
      .replace("'eu-1'", "'shop'")
      .replace(
        'image: nginx:1.27',
        'image: nginx\n                            environment: { DB_PASSWORD: canary-old-4712 }',
      );
    const at = await world(text);
    await at.change('compose.update', compose, {
      env: 'REGION=at canary-token-4711\nREPLICAS=2\nLIMIT=10',
      composeFile: '# canary-new-4713\nservices:\n  web:\n    environment: { DB_PASSWORD: canary-new-4713 }\n',
    });
    const ran = await at.adopt([compose]);
    expect(ran.exit).toBe('stopped');
    expect(ran.err).toContain('cannot adopt env.REGION: its value is a secret');
    expect(ran.err).toContain('cannot adopt source.composeFile: its value is a secret');
    expect(ran.out + ran.err).not.toContain('canary');
    expect(at.read()).toBe(at.with());
    // What stands there already is no new secret.
    await at.change('compose.update', compose, {
      env: 'REGION=shop\nREPLICAS=2\nLIMIT=10',
      composeFile:
        '# a comment of the file\nservices:\n  web:\n    restart: always\n    image: nginx\n    environment: { DB_PASSWORD: canary-old-4712 }\n',
    });
    expect(await at.adopt([compose])).toMatchObject({ exit: 'done' });
    expect(at.read()).toBe(
      at.with([
        '                          web:\n',
        '                          web:\n                            restart: always\n',
      ]),
    );
  });

  it('finds the value in an included file, with CRLF and anchors, and a compose file beside it', async () => {
    const file = 'services:\n  web: { image: nginx }\n';
    const included =
      '\uFEFFx-env: &env   # shared\r\n  REGION: eu-1\r\nenvironments:\r\n  production:\r\n    compose:\r\n      shop:\r\n' +
      '        env: { <<: *env, MODE: live }  # own\r\n        source: { type: raw, composeFile: "${file:shop/compose.yml}" }\r\n';
    const flat = `environments: { production: { compose: { shop: { env: { REGION: eu-1, MODE: live }, source: { type: raw, composeFile: ${JSON.stringify(file)} } } } } }\n`;
    const at = await world(
      'include: [environments/*.yaml]\n',
      { 'environments/a.yaml': included, 'environments/shop/compose.yml': file },
      flat,
    );
    const composeFile = 'services:\n  web: { image: "nginx:1.28" }\n';
    await at.change('compose.update', compose, { env: 'REGION=eu-2\nMODE=live', composeFile });
    expect(await at.adopt([compose])).toMatchObject({ exit: 'done', err: '' });
    expect(at.read('environments/shop/compose.yml')).toBe(composeFile);
    expect(at.read('environments/a.yaml')).toBe(included.replace('MODE: live', 'MODE: live, REGION: eu-2'));
    expect(at.read()).toBe(at.with());
    expect(await at.planned()).toEqual([`deploy ${compose}`]);
  });

  it('removes the block of a missing object only where its address is named', async () => {
    const at = await world(shop);
    await at.change('redis.remove', cache, {});
    const all = await at.adopt([], { all: true });
    expect(all).toMatchObject({ exit: 'stopped' });
    expect(at.read()).toBe(at.with());
    expect(await at.adopt([cache])).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).toBe(
      at.with([
        `redis: {cache: {dockerImage: "redis:7", databasePassword: '\${secret:TOKEN}', memoryLimit: 512Mi}}`,
        'redis: {}',
      ]),
    );
    expect(await at.planned()).toEqual([`forget ${cache}`]);
    expect((await at.run(applyCommand({ autoApprove: true }))).exit).toBe('done');
    expect(await at.planned()).toEqual([]);
  });

  it('refuses the block of a missing object that others need', async () => {
    const at = await world(shop.replace('REPLICAS: 2', () => 'HOST: "${ref:redis.cache.host}"'));
    await at.change('redis.remove', cache, {});
    const ran = await at.adopt([cache]);
    expect(ran.exit).toBe('stopped');
    expect(ran.err).toContain('the manifest would not be valid with what the platform has; nothing was written');
    expect(at.read()).toBe(at.with());
  });

  it('writes another case of a group as a whole', async () => {
    const at = await world(shop);
    await at.change('compose.update', compose, {
      sourceType: 'git',
      customGitUrl: 'https://git.example.com/shop.git',
      customGitBranch: 'main',
    });
    const ran = await at.adopt([compose]);
    expect(ran).toMatchObject({ exit: 'done', err: '' });
    expect(at.read()).toContain('                source:\n                    type: git\n');
    expect(at.read()).toContain('https://git.example.com/shop.git');
    expect(at.read()).not.toContain('composeFile');
    expect(await at.planned()).toEqual([`update ${compose}`, `deploy ${compose}`]);
    at.requests();
    expect((await at.run(applyCommand({ autoApprove: true, deploy: false }))).exit).toBe('done');
    expect(at.requests().filter((request) => request.includes('update'))).toEqual([]);
  });

  it('names an object that no block declares, and writes the id where two have the name', async () => {
    const at = await world(`environments:
  production:
    compose:
      shop: { source: { type: git, url: "git@git.example.com:shop.git", branch: main, sshKey: key-1 } }
`);
    const uses = async (customGitSSHKeyId: string) => {
      await at.change('compose.update', compose, { customGitSSHKeyId });
      const ran = await at.adopt([compose]);
      expect(ran).toMatchObject({ exit: 'done', err: '' });
      return at.read();
    };
    expect(await uses('key_2')).toBe(at.with(['key-1', 'key-2']));
    expect(await at.planned()).toEqual([`deploy ${compose}`]);
    const { publicKey } = at.emulator.world.tables.sshKey['key_1'] ?? {};
    const privateKey = '-----BEGIN OPENSSH PRIVATE KEY-----\nb25l\n-----END OPENSSH PRIVATE KEY-----\n';
    const input = { name: 'twin', privateKey, publicKey, organizationId: 'org_1' };
    for (let made = 0; made < 2; made++) await edit({ emulator: at.emulator, apiKey }, 'sshKey.create', input);
    const [twin, ...others] = Object.values(at.emulator.world.tables.sshKey).filter(({ name }) => name === 'twin');
    expect(others).toHaveLength(1);
    const id = String(twin?.sshKeyId);
    expect(await uses(id)).toBe(at.with(['key-1', id]));
    expect(await at.planned()).toEqual([`deploy ${compose}`]);
  });

  it.each([
    ['nothing drifted', [compose], {}, 'nothing has drifted at production.compose.shop'],
    ['an unknown field', [cache], { field: ['port'] }, 'has no drift in port'],
    [
      'an unmanaged object',
      ['production.redis.legacy'],
      {},
      "trueup export --address 'production.redis.legacy' takes it in",
    ],
    ['nothing to adopt', [], {}, 'no address says what to adopt'],
    ['all and an address', [cache], { all: true }, '--all takes neither addresses nor --field'],
    [
      'two fields, one without drift',
      [cache],
      { field: ['dockerImage', 'memoryLimit'] },
      'has no drift in memoryLimit',
    ],
    ['a field of two', [cache, compose], { field: ['env.A'] }, '--field takes one address'],
  ])('refuses %s', async (_, subjects, flags, message) => {
    const at = await world(shop);
    await at.change('redis.update', cache, { dockerImage: 'redis:8' });
    await edit({ emulator: at.emulator, apiKey }, 'redis.create', {
      name: 'legacy',
      appName: 'legacy',
      databasePassword: 'legacy-password',
      environmentId: at.idOf('production'),
    });
    const ran = await at.adopt(subjects, flags);
    expect(ran.exit).toBe('stopped');
    expect(ran.err).toContain(message);
    expect(at.read()).toBe(at.with());
  });
});

import { describe, expect, it, vi } from 'vitest';
import { evalCommand } from '../asked.ts';
import { documentIn, places } from '../place.ts';
import { documentOf, project, trueup } from '../process.ts';

const open = places();
const canary = 'canary-7f3a';

const services = `variables: { tag: { default: 2025.10 }, replicas: { default: 3 } }
environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        private: [VENDOR]
        env:
          TAG: v\${var:tag}
          HOST: \${ref:postgres.main.host}
          URL: postgres://shop:\${secret:DB}@\${ref:postgres.main.host}/shop
          VENDOR: acme
          API_TOKEN: "${canary}-5e1d9c"
`;
const database = 'production.postgres.main';

describe('eval of an expression', () => {
  const at = (text: string, ...args: readonly string[]) => {
    const manifest = `trueup: 1\nplatform: { url: "http://127.0.0.1:9" }\nproject: prj_1\n${services}`;
    return trueup(['eval', text, '-C', project({ 'trueup.yaml': manifest, 'motd.txt': 'hello\n' }), ...args]);
  };

  it.each([
    ['${var:replicas}', '3\n'],
    ['v${var:tag}', '"v2025.10"\n'],
    ['${file:motd.txt}', '"hello\\n"\n'],
    ['$${var:tag}', '"${var:tag}"\n'],
  ])('%j prints %j, with its type, and sends nothing', async (text, out) => {
    expect(await at(text)).toEqual({ code: 0, out, err: '' });
  });

  it('takes variables of the command line', async () => {
    expect((await at('${var:tag}', '--var', 'tag=2026.1')).out).toBe('"2026.1"\n');
  });

  it('marks the expression that has the mistake, and quotes nothing around it', async () => {
    const { code, out, err } = await at('postgres://u:hunter2@h/${var:tags}');
    expect([code, out]).toEqual([3, '']);
    expect(err).toBe(`error[bad-expression] (expression):1:24
there is no variable tags
  1 | \${var:tags}
    | ^^^^^^^^^^^
  -> Did you mean \${var:tag}?
`);
    expect((await at('a\nb ${var:tag} ${env:NOT_SET}')).err).toContain('(expression):2:14\n');
    expect((await at('${var:tag} ${ref:x')).err).toContain('  1 | ${ref:\n    | ^^^^^^\n');
  });

  it('is relative to the block that --in names', async () => {
    expect((await at('${ref:postgres.main.host}')).err).toContain('there is no resource postgres.main');
    const { err } = await at('${ref:postgres.main.hots}', '--in', 'production.compose.shop');
    expect(err).toContain('production.postgres.main has no output hots');
    expect((await at('${var:tag}', '--in', 'production.compose.shp')).err).toContain(
      'Did you mean production.compose.shop?',
    );
    expect((await at('production.compose.shop', '--in', 'production')).err).toContain('--in goes with an expression');
  });

  it('redacts secrets unless --show-secrets is given, and then needs them', async () => {
    const hidden = await at('user:${secret:DB}');
    expect(hidden).toEqual({
      code: 0,
      out: '"(sensitive)"\n',
      err: 'A part is redacted; --show-secrets shows it.\n',
    });
    const missing = await at('user:${secret:DB}', '--show-secrets');
    expect([missing.code, missing.out]).toEqual([1, '']);
    expect(missing.err).toContain('the expression needs the secret DB');
  });
});

describe('eval, with a platform', () => {
  it('reads ids from the state, and from the platform only what the state does not have', async () => {
    vi.stubEnv('TRUEUP_SECRET_DB', canary);
    const place = await open(services, { secrets: { DB: canary } });
    place.requests();
    const id = await place.run(evalCommand(`\${ref:${database}.id}`, {}));
    expect(id).toEqual({
      exit: 'done',
      out: `"${place.idOf(database)}"\n`,
      err: `${database}.id is from the state.\n`,
    });
    expect(place.requests()).toEqual([]);
    const row = (await place.emulator.act('postgres.one', { postgresId: place.idOf(database) })) as { appName: string };
    place.requests();
    const host = await place.run(evalCommand('${ref:postgres.main.host}', { in: 'production.compose.shop' }));
    expect(host).toEqual({ exit: 'done', out: `"${row.appName}"\n`, err: `${database}.host is from the platform.\n` });
    expect(place.requests()).toEqual(['GET postgres.one', 'GET environment.byProjectId']);

    const url = 'postgres://shop:${secret:DB}@${ref:production.postgres.main.host}/shop';
    const hidden = await place.run(evalCommand(url, {}));
    expect(hidden.out).toBe(`"postgres://shop:(sensitive)@${row.appName}/shop"\n`);
    const shown = await place.run(evalCommand(url, { showSecrets: true }));
    expect(shown.out).toBe(`"postgres://shop:${canary}@${row.appName}/shop"\n`);
    place.requests();

    const env = await place.run(evalCommand('production.compose.shop.env', {}), { format: 'json' });
    expect(documentIn(env)).toEqual({
      format: 'trueup/evaluation',
      version: 1,
      value: {
        TAG: 'v2025.10',
        HOST: row.appName,
        URL: `postgres://shop:(sensitive)@${row.appName}/shop`,
        VENDOR: '(sensitive)',
        API_TOKEN: '(sensitive)',
      },
      sensitive: true,
      references: [{ name: `${database}.host`, from: 'platform' }],
    });
    expect(place.requests()).toEqual(['GET postgres.one', 'GET environment.byProjectId']);
    expect(JSON.stringify([id, host, hidden, env])).not.toContain('canary');
    const one = await place.run(evalCommand('production.compose.shop.env.URL', { showSecrets: true }));
    expect(one.out).toBe(`"postgres://shop:${canary}@${row.appName}/shop"\n`);
    vi.unstubAllEnvs();
    vi.stubEnv('TRUEUP_API_KEY', 'right-key-4711');
  });

  it('refuses what is not applied yet', async () => {
    const place = await open('', {});
    place.rewrite(services);
    const { exit, err } = await place.run(evalCommand('production.compose.shop.env.HOST', {}));
    expect(exit).toBe('stopped');
    expect(err).toContain(`production.compose.shop.env.HOST needs ${database}, which is not applied yet`);
  });
});

describe('eval of a path of the manifest', () => {
  const manifest = `trueup: 1\nplatform: { url: "http://127.0.0.1:9" }\nproject: prj_1\n${services}`;
  const at = (path: string, ...args: readonly string[]) => trueup(['eval', path, '-C', project(manifest), ...args]);

  it('prints the value of a field, of a key, and of all fields', async () => {
    expect((await at('production.compose.shop.env.TAG')).out).toBe('"v2025.10"\n');
    expect((await at('production.compose.shop.env["TAG"]')).out).toBe('"v2025.10"\n');
    expect((await at('production.compose.shop.source.type')).out).toBe('"raw"\n');
    expect((await at('production.postgres.main.databasePassword')).out).toBe('"(sensitive)"\n');
    expect(documentOf(await at('production.postgres.main', '--format', 'json'))).toMatchObject({
      value: { databaseName: 'shop', databasePassword: '(sensitive)', dockerImage: 'postgres:17' },
      sensitive: true,
    });
  });

  it.each([
    ['production.compose.shop.env.TGA', 'Did you mean production.compose.shop.env.TAG?'],
    ['production.compose.shp', 'Did you mean production.compose.shop?'],
    ['compose.shop.env.TAG', 'Did you mean production.compose.shop.env.TAG?'],
    ['tag', "Write an expression, such as '${var:name}', or an address: trueup graph lists them."],
    ['production.compose.shop.__proto__', 'Did you mean production.compose.shop'],
    ['production.compose.shop.env.TAG.length', 'nothing is declared at'],
  ])('refuses %s, at which nothing is declared', async (path, remedy) => {
    const { code, out, err } = await at(path);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(`nothing is declared at ${path}`);
    expect(err).toContain(remedy);
  });
});

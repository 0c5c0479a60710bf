import { describe, expect, it, vi } from 'vitest';
import { outputCommand } from '../asked.ts';
import { documentIn, places } from '../place.ts';
import { documentOf, project, trueup } from '../process.ts';

const open = places();

const secrets = { DB: 'canary-7f3a' };
const services = `environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
`;
const outputs = `outputs:
  db_host: \${ref:production.postgres.main.host}
  db_url: postgres://shop:\${secret:DB}@\${ref:production.postgres.main.host}:5432/shop
  from_env: \${env:CANARY}
  id: \${ref:production.postgres.main.id}
  environment: \${ref:production.id}
  tag: \${var:tag}
  port: 5432
  literal: $\${ref:x} and \${{environment.X}}
variables: { tag: { default: 2025.10 } }
`;
const address = 'production.postgres.main';

describe('output', () => {
  it('prints values from the state, from one GET per object and one for the proof that it is ours, without secrets', async () => {
    vi.stubEnv('CANARY', 'canary-env');
    vi.stubEnv('TRUEUP_SECRET_DB', secrets.DB);
    const place = await open(services + outputs.replace('${env:CANARY}', 'x'), { secrets });
    place.rewrite(services + outputs);
    const row = (await place.emulator.act('postgres.one', { postgresId: place.idOf(address) })) as { appName: string };
    const all = await place.run(outputCommand(undefined, {}));
    expect(all).toEqual({
      exit: 'done',
      out: `db_host     = ${row.appName}
db_url      = (sensitive)
from_env    = (sensitive)
id          = ${place.idOf(address)}
environment = env_prj_1
tag         = 2025.10
port        = 5432
literal     = \${ref:x} and \${{environment.X}}
`,
      err: '2 values redacted; --show-secrets shows them.\n',
    });
    expect(place.requests()).toEqual(['GET postgres.one', 'GET environment.byProjectId']);
    const one = await place.run(outputCommand('db_host', {}));
    expect(one).toEqual({ exit: 'done', out: `${row.appName}\n`, err: '' });
    expect((await place.run(outputCommand('id', {}))).out).toBe(`${place.idOf(address)}\n`);
    const list = 'GET environment.byProjectId';
    expect(place.requests()).toEqual(['GET postgres.one', list, list]);
    const shown = await place.run(outputCommand('db_url', { showSecrets: true }));
    expect(shown).toEqual({ exit: 'done', out: `postgres://shop:canary-7f3a@${row.appName}:5432/shop\n`, err: '' });
    const json = await place.run(outputCommand(undefined, {}), { format: 'json' });
    expect(documentIn(json)).toMatchObject({
      format: 'trueup/outputs',
      outputs: {
        db_host: { value: row.appName, sensitive: false },
        db_url: { value: '(sensitive)', sensitive: true },
        port: { value: '5432', sensitive: false },
      },
    });
    expect(json.out + json.err + all.out).not.toContain('canary');
    vi.unstubAllEnvs();
    vi.stubEnv('TRUEUP_API_KEY', 'right-key-4711');
  });

  it('refuses one output that holds a secret without --show-secrets, in every form, before it sends a request', async () => {
    const place = await open(services + outputs.replace('${env:CANARY}', 'x'), { secrets });
    place.requests();
    const refused = { exit: 'stopped', out: '' };
    const text = await place.run(outputCommand('db_url', {}));
    expect(text).toMatchObject(refused);
    expect(text.err).toContain('the output db_url holds a secret -> Print it with --show-secrets.');
    expect(await place.run(outputCommand('db_url', { raw: true }))).toMatchObject(refused);
    const json = await place.run(outputCommand('db_url', {}), { format: 'json' });
    expect(json.exit).toBe('stopped');
    expect(json.out).not.toContain('trueup/outputs');
    expect(place.requests()).toEqual([]);
  });

  it('needs no secret to redact one, and names the secret that it needs to print one', async () => {
    const place = await open(services + outputs.replace('${env:CANARY}', 'x'), { secrets });
    expect((await place.run(outputCommand(undefined, {}))).out).toContain('db_url      = (sensitive)\n');
    const missing = await place.run(outputCommand('db_url', { showSecrets: true }));
    expect(missing).toMatchObject({ exit: 'stopped', out: '' });
    expect(missing.err).toContain(
      'the output db_url needs the secret DB -> Set TRUEUP_SECRET_DB, or name a source under secrets: that has it.',
    );
  });

  it('of an object that does not exist, yet or any more, is an error', async () => {
    const place = await open(services, { secrets });
    place.rewrite(
      services.replace(
        'postgres:\n',
        'redis: { cache: { databasePassword: x1, dockerImage: "redis:8" } }\n    postgres:\n',
      ) + 'outputs: { cache: "${ref:production.redis.cache.host}", db: "${ref:production.postgres.main.host}" }\n',
    );
    const early = await place.run(outputCommand(undefined, {}));
    expect(early.err).toBe(
      '[bad-reference]  the output cache needs production.redis.cache, which is not applied yet -> Run trueup apply first.\n',
    );
    expect(place.requests()).toEqual([]);
    expect(await place.run(outputCommand('db', {}))).toMatchObject({ exit: 'done' });
    await place.emulator.act('postgres.remove', { postgresId: place.idOf(address) });
    expect((await place.run(outputCommand('db', {}))).err).toContain('[not-found]');
  });

  it('that is not declared is an error that suggests a name; without outputs, the error states that', async () => {
    const place = await open(services + outputs.replace('${env:CANARY}', 'x'), { secrets });
    expect((await place.run(outputCommand('db_hots', {}))).err).toContain('Did you mean db_host?');
    place.rewrite(services);
    expect(await place.run(outputCommand(undefined, {}))).toEqual({
      exit: 'done',
      out: '',
      err: 'The manifest declares no outputs.\n',
    });
    expect((await place.run(outputCommand('db_host', {}))).err).toContain('The manifest declares none.');
    expect(place.requests()).toEqual([]);
  });

  it('comes from the program, for scripts', async () => {
    const folder = project(
      `trueup: 1\nplatform: emulator\nproject: prj_1\n${services}outputs: { environment: "\${ref:production.id}" }\n`,
    );
    const env = { TRUEUP_SECRET_DB: secrets.DB };
    await trueup(['apply', '--auto-approve', '-C', folder], { env });
    expect(await trueup(['output', 'environment', '-C', folder])).toEqual({ code: 0, out: 'env_prj_1\n', err: '' });
    expect(documentOf(await trueup(['output', '-C', folder, '--format', 'json']))).toMatchObject({
      outputs: { environment: { value: 'env_prj_1', sensitive: false } },
    });
  });
});

import { execFileSync } from 'node:child_process';
import { describe, expect, it, vi } from 'vitest';
import { explainCommand } from '../asked.ts';
import { documentIn, places } from '../place.ts';
import { project, trueup } from '../process.ts';

const open = places();
const canary = 'canary-7f3a';
const shop = 'production.compose.shop';

const services = `environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx, env_file: .env } }" }
        env:
          TAG: v1
          HOST: \${ref:postgres.main.host}
`;
const edited = services.replace('TAG: v1', 'TAG: v2');

/** Commits all of a folder. */
function commit(folder: string, subject: string): string {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_AUTHOR_DATE: '2026-03-04T05:06:07Z' };
  const git = (...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], { cwd: folder, env });
  git('init', '-q');
  git('add', 'trueup.yaml');
  git('commit', '-q', '-m', subject);
  return git('rev-parse', 'HEAD').toString().trim();
}

describe('explain of an address', () => {
  it('prints its line, the commit, the cause of each change and the requests, and sends GETs only', async () => {
    vi.stubEnv('TRUEUP_SECRET_DB', canary);
    const place = await open(services, { secrets: { DB: canary } });
    place.rewrite(edited);
    const id = commit(place.folder, `Raise the tag ${canary}`);
    place.requests();
    const { exit, out, err } = await place.run(explainCommand(shop, {}));
    expect({ exit, err }).toEqual({ exit: 'done', err: '' });
    expect(out).toContain(`${shop} (compose)
  declared: trueup.yaml:9:7
  line: changed last by Ada in ${id.slice(0, 12)} on 2026-03-04: Raise the tag (sensitive)
  fields: docs/kinds/compose.md
  needs: production, production.postgres.main
`);
    expect(out).toMatch(/env\.TAG\b.*v1.*v2/);
    expect(out).toContain('Apply would send:\n  POST compose.update: env (with composeId)\n');
    expect(out).toContain('  POST compose.deploy: ');
    expect(out).toMatch(/planned with \d+ reads, 0 writes\n$/);
    const requests = place.requests();
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.filter((one) => !one.startsWith('GET '))).toEqual([]);

    const field = await place.run(explainCommand(`${shop}.env.TAG`, {}), { format: 'json' });
    expect(documentIn(field)).toMatchObject({
      format: 'trueup/address',
      address: shop,
      path: 'env.TAG',
      kind: 'compose',
      page: 'docs/kinds/compose.md',
      position: { file: 'trueup.yaml', line: 12 },
      line: { is: 'committed', commit: id, author: 'Ada', date: '2026-03-04' },
      planned: {
        diagnostics: [],
        actions: [
          {
            action: 'update',
            changes: [{ path: 'env.TAG', cause: 'edit' }],
            sends: [{ operation: 'compose.update', method: 'POST', changes: ['env'] }],
          },
          { action: 'deploy', because: ['env.TAG'], sends: [{ operation: 'compose.deploy' }] },
        ],
      },
    });
    const unchanged = await place.run(explainCommand('production.postgres.main', {}));
    expect(unchanged.out).toContain(`  needed by: ${shop}\n`);
    expect(unchanged.out).toContain('The next plan changes nothing here.\n');
    expect(JSON.stringify([out, field, unchanged])).not.toContain(canary);
    vi.unstubAllEnvs();
    vi.stubEnv('TRUEUP_API_KEY', 'right-key-4711');
  });

  it('explains drift, and what only the state has', async () => {
    const place = await open(services, { secrets: { DB: canary } });
    vi.stubEnv('TRUEUP_SECRET_DB', canary);
    await place.emulator.act('postgres.update', {
      postgresId: place.idOf('production.postgres.main'),
      dockerImage: 'postgres:16',
    });
    const drifted = await place.run(explainCommand('production.postgres.main', {}), { format: 'json' });
    expect(documentIn(drifted)).toMatchObject({
      planned: { actions: [{ action: 'update', changes: [{ path: 'dockerImage', cause: 'drift' }] }, {}] },
    });
    place.rewrite(services.slice(0, services.indexOf('    compose:')));
    const { out } = await place.run(explainCommand(shop, {}));
    expect(out).toContain(`${shop} (compose)\n  declared: in the state only\n`);
    expect(out).toContain('  POST compose.delete: ');
    vi.unstubAllEnvs();
    vi.stubEnv('TRUEUP_API_KEY', 'right-key-4711');
  });
});

describe('explain ADDRESS --offline', () => {
  const at = (address: string, ...args: readonly string[]) =>
    trueup([
      'explain',
      address,
      '-C',
      project(`trueup: 1\nplatform: { url: "http://127.0.0.1:9" }\nproject: prj_1\n${services}`),
      ...args,
    ]);

  it('names what the service is deployed after', async () => {
    const waiting = `${services}        after: [postgres.main]\n`;
    const folder = project(`trueup: 1\nplatform: { url: "http://127.0.0.1:9" }\nproject: prj_1\n${waiting}`);
    const told = (...args: readonly string[]) => trueup(['explain', shop, '--offline', '-C', folder, ...args]);
    expect((await told()).out).toContain('\n  deploys after: production.postgres.main\n');
    expect(JSON.parse((await told('--format', 'json')).out)).toMatchObject({
      deploysAfter: ['production.postgres.main'],
    });
  });

  it('needs no platform, no secret and no git', async () => {
    expect(await at(shop, '--offline')).toEqual({
      code: 0,
      err: '',
      out: `${shop} (compose)
  declared: trueup.yaml:9:7
  fields: docs/kinds/compose.md
  needs: production, production.postgres.main
`,
    });
    expect((await at('production', '--offline')).out).toContain('production (environment)\n');
    expect((await at(`${shop}.env.HOST`, '--offline')).out).toContain(
      `${shop}: env.HOST (compose)\n  declared: trueup.yaml:13:`,
    );
  });

  it.each([
    ['production.compose.shp', 'Did you mean production.compose.shop?'],
    [`${shop}.env.TGA`, 'there is nothing at production.compose.shop.env.TGA'],
    ['overlaps', 'there is no code overlaps'],
  ])('refuses %s', async (address, message) => {
    const { code, out, err } = await at(address, '--offline');
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(message);
  });
});

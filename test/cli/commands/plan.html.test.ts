import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { createEmulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { expectSafe } from '../../support/page.ts';
import { apiKey } from '../place.ts';
import { project, trueup } from '../process.ts';

/** `--format html` of plan, show, apply and destroy: a page on stdout, and nothing else there. */

const servers: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

const canary = 'canary-7f3a-secret';
const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_DB: canary };

const sections = (tag: string) => `environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx:${tag} } }" }
        env: { TAG: ${tag}, PASSWORD: "\${secret:DB}" }
        domains: { "shop.example.com": { serviceName: web, port: 80 } }
`;

async function fresh() {
  const server = await serve(createEmulator({ profile: 'standard', apiKey }));
  servers.push(server);
  const text = (body: string) => `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${body}`;
  const folder = project(text(sections('1')));
  return {
    write: (body: string) => writeFileSync(join(folder, 'trueup.yaml'), text(body)),
    run: (...args: readonly string[]) => trueup([...args, '-C', folder], { env, cwd: folder }),
  };
}

it('prints a plan as a page, and show prints the same page of the saved plan', async () => {
  const { run } = await fresh();
  const planned = await run('plan', '--format', 'html', '--out', 'plan.trueup');
  expect([planned.code, planned.err]).toEqual([0, '']);
  expectSafe(planned.out);
  expect(planned.out).toContain('<b>3</b> to create');
  expect(planned.out).not.toContain(canary);
  const shown = await run('show', 'plan.trueup', '--format', 'html');
  expect([shown.code, shown.err]).toEqual([0, '']);
  expect(shown.out).toBe(planned.out);
});

it('prints an apply as one page with the outcomes, and then plans nothing', async () => {
  const { run } = await fresh();
  const applied = await run('apply', '--auto-approve', '--format', 'html');
  expect(applied.code).toBe(0);
  expect(applied.err).toContain('production.compose.shop: created in ');
  expectSafe(applied.out);
  expect(applied.out).toContain('<p class="verdict">Applied: 3 created, 1 adopted, 2 deployed.</p>');
  expect(applied.out.match(/<span class="result done">done<\/span>/g)).toHaveLength(6);
  expect(applied.out).not.toContain(canary);
  expect((await run('plan', '--format', 'html')).out).toContain('No changes.');
  const destroyed = await run('destroy', '--auto-approve', '--allow-data-loss', '--format', 'html');
  expect(destroyed.code).toBe(0);
  expect(destroyed.out).toContain('Deletions: 3 objects');
});

it('prints the plan and the reason where an apply is refused, and asks nothing', async () => {
  const { run, write } = await fresh();
  await run('apply', '--auto-approve');
  write(sections('2').replace(/ {4}postgres:\n.*\n/, ''));
  const refused = await run('apply', '--auto-approve', '--format', 'html');
  expect(refused.code).toBe(1);
  expectSafe(refused.out);
  expect(refused.out).toContain('data-at-risk');
  expect(refused.out).toContain('This plan cannot be applied');
  expect(refused.err).toContain('--allow-data-loss');
  const unasked = await run('apply', '--format', 'html', '--allow-data-loss');
  expect(unasked.code).toBe(1);
  expect(unasked.err).toContain('cannot ask for approval: this --format asks no questions; nothing was sent');
});

it('prints an error before there is a plan on stderr, and refuses values for one person', async () => {
  const { run, write } = await fresh();
  const unusable = await run('plan', '--format', 'html', '--show-values');
  expect([unusable.code, unusable.out]).toEqual([1, '']);
  write('environmnets: {}\n');
  const broken = await run('plan', '--format', 'html');
  expect(broken.out).toBe('');
  expect(broken.err).toContain('error[unknown-key]');
});

import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { project, trueup } from '../cli/process.ts';
import { edit } from '../support/drifting.ts';

/** No file and no state that an export or an adoption writes has in clear what the run knows as a secret. */

const apiKey = 'right-key-4711';
// The short one has a dot: no digest that is written beside it holds it by chance.
const secrets = { GATE: 'riverside-gate-9', WORD: 'moonstone', TOKEN: 'k.q' };
const known = Object.fromEntries(Object.entries(secrets).map(([name, value]) => [`TRUEUP_SECRET_${name}`, value]));
const open: { close(): Promise<void> }[] = [];
afterAll(() => Promise.all(open.map((server) => server.close())));

async function serving() {
  const emulator = createEmulator({ profile: 'standard', apiKey });
  const server = await serve(emulator);
  open.push(server);
  const env: Record<string, string> = { TRUEUP_API_KEY: apiKey, TRUEUP_URL: server.url };
  return { emulator, env, url: server.url };
}

/** The texts of all files below a folder, but for those with the secrets themselves. */
function textsBelow(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== 'secrets.env' && entry.name !== 'key')
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');
}

const values = (gate: string, word: string) => `
    compose:
      shop:
        deploy: never
        suffix: ${gate}
        description: "guards ${gate}"
        source:
          type: raw
          composeFile: |
            services:
              web: { image: "moonstone:31", command: "serve ${gate}" }
        env: { TIER: "${gate}", NAME: "${word}", LABEL: "moonstone-31" }
        domains: { x: { host: ${gate}.example.com, serviceName: web, port: 80 } }
`;

test('an export names what the run knows as a secret, wherever it stands', async () => {
  const { env, url } = await serving();
  const text = (blocks: string) =>
    `trueup: 1\nplatform: { url: "${url}" }\nproject: prj_1\nenvironments:\n  production:${blocks}`;
  const made = project(text(values(secrets.GATE, secrets.WORD)));
  expect((await trueup(['apply', '--auto-approve', '-C', made], { env })).code).toBe(0);
  const folder = mkdtempSync(join(tmpdir(), 'trueup-exported-'));
  const run = (...args: string[]) => trueup([...args, '-C', folder], { env: { ...env, ...known } });
  const file = join(folder, 'secrets.env');
  const exported = await run('export', '--project', 'prj_1', '--with-secrets', file);
  expect(exported).toMatchObject({ code: 0 });
  // What objects are found by is no secret: people see it in the dashboard.
  const written = textsBelow(folder).replaceAll(`${secrets.GATE}.example.com`, 'HOST');
  expect(written).toContain('HOST:');
  expect(written).not.toContain(secrets.GATE);
  expect(`${exported.out}${exported.err}`).not.toContain(secrets.GATE);
  expect(written).toContain('NAME: ${secret:');
  // A plain word that other names have too.
  expect(written).toContain('moonstone:31');
  expect(written).toContain('LABEL: moonstone-31');
  expect(`${exported.out}${exported.err}`).toContain('suffix: it is a secret, or looks like one');
  expect(readFileSync(file, 'utf8')).toContain(secrets.GATE);
  expect((await run('plan')).out).toContain('No changes.');
});

test('an export in place of another names what came from a secret, in a run that does not know it', async () => {
  const { emulator, env, url } = await serving();
  const made = project(`trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    compose:
      shop:
        deploy: never
        description: quiet ${secrets.TOKEN}
        source: { type: raw, composeFile: "services:\\n  web: { image: nginx, command: 'serve ${secrets.TOKEN}' }\\n" }
        env: { TIER: "${secrets.TOKEN}", NAME: shop }
`);
  expect((await trueup(['apply', '--auto-approve', '-C', made], { env })).code).toBe(0);
  const folder = mkdtempSync(join(tmpdir(), 'trueup-exported-'));
  const run = (more: Record<string, string>, ...args: string[]) =>
    trueup([...args, '-C', folder], { env: { ...env, ...more } });
  expect((await run({}, 'export', '--project', 'prj_1')).code).toBe(0);
  const file = join(folder, 'environments/production.yaml');
  const written = readFileSync(file, 'utf8');
  expect(written).toContain(secrets.TOKEN);
  writeFileSync(file, written.replaceAll(secrets.TOKEN, '${secret:TOKEN}'));
  expect((await run(known, 'apply', '--auto-approve')).code).toBe(0);
  expect((await run(known, 'plan')).out).toContain('No changes');
  const again = await run({}, 'export', '--force');
  expect(again).toMatchObject({ code: 0 });
  expect(textsBelow(folder)).not.toContain(secrets.TOKEN);
  expect(readFileSync(file, 'utf8')).toMatch(/TIER: \$\{secret:\w+\}/);
  // In a changed text the place of the secret is not known.
  const [composeId] = Object.keys(emulator.world.tables.compose);
  await edit({ emulator, apiKey }, 'compose.update', { composeId, description: `still quiet ${secrets.TOKEN}` });
  const changed = await run({}, 'export', '--force');
  expect(changed).toMatchObject({ code: 1, err: expect.stringContaining('nothing was written') as string });
  expect(textsBelow(folder)).not.toContain(secrets.TOKEN);
});

test('an adoption writes no text into which a secret flows, also in a run that does not know it', async () => {
  const { emulator, env, url } = await serving();
  const made = project(`trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    compose:
      shop:
        deploy: never
        description: "guards \${secret:TOKEN}"
        source: { type: raw, composeFile: "services: { web: { image: nginx, command: 'serve \${secret:TOKEN}' } }" }
        env: { TIER: gold }
`);
  expect((await trueup(['apply', '--auto-approve', '-C', made], { env: { ...env, ...known } })).code).toBe(0);
  const [composeId] = Object.keys(emulator.world.tables.compose);
  await edit({ emulator, apiKey }, 'compose.update', {
    composeId,
    description: `still guards ${secrets.TOKEN}`,
    composeFile: `services: { web: { image: caddy, command: 'serve ${secrets.TOKEN}' } }`,
    env: 'TIER=silver\n',
  });
  const before = readFileSync(join(made, 'trueup.yaml'), 'utf8');
  for (const more of [{}, known]) {
    const { code, out, err } = await trueup(['drift', 'adopt', '--all', '-C', made], { env: { ...env, ...more } });
    expect(code).toBe(1);
    expect(`${out}${err}`).not.toContain(secrets.TOKEN);
    expect(err).toContain('a secret flows into it');
    const after = readFileSync(join(made, 'trueup.yaml'), 'utf8');
    expect(after).toBe(before.replace('TIER: gold', 'TIER: silver'));
    writeFileSync(join(made, 'trueup.yaml'), before);
  }
});

test('an adoption of a secret names the expression that the field takes', async () => {
  const { emulator, env, url } = await serving();
  const made = project(`trueup: 1
platform: { url: "${url}" }
project: prj_1
environments:
  production:
    compose:
      shop:
        deploy: never
        suffix: abc
        description: quiet
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
`);
  expect((await trueup(['apply', '--auto-approve', '-C', made], { env })).code).toBe(0);
  const [composeId] = Object.keys(emulator.world.tables.compose);
  await edit({ emulator, apiKey }, 'compose.update', { composeId, suffix: secrets.GATE, description: secrets.GATE });
  const { code, err } = await trueup(['drift', 'adopt', '--all', '-C', made], { env: { ...env, ...known } });
  expect(code).toBe(1);
  expect(err).toContain('Write ${secret:NAME} by hand, and give the value as TRUEUP_SECRET_NAME.');
  expect(err).toContain(
    'Write ${var:NAME} by hand, declare NAME under variables:, and give the value as TRUEUP_VAR_NAME.',
  );
  expect(err).not.toContain(secrets.GATE);
});

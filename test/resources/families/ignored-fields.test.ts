import { describe, expect, test } from 'vitest';
import { plansNothing } from '../../support/faults.ts';
import { bench, head } from '../../support/world.ts';

/** Fields that have no effect beside the value of another one. */

const production = (sections: string) => `${head}environments:\n  production:\n${sections}`;
const image = 'source: { type: docker, image: nginx }';
const code = 'source: { type: git, url: "https://git.example.com/a.git", branch: main }';
const application = (settings: string) => production(`    application: { web: { ${settings} } }\n`);
const compose = (settings: string) =>
  production(
    `    compose:\n      site: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, ${settings} }\n`,
  );
const domain = (settings: string) => application(`${image}, domains: { a.example.com: { port: 80, ${settings} } }`);

async function findings(text: string): Promise<string[]> {
  const { diagnostics } = await bench().plan(text);
  return diagnostics.filter(({ code: is }) => is === 'ignored-setting').map(({ message }) => message);
}

describe.each([
  [application(`${image}, buildArgs: { A: "1" }`), 'buildArgs: the platform builds nothing from an image'],
  [application(`${image}, cleanCache: true`), 'cleanCache: the platform builds nothing from an image'],
  [
    application(`${code}, buildArgs: { A: "1" }`),
    'buildArgs: only a build by a Dockerfile reads it, and not one by nixpacks',
  ],
  [
    application(`${code}, build: { type: static }, buildArgs: { A: "1" }`),
    'buildArgs: only a build by a Dockerfile reads it, and not one by static',
  ],
  [
    application(`${image}, rollbackActive: true`),
    'rollbackActive: without rollbackRegistry no deployment keeps its image',
  ],
  [domain('certificateType: letsencrypt'), 'certificateType: without https: true the domain has no route with TLS'],
  [
    domain('certificateType: letsencrypt, https: false'),
    'certificateType: without https: true the domain has no route',
  ],
  [compose('randomize: true'), 'randomize: without a suffix randomize changes no name'],
  [compose('suffix: a1'), 'suffix: without randomize: true no name gets the suffix'],
  [
    compose('isolatedDeploymentsVolume: true'),
    'isolatedDeploymentsVolume: without isolatedDeployment: true volumes keep',
  ],
])('%s', (text, says) => {
  test('is applied, with a warning that it has no effect', async () => {
    expect(await findings(text)).toEqual([expect.stringContaining(says)]);
    const made = bench();
    await made.apply(text);
    await plansNothing(made, text);
  });
});

test.each([
  application(`${code}, build: { type: dockerfile }, buildArgs: { A: "1" }, cleanCache: true`),
  application(`${image}, buildArgs: {}, cleanCache: false, rollbackActive: false`),
  application(`${image}, rollbackActive: true, rollbackRegistry: "\${ref:registries.a.id}"`).replace(
    'environments:',
    'registries: { a: { registryUrl: r.example.com, username: a, password: b-1234567 } }\nenvironments:',
  ),
  domain('certificateType: letsencrypt, https: true'),
  domain('certificateType: none'),
  compose('randomize: true, suffix: a1'),
  compose('randomize: false, suffix: ""'),
])('%s has an effect', async (text) => {
  expect(await findings(text)).toEqual([]);
});

test('a field that the block leaves out counts as the platform has it', async () => {
  const made = bench();
  await made.apply(domain('https: true'));
  const { diagnostics } = await made.plan(domain('certificateType: letsencrypt'));
  expect(diagnostics.map(({ code: is }) => is)).not.toContain('ignored-setting');
});

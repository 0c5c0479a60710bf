import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { open, planText } from '../../src/index.ts';
import { project, trueup } from '../cli/process.ts';

/** A root file destroys a project that another root file names: it is refused, and the way out of the remedy works. */

const yes = ['--auto-approve', '--allow-data-loss'];

test('the project of another root file is destroyed last', async () => {
  const server = await serve(createEmulator({ profile: 'dokploy', apiKey: 'a-key' }));
  onTestFinished(() => server.close());
  const head = `trueup: 1\nplatform: { url: "${server.url}", profile: dokploy }\n`;
  const folder = project({
    'organization.yaml': `${head}project: { name: shop, description: The shop }\n`,
    'staging.yaml': `${head}project: shop\nenvironment: { name: staging, description: Before release }\n`,
  });
  const run = (file: string, ...words: string[]) =>
    trueup([...words, '-f', file, '-C', folder], { env: { TRUEUP_API_KEY: 'a-key' } });
  for (const file of ['organization.yaml', 'staging.yaml']) {
    expect(await run(file, 'apply', ...yes), file).toMatchObject({ code: 0 });
    expect(await run(file, 'plan', '--detailed-exitcode'), file).toMatchObject({ code: 0 });
  }
  for (const words of [
    ['plan', '--destroy'],
    ['destroy', ...yes],
  ]) {
    const { code, err, out } = await run('organization.yaml', ...words);
    expect([words, code]).toEqual([words, 1]);
    expect(out + err).toContain('is not deleted: staging.yaml names it, with project (shop)');
    expect(out + err).toContain('Run trueup destroy -f staging.yaml and remove that file first.');
  }
  const library = await open(folder, { file: 'organization.yaml', env: { TRUEUP_API_KEY: 'a-key' } });
  const isNamed = 'is not deleted: staging.yaml names it, with project (shop)';
  expect(planText(await library.plan({ destroys: true }))).toContain(isNamed);
  const destroying = library.apply({ destroys: true, permissions: { dataLoss: true } });
  await expect(destroying).rejects.toMatchObject({ failure: 'refused', message: expect.stringContaining(isNamed) });
  await library.close();
  expect(await run('staging.yaml', 'plan', '--detailed-exitcode')).toMatchObject({ code: 0 });
  expect(await run('staging.yaml', 'destroy', ...yes)).toMatchObject({ code: 0 });
  rmSync(join(folder, 'staging.yaml'));
  expect(await run('organization.yaml', 'destroy', ...yes)).toMatchObject({ code: 0 });
  expect((await run('organization.yaml', 'state', 'list')).out).not.toContain('shop');
});

test('an environment is of one root file, also where another calls the project by its name', async () => {
  const emulator = createEmulator({ profile: 'dokploy', apiKey: 'a-key' });
  const server = await serve(emulator);
  onTestFinished(() => server.close());
  const elsewhere = (named: string, environment: string) =>
    `trueup: 1\nproject: ${named}\nenvironment: ${environment}\n` +
    'redis: { cache: { dockerImage: "redis:8", databasePassword: correct-horse-1 } }\n';
  const stage = (named: string, environment: string) =>
    `${elsewhere(named, environment)}platform: { url: "${server.url}", profile: dokploy }\n`;
  const folder = project({
    'one.yaml': stage('prj_1', 'production'),
    'two.yaml': stage('project-1', 'production'),
    'three.yaml': stage('project-1', 'staging'),
    'four.yaml': stage('another', 'production'),
    // Its pipeline says which platform it is of.
    'five.yaml': elsewhere('project-1', 'production'),
  });
  const run = (file: string, ...words: string[]) =>
    trueup([...words, '-f', file, '-C', folder], { env: { TRUEUP_API_KEY: 'a-key' } });
  for (const [file, other] of [
    ['one.yaml', 'two.yaml'],
    ['two.yaml', 'one.yaml'],
  ] as const) {
    const refused = await run(file, 'apply', '--auto-approve', '--adopt');
    expect([file, refused.code]).toEqual([file, 1]);
    expect(refused.out + refused.err).toContain(
      `the environment production of the project ${file === 'one.yaml' ? 'prj_1' : 'project-1'} is also declared by ${other}, at ${other}:3:14`,
    );
  }
  expect(emulator.log.filter(({ method }) => method === 'POST')).toEqual([]);
  rmSync(join(folder, 'two.yaml'));
  for (const file of ['one.yaml', 'three.yaml']) {
    expect(await run(file, 'apply', '--auto-approve', '--adopt'), file).toMatchObject({ code: 0 });
    expect(await run(file, 'plan', '--detailed-exitcode'), file).toMatchObject({ code: 0 });
  }
});

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, inject, test } from 'vitest';
import { needsConsent } from '../src/plan/action.ts';
import type { PlanDocument } from '../src/render/document-schemas.ts';
import { documentOf, trueup } from './cli/process.ts';
import type { Bench } from './support/world.ts';
import { bench } from './support/world.ts';

/** The examples of the project, run as they stand. */

const examples = resolve(import.meta.dirname, '../examples');

/** A world for a copy of an example, with a value for every secret that its files name. */
function worldOf(name: string): Bench {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-example-'));
  cpSync(join(examples, name), folder, { recursive: true });
  const made = bench({ folder });
  for (const path of manifestFiles(folder)) {
    for (const [, secret] of readFileSync(join(folder, path), 'utf8').matchAll(/\$\{secret:(\w+)\}/g)) {
      made.secrets[secret ?? ''] = `canary-${String(secret)}`;
    }
  }
  return made;
}

function manifestFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.yaml'));
}

/** Lifts the protection of everything in a copy. */
function unprotect(folder: string): void {
  for (const path of manifestFiles(folder)) {
    const text = readFileSync(join(folder, path), 'utf8');
    writeFileSync(join(folder, path), text.replaceAll('protect: true', 'protect: false'));
  }
}

async function applies(made: Bench, permissions = {}): Promise<void> {
  const result = await made.apply({}, permissions);
  for (const outcome of result.outcomes) expect(outcome).toMatchObject({ result: 'done', diagnostics: [] });
}

async function plansNothing(made: Bench): Promise<void> {
  made.requests('POST');
  const plan = await made.plan({});
  expect(plan.actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  expect(plan.actions.flatMap((action) => action.notes)).toEqual([]);
  await applies(made);
  expect(made.requests('POST')).toEqual([]);
}

const folders = readdirSync(examples).filter((name) => statSync(join(examples, name)).isDirectory());

test('there is an example for each story', () => {
  expect(folders.toSorted()).toEqual(['adopt', 'everything', 'hello', 'project', 'shop', 'stages']);
});

test.each(['hello', 'shop', 'project'])(
  '%s is applied, plans nothing, is destroyed and leaves nothing',
  async (name) => {
    const made = worldOf(name);
    const projects = Object.keys(made.emulator.world.tables.project);
    const plan = await made.plan({});
    expect(made.requests('POST')).toEqual([]);
    expect(plan.actions.filter(needsConsent)).toEqual([]);
    await applies(made);
    await plansNothing(made);
    const state = JSON.stringify(made.store.state);
    expect(state).not.toContain('canary-');
    if (name === 'shop') {
      await expect(made.destroy({})).rejects.toThrow('production.postgres.main is protected');
      unprotect(made.folder);
      await applies(made);
    }
    const result = await made.destroy({});
    expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
    const environments = (await made.emulator.act('environment.byProjectId', { projectId: 'prj_1' })) as unknown[];
    expect(environments).toHaveLength(1);
    expect(environments[0]).toMatchObject({ isDefault: true, compose: [], postgres: [], redis: [], mariadb: [] });
    expect(Object.keys(made.emulator.world.tables.project)).toEqual(projects);
  },
);

test('shop reads at most 2 + environments + services + lists of named things times, however many leafs there are', async () => {
  const made = worldOf('shop');
  const manifest = await made.manifest({});
  const count = (rows: string) =>
    manifest.resources.filter((item) => Object.values(item.kind.parents)[0]?.rows === rows).length;
  const environments = manifest.resources.filter((item) => item.parent === undefined).length;
  const named = new Set(
    manifest.resources.flatMap(({ kind, fields }) =>
      Object.keys(fields).flatMap((name) => kind.fields[name]?.refersTo ?? []),
    ),
  );
  await applies(made);
  made.requests('GET');
  await made.plan({});
  const reads = made.requests('GET').length;
  expect(count('whole')).toBeGreaterThan(20);
  expect(reads).toBeLessThanOrEqual(2 + environments + count('summary') + named.size);
});

test('adopt takes over existing objects with consent, creates the rest, and then plans nothing', async () => {
  const made = worldOf('adopt');
  const act = (operation: string, input: Record<string, unknown>) => made.emulator.act(operation, input);
  const environmentId = 'env_prj_1';
  const compose = (await act('compose.create', {
    name: 'wiki',
    environmentId,
    sourceType: 'raw',
    composeFile: 'services: {}\n',
  })) as {
    composeId: string;
  };
  await act('domain.create', {
    host: 'wiki.example.com',
    composeId: compose.composeId,
    serviceName: 'web',
    domainType: 'compose',
  });
  const database = (await act('postgres.create', {
    name: 'wikidb',
    environmentId,
    databaseName: 'wiki',
    databaseUser: 'wiki',
    databasePassword: 'by-hand-1',
    dockerImage: 'postgres:17',
  })) as { postgresId: string };

  const plan = await made.plan({});
  const byAction = (action: string) =>
    plan.actions.filter((item) => item.action === action).map((item) => item.address);
  expect(byAction('adopt').toSorted()).toEqual([
    'production',
    'production.compose.wiki',
    'production.compose.wiki.domains["wiki.example.com"]',
    'production.postgres.wikidb',
  ]);
  expect(byAction('create')).toHaveLength(3);
  await expect(made.apply({})).rejects.toThrow('is not ours yet');
  expect(made.requests('POST')).toEqual([]);
  await applies(made, { adoption: true });
  await plansNothing(made);
  expect(made.store.state?.resources['production.compose.wiki']?.id).toBe(compose.composeId);
  expect(made.store.state?.resources['production.postgres.wikidb']?.id).toBe(database.postgresId);
});

test('U15: adopt adopts on the embedded emulator, after the script that puts the wiki together by hand', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-example-'));
  cpSync(join(examples, 'adopt'), folder, { recursive: true });
  const shim = join(folder, 'bin');
  mkdirSync(shim);
  writeFileSync(join(shim, 'trueup'), `#!/bin/sh\nexec '${process.execPath}' '${inject('program')}' "$@"\n`, {
    mode: 0o755,
  });
  const env = { TRUEUP_SECRET_WIKI_DB_PASSWORD: 'by-hand-1', TRUEUP_SECRET_WIKI_SESSIONS_PASSWORD: 'new-1' };
  execFileSync('sh', ['by-hand.sh'], {
    cwd: folder,
    env: { ...env, PATH: `${shim}:${process.env.PATH}` },
    stdio: 'pipe',
  });
  const planned = await trueup(['plan', '--format', 'json'], { cwd: folder, env });
  const { actions } = documentOf(planned) as PlanDocument;
  // In the order of the manifest, where the database comes first.
  expect(actions.filter(({ action }) => action === 'adopt').map(({ address }) => address)).toEqual([
    'production',
    'production.postgres.wikidb',
    'production.compose.wiki',
    'production.compose.wiki.domains["wiki.example.com"]',
  ]);
  expect((await trueup(['apply', '--auto-approve', '--adopt'], { cwd: folder, env })).code).toBe(0);
  expect((await trueup(['plan', '--detailed-exitcode'], { cwd: folder, env })).code).toBe(0);
});

test('U15: a new image in hello is applied and deployed by one apply, as its README says', async () => {
  const made = worldOf('hello');
  await applies(made, { adoption: true });
  const file = join(made.folder, 'docker-compose.yml');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/image: .*/, 'image: nginx:1.28'));
  const { actions } = await made.plan({});
  expect(actions.flatMap(({ action }) => (action === 'no-op' ? [] : [action]))).toEqual(['update', 'deploy']);
  await applies(made);
  await plansNothing(made);
});

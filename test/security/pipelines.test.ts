import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readYaml } from '../support/pipelines.ts';

/** What a pull request of a stranger can do with the pipeline files: nothing. */

const root = resolve(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface WorkflowJob {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly env?: unknown;
  readonly steps: readonly Step[];
}

interface Workflow {
  readonly on: Readonly<Record<string, unknown>>;
  readonly permissions?: unknown;
  readonly env?: unknown;
  readonly jobs: Readonly<Record<string, WorkflowJob>>;
}

const action = readYaml('action.yml') as {
  readonly inputs: Readonly<Record<string, { readonly description?: string }>>;
  readonly outputs: Readonly<Record<string, { readonly description?: string }>>;
  readonly runs: { readonly steps: readonly Step[] };
};
const workflows = ['github', 'forgejo', 'github-stages', 'forgejo-stages', 'github-previews', 'forgejo-previews']
  .map((name) => `pipelines/${name}.yml`)
  .map((path) => [path, readYaml(path) as Workflow] as const);
const gitlabFiles = ['', '-stages', '-previews'].map((end) => `pipelines/gitlab${end}.yml`);
const steps = [
  action.runs.steps,
  ...workflows.flatMap(([, { jobs }]) => Object.values(jobs).map((job) => job.steps)),
].flat();

describe('scripts of pipelines', () => {
  test('have no expression, so that no name of a branch and no title becomes a command', () => {
    const scripts = steps.flatMap(({ run }) => run ?? []);
    expect(scripts.length).toBeGreaterThan(3);
    expect(scripts.filter((script) => script.includes('${{'))).toEqual([]);
  });

  test('name no variable that holds a branch, a title or a message', () => {
    const scripts = [...steps.flatMap(({ run }) => run ?? []), ...gitlabFiles.map(read)];
    const names = scripts.flatMap((script) => [...script.matchAll(/\$\{?(\w+)/g)].map(([, name = '']) => name));
    const free = /REF|TITLE|MESSAGE|DESCRIPTION|AUTHOR|ACTOR|SOURCE_BRANCH|HEAD/;
    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => free.test(name))).toEqual([]);
  });
});

describe.each(workflows)('%s', (path, { on, permissions, env, jobs }) => {
  test('never runs on pull_request_target, and not on comments', () => {
    const known = ['pull_request', 'push', 'schedule', 'workflow_dispatch'];
    expect(Object.keys(on).filter((event) => !known.includes(event))).toEqual([]);
  });

  test('gives secrets to the steps that need them, and a job no more rights than it needs', () => {
    expect(env).toBeUndefined();
    for (const [name, job] of Object.entries(jobs)) {
      expect(job.env).toBeUndefined();
      const withSecrets = job.steps.filter((step) => JSON.stringify(step).includes('secrets.'));
      if (name === 'comment' && path.includes('github')) expect(withSecrets).toEqual([]);
      else {
        expect(withSecrets).toHaveLength(1);
        expect(withSecrets[0]?.uses ?? withSecrets[0]?.run).toMatch(/^(OWNER\/trueup@|trueup-ci )/);
      }
      expect(job.steps.filter(({ uses = '' }) => uses.includes('checkout'))).toEqual([
        expect.objectContaining({ with: expect.objectContaining({ 'persist-credentials': false }) }),
      ]);
    }
    if (path !== 'pipelines/github.yml') return;
    expect(permissions).toEqual({});
    expect(jobs['plan']).toMatchObject({
      environment: 'trueup-plan',
      permissions: { contents: 'read', 'pull-requests': 'write' },
    });
    expect(jobs['drift']).toMatchObject({ environment: 'trueup-plan', permissions: { contents: 'read' } });
    expect(jobs['apply']).toMatchObject({
      environment: 'trueup-apply',
      permissions: { contents: 'read', actions: 'read', 'pull-requests': 'write' },
    });
  });
});

describe('the action', () => {
  test('describes each input and each output', () => {
    const all = [...Object.values(action.inputs), ...Object.values(action.outputs)];
    expect(all.filter(({ description = '' }) => !/^\S.*\.$/.test(description))).toEqual([]);
  });

  test('gives an input to a script as a variable only, and each of them is used', () => {
    const run = action.runs.steps.find(({ name }) => name === 'Run Trueup');
    const given = Object.values(run?.env ?? {});
    expect(given.toSorted()).toEqual(
      Object.keys(action.inputs)
        .map((name) => `\${{ inputs.${name} }}`)
        .toSorted(),
    );
    for (const name of Object.keys(run?.env ?? {}).filter((one) => one.startsWith('INPUT_'))) {
      expect(run?.run).toContain(`"$${name}"`.slice(1, -1));
    }
  });

  test('builds Trueup without the secrets of the job', () => {
    const build = action.runs.steps.find(({ name }) => name === 'Build Trueup');
    const folder = mkdtempSync(join(tmpdir(), 'trueup-action-'));
    const bin = join(folder, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'npm'), '#!/bin/sh\nenv >> seen\necho "$@" >> seen\n');
    chmodSync(join(bin, 'npm'), 0o755);
    const env = {
      PATH: `${bin}:${process.env.PATH ?? ''}`,
      HOME: folder,
      GITHUB_ACTION_PATH: folder,
      TRUEUP_API_KEY: 'canary',
      https_proxy: 'http://proxy.example:3128',
      NODE_EXTRA_CA_CERTS: '/etc/ssl/company.pem',
    };
    const script = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', build?.run ?? 'false'];
    expect(spawnSync('bash', script, { cwd: tmpdir(), env, encoding: 'utf8' })).toMatchObject({
      status: 0,
      stderr: '',
    });
    const seen = readFileSync(join(folder, 'seen'), 'utf8');
    // No package runs a script of its own.
    expect(seen).toContain('ci --ignore-scripts --no-audit --no-fund\n');
    expect(seen).toContain('run build\n');
    expect(seen).not.toContain('canary');
    // A runner may reach packages by its proxy alone.
    expect(seen).toContain('HTTPS_PROXY=http://proxy.example:3128\n');
    expect(seen).toContain('NODE_EXTRA_CA_CERTS=/etc/ssl/company.pem\n');
    mkdirSync(join(folder, 'dist/ci'), { recursive: true });
    writeFileSync(join(folder, 'dist/ci/main.js'), '');
    writeFileSync(join(folder, 'seen'), '');
    expect(spawnSync('bash', script, { cwd: tmpdir(), env })).toMatchObject({ status: 0 });
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('');
  });

  test('passes options word by word, and nothing in them is a command', () => {
    const run = action.runs.steps.find(({ name }) => name === 'Run Trueup');
    const folder = mkdtempSync(join(tmpdir(), 'trueup-action-'));
    mkdirSync(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin/trueup-ci.js'), 'console.log(JSON.stringify(process.argv.slice(2)));\n');
    const env = {
      PATH: process.env.PATH ?? '',
      GITHUB_ACTION_PATH: folder,
      INPUT_COMMAND: 'apply',
      INPUT_FOLDER: 'a b; $(touch pwned)',
      INPUT_FILE: '-f',
      INPUT_OPTIONS: '--no-wait  $(touch pwned)\n`touch pwned` *\n--var=a="b"\n',
      INPUT_COMMENT: 'false',
    };
    const script = ['--noprofile', '--norc', '-eo', 'pipefail', '-c', run?.run ?? 'false'];
    const { stdout } = spawnSync('bash', script, { cwd: folder, env, encoding: 'utf8' });
    expect(JSON.parse(stdout)).toEqual([
      'apply',
      '--directory=a b; $(touch pwned)',
      '--file=-f',
      '--no-wait',
      '$(touch',
      'pwned)',
      '`touch',
      'pwned`',
      '*',
      '--var=a="b"',
      '--no-comment',
    ]);
  });
});

test.each(gitlabFiles)('the jobs of %s quote each variable, and run no script of the repository', (path) => {
  const jobs = Object.values(readYaml(path) as Record<string, { script?: readonly string[] }>);
  const lines = jobs.flatMap(({ script = [] }) => script);
  expect(lines.length).toBeGreaterThan(1);
  const form = /^trueup-ci \w+ -C "\$TRUEUP_FOLDER"(?:[\w .=-]|"\$\w+(?:\.\w+)?")*$/;
  expect(lines.filter((line) => !form.test(line))).toEqual([]);
});

describe('jobs of stages', () => {
  const github = readYaml('pipelines/github-stages.yml') as Workflow;
  const forgejo = readYaml('pipelines/forgejo-stages.yml') as Workflow;

  test.each(['github', 'gitlab', 'forgejo'])('of %s say where the identity for sealed files goes', (forge) => {
    for (const name of ['stages', 'previews'])
      expect(read(`pipelines/${forge}-${name}.yml`)).toMatch(/TRUEUP_AGE_IDENTITY\b.*(?:\n *#.*)?sealed file/);
  });

  test('get the secrets of their own stage only', () => {
    for (const [name, job] of Object.entries(forgejo.jobs)) {
      const used = [...JSON.stringify(job).matchAll(/(?:secrets|vars)\.(?:TRUEUP_)?(STAGING|PRODUCTION)_/g)];
      const stages = new Set(used.map(([, stage]) => stage?.toLowerCase()));
      expect([...stages], name).toEqual(name === 'comment' ? [] : [name.split('-')[1]]);
    }
    expect(Object.entries(github.jobs).map(([name, { environment }]) => [name, environment])).toEqual([
      ['plan', 'trueup-plan-${{ matrix.stage }}'],
      ['comment', undefined],
      ['apply-staging', 'staging'],
      ['apply-production', 'production'],
      ['drift', 'trueup-plan-${{ matrix.stage }}'],
    ]);
  });

  test('write one comment in a job of its own, and apply production after staging, when a person starts or approves it', () => {
    expect(github.jobs['plan']?.permissions).toEqual({ contents: 'read' });
    expect(github.jobs['comment']).toMatchObject({ permissions: { contents: 'read', 'pull-requests': 'write' } });
    expect(github.jobs['apply-production']).toMatchObject({ needs: 'apply-staging', environment: 'production' });
    expect(forgejo.jobs['apply-production']).toMatchObject({ if: "${{ inputs.command == 'apply production' }}" });
    const gitlab = readYaml('pipelines/gitlab-stages.yml') as Record<string, { rules?: { when?: string }[] }>;
    expect(gitlab['trueup-apply-production']).toMatchObject({
      needs: ['trueup-apply-staging'],
      environment: { name: 'production' },
    });
    expect(gitlab['trueup-apply-production']?.rules?.map(({ when }) => when)).toEqual(['manual']);
  });
});

describe('jobs of previews', () => {
  const github = readYaml('pipelines/github-previews.yml') as Workflow;
  const forgejo = readYaml('pipelines/forgejo-previews.yml') as Workflow;

  test('have credentials of their own, and cancel no job that runs', () => {
    for (const job of Object.values(github.jobs))
      expect(job).toMatchObject({ environment: 'trueup-previews', concurrency: { 'cancel-in-progress': false } });
    const used = [...JSON.stringify(forgejo.jobs).matchAll(/(?:secrets|vars)\.(\w+)/g)].map(([, name = '']) => name);
    expect(used.filter((name) => !/PREVIEW_|^TRUEUP_(?:IMAGE|FORGE_TOKEN)$/.test(name))).toEqual([]);
    const gitlab = readYaml('pipelines/gitlab-previews.yml') as Record<
      string,
      { environment?: { name: string }; interruptible?: boolean; script?: unknown }
    >;
    expect(gitlab['.trueup-preview']?.interruptible).toBe(false);
    const places = Object.values(gitlab).flatMap(({ environment, script }) => (script ? environment?.name : []));
    expect(places.filter((name) => name?.startsWith('preview/') !== true)).toEqual([]);
  });

  test('check out the commit of no person: the branch of a pull request, or what main has', () => {
    const refs = [github, forgejo].flatMap(({ jobs }) =>
      Object.values(jobs).flatMap(({ steps: own }) => own.flatMap((step) => step.with?.['ref'] ?? [])),
    );
    expect(new Set(refs)).toEqual(
      new Set(["${{ github.event.action == 'closed' && github.event.pull_request.base.sha || '' }}"]),
    );
  });
});

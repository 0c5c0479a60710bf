import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { program } from '../cli/process.ts';
import { git, hostRepository } from '../support/hosted-repository.ts';
import { imageOf, readYaml, runScript } from '../support/pipelines.ts';

/** The pipeline files that promote staging to production, step by step on a bare repository. */

const root = 'trueup: 1\nplatform: emulator\nproject: { name: shop }\ninclude: [shop.yaml]\n';
const production = `${root}variables:\r\n  tag: "1.9" # the release\r\n`;
const staging = (tag: string) => `${root}variables: { tag: ${tag} }\n`;

interface Workflow {
  readonly on: unknown;
  readonly permissions: unknown;
  readonly jobs: Readonly<
    Record<
      string,
      {
        readonly permissions: unknown;
        readonly steps: readonly {
          readonly name?: string;
          readonly run?: string;
          readonly env?: Readonly<Record<string, string>>;
          readonly with?: Readonly<Record<string, unknown>>;
        }[];
      }
    >
  >;
}

/** A repository on a forge, whose main has both files. */
function hosted() {
  const { bare, clone } = hostRepository();
  const commit = (files: Readonly<Record<string, string>>) => {
    mkdirSync(join(clone, 'infra'), { recursive: true });
    for (const [name, text] of Object.entries(files)) writeFileSync(join(clone, 'infra', name), text);
    git(clone, 'add', '.');
    git(clone, 'commit', '-q', '-m', 'A change');
    git(clone, 'push', '-q', 'origin', 'main');
  };
  commit({
    'shop.yaml': 'variables: { tag: { promote: true } }\n',
    'staging.yaml': staging('1.9'),
    'production.yaml': production,
  });
  const checkOut = () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-pipeline-'));
    git(folder, 'clone', '-q', bare, '.');
    return folder;
  };
  const promoted = () => ({
    files: git(bare, 'diff', '--name-only', 'main', 'trueup-promote').split('\n'),
    text: git(bare, 'show', 'trueup-promote:infra/production.yaml'),
    message: git(bare, 'log', '-1', '--format=%s', 'trueup-promote'),
  });
  return { bare, commit, checkOut, promoted, hasBranch: () => git(bare, 'branch', '--list', 'trueup-promote') !== '' };
}

const expected = (tag: string) => ({
  files: ['infra/production.yaml'],
  text: production.replace('"1.9"', tag).trim(),
  message: 'Promote staging to production',
});

describe('pipelines/github-promote.yml', () => {
  const file = readYaml('pipelines/github-promote.yml') as Workflow;
  const steps = file.jobs['promote']?.steps ?? [];

  /** Runs the steps with a `gh` that keeps the pull requests in a folder. */
  async function run({ checkOut }: ReturnType<typeof hosted>, beside: string) {
    const folder = checkOut();
    mkdirSync(join(folder, '.trueup-source'));
    symlinkSync(dirname(program()), join(folder, '.trueup-source/bin'));
    const gh = `#!/bin/sh
echo "$@" >> "$GH_FOLDER/calls"
case "$1 $2" in
  "pr list") if [ -f "$GH_FOLDER/open" ]; then echo 7; fi ;;
  "pr create") touch "$GH_FOLDER/open"; cp body.md "$GH_FOLDER/body" ;;
  "pr edit") cp body.md "$GH_FOLDER/body" ;;
  "pr close") rm "$GH_FOLDER/open" ;;
esac
`;
    writeFileSync(join(beside, 'gh'), gh);
    chmodSync(join(beside, 'gh'), 0o755);
    const image = imageOf({ program: program() });
    const env = { ...image, PATH: `${beside}:${image['PATH'] ?? ''}`, CI: 'true', GH_FOLDER: beside };
    let log = '';
    for (const { name, run: script } of steps) {
      if (script === undefined || name === 'Build Trueup') continue;
      const { code, out } = await runScript(script, { folder, env });
      log += out;
      if (code !== 0) return { code, log };
    }
    return { code: 0, log };
  }

  test('opens one pull request, and updates it', async () => {
    const place = hosted();
    const beside = mkdtempSync(join(tmpdir(), 'trueup-gh-'));
    const calls = () =>
      readFileSync(join(beside, 'calls'), 'utf8')
        .split('\n')
        .filter((line) => /^pr (?:create|edit|close)/.test(line));
    expect(await run(place, beside)).toMatchObject({ code: 0 });
    expect([place.hasBranch(), calls()]).toEqual([false, []]);
    place.commit({ 'staging.yaml': staging('1.10') });
    expect(await run(place, beside)).toMatchObject({ code: 0 });
    expect(place.promoted()).toEqual(expected('1.10'));
    place.commit({ 'staging.yaml': staging('1.11') });
    expect(await run(place, beside)).toMatchObject({ code: 0 });
    expect(place.promoted()).toEqual(expected('1.11'));
    expect(calls()).toEqual([
      'pr create --base main --head trueup-promote --title Promote staging to production --body-file body.md',
      'pr edit 7 --body-file body.md',
    ]);
    expect(readFileSync(join(beside, 'body'), 'utf8')).toBe(
      '```text\nPromoted 1 value from staging.yaml to production.yaml:\n  tag: 1.9 -> 1.11\n```\n',
    );
    place.commit({ 'staging.yaml': staging('1.9') });
    expect(await run(place, beside)).toMatchObject({ code: 0 });
    expect([existsSync(join(beside, 'open')), calls().at(-1)]).toEqual([false, 'pr close 7']);
  });

  test('fails without a pull request where promote refuses', async () => {
    const place = hosted();
    place.commit({ 'staging.yaml': root });
    const { code, log } = await run(place, mkdtempSync(join(tmpdir(), 'trueup-gh-')));
    expect([code, place.hasBranch()]).toEqual([1, false]);
    expect(log).toContain('cannot promote tag: staging.yaml gives it no value');
  });

  test('runs on main only, gives the token to one step, and has no expression in a script', () => {
    expect(file.on).toEqual({ push: { branches: ['main'], paths: ['infra/staging.yaml'] }, workflow_dispatch: {} });
    expect([file.permissions, file.jobs['promote']?.permissions]).toEqual([{}, { contents: 'read' }]);
    expect(steps.filter((step) => JSON.stringify(step).includes('secrets.')).map(({ name }) => name)).toEqual([
      'Open or update the pull request',
    ]);
    expect(steps.filter(({ run: script = '' }) => script.includes('${{'))).toEqual([]);
    expect(steps.flatMap(({ with: given }) => given?.['persist-credentials'] ?? [])).toEqual([false, false]);
  });
});

describe('pipelines/forgejo-promote.yml', () => {
  const file = readYaml('pipelines/forgejo-promote.yml') as Workflow;
  const steps = file.jobs['promote']?.steps ?? [];

  test('opens one pull request, and updates its branch', async () => {
    const place = hosted();
    const requests: string[] = [];
    const server = createServer((request, response) => {
      requests.push(`${request.method} ${request.url} ${request.headers.authorization}`);
      response.writeHead(requests.length === 1 ? 201 : requests.length === 2 ? 409 : 403).end('{}');
    });
    const url = await new Promise<string>((ready) => {
      server.listen(0, '127.0.0.1', () => ready(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
    });
    const run = async () => {
      const folder = place.checkOut();
      const token = {
        TRUEUP_PROMOTE_TOKEN: 'token-1',
        GITHUB_API_URL: `${url}/api/v1`,
        GITHUB_REPOSITORY: 'shop/infra',
      };
      const env = { ...imageOf({ program: program() }), CI: 'true', ...token };
      for (const { run: script } of steps) {
        const { code } = script === undefined ? { code: 0 } : await runScript(script, { folder, env });
        if (code !== 0) return code;
      }
      return 0;
    };
    const codes: number[] = [];
    for (const tag of ['1.10', '1.11', '1.12']) {
      place.commit({ 'staging.yaml': staging(tag) });
      codes.push(await run());
      expect(place.promoted()).toEqual(expected(tag));
    }
    place.commit({ 'staging.yaml': staging('1.9') });
    codes.push(await run(), await run());
    expect(place.hasBranch()).toBe(false);
    server.close();
    expect(codes).toEqual([0, 0, 1, 0, 0]);
    expect(requests).toEqual(Array(3).fill('POST /api/v1/repos/shop/infra/pulls token token-1'));
  }, 120_000);

  test('runs on main only, gives the token to one step, and has no expression in a script', () => {
    expect(file.on).toEqual({ push: { branches: ['main'], paths: ['infra/staging.yaml'] }, workflow_dispatch: {} });
    expect(steps.filter((step) => JSON.stringify(step).includes('secrets.')).map(({ name }) => name)).toEqual([
      'Open or update the pull request',
    ]);
    expect(steps.filter(({ run: script = '' }) => script.includes('${{'))).toEqual([]);
  });
});

describe('pipelines/gitlab-promote.yml', () => {
  test('pushes a branch that opens one merge request', async () => {
    const file = readYaml('pipelines/gitlab-promote.yml') as {
      'trueup-promote': { readonly script: readonly string[] };
    };
    const place = hosted();
    git(place.bare, 'config', 'receive.advertisePushOptions', 'true');
    place.commit({ 'staging.yaml': staging('1.10') });
    const script = file['trueup-promote'].script.map((line) =>
      // A bare repository has no address with a token.
      line.replace(/"\$CI_SERVER_PROTOCOL.*"$/, `"${place.bare}"`),
    );
    const env = { ...imageOf({ program: program() }), CI: 'true', CI_DEFAULT_BRANCH: 'main' };
    const run = () => runScript(script.join('\n'), { folder: place.checkOut(), env });
    expect(await run()).toMatchObject({ code: 0 });
    expect(place.promoted()).toEqual(expected('1.10'));
    place.commit({ 'staging.yaml': staging('1.9') });
    expect(await run()).toMatchObject({ code: 0 });
    expect(place.hasBranch()).toBe(false);
    expect(await run()).toMatchObject({ code: 0 });
  });
});

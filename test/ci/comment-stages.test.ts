import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runCi } from '../../src/ci/run-ci.ts';
import { writeStageDocument } from '../../src/ci/stage-document.ts';
import { project } from '../cli/process.ts';
import type { FakeForge } from '../support/fake-forge.ts';
import { forgeToken, runnerOf, serveForge } from '../support/fake-forge.ts';
import { processOfTest } from '../support/process.ts';

const open: FakeForge[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((forge) => forge.close()));
});

const commit = 'c0ffee'.padEnd(40, '0');

async function folderWith(files: Readonly<Record<string, string>>): Promise<string> {
  const cwd = project({ 'infra/shop.yaml': '', ...files });
  mkdirSync(join(cwd, '.git'), { recursive: true });
  execFileSync('git', ['init', '-q'], { cwd });
  return cwd;
}

async function commentOn(cwd: string, args: readonly string[], isFork = false) {
  const forge = await serveForge('github');
  open.push(forge);
  if (isFork) forge.fault = (method) => (method === 'POST' ? 403 : undefined);
  const repo = (name: string) => ({ repo: { full_name: name } });
  const pull = { number: 7, head: repo(isFork ? 'fork/infra' : 'shop/infra'), base: repo('shop/infra') };
  writeFileSync(join(cwd, 'event.json'), JSON.stringify({ pull_request: pull }));
  const env = {
    ...runnerOf('github', forge.url),
    TRUEUP_FORGE_TOKEN: forgeToken,
    GITHUB_SHA: commit,
    GITHUB_EVENT_NAME: 'pull_request',
    GITHUB_EVENT_PATH: join(cwd, 'event.json'),
  };
  const process = processOfTest({ args: ['comment', '-C', 'infra', ...args], env, cwd });
  const argv = [globalThis.process.execPath, 'trueup-ci', ...process.argv.slice(2)];
  const code = await runCi(Object.assign(process, { argv }), 'never started');
  return { code, ...process.printed, comments: forge.comments.get(7)?.map(({ body }) => body) ?? [] };
}

const failed = { commit, exitCode: 4, isBlind: false, artifact: undefined, plan: undefined };

describe('the comment about several stages', () => {
  test('says of a stage without a result of this commit that it was not planned', async () => {
    const cwd = await folderWith({ 'old.json': '', 'broken.json': '{"format":"trueup-ci/stage","version":1' });
    await writeStageDocument(join(cwd, 'staging.json'), { ...failed, file: 'staging.yaml', output: 'no answer' });
    const old = { ...failed, commit: 'another', file: 'old.yaml', output: 'of an earlier commit' };
    await writeStageDocument(join(cwd, 'old.json'), old);
    const run = await commentOn(cwd, ['staging.json', 'gone.json', 'old.json', 'broken.json']);
    expect(run).toMatchObject({ code: 0, err: '' });
    expect(run.out).toBe('Not planned, because their jobs left no document: gone, old, broken.\n');
    const missing = (stage: string) =>
      `### \`${stage}\`: not planned\n\nIts job left no result for this commit: the log of that job says why.\n`;
    const [text = '', ...more] = run.comments;
    expect(more).toEqual([]);
    expect(text.slice(text.indexOf('\n') + 1)).toBe(
      '\n## Trueup plan: 4 stages\n\n- `staging`: `failed, exit code 4`\n- `gone`: `not run`\n- `old`: `not run`\n- `broken`: `not run`\n\n' +
        '### `staging`: plan: failed with exit code 4\n\n```text\n  no answer\n```\n\n' +
        `No plan of commit ${commit} is stored: a merge applies nothing that was not planned and reviewed.\n\n` +
        ['gone', 'old', 'broken'].map(missing).join('\n'),
    );
  });

  test('holds the output of ten stages that print too much', async () => {
    const cwd = await folderWith({});
    const names = Array.from({ length: 10 }, (_, at) => `stage${at}.json`);
    const output = `${'é`</summary>\n'.repeat(9_000)}the end of it`;
    for (const name of names) {
      await writeStageDocument(join(cwd, name), { ...failed, file: name.replace('json', 'yaml'), output });
    }
    const { code, comments } = await commentOn(cwd, names);
    expect(code).toBe(0);
    expect(Buffer.byteLength(comments[0] ?? '')).toBeLessThanOrEqual(65_536);
    expect(comments[0]?.match(/the end of it/g)).toHaveLength(10);
  });

  test('of a fork, whose token may only read, does not fail for that', async () => {
    const cwd = await folderWith({});
    const blind = { ...failed, exitCode: 0, isBlind: true, file: 'staging.yaml', output: 'staging.yaml is valid' };
    await writeStageDocument(join(cwd, 'staging.json'), blind);
    const run = await commentOn(cwd, ['staging.json'], true);
    expect(run).toMatchObject({ code: 0, comments: [], out: expect.stringContaining('No comment was written') });
  });

  test.each([
    [[], 'trueup-ci comment needs the files with the documents'],
    [['staging.json', '--full'], 'trueup-ci comment takes no --full'],
  ])('%j is refused', async (args, message) => {
    const run = await commentOn(await folderWith({}), args);
    expect(run).toMatchObject({ code: 1, comments: [], err: expect.stringContaining(message) });
  });
});

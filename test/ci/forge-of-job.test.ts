import { describe, expect, test } from 'vitest';
import { readForge } from '../../src/ci/forge-of-job.ts';
import { runnerOf } from '../support/fake-forge.ts';

const github = { ...runnerOf('github', 'https://forge.example'), GITHUB_SHA: 'c0ffee' };
const gitlab = { ...runnerOf('gitlab', 'https://forge.example'), CI_COMMIT_SHA: 'c0ffee' };

function event(head: string | null, base: string, ref = 'topic'): string {
  const repo = head === null ? null : { full_name: head };
  return JSON.stringify({ pull_request: { number: 7, head: { ref, repo }, base: { repo: { full_name: base } } } });
}

describe('the forge of a pipeline', () => {
  test('is none on a desk', () => {
    expect(readForge({}, '')).toBeUndefined();
  });

  test('is GitHub, with its repository', () => {
    expect(readForge({ ...github, TRUEUP_FORGE_TOKEN: 'x' }, '')).toEqual({
      name: 'github',
      api: 'https://forge.example',
      repository: '/repos/shop/infra',
      commit: 'c0ffee',
      token: 'x',
    });
  });

  test.each(['GITEA_ACTIONS', 'FORGEJO_ACTIONS'])('is Forgejo or Gitea where %s is set', (variable) => {
    expect(readForge({ ...github, [variable]: 'true', TRUEUP_FORGE_TOKEN: 'x' }, '')).toMatchObject({
      name: 'gitea',
      packages: 'https://forge.example/api/packages/shop/generic',
      storeHeaders: { authorization: 'token x' },
    });
  });

  test('is GitLab, with the token of the job for packages', () => {
    expect(readForge(gitlab, '')).toMatchObject({
      api: 'https://forge.example/api/v4',
      packages: 'https://forge.example/api/v4/projects/12/packages/generic',
      storeHeaders: { 'job-token': expect.any(String) },
    });
  });

  test.each([
    ['a repository that is a path', { ...github, GITHUB_REPOSITORY: 'shop/../../user' }],
    ['an address that is none', { ...github, GITHUB_API_URL: 'file:///etc/passwd' }],
    ['a project that is a path', { ...gitlab, CI_PROJECT_ID: '../1' }],
  ])('is none with %s', (_what, env) => {
    expect(readForge(env, '')).toBeUndefined();
  });

  test('has no token where the variable is empty', () => {
    expect(readForge({ ...github, TRUEUP_FORGE_TOKEN: '' }, '')?.token).toBeUndefined();
  });
});

describe('the pull request', () => {
  test.each([
    ['of the same repository', event('shop/infra', 'shop/infra'), { number: 7, isFork: false }],
    ['of a fork', event('fork/infra', 'shop/infra'), { number: 7, isFork: true }],
    ['of a fork that is deleted', event(null, 'shop/infra'), { number: 7, isFork: true }],
    // https://forgejo.org/docs/latest/user/agit-support/
    [
      'that was pushed without a branch',
      event('shop/infra', 'shop/infra', 'refs/pull/7/head'),
      { number: 7, isFork: true },
    ],
  ])('%s', (_what, text, expected) => {
    for (const name of ['pull_request', 'pull_request_target', 'pull_request_sync'])
      expect(readForge({ ...github, GITHUB_EVENT_NAME: name }, text)?.pull).toEqual(expected);
  });

  test.each([
    ['of a push', '{"ref":"refs/heads/main"}'],
    ['of a broken event', '{'],
    ['with a number that is text', '{"pull_request":{"number":"7/../8"}}'],
  ])('is none: %s', (_what, text) => {
    expect(readForge(github, text)).toMatchObject({ name: 'github' });
    expect(readForge(github, text)?.pull).toBeUndefined();
  });

  // Forgejo and Gitea tell the pull request also of a comment on it.
  test.each([
    'pull_request_review',
    'pull_request_review_comment',
    'pull_request_comment',
    'issue_comment',
    'workflow_run',
    'label',
    '',
  ])('does not make a run for %j one of a pull request', (name) => {
    for (const more of [{}, { FORGEJO_ACTIONS: 'true' }, { GITEA_ACTIONS: 'true' }])
      for (const head of ['shop/infra', 'fork/infra'])
        expect(() => readForge({ ...github, ...more, GITHUB_EVENT_NAME: name }, event(head, 'shop/infra'))).toThrow(
          'this run was started by the event',
        );
  });

  test.each([
    ['pull_request', ''],
    ['pull_request_target', '{"ref":"refs/heads/main"}'],
    ['pull_request_sync', '{'],
  ])('of a run for %s that cannot be read is an error: it may be one of a fork', (name, text) => {
    expect(() => readForge({ ...github, GITHUB_EVENT_NAME: name }, text)).toThrow(
      'cannot tell whose pull request this is: GITHUB_EVENT_PATH names no event of one',
    );
  });

  test.each([
    ['issue_comment', '{"issue":{"number":7,"pull_request":{"url":"https://forge.example"}}}'],
    ['workflow_run', '{"workflow_run":{"event":"pull_request"}}'],
    ['discussion', ''],
    ['', ''],
  ])('a run for the event %j is refused: it may work on what a stranger wrote', (name, text) => {
    expect(() => readForge({ ...github, GITHUB_EVENT_NAME: name }, text)).toThrow('this run was started by the event');
  });

  test.each([
    ['push', 'shop/infra', true],
    ['schedule', 'shop/infra', true],
    ['pull_request', 'shop/infra', false],
    ['push', 'fork/infra', false],
    ['push', null, false],
  ])('a run after a run for %s of %s is taken: %s', (started, from, isTaken) => {
    const head_repository = from === null ? null : { full_name: from };
    const text = JSON.stringify({
      repository: { full_name: 'shop/infra' },
      workflow_run: { event: started, head_repository },
    });
    const read = () => readForge({ ...github, GITHUB_EVENT_NAME: 'workflow_run' }, text);
    if (isTaken) expect(read()).toMatchObject({ name: 'github' });
    else expect(read).toThrow('this run was started by the event workflow_run');
  });

  test.each(['push', 'schedule', 'workflow_dispatch', 'merge_group'])('a run for %s is one of a branch', (name) => {
    const forge = readForge({ ...github, GITHUB_EVENT_NAME: name }, '{"ref":"refs/heads/main"}');
    expect(forge).toMatchObject({ name: 'github' });
    expect(forge?.pull).toBeUndefined();
  });

  test.each(['external_pull_request_event', 'unknown', ''])('a pipeline of GitLab from %j is refused', (source) => {
    expect(() => readForge({ ...gitlab, CI_PIPELINE_SOURCE: source }, '')).toThrow(
      'this run was started by CI_PIPELINE_SOURCE',
    );
  });

  test.each([
    ['of the same project', '12', false],
    ['of a fork', '99', true],
    ['of a project that is deleted or not told', '', true],
  ])('of GitLab, %s', (_what, source, isFork) => {
    const env = {
      ...gitlab,
      CI_MERGE_REQUEST_IID: '7',
      CI_MERGE_REQUEST_PROJECT_ID: '12',
      CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source,
    };
    expect(readForge(env, '')?.pull).toEqual({ number: 7, isFork, head: 'c0ffee' });
    expect(readForge({ ...gitlab, CI_MERGE_REQUEST_IID: '7' }, '')?.pull?.isFork).toBe(true);
  });
});

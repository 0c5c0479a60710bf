import { expect, test } from 'vitest';
import { pipelineRun } from '../../src/project/pipeline-run.ts';

const github = {
  GITHUB_ACTIONS: 'true',
  GITHUB_SERVER_URL: 'https://github.example.com',
  GITHUB_REPOSITORY: 'shop/infra',
  GITHUB_RUN_ID: '8123456789',
  GITHUB_RUN_NUMBER: '17',
};

test.each([
  ['GitHub', github, 'https://github.example.com/shop/infra/actions/runs/8123456789'],
  ['Forgejo', { ...github, FORGEJO_ACTIONS: 'true' }, 'https://github.example.com/shop/infra/actions/runs/17'],
  ['Gitea', { ...github, GITEA_ACTIONS: 'true' }, 'https://github.example.com/shop/infra/actions/runs/17'],
  [
    'GitLab',
    { CI_PIPELINE_URL: 'https://gitlab.example.com/shop/infra/-/pipelines/12' },
    'https://gitlab.example.com/shop/infra/-/pipelines/12',
  ],
  ['no pipeline', {}, undefined],
  ['a run that is no number', { ...github, GITHUB_RUN_ID: '1/../../evil' }, undefined],
  ['a repository that is a path', { ...github, GITHUB_REPOSITORY: '../../evil' }, undefined],
  ['a server with a user', { ...github, GITHUB_SERVER_URL: 'https://user:password@evil.example' }, undefined],
  ['a script', { CI_PIPELINE_URL: 'javascript:alert(1)' }, undefined],
  ['an address that ends a link', { CI_PIPELINE_URL: 'https://gitlab.example.com/x|text>' }, undefined],
  ['an address that ends a link of Markdown', { CI_PIPELINE_URL: 'https://gitlab.example.com/x)' }, undefined],
])('the run of %s', (_, env, address) => {
  expect(pipelineRun(env)).toBe(address);
});

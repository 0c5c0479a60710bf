import { expect, test } from 'vitest';
import { repositoryAt } from '../../src/forge/repository-at.ts';

test.each([
  ['github', 'https://github.com/shop/infra.git', 'https://api.github.com', '/repos/shop/infra'],
  ['github', 'git@github.com:shop/infra.git', 'https://api.github.com', '/repos/shop/infra'],
  ['github', 'https://git.example.com/shop/infra', 'https://git.example.com/api/v3', '/repos/shop/infra'],
  ['gitlab', 'https://git.example.com/a/b/infra.git', 'https://git.example.com/api/v4', '/projects/a%2Fb%2Finfra'],
  ['gitlab', 'ssh://git@git.example.com:2222/a/infra.git', 'https://git.example.com/api/v4', '/projects/a%2Finfra'],
  [
    'forgejo',
    'https://example.com:3000/git/shop/infra.git',
    'https://example.com:3000/git/api/v1',
    '/repos/shop/infra',
  ],
  ['forgejo', 'http://127.0.0.1:3000/shop/infra.git', 'http://127.0.0.1:3000/api/v1', '/repos/shop/infra'],
] as const)('a repository of %s at %s has its API at %s', (forge, url, api, repository) => {
  const name = forge === 'forgejo' ? 'gitea' : forge;
  expect(repositoryAt({ url, forge })).toMatchObject({ name, api, repository });
});

test.each(['/srv/shop.git', 'http://git.example.com/shop/infra', 'https://git.example.com/infra', 'git@example.com:x'])(
  'a repository at %s gets no token',
  (url) => {
    expect(() => repositoryAt({ url, forge: 'forgejo' })).toThrow('no address of a repository at a forge');
  },
);

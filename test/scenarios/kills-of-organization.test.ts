import { expect, test } from 'vitest';
import { begin, goOn, killedRun, startAfter } from '../support/histories.ts';
import type { History } from '../support/history-tests.ts';
import { testHistories } from '../support/history-tests.ts';
import { certificate, git, inProduction, keys, pem } from '../support/organization-blocks.ts';
import { head } from '../support/world.ts';

/** What stands at the top of a manifest and what refers to it, sources and volume backups, as in kills-and-faults. */

const withKey = (key = 'deploy', env = `"\${ref:sshKeys.${key}.id}"`) =>
  inProduction(
    `application:\n  api: { source: ${git('api', `, sshKey: ${key}`)}, env: { KEY: ${env} } }\n` +
      `compose:\n  bots: { source: ${git('bots', `, sshKey: ${key}`)} }\n`,
  );
const certificates = (text: string) =>
  `${certificate(text)}  store: { certificateData: ${pem('CERTIFICATE', text)}, privateKey: k, certificatePath: store }\n`;
const model = (name: string) => `apiUrl: "https://models.example.com/v1", apiKey: k-e-y, model: ${name}`;
const models = (name: string) =>
  `ai:\n  helper: { ${model(name)}, isEnabled: false }\n  other: { ${model('small')} }\n`;
const providers =
  'gitea:\n  forge: { giteaUrl: "https://git.example.com", clientId: c, clientSecret: correct-horse }\n' +
  'bitbucket:\n  bucket: { bitbucketUsername: u, bitbucketEmail: g@example.com, bitbucketWorkspaceName: w, apiToken: t-o-k-e-n }\n';
const provided = inProduction(
  'application:\n' +
    '  a: { source: { type: gitea, provider: forge, owner: o, repository: r, branch: main } }\n' +
    '  b: { source: { type: bitbucket, provider: bucket, owner: o, repository: r, branch: main }, env: { G: "${ref:bitbucket.bucket.gitProviderId}" } }\n',
);
const copies = (names: string[]) =>
  `volumeBackups: { ${names.map((name) => `${name}: { volumeName: v, cronExpression: "0 3 * * *", prefix: ${name}/, destinationId: dst_1 }`).join(', ')} }`;
const services = (names: string[]) =>
  inProduction(
    'application:\n' +
      `  web: { source: { type: docker, image: nginx }, build: { type: dockerfile, dockerfile: Dockerfile }, env: { A: "1" }, domains: { a.example.com: { enabled: false } }, ${copies(names)} }\n` +
      'postgres:\n' +
      `  main: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: password-1, ${copies(names)} }\n`,
  );
const web = (source: string) => keys('one') + inProduction(`application:\n  web: { source: ${source} }\n`);
const pulled = web('{ type: docker, image: nginx, username: u, password: correct-horse }');
const cloned = web(git('web', ', sshKey: deploy, buildPath: /web, watchPaths: [src]'));
const none = 'environments: { production: {} }\n';

const histories: Readonly<Record<string, History>> = {
  'a key and what uses it are made': { before: [], after: keys('one') + withKey(), posts: 8 },
  'a key in use is replaced': { before: [keys('one') + withKey()], after: keys('two') + withKey(), posts: 7 },
  'a key is let go of and removed': { before: [keys('one') + withKey()], after: withKey('key-2', 'none'), posts: 6 },
  'certificates are made': { before: [], after: certificates('one'), posts: 2 },
  'certificates are replaced': { before: [certificates('one')], after: certificates('two'), posts: 4 },
  'providers, models and what uses them are made': {
    before: [],
    after: providers + models('small') + provided,
    posts: 11,
  },
  'a model changes': { before: [models('small')], after: models('large'), posts: 1 },
  'volume backups are made with their services': { before: [], after: services(['x', 'y']), posts: 13 },
  'volume backups are made and removed': { before: [services(['x', 'y'])], after: services(['y', 'z']), posts: 4 },
  'volume backups go with their services': { before: [services(['x', 'y'])], after: none, posts: 6 },
  'an application takes an image instead of a repository': { before: [cloned], after: pulled, posts: 2 },
  'an application goes back to its repository': { before: [cloned, pulled], after: cloned, posts: 2 },
};

const withHead = Object.entries(histories).map(([name, { before, after, posts }]) => {
  return [name, { before: before.map((text) => head + text), after: head + after, posts }] as const;
});

testHistories(Object.fromEntries(withHead), 'in memory');

test('a stack from a repository is deployed after a run that was killed before it started the deployment', async () => {
  const text = (value: string) =>
    head + inProduction(`compose:\n  bots: { source: ${git('bots')}, env: { A: "${value}" } }\n`);
  const made = begin(await startAfter(text('1')));
  expect(await killedRun(made, text('2'), { at: 2, where: 'before the POST' })).toBe(true);
  await goOn(made, text('2'));
  expect(made.watch.stale()).toEqual([]);
});

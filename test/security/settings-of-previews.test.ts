import { expect, test } from 'vitest';
import { mistakes } from '../support/stages.ts';

/** The settings of a preview come with a pull request, and the platform makes paths and commands of the host of them. */

const root = `trueup: 1
platform: emulator
environment: pr
preview: { for: 3d, most: 10 }
include: [shop.yaml]
variables: { suffix: "-pr-\${preview:id}" }
`;

const found = (section: string, block: string) =>
  mistakes(
    {
      'preview.yaml': root,
      'shop.yaml': `project: prj_1\nvariables: { suffix: {} }\n${section}: { shop: { ${block} } }\n`,
    },
    'preview.yaml',
  );

const refused = (message: string) => [
  { code: 'not-in-previews', at: 'the mark', says: expect.stringContaining(message) },
];
test.each([
  ['isolatedDeployment: true, suffix: §shop-x1y2z3', 'suffix names a network of others'],
  ['randomize: true, suffix: §"a\\nCOMPOSE_PROJECT_NAME=shop"', 'suffix has more than letters, digits'],
  ['composePath: §../../shop-x1y2z3/code/docker-compose.yml', 'composePath leads out of the folder of the code'],
])('refuses the setting %s', async (block, message) => {
  const text = JSON.stringify('services: { web: { image: nginx } }');
  expect(await found('compose', `source: { type: raw, composeFile: ${text} }, ${block}`)).toEqual(refused(message));
});

test('refuses a path in a repository that the platform gives to a shell', async () => {
  const source = 'source: { type: git, url: "https://git.example.com/a.git", branch: main }';
  expect(await found('compose', `${source}, composePath: §"a$(id).yml"`)).toEqual(
    refused('composePath has a sign that means something to a shell'),
  );
});

const git = 'type: git, url: "https://git.example.com/a.git", branch: main';

test.each([
  ['build: { type: dockerfile, contextPath: §../../.. }', 'contextPath leads out of the folder of the code'],
  ['build: { type: dockerfile, dockerfile: §"a{id}" }', 'dockerfile has a sign that means something to a shell'],
  ['build: { type: dockerfile, buildStage: §"a~id" }', 'buildStage has a sign that means something to a shell'],
  ['build: { type: railpack, version: §"1;id" }', 'version has a sign that means something to a shell'],
  [
    'build: { type: nixpacks, publishDirectory: §out/../../../root }',
    'publishDirectory leads out of the folder of the code',
  ],
  ['build: { type: dockerfile, dockerfile: §../Dockerfile }', 'dockerfile leads out of the folder of the code'],
  ['patches: { §"a;id": { content: x } }', 'filePath has a sign that means something to a shell'],
])('refuses %s of an application', async (field, message) => {
  expect(await found('application', `source: { ${git} }, ${field}`)).toEqual(refused(message));
});

test('refuses a folder of the build outside of the repository', async () => {
  expect(await found('application', `source: { ${git}, buildPath: §../../shop/code }`)).toEqual(
    refused('buildPath leads out of the folder of the code'),
  );
});

test('takes a build inside of its repository', async () => {
  const build = 'build: { type: dockerfile, dockerfile: ../Dockerfile, contextPath: ./apps/web, buildStage: prod }';
  expect(await found('application', `source: { ${git}, buildPath: /apps/@acme/web }, ${build}`)).toEqual([]);
});

import { expect, test } from 'vitest';
import { namedElsewhere } from '../../src/project/named-elsewhere.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { folderWith } from '../diagnostics/provoked.ts';
import { everything } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** The deletions that take something from another root file of the folder. */

const images = 'registries: { images: { registryUrl: registry.test, username: u, password: correct-horse-1 } }\n';
const stage = (registry: string) =>
  `${head}environment: staging\nvariables: { registry: { default: ${registry} } }\n` +
  'application: { api: { source: { type: docker, image: nginx }, registry: "${var:registry}" } }\n';

test.each([
  ['the name of another', stage('others'), []],
  ['another platform', stage('images').replace('platform: emulator', 'platform: { url: "https://x.example.com" }'), []],
  [
    'its name',
    stage('images'),
    [
      'staging.yaml:6:73 registries.images is not deleted: staging.yaml names it, with registry of staging.application.api (images) -> Write something else than images there and run trueup apply -f staging.yaml, or put registries.images back.',
    ],
  ],
  ['a file that cannot be read', `${stage('images')}nothing: {`, []],
])('a registry goes, and another root file has %s', async (_, text, expected) => {
  const made = bench();
  await made.apply(`${head}${images}`, everything);
  const folder = folderWith({ 'organization.yaml': head, 'staging.yaml': text });
  const about = { folder, file: 'organization.yaml', kinds, env: {}, variables: new Map(), redactor: createRedactor() };
  const found = await namedElsewhere(await made.plan(head), about);
  const shown = found.map(
    ({ message, remedy, position: at }) => `${at?.file}:${at?.line}:${at?.column} ${message} -> ${remedy}`,
  );
  expect(shown).toEqual(expected);
  expect(await namedElsewhere(await made.plan(`${head}${images}`), about)).toEqual([]);
});

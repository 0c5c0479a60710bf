import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { loadManifest } from '../../src/project/load.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { folderWith } from '../diagnostics/provoked.ts';

/** What a manifest lacks is in a file that it forgot to include. */

const root = 'trueup: 1\nplatform: emulator\nenvironment: production\n';
const web = 'templates: { web: { block: { source: { type: docker, image: "nginx:1.27" } } } }\n';
const api = 'application: { api: { use: web } }\n';
const variables = 'variables: { tag: "1" }\n';

test.each([
  [
    'the project',
    root,
    { 'shop.yaml': `project: prj_1\n${web}${api}` },
    ['project is missing'],
    'Write include: [shop.yaml] in production.yaml. staging.yaml includes it, and it has project.',
    `${root}include: [shop.yaml]\n`,
  ],
  [
    'variables',
    `${root}project: prj_1\n${variables}`,
    { 'shop.yaml': 'variables: { tag: {} }\n' },
    ['neither production.yaml nor a file that it includes declares a variable tag'],
    'Write include: [shop.yaml] in production.yaml. staging.yaml includes it, and it has tag.',
    `${root}project: prj_1\n${variables}include: [shop.yaml]\n`,
  ],
  [
    'a template of a file that none includes',
    `${root}project: prj_1\ninclude: [shop.yaml]\n`,
    { 'shop.yaml': api, 'templates.yaml': web },
    ['there is no template web'],
    'Add templates.yaml to include: in production.yaml. It declares web.',
    `${root}project: prj_1\ninclude: [shop.yaml, templates.yaml]\n`,
  ],
])('%s', async (_what, text, files, messages, remedy, corrected) => {
  const staging = 'trueup: 1\nplatform: emulator\nenvironment: staging\ninclude: [shop.yaml]\n';
  const folder = folderWith({ 'production.yaml': text, 'staging.yaml': staging, ...files });
  const load = () =>
    loadManifest({ folder, file: 'production.yaml', variables: new Map(), env: {}, kinds, redactor: createRedactor() });
  const found: unknown = await load().catch((error: unknown) => error);
  if (!(found instanceof Stop)) throw new Error('there is no mistake');
  expect(found.diagnostics.map(({ message }) => message)).toEqual(messages);
  expect(found.diagnostics.map((one) => one.remedy)).toEqual(messages.map(() => remedy));
  writeFileSync(join(folder, 'production.yaml'), corrected);
  expect((await load()).warnings).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import { problemsOf } from '../support/problems.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Files that are written into the code of a service before it is built. */

const service = (patches: string) => `${head}environments:
  production:
    application:
      web:
        source: { type: git, url: "https://git.test/acme/shop.git", branch: main }
        patches: { ${patches} }
`;
const conf = 'production.application.web.patches["site.conf"]';

async function changesOf(made: Bench, text: string): Promise<string[]> {
  const { actions } = await made.plan(text);
  return actions.flatMap(({ action, address }) => (action === 'no-op' ? [] : [`${action} ${address}`]));
}

function rows({ emulator }: Bench) {
  return Object.values(emulator.world.tables.patch);
}

test('a patch that begins disabled is created and then disabled, because a create ignores that', async () => {
  const made = bench();
  const text = service('site.conf: { content: "a = 1\\n", enabled: false }');
  await made.apply(text);
  expect(made.requests('POST').filter((one) => one.startsWith('patch.'))).toEqual(['patch.create', 'patch.update']);
  expect(rows(made)).toMatchObject([{ filePath: 'site.conf', type: 'update', content: 'a = 1\n', enabled: false }]);
  expect(await changesOf(made, text)).toEqual([]);
});

test('the line break that an update adds at the end is no change, of the manifest or of a person', async () => {
  const made = bench();
  await made.apply(service('site.conf: { content: "a = 1" }'));
  const text = service('site.conf: { content: "a = 2" }');
  made.requests('POST');
  await made.apply(text);
  expect(made.requests('POST')).toEqual(['patch.update', 'application.deploy']);
  expect(rows(made)).toMatchObject([{ content: 'a = 2\n' }]);
  expect(await changesOf(made, text)).toEqual([]);
  await made.emulator.act('patch.update', { patchId: rows(made)[0]?.patchId, content: 'a = 3' });
  expect(await changesOf(made, text)).toContain(`update ${conf}`);
});

test('a path that a service has already is adopted and not created', async () => {
  const made = bench();
  const { state } = await made.apply(service(''));
  const applicationId = state.resources['production.application.web']?.id;
  await made.emulator.act('patch.create', { applicationId, filePath: '/site.conf', content: 'a = 1\n' });
  const text = service('site.conf: { content: "a = 1\\n" }');
  expect(await changesOf(made, text)).toEqual([`adopt ${conf}`]);
  await made.apply(text, { adoption: true });
  expect(await changesOf(made, text)).toEqual([]);
});

describe.each([
  ['site.conf: { content: "a", type: delete }', 'has no content'],
  ['"../site.conf": { content: a }', 'without ".."'],
])('a block that would not do what it says: %s', (block, says) => {
  test('is an error before any request', async () => {
    const { problems } = await problemsOf(service(block));
    expect(problems.map(({ message }) => message)).toEqual([expect.stringContaining(says)]);
  });
});

import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { bench, head } from '../support/world.ts';

/** `unset` in a block is short for null, for each field that it names. */

/** A manifest with one database, whose block has further lines. */
function withDatabase(...lines: string[]): string {
  const own = [
    'dockerImage: postgres:17',
    'databaseName: shop',
    'databaseUser: shop',
    'databasePassword: horse-1',
    ...lines,
  ];
  return `${head}environments:\n  production:\n    postgres:\n      main:\n${own.map((line) => `        ${line}\n`).join('')}`;
}

async function problemsOf(text: string): Promise<readonly Diagnostic[]> {
  try {
    await bench().manifest(text);
    return [];
  } catch (error) {
    if (error instanceof Stop) return error.diagnostics;
    throw error;
  }
}

test('a named field is declared as null, at the place of its name', async () => {
  const { resources } = await bench().manifest(withDatabase('unset: [memoryLimit, env, env]'));
  const main = resources.find(({ key }) => key === 'main');
  expect(main?.fields).toHaveProperty('memoryLimit.at.offset', withDatabase('unset: [').length - 1);
  expect(main?.fields).toHaveProperty('env');
  expect(main?.options).toEqual({});
});

test('a value that a named field gets on the platform is drift, which apply removes', async () => {
  const made = bench();
  const text = withDatabase('unset: [memoryLimit, cpuLimit]');
  await made.apply(text, { adoption: true });
  const id = Object.keys(made.emulator.world.tables.postgres)[0] ?? '';
  await made.emulator.act('postgres.update', { postgresId: id, memoryLimit: '536870912' });
  const plan = await made.plan(text);
  expect(plan.actions.flatMap(({ changes }) => changes.map(({ path }) => path))).toEqual(['memoryLimit']);
  await made.apply(text);
  expect(made.emulator.world.tables.postgres[id]).toMatchObject({ memoryLimit: null });
  expect((await made.plan(text)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
});

test('a field in a group is named by its path', async () => {
  const source = '{ type: docker, image: "nginx:1.27" }';
  const blocks = `web: { source: ${source}, unset: [source.username, source.registryUrl] }`;
  const { resources } = await bench().manifest(`${head}environments: { production: { application: { ${blocks} } } }\n`);
  const web = resources.find(({ key }) => key === 'web');
  expect(Object.keys(web?.fields ?? {})).toEqual(expect.arrayContaining(['dockerImage', 'username', 'registryUrl']));
});

test.each([
  ['unset: [memoryLimt]', 'unknown-key', 'a postgres has no key memoryLimt', 'Did you mean memoryLimit?'],
  [
    'unset: [databaseUser]',
    'defined-twice',
    'unset names databaseUser, which has a value in this block',
    'Remove databaseUser from unset, or its own line.',
  ],
  [
    'unset: [name]',
    'not-clearable',
    'name cannot be null: the platform has no empty value for it',
    'Remove the line to stop managing it.',
  ],
  ['unset: [backups]', 'wrong-type', 'backups is empty', 'Write backups: {} for none, or remove the line.'],
  [
    'unset: memoryLimit',
    'wrong-type',
    'unset must be a list, got "memoryLimit"',
    'Write this instead:\nunset: [memoryLimit]',
  ],
])('%s is refused: %s', async (line, code, message, remedy) => {
  const [problem] = await problemsOf(withDatabase(line));
  expect(problem).toMatchObject({ code, message, remedy });
});

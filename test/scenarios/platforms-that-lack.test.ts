import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { kinds } from '../../src/resources/index.ts';
import type { Plan } from '../../src/plan/action.ts';
import { notesOf } from '../support/faults.ts';
import { mirror } from '../support/kind-beyond-document.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** The errors that refuse a plan. */
async function refusal(made: Bench, text: string) {
  const error: unknown = await made.plan(text).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
  return error.diagnostics;
}

test('a block of a kind that the platform lacks is an error of the plan at its line, and nothing is sent', async () => {
  const made = bench({ kinds: [...kinds, mirror], documentedOnly: true });
  const text = `${head}environments:\n  staging:\n    mirrors:\n      main: { databaseName: shop, databaseUser: shop }\n`;
  const [found, ...rest] = await refusal(made, text);
  expect(rest).toEqual([]);
  expect(found).toMatchObject({
    code: 'unsupported',
    message: 'staging.mirrors.main: the platform has no mirrors: it does not serve mysql.one',
    remedy: 'Use a platform that serves the operation, or remove the block.',
    position: { line: 7 },
    quote: { text: '      main: { databaseName: shop, databaseUser: shop }' },
  });
  expect(made.requests('GET')).toEqual([]);
});

test('a manifest without such a block is planned as ever', async () => {
  const made = bench({ kinds: [...kinds, mirror], documentedOnly: true });
  await made.apply(`${head}environments: { staging: {} }\n`);
  expect((await made.plan(`${head}environments: { staging: {} }\n`)).actions.map(({ action }) => action)).toEqual([
    'no-op',
  ]);
});

describe('an application', () => {
  const web = (more: string) =>
    `${head}environments:\n  staging:\n    application:\n      web:\n        source: { type: docker, image: nginx }\n${more}`;
  const git = (more = '') =>
    `${head}environments:\n  staging:\n    application:\n      web: { source: { type: git, url: "https://git.example.com/a.git", branch: main }${more} }\n`;
  const errorsOf = (plan: Plan) => notesOf(plan).filter(({ severity }) => severity === 'error');

  test('whose platform cannot set a field is an error at the line of the field, with what it lacks', async () => {
    const made = bench({ documentedOnly: true });
    const found = await refusal(made, web('        replicas: 2\n        memoryLimit: 512Mi\n'));
    expect(found).toMatchObject([
      {
        code: 'unsupported',
        message: 'staging.application.web: the platform cannot set replicas: it does not serve application.update',
        remedy: 'Use a platform that serves the operation, or remove the line.',
        position: { line: 9 },
      },
      { position: { line: 10 } },
    ]);
    expect(made.requests('GET')).toEqual([]);
  });

  test('is renamed, scaled and limited in place where application.update is served, and then plans nothing', async () => {
    const made = bench();
    await made.apply(web(''));
    made.requests('POST');
    const text = web('        name: shop\n        replicas: 2\n        memoryLimit: 512Mi\n        cpuLimit: 0.5\n');
    await made.apply(text);
    expect(made.requests('POST')).toEqual(['application.update', 'application.deploy']);
    expect(Object.values(made.emulator.world.tables.application)).toMatchObject([
      { name: 'shop', replicas: 2, memoryLimit: '536870912', cpuLimit: '500000000' },
    ]);
    expect((await made.plan(text)).actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  test('gets no number of containers by null, which the platform would store as 0', async () => {
    const made = bench();
    await made.apply(web('        replicas: 2\n'));
    const found = await refusal(made, web('        replicas: null\n'));
    expect(found.map(({ code }) => code)).toEqual(['not-clearable']);
  });

  test('from a repository is deployed where application.deploy is served, and then plans nothing', async () => {
    const made = bench({ lacks: ['application.update', 'application.move'] });
    await made.apply(git());
    expect(made.requests('POST')).toContain('application.deploy');
    const again = await made.plan(git());
    expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
    expect(notesOf(again)).toEqual([]);
    expect(errorsOf(await made.plan(git(', name: other')))).toMatchObject([{ code: 'cannot-change' }]);
  });

  test('from a repository is left to a person where it is not, whatever else is served', async () => {
    const made = bench({ lacks: ['application.deploy'] });
    await made.apply(git(', replicas: 2'));
    expect(made.requests('POST')).not.toContain('application.deploy');
    expect(notesOf(await made.plan(git(', replicas: 2'))).map(({ code }) => code)).toEqual(['not-deployed']);
  });
});

describe('the password of a MariaDB', () => {
  const stock = (password: string) =>
    `${head}environments:\n  staging:\n    mariadb:\n      main: { dockerImage: "mariadb:11", databaseName: a, databaseUser: a, databasePassword: "${password}" }\n`;

  test('is changed in the running server where an operation does that, and then plans nothing', async () => {
    const made = bench();
    await made.apply(stock('correct-horse-1'));
    made.requests('POST');
    await made.apply(stock('correct-horse-2'));
    expect(made.requests('POST')).toEqual(['mariadb.changePassword']);
    const { volume, mariadb } = made.emulator.world.tables;
    expect(Object.values(mariadb)).toMatchObject([{ databasePassword: 'correct-horse-2' }]);
    expect(Object.values(volume)).toMatchObject([{ databasePassword: 'correct-horse-2' }]);
    const again = await made.plan(stock('correct-horse-2'));
    expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  });

  test('with a backtick never reaches the shell of the platform: it is stored, which the plan says', async () => {
    const made = bench();
    await made.apply(stock('correct-horse-1'));
    const plan = await made.plan(stock('a`id`b'));
    const operations = plan.actions.flatMap(({ steps }) => steps.map(({ operation }) => operation));
    expect(operations).not.toContain('mariadb.changePassword');
    expect(notesOf(plan).map(({ message }) => message)).toContainEqual(expect.stringContaining('only stored'));
  });

  test('is refused where none does, with what to do by hand', async () => {
    const made = bench({ documentedOnly: true });
    await made.apply(stock('correct-horse-1'));
    const errors = notesOf(await made.plan(stock('correct-horse-2'))).filter(({ severity }) => severity === 'error');
    expect(errors).toMatchObject([
      { code: 'cannot-change', message: expect.stringContaining('change it in the database by hand') as string },
    ]);
  });
});

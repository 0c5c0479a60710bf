import { describe, expect, test } from 'vitest';
import { project, trueup } from '../cli/process.ts';
import { plansNothing, rowsIn } from '../support/faults.ts';
import { composeBody, production } from '../support/manifest-texts.ts';
import { oneError, told } from '../support/problems.ts';
import { bench } from '../support/world.ts';

/** One thing has one name, whichever kind or command a user learned it from. */

const backups = (schedule: string, cronExpression: string) =>
  production(`    postgres:
      main:
        databaseName: d
        databaseUser: u
        databasePassword: pw-1
        backups: { a: { ${schedule}: "0 3 * * *", prefix: a/, destinationId: dst_1 } }
        volumeBackups: { b: { ${cronExpression}: "0 4 * * *", volumeName: v, prefix: b/, destinationId: dst_1 } }
`);

describe('U18: schedule and cronExpression', () => {
  test('mean the same in both kinds of backups', async () => {
    const made = bench();
    await made.apply(backups('schedule', 'schedule'));
    expect(rowsIn(made, 'backup')).toMatchObject([{ schedule: '0 3 * * *' }]);
    expect(Object.values(made.emulator.world.tables.volumeBackup)).toMatchObject([{ cronExpression: '0 4 * * *' }]);
    for (const written of ['schedule', 'cronExpression']) await plansNothing(made, backups(written, written));
    await plansNothing(made, backups('cronExpression', 'schedule'));
  });

  test('are not written both', async () => {
    expect(await told(backups('cronExpression: "0 3 * * *", §schedule', 'schedule'))).toEqual(
      oneError('defined-twice', /schedule and cronExpression are the same field/),
    );
  });
});

describe('U18: what deploys a service by itself', () => {
  const git = 'type: git, url: "https://git.example.com/a.git", branch: main';
  const compose = (inside: string, beside: string) =>
    production(`    compose: { shop: { source: { ${git}${inside} }${beside} } }\n`);

  test('stands in source: or beside it in a compose', async () => {
    const made = bench();
    const keys = ', watchPaths: [src/**], triggerType: tag, enableSubmodules: true';
    await made.apply(compose(keys, ''));
    expect(rowsIn(made, 'compose')).toMatchObject([
      { watchPaths: ['src/**'], triggerType: 'tag', enableSubmodules: true },
    ]);
    await plansNothing(made, compose(keys, ''));
    await plansNothing(made, compose('', keys));
    expect(await told(compose(', watchPaths: [a]', ', §watchPaths: [b]'))).toMatchObject({
      problems: [expect.stringContaining('defined-twice')],
    });
  });

  test('is told to stand in source: of an application, and not to stand in that of a raw compose', async () => {
    expect(
      await told(production(`    application: { web: { source: { ${git}, watchPaths: [] }, §watchPaths: [a] } }\n`)),
    ).toEqual(oneError('unknown-key', /an application has no key watchPaths write it as source: \{ watchPaths: … \}/));
    expect(
      await told(production(`    compose: { shop: { ${composeBody.replace(' }" }', ' }", §watchPaths: [a] }')} } }\n`)),
    ).toMatchObject({ problems: ['unknown-key at the mark'] });
  });
});

test('U18: --yes and --auto-approve mean the same', async () => {
  const folder = project(backups('schedule', 'schedule'));
  const run = async (...args: string[]) => (await trueup([...args, '-C', folder])).code;
  expect(await run('apply', '--yes')).toBe(0);
  expect(await run('run', 'stop', 'production.postgres.main', '--auto-approve')).toBe(0);
  expect(await run('destroy', '--yes', '--allow-data-loss')).toBe(0);
  expect(await run('apply', '--auto-approve')).toBe(0);
});

import { describe, expect, test } from 'vitest';
import { staleSettings } from '../../src/emulator/docker-volumes.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';
import { read } from '../diagnostics/in-manifests.ts';

const database = (password: string, more = '') => `${head}environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: "${password}"${more} }
`;

async function plansNothing(made: Bench, text: string): Promise<void> {
  made.requests('POST');
  const again = await made.plan(text);
  expect(again.actions.filter(({ action }) => action !== 'no-op')).toEqual([]);
  await made.apply(text);
  expect(made.requests('POST')).toEqual([]);
}

test('the password of a running database is changed in the database, not only in its record', async () => {
  const made = bench();
  await made.apply(database('password-1'));
  const postgresId = made.store.state?.resources['production.postgres.main']?.id;
  made.requests('POST');
  await made.apply(database('password-2'));
  expect(made.requests('POST')).toEqual(['postgres.changePassword']);
  expect(await made.emulator.act('postgres.one', { postgresId })).toMatchObject({ databasePassword: 'password-2' });
  await plansNothing(made, database('password-2'));
});

test('the password of a stopped database is stored, and the plan states the limits of that', async () => {
  const made = bench();
  const stopped = (password: string) => database(password, ', deploy: never');
  await made.apply(stopped('password-1'));
  const plan = await made.plan(stopped('password-2'));
  const action = plan.actions.find(({ address }) => address === 'production.postgres.main');
  expect(action?.steps.map(({ operation }) => operation)).toEqual(['postgres.update']);
  expect(action?.notes.map(({ code }) => code)).toEqual(['not-effective']);
  await made.apply(stopped('password-2'));
  await plansNothing(made, stopped('password-2'));
});

test('a password with a backtick is refused before any request: the platform could never change it', async () => {
  const made = bench();
  await expect(made.manifest(database('pass`word-1'))).rejects.toThrow('backtick');
});

test('the password of a running MariaDB that comes from a secret is changed in the database', async () => {
  const made = bench();
  const text = database('${secret:PW}').replace('postgres:\n', 'mariadb:\n').replace('postgres:17', 'mariadb:11');
  made.secrets['PW'] = 'password-1';
  await made.apply(text);
  made.requests('POST');
  made.secrets['PW'] = 'password-2';
  await made.apply(text);
  expect(made.requests('POST')).toEqual(['mariadb.changePassword']);
  await plansNothing(made, text);
});

test.each([
  ['postgres', 'postgres:17', 'databaseName: a, '],
  ['mysql', 'mysql:8', 'databaseName: a, '],
  ['mariadb', 'mariadb:11', 'databaseName: a, '],
  ['mongo', 'mongo:8', ''],
] as const)(
  '%s: a new password goes to the user of the block, also where the row names another',
  async (kind, image, name) => {
    const made = bench();
    const text = (password: string) =>
      `${head}environments: { production: { ${kind}: { main: { dockerImage: "${image}", ${name}databaseUser: a, databasePassword: ${password} } } } }\n`;
    await made.apply(text('password-1'));
    const id = { [`${kind}Id`]: made.store.state?.resources[`production.${kind}.main`]?.id };
    await made.emulator.act(`${kind}.update`, { ...id, databaseUser: 'other' });
    made.requests('POST');
    await made.apply(text('password-2'));
    expect(made.requests('POST')).toEqual([`${kind}.update`, `${kind}.changePassword`]);
    expect(await made.emulator.act(`${kind}.one`, id)).toMatchObject({
      databaseUser: 'a',
      databasePassword: 'password-2',
    });
    expect(staleSettings(made.emulator.world)).toEqual([]);
    await plansNothing(made, text('password-2'));
  },
);

test.each([
  ['mysql', 'dockerImage: "mysql:8", databaseName: a, ', 'databaseRootPassword', true],
  ['mysql', 'dockerImage: "mysql:8", databaseName: a, databaseRootPassword: root, ', 'databasePassword', false],
  ['mariadb', 'dockerImage: "mariadb:11", databaseName: a, ', 'databasePassword', true],
  ['mariadb', 'dockerImage: "mariadb:11", databaseName: a, databasePassword: user, ', 'databaseRootPassword', false],
  ['mongo', 'dockerImage: "mongo:8", ', 'databasePassword', true],
  // The server trusts a dump from its own container.
  ['postgres', 'dockerImage: "postgres:17", databaseName: a, ', 'databasePassword', false],
] as const)('%s: the plan says whose backups keep the old password: %s %s', async (kind, more, field, isSaid) => {
  const made = bench();
  const others = kind === 'mysql' && field === 'databaseRootPassword' ? 'databasePassword: user, ' : '';
  const text = (password: string, enabled: boolean) =>
    `${head}environments: { production: { ${kind}: { main: { ${more}${others}databaseUser: a, ${field}: ${password},
      backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/, database: a, enabled: ${String(enabled)} } } } } } }\n`;
  await made.apply(text('password-1', true));
  const notesOf = async (wanted: string) =>
    (await made.plan(wanted)).actions.flatMap(({ notes }) => notes.map(({ code, message }) => `${code} ${message}`));
  const ofBackups = 'its backups log in with the old password';
  const ofRoot = 'inside of the container root keeps the old password';
  const says = (...parts: readonly string[]) =>
    parts.length === 0
      ? []
      : [expect.stringMatching(new RegExp(`^not-effective ${parts.join('.*; then ')}`)) as string];
  const root = field === 'databaseRootPassword' ? [ofRoot] : [];
  expect(await notesOf(text('password-2', true))).toEqual(says(...root, ...(isSaid ? [ofBackups] : [])));
  await made.apply(text('password-2', true));
  await plansNothing(made, text('password-2', true));
  await made.apply(text('password-2', false), { dataLoss: true });
  expect(await notesOf(text('password-3', false))).toEqual(says(...root));
  await made.apply(text('password-3', false));
  await plansNothing(made, text('password-3', false));
});

describe.each([
  ['mysql', 'dockerImage: "mysql:8", databaseName: a, databasePassword: user-1, ', 'databaseRootPassword'],
  ['mariadb', 'dockerImage: "mariadb:11", databaseName: a, databasePassword: user-1, ', 'databaseRootPassword'],
  ['mongo', 'dockerImage: "mongo:8", ', 'databasePassword'],
] as const)('%s, where somebody changed the stored password and not the database,', (kind, more, field) => {
  const text = (password: string) =>
    `${head}environments: { production: { ${kind}: { main: { ${more}databaseUser: a, ${field}: "${password}" } } } }\n`;
  const address = `production.${kind}.main`;

  async function changed(): Promise<{ made: Bench; id: string; storing: (password: string) => Promise<unknown> }> {
    const made = bench();
    await made.apply(text('right-password'));
    const id = made.store.state?.resources[address]?.id ?? '';
    const storing = (password: string) => made.emulator.act(`${kind}.update`, { [`${kind}Id`]: id, [field]: password });
    await storing('stored-password');
    return { made, id, storing };
  }

  test.each(['right-password', 'fresh-password'])(
    'the plan and the failure say so, and the remedy leads on to %s',
    async (wanted) => {
      const { made, id, storing } = await changed();
      const planned = (await made.plan(text(wanted))).actions.find((one) => one.address === address);
      const login = `trueup call ${kind}.update ${kind}Id=${id} ${field}=@-`;
      const message = `the platform logs in to the database with the ${field} that it stores, which was changed since the last apply`;
      expect(planned?.notes.map((note) => note.message).join()).toContain(message);
      expect(planned?.notes.map(({ remedy }) => remedy).join()).toContain(login);
      const diagnostics = (await made.apply(text(wanted))).outcomes.flatMap((one) => one.diagnostics);
      const failure = diagnostics.find(({ code }) => code === 'platform-answer');
      expect(failure?.remedy).toContain(`If the database has another ${field} than the platform stores`);
      expect(failure?.remedy).toContain(login);
      expect(JSON.stringify(diagnostics)).not.toMatch(/(?:stored|right|fresh)-password/);
      await storing('right-password');
      await made.apply(text(wanted));
      expect(staleSettings(made.emulator.world)).toEqual([]);
      await plansNothing(made, text(wanted));
    },
  );

  test('the plan says nothing of it where nobody changed it', async () => {
    const made = bench();
    await made.apply(text('right-password'));
    const { actions } = await made.plan(text('fresh-password'));
    expect(JSON.stringify(actions.flatMap(({ notes }) => notes))).not.toContain('which was changed since');
    await made.apply(text('fresh-password'));
    await plansNothing(made, text('fresh-password'));
  });
});

test.each(['mysql', 'mariadb'] as const)(
  '%s: the password of the user waits for the stored password of root as well',
  async (kind) => {
    const made = bench();
    const text = (user: string) =>
      `${head}environments: { production: { ${kind}: { main: { dockerImage: "${kind}:11", databaseName: a, databaseUser: a, databasePassword: ${user}, databaseRootPassword: root-password } } } }\n`;
    await made.apply(text('user-1'));
    const id = { [`${kind}Id`]: made.store.state?.resources[`production.${kind}.main`]?.id };
    await made.emulator.act(`${kind}.update`, { ...id, databaseRootPassword: 'stored-password' });
    const notes = (await made.plan(text('user-2'))).actions.flatMap((one) => one.notes.map(({ message }) => message));
    expect(notes.filter((message) => message.includes('which was changed since'))).toHaveLength(1);
    await made.apply(text('user-2'));
    await made.emulator.act(`${kind}.update`, { ...id, databaseRootPassword: 'root-password' });
    await made.apply(text('user-2'));
    expect(staleSettings(made.emulator.world)).toEqual([]);
    await plansNothing(made, text('user-2'));
  },
);

const readByShell = [
  ['postgres', 'dockerImage: "postgres:17", databaseName: a, ', ['my shop', 'a$b', "o'neil", 'a;id', 'a"b']],
  ['mysql', 'dockerImage: "mysql:8", databaseName: a, ', ['a$b', "o'neil", 'a`id`', 'a"b']],
  ['mariadb', 'dockerImage: "mariadb:11", databaseName: a, ', ['a$(id)', "o'neil", 'a"b']],
  ['mongo', 'dockerImage: "mongo:8", ', ['a$b', "o'neil", 'a\\\\b']],
] as const;

describe.each(readByShell)('%s: a user that a shell of the platform would read', (kind, more, users) => {
  const text = (user: string, password = 'password-1') =>
    `${head}environments: { production: { ${kind}: { main: { ${more}databaseUser: ${JSON.stringify(user)}, databasePassword: ${password} } } } }\n`;
  const errorsOf = ({ diagnostics }: Awaited<ReturnType<Bench['plan']>>) =>
    diagnostics.filter(({ severity }) => severity === 'error');

  test.each(users)('is refused in a new database: %s', async (user) => {
    const [found, ...others] = errorsOf(await bench().plan(text(user)));
    expect(others).toEqual([]);
    expect(found).toMatchObject({
      code: 'refused-setting',
      position: { file: 'trueup.yaml', line: 4 },
      message: expect.stringContaining('databaseUser: the platform changes the password by a command of a shell'),
      remedy: expect.stringContaining('Write a name without'),
    });
  });

  test.each(users)('is a warning without a plan, as the database may be there: %s', async (user) => {
    const found = await read({ 'trueup.yaml': text(user) });
    expect(found.map(({ code, severity }) => `${severity} ${code}`)).toEqual(['warning refused-setting']);
  });

  test.each(users)('stays in one that is there, and no shell gets it: %s', async (user) => {
    const made = bench();
    const image = /dockerImage: "(.*?)"/.exec(more)?.[1];
    const row = { name: 'main', environmentId: 'env_prj_1', dockerImage: image, databaseName: 'a', databaseUser: user };
    const { databaseName: _, ...ofMongo } = row;
    const created = (await made.emulator.act(`${kind}.create`, {
      ...(kind === 'mongo' ? ofMongo : row),
      databasePassword: 'password-1',
    })) as Record<string, unknown>;
    const id = { [`${kind}Id`]: created[`${kind}Id`] };
    await made.emulator.act(`${kind}.deploy`, id);
    await made.apply(text(user), { adoption: true });
    await plansNothing(made, text(user));
    const plan = await made.plan(text(user, 'password-2'));
    expect(errorsOf(plan)).toEqual([]);
    const notes = plan.actions.flatMap((one) => one.notes.map(({ code, message }) => `${code} ${message}`));
    expect(notes).toEqual([
      expect.stringContaining('not-effective the user has signs that a shell of the platform reads'),
    ]);
    await made.apply(text(user, 'password-2'));
    expect(made.requests('POST')).toEqual([`${kind}.update`]);
    await plansNothing(made, text(user, 'password-2'));
  });

  test.each(['shop_1', 'o-neil.x'])('is none that it would not read: %s', async (user) => {
    const made = bench();
    expect(errorsOf(await made.plan(text(user)))).toEqual([]);
    await made.apply(text(user));
    await plansNothing(made, text(user));
  });
});

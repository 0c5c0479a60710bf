import { expect, test } from 'vitest';
import { read } from '../diagnostics/in-manifests.ts';
import { kindBench } from '../support/kind-world.ts';
import { answered, answering, worldOver } from '../support/faults.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { told } from '../support/problems.ts';
import { type Bench, bench, head } from '../support/world.ts';

/** Roles of one's own, which operations name by their names. */

const role = (permissions = 'service: [create, read], logs: [read]', key = 'developer') =>
  `${head}customRoles: { ${key}: { permissions: { ${permissions} } } }\n`;

/** A platform with the role, which a member has. */
async function made(text = role()): Promise<Bench> {
  const one = kindBench();
  await one.apply(text);
  Object.assign(one.emulator.world.tables.member['member_9'] ?? {}, { role: 'developer' });
  one.requests('POST');
  return one;
}

async function changesOf(one: Bench, text: string): Promise<string[]> {
  const { actions } = await one.plan(text);
  return actions.flatMap(({ action, changes }) => (action === 'no-op' ? [] : changes.map(({ path }) => path)));
}

const rolesOf = ({ emulator }: Bench) => emulator.act('customRole.all');

test('the order of permissions, and a resource without any, mean nothing', async () => {
  const one = await made();
  expect(await changesOf(one, role('logs: [read], docker: [], service: [read, create, read]'))).toEqual([]);
  expect(await changesOf(one, role('logs: [read], service: [read]'))).toEqual(['permissions']);
});

test('another name is one update, members keep the role, and then plans nothing', async () => {
  const one = await made();
  const { id } = one.store.state?.resources['customRoles.developer'] ?? {};
  const text = role().replace('{ permissions', '{ roleName: reviewer, permissions');
  const { outcomes } = await one.apply(text);
  expect(outcomes).toMatchObject([{ result: 'done', action: { action: 'update', id } }]);
  expect(one.requests('POST')).toEqual(['customRole.update']);
  expect(await rolesOf(one)).toMatchObject([{ role: 'reviewer', ids: [id], memberCount: 1 }]);
  expect(await changesOf(one, text)).toEqual([]);
});

test('a role that a person renamed is the same one: drift, which the apply undoes', async () => {
  const one = await made();
  const permissions = { service: ['create', 'read'], logs: ['read'] };
  await one.emulator.act('customRole.update', { roleName: 'developer', newRoleName: 'dev', permissions });
  const { actions } = await one.plan(role());
  expect(actions).toMatchObject([{ action: 'update', changes: [{ path: 'roleName', cause: 'drift' }] }]);
  await one.apply(role());
  expect(await rolesOf(one)).toMatchObject([{ role: 'developer', permissions, memberCount: 1 }]);
  expect(await changesOf(one, role())).toEqual([]);
});

test('a role that a member has is not deleted, and the error says so', async () => {
  const one = await made();
  const { outcomes } = await one.apply(head);
  expect(outcomes).toMatchObject([{ result: 'failed', action: { action: 'delete' } }]);
  expect(JSON.stringify(outcomes[0]?.diagnostics)).toContain('1 member(s) are currently assigned');
  Object.assign(one.emulator.world.tables.member['member_9'] ?? {}, { role: 'member' });
  await one.apply(head);
  expect(await rolesOf(one)).toEqual([]);
  expect(await changesOf(one, head)).toEqual([]);
});

test('without a license a block is an error with the place where one gets it', async () => {
  const one = bench();
  const { outcomes } = await one.apply(role());
  const [{ message, remedy } = { message: '' }] = outcomes[0]?.diagnostics ?? [];
  expect(message).toMatch(/does this only with an enterprise license \(403 from customRole\.create/);
  expect(remedy).toContain('activate a license key in the dashboard, at Settings, License');
});

test.each([
  ['ac: [read]', 'wrong-type', /belongs to the roles of the platform itself/],
  ['service: read', 'wrong-type', /permissions/],
])('permissions { %s } are refused before any request', async (permissions, code, says) => {
  const { problems, said } = await told(role(permissions));
  expect(problems.join()).toContain(code);
  expect(said).toMatch(says);
});

test('a name of the platform is refused before any request', async () => {
  expect((await told(role('logs: [read]', 'owner'))).said).toContain('owner, admin, member');
});

test('what only a newer platform knows is a warning, and is sent', async () => {
  const one = kindBench();
  const text = role('logs: [read, tail], wafRule: [read]');
  const warnings = await read({ 'trueup.yaml': text });
  expect(warnings.map(({ code, message, remedy }) => [code, message, remedy])).toEqual([
    ['unknown-permission', expect.stringContaining('logs of the platform has no action tail'), 'Write one of read.'],
    [
      'unknown-permission',
      expect.stringContaining('no resource wafRule'),
      expect.stringContaining('Write one of member'),
    ],
  ]);
  const { outcomes } = await one.apply(text);
  expect(JSON.stringify(outcomes[0]?.diagnostics)).toContain('Invalid action');
});

test('a member gets a role in the apply that creates it, keeps it under another name, and loses it before it goes', async () => {
  const one = kindBench();
  const member = (as: string) => `members: { member@example.test: { role: ${as} } }\n`;
  const referring = member('"${ref:customRoles.developer.name}"');
  const roleThere = () => one.emulator.world.tables.member['member_9']?.['role'];
  const carriedOut = async (text: string) => {
    const { outcomes } = await one.apply(text, { adoption: true });
    expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
    expect(await changesOf(one, text)).toEqual([]);
    return one.requests('POST');
  };
  expect(await carriedOut(role() + referring)).toEqual(['customRole.create', 'organization.updateMemberRole']);
  expect(roleThere()).toBe('developer');
  const renamed = role().replace('{ permissions', '{ roleName: reviewer, permissions');
  expect(await carriedOut(renamed + referring)).toContain('customRole.update');
  expect(roleThere()).toBe('reviewer');
  expect(await carriedOut(head + member('member'))).toEqual(['organization.updateMemberRole', 'customRole.remove']);
  expect(roleThere()).toBe('member');
});

test('nobody becomes the owner by a block, and a role that is not there is named in the error', async () => {
  expect((await told(`${head}members: { member@example.test: { role: owner } }\n`)).said).toContain(
    'must not be owner',
  );
  const one = kindBench();
  const { outcomes } = await one.apply(`${head}members: { member@example.test: { role: dev } }\n`, { adoption: true });
  expect(JSON.stringify(outcomes[0]?.diagnostics)).toContain('Custom role');
});

test('a role is created again when the list lacks it twice, and not when it does so once', async () => {
  const one = kindBench();
  await one.apply(role());
  const plans = async (most: number) => {
    let left = most;
    const send = answering(one, (operation) =>
      operation === 'customRole.all' && left-- > 0 ? answered('[]') : undefined,
    );
    const { actions } = await plan(await one.manifest(role()), worldOver(one, send));
    return actions.map(({ action }) => action);
  };
  expect(await plans(1)).toEqual(['no-op']);
  expect(await plans(Infinity)).toEqual(['create']);
});

import { describe, expect, test } from 'vitest';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { unusable } from '../../src/state/unusable.ts';
import { everything } from '../support/faults.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What stands at the top of a manifest, and what refers to it by name. */

const pem = (name: string) => `-----BEGIN OPENSSH PRIVATE KEY-----\n${name}\n-----END OPENSSH PRIVATE KEY-----\n`;
const publicKey = (name: string) => `ssh-ed25519 AAAA${name} shop`;

function keyBlock(pair: string): string {
  return `sshKeys:\n  deploy:\n    publicKey: ${publicKey(pair)}\n    privateKey: ${JSON.stringify(pem(pair))}\n`;
}

const inProduction = (text: string) => `environments:\n  production:\n${text.replaceAll(/^/gm, '    ')}\n`;
const fetching = (key: string) =>
  inProduction(
    'application:\n' +
      `  api: { source: { type: git, url: "git@git.example.com:api.git", branch: main, sshKey: ${key} } }\n` +
      'compose:\n' +
      `  bots: { source: { type: git, url: "git@git.example.com:bots.git", branch: main, sshKey: ${key} } }`,
  );

async function applied(made: Bench, text: string): Promise<ApplyResult> {
  const result = await made.apply(head + text, { adoption: true, dataLoss: true });
  expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
  return result;
}

async function plansNothing(made: Bench, text: string): Promise<void> {
  made.requests('POST');
  const plan = await made.plan(head + text);
  expect(plan.actions.filter((action) => action.action !== 'no-op')).toEqual([]);
  await applied(made, text);
  expect(made.requests('POST')).toEqual([]);
}

async function refused(attempt: Promise<unknown>): Promise<string> {
  const error: unknown = await attempt.catch((reason: unknown) => reason);
  if (!(error instanceof Stop)) throw new Error('nothing was refused', { cause: error });
  return error.diagnostics.map(({ code, message, remedy }) => `${code}: ${message} -> ${remedy ?? ''}`).join('\n');
}

type Table =
  | 'sshKey'
  | 'application'
  | 'compose'
  | 'certificate'
  | 'ai'
  | 'gitProvider'
  | 'github'
  | 'gitlab'
  | 'gitea'
  | 'member';

function rows(made: Bench, table: Table) {
  return Object.values(made.emulator.world.tables[table]) as Record<string, unknown>[];
}

const keyOf = (made: Bench, table: 'application' | 'compose') => rows(made, table)[0]?.customGitSSHKeyId;

describe('a name in source', () => {
  test('means the block of the manifest before an object of the platform of that name', async () => {
    const made = bench();
    await made.emulator.act('sshKey.create', {
      name: 'deploy',
      publicKey: publicKey('other'),
      privateKey: pem('other'),
      organizationId: 'org_1',
    });
    await applied(made, keyBlock('one') + fetching('deploy'));
    const ours = rows(made, 'sshKey').find((row) => row.publicKey === publicKey('one'));
    expect([keyOf(made, 'application'), keyOf(made, 'compose')]).toEqual([ours?.sshKeyId, ours?.sshKeyId]);
    await plansNothing(made, keyBlock('one') + fetching('deploy'));
  });

  test('means the object of the platform with that name or id', async () => {
    for (const name of ['key-2', 'key_2']) {
      const made = bench();
      await applied(made, fetching(name));
      expect([keyOf(made, 'application'), keyOf(made, 'compose')]).toEqual(['key_2', 'key_2']);
      await plansNothing(made, fetching(name));
    }
  });

  test('that two objects have is an error that lists both, before anything is sent', async () => {
    const made = bench();
    await made.emulator.act('sshKey.create', {
      name: 'key-2',
      publicKey: publicKey('twin'),
      privateKey: pem('twin'),
      organizationId: 'org_1',
    });
    const twin = rows(made, 'sshKey').find((row) => row.publicKey === publicKey('twin'));
    const said = await refused(made.plan(head + fetching('key-2')));
    expect(said).toContain('source.sshKey: 2 objects of the platform are called key-2');
    expect(said).toContain('key_2');
    expect(said).toContain(String(twin?.sshKeyId));
    expect(made.requests('POST')).toEqual([]);
  });

  test('that no object has is an error that lists the names', async () => {
    const made = bench();
    const said = await refused(made.plan(head + fetching('nowhere')));
    expect(said).toContain('there is no sshKey nowhere');
    expect(said).toContain('key-1, key-2');
  });

  test('costs one list, and no list is read when nothing is named', async () => {
    const made = bench();
    await made.plan(head + fetching('key-1'));
    expect(made.requests('GET').filter((operation) => operation === 'sshKey.all')).toHaveLength(1);
    await made.plan(head + inProduction('application:\n  web: { source: { type: docker, image: nginx } }'));
    expect(made.requests('GET').toSorted()).toEqual(['environment.byProjectId', 'user.get']);
  });
});

describe('a new key pair', () => {
  test('is created first, users of the old one are updated and deployed, and the old one is deleted last', async () => {
    const made = bench();
    await applied(made, keyBlock('one') + fetching('deploy'));
    const old = rows(made, 'sshKey').find((row) => row.publicKey === publicKey('one'))?.sshKeyId;
    made.requests('POST');
    await applied(made, keyBlock('two') + fetching('deploy'));
    const posts = made.requests('POST');
    expect(posts[0]).toBe('sshKey.create');
    expect(posts.slice(1, 3).toSorted()).toEqual(['application.saveGitProvider', 'compose.update']);
    expect(posts.slice(3, 5).toSorted()).toEqual(['application.deploy', 'compose.deploy']);
    expect(posts.slice(5)).toEqual(['sshKey.remove']);
    const fresh = rows(made, 'sshKey').find((row) => row.publicKey === publicKey('two'))?.sshKeyId;
    expect(rows(made, 'sshKey').map((row) => row.sshKeyId)).not.toContain(old);
    expect([keyOf(made, 'application'), keyOf(made, 'compose')]).toEqual([fresh, fresh]);
    await plansNothing(made, keyBlock('two') + fetching('deploy'));
  });

  test('that the platform refuses leaves the old one, the services and the state as they were', async () => {
    const made = bench();
    await applied(made, keyBlock('one') + fetching('deploy'));
    const { send } = made.emulator;
    const before = JSON.stringify([rows(made, 'sshKey'), keyOf(made, 'application'), made.store.state?.resources]);
    made.emulator.send = (request) =>
      request.path === '/api/sshKey.create'
        ? Promise.resolve({ status: 413, headers: {}, body: 'Body exceeded 1mb limit' })
        : send(request);
    const result = await made.apply(head + keyBlock('two') + fetching('deploy'));
    expect(
      Object.fromEntries(result.outcomes.map(({ action, result: became }) => [action.address, became])),
    ).toMatchObject({
      'sshKeys.deploy': 'failed',
      'sshKeys.deploy (old)': 'skipped',
      'production.application.api': 'skipped',
    });
    expect(JSON.stringify([rows(made, 'sshKey'), keyOf(made, 'application'), made.store.state?.resources])).toBe(
      before,
    );
    made.emulator.send = send;
    await applied(made, keyBlock('two') + fetching('deploy'));
    await plansNothing(made, keyBlock('two') + fetching('deploy'));
    expect(rows(made, 'sshKey')).toHaveLength(3);
  });
});

describe('a certificate', () => {
  const block = (key: string, more = '') =>
    `certificates:\n  shop: { certificateData: chain, privateKey: ${key}${more} }\n`;

  test('gets another key and another name in place, where the platform can change it', async () => {
    const made = bench();
    await applied(made, block('private-one'));
    const [{ certificateId } = {}] = rows(made, 'certificate');
    made.requests('POST');
    await applied(made, block('private-two', ', name: store'));
    expect(made.requests('POST')).toEqual(['certificates.update']);
    expect(rows(made, 'certificate')).toMatchObject([{ certificateId, name: 'store', privateKey: 'private-two' }]);
    await plansNothing(made, block('private-two', ', name: store'));
  });

  test('is replaced elsewhere, by a new one before the old one goes', async () => {
    const made = bench({ lacks: ['certificates.update'] });
    await applied(made, block('private-one'));
    made.requests('POST');
    await applied(made, block('private-two'));
    expect(made.requests('POST')).toEqual(['certificates.create', 'certificates.remove']);
    expect(rows(made, 'certificate')).toMatchObject([{ privateKey: 'private-two' }]);
    await plansNothing(made, block('private-two'));
  });

  test('with a path of its own goes first, since there can be no two with one path', async () => {
    const made = bench({ lacks: ['certificates.update'] });
    await applied(made, block('private-one', ', certificatePath: shop'));
    made.requests('POST');
    await applied(made, block('private-two', ', certificatePath: shop'));
    expect(made.requests('POST')).toEqual(['certificates.remove', 'certificates.create']);
    await plansNothing(made, block('private-two', ', certificatePath: shop'));
  });

  test('has an id that was chosen, so that an answer that is lost makes no second one', async () => {
    const made = bench();
    const { send } = made.emulator;
    made.emulator.send = async (request) => {
      const answer = await send(request);
      return request.path === '/api/certificates.create' ? { status: 500, headers: {}, body: 'lost' } : answer;
    };
    await made.apply(head + block('private-one'));
    made.emulator.send = send;
    await applied(made, block('private-one'));
    expect(rows(made, 'certificate')).toHaveLength(1);
    await plansNothing(made, block('private-one'));
  });
});

describe('creates that answer without an id', () => {
  const helper = (name: string) =>
    `  ${name}: { apiUrl: "https://models.example.com/v1", apiKey: k-e-y, model: small }\n`;

  test('run one at a time, each between two reads of the list', async () => {
    const made = bench();
    const text = `ai:\n${helper('one')}${helper('two')}`;
    await applied(made, text);
    const names = made.emulator.log
      .map(({ operation }) => operation)
      .filter((name) => /^ai\.(create|getAll)$/.test(name));
    expect(names.slice(1)).toEqual(['ai.getAll', 'ai.create', 'ai.getAll', 'ai.create', 'ai.getAll']);
    await plansNothing(made, text);
  });

  test('stop when another client creates the same object meanwhile, name both ids, and delete neither', async () => {
    const made = bench();
    const { send } = made.emulator;
    made.emulator.send = async (request) => {
      const answer = await send(request);
      if (request.path === '/api/ai.create') await send(request);
      return answer;
    };
    const result = await made.apply(`${head}ai:\n${helper('one')}`);
    made.emulator.send = send;
    const ids = rows(made, 'ai').map((row) => String(row.aiId));
    const said = result.outcomes.flatMap(({ diagnostics }) => diagnostics.map(({ message }) => message)).join('\n');
    expect(ids).toHaveLength(2);
    for (const id of ids) expect(said).toContain(id);
    expect(await refused(made.plan(`${head}ai:\n${helper('one')}`))).toContain(
      '2 objects of the platform match ai.one',
    );
  });
});

describe('a provider that waits to be connected', () => {
  const lab = 'gitlab:\n  lab: { gitlabUrl: "https://lab.example.com", secret: correct-horse }\n';
  const using = inProduction(
    'application:\n  api: { source: { type: gitlab, provider: lab, owner: shop, repository: api, branch: main } }',
  );

  test('is pending, is not created again, and resources that need it report that', async () => {
    const made = bench();
    const first = await made.apply(`${head}${lab}${using}`, { adoption: true });
    const becameOf = (result: ApplyResult, address: string) =>
      result.outcomes.find(({ action }) => action.address === address);
    expect(becameOf(first, 'gitlab.lab')).toMatchObject({
      result: 'done',
      diagnostics: [{ code: 'pending' }],
    });
    expect(becameOf(first, 'production.application.api')?.action.action).toBe('no-op');
    expect(rows(made, 'application')).toEqual([]);
    const plan = await made.plan(`${head}${lab}${using}`);
    const notes = plan.actions.flatMap(({ address, notes: said }) => said.map(({ code }) => `${address} ${code}`));
    expect(notes).toEqual(['gitlab.lab pending', 'production.application.api pending']);
    await made.apply(`${head}${lab}${using}`);
    const ours = rows(made, 'gitlab').filter((row) => row.gitlabUrl === 'https://lab.example.com');
    expect(ours).toHaveLength(1);
    await made.emulator.act('gitlab.connect', { gitlabId: ours[0]?.gitlabId });
    await applied(made, lab + using);
    expect(rows(made, 'application')).toMatchObject([{ gitlabId: ours[0]?.gitlabId, sourceType: 'gitlab' }]);
    await plansNothing(made, lab + using);
  });

  describe('beside one of the same name that somebody else made and connected', () => {
    const begun = async () => {
      const made = bench();
      await applied(made, lab);
      const ours = rows(made, 'gitlab').find((row) => row.gitlabUrl === 'https://lab.example.com');
      await made.emulator.act('gitlab.create', {
        name: 'lab',
        gitlabUrl: 'https://other.example.com',
        authId: 'user_1',
      });
      const theirs = rows(made, 'gitlab').find((row) => row.gitlabUrl === 'https://other.example.com');
      await made.emulator.act('gitlab.connect', { gitlabId: theirs?.gitlabId });
      made.requests('POST');
      return { made, ours: ours?.gitlabId, theirs: theirs?.gitlabId };
    };

    test('takes that one over with consent only, and warns of it', async () => {
      const { made, theirs } = await begun();
      expect(await refused(made.apply(head + lab))).toContain('consent');
      const plan = await made.plan(head + lab);
      expect(plan.actions).toMatchObject([{ action: 'adopt', id: theirs, notes: [{ code: 'duplicate' }] }]);
      expect(plan.actions[0]?.notes[0]?.message).toContain(`${String(theirs)} has its name`);
      expect(made.requests('POST')).toEqual([]);
    });

    test('is recognised by what its create sent once both are listed', async () => {
      const { made, ours } = await begun();
      await made.emulator.act('gitlab.connect', { gitlabId: ours });
      await applied(made, lab);
      expect(made.store.state?.resources['gitlab.lab']?.id).toBe(ours);
      await plansNothing(made, lab);
    });

    test('leaves that one where it is when the block is removed', async () => {
      const { made, ours, theirs } = await begun();
      const result = await made.apply(head, { adoption: true, dataLoss: true, massDeletion: true });
      expect(result.outcomes).toMatchObject([{ result: 'done', action: { action: 'forget' } }]);
      expect(result.outcomes[0]?.action.notes).toMatchObject([{ code: 'stays-there' }]);
      expect(made.requests('POST')).toEqual([]);
      const left = rows(made, 'gitlab').map((row) => row.gitlabId);
      expect(left).toContain(ours);
      expect(left).toContain(theirs);
      await plansNothing(made, '');
    });
  });

  test('stays when its block is removed before it is listed, with a note', async () => {
    const made = bench();
    await applied(made, lab);
    const plan = await made.plan(head);
    expect(plan.actions).toMatchObject([{ action: 'forget', notes: [{ code: 'stays-there' }] }]);
  });
});

describe('the removal of a provider', () => {
  const forge = 'gitea:\n  forge: { giteaUrl: "https://git.example.com", clientId: c, clientSecret: correct-horse }\n';
  const using = inProduction(
    'application:\n  api: { source: { type: gitea, provider: forge, owner: o, repository: r, branch: main } }',
  );
  const forgeIn = (made: Bench) => rows(made, 'gitProvider').filter((row) => row.name === 'forge');

  test('is refused while a service of the manifest is fetched from it', async () => {
    const made = bench();
    await applied(made, forge + using);
    const { giteaId } = rows(made, 'gitea').find((row) => row.giteaUrl === 'https://git.example.com') ?? {};
    expect(await refused(made.apply(head + using.replace('forge', String(giteaId))))).toContain('gitea.forge');
    expect(forgeIn(made)).toHaveLength(1);
  });

  test('comes after those of the services, and names the record of the provider', async () => {
    const made = bench();
    await applied(made, forge + using);
    const [record] = forgeIn(made);
    made.requests('POST');
    const { length } = made.emulator.log;
    await made.apply(`${head}environments: { production: {} }\n`, everything);
    expect(made.requests('POST')).toEqual(['application.delete', 'gitProvider.remove']);
    expect(made.emulator.log.slice(length).findLast(({ method }) => method === 'POST')?.input).toEqual({
      gitProviderId: record?.gitProviderId,
    });
    expect(forgeIn(made)).toEqual([]);
    await plansNothing(made, 'environments: { production: {} }\n');
  });

  test('is done when it is gone by then', async () => {
    const made = bench();
    await applied(made, forge);
    const planned = await plan(await made.manifest(head), made.world());
    await made.emulator.act('gitProvider.remove', { gitProviderId: forgeIn(made)[0]?.gitProviderId });
    const { outcomes } = await applyPlan(planned, made.world(), { permissions: everything, connections: 4 });
    expect(outcomes).toMatchObject([{ result: 'done', diagnostics: [] }]);
    await plansNothing(made, '');
  });

  test('of one that a person connected needs the permission to lose that, and protect: true forbids it', async () => {
    const made = bench();
    const app = (more: string) =>
      `github:\n  github-1: { githubAppName: "https://hub.example.com/apps/shop"${more} }\n`;
    await applied(made, app(''));
    expect(await refused(made.apply(head))).toContain('the app, which a person installed in the browser');
    await applied(made, app(', protect: true'));
    expect(await refused(made.apply(head, everything))).toContain('github.github-1 is protected');
    await applied(made, app(', protect: false'));
    await made.apply(head);
    expect(rows(made, 'github').map(({ githubId }) => githubId)).not.toContain('hub_1');
    await plansNothing(made, '');
  });

  test('is left to a person where no operation does it', async () => {
    const made = bench({ lacks: ['gitProvider.remove'] });
    await applied(made, forge);
    const left = await made.plan(head);
    expect(left.actions).toMatchObject([{ action: 'forget', notes: [{ code: 'stays-there' }] }]);
  });
});

describe('the rights of a member', () => {
  const allowed = (lists: string) => `members:\n  m@example.test: { canCreateServices: true, ${lists} }\n`;

  function withMember(): Bench {
    const world = seedWorld();
    addRow(world, 'user', { id: 'user_9', email: 'm@example.test' });
    const lists = { accessedProjects: ['prj_2'], accessedServices: ['svc_9'] };
    addRow(world, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member', ...lists });
    return bench({ emulate: { world } });
  }
  const rights = (made: Bench) => rows(made, 'member').find((row) => row.userId === 'user_9');

  test('are written whole, with the present values of undeclared rights', async () => {
    const made = withMember();
    await applied(made, allowed('canAccessToAPI: true'));
    expect(rights(made)).toMatchObject({
      canCreateServices: true,
      canAccessToAPI: true,
      canAccessToDocker: false,
      accessedProjects: ['prj_2'],
      accessedServices: ['svc_9'],
    });
    await plansNothing(made, allowed('canAccessToAPI: true'));
  });

  test('keep members that the platform adds to a list; ours go when they are no longer declared', async () => {
    const made = withMember();
    await applied(made, allowed('accessedProjects: [prj_1, prj_3]'));
    expect(rights(made)?.accessedProjects).toEqual(['prj_2', 'prj_1', 'prj_3']);
    await plansNothing(made, allowed('accessedProjects: [prj_1, prj_3]'));
    const plan = await made.plan(head + allowed('accessedProjects: [prj_1]'));
    expect(plan.actions[0]?.changes).toMatchObject([
      { path: 'accessedProjects', after: { is: 'value', value: ['prj_2', 'prj_1'] } },
    ]);
    await applied(made, allowed('accessedProjects: [prj_1]'));
    expect(rights(made)?.accessedProjects).toEqual(['prj_2', 'prj_1']);
    await plansNothing(made, allowed('accessedProjects: [prj_1]'));
  });

  test('are exactly the declared ones with accessMode: own', async () => {
    const made = withMember();
    const text = allowed('accessMode: own, accessedProjects: [prj_1]');
    await applied(made, text);
    expect(rights(made)?.accessedProjects).toEqual(['prj_1']);
    await plansNothing(made, text);
  });

  test('to servers take names of blocks and of the platform, and ids', async () => {
    const made = withMember();
    Object.assign(made.emulator.world.tables.user['user_1'] ?? {}, {
      enableEnterpriseFeatures: true,
      isValidEnterpriseLicense: true,
    });
    Object.assign(rights(made) ?? {}, { accessedServers: ['srv_9'] });
    const servers = 'servers: { own: { ipAddress: 192.0.2.9, sshKey: key-1 } }\n';
    const text = allowed('accessedServers: [own, server-1, srv_2]') + servers;
    await applied(made, text);
    const own = Object.values(made.emulator.world.tables.server).find(({ name }) => name === 'own');
    expect(rights(made)?.accessedServers).toEqual(['srv_9', own?.serverId, 'srv_1', 'srv_2']);
    await plansNothing(made, text);
    await applied(made, allowed('accessedServers: [server-1]'));
    expect(rights(made)?.accessedServers).toEqual(['srv_9', 'srv_1']);
    await plansNothing(made, allowed('accessedServers: [server-1]'));
  });

  test('M3: the plan shows the lists as they are after apply, and removes nothing that stays', async () => {
    const made = withMember();
    const service = (name: string) =>
      `environments: { production: { redis: { ${name}: { dockerImage: "redis:8", databasePassword: abcdef } } } }\n`;
    const lists = (services: string) => allowed(`accessedServices: [${services}], accessedProjects: [prj_1]`);
    const redisId = (name: string) =>
      String(Object.values(made.emulator.world.tables.redis).find((row) => row.name === name)?.redisId);
    const shownServices = async (text: string) => {
      const plan = await made.plan(head + text);
      const change = plan.actions.flatMap(({ changes }) => changes).find(({ path }) => path === 'accessedServices');
      return change === undefined || !('value' in change.after) ? undefined : change.after.value;
    };
    const first = lists('"${ref:production.redis.main.id}"') + service('main');
    expect(await shownServices(first)).toEqual(['svc_9', '(known after apply)']);
    await applied(made, first);
    expect(rights(made)?.accessedServices).toEqual(['svc_9', redisId('main')]);
    await plansNothing(made, first);
    const others = [...(rights(made)!.accessedServices as string[]), 'svc_10'];
    Object.assign(rights(made) ?? {}, { accessedServices: others });
    await plansNothing(made, first);
    const second = lists('svc_11') + service('main');
    expect(await shownServices(second)).toEqual(['svc_9', 'svc_10', 'svc_11']);
    await applied(made, second);
    expect(rights(made)?.accessedServices).toEqual(['svc_9', 'svc_10', 'svc_11']);
    await plansNothing(made, second);
  });

  test('to git providers are ignored without a licence: written once more, and then only reported', async () => {
    const made = withMember();
    const text = allowed('accessedGitProviders: [git_hub_1]');
    const result = await made.apply(head + text, { adoption: true });
    expect(result.outcomes).toMatchObject([{ result: 'ignored' }]);
    const again = await made.apply(head + text);
    expect(again.outcomes).toMatchObject([{ action: { action: 'update' }, result: 'ignored' }]);
    const plan = await made.plan(head + text);
    expect(plan.actions).toMatchObject([{ action: 'no-op', notes: [{ code: 'ignored' }] }]);
  });
});

describe('the source of an application', () => {
  const of = (source: string, more = '') => inProduction(`application:\n  web: { source: ${source}${more} }`);
  const docker = of('{ type: docker, image: nginx, username: u, password: correct-horse }');
  const git = of('{ type: git, url: "https://git.example.com/a.git", branch: main }');

  test('changes with the one call of the new source; the fields of the old one are no longer managed and stay', async () => {
    const made = bench({ documentedOnly: true });
    await applied(made, docker);
    made.requests('POST');
    const plan = await made.plan(head + git);
    const notes = plan.actions.flatMap(({ notes }) =>
      notes.map(({ code, message }) => `${code} ${message.split(':')[0]}`),
    );
    expect(notes.toSorted()).toEqual([
      'not-deployed production.application.web is saved and cannot be deployed from here',
      'released source.image',
      'released source.password',
      'released source.username',
    ]);
    await applied(made, git);
    expect(made.requests('POST')).toEqual(['application.saveGitProvider']);
    expect(rows(made, 'application')).toMatchObject([
      { sourceType: 'git', dockerImage: 'nginx', password: 'correct-horse' },
    ]);
    await plansNothing(made, git);
    await applied(made, docker);
    expect(made.requests('POST')).toEqual(['application.saveDockerProvider', 'application.redeploy']);
    await plansNothing(made, docker);
  });

  test('is restored after a person chose another one on the platform', async () => {
    const made = bench();
    await applied(made, docker);
    const [row] = rows(made, 'application');
    await made.emulator.act('application.disconnectGitProvider', { applicationId: row?.applicationId });
    const plan = await made.plan(head + docker);
    expect(plan.actions.flatMap(({ changes }) => changes)).toMatchObject([{ path: 'source.type', cause: 'drift' }]);
    made.requests('POST');
    await applied(made, docker);
    expect(made.requests('POST')).toEqual(['application.saveDockerProvider', 'application.deploy']);
    await plansNothing(made, docker);
  });

  test('keeps values of the platform beside the declared ones', async () => {
    const made = bench();
    await applied(made, git);
    const [row] = rows(made, 'application');
    const applicationId = row?.applicationId;
    await made.emulator.act('application.saveEnvironment', {
      applicationId,
      env: 'A=1',
      buildArgs: 'B=2',
      buildSecrets: null,
      createEnvFile: false,
    });
    await applied(
      made,
      of('{ type: git, url: "https://git.example.com/a.git", branch: main }', ', buildSecrets: { C: "3" }'),
    );
    expect(rows(made, 'application')).toMatchObject([
      { env: 'A=1', buildArgs: 'B=2', buildSecrets: 'C=3\n', createEnvFile: false },
    ]);
  });

  test.each([
    ['drop is refused with the reason', '{ type: drop }', 'no documented operation takes one'],
    [
      'one that its call cannot go without is asked for',
      '{ type: git, url: "https://git.example.com/a.git" }',
      'source.branch is missing',
    ],
    ['a field of another one is told', '{ type: docker, image: nginx, branch: main }', 'has no key source.branch'],
  ])('%s, before anything is sent', async (_, source, said) => {
    const made = bench();
    expect(await refused(made.apply(head + of(source)))).toContain(said);
    expect(made.emulator.log).toEqual([]);
  });

  test('a new name is refused by the plan where no operation carries it, with a remedy', async () => {
    const made = bench({ documentedOnly: true });
    await applied(made, docker);
    made.requests('POST');
    const renamed = of('{ type: docker, image: nginx, username: u, password: correct-horse }', ', name: other');
    expect(await refused(made.apply(head + renamed))).toMatch(/cannot-change: name: .*no documented operation/);
    expect(made.requests('POST')).toEqual([]);
  });
});

describe('a mistake in the manifest is reported before anything is sent:', () => {
  test.each([
    [
      'an image that is left out',
      'cannot-create',
      'source.image',
      inProduction('application:\n  web: { source: { type: docker } }'),
    ],
    [
      'a repository that is left out',
      'cannot-create',
      'source.url',
      inProduction('application:\n  web: { source: { type: git, branch: main } }'),
    ],
    [
      'a provider that no list would have',
      'cannot-create',
      'clientId',
      'gitea:\n  forge: { giteaUrl: "https://git.example.com" }\n',
    ],
    ['an environment that is called like a section', 'wrong-type', 'sshKeys', 'environments:\n  sshKeys: {}\n'],
  ])('%s', async (_, code, said, text) => {
    const made = bench();
    expect(await refused(made.apply(head + text))).toMatch(new RegExp(`${code}: .*${said}`));
    expect(made.requests('POST')).toEqual([]);
  });

  test('a block of the organization that stands in two files', async () => {
    const made = bench();
    const block = (model: string) => `ai:\n  helper: { model: ${model} }\n`;
    const files = {
      'trueup.yaml': `${head}include: [a.yaml, b.yaml]\n`,
      'a.yaml': block('small'),
      'b.yaml': block('large'),
    };
    await expect(made.manifest(files)).rejects.toThrow('helper is already defined in a.yaml:2:3');
  });
});

describe('an object that exists', () => {
  test('is recognised by a public key with another line end, and by an address in other letters', async () => {
    const made = bench();
    const input = { name: 'by hand', publicKey: publicKey('one'), privateKey: pem('one'), organizationId: 'org_1' };
    await made.emulator.act('sshKey.create', input);
    const key = `sshKeys:\n  deploy:\n    name: by hand\n    publicKey: "${publicKey('one')}\\n"\n    privateKey: ${JSON.stringify(pem('one'))}\n`;
    const text = `${key}members:\n  Admin@Example.test: { canAccessToAPI: true }\n`;
    const plan = await made.plan(head + text);
    expect(plan.actions.map(({ action }) => action)).toEqual(['adopt', 'adopt']);
    await applied(made, text);
    await plansNothing(made, text);
    expect(rows(made, 'sshKey')).toHaveLength(3);
  });

  test('redacts the password in its address', async () => {
    const made = bench();
    const row = (await made.emulator.act('application.create', { name: 'web', environmentId: 'env_prj_1' })) as {
      applicationId: string;
    };
    await made.emulator.act('application.saveGitProvider', {
      applicationId: row.applicationId,
      customGitUrl: 'https://bot:hunter-two@git.example.com/a.git',
      customGitBranch: 'main',
      customGitBuildPath: '/',
      watchPaths: null,
    });
    const text = inProduction(
      'application:\n  web: { source: { type: git, url: "https://bot:hunter-six@git.example.com/a.git", branch: main } }',
    );
    const plan = await made.plan(head + text);
    const url = plan.actions.flatMap(({ changes }) => changes).find(({ path }) => path === 'source.url');
    const value = 'https://bot:(sensitive)@git.example.com/a.git';
    const after = value.replace('(sensitive)', '(sensitive, changed)');
    expect(url).toMatchObject({ before: { is: 'masked', value }, after: { is: 'masked', value: after } });
    await applied(made, text);
    expect(JSON.stringify(made.store.state)).not.toContain('hunter');
    await plansNothing(made, text);
  });
});

describe('a right that was taken back', () => {
  const allowed = (ids: string) => `members:\n  admin@example.test: { accessedProjects: ${ids} }\n`;

  test('and that the platform keeps is reported, not recorded as done', async () => {
    const made = bench();
    await applied(made, allowed('[prj_1, prj_2]'));
    const { send } = made.emulator;
    made.emulator.send = (request) =>
      request.path === '/api/user.assignPermissions'
        ? Promise.resolve({ status: 200, headers: {}, body: '' })
        : send(request);
    const result = await made.apply(head + allowed('[prj_1]'));
    expect(result.outcomes).toMatchObject([{ result: 'ignored' }]);
    made.emulator.send = send;
    await applied(made, allowed('[prj_1]'));
    expect(rows(made, 'member')).toMatchObject([{ accessedProjects: ['prj_1'] }]);
    await plansNothing(made, allowed('[prj_1]'));
  });

  test('and that came from the environment is reported as staying, because the state does not have it', async () => {
    const made = bench();
    made.env.PROJECT = 'prj_2';
    await applied(made, allowed('["${env:PROJECT}", prj_1]'));
    const plan = await made.plan(head + allowed('[prj_1]'));
    expect(plan.actions.flatMap(({ notes }) => notes.map(({ code }) => code))).toEqual(['left-alone']);
  });
});

describe('a deletion', () => {
  const machine = 'servers:\n  worker: { ipAddress: 192.0.2.10, sshKeyId: null }\n';
  const images = 'registries:\n  images: { registryUrl: "", username: reader, password: correct-horse }\n';

  test.each([
    ['sshKeys.deploy', keyBlock('one')],
    ['servers.worker', machine],
    ['registries.images', images],
  ])('of what other projects may use needs the permission to lose data: %s', async (address, block) => {
    const made = bench();
    await applied(made, block);
    expect(await refused(made.apply(head))).toMatch(`data-at-risk: to delete ${address} puts data at risk: `);
    await applied(made, '');
    await plansNothing(made, '');
  });

  test('is refused while something that stays still uses the object', async () => {
    const made = bench();
    const fetchingWithout = fetching('deploy').replaceAll(', sshKey: deploy', '');
    await applied(made, keyBlock('one') + fetching('deploy'));
    await applied(made, keyBlock('one') + fetchingWithout); // the line is let go of, and the services keep the key
    const said = await refused(made.apply(head + fetchingWithout));
    expect(said).toContain('sshKeys.deploy is still used: source.sshKey of production.application.api');
    expect(keyOf(made, 'application')).not.toBeNull();
  });

  test('warns of users of the object that are in no manifest', async () => {
    const made = bench();
    await applied(made, keyBlock('one'));
    const plan = await made.plan(head);
    expect(plan.actions).toMatchObject([{ action: 'delete', notes: [{ code: 'goes-along', severity: 'warning' }] }]);
  });
});

describe('a change that needs a new object', () => {
  const block = (key: string, more = '') =>
    `certificates:\n  shop: { certificateData: chain, privateKey: ${key}${more} }\n`;

  test('is refused for one that is pinned', async () => {
    const made = bench({ lacks: ['certificates.update'] });
    await applied(made, block('private-one'));
    const id = String(rows(made, 'certificate')[0]?.certificateId);
    await applied(made, block('private-one', `, id: "${id}"`));
    expect(await refused(made.apply(head + block('private-two', `, id: "${id}"`)))).toContain('Remove id: first.');
    expect(rows(made, 'certificate')).toMatchObject([{ certificateId: id, privateKey: 'private-one' }]);
  });

  test('has another id than the old one, also after a run that ended before it wrote its state', async () => {
    const made = bench({ lacks: ['certificates.update'] });
    await applied(made, block('private-one'));
    const store = { ...made.store, write: () => Promise.reject(unusable('here', 'cannot be replaced')) };
    const planned = await plan(await made.manifest(head + block('private-two')), { ...made.world(), store });
    const { unsaved } = await applyPlan(
      planned,
      { ...made.world(), store },
      { permissions: everything, connections: 4 },
    );
    expect(unsaved?.message).toContain('cannot be replaced');
    const first = rows(made, 'certificate').map((row) => row.certificateId);
    await applied(made, block('private-three'));
    expect(rows(made, 'certificate')).toMatchObject([{ privateKey: 'private-three' }]);
    expect(first).not.toContain(rows(made, 'certificate')[0]?.certificateId);
    await plansNothing(made, block('private-three'));
  });

  test('makes the new one first when the path that there can be only one of changes too', async () => {
    const made = bench();
    await applied(made, block('private-one', ', certificatePath: shop'));
    made.requests('POST');
    await applied(made, block('private-two', ', certificatePath: shop-2'));
    expect(made.requests('POST')).toEqual(['certificates.create', 'certificates.remove']);
  });
});

describe('a provider after a create without an answer', () => {
  const lab = 'gitlab:\n  lab: { gitlabUrl: "https://lab.example.com", secret: correct-horse }\n';

  test('is not reported as created, and one of that name that appears later is adopted with consent only', async () => {
    const made = bench();
    const { send } = made.emulator;
    made.emulator.send = (request) =>
      request.path === '/api/gitlab.create'
        ? Promise.resolve({ status: 500, headers: {}, body: 'boom' })
        : send(request);
    await made.apply(head + lab);
    made.emulator.send = send;
    const plan = await made.plan(head + lab);
    expect(plan.actions[0]?.notes[0]).toMatchObject({
      code: 'pending',
      severity: 'warning',
      message: expect.stringContaining('whether gitlab.lab was created is not known') as string,
    });
    await made.emulator.act('gitlab.create', { name: 'lab', gitlabUrl: 'https://other.example.com', authId: 'user_1' });
    const theirs = rows(made, 'gitlab').find((row) => row.gitlabUrl === 'https://other.example.com');
    await made.emulator.act('gitlab.connect', { gitlabId: theirs?.gitlabId });
    expect(await refused(made.apply(head + lab))).toContain('consent');
  });

  test('is recognised under its original name; edits wait and are reported', async () => {
    const made = bench();
    await applied(made, lab);
    const renamed = lab.replace('gitlabUrl:', 'name: forge, gitlabUrl:');
    const plan = await made.plan(head + renamed);
    expect(plan.actions[0]?.notes[0]?.remedy).toContain('Until then name cannot be changed.');
    const ours = rows(made, 'gitlab').find((row) => row.gitlabUrl === 'https://lab.example.com');
    await made.emulator.act('gitlab.connect', { gitlabId: ours?.gitlabId });
    await applied(made, renamed);
    expect(made.store.state?.resources['gitlab.lab']?.id).toBe(ours?.gitlabId);
    await plansNothing(made, renamed);
  });
});

describe('an object of another organization', () => {
  test('is not taken over, by name or by id', async () => {
    const world = seedWorld();
    addRow(world, 'organization', { id: 'org_2', name: 'Second', ownerId: 'user_1' });
    addRow(world, 'member', { id: 'member_2', userId: 'user_1', organizationId: 'org_2', role: 'owner' });
    const made = bench({ emulate: { world } });
    const said = await refused(
      made.apply(`${head}organizations:\n  Second: { logo: "https://example.com/l.svg" }\n`, { adoption: true }),
    );
    expect(said).toContain('organizations.Second belongs to another project or organization');
  });
});

describe('a key without the right to a list', () => {
  test('may still refer by id, where a name would need the list', async () => {
    const made = bench();
    const { send } = made.emulator;
    const body = JSON.stringify({ message: 'unauthorized', code: 'UNAUTHORIZED' });
    made.emulator.send = (request) =>
      request.path.startsWith('/api/sshKey.all')
        ? Promise.resolve({ status: 401, headers: { 'content-type': 'application/json' }, body })
        : send(request);
    await applied(made, fetching('key_2'));
    expect([keyOf(made, 'application'), keyOf(made, 'compose')]).toEqual(['key_2', 'key_2']);
    await expect(made.plan(head + keyBlock('one'))).rejects.toMatchObject({
      remedy: expect.stringContaining('Use the API key of a user who has the right to do this.') as string,
    });
  });
});

test('members that are sent without being declared are shown', async () => {
  const made = bench();
  const plan = await made.plan(
    `${head}ai:\n  one: { apiUrl: "https://models.example.com/v1", apiKey: k-e-y, model: small }\n`,
  );
  expect(plan.actions[0]?.changes).toContainEqual(
    expect.objectContaining({ path: 'isEnabled', after: { is: 'value', value: true } }),
  );
});

test('an update that needs an object that the platform does not have is refused by the plan', async () => {
  const world = seedWorld();
  Object.assign(world.tables.github['hub_1'] ?? {}, { githubAppName: null });
  const made = bench({ emulate: { world } });
  await applied(made, 'github:\n  forge: { id: hub_1, name: github-1 }\n');
  expect(await refused(made.apply(`${head}github:\n  forge: { id: hub_1, name: other }\n`))).toContain(
    'githubAppName: the platform has none, and github.update cannot go without',
  );
});

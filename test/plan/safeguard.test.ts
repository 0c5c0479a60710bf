import { describe, expect, test } from 'vitest';
import { diagnostic, Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Guard, Permissions } from '../../src/plan/safeguard.ts';
import { massDeletions } from '../../src/plan/mass-deletion.ts';
import { guards, obstacles } from '../../src/plan/safeguard.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import {
  actionsOf,
  answering,
  applyOver,
  everything,
  failed,
  plansNothing,
  refusal,
  rowsIn,
} from '../support/faults.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import type { ActionMembers } from '../support/plan-values.ts';
import { actionOf, aStep, here, inputOf, recordOf } from '../support/plan-values.ts';
import { keys } from '../support/organization-blocks.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** What an apply does not do unless somebody says that it is meant. */

const hosts = (count: number, from = 0): string[] => Array.from({ length: count }, (_, at) => `h${at + from}`);

/** A compose stack with domains. */
function stack(names: readonly string[], more = ''): string {
  const domains = names.map((name) => `${name}.example.com: { serviceName: web }`).join(', ');
  return `    compose:\n      shop: { ${composeBody}, domains: { ${domains} }${more} }\n`;
}

const usual: Permissions = { dataLoss: true, adoption: true };

/** Tries an apply that is to be refused: nothing may be written. */
async function refused(made: Bench, text: string, permissions: Permissions = usual) {
  const planned = await made.plan(text);
  made.requests('POST');
  const found = await refusal(made, () => applyPlan(planned, made.world(), { permissions, connections: 4 }));
  expect(made.requests('POST')).toEqual([]);
  return { found, planned };
}

test.each([
  ['./data', 'the folder ./data/db, which the platform deletes with it'],
  ['./${secret:DIR}', '1 folder, which the platform deletes with it'],
])('data at risk below a variable of %s are shown with their path unless it has a secret', async (dir, words) => {
  const made = bench();
  made.secrets['DIR'] = 'hunter2';
  const file = "services: { db: { image: 'redis:8', volumes: ['$${env:DATA}/db:/data'] } }".replace('$${env:', '${');
  const text = `    compose: { shop: { source: { type: raw, composeFile: "${file}" }, env: { DATA: "${dir}" }, protect: false } }\n`;
  await made.apply(production(text + database()), everything);
  const planned = await made.plan(production(database()));
  expect(planned.actions.map(({ dataAtRisk }) => dataAtRisk).filter((one) => one !== undefined)).toEqual([words]);
});

test.each([
  ['that a service extends', 'db: { extends: { service: base } }'],
  ['that a variable names', 'db: { extends: { service: "${BASE}" } }'],
])('data at risk by a variable with a secret are shown without it, also in a service %s', async (_, service) => {
  const made = bench();
  const base = 'base: { image: "postgres:${TAG}", volumes: ["/srv/${DIR}:/var/lib/postgresql/data"] }';
  const text = production(
    `    compose:\n      shop:\n        source:\n          type: raw\n          composeFile: |\n            services: { ${base}, ${service} }\n` +
      `        env: { TAG: "\${secret:TAG}", DIR: "\${secret:DIR}", BASE: base }\n`,
  );
  Object.assign(made.secrets, { TAG: 'nightly-hunter2', DIR: 'hunter3' });
  await made.apply(text, everything);
  Object.assign(made.secrets, { TAG: 'edge-hunter4', DIR: 'hunter5' });
  const changed = await made.plan(text);
  const gone = await made.plan(production(database()));
  expect(obstacles(changed, { dataLoss: false, adoption: false }).map(({ code }) => code)).toEqual(['data-at-risk']);
  expect(
    JSON.stringify([changed, gone].map(({ actions }) => actions.map(({ dataAtRisk, notes }) => [dataAtRisk, notes]))),
  ).not.toContain('hunter');
});

test.each([
  ['files/pg', 'the folder ../files/pg, which the platform deletes with it'],
  ['files/${secret:DIR}', 'the folder ${DATA}, which the platform deletes with it'],
])('the folders of a compose below %s, by a variable of its environment, are data at risk', async (dir, gone) => {
  const made = bench();
  made.secrets['DIR'] = 'hunter2';
  const file = "services: { db: { image: 'redis:8', volumes: ['$${env:DATA}:/data'] } }".replace('$${env:', '${');
  const text = (data: string) =>
    production(
      `    env: { DIR: "${dir}" }\n    compose: { shop: { source: { type: raw, composeFile: "${file}" }, env: { DATA: "${data}" } } }\n${database()}`,
    );
  const data = '../${{environment.DIR}}';
  await made.apply(text(data), everything);
  const risksOf = async (edited: string) =>
    (await made.plan(edited)).actions.flatMap(({ dataAtRisk }) => dataAtRisk ?? []);
  expect(await risksOf(production(database()))).toEqual([gone]);
  const [changed] = await risksOf(text('../files/other'));
  expect(changed).toContain('something else is mounted in its place');
  expect(changed).not.toContain('hunter');
});

test('a secret that a run lacks is one error, with all places', async () => {
  const made = bench();
  const one = (text: string) =>
    production(
      `${database().replace('password-1', `"${text}"`)}    compose: { shop: { ${composeBody}, env: { A: "${text}", B: "x ${text}", C: "c" } } }\n`,
    );
  const errors = async (text: string) => obstacles(await made.plan(text), usual);
  const found = await errors(one('${secret:PW}'));
  expect(found).toMatchObject([
    {
      code: 'secret-missing',
      address: 'production.postgres.main',
      message: 'databasePassword: needs PW, which this run does not have',
      remedy: 'Set TRUEUP_SECRET_PW, or name a source under secrets: that has it.',
      details: [expect.stringMatching(/^also production\.compose\.shop env\.A, env\.B \(trueup\.yaml:\d+:\d+\)$/)],
    },
  ]);
  const two = await errors(one('${secret:PW}').replace('x ${secret:PW}', '${secret:OTHER}'));
  expect(two.map(({ message, details = [] }) => [message, details.length])).toEqual([
    ['databasePassword: needs PW, which this run does not have', 1],
    ['env.B: needs OTHER, which this run does not have', 0],
  ]);
  expect(await errors(one('correct-horse'))).toEqual([]);
});

describe('deletions of one kind', () => {
  test.each([
    { before: 9, gone: 8, isRefused: false },
    { before: 10, gone: 2, isRefused: false },
    { before: 10, gone: 3, isRefused: true },
    { before: 20, gone: 5, isRefused: false },
    { before: 20, gone: 6, isRefused: true },
    { before: 40, gone: 10, isRefused: false },
    { before: 40, gone: 11, isRefused: true },
    { before: 120, gone: 11, isRefused: true },
  ])('$gone of $before need a permission: $isRefused', async ({ before, gone, isRefused }) => {
    const made = bench();
    await made.apply(production(stack(hosts(before))), everything);
    const text = production(stack(hosts(before - gone)));
    const planned = await made.plan(text);
    expect(obstacles(planned, usual).map(({ code }) => code)).toEqual(isRefused ? ['mass-deletion'] : []);
    expect(obstacles(planned, { ...usual, massDeletion: true })).toEqual([]);
  });

  test('are refused with kind, number, share and addresses, and the plan says so before', async () => {
    const made = bench();
    await made.apply(production(stack(hosts(15))), everything);
    const text = production(stack(hosts(3)));
    const { found, planned } = await refused(made, text);
    expect(found).toHaveLength(1);
    const [said] = found;
    const named = hosts(10, 3).map((name) => `production.compose.shop.domains["${name}.example.com"]`);
    expect(said).toMatchObject({
      code: 'mass-deletion',
      severity: 'error',
      message: `this plan deletes or replaces 12 of 15 resources of the kind domain (80 %): ${named.join(', ')} and 2 more`,
      remedy: 'Look whether that is meant. If it is, apply needs --allow-mass-delete.',
    });
    expect(planned.diagnostics).toEqual([{ ...said, severity: 'warning' }]);
  });

  test('are done with the permission', async () => {
    const made = bench();
    await made.apply(production(stack(hosts(12))), everything);
    const text = production(stack(hosts(1)));
    const planned = await made.plan(text);
    await applyPlan(planned, made.world(), { permissions: everything, connections: 4, clock: made.clock });
    expect(rowsIn(made, 'domain')).toHaveLength(1);
    await plansNothing(made, text);
  });

  test('are counted where a parent takes its children along', async () => {
    const made = bench();
    await made.apply(production(stack(hosts(11)) + database()), everything);
    const { found } = await refused(made, production(database()));
    expect(found.map(({ code, message }) => `${code} ${message.split(':')[0]}`)).toEqual([
      'mass-deletion this plan deletes or replaces 11 of 11 resources of the kind domain (100 %)',
    ]);
  });

  test('are counted where a parent is replaced and its children are made anew', async () => {
    const made = bench();
    await made.apply(production(stack(hosts(11), ', composeType: docker-compose')), everything);
    const { found, planned } = await refused(made, production(stack(hosts(11), ', composeType: stack')));
    expect(actionsOf(planned)).toContain('replace production.compose.shop');
    expect(found.map(({ message }) => message.split(':')[0])).toEqual([
      'this plan deletes or replaces 11 of 11 resources of the kind domain (100 %)',
    ]);
  });

  test('are counted once where a replacement makes the new one first', async () => {
    const pairs = (count: number, from: number) =>
      Array.from({ length: 12 }, (_, at) => {
        const pair = at >= from && at < from + count ? `new${at}` : `old${at}`;
        return keys(pair, `k${at}`).replace('sshKeys:\n', '').replace('name: deploy', `name: k${at}`);
      }).join('');
    const made = bench();
    await made.apply(`${head}sshKeys:\n${pairs(0, 0)}`, everything);
    const three = await made.plan(`${head}sshKeys:\n${pairs(3, 0)}`);
    expect(actionsOf(three)).toHaveLength(6);
    expect(obstacles(three, usual)).toEqual([]);
    const { found } = await refused(made, `${head}sshKeys:\n${pairs(4, 0)}`);
    expect(found[0]?.message).toContain(
      '4 of 12 resources of the kind sshKey (33 %): sshKeys.k0, sshKeys.k1, sshKeys.k2, sshKeys.k3',
    );
  });

  test('do not bind destroy', async () => {
    const made = bench();
    const text = production(stack(hosts(15)));
    await made.apply(text, everything);
    await made.destroy(text);
    expect(rowsIn(made, 'domain')).toEqual([]);
  });

  test('are not those of objects that are gone already, or only let go of', async () => {
    const made = bench();
    await made.apply(production(stack(hosts(12))), everything);
    for (const { domainId } of rowsIn(made, 'domain').slice(0, 11))
      await made.emulator.act('domain.delete', { domainId });
    expect(obstacles(await made.plan(production(stack([]))), usual)).toEqual([]);
  });
});

describe('an action that needs a permission', () => {
  const { state, observed } = inputOf({});
  const found = (more: ActionMembers, permissions: Partial<Permissions> = {}) => {
    const actions = [actionOf('production.redis.main', more)];
    const plan = {
      base: state,
      saved: state,
      observed,
      actions,
      destroys: false,
      narrowed: undefined,
      diagnostics: [],
    };
    return obstacles(plan, { dataLoss: false, adoption: false, ...permissions });
  };
  const about = { severity: 'error', address: 'production.redis.main', position: here };

  test('because of data is refused without it, and where the block gave the data up it is not', () => {
    const risk = { action: 'replace', dataAtRisk: 'its data' } as const;
    expect(found(risk)).toEqual([
      {
        ...about,
        code: 'data-at-risk',
        message: 'to replace production.redis.main puts data at risk: its data',
        remedy: 'Allow it with --allow-data-loss, or write protect: false in the block and apply that first.',
      },
    ]);
    expect(found(risk, { dataLoss: true })).toEqual([]);
    expect(found({ ...risk, protect: false })).toEqual([]);
    expect(found({ protect: undefined })).toEqual([]);
  });

  test.each([
    ['no-op', [], 'deploy'],
    ['update', [], 'deploy'],
    ['move', [], 'deploy'],
    ['update', [aStep], 'update'],
    ['delete', [], 'delete'],
  ] as const)('because of data says what the action does: %s with %j is to %s', (action, steps, doing) => {
    expect(found({ action, steps, dataAtRisk: 'its data' }).map(({ message }) => message)).toEqual([
      `to ${doing} production.redis.main puts data at risk: its data`,
    ]);
    const lifting =
      action === 'delete' ? 'put its block back with protect: false' : 'write protect: false in the block';
    expect(found({ action, steps, dataAtRisk: 'its data' })[0]?.remedy).toContain(lifting);
  });

  test('because of the data of more than three is one refusal that lists them', () => {
    const risky = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        actionOf(`production.redis.r${at}`, { action: 'delete', dataAtRisk: `data ${at}` }),
      );
    const refused = (count: number) =>
      obstacles(
        {
          base: state,
          saved: state,
          observed,
          actions: risky(count),
          destroys: false,
          narrowed: undefined,
          diagnostics: [],
        },
        { dataLoss: false, adoption: false },
      );
    expect(refused(3)).toHaveLength(3);
    expect(refused(4)).toEqual([
      {
        severity: 'error',
        code: 'data-at-risk',
        message: 'this puts data of 4 resources at risk',
        details: [0, 1, 2, 3].map((at) => `production.redis.r${at}: data ${at}`),
        remedy:
          'Allow it with --allow-data-loss, or put their blocks back with protect: false, apply that, and remove them then.',
      },
    ]);
  });

  test('because it takes something over is refused without it, and names the object', () => {
    const adoption = { action: 'adopt', needsConsent: true, id: 'redis_1' } as const;
    expect(found(adoption)).toEqual([
      {
        ...about,
        code: 'consent',
        message: 'production.redis.main exists on the platform (redis_1) and is not ours yet',
        remedy: 'Take it over with --adopt, or pin it with id:.',
      },
    ]);
    expect(found(adoption, { adoption: true })).toEqual([]);
  });
});

describe('what is counted', () => {
  const names = (count: number) => Array.from({ length: count }, (_, at) => `production.redis.r${at}`);
  const deletions = (count: number) => names(count).map((address) => actionOf(address, { action: 'delete' }));
  const recordsOf = (count: number, id: string | null) =>
    Object.fromEntries(names(count).map((address) => [address, recordOf('redis', id)]));
  const stays = { production: recordOf('environment', 'env_1') };
  const none = () => false;

  test('are objects that are known to be there, and not what a create may have made', () => {
    const known = { ...stays, ...recordsOf(3, 'redis_1'), 'production.redis.x': recordOf('redis', null) };
    const more = Object.fromEntries(
      Array.from({ length: 6 }, (_, at) => [`production.redis.y${at}`, recordOf('redis', null)]),
    );
    expect(massDeletions(deletions(3), inputOf({}, { ...known, ...more }).state, none)).toEqual([]);
    const there = Object.fromEntries(Object.keys(more).map((address) => [address, recordOf('redis', 'redis_1')]));
    expect(massDeletions(deletions(3), inputOf({}, { ...known, ...there }).state, none)).toEqual([]);
    const ten = { ...known, ...there, 'production.redis.x': recordOf('redis', 'redis_1') };
    expect(massDeletions(deletions(3), inputOf({}, ten).state, none)).toMatchObject([{ code: 'mass-deletion' }]);
  });

  test.each([
    [10, /r8, production\.redis\.r9$/],
    [11, /r9 and 1 more$/],
  ])('%i addresses are told, ten of them by name', (count, ending) => {
    const [said] = massDeletions(
      deletions(count),
      inputOf({}, { ...stays, ...recordsOf(count, 'redis_1') }).state,
      none,
    );
    expect(said?.message).toMatch(ending);
  });
});

describe('a plan that keeps only what every project has', () => {
  const bare = `${head}environments: { production: {} }\n`;
  const redis = (...names: string[]) =>
    production(`    redis: { ${names.map((name) => `${name}: { databasePassword: secret-77 }`).join(', ')} }\n`);

  test('needs a permission, and says what it deletes', async () => {
    const made = bench();
    await made.apply(redis('a', 'b', 'c'), everything);
    const { found } = await refused(made, bare, usual);
    expect(found).toMatchObject([
      {
        code: 'mass-deletion',
        message:
          'this plan deletes all that was ever made, 3 resources: production.redis.a, production.redis.b, production.redis.c',
        remedy: expect.stringContaining('its includes. If it is meant, apply needs --allow-mass-delete.'),
      },
    ]);
    await made.apply(bare, everything);
    await plansNothing(made, bare);
  });

  test('needs it also where the organization stays, which many manifests may declare', async () => {
    const made = bench();
    const shared = 'organizations: { Organization: {} }\n';
    await made.apply(redis('a', 'b', 'c') + shared, everything);
    const { found } = await refused(made, bare + shared, usual);
    expect(found.map(({ code }) => code)).toEqual(['mass-deletion']);
    expect(found[0]?.message).toContain('this plan deletes all that was ever made in the project, 3 resources: ');
    await made.apply(bare + shared, everything);
    await plansNothing(made, bare + shared);
  });

  test('needs none for one or two, nor where something else stays', async () => {
    const made = bench();
    await made.apply(redis('a', 'b', 'c', 'd'), everything);
    expect(obstacles(await made.plan(redis('a')), usual)).toEqual([]);
    await made.apply(redis('a', 'b'), usual);
    expect(obstacles(await made.plan(bare), usual)).toEqual([]);
  });

  test('does not count what goes with its parent', async () => {
    const made = bench();
    await made.apply(production(stack(hosts(3))), everything);
    expect(obstacles(await made.plan(bare), usual)).toEqual([]);
  });
});

describe('a plan that would delete everything', () => {
  const both = production(database() + stack(hosts(1)));

  test('because the manifest is empty is refused whatever is permitted; destroy does it', async () => {
    const made = bench();
    await made.apply(both, everything);
    const { found, planned } = await refused(made, head, everything);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({ code: 'deletes-everything', severity: 'error' });
    expect(found[0]?.message).toMatch(/^this plan deletes everything that the state holds, 3 resources: production/);
    expect(found[0]?.remedy).toContain('trueup destroy');
    expect(planned.diagnostics.map(({ code }) => code)).toEqual(['deletes-everything']);
    await made.destroy(head);
    expect([...rowsIn(made, 'postgres'), ...rowsIn(made, 'compose')]).toEqual([]);
  });

  test('and create others is refused too: keys that changed belong under moved:', async () => {
    const made = bench();
    await made.apply(
      `${head}environments: { staging: { redis: { a: { databasePassword: correct-horse-1 } } } }\n`,
      everything,
    );
    const renamed = `${head}environments: { preview: { redis: { a: { databasePassword: correct-horse-1 } } } }\n`;
    const { found } = await refused(made, renamed, everything);
    expect(found[0]?.remedy).toContain('moved:');
    const moved = `${renamed}moved: [{ from: staging, to: preview }]\n`;
    await made.apply(moved);
    await plansNothing(made, moved);
  });

  test('is an ordinary one when the state holds one resource', async () => {
    const made = bench();
    await made.apply(head + keys('one'), everything);
    const before = Object.keys(made.emulator.world.tables.sshKey).length;
    await made.apply(head, everything);
    expect(Object.keys(made.emulator.world.tables.sshKey)).toHaveLength(before - 1);
    await plansNothing(made, head);
  });

  test('is an ordinary one when the old object of that resource is left too', async () => {
    const made = bench();
    await made.apply(head + keys('one'), everything);
    const before = Object.keys(made.emulator.world.tables.sshKey).length;
    const keeping = answering(made, (name) => (name === 'sshKey.remove' ? failed('busy') : undefined));
    await applyOver(made, head + keys('two'), keeping);
    expect(Object.keys(made.store.state?.resources ?? {})).toEqual(['sshKeys.deploy', 'sshKeys.deploy (old)']);
    await made.apply(head, everything);
    expect(Object.keys(made.emulator.world.tables.sshKey)).toHaveLength(before - 1);
    await plansNothing(made, head);
  });

  test('is allowed when no object of it exists any more', async () => {
    const made = bench();
    await made.apply(both, everything);
    for (const { postgresId } of rowsIn(made, 'postgres')) await made.emulator.act('postgres.remove', { postgresId });
    for (const { composeId } of rowsIn(made, 'compose'))
      await made.emulator.act('compose.delete', { composeId, deleteVolumes: false });
    const planned = await made.plan(head);
    expect(actionsOf(planned).every((action) => action.startsWith('forget'))).toBe(true);
    expect(obstacles(planned, { dataLoss: false, adoption: false })).toEqual([]);
  });

  test('is not made from an include that is gone: the manifest is refused before anything is asked', async () => {
    const made = bench();
    const files = {
      'trueup.yaml': `${head}include: [services/*.yaml]\n`,
      'services/shop.yaml': both.slice(head.length),
    };
    await made.apply(files, everything);
    made.requests('GET');
    const { rm } = await import('node:fs/promises');
    await rm(`${made.folder}/services/shop.yaml`);
    const error = await made.plan({ 'trueup.yaml': files['trueup.yaml'] }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(Stop);
    expect((error as Stop).diagnostics[0]).toMatchObject({ code: 'file-unreadable' });
    expect((error as Stop).message).toContain('no file matches services/*.yaml');
    expect(made.requests('GET')).toEqual([]);
  });
});

describe('protect: true', () => {
  test.each([
    ['itself', production(database('protect: true') + stack([])), production(stack([]))],
    [
      'what it is in',
      `${head}environments: { staging: { redis: { a: { databasePassword: correct-horse-1, protect: true } } } }\n${keys('one')}`,
      head + keys('one'),
    ],
  ])('survives the removal of the block, of %s', async (_what, text, without) => {
    const made = bench();
    await made.apply(text, everything);
    const { found } = await refused(made, without, everything);
    const said = found.find(({ code }) => code === 'protected');
    expect(said?.message).toContain('is protected and would be deleted');
    expect(said?.remedy).toContain('write protect: false, apply, and remove the block then');
  });

  test('holds against destroy', async () => {
    const made = bench();
    const text = production(database('protect: true'));
    await made.apply(text, everything);
    made.requests('POST');
    await refusal(made, () => made.destroy(text));
    expect(made.requests('POST')).toEqual([]);
  });

  test('is lifted by an apply of its own', async () => {
    const made = bench();
    await made.apply(production(database('protect: true') + stack([])), everything);
    await made.apply(production(database('protect: false') + stack([])));
    await made.apply(production(stack([])));
    expect(rowsIn(made, 'postgres')).toEqual([]);
  });
});

test('data needs a permission of its own, beside that for many deletions', async () => {
  const made = bench();
  await made.apply(production(database() + stack([])), everything);
  const permissions = { dataLoss: false, adoption: true, massDeletion: true };
  const { found } = await refused(made, production(stack([])), permissions);
  expect(found.map(({ code, address }) => `${code} ${address ?? ''}`)).toEqual([
    'data-at-risk production.postgres.main',
  ]);
});

test.each([
  ['nothing', '', false],
  ['deleteVolumes: false', ', deleteVolumes: false', false],
  ['deleteVolumes: true', ', deleteVolumes: true', true],
])('volumes are deleted only when that is declared: with %s', async (_what, more, deleteVolumes) => {
  const made = bench();
  await made.apply(production(stack([], more) + database()), everything);
  const text = production(database());
  if (deleteVolumes) {
    const { found } = await refused(made, text, { ...everything, dataLoss: false });
    expect(found.map(({ code }) => code)).toEqual(['data-at-risk']);
  }
  const planned = await made.plan(text);
  await applyPlan(planned, made.world(), { permissions: everything, connections: 4, clock: made.clock });
  const sent = made.emulator.log.filter(({ operation }) => operation === 'compose.delete');
  expect(sent.map(({ input }) => (input as { deleteVolumes: boolean }).deleteVolumes)).toEqual([deleteVolumes]);
});

describe('the guards of a plan', () => {
  const planned = async () => {
    const made = bench();
    await made.apply(production(database()), everything);
    return made.plan(production('    env: { REGION: eu }\n'));
  };

  test('are asked one after the other, and each says what it has against the plan', async () => {
    const plan = await planned();
    const asked: string[] = [];
    const guard =
      (name: string): Guard =>
      ({ actions }, { dataLoss }) => {
        asked.push(`${name} ${actions.length > 0} ${dataLoss}`);
        return [diagnostic('consent', `${name} does not want this`)];
      };
    const found = obstacles(plan, usual, [guard('one'), guard('two')]);
    expect(asked).toEqual(['one true true', 'two true true']);
    expect(found.map(({ message }) => message)).toEqual(['one does not want this', 'two does not want this']);
  });

  test('may have one of their own beside the usual ones', async () => {
    const plan = await planned();
    const onlyAdditions: Guard = ({ actions }) =>
      actions.flatMap(({ action, address }) =>
        action === 'delete' ? [diagnostic('protected', `a policy keeps ${address}`, { address })] : [],
      );
    const found = (more: readonly Guard[]) => obstacles(plan, { ...usual, dataLoss: false }, [...guards, ...more]);
    expect(found([]).map(({ code }) => code)).toEqual(['data-at-risk']);
    expect(found([onlyAdditions]).map(({ code }) => code)).toEqual(['data-at-risk', 'protected']);
  });
});

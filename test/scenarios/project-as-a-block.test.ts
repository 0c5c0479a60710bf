import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { planDocument } from '../../src/documents/plan-document.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { session } from '../../src/workflow/session.ts';
import { localStore } from '../../src/state/backends/local.ts';
import {
  actionsOf,
  answering,
  applyLater,
  applyOver,
  everything,
  failed,
  plansNothing,
  platformOver,
  refusal,
  results,
  rowsIn,
  said,
} from '../support/faults.ts';
import { testKeys } from '../support/state-key.ts';
import { bench } from '../support/world.ts';

/** `project:` as a block: the project is created with the environment that it brings, taken over, updated and deleted. */

const head = (block: string) => `trueup: 1\nplatform: emulator\nproject: ${block}\n`;
const redis = 'redis: { cache: { databasePassword: secret-1 } }';
const environments = `environments:\n  production: { description: Live., env: { A: "1" }, ${redis} }\n  staging: { ${redis} }\n`;
const shop = head('{ name: shop, description: The shop., env: { REGION: eu } }') + environments;

type Made = ReturnType<typeof bench>;
const projectOf = (made: Made, name = 'shop') => {
  const found = Object.values(made.emulator.world.tables.project).filter((row) => row['name'] === name);
  expect(found).toHaveLength(1);
  return found[0] ?? {};
};
const environmentsOf = (made: Made, projectId: unknown) =>
  Object.values(made.emulator.world.tables.environment)
    .filter((row) => row['projectId'] === projectId)
    .toSorted((a, b) => (String(a['name']) < String(b['name']) ? -1 : 1));

describe('a project that is not there', () => {
  test('is created, and the environment that it brings is taken over', async () => {
    const made = bench();
    const planned = actionsOf(await made.plan(shop)).filter((line) => !line.startsWith('deploy'));
    expect(planned).toEqual([
      'create project',
      'adopt production',
      'create production.redis.cache',
      'create staging',
      'create staging.redis.cache',
    ]);
    await made.apply(shop);
    const project = projectOf(made);
    expect(project).toMatchObject({ description: 'The shop.', env: 'REGION=eu\n' });
    expect(environmentsOf(made, project['projectId'])).toMatchObject([
      { name: 'production', description: 'Live.', env: 'A=1\n', isDefault: true },
      { name: 'staging' },
    ]);
    expect(rowsIn(made, 'redis')).toHaveLength(2);
    expect(await made.store.read()).toMatchObject({ projectId: project['projectId'], projectName: 'shop' });
    await plansNothing(made, shop);
  });

  test('is created with nothing but its name, and its environment is taken over as it is', async () => {
    const made = bench();
    const text = `${head('{ name: shop }')}environments: { production: {} }\n`;
    await made.apply(text);
    expect(made.requests('POST')).toEqual(['project.create']);
    expect(projectOf(made)).toMatchObject({ description: null, env: '' });
    await plansNothing(made, text);
    expect(await made.store.read()).toMatchObject({
      resources: { production: { parent: 'project', pairs: { name: {} } } },
    });
  });

  test('is created without environments, too', async () => {
    const made = bench();
    await made.apply(head('{ name: shop }'));
    expect(projectOf(made)).toMatchObject({ name: 'shop' });
    await plansNothing(made, head('{ name: shop }'));
  });

  test('gives its id to what refers to it', async () => {
    const made = bench();
    const text = `${head('{ name: shop }')}environments: { production: { env: { P: "\${ref:project.id}" } } }\n`;
    await made.apply(text);
    const { projectId } = projectOf(made);
    expect(environmentsOf(made, projectId)).toMatchObject([{ env: `P=${String(projectId)}\n` }]);
    await plansNothing(made, text);
  });
});

describe('a project that is there', () => {
  const byHand = async (made: Made, name = 'shop') => {
    await made.emulator.act('project.create', { name, description: 'By hand.' });
    return projectOf(made, name);
  };

  test('is taken over with consent only', async () => {
    const made = bench();
    const { projectId } = await byHand(made);
    const found = await refusal(made, () => made.apply(shop));
    expect(found.map(({ code, address }) => [code, address])).toEqual([['consent', 'project']]);
    await made.apply(shop, everything);
    expect(projectOf(made)).toMatchObject({ projectId, description: 'The shop.' });
    await plansNothing(made, shop);
  });

  test('is not chosen among several of one name', async () => {
    const made = bench();
    await made.emulator.act('project.create', { name: 'shop' });
    await made.emulator.act('project.create', { name: 'shop' });
    const found = await refusal(made, () => made.apply(shop, everything));
    expect(found.map(({ code }) => code)).toContain('ambiguous');
    const first = Object.values(made.emulator.world.tables.project).find((row) => row['name'] === 'shop');
    const pinned = shop.replace('{ name: shop,', `{ name: shop, id: ${String(first?.['projectId'])},`);
    await made.apply(pinned, everything);
    await plansNothing(made, pinned);
  });

  test('is updated: name, description and variables; null and empty text are kept apart', async () => {
    const made = bench();
    await made.apply(shop);
    const { projectId } = projectOf(made);
    made.requests('POST');
    for (const [block, row] of [
      [
        '{ name: shop, description: Other., env: { REGION: us, B: "2" } }',
        { description: 'Other.', env: 'REGION=us\nB=2\n' },
      ],
      ['{ name: shop, description: "", env: { REGION: us } }', { description: '', env: 'REGION=us\n' }],
      ['{ name: shop, description: null, env: null }', { description: null, env: '' }],
      ['{ name: store }', { name: 'store' }],
    ] as const) {
      await made.apply(head(block) + environments, everything);
      expect(made.requests('POST')).toEqual(['project.update']);
      expect(Object.values(made.emulator.world.tables.project)).toContainEqual(
        expect.objectContaining({ projectId, ...row }) as unknown,
      );
      await plansNothing(made, head(block) + environments);
    }
    expect(await made.store.read()).toMatchObject({ projectId, projectName: 'store' });
  });

  test('gets back what somebody changed by hand', async () => {
    const made = bench();
    await made.apply(shop);
    const { projectId } = projectOf(made);
    await made.emulator.act('project.update', { projectId, description: 'Hot fix.', env: 'REGION=moon' });
    const change = (await made.plan(shop)).actions.find(({ action }) => action !== 'no-op');
    expect(change?.changes.map(({ path, cause }) => [path, cause])).toEqual([
      ['description', 'drift'],
      ['env.REGION', 'drift'],
    ]);
    await made.apply(shop, everything);
    await plansNothing(made, shop);
  });

  test('never sends the organization or the time of its creation', async () => {
    const made = bench();
    await made.apply(shop);
    await made.apply(shop.replace('The shop.', 'Another.'));
    const updates = made.emulator.log.filter(({ operation }) => operation === 'project.update');
    expect(updates.map(({ input }) => Object.keys(input as object).toSorted())).toEqual([['description', 'projectId']]);
  });

  test('is the one of the state when a manifest with its id becomes a block, and the other way round', async () => {
    const made = bench();
    await byHand(made);
    const { projectId } = projectOf(made);
    const byId = `${head(String(projectId))}${environments}`;
    await made.apply(byId, everything);
    await byHand(made, 'other');
    made.requests('POST');
    await made.apply(shop, everything);
    expect(made.requests('POST')).toEqual(['project.update']);
    await plansNothing(made, shop);
    await made.apply(byId, everything);
    expect(made.requests('POST')).toEqual([]);
    await plansNothing(made, byId);
    expect(Object.keys((await made.store.read())?.resources ?? {})).not.toContain('project');
    await made.destroy(byId);
    expect(projectOf(made)).toMatchObject({ projectId });
  });
});

describe('the variables of a project', () => {
  const using = (env: string) => `redis: { cache: { databasePassword: secret-1, env: ${env} } }`;
  const text = (variables: string, region = '"${{project.REGION}}"') =>
    `${head(`{ name: shop, env: ${variables} }`)}environments:
  production: { env: { ZONE: a }, ${using(`{ R: ${region}, Z: "\${{environment.ZONE}}" }`)} }
  staging: { ${using('{ Z: b }')} }\n`;

  test('deploy the services that mention one that changes, after the project', async () => {
    const made = bench();
    await made.apply(text('{ REGION: eu, ZONE: x }'));
    made.requests('POST');
    const changed = text('{ REGION: us, ZONE: x }');
    const planned = await made.plan(changed);
    expect(actionsOf(planned).filter((line) => !line.startsWith('no-op'))).toEqual([
      'update project',
      'deploy production.redis.cache (deploy)',
    ]);
    expect(planned.actions.find(({ action }) => action === 'deploy')).toMatchObject({
      because: ['project.env.REGION'],
    });
    await made.apply(changed);
    expect(made.requests('POST')).toEqual(['project.update', 'redis.changeStatus', 'redis.deploy']);
    await plansNothing(made, changed);
    // The one of the environment that has the same name is another one.
    made.requests('POST');
    await made.apply(text('{ REGION: us, ZONE: y }'));
    expect(made.requests('POST')).toEqual(['project.update']);
    const { projectId } = projectOf(made);
    await made.emulator.act('project.update', { projectId, env: 'REGION=by-hand\nZONE=y\n' });
    await made.apply(text('{ REGION: us, ZONE: y }'), everything);
    expect(made.requests('POST')).toEqual(['project.update', 'redis.changeStatus', 'redis.deploy']);
    await plansNothing(made, text('{ REGION: us, ZONE: y }'));
  });

  test.each([
    ['a map', '{ GREETING: "from ${{environment.ZONE}}", OTHER: "${{environment.OTHER}}" }'],
    ['a text', '"GREETING=from ${{environment.ZONE}}\\nOTHER=${{environment.OTHER}}\\n"'],
  ])('in %s carry those of the environment to the services that mention them', async (_form, variables) => {
    const made = bench();
    const passed = (zone: string, other: string) =>
      `${head(`{ name: shop, env: ${variables} }`)}environments:
  production: { env: { ZONE: ${zone}, OTHER: ${other} }, ${using('{ R: "${{project.GREETING}}" }')} }
  staging: { env: { ZONE: ${zone}, OTHER: x }, ${using('{ Z: b }')} }\n`;
    await made.apply(passed('a', 'x'));
    await plansNothing(made, passed('a', 'x'));
    const planned = await made.plan(passed('b', 'x'));
    const [deploy, ...others] = planned.actions.filter(({ action }) => action === 'deploy');
    expect(others).toEqual([]);
    expect(deploy).toMatchObject({ address: 'production.redis.cache (deploy)', because: ['production.env.ZONE'] });
    await made.apply(passed('b', 'x'));
    await plansNothing(made, passed('b', 'x'));
    made.requests('POST');
    await made.apply(passed('b', 'y'));
    expect(made.requests('POST')).toEqual(['environment.update']);
  });

  test('that are not declared are refused where a service mentions them', async () => {
    const made = bench();
    const found = await refusal(made, () => made.plan(text('{ REGION: eu }', '"${{project.REGOIN}}"')));
    expect(found).toMatchObject([
      {
        code: 'bad-reference',
        address: 'production.redis.cache',
        message: 'env.R: mentions ${{project.REGOIN}}, and project declares no variable REGOIN',
        remedy: 'Did you mean REGION?',
      },
    ]);
    for (const allowed of ['{ REGION: eu, REGOIN: us }', '"REGOIN=us"'])
      await made.plan(text(allowed, '"${{project.REGOIN}}"'));
    const merged = text('{ REGION: eu }, envMode: merge', '"${{project.REGOIN}}"');
    await made.plan(merged);
  });
});

describe('the tags of a project', () => {
  const tagged = (tags: string, more = '') => `${head(`{ name: shop, tags: ${tags} }`)}${more}`;
  const live = 'tags: { live: { color: green } }\n';
  /** The names of the tags that the project has on the platform. */
  const namesOf = (made: Made): string[] => {
    const { projectId } = projectOf(made);
    const { projectTag, tag } = made.emulator.world.tables;
    const own = Object.values(projectTag).filter((row) => row['projectId'] === projectId);
    return own.map(({ tagId }) => String(tag[String(tagId)]?.['name'])).toSorted();
  };
  const tagByHand = async (made: Made, name: string) => {
    const { tagId } = (await made.emulator.act('tag.create', { name })) as { tagId: string };
    return tagId;
  };

  test('are blocks, which come first, and tags of the platform by name or id', async () => {
    const made = bench();
    const internal = await tagByHand(made, 'internal');
    await tagByHand(made, 'old');
    const text = tagged(`[old, live, ${internal}]`, live);
    await made.apply(text);
    expect(made.requests('POST')).toEqual(['tag.create', 'project.create', 'tag.bulkAssign']);
    expect(namesOf(made)).toEqual(['internal', 'live', 'old']);
    await plansNothing(made, text);
    await plansNothing(made, tagged('[internal, old, live]', live));
  });

  test('change with one request, which has each of them once', async () => {
    const made = bench();
    const id = await tagByHand(made, 'internal');
    await made.apply(tagged('[live]', live));
    made.requests('POST');
    const text = tagged(`[internal, ${id}, internal, live, live]`, live);
    await made.apply(text);
    expect(made.requests('POST')).toEqual(['tag.bulkAssign']);
    expect(namesOf(made)).toEqual(['internal', 'live']);
    await plansNothing(made, text);
    for (const none of ['null', '[]']) {
      await made.apply(tagged(none, live));
      expect(namesOf(made)).toEqual([]);
      await plansNothing(made, tagged(none, live));
      await made.apply(text);
    }
  });

  test('that somebody changed come back, and are left where they are not declared', async () => {
    const made = bench();
    const other = await tagByHand(made, 'other');
    const text = tagged('[live]', live);
    await made.apply(text);
    const { projectId } = projectOf(made);
    await made.emulator.act('tag.bulkAssign', { projectId, tagIds: [other] });
    const change = (await made.plan(text)).actions.find(({ action }) => action !== 'no-op');
    expect(change?.changes.map(({ path, cause }) => [path, cause])).toEqual([['tags', 'drift']]);
    await made.apply(text, everything);
    expect(namesOf(made)).toEqual(['live']);
    await plansNothing(made, text);
    await made.emulator.act('tag.bulkAssign', { projectId, tagIds: [other] });
    const released = head('{ name: shop }') + live;
    await made.apply(released);
    expect(namesOf(made)).toEqual(['other']);
    await plansNothing(made, released);
  });

  test('are refused by name, before any request, when there is no such tag', async () => {
    const made = bench();
    await tagByHand(made, 'internal');
    const found = await refusal(made, () => made.plan(tagged('[live, lvie, internal, lvie]', live)));
    expect(found.map(({ code, message, remedy }) => [code, message, remedy])).toEqual([
      [
        'bad-reference',
        'tags: there is no tag lvie: tags: does not declare it, and the platform has internal',
        'Did you mean live? Declare it under tags:, or write the name or id of one that exists.',
      ],
    ]);
  });

  test('keep a tag from deletion that is not given up', async () => {
    const made = bench();
    await made.apply(tagged('[live]', live));
    const found = await refusal(made, () => made.apply(head('{ name: shop }'), everything));
    expect(found.map(({ message }) => message)).toEqual(['tags.live is still used: tags of project']);
    await made.apply(tagged('[]'), everything);
    await plansNothing(made, tagged('[]'));
    expect(namesOf(made)).toEqual([]);
  });

  test('need a platform that assigns them', async () => {
    const made = bench({ lacks: ['tag.bulkAssign'] });
    const found = await refusal(made, () => made.plan(tagged('[live]', live)));
    expect(found.map(({ code }) => code)).toEqual(['unsupported']);
  });
});

describe('the state of a project', () => {
  test('is not given to the project of another manifest', async () => {
    const made = bench();
    await made.apply(shop);
    await made.emulator.act('project.create', { name: 'blog' });
    const found = await refusal(made, () => made.plan(shop.replace('name: shop', 'name: blog')));
    expect(found.map(({ code }) => code)).toEqual(['ambiguous']);
    expect(found[0]?.message).toMatch(/^the state belongs to project .* \(shop\), and another one is called blog/);
  });

  test('with an id of another project of the organization leads to no object of it', async () => {
    const made = bench();
    await made.apply(shop);
    const state = await made.store.read();
    if (state === undefined) throw new Error('there is no state');
    const { production } = state.resources;
    const forged = { ...state.resources, production: { ...production, id: 'env_prj_1' } } as typeof state.resources;
    await made.store.write({ ...state, serial: state.serial + 1, resources: forged });
    const found = await refusal(made, () => made.plan(shop));
    expect(found.map(({ code }) => code)).toContain('foreign-object');
  });
});

describe('a project that is destroyed', () => {
  test('is there no more, or was never: nothing is left to destroy', async () => {
    const made = bench();
    const destroyed = async () => {
      const result = await made.destroy(shop);
      expect(made.requests('POST')).toEqual([]);
      return result.outcomes;
    };
    expect(await destroyed()).toEqual([]);
    expect(await made.store.read()).toBeUndefined();
    await made.apply(shop);
    await made.destroy(shop);
    made.requests('POST');
    const before = await made.store.read();
    expect(await destroyed()).toEqual([]);
    expect(await made.store.read()).toEqual(before);
    // Of a manifest that names a project, in which nothing is ours any more.
    const named = bench();
    await named.apply(`trueup: 1\nplatform: emulator\nproject: prj_1\n${environments}`, everything);
    await named.destroy(`trueup: 1\nplatform: emulator\nproject: prj_1\n`);
    named.requests('POST');
    expect((await named.destroy(shop)).outcomes).toEqual([]);
    expect(named.requests('POST')).toEqual([]);
  });

  test('was never made: what was made before it goes', async () => {
    const made = bench();
    const tags = `${shop}tags: { live: {} }\n`;
    const { outcomes } = await applyOver(
      made,
      tags,
      answering(made, (name) => (name === 'project.create' ? failed('busy') : undefined)),
    );
    expect(results({ outcomes })).toMatchObject({ 'tags.live': 'done', project: 'failed' });
    expect(results(await made.destroy(tags))).toEqual({ 'tags.live': 'done' });
    expect(await made.store.read()).toMatchObject({ projectId: '', resources: {} });
  });

  test.each(['applied', 'destroyed'])('by a run that ended before it saved the state can be %s again', async (how) => {
    const made = bench();
    const tags = `${head('{ name: shop, tags: [live] }')}tags: { live: {} }\n${environments}`;
    const folder = mkdtempSync(join(tmpdir(), 'trueup-state-'));
    const store = () => localStore(folder, { keys: testKeys });
    const run = async (destroys: boolean, send = made.emulator.send, over = store()) => {
      try {
        return await session(
          await made.manifest(tags),
          platformOver(made, send, over),
          { purpose: 'apply', clock: made.clock },
          (open) => open.plan({ destroys }).then((planned) => open.apply(planned, everything)),
        );
      } finally {
        await over.close();
      }
    };
    await run(false);
    const keeping = answering(made, (name) => (name === 'tag.remove' ? failed('busy') : undefined));
    const { unsaved } = await run(true, keeping, { ...store(), write: () => Promise.reject(new Stop('state', [])) });
    expect(unsaved).toBeInstanceOf(Stop);
    const { outcomes } = await run(how === 'destroyed');
    expect(new Set(outcomes.map(({ result }) => result))).toEqual(new Set(['done']));
    expect(Object.keys((await store().read())?.resources ?? {})).toHaveLength(how === 'destroyed' ? 0 : 6);
  });

  test('goes last, after its services', async () => {
    const made = bench();
    await made.apply(shop);
    const { projectId } = projectOf(made);
    made.requests('POST');
    await made.destroy(shop);
    const posts = made.requests('POST');
    expect(posts.at(-1)).toBe('project.remove');
    expect(posts.filter((one) => one === 'redis.remove')).toHaveLength(2);
    expect(Object.keys(made.emulator.world.tables.project)).not.toContain(projectId);
    expect((await made.store.read())?.resources).toEqual({});
    await made.apply(shop);
    await plansNothing(made, shop);
  });

  test('goes after what its state places below it, which was applied without the block, and stays when that does', async () => {
    const made = bench();
    await made.emulator.act('project.create', { name: 'shop' });
    const { projectId } = projectOf(made);
    await made.apply(`${head(String(projectId))}environments: { staging: {} }\n`, everything);
    const text = `${head('{ name: shop }')}environments: { staging: { description: Soon. } }\n`;
    const narrowing = { targets: [], excludes: ['staging'], replaces: [] };
    await applyLater(made, await plan(await made.manifest(text), made.world(), { narrowing }));
    expect((await made.store.read())?.resources).toMatchObject({ project: {}, staging: { dependsOn: [] } });
    const planned = await plan(await made.manifest(text), made.world(), { destroys: true });
    const { actions } = planDocument({ plan: planned, counts: { reads: 0, writes: 0 } });
    expect(actions.find(({ address }) => address === 'project')?.after).toEqual([
      { address: 'staging', action: 'delete' },
    ]);
    made.requests('POST');
    const failing = answering(made, (name) => (name === 'environment.remove' ? failed('busy') : undefined));
    const result = await session(
      await made.manifest(text),
      platformOver(made, failing),
      { purpose: 'apply', clock: made.clock },
      (run) => run.plan({ destroys: true }).then((again) => run.apply(again, everything)),
    );
    expect(results(result)).toEqual({ staging: 'failed', project: 'skipped' });
    expect(made.requests('POST')).not.toContain('project.remove');
    await made.destroy(text);
    expect(made.requests('POST')).toEqual(['environment.remove', 'project.remove']);
  });

  test('stays when something in it is not ours, and when that comes after the plan', async () => {
    const made = bench();
    await made.apply(shop);
    const [production] = environmentsOf(made, projectOf(made)['projectId']);
    const create = () =>
      made.emulator.act('compose.create', { name: 'guest', environmentId: production?.['environmentId'] ?? '' });
    const guest = (await create()) as { composeId: string };
    const found = await refusal(made, () => made.destroy(shop));
    expect(found.map(({ message }) => message)).toContain(
      `project holds what is not in the state: compose guest in production (${guest.composeId})`,
    );
    await made.emulator.act('compose.delete', { composeId: guest.composeId, deleteVolumes: false });
    const planned = await plan(await made.manifest(shop), made.world(), { destroys: true });
    await create();
    const result = await applyLater(made, planned);
    expect(results(result)).toMatchObject({ project: 'failed', 'production.redis.cache': 'done' });
    expect(said(result)).toContain('compose guest in production was added to project on the platform since the plan');
    expect(projectOf(made)).toMatchObject({ name: 'shop' });
  });

  test('is not deleted with protect, nor without leave to lose data, nor by a member', async () => {
    const made = bench();
    const kept = shop.replace('{ name: shop,', '{ name: shop, protect: true,');
    await made.apply(kept);
    expect((await refusal(made, () => made.destroy(kept))).map(({ code }) => code)).toContain('protected');
    const other = bench();
    await other.apply(shop);
    Object.assign(other.emulator.world.tables.member['member_1'] ?? {}, {
      role: 'member',
      canDeleteProjects: true,
      canDeleteServices: true,
    });
    const found = await refusal(other, () => other.destroy(shop));
    expect(found.map(({ message }) => message)).toContain(
      'project would be deleted with everything in it, and a member does not see everything',
    );
  });
});

describe('a block that cannot be', () => {
  test('is refused at its line', async () => {
    for (const [block, message] of [
      ['{ description: x }', /project must be the name or id of a project, or a block with name:|name/],
      ['{ name: "${env:NAME}" }', /settings take no expressions/],
      ['{ name: shop, colour: red }', /colour/],
    ] as const) {
      const made = bench();
      const found = await refusal(made, () => made.plan(head(block)));
      expect(found[0]?.message).toMatch(message);
      expect(found[0]?.position?.line).toBe(3);
    }
    const made = bench();
    const taken = await refusal(made, () => made.plan(`${head('{ name: shop }')}environments: { project: {} }\n`));
    expect(taken[0]?.message).toContain('project is the name of a section');
  });

  test('is refused where the platform has no projects to create', async () => {
    const made = bench({ documentedOnly: true });
    const found = await refusal(made, () => made.plan(shop));
    expect(found.map(({ code }) => code)).toEqual(['unsupported']);
  });
});

import { describe, expect, test } from 'vitest';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import type { PlanFile } from '../../src/plan/plan-file.ts';
import { planFileText } from '../../src/plan/plan-file.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { canonical } from '../../src/formats/json.ts';
import { stopOf } from '../../src/state/conformance/states.ts';
import { deployByHand } from '../support/deployments.ts';
import {
  answering,
  byHand,
  failed,
  idOf,
  notesOf,
  plansNothing,
  results,
  rowsIn,
  worldOver,
} from '../support/faults.ts';
import { composeBody, database, production, stack } from '../support/manifest-texts.ts';
import { testKey } from '../support/state-key.ts';
import { actionsIn, again, applyFile, fileIn, refused, review } from '../support/reviewed.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** A plan that was reviewed is applied as it was reviewed, or less of it, or not at all. */

const shop = 'production.compose.shop';
const main = 'production.postgres.main';

const text = (value: string, more = '') =>
  `${production(stack(`description: text ${value}, env: { A: "${value}", B: "\${secret:TOKEN}" }${more}`))}${database(`description: text ${value}`)}`;

/** A world in which the manifest was applied, but for its last edit. */
async function started(): Promise<Bench> {
  const made = bench();
  made.secrets.TOKEN = 'token-1';
  await made.apply(text('1'));
  return made;
}

const act = (made: Bench, operation: string, input: Record<string, unknown>) => made.emulator.act(operation, input);

/** Reviews a new plan and applies that. */
async function mended(made: Bench, now: string): Promise<void> {
  const result = await applyFile(made, await review(made, now), now, { dataLoss: true });
  expect(result.outcomes.filter((outcome) => outcome.result !== 'done')).toEqual([]);
  await plansNothing(made, now);
}

/** Kinds that can be moved: by an operation of their own, or with the update. */
const movable: Readonly<Record<string, { block: string; move: string; to: string; update: string }>> = {
  redis: {
    block: 'dockerImage: "redis:7", databasePassword: password-1',
    move: 'redis.move',
    to: 'targetEnvironmentId',
    update: 'redis.update',
  },
  compose: {
    block: composeBody,
    move: 'compose.update',
    to: 'environmentId',
    update: 'compose.update',
  },
};

/** A manifest with one of those in one of two environments. */
function elsewhere(kind: string, environment: string, description: string): string {
  const block = `    ${kind}: { x: { ${movable[kind]?.block ?? ''}, description: ${description} } }\n`;
  return ['production', 'staging'].reduce(
    (text, name) => `${text}  ${name}:\n    env: {}\n${name === environment ? block : ''}`,
    `${head}environments:\n`,
  );
}

async function moveByHand(made: Bench, kind: string, from: string, to: string): Promise<void> {
  const { move = '', to: member = '' } = movable[kind] ?? {};
  await act(made, move, { [`${kind}Id`]: idOf(made, `${from}.${kind}.x`), [member]: idOf(made, to) });
}

describe('a manifest that changed after the review', () => {
  const planned = text('2');
  test.each<[string, string, string[]]>([
    [
      'a field',
      planned.replace('description: text 2, env', 'description: text 3, env'),
      [`description of ${shop} was changed after the plan was made`],
    ],
    [
      'two of its fields',
      planned.replace('description: text 2, env: { A: "2"', 'description: text 3, env: { A: "3"'),
      [`description, env.A of ${shop} was changed after the plan was made`],
    ],
    [
      'a key of env that is left out',
      planned.replace('A: "2", ', ''),
      [`env.A of ${shop} was changed after the plan was made`],
    ],
    [
      'a key of env that is added',
      planned.replace('A: "2"', 'A: "2", C: "1"'),
      [`env.C of ${shop} was changed after the plan was made`],
    ],
    ['how env is read', text('2', ', envMode: merge'), [`envMode of ${shop} was changed after the plan was made`]],
    ['its protection', text('2', ', protect: true'), [`protect of ${shop} was changed after the plan was made`]],
    ['its pin', text('2', ', id: com_1'), [`id of ${shop} was changed after the plan was made`]],
    ['who deploys it', text('2', ', deploy: never'), [`deploy of ${shop} was changed after the plan was made`]],
    [
      'a block that is left out',
      production(stack('description: text 2, env: { A: "2", B: "${secret:TOKEN}" }')),
      [`${main} is not declared any more`],
    ],
    [
      'a block that is added',
      `${planned}    redis: { cache: { dockerImage: "redis:7", databasePassword: password-1 } }\n`,
      ['production.redis.cache was not declared when the plan was made'],
    ],
    [
      'moved:',
      planned.replace(head, `${head}moved: [{ from: a.compose.b, to: ${shop} }]\n`),
      ['moved: was changed after the plan was made'],
    ],
  ])('in %s is refused with its path', async (_title, other, reasons) => {
    const made = await started();
    const file = await review(made, planned);
    const found = await refused(made, file, other.replace('com_1', idOf(made, shop)));
    expect(found.filter((message) => reasons.includes(message))).toEqual(reasons);
    expect(found.length).toBe(reasons.length);
    await applyFile(made, file, planned);
    await plansNothing(made, planned);
  });

  test('in an added empty env is refused', async () => {
    const made = await started();
    const without = text('2').replace(/, env: \{[^}]*\}[^}]*\}/, '');
    const owned = without.replace('description: text 2 }', 'description: text 2, env: {} }');
    expect(owned).not.toBe(without);
    const file = await review(made, without);
    expect(await refused(made, file, owned)).toEqual([`env of ${shop} was changed after the plan was made`]);
    await mended(made, owned);
  });

  test('in its comments and the order of its lines is applied', async () => {
    const made = await started();
    const file = await review(made, planned);
    const other = `# reviewed\n${planned.replace('A: "2", B: "${secret:TOKEN}"', 'B: "${secret:TOKEN}", A: "2"')}`;
    expect(other).not.toBe(`# reviewed\n${planned}`);
    expect(results(await applyFile(made, file, other))).toMatchObject({ [shop]: 'done', [main]: 'done' });
    await plansNothing(made, other);
  });
});

describe('a secret', () => {
  test('that changed is refused with the field that uses it, never with its value', async () => {
    const made = await started();
    const file = await review(made, text('2'));
    made.secrets.TOKEN = 'token-2';
    const reasons = await refused(made, file, text('2'));
    expect(reasons).toEqual([
      `env.B of ${shop} changed: a secret or a variable of the environment in it has another value`,
    ]);
    await mended(made, text('2'));
  });

  test('that this run does not have is refused with the field that uses it', async () => {
    const made = await started();
    const file = await review(made, text('2'));
    delete made.secrets.TOKEN;
    expect(await refused(made, file, text('2'))).toEqual([
      `env.B of ${shop} needs a secret that this run does not have`,
    ]);
    made.secrets.TOKEN = 'token-1';
    await applyFile(made, file, text('2'));
    await plansNothing(made, text('2'));
  });

  test('that only this run has is applied where the plan does not send it', async () => {
    const made = await started();
    delete made.secrets.TOKEN;
    const edited = text('1').replaceAll('description: text 1', 'description: text 2');
    const file = await review(made, edited);
    made.secrets.TOKEN = 'token-1';
    expect(results(await applyFile(made, file, edited))).toMatchObject({ [shop]: 'done', [main]: 'done' });
    await plansNothing(made, edited);
  });

  test('that only this run has is refused when it differs from the applied value', async () => {
    const made = await started();
    delete made.secrets.TOKEN;
    const edited = text('1').replaceAll('description: text 1', 'description: text 2');
    const file = await review(made, edited);
    made.secrets.TOKEN = 'token-2';
    const reasons = await refused(made, file, edited);
    expect(reasons).toEqual([`env.B of ${shop} needs a secret that the plan was made without`]);
    await mended(made, edited);
  });
});

describe('a platform that changed after the review', () => {
  const planned = text('2');

  test.each<[string, Record<string, unknown>, string[]]>([
    ['in a field that is written', { description: 'by hand' }, [`description of ${shop} was changed on the platform`]],
    [
      'in a variable that is written',
      { env: 'A=by hand\nB=token-1\n' },
      [`env.A of ${shop} was changed on the platform`],
    ],
    ['in a variable that is not', { env: 'A=1\nB=by hand\n' }, [`env.B of ${shop} was changed on the platform`]],
    [
      'by a variable more, where all are ours',
      { env: 'A=1\nB=token-1\nHOTFIX=1\n' },
      [`env.HOTFIX of ${shop} was changed on the platform`],
    ],
    [
      'in a field that no edit is about',
      { composeFile: 'services: { web: { image: httpd } }' },
      [`source.composeFile of ${shop} was changed on the platform`],
    ],
  ])('%s is refused with its path, and sends nothing', async (_title, change, reasons) => {
    const made = await started();
    const file = await review(made, planned);
    await act(made, 'compose.update', { composeId: idOf(made, shop), ...change });
    const found = await refused(made, file, planned);
    expect(found).toEqual(reasons);
    expect(rowsIn(made, 'compose')[0]).toMatchObject(change);
    await mended(made, planned);
  });

  test('in an undeclared field is applied', async () => {
    const made = bench();
    await made.apply(production(stack('env: { A: "1" }')));
    const now = production(stack('env: { A: "2" }'));
    const file = await review(made, now);
    await act(made, 'compose.update', { composeId: idOf(made, shop), description: 'by hand' });
    expect(results(await applyFile(made, file, now))[shop]).toBe('done');
    expect(rowsIn(made, 'compose')[0]).toMatchObject({ description: 'by hand', env: 'A=2\n' });
    await plansNothing(made, now);
  });

  test('by an undeclared variable is applied with envMode: merge', async () => {
    const made = bench();
    const merging = (value: string) => production(stack(`envMode: merge, env: { A: "${value}" }`));
    await made.apply(merging('1'));
    const file = await review(made, merging('2'));
    await act(made, 'compose.update', { composeId: idOf(made, shop), env: 'A=1\nHOTFIX=1\n' });
    expect(results(await applyFile(made, file, merging('2')))[shop]).toBe('done');
    expect(String(rowsIn(made, 'compose')[0]?.env)).toContain('HOTFIX=1');
    await plansNothing(made, merging('2'));
  });

  test('in the form of a value only is applied', async () => {
    const made = bench();
    await made.apply(production(stack()));
    const now = production(stack('description: one'));
    const file = await review(made, now);
    for (const row of rowsIn(made, 'compose'))
      Object.assign(row, { description: row.description === null ? '' : null });
    expect(results(await applyFile(made, file, now))[shop]).toBe('done');
    await plansNothing(made, now);
  });

  test('in a list that the platform adds to is applied, and keeps its members', async () => {
    const world = seedWorld();
    addRow(world, 'user', { id: 'user_9', email: 'm@example.test' });
    const lists = { accessedProjects: ['prj_2'] };
    addRow(world, 'member', { id: 'member_9', userId: 'user_9', organizationId: 'org_1', role: 'member', ...lists });
    const made = bench({ emulate: { world } });
    const member = (projects: string) => `${head}members:\n  m@example.test: { accessedProjects: [${projects}] }\n`;
    await made.apply(member('prj_1'), { adoption: true });
    const file = await review(made, member('prj_1, prj_3'));
    const rights = () =>
      Object.values(made.emulator.world.tables.member).find(({ userId }) => userId === 'user_9') ?? {};
    Object.assign(rights(), { accessedProjects: ['prj_2', 'prj_1', 'prj_4'] });
    await applyFile(made, file, member('prj_1, prj_3'));
    expect(rights()).toMatchObject({ accessedProjects: ['prj_2', 'prj_4', 'prj_1', 'prj_3'] });
    await plansNothing(made, member('prj_1, prj_3'));
    const other = await review(made, member('prj_1, prj_3, prj_5'));
    Object.assign(rights(), { accessedProjects: ['prj_2', 'prj_1', 'prj_3'] });
    expect(await refused(made, other, member('prj_1, prj_3, prj_5'))).toEqual([
      'accessedProjects of members["m@example.test"] was changed on the platform',
    ]);
    await mended(made, member('prj_1, prj_3, prj_5'));
  });

  test('is refused when the object to update is gone', async () => {
    const made = await started();
    const file = await review(made, planned);
    await act(made, 'compose.delete', { composeId: idOf(made, shop), deleteVolumes: false });
    expect(await refused(made, file, planned)).toContain(`${shop} is not on the platform any more`);
    await mended(made, planned);
  });

  test('is refused when the object to create exists: the review approved no adoption', async () => {
    const made = bench();
    const now = production(database());
    const file = await review(made, now);
    const id = await byHand(made);
    expect(await refused(made, file, now)).toEqual([`${main} exists on the platform by now (${id})`]);
    await mended(made, now);
    expect(idOf(made, main)).toBe(id);
  });

  test('is refused when the object to adopt is another one', async () => {
    const made = bench();
    const now = production(database());
    const first = await byHand(made);
    const file = await review(made, now);
    expect(actionsIn(file)[main]).toMatchObject({ 'action adopt': '', id: first, consent: '' });
    await act(made, 'postgres.remove', { postgresId: first });
    const second = await byHand(made);
    expect(await refused(made, file, now)).toEqual([`${main} is another object now (${second})`]);
    await mended(made, now);
  });

  test.each(Object.keys(movable))('is refused when somebody moved a %s', async (kind) => {
    const made = bench();
    const text = (description: string) => elsewhere(kind, 'production', description);
    await made.apply(text('one'));
    const file = await review(made, text('two'));
    await moveByHand(made, kind, 'production', 'staging');
    expect(await refused(made, file, text('two'))).toEqual([`production.${kind}.x was moved on the platform`]);
    await mended(made, text('two'));
  });

  test('is refused when a deletion would delete a new child too', async () => {
    const made = bench();
    await made.apply(production(stack()));
    const without = production('    compose: {}\n');
    const file = await review(made, without);
    const domain = {
      host: 'by-hand.example.com',
      composeId: idOf(made, shop),
      serviceName: 'web',
      domainType: 'compose',
    };
    await act(made, 'domain.create', domain);
    expect(await refused(made, file, without)).toEqual([
      `what is below ${shop} and not in the manifest goes with it: 1 of domains`,
    ]);
    await mended(made, without);
  });

  test('is refused when the object to delete changed', async () => {
    const made = await started();
    const without = production(stack('description: text 1, env: { A: "1", B: "${secret:TOKEN}" }'));
    const file = await review(made, without);
    await act(made, 'postgres.update', { postgresId: idOf(made, main), description: 'still in use' });
    expect(await refused(made, file, without)).toEqual([
      `description of ${main} was changed on the platform`,
      `${main} (${idOf(made, main)}) differs from what the last apply left: description`,
    ]);
    await mended(made, without);
  });

  test('is refused when the object to replace changed', async () => {
    const made = bench();
    await made.apply(production(database('description: one')));
    const now = production(database('description: one', 'main', 'other'));
    const file = await review(made, now);
    expect(actionsIn(file)[main]).toMatchObject({ 'action replace': '', risk: 'the data of this database' });
    await act(made, 'postgres.update', { postgresId: idOf(made, main), description: 'still in use' });
    expect(await refused(made, file, now)).toEqual([`description of ${main} was changed on the platform`]);
    await mended(made, now);
  });

  test('is refused when a reference changes a value that the plan writes', async () => {
    const made = bench();
    const referring = (before: string) =>
      `${production(stack(`env: { HOST: "${before}\${ref:${main}.host}" }`))}${database()}`;
    await made.apply(referring(''));
    const file = await review(made, referring('host='));
    Object.assign(made.emulator.world.tables.postgres[idOf(made, main)] ?? {}, { appName: 'other-host' });
    expect(await refused(made, file, referring('host='))).toEqual([
      `compose.update would send another env for ${shop}`,
    ]);
    await mended(made, referring('host='));
  });

  test('is refused when a reference changes a value that the plan does not write', async () => {
    const made = bench();
    const referring = (value: string) =>
      `${production(stack(`env: { A: "${value}", HOST: "\${ref:${main}.host}" }`))}${database()}`;
    await made.apply(referring('1'));
    const file = await review(made, referring('2'));
    Object.assign(made.emulator.world.tables.postgres[idOf(made, main)] ?? {}, { appName: 'other-host' });
    expect(await refused(made, file, referring('2'))).toEqual([
      `env.HOST of ${shop}, or ${main}.host in it, was changed on the platform`,
    ]);
    await mended(made, referring('2'));
  });
});

describe('a state that changed after the review', () => {
  const planned = text('2');

  test('is refused when the plan was applied', async () => {
    const made = await started();
    const file = await review(made, planned);
    await applyFile(made, file, planned);
    expect(await refused(made, file, planned)).toEqual([
      'the plan was made from version 1 of the state, and it is at version 2: this plan or another was applied since, wholly or in part',
    ]);
    await plansNothing(made, planned);
  });

  test('is refused when the very first plan was applied', async () => {
    const made = bench();
    const file = await review(made, production(stack()));
    await applyFile(made, file, production(stack()));
    expect(await refused(made, file, production(stack()))).toEqual(['the plan was applied already, wholly or in part']);
    await plansNothing(made, production(stack()));
  });

  test('is refused when the plan was applied in part', async () => {
    const made = await started();
    const file = await review(made, planned);
    const world = worldOver(
      made,
      answering(made, (operation) => (operation === 'postgres.update' ? failed('disk full') : undefined)),
    );
    const half = await applyPlan(await again(made, file, planned), world, {
      permissions: { dataLoss: false, adoption: true },
      connections: 4,
      clock: made.clock,
    });
    expect(results(half)).toMatchObject({ [shop]: 'done', [main]: 'failed' });
    expect((await refused(made, file, planned))[0]).toContain(
      'this plan or another was applied since, wholly or in part',
    );
    await mended(made, planned);
  });

  test('is refused when another run began the first state', async () => {
    const made = bench();
    const file = await review(made, production(stack()));
    await made.apply(production(database()));
    expect(await refused(made, file, production(stack()))).toEqual([
      'there is a state by now, and there was none when the plan was made',
    ]);
    await mended(made, production(database() + stack()));
  });

  test('is refused when it is lost, older or of another lineage', async () => {
    const made = await started();
    const file = await review(made, planned);
    const { state } = made.store;
    const isRefused = async () => {
      const { diagnostics } = await stopOf(again(made, file, planned));
      return diagnostics.map(({ code }) => code);
    };
    if (state !== undefined) made.store.state = { ...state, lineage: 'another' };
    expect(await isRefused()).toEqual(['state-older']);
    if (state !== undefined) made.store.state = { ...state, serial: 0 };
    expect(await isRefused()).toEqual(['state-older']);
    made.store.state = undefined;
    expect(await refused(made, file, planned)).toEqual(['the state that the plan was made from is not there']);
    made.store.state = state;
    await applyFile(made, file, planned);
    await plansNothing(made, planned);
  });

  test('is refused when a run that did not end wrote to it', async () => {
    const made = await started();
    const file = await review(made, planned);
    const { state } = made.store;
    if (state === undefined) throw new Error('nothing was applied');
    await made.store.append(state, shop, { stale: {} }, 'deployments');
    expect(made.store.state?.serial).toBe(1);
    expect((await refused(made, file, planned))[0]).toContain('a run began to apply it, or another, and did not end');
    await mended(made, planned);
  });
});

describe('a forged or foreign plan file', () => {
  const planned = text('2');
  const changes: [string, (file: PlanFile) => PlanFile][] = [
    [
      'what it deletes',
      (file) => ({ ...file, facts: { ...file.facts, [main]: { ...file.facts[main], 'action delete': '' } } }),
    ],
    [
      'what it agrees to take over',
      (file) => ({
        ...file,
        facts: Object.fromEntries(
          Object.entries(file.facts).map(([address, one]) => [address, { ...one, consent: '' }]),
        ),
      }),
    ],
    ['what it leaves out', (file) => ({ ...file, facts: {} })],
    ['its time', (file) => ({ ...file, madeAt: '2025-01-01T00:00:00.000Z' })],
    ['whether it destroys', (file) => ({ ...file, destroys: true })],
  ];

  test.each(changes)('is refused when %s was changed', async (_title, change) => {
    const made = await started();
    const file = await review(made, planned);
    const forged = planFileText(change(fileIn(file)));
    made.requests('GET');
    const { diagnostics } = await stopOf(again(made, forged, planned));
    expect(diagnostics.map(({ code }) => code)).toEqual(['plan-file']);
    expect(made.requests('GET')).toEqual([]);
    await applyFile(made, file, planned);
    await plansNothing(made, planned);
  });

  test.each<[string, string, string]>([
    ['project', 'project: prj_1', 'project: prj_2'],
    ['platform', 'platform: emulator', 'platform: { url: "https://other.example.com" }'],
  ])('of another %s is refused before any request', async (what, from, to) => {
    const made = await started();
    const file = await review(made, planned);
    made.requests('GET');
    const [reason] = await refused(made, file, planned.replace(from, to));
    expect(reason).toMatch(new RegExp(`^the plan is for (the )?${what} .*, and the manifest names `));
    expect(made.requests('GET')).toEqual([]);
    await applyFile(made, file, planned);
    await plansNothing(made, planned);
  });

  test('of another organization is refused', async () => {
    const made = bench();
    const file = fileIn(await review(made, production(stack())));
    const other = { ...file, organizationId: 'org_2', mac: '' };
    const mac = testKey.planMac(canonical(['file', other]));
    expect(await refused(made, planFileText({ ...other, mac }), production(stack()))).toEqual([
      'the plan is for organization org_2, and the API key acts in org_1',
    ]);
  });
});

describe('a part that somebody did by hand as planned', () => {
  test('is left out and noted, when it is a field', async () => {
    const made = await started();
    const file = await review(made, text('2'));
    await act(made, 'compose.update', { composeId: idOf(made, shop), description: 'text 2' });
    await act(made, 'postgres.update', { postgresId: idOf(made, main), description: 'text 2' });
    made.requests('POST');
    const planned = await again(made, file, text('2'));
    const notes = notesOf(planned).filter(({ code }) => code !== 'unused-env');
    expect(notes.map(({ code, message }) => [code, message])).toEqual([
      ['not-needed', `description of ${shop} is already as planned`],
      ['not-needed', `to update ${main} is not needed any more`],
    ]);
    expect(results(await applyFile(made, file, text('2')))).toMatchObject({ [shop]: 'done', [main]: 'done' });
    expect(made.requests('POST')).toEqual(['compose.update', 'compose.deploy']);
    await plansNothing(made, text('2'));
  });

  test('is left out, when it is the removal of a variable', async () => {
    const made = bench();
    const env = (entries: string) => production(stack(`env: { ${entries} }`));
    await made.apply(env('A: "1", B: "1", C: "1"'));
    const now = env('A: "2"');
    const file = await review(made, now);
    await act(made, 'compose.update', { composeId: idOf(made, shop), env: 'A=1\nC=1\n' });
    expect(
      notesOf(await again(made, file, now))
        .filter(({ code }) => code === 'not-needed')
        .map(({ message }) => message),
    ).toEqual([`env.B of ${shop} is already as planned`]);
    expect(results(await applyFile(made, file, now))[shop]).toBe('done');
    expect(rowsIn(made, 'compose')[0]?.env).toBe('A=2\n');
    await plansNothing(made, now);
  });

  test('is left out, when it is a deletion: apply only removes the object from state', async () => {
    const made = await started();
    const without = production(stack('description: text 1, env: { A: "1", B: "${secret:TOKEN}" }'));
    const file = await review(made, without);
    await act(made, 'postgres.remove', { postgresId: idOf(made, main) });
    made.requests('POST');
    expect(notesOf(await again(made, file, without)).map(({ message }) => message)).toContain(
      `${main} is gone already, and is only forgotten`,
    );
    await applyFile(made, file, without);
    expect(made.requests('POST')).toEqual([]);
    expect(made.store.state?.resources[main]).toBeUndefined();
    await plansNothing(made, without);
  });

  test.each(Object.entries(movable))(
    'is left out, when it is the move of a %s; apply does the rest',
    async (kind, { update }) => {
      const made = bench();
      await made.apply(elsewhere(kind, 'production', 'one'));
      const address = `staging.${kind}.x`;
      const text = elsewhere(kind, 'staging', 'two').replace(
        head,
        `${head}moved: [{ from: production.${kind}.x, to: ${address} }]\n`,
      );
      const file = await review(made, text);
      expect(actionsIn(file)[address]).toMatchObject({ 'action move': '' });
      await moveByHand(made, kind, 'production', 'staging');
      made.requests('POST');
      expect(notesOf(await again(made, file, text)).map(({ message }) => message)).toEqual([
        `${address} is already where it was to be moved`,
      ]);
      await applyFile(made, file, text);
      expect(made.requests('POST')).toEqual([update]);
      await plansNothing(made, text);
    },
  );

  test('leaves nothing to send, when it is all of the plan', async () => {
    const made = bench();
    await made.apply(production(stack('description: one')));
    const now = production(stack('description: two'));
    const file = await review(made, now);
    await act(made, 'compose.update', { composeId: idOf(made, shop), description: 'two' });
    made.requests('POST');
    await applyFile(made, file, now);
    expect(made.requests('POST')).toEqual([]);
    await plansNothing(made, now);
  });
});

describe('a review', () => {
  test('approves the adoptions in it', async () => {
    const made = bench();
    await byHand(made);
    const now = production(database());
    const file = await review(made, now);
    expect(results(await applyFile(made, file, now))[main]).toBe('done');
    await plansNothing(made, now);
  });

  test('does not approve the loss of data', async () => {
    const made = bench();
    await made.apply(production(database()));
    const without = production('    postgres: {}\n');
    const file = await review(made, without);
    made.requests('POST');
    await expect(applyFile(made, file, without)).rejects.toThrow('puts data at risk: the data of this database');
    expect(made.requests('POST')).toEqual([]);
    await applyFile(made, file, without, { dataLoss: true });
    await plansNothing(made, without);
  });

  test('approves a plan without deployments', async () => {
    const made = await started();
    const file = await review(made, text('2'), { deploys: false });
    expect(fileIn(file).deploys).toBe(false);
    made.requests('POST');
    await applyFile(made, file, text('2'));
    expect(made.requests('POST').toSorted()).toEqual(['compose.update', 'postgres.update']);
    await mended(made, text('2'));
  });

  test('approves the deletion of everything with --destroy', async () => {
    const made = await started();
    const file = await review(made, text('1'), { destroys: true });
    // What is declared is not what it is about.
    const other = text('2').replace(head, `${head}moved: [{ from: a.compose.b, to: ${shop} }]\n`);
    await applyFile(made, file, other, { dataLoss: true });
    expect(made.store.state?.resources).toEqual({});
  });

  test('approves no deployment that is not in it', async () => {
    const made = bench();
    const env = (value: string) => production(stack(`env: { A: "${value}" }`));
    await made.apply(env('1'));
    await applyFile(made, await review(made, env('2'), { deploys: false }), env('2'));
    await deployByHand(made, idOf(made, shop), 'compose');
    const file = await review(made, env('2'));
    expect(actionsIn(file)).toEqual({});
    // The platform no longer lists the one that somebody ordered.
    const { deployment } = made.emulator.world.tables;
    for (const [id, row] of Object.entries(deployment)) if (row.title !== 'Trueup') delete deployment[id];
    expect(await refused(made, file, env('2'))).toEqual([`${shop} has to be deployed now`]);
    await mended(made, env('2'));
  });

  test('approves no overwriting of later edits to an adopted object', async () => {
    const made = bench();
    const text = production('    env: { REGION: eu }\n');
    const file = await review(made, text);
    expect(actionsIn(file)).toMatchObject({ production: { 'action adopt': '' } });
    expect(actionsIn(file)['production']).not.toHaveProperty('consent');
    await act(made, 'environment.update', { environmentId: 'env_prj_1', env: 'REGION=us\n' });
    expect(await refused(made, file, text)).toEqual([
      'env.REGION of production was changed on the platform',
      'to take over production needs consent',
    ]);
    await mended(made, text);
  });

  test('approves no data at risk that it does not name', async () => {
    const made = bench();
    const mount = (mounts: string) => production(database(mounts));
    await made.apply(mount('mounts: { /x: { type: bind, hostPath: /srv/x } }'));
    const file = await review(made, mount(''));
    for (const row of Object.values(made.emulator.world.tables.mount)) {
      if (row.mountPath === '/x') Object.assign(row, { type: 'volume', volumeName: 'x', hostPath: null });
    }
    expect(await refused(made, file, mount(''))).toContainEqual(
      expect.stringMatching(/^to delete .* puts data at risk: /),
    );
    await mended(made, mount(''));
  });
});

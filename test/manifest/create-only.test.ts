import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { verdictOf } from '../../src/render/verdict.ts';
import { applyInTime, ordersIn, plansNothingMore, platformWith } from '../support/deploying.ts';
import { driftOf } from '../support/drifting.ts';
import { documentOf } from '../support/documents.ts';
import { actionsOf, applyLater, everything, idOf, notesOf, plansNothing, rowsIn } from '../support/faults.ts';
import { oneError, told } from '../support/problems.ts';
import { applyFile, refused, review } from '../support/reviewed.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** Fields that others set once the object is there. */

afterEach(() => {
  vi.useRealTimers();
});

const production = (blocks: string) => `${head}environments:\n  production:\n${blocks}`;
const application = (block: string) => production(`    application:\n      web: { ${block} }\n`);
const docker = (image: string, more = '') => `source: { type: docker, image: "${image}"${more} }`;
const compose = (block: string) =>
  production(
    `    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, ${block} }\n`,
  );
const web = 'production.application.web';
const shop = 'production.compose.shop';

/**
 * A field by its path, in a block with a value of it, another field, and `createOnly:`. `act`: somebody sets it on the platform.
 * The other field is written by the same request where there is one.
 */
const fields = [
  {
    path: 'source.image',
    at: web,
    text: (value: number, other: number, more: string) =>
      application(`${docker(`nginx:${value}`, `, username: "u${other}", password: "p"`)}${more}`),
    act: (made: Bench) =>
      made.emulator.act('application.update', { applicationId: idOf(made, web), dockerImage: 'nginx:2' }),
    seen: (made: Bench) => rowsIn(made, 'application')[0]?.dockerImage,
    values: ['nginx:1', 'nginx:2', 'nginx:3'],
  },
  {
    path: 'replicas',
    at: web,
    text: (value: number, other: number, more: string) =>
      application(`${docker('nginx')}, replicas: ${value}, command: "sleep ${other}"${more}`),
    act: (made: Bench) => made.emulator.act('application.update', { applicationId: idOf(made, web), replicas: 2 }),
    seen: (made: Bench) => rowsIn(made, 'application')[0]?.replicas,
    values: [1, 2, 3],
  },
  {
    path: 'env.TAG',
    at: web,
    text: (value: number, other: number, more: string) =>
      application(`${docker('nginx')}, env: { TAG: "${value}", OTHER: "${other}" }${more}`),
    act: (made: Bench) =>
      made.emulator.act('application.saveEnvironment', {
        applicationId: idOf(made, web),
        env: String(rowsIn(made, 'application')[0]?.env).replace(/TAG=.*/, 'TAG=2'),
        buildArgs: null,
        buildSecrets: null,
        createEnvFile: false,
      }),
    seen: (made: Bench) => /TAG=(.*)/.exec(String(rowsIn(made, 'application')[0]?.env))?.[1],
    values: ['1', '2', '3'],
  },
  {
    path: 'env',
    at: shop,
    text: (value: number, other: number, more: string) =>
      compose(`env: { TAG: "${value}" }, description: "${other}"${more}`),
    act: (made: Bench) => made.emulator.act('compose.update', { composeId: idOf(made, shop), env: 'TAG=2\nMORE=x\n' }),
    seen: (made: Bench) => rowsIn(made, 'compose')[0]?.env,
    values: ['TAG=1\n', 'TAG=2\nMORE=x\n', 'TAG=3\n'],
  },
  {
    path: 'port',
    at: `${shop}.domains["a.example.com"]`,
    text: (value: number, other: number, more: string) =>
      compose(`domains: { a.example.com: { serviceName: web, port: ${value}, path: "/${other}"${more} } }`),
    act: async (made: Bench) => {
      const [row] = rowsIn(made, 'domain') as (Row & { domainId: string })[];
      await made.emulator.act('domain.update', { ...row, port: 2 });
    },
    seen: (made: Bench) => rowsIn(made, 'domain')[0]?.port,
    values: [1, 2, 3],
  },
];

describe.each(fields)('createOnly: [$path]', ({ path, at, text, act, seen, values: [first, theirs, third] }) => {
  const only = `, createOnly: ["${path}"]`;
  const applied = async (made: Bench, manifest: string) => {
    await made.apply(manifest, everything);
    await plansNothing(made, manifest);
  };

  /** The object is there, and others set the field. */
  async function setByOthers(): Promise<Bench> {
    const made = bench();
    await applied(made, text(1, 1, only));
    expect(seen(made)).toBe(first);
    await act(made);
    expect(seen(made)).toBe(theirs);
    return made;
  }

  test('is written when the object is created, and then neither compared nor reported as drift', async () => {
    const made = await setByOthers();
    await plansNothing(made, text(1, 1, only));
    const planned = await made.plan(text(1, 1, only));
    const named = path === 'env' ? 'env.TAG' : path;
    const words = `1 field was not compared: it is not managed after creation (${named}).`;
    expect(verdictOf(documentOf(planned))).toBe(`No changes in what was compared. ${words}`);
    expect(notesOf(planned)).toEqual([]);
    const { findings } = await driftOf(made, text(1, 1, only));
    expect(findings).toEqual([]);
  });

  test('keeps the value of others in a request for another field', async () => {
    const made = await setByOthers();
    await applied(made, text(1, 2, only));
    expect(seen(made)).toBe(theirs);
  });

  test('leaves an edit to the next creation, says so, and deploys nothing for it', async () => {
    const made = await setByOthers();
    await plansNothing(made, text(3, 1, only));
    expect(notesOf(await made.plan(text(3, 1, only))).map(({ code }) => code)).toEqual(['create-only']);
    expect(seen(made)).toBe(theirs);
  });

  test('is compared and written again when the name is gone', async () => {
    const made = await setByOthers();
    expect(actionsOf(await made.plan(text(3, 1, '')))).toContain(`update ${at}`);
    await applied(made, text(3, 1, ''));
    expect(seen(made)).toBe(third);
  });

  test('takes the value that is there when the object is adopted, also where the state is lost', async () => {
    const made = await setByOthers();
    const fresh = bench({ emulator: made.emulator, clock: made.clock });
    await applied(fresh, text(3, 1, only));
    expect(seen(fresh)).toBe(theirs);
    await applied(fresh, text(3, 2, only));
    expect(seen(fresh)).toBe(theirs);
    await applied(fresh, text(3, 2, ''));
    expect(seen(fresh)).toBe(third);
  });

  test('may be added later: nothing is planned for that', async () => {
    const made = bench();
    await applied(made, text(1, 1, ''));
    await act(made);
    await plansNothing(made, text(1, 1, only));
    expect(seen(made)).toBe(theirs);
  });
});

test('a replacement is a creation', async () => {
  const made = bench();
  const text = (image: string) => application(`${docker(image)}, createOnly: [source.image]`);
  await made.apply(text('nginx:1'), everything);
  await made.emulator.act('application.update', { applicationId: idOf(made, web), dockerImage: 'nginx:2' });
  const narrowing = readNarrowing({ replace: [web] });
  const planned = await plan(await made.manifest(text('nginx:3')), made.world(), { narrowing });
  expect(notesOf(planned).map(({ code }) => code)).not.toContain('create-only');
  await applyLater(made, planned);
  expect(rowsIn(made, 'application').map(({ dockerImage }) => dockerImage)).toEqual(['nginx:3']);
  await plansNothing(made, text('nginx:3'));
});

test('needs its secret when the object is created, and not from then on', async () => {
  const made = bench();
  made.secrets['TAG'] = 'canary-1';
  const text = application(`${docker('nginx')}, env: { TAG: "\${secret:TAG}", A: "1" }, createOnly: [env.TAG]`);
  await made.apply(text, everything);
  await plansNothing(made, text);
  delete made.secrets['TAG'];
  const edited = text.replace('A: "1"', 'A: "2"');
  await made.apply(edited, everything);
  expect(rowsIn(made, 'application')[0]?.env).toBe('TAG=canary-1\nA=2\n');
  await plansNothing(made, edited);
});

test.each([
  ['[§source.imag]', 'this block does not write source.imag Did you mean source.image?'],
  ['[§dockerImag]', 'this block does not write dockerImag It writes source.image, replicas, env, env.TAG.'],
  ['[§source]', 'this block does not write source Write source.image.'],
  ['[§source.type]', 'source.type chooses which fields the block has Write source.image.'],
  ['[replicas, §env.TGA]', 'this block does not write env.TGA Did you mean env.TAG?'],
  ['[§memoryLimit]', 'this block does not write memoryLimit It writes'],
])('createOnly: %s is an error', async (written, said) => {
  const text = application(`${docker('nginx')}, replicas: 2, env: { TAG: "1" }, createOnly: ${written}`);
  expect(await told(text)).toEqual(oneError('bad-reference', `createOnly: ${said}`));
});

test('is written also when a source of another type takes the place of the old one', async () => {
  const made = bench();
  await made.apply(application(docker('nginx')), everything);
  const git = (branch: string) =>
    application(
      `source: { type: git, url: "https://git.example.com/shop.git", branch: ${branch} }, createOnly: [source.branch]`,
    );
  await made.apply(git('main'), everything);
  expect(rowsIn(made, 'application')[0]).toMatchObject({ sourceType: 'git', customGitBranch: 'main' });
  await plansNothing(made, git('main'));
  await plansNothing(made, git('next'));
});

test('a value that others took away, and that a request cannot go without, is an error', async () => {
  const made = bench();
  const git = (url: string) =>
    application(`source: { type: git, url: "${url}", branch: main }, createOnly: [source.branch]`);
  await made.apply(git('https://git.example.com/a.git'), everything);
  await made.emulator.act('application.update', { applicationId: idOf(made, web), customGitBranch: null });
  await plansNothing(made, git('https://git.example.com/a.git'));
  const notes = notesOf(await made.plan(git('https://git.example.com/b.git')));
  expect(notes.filter(({ code }) => code === 'cannot-change').map(({ remedy }) => remedy)).toEqual([
    'Set source.branch on the platform: createOnly leaves it to others.',
  ]);
});

test.each([
  ['source.composeFile', 'source: { type: raw, composeFile: "services: { web: { image: nginx:1 } }" }', 'nginx:2'],
  [
    'env.TAG',
    'source: { type: raw, composeFile: "services: { a: { image: a } }" }, env: { TAG: "1 ${secret:S}" }',
    '2 ${secret:S}',
  ],
  ['env', 'source: { type: raw, composeFile: "services: { a: { image: a } }" }, env: "TAG=1"', 'TAG=2'],
])('an edit of %s does not start a deployment again that an earlier run started', async (path, block, other) => {
  const made = platformWith(20);
  made.secrets['S'] = 'canary-1';
  const text = production(`    compose:\n      shop: { ${block}, createOnly: ["${path}"] }\n`);
  await applyInTime(made, text, { waits: false });
  expect(ordersIn(made)).toEqual(['shop']);
  const edited = text.replace(/nginx:1|1 \$\{secret:S\}|TAG=1/, other);
  expect(edited).not.toBe(text);
  await applyInTime(made, edited);
  expect(ordersIn(made)).toEqual([]);
  await plansNothingMore(made, edited);
});

test('a reviewed plan is out of date when a name comes, and applies as it was reviewed', async () => {
  const made = bench();
  const text = (more: string) => application(`${docker('nginx')}, replicas: 2${more}`);
  await made.apply(text(''), everything);
  await made.emulator.act('application.update', { applicationId: idOf(made, web), replicas: 3 });
  const file = await review(made, text(''));
  expect(await refused(made, file, text(', createOnly: [replicas]'))).toContainEqual(
    expect.stringContaining('createOnly'),
  );
  const kept = await review(made, text(', createOnly: [replicas], command: "sleep 1"'));
  await applyFile(made, kept, text(', createOnly: [replicas], command: "sleep 1"'));
  expect(rowsIn(made, 'application')[0]).toMatchObject({ replicas: 3, command: 'sleep 1' });
});

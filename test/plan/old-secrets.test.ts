import { expect, test } from 'vitest';
import type { Plan } from '../../src/plan/action.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { session } from '../../src/workflow/session.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** Services that keep the old value of a secret, because a narrowed plan leaves their change out. */

type Asked = Parameters<typeof readNarrowing>[0];

const main = 'production.postgres.main';
const secret = '${secret:PW}';
const token = '${secret:TOKEN}';
const withPassword = (from: string) => database().replace(/databasePassword: [^,} ]+/, `databasePassword: "${from}"`);
const stacks = (blocks: Readonly<Record<string, string>>) =>
  `    compose:\n${Object.entries(blocks)
    .map(([key, more]) => `      ${key}: { ${composeBody}, ${more} }\n`)
    .join('')}`;
const users = stacks({
  shop: `env: { URL: "postgres://shop:${secret}@db/shop" }`,
  worker: `env: { OTHER: "${token}", PASSWORD: "${secret}" }`,
  mail: `env: { OTHER: "${token}" }`,
});

async function narrowed(made: Bench, text: string, asked: Asked, does: 'plan' | 'apply' = 'plan') {
  return session(await made.manifest(text), made.platform(), { purpose: does, clock: made.clock }, async (run) => {
    const plan = await run.plan({ narrowing: readNarrowing(asked) });
    if (does === 'apply') await run.apply(plan, { dataLoss: false, adoption: false });
    return plan;
  });
}

function saidIn({ diagnostics, narrowed: part }: Pick<Plan, 'diagnostics' | 'narrowed'>) {
  const notes = diagnostics.filter(({ code }) => code === 'old-secret');
  return { notes: notes.map(({ message, remedy }) => [message, remedy]), old: part?.oldSecrets };
}

const nothing = { notes: [], old: undefined };

async function applied(text: string): Promise<Bench> {
  const made = bench();
  Object.assign(made.secrets, { PW: 'correct-horse-1', TOKEN: 'battery-staple-1' });
  Object.assign(made.env, { PW: 'correct-horse-1' });
  await made.apply(text);
  return made;
}

const changesOf = ({ actions }: Pick<Plan, 'actions'>) =>
  actions.filter(({ action }) => action !== 'no-op').map(({ address, action }) => `${action} ${address}`);

test('a rotation for the database alone names the services that keep the old password', async () => {
  const text = production(withPassword(secret) + users);
  const made = await applied(text);
  made.secrets['PW'] = 'correct-horse-2';
  const plan = await narrowed(made, text, { target: [main] }, 'apply');
  expect(saidIn(plan)).toEqual({
    notes: [
      [
        'this plan writes a new value of PW; production.compose.shop, production.compose.worker keep the old one until they are applied too',
        'Add --target production.compose.shop --target production.compose.worker, or run trueup apply for the rest right after.',
      ],
    ],
    old: [
      { address: 'production.compose.shop', secrets: ['PW'], writtenAt: [main] },
      { address: 'production.compose.worker', secrets: ['PW'], writtenAt: [main] },
    ],
  });
  expect(JSON.stringify(saidIn(plan))).not.toContain('correct-horse');
  await made.apply(text);
  expect(changesOf(await made.plan(text))).toEqual([]);
});

test('an encoded value counts as the value', async () => {
  const encoded = users.replace(`PASSWORD: "${secret}"`, 'PASSWORD: "x-${secret:PW|base64}"');
  const text = production(withPassword(secret) + encoded);
  const made = await applied(text);
  made.secrets['PW'] = 'correct-horse-2';
  const named = (plan: Plan) => saidIn(plan).old?.map(({ address }) => address);
  expect(named(await narrowed(made, text, { target: [main] }))).toEqual([
    'production.compose.shop',
    'production.compose.worker',
  ]);
  expect(named(await narrowed(made, text, { target: ['production.compose.worker'] }))).toEqual([
    main,
    'production.compose.shop',
  ]);
});

test.each<[string, Asked]>([
  ['the whole plan', {}],
  ['every user named', { target: [main, 'production.compose.shop', 'production.compose.worker'] }],
  ['another target', { target: ['production.compose.mail'] }],
  ['the database left out too', { exclude: [main, 'production.compose'] }],
])('nothing is said of %s', async (_, asked) => {
  const text = production(withPassword(secret) + users);
  const made = await applied(text);
  made.secrets['PW'] = 'correct-horse-2';
  expect(saidIn(await narrowed(made, text, asked))).toEqual(nothing);
});

test('an exclusion names those that it excludes', async () => {
  const text = production(withPassword(secret) + users);
  const made = await applied(text);
  made.secrets['PW'] = 'correct-horse-2';
  expect(saidIn(await narrowed(made, text, { exclude: ['production.compose.shop'] })).notes).toEqual([
    [
      'this plan writes a new value of PW; production.compose.shop keeps the old one until it is applied too',
      'Do not exclude production.compose.shop, or run trueup apply for the rest right after.',
    ],
  ]);
});

test.each(['secret', 'env'])(
  'a text that changes around an unchanged secret is no rotation: ${%s:}',
  async (source) => {
    const from = (text: string) => text.replaceAll('secret:PW', `${source}:PW`);
    const before = production(from(withPassword(secret) + users));
    const made = await applied(before);
    const text = before.replace('@db/', '@db2/').replace('PASSWORD: "', 'PASSWORD: "a');
    const plan = await narrowed(made, text, { target: ['production.compose.shop'] });
    expect(plan.narrowed?.leftOut.map(({ address }) => address)).toContain('production.compose.worker');
    expect(saidIn(plan)).toEqual(nothing);
  },
);

test('a secret of the environment of the run counts, by its value', async () => {
  const env = (text: string) => text.replaceAll('secret:PW', 'env:PW');
  const text = production(env(withPassword(secret) + users));
  const made = await applied(text);
  made.env['PW'] = 'correct-horse-2';
  expect(saidIn(await narrowed(made, text, { target: [main] })).notes[0]?.[0]).toBe(
    'this plan writes a new value of a secret; production.compose.shop, production.compose.worker keep the old one until they are applied too',
  );
});

test('variables above services name the services that are deployed with them', async () => {
  const text = production(
    `    env: { DB_PASSWORD: "${secret}" }\n${withPassword(secret)}${stacks({
      shop: 'env: { PASSWORD: "${{environment.DB_PASSWORD}}" }',
      mail: 'env: { A: one }',
    })}`,
  );
  const made = await applied(text);
  made.secrets['PW'] = 'correct-horse-2';
  expect(saidIn(await narrowed(made, text, { target: [main] })).old).toEqual([
    { address: 'production.compose.shop', secrets: ['PW'], writtenAt: [main] },
  ]);
});

test('a service that mentions another variable above it is not named', async () => {
  const above = `    env: { DB_PASSWORD: "${secret}", OTHER: "${token}" }\n`;
  const users = stacks({
    shop: 'env: { PASSWORD: "${{environment.DB_PASSWORD}}" }',
    mail: 'env: { A: "${{environment.OTHER}}" }',
  });
  const text = production(above + withPassword(secret) + users);
  const made = await applied(text);
  Object.assign(made.secrets, { PW: 'correct-horse-2', TOKEN: 'battery-staple-2' });
  expect(saidIn(await narrowed(made, text, { target: [main] })).old?.map(({ address }) => address)).toEqual([
    'production.compose.shop',
  ]);
});

test('every place of a secret counts: files, texts, passwords of other kinds, variables of the project', async () => {
  const file = (content: string) => `files: { a.conf: { content: "${content}" } }`;
  const composeFile = (image: string) => `source: { type: raw, composeFile: "services: { web: { image: ${image} } }" }`;
  const text = `trueup: 1
platform: emulator
project: { name: shop, env: { OUTER: "${secret}" } }
registries:
  own: { registryUrl: r.example.com, username: u, password: "${secret}", imagePrefix: x }
environments:
  production:
${withPassword(secret)}    redis:
      cache: { dockerImage: "redis:8", databasePassword: "${secret}" }
    compose:
      file: { ${composeBody}, ${file(`password ${secret}`)} }
      text: { ${composeFile(`nginx-${secret}`)} }
      through: { ${composeBody}, env: { A: "\${{project.OUTER}}" } }
      mail: { ${composeBody}, env: { A: one } }
`;
  const made = await applied(text);
  made.secrets['PW'] = 'correct-horse-2';
  const { old } = saidIn(await narrowed(made, text, { target: [main] }));
  expect(old?.map(({ address }) => address).toSorted()).toEqual([
    'production.compose.file',
    'production.compose.text',
    'production.compose.through',
    'production.redis.cache',
    'registries.own',
  ]);
  await made.apply(text);
  expect(changesOf(await made.plan(text))).toEqual([]);
});

test('several secrets are named, and a service only once', async () => {
  const two = stacks({ shop: `env: { A: "${secret}", B: "x${token}" }` });
  const mail = `    redis:\n      mail: { dockerImage: "redis:8", databasePassword: "${token}" }\n`;
  const text = production(withPassword(secret) + mail + two);
  const made = await applied(text);
  Object.assign(made.secrets, { PW: 'correct-horse-2', TOKEN: 'battery-staple-2' });
  expect(saidIn(await narrowed(made, text, { exclude: ['production.compose.shop'] })).notes[0]?.[0]).toBe(
    'this plan writes new values of PW, TOKEN; production.compose.shop keeps the old ones until it is applied too',
  );
});

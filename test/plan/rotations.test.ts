import { expect, test } from 'vitest';
import type { Plan } from '../../src/plan/action.ts';
import { rotationsIn } from '../../src/plan/rotations.ts';
import { composeBody, database, production } from '../support/manifest-texts.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';

/** A rotated secret: what a plan shows of it, and which services restart because of it. */

const main = 'production.postgres.main';
const secret = '${secret:PW}';
const withPassword = database().replace(/databasePassword: [^,} ]+/, `databasePassword: "${secret}"`);
const stacks = (blocks: Readonly<Record<string, string>>) =>
  `    compose:\n${Object.entries(blocks)
    .map(([key, more]) => `      ${key}: { ${composeBody}, ${more} }\n`)
    .join('')}`;

async function applied(text: string): Promise<Bench> {
  const made = bench();
  Object.assign(made.secrets, { PW: 'correct-horse-1', USER: 'battery-staple-1', TOKEN: 'kettle-1' });
  await made.apply(text);
  return made;
}

const service = (name: string) => `production.compose.${name}`;

function sidesAt({ actions }: Pick<Plan, 'actions'>, address: string, path: string) {
  const found = actions.find((action) => action.address === address)?.changes.find((change) => change.path === path);
  return [found?.before, found?.after].map((side) => (side !== undefined && 'value' in side ? side.value : side?.is));
}

test('names the services that restart because of a new value, and only those', async () => {
  const above = `    env: { SHARED: "x-${secret}", OTHER: "\${secret:TOKEN}" }\n`;
  const text = production(
    above +
      withPassword +
      stacks({
        shop: `env: { URL: "postgres://shop:${secret}@db/shop", TIER: gold }`,
        through: 'env: { A: "${{environment.SHARED}}" }',
        beside: 'env: { A: "${{environment.OTHER}}" }',
        mail: 'env: { A: one }',
      }),
  );
  const made = await applied(text);
  made.secrets['PW'] = 'correct-horse-2';
  made.secrets['TOKEN'] = 'kettle-2';
  const edited = text.replace('A: one', 'A: two');
  expect(rotationsIn((await made.plan(edited)).actions)).toEqual([
    {
      secret: 'PW',
      writtenAt: ['production', main, service('shop')],
      restarts: [service('shop'), service('through')],
      changedFirst: [main],
      clients: [service('shop'), service('through')],
    },
    { secret: 'TOKEN', writtenAt: ['production'], restarts: [service('beside')] },
  ]);
  await made.apply(edited);
  expect(rotationsIn((await made.plan(edited)).actions)).toEqual([]);
});

test('tells the variables of an environment that is one text apart', async () => {
  const text = production(
    `    env: "SHARED=x-${secret}\\nOTHER=\${secret:TOKEN}\\n"\n${stacks({
      through: 'env: { A: "${{environment.SHARED}}" }',
      beside: 'env: { A: "${{environment.OTHER}}" }',
    })}`,
  );
  const made = await applied(text);
  Object.assign(made.secrets, { PW: 'correct-horse-2', TOKEN: 'kettle-2' });
  expect(rotationsIn((await made.plan(text)).actions).map(({ restarts }) => restarts)).toEqual([
    [service('through')],
    [service('beside')],
  ]);
});

test('shows the text once, with marks at the parts that change', async () => {
  const url = 'postgres://${secret:USER}:${secret:PW}@db/shop?token=${secret:TOKEN}';
  const shop = (tier: string) => stacks({ shop: `env: { URL: "${url}", PW: "${secret}", TIER: ${tier} }` });
  const made = await applied(production(shop('gold')));
  made.secrets['PW'] = 'correct-horse-2';
  const plan = await made.plan(production(shop('silver')));
  expect(sidesAt(plan, service('shop'), 'env.URL')).toEqual([
    'postgres://(sensitive):(sensitive)@db/shop?token=(sensitive)',
    'postgres://(sensitive):(sensitive, changed)@db/shop?token=(sensitive)',
  ]);
  expect(sidesAt(plan, service('shop'), 'env.PW')).toEqual(['hidden', 'hidden']);
  expect(JSON.stringify(plan.actions.map(({ changes }) => changes))).not.toMatch(/correct-horse|battery|kettle/);
  // A text that is edited too shows what is in clear around the secrets it was applied with.
  const edited = await made.plan(production(shop('gold').replace('db/shop', 'db2/shop')));
  expect(sidesAt(edited, service('shop'), 'env.URL')).toEqual([
    'postgres://(sensitive)',
    'postgres://(sensitive):(sensitive)@db2/shop?token=(sensitive)',
  ]);
});

test('marks the lines of a file, and the parts of a line', async () => {
  const file = [
    'services:',
    '  web:',
    '    image: nginx:1.27',
    '    environment:',
    '      URL: https://${secret:USER}:${secret:PW}@db/shop',
    '      KEY: ${secret:TOKEN}',
    '',
  ];
  const block = (lines: readonly string[]) =>
    production(
      `    compose:\n      shop:\n        source:\n          type: raw\n          composeFile: |\n${lines
        .map((line) => `            ${line}\n`)
        .join('')}`,
    );
  const made = await applied(block(file));
  made.secrets['PW'] = 'correct-horse-2';
  const before = [
    ...file.slice(0, 4),
    '      URL: https://(sensitive):(sensitive)@db/shop',
    '      KEY: (sensitive)',
    '',
  ];
  const after = before.with(4, '      URL: https://(sensitive):(sensitive, changed)@db/shop');
  const path = 'source.composeFile';
  expect(sidesAt(await made.plan(block(file)), service('shop'), path)).toEqual(
    [before, after].map((one) => one.join('\n')),
  );
  await made.apply(block(file));
  expect(rotationsIn((await made.plan(block(file))).actions)).toEqual([]);
});

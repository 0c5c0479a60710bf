import { expect, test } from 'vitest';
import { bench, head } from '../support/world.ts';
import { oneError, told } from '../support/problems.ts';

/** Which services `after:` of a block names. */

const database = '{ dockerImage: "postgres:17", databaseName: shop, databaseUser: u, databasePassword: password-1 }';
const stack = (more: string) => `{ source: { type: raw, composeFile: "services: { web: { image: nginx } }" }${more} }`;
const services = (web: string, job = '', above = '') => `${head}${above}environments:
  production:
    postgres: { main: ${database} }
    compose:
      web: ${stack(`, domains: { a.example.com: { serviceName: web, port: 80 } }${web}`)}
      job: ${stack(job)}
  staging:
    redis: { cache: { dockerImage: "redis:8", databasePassword: abcdef } }
`;

test.each([
  ['[postgres.main]', ['production.postgres.main']],
  ['[production.postgres.main]', ['production.postgres.main']],
  ['[compose.job, "postgres[\\"main\\"]", compose.job]', ['production.compose.job', 'production.postgres.main']],
  ['[staging.redis.cache]', ['staging.redis.cache']],
])('after: %s', async (written, addresses) => {
  const { resources } = await bench().manifest(services(`, after: ${written}`));
  const web = resources.find(({ address }) => address === 'production.compose.web');
  expect(web?.after?.map(({ address }) => address)).toEqual(addresses);
});

test.each([
  ['[§postgres.mian]', 'after: there is no resource postgres.mian Did you mean postgres.main?'],
  ['[§redis.cache]', 'after: there is no resource redis.cache Did you mean staging.redis.cache?'],
  ['[§main]', 'after: there is no resource main Did you mean postgres.main?'],
  ['[§compose.web]', 'after: production.compose.web cannot wait for its own deployment Remove the entry.'],
  ['[§production]', 'after: production is an environment, and only services are deployed Write the address of an app'],
])('after: %s is an error', async (written, said) => {
  expect(await told(services(`, after: ${written}`))).toEqual(oneError('bad-reference', said));
});

test('one address without its list is an error that writes the list', async () => {
  const said = 'after must be a list, got "postgres.main" Write this instead:\nafter: \\[postgres.main\\]';
  expect(await told(services(', after: §postgres.main'))).toEqual(oneError('wrong-type', said));
});

test('what stands below a service stands for no service', async () => {
  const text = services('', `, after: [§'compose.web.domains["a.example.com"]']`);
  const said = 'is a domain, and only services are deployed Write production.compose.web.';
  expect(await told(text)).toEqual(oneError('bad-reference', said));
});

test.each(['compose.job', 'production.compose.job'])('a circle through %s is an error', async (job) => {
  const circle = 'production.compose.web -> production.compose.job -> production.compose.web';
  const remedy = 'Remove production.compose.job from after: of production.compose.web.';
  const said = `after: each of these waits for the deployment of the next: ${circle} ${remedy}`;
  expect(await told(services(`, after: [§${job}]`, ', after: [compose.web]'))).toEqual(oneError('bad-reference', said));
});

test('a template names it with its parameters, and a block over it', async () => {
  const template = `templates:
  waiting: { parameters: { db: {} }, block: { after: ['postgres.\${param:db}'] } }
`;
  const text = services(
    ', use: waiting, with: { db: main }',
    ', use: waiting, with: { db: main }, after: [compose.web]',
    template,
  );
  const { resources } = await bench().manifest(text);
  const named = resources.flatMap(({ address, after = [] }) => after.map((one) => `${address} after ${one.address}`));
  expect(named).toEqual([
    'production.compose.web after production.postgres.main',
    'production.compose.job after production.compose.web',
  ]);
});

test('a service that changes: takes out is named with its line', async () => {
  const root = `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironment: production\ninclude: [shop.yaml]\nchanges: { postgres: { main: !reset } }\n`;
  const shop = `postgres: { main: ${database} }\ncompose: { web: ${stack(', after: [§postgres.main]')} }\n`;
  const said = 'after: trueup.yaml:6:24 takes production.postgres.main out with !reset';
  expect(await told({ 'trueup.yaml': root, 'shop.yaml': shop })).toEqual(oneError('bad-reference', said));
});

import { describe, expect, test } from 'vitest';
import { kinds } from '../../src/resources/index.ts';
import { alternativesOf } from '../../src/kind/command-call.ts';
import { apiKey, places } from '../cli/place.ts';
import { trueup } from '../cli/process.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import { bench } from '../support/world.ts';

/**
 * A state in which every id is that of an object of another project, and which is valid in every other respect: whoever
 * has the keys of the state can write it. No command touches these objects, or shows one of their values.
 */

const open = places();

const stack = (image: string) => `{ type: raw, composeFile: "services: { web: { image: ${image} } }" }`;

/** One of each kind of service, with something below it; `word` is in every text that a command could show. */
const sections = (word: string) => `environments:
  production:
    env: { ${word.toUpperCase()}: ${word}-value }
    postgres:
      main:
        dockerImage: ${word}-image
        description: ${word}-text
        databaseName: ${word}
        databaseUser: ${word}
        databasePassword: ${word}-password-1
        mounts: { /${word}: { type: bind, hostPath: /${word} } }
        backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: ${word}/ } }
        volumeBackups: { copy: { volumeName: ${word}, cronExpression: "0 3 * * *", prefix: ${word}/, destinationId: dst_1 } }
    mariadb:
      main: { dockerImage: ${word}-image, databaseName: ${word}, databaseUser: ${word}, databasePassword: ${word}-password-1 }
    redis: { cache: { dockerImage: ${word}-image, databasePassword: ${word}-password-1 } }
    application: { web: { source: { type: docker, image: ${word}-image }, description: ${word}-text } }
    compose:
      shop:
        source: ${stack(`${word}-image`)}
        description: ${word}-text
        domains: { ${word}.example.com: { serviceName: web } }
  staging: { description: ${word}-text }
`;
const ours = sections('ours');
const references = ['postgres.main.host', 'redis.cache.appName', 'compose.shop.id', 'application.web.host', 'id'];
const outputs = `outputs:
${references.map((name, index) => `  o${index}: "\${ref:production.${name}}"\n`).join('')}  staging: "\${ref:staging.id}"
  domain: '\${ref:production.compose.shop.domains["ours.example.com"].id}'
`;

/** The project of somebody else on the same platform, with objects like ours; and our state, in which all ids are theirs. */
async function forged() {
  const place = await open(ours);
  const { emulator } = place;
  const keyed: typeof emulator.send = (request) =>
    emulator.send({ ...request, headers: { ...request.headers, 'x-api-key': apiKey } });
  const theirs = bench({ emulator: { ...emulator, send: keyed }, clock: selfMovingClock(Date.now()) });
  const { state, outcomes } = await theirs.apply(
    `trueup: 1\nplatform: { url: "${place.url}" }\nproject: prj_2\n${sections('foreign')}`,
    { adoption: true, dataLoss: true },
  );
  expect(outcomes.filter(({ result }) => result !== 'done')).toEqual([]);
  const idAt = (address: string) => state.resources[address.replaceAll('ours', 'foreign')]?.id ?? '';
  await place.rewriteState((resources) =>
    Object.fromEntries(Object.entries(resources).map(([key, record]) => [key, { ...record, id: idAt(key) }])),
  );
  place.rewrite(ours + outputs);
  place.requests();
  const addresses = Object.keys(place.state.resources);
  expect(addresses.map(idAt)).not.toContain('');
  return { place, idAt, addresses };
}

type Forged = Awaited<ReturnType<typeof forged>>;

/**
 * Runs a command in both formats. Gives what is wrong with its refusal: it has to name the objects, send no POST, and show
 * nothing of them but ids.
 */
async function wrongWith(
  { place, idAt }: Forged,
  words: readonly string[],
  named: readonly string[],
): Promise<string[]> {
  const wrong: string[] = [];
  for (const format of ['text', 'json']) {
    place.requests();
    const { code, out, err } = await trueup([...words, '--format', format], {
      cwd: place.folder,
      env: { TRUEUP_API_KEY: apiKey },
    });
    const text = out + err;
    const asIt = `${words.join(' ')}: ${text}`;
    if (code !== 1 || !text.includes('foreign-object')) wrong.push(`exit code ${code} of ${asIt}`);
    const unnamed = named.filter((address) => !text.includes(idAt(address)));
    if (unnamed.length > 0) wrong.push(`does not name ${unnamed.join(', ')}: ${asIt}`);
    if (/foreign|LOG:/i.test(text.replaceAll('foreign-object', ''))) wrong.push(`shows a value: ${asIt}`);
    wrong.push(...place.requests().filter((request) => request.startsWith('POST')));
  }
  return wrong;
}

const services = ['postgres.main', 'mariadb.main', 'redis.cache', 'application.web', 'compose.shop'].map(
  (name) => `production.${name}`,
);

describe('S1: with a state in which every id is that of an object of another project', () => {
  test.each([
    ['plan', ['plan']],
    ['plan --out', ['plan', '--out', 'made.plan']],
    ['apply', ['apply', '--auto-approve', '--allow-data-loss', '--allow-mass-delete', '--adopt']],
    ['destroy', ['destroy', '--auto-approve', '--allow-data-loss']],
  ])('S1: %s sends no POST and shows nothing of theirs', async (_title, words) => {
    const world = await forged();
    expect(await wrongWith(world, words, services)).toEqual([]);
  });

  test('S1: run sends no POST and shows nothing of theirs, whatever the command', async () => {
    const world = await forged();
    const { place, addresses } = world;
    const tried = addresses.flatMap((address) => {
      const kind = kinds.find((item) => item.kind === place.state.resources[address]?.kind);
      return Object.keys(kind?.commands ?? {}).map((name) => [name, address, kind] as const);
    });
    const able = tried.filter(([name, , kind]) => kind !== undefined && alternativesOf(kind, name).length > 0);
    expect(able.length).toBeGreaterThan(25);
    for (const [name, address] of able) {
      const words = ['run', name, address, '--yes', '--allow-data-loss', '--show-secrets'];
      expect(await wrongWith(world, words, [address])).toEqual([]);
    }
    expect(await wrongWith(world, ['run', 'stop', ...services, '--yes'], services)).toEqual([]);
  });

  test('S1: run with --id sends no POST and shows nothing of theirs', async () => {
    const world = await forged();
    const { place, idAt } = world;
    const address = 'production.compose.shop';
    await place.rewriteState((records) =>
      Object.fromEntries(Object.entries(records).filter(([key]) => key !== address)),
    );
    const words = ['run', 'stop', address, '--yes', '--id', idAt(address)];
    expect(await wrongWith(world, words, [address])).toEqual([]);
  });

  test.each([
    ['output', ['output', '--show-secrets'], [...services.filter((name) => !name.includes('mariadb')), 'staging']],
    ['output of an id', ['output', 'o2'], ['production.compose.shop']],
    ['output of the id of a domain', ['output', 'domain'], ['production.compose.shop.domains["ours.example.com"]']],
    ['output of the id of an environment', ['output', 'o4'], ['production']],
    ['status', ['status'], services],
    ['status of one service', ['status', 'production.redis.cache'], ['production.redis.cache']],
    ['logs', ['logs', 'production.postgres.main'], ['production.postgres.main']],
    ['logs --show-secrets', ['logs', 'production.postgres.main', '--show-secrets'], ['production.postgres.main']],
  ])('S1: %s shows nothing of theirs', async (_title, words, named) => {
    const world = await forged();
    expect(await wrongWith(world, words, named)).toEqual([]);
  });
});

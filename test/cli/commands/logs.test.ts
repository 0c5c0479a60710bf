import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Emulator } from '../../../src/emulator/emulator.ts';
import { addRow } from '../../../src/emulator/world.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import { sought } from '../../../src/state/known-capabilities.ts';
import { logsCommand } from '../asked.ts';
import { apiKey, documentIn, places } from '../place.ts';
import { documentOf, trueup } from '../process.ts';

const open = places();

const secrets = { DB: 'canary-7f3a' };
const address = 'production.postgres.main';
const withDatabase = (more = '') => `environments:
  production:
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:DB}"${more} }
    redis: { cache: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" } }
`;
const sections = withDatabase();

/** A platform whose log is this text. */
function logging(log: string) {
  return <T extends Emulator>(emulator: T): T => ({
    ...emulator,
    send: async (request) => {
      const answer = await emulator.send(request);
      return request.path.includes('postgres.readLogs')
        ? { ...answer, status: 200, body: JSON.stringify(log) }
        : answer;
    },
  });
}

describe('logs', () => {
  it('prints the log of a running service, limited by the options', async () => {
    const place = await open(sections, { secrets });
    const all = await place.run(logsCommand(address, {}));
    expect(all).toMatchObject({ exit: 'done', err: '' });
    expect(all.out).toBe(
      'LOG:  starting PostgreSQL\nLOG:  listening on IPv4 address "0.0.0.0", port 5432\nLOG:  database system is ready to accept connections\n',
    );
    const some = await place.run(logsCommand(address, { tail: '1', since: '15m', search: 'listening' }));
    expect(some.out).toBe('LOG:  listening on IPv4 address "0.0.0.0", port 5432\n');
    const sent = place.emulator.log.filter(({ operation }) => operation === 'postgres.readLogs');
    expect(sent.at(-1)?.input).toMatchObject({ tail: 1, since: '15m', search: 'listening' });
    expect(place.requests().filter((request) => request.startsWith('POST'))).toEqual([]);
  });

  it.each([
    ['15m', '15m'],
    ['all', 'all'],
    ['90', '90s'],
    ['1h30m', '5400s'],
  ])('U18: asks for the time since %s as %s', async (since, sent) => {
    const place = await open(sections, { secrets });
    expect(await place.run(logsCommand(address, { since }))).toMatchObject({ exit: 'done' });
    expect(place.emulator.log.at(-1)).toMatchObject({ operation: 'postgres.readLogs', input: { since: sent } });
  });

  it('explains an option that cannot be right by its own help', async () => {
    const place = await open(sections, { secrets });
    const wrong = await place.run(logsCommand(address, { tail: 'x' }));
    expect(wrong.exit).toBe('stopped');
    expect(wrong.err).toContain('-> trueup logs --help shows what its options take.');
    for (const [words, help] of [
      [['logs', '--tial'], 'trueup logs --help lists options.'],
      [['state', 'list', '--x'], 'trueup state list --help lists options.'],
      [['state', 'sho'], 'trueup state --help lists commands and options.'],
      [['nope'], 'trueup --help lists commands and options.'],
    ] as const)
      expect((await trueup(words)).err).toContain(`-> ${help}`);
  });

  it('prints the log of the last deployment of a service, or of one that its row lists', async () => {
    const services = `environments:
  production:
    application: { web: { source: { type: docker, image: nginx }, env: { TOKEN: "\${secret:DB}" } } }
    compose: { tools: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, env: { TOKEN: "\${secret:DB}" } } }
`;
    const place = await open(services, { secrets });
    const operations = ['application.readLogs', 'deployment.readLogs'] as const;
    const platform = { version: 'v1', operations, sought: sought() };
    await localStore(join(place.folder, '.trueup')).write({ ...place.state, serial: 9, platform });
    const [web, tools] = ['production.application.web', 'production.compose.tools'];
    const container = await place.run(logsCommand(web, { tail: '1' }));
    expect(container).toMatchObject({ exit: 'done', out: 'Listening on port 80\n' });
    const { tables } = place.emulator.world;
    for (const { deploymentId, composeId } of Object.values(tables.deployment)) {
      const id = String(deploymentId);
      addRow(place.emulator.world, 'log', { deploymentId: id, text: 'Error: canary-7f3a was refused' });
      const one = await place.run(logsCommand(tools, { deployment: id }));
      if (composeId === null) {
        expect(one.exit).toBe('stopped');
        expect(one.err).toContain(`${tools} has no deployment ${id} -> It has these, the newest last: `);
      } else expect(one.out).toBe('Error: (sensitive) was refused\n');
    }
    expect((await place.run(logsCommand(web, { deployment: true }))).out).toBe('Error: (sensitive) was refused\n');
    expect((await place.run(logsCommand(tools, { deployment: true, search: 'x' }))).err).toContain('takes no --since');
    expect((await place.run(logsCommand(tools, { deployment: true, tail: '0' }))).err).toContain(
      'tail must be at least',
    );
  });

  it.each([
    ['production.compose.shop', 'trueup logs production.compose.shop --deployment'],
    ['production["a b"].compose.shop', `trueup logs 'production["a b"].compose.shop' --deployment`],
  ])('refuses the address %s behind --deployment, with the order of the words', async (given, meant) => {
    for (const words of [
      ['--deployment', given],
      [`--deployment=${given}`, address],
      [address, '--deployment', given],
    ]) {
      const ran = await trueup(['logs', ...words]);
      expect(ran.code).toBe(1);
      expect(ran.err).toContain(`--deployment takes the id of a deployment, got the address ${given}\n`);
      expect(ran.err).toContain(`-> Write the address first: ${meant}\n`);
    }
  });

  it('of another kind is refused as not served, and nothing is sent', async () => {
    const stack =
      '    compose: { tools: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" } } }\n';
    const place = await open(`${sections}${stack}`, { secrets });
    const none = await place.run(logsCommand('production.compose.tools', {}));
    expect(none).toMatchObject({ exit: 'stopped', out: '' });
    expect(none.err).toContain(
      'the platform serves no log for the kind compose -> --deployment prints the log of its last deployment. It has that of: ',
    );
    for (const [flags, told] of [
      [{ tail: '0' }, 'tail must be at least 1, got 0'],
      [{ tail: 'all' }, 'tail must be a number, got text'],
      [{ tail: '10001' }, 'tail must be at most 10000, got 10001'],
      [{ since: 'soon' }, 'since is `all` or a number with s, m, h or d'],
      [{ search: 'a"b' }, 'search may hold only letters'],
    ] as const) {
      expect((await place.run(logsCommand(address, flags))).err).toContain(told);
    }
    expect((await place.run(logsCommand('production.postgres.mian', {}))).err).toContain(`Did you mean ${address}?`);
    expect(place.requests()).toEqual([]);
  });

  it('gives the reason when no container runs', async () => {
    const place = await open(withDatabase(', deploy: never'), { secrets });
    const run = await trueup(['logs', address], { cwd: place.folder, env: { TRUEUP_API_KEY: apiKey } });
    expect(run).toMatchObject({ code: 1, out: '' });
    expect(run.err).toContain('No container or service found');
    expect(place.emulator.log.filter(({ operation }) => operation === 'postgres.readLogs')).toHaveLength(1);
  });

  it('hides the secrets of the service, and prints no character that a terminal obeys', async () => {
    const log = 'LOG: password canary-7f3a\r\nLOG: \u001B[2J\u001B[31mred\n';
    const place = await open(sections, { secrets, around: logging(log) });
    const piped = await place.run(logsCommand(address, {}));
    expect(piped.out).toBe('LOG: password (sensitive)\nLOG: \\u001b[2Jred\n');
    const seen = await place.run(logsCommand(address, {}), { width: 80 });
    expect(seen.out).toBe(piped.out);
    const raw = await place.run(logsCommand(address, { raw: true }));
    expect(raw.out).toBe('LOG: password (sensitive)\nLOG: \u001B[2J\u001B[31mred\n');
    const shown = await place.run(logsCommand(address, { showSecrets: true }));
    expect(shown.out).toContain('canary-7f3a');
    const json = await place.run(logsCommand(address, {}), { format: 'json' });
    expect(documentIn(json)).toEqual({
      format: 'trueup/logs',
      version: 1,
      address,
      lines: ['LOG: password (sensitive)', 'LOG: \u001B[2J\u001B[31mred'],
    });
  });

  it('is a document of the published form from the program', async () => {
    const place = await open(sections, { secrets, around: logging('') });
    const run = await trueup(['logs', address, '--format', 'json'], {
      cwd: place.folder,
      env: { TRUEUP_API_KEY: apiKey },
    });
    expect(documentOf(run)).toMatchObject({ format: 'trueup/logs', lines: [] });
  });
});

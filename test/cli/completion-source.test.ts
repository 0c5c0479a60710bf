import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complete } from '../../src/cli/complete.ts';
import { valuesFor } from '../../src/cli/completion-source.ts';
import { createProgram } from '../../src/cli/program.ts';
import { places } from './place.ts';
import { project } from './process.ts';
import { environment } from '../support/environment.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { newState } from '../../src/state/new-state.ts';
import { processOfTest } from '../support/process.ts';

const open = places();
const sections = `environments:
  production:
    redis: { cache: { dockerImage: "redis:8", databasePassword: "\${secret:DB}" } }
    postgres:
      main:
        { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: "\${secret:DB}", backups: { nightly: { schedule: "0 3 * * *", destinationId: dst_1, prefix: a/ } } }
outputs: { cache: "\${ref:production.redis.cache.host}", main: "\${ref:production.postgres.main.host}" }
`;

describe('the program completes', () => {
  const inFolder = async (folder: string, ...words: string[]) => {
    const here = processOfTest({ env: environment(), cwd: folder });
    const program = await createProgram(here, () => {}, { isNamed: () => true });
    const found = await complete(program, words, valuesFor(here));
    return found === 'files' ? found : found.map(({ value }) => value);
  };

  it('the stages of a folder: files, addresses, variables to promote, secrets, previews and states to move', async () => {
    const head = 'trueup: 1\nplatform: emulator\ninclude: [shop.yaml]\n';
    const sealed =
      'secrets: [{ sealed: secrets/staging.env, recipients: [age1hfst75e63n77hqvp2gy9dlzazn5du3hqufm9arwuhjnm2qmuuaesdf88sw] }]\n';
    const folder = project({
      'shop.yaml': `project: shop
variables: { tag: { promote: true, default: a }, size: { promote: true, default: b }, other: { default: c } }
generated: { DB: { length: 20 }, KEY: uuid }
redis: { cache: { dockerImage: 'redis:8', databasePassword: '\${secret:DB}', env: { A: '\${secret:SALT}' } } }
`,
      'staging.yaml': `${head}environment: staging\n${sealed}`,
      'production.yaml': `${head}environment: production\n`,
      'preview.yaml': `${head}environment: pr\npreview: {}\n`,
    });
    const previews = [
      { id: '12', applied: '2025-11-04T10:00:00.000Z' },
      { id: '7', applied: '2025-11-04T11:00:00.000Z' },
    ];
    const list = JSON.stringify({ format: 'trueup/noted-previews', previews });
    await localStore(join(folder, '.trueup/preview.yaml')).documents.put('previews.json', list);
    await localStore(join(folder, '.trueup/old.yaml')).write(newState('org_1', 'prj_1'));
    const files = ['preview.yaml', 'production.yaml', 'staging.yaml'];
    for (const [line, expected] of [
      ['plan -f ', files],
      ['plan -f staging.yaml --target staging.', ['staging.redis.cache']],
      ['explain -f production.yaml production.', ['production.redis.cache']],
      ['explain -f preview.yaml --preview 12 pr-', ['pr-12', 'pr-12.redis.cache']],
      ['destroy -f preview.yaml --preview ', ['12', '7']],
      ['destroy -f staging.yaml --preview ', []],
      ['promote ', files],
      ['promote staging.yaml ', ['preview.yaml', 'production.yaml']],
      ['promote staging.yaml production.yaml ', ['tag', 'size']],
      ['promote staging.yaml production.yaml tag ', ['size']],
      ['secret set -f staging.yaml ', ['DB', 'SALT']],
      ['secret rotate -f staging.yaml ', ['DB', 'KEY']],
      ['secret rotate -f staging.yaml KEY ', ['DB']],
      ['secret set -f production.yaml ', []],
      ['state move ', ['old.yaml']],
      ['state move old.yaml p', ['preview.yaml', 'production.yaml']],
    ] as const)
      expect([line, await inFolder(folder, ...line.split(' '))]).toEqual([line, expected]);
  });

  it('commands, the addresses of objects that have them, services, logs and outputs', async () => {
    const place = await open(sections, { secrets: { DB: 'canary-7f3a' } });
    const candidates = (...words: string[]) => inFolder(place.folder, ...words);
    expect(await candidates('run', 're')).toEqual(
      expect.arrayContaining(['rebuild', 'redeploy', 'refresh-token', 'reload']),
    );
    expect(await candidates('run', 'rebuild', '')).toEqual(['production.postgres.main', 'production.redis.cache']);
    expect(await candidates('run', 'backup', '')).toEqual(['production.postgres.main.backups.nightly']);
    expect(await candidates('run', 'stop', 'production.redis.cache', '')).toEqual(['production.postgres.main']);
    expect(await candidates('run', 'kill-build', '')).toEqual([]);
    expect(await candidates('status', 'production.r')).toEqual(['production.redis.cache']);
    expect(await candidates('logs', '')).toEqual(['production.postgres.main', 'production.redis.cache']);
    expect(await candidates('output', '')).toEqual(['cache', 'main']);
    expect(await candidates('eval', 'production.r')).toEqual(['production.redis.cache']);
    expect(await candidates('explain', 'production.r')).toEqual(['production.redis.cache']);
    expect(await candidates('explain', 'data-at')).toEqual(['data-at-risk']);
    expect(await candidates('eval', '--in', 'production.r')).toEqual(['production.redis.cache']);
    expect(place.requests()).toEqual([]);
    writeFileSync(join(place.folder, 'trueup.yaml'), '[');
    expect(await candidates('output', '')).toEqual([]);
    expect(await candidates('logs', '')).toEqual(['production.postgres.main', 'production.redis.cache']);
  });
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { complete } from '../../src/cli/complete.ts';
import { valuesFor } from '../../src/cli/completion-source.ts';
import { createProgram } from '../../src/cli/program.ts';
import { places } from './place.ts';
import { environment } from '../support/environment.ts';
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
  it('commands, the addresses of objects that have them, services, logs and outputs', async () => {
    const place = await open(sections, { secrets: { DB: 'canary-7f3a' } });
    const candidates = async (...words: string[]) => {
      const here = processOfTest({ env: environment(), cwd: place.folder });
      const found = await complete(
        await createProgram(here, () => {}, { isNamed: () => true }),
        words,
        valuesFor(here),
      );
      return found === 'files' ? found : found.map(({ value }) => value);
    };
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

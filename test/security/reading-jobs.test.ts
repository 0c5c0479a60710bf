import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { project, trueup } from '../cli/process.ts';
import type { S3Server } from '../support/s3-server.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';
import { keyText } from '../support/state-key.ts';

/** A job that people can change who may not apply needs no right to write, neither to the platform nor to the state. */

const emulator = createEmulator({ profile: 'standard', apiKey: 'canary-api-key' });
let platform: Awaited<ReturnType<typeof serve>>;
let store: S3Server;
beforeAll(async () => {
  [platform, store] = await Promise.all([serve(emulator), serveS3(['states'])]);
});
afterAll(() => Promise.all([platform.close(), store.close()]));

test.each([true, false])('plan, show and drift write nothing to a bucket; there is a state: %s', async (isThere) => {
  const bucket = `state: { backend: s3, endpoint: "${store.url}", bucket: states, prefix: is-${isThere} }`;
  const cwd = project(
    `trueup: 1\nplatform: { url: "${platform.url}" }\nproject: prj_1\n${bucket}\nenvironments: { production: {} }\n`,
  );
  const env = {
    TRUEUP_API_KEY: 'canary-api-key',
    TRUEUP_STATE_KEY: keyText,
    AWS_ACCESS_KEY_ID: 'key',
    AWS_SECRET_ACCESS_KEY: secretOf('key'),
  };
  if (isThere) expect((await trueup(['apply', '--auto-approve'], { cwd, env })).code).toBe(0);
  store.log.splice(0);
  emulator.log.splice(0);
  for (const words of [['plan', '--out', 'plan.trueup'], ['show', 'plan.trueup'], ['drift']]) {
    const ended = await trueup(words, { cwd, env });
    // Without a state, drift has nothing to compare with.
    expect(ended.code, ended.err).toBe(words[0] === 'drift' && !isThere ? 7 : 0);
  }
  expect(store.log.length).toBeGreaterThan(0);
  expect(store.log.filter(({ method }) => method !== 'GET' && method !== 'HEAD')).toEqual([]);
  expect(emulator.log.filter(({ method }) => method !== 'GET')).toEqual([]);
});

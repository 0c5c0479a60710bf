import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { stageOf } from '../../src/project/root-files.ts';
import { notificationEnvironment, stageEnvironment, strayVariables } from '../../src/project/stage-environment.ts';
import { secretsOfEnvironment } from '../../src/secrets/sources/env.ts';

function folderOf(...files: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-stages-'));
  for (const file of files) writeFileSync(join(folder, file), 'trueup: 1\n');
  return folder;
}

const env = {
  PATH: '/bin',
  TRUEUP_API_KEY: 'plain-key',
  TRUEUP_SECRET_HOOK: 'plain-hook',
  TRUEUP_AGE_IDENTITY: 'plain-identity',
  TRUEUP__EU_LIVE__API_KEY: 'key-of-live',
  TRUEUP__EU_LIVE__SECRET_A: 'secret-of-live',
  TRUEUP__STAGING__AGE_IDENTITY_FILE: 'identity-of-staging',
  TRUEUP__STAGING__API_KEY: '',
};

describe('the environment of a stage', () => {
  const folder = folderOf('eu-live.yaml', 'staging.yaml');

  test('has its own variables before the plain ones, and none of others', () => {
    expect(stageEnvironment(env, { folder, file: 'eu-live.yaml' })).toEqual({
      PATH: '/bin',
      TRUEUP_API_KEY: 'key-of-live',
      TRUEUP_SECRET_HOOK: 'plain-hook',
      TRUEUP_SECRET_A: 'secret-of-live',
      TRUEUP_AGE_IDENTITY: 'plain-identity',
    });
    expect(stageEnvironment(env, { folder, file: 'staging.yaml' })).toEqual({
      PATH: '/bin',
      TRUEUP_API_KEY: 'plain-key',
      TRUEUP_SECRET_HOOK: 'plain-hook',
      TRUEUP_AGE_IDENTITY_FILE: 'identity-of-staging',
    });
  });

  test('has no plain secret among others, but for notifications, and the plain key on one platform only', () => {
    const among = (hasOnePlatform: boolean) =>
      stageEnvironment(env, { folder, file: 'staging.yaml' }, { hasOnePlatform });
    expect(among(false)).toEqual({ PATH: '/bin', TRUEUP_AGE_IDENTITY_FILE: 'identity-of-staging' });
    expect(among(true)).toHaveProperty('TRUEUP_API_KEY', 'plain-key');
    expect(notificationEnvironment(among(true))).toHaveProperty('TRUEUP_SECRET_HOOK', 'plain-hook');
  });

  test('is refused where a variable could be of two stages', () => {
    const twins = folderOf('my-stage.yaml', 'my_stage.yaml');
    const one = () => stageEnvironment({ TRUEUP__MY_STAGE__API_KEY: 'k' }, { folder: twins, file: 'my-stage.yaml' });
    expect(one).toThrow('my-stage.yaml and my_stage.yaml differ only in case or in - and _');
  });

  test('never reads the key of one stage as a secret of another', () => {
    const both = folderOf('a.yaml', 'a--secret_b.yaml');
    const name = 'TRUEUP__A__SECRET_B__API_KEY';
    const view = (file: string) => stageEnvironment({ [name]: 'value' }, { folder: both, file });
    expect(view('a.yaml')).toEqual({ TRUEUP_SECRET_B__API_KEY: 'value' });
    expect(view('a--secret_b.yaml')).toEqual({});
    expect(['a--b', 'a-_b', 'a_-b', 'a__b', 'a-b_c'].map(stageOf)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      'a-b_c',
    ]);
  });

  test('knows the variables that no stage reads', () => {
    const misspelt = { TRUEUP__STAGNG__API_KEY: 'a', TRUEUP__STAGING__APIKEY: 'b', TRUEUP__STAGING__URL: 'c' };
    const view = stageEnvironment(misspelt, { folder, file: 'staging.yaml' });
    expect(strayVariables(view, folder)).toEqual([
      { name: 'TRUEUP__STAGNG__API_KEY', guess: 'TRUEUP__STAGING__API_KEY' },
      { name: 'TRUEUP__STAGING__APIKEY', guess: 'TRUEUP__STAGING__API_KEY' },
    ]);
  });

  test('hides the secrets of all stages in texts', () => {
    expect(secretsOfEnvironment(env)).toEqual(expect.arrayContaining(['key-of-live', 'secret-of-live', 'plain-hook']));
  });
});

import { describe, expect, test } from 'vitest';
import { oneError, problemsOf, told } from '../support/problems.ts';
import { head } from '../support/world.ts';

/** A manifest of a stranger reads variables of the run that hold credentials, and sends them to the platform. */

const reading = (name: string) => `${head}environments: { production: { env: { A: §"\${env:${name}}" } } }\n`;

/** A rule, and names that it bars. */
const barred: readonly (readonly [rule: string, ...names: string[]])[] = [
  ['AWS_*', 'AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN', 'AWS_PROFILE'],
  ['AZURE_*', 'AZURE_CLIENT_SECRET', 'AZURE_CREDENTIALS'],
  ['ARM_*', 'ARM_CLIENT_ID', 'ARM_CLIENT_SECRET'],
  ['GOOGLE_*', 'GOOGLE_APPLICATION_CREDENTIALS', 'GOOGLE_CREDENTIALS'],
  ['ACTIONS_*', 'ACTIONS_RUNTIME_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL'],
  ['CI_JOB_*', 'CI_JOB_TOKEN', 'CI_JOB_JWT_V2'],
  ['*_JWT*', 'CI_DEPLOY_JWT', 'DEPLOY_JWT_V1'],
  [
    '*TOKEN',
    'GITHUB_TOKEN',
    'GH_TOKEN',
    'CI_DEPLOY_TOKEN',
    'SYSTEM_ACCESSTOKEN',
    'TOKEN',
    'github_token',
    ' GH_TOKEN ',
  ],
  ['*SECRET', 'CLIENT_SECRET', 'SECRET'],
  ['*PASSWORD', 'CI_REGISTRY_PASSWORD', 'PGPASSWORD', 'Db_Password'],
  ['*PASSWD', 'DB_PASSWD'],
  ['*PASSPHRASE', 'GPG_PASSPHRASE'],
  ['*API_KEY', 'STRIPE_API_KEY', 'API_KEY'],
  ['*APIKEY', 'MAILAPIKEY'],
  ['*PRIVATE_KEY', 'SSH_PRIVATE_KEY'],
  ['*ACCESS_KEY', 'R2_ACCESS_KEY'],
  ['*ACCESS_KEY_ID', 'R2_ACCESS_KEY_ID'],
  ['*SECRET_KEY', 'SCW_SECRET_KEY'],
  ['*CREDENTIALS', 'SHOP_CREDENTIALS'],
  ['DOCKER_AUTH_CONFIG', 'DOCKER_AUTH_CONFIG'],
];

describe('S10: ${env:} reads no variable by whose name it may hold credentials', () => {
  test.each(barred)('rule %s', async (rule, ...names) => {
    for (const name of names) {
      const { said, ...report } = await told(reading(name), { env: { [name]: 'top secret' } });
      expect({ ...report, said }, name).toEqual(oneError('private-source', /\$\{secret:NAME\}/));
      expect(said).toContain(`a manifest cannot read \${env:${name}}, which may hold credentials (rule: ${rule})`);
      expect(said).not.toContain('top secret');
    }
  });

  test.each(['TRUEUP_API_KEY', 'trueup_state_url', 'TRUEUP_SECRET_X'])('nor a setting of Trueup: %s', async (name) => {
    expect(await told(reading(name))).toEqual(oneError('hostile-setting', 'configure Trueup itself'));
  });

  test('whether it is set or not', async () => {
    expect(await told(reading('GH_TOKEN'))).toEqual(await told(reading('GH_TOKEN'), { env: { GH_TOKEN: 'x' } }));
  });
});

test.each([
  'HOME',
  'REGION',
  'GITHUB_SHA',
  'CI_COMMIT_SHA',
  'PUBLIC_KEY',
  'TOKENS',
  'PASSWORD_LENGTH',
  'MY_AWS_REGION',
])('S10: a variable with another name is read: %s', async (name) => {
  expect((await problemsOf(reading(name), { env: { [name]: 'x' } })).problems).toEqual([]);
});

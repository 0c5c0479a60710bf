import { describe, expect, test } from 'vitest';
import { addSecretsOf, secretsOfRows } from '../../src/secrets/call-secrets.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { kindNamed } from '../support/plan-values.ts';

/** What a failure of a service may not quote. */

function redact(row: Readonly<Record<string, unknown>>, text: string): string {
  const { add, redact } = createRedactor();
  addSecretsOf(add, row, kindNamed('compose'));
  return redact(text);
}

describe('the failure of a compose service does not quote', () => {
  test.each([
    ['a password in quotes', '    POSTGRES_PASSWORD: "two words"\n', 'two words'],
    ['a password in a list', 'command:\n  - --requirepass\n  - hunter2x\n', 'hunter2x'],
    ['a password over lines', 'private_key: |\n  first-line\n  second-line\n', 'second-line'],
    ['a password in an address', 'URL: postgres://shop:p@ss/word@db/shop\n', 'p@ss/word'],
    ['a password of XML', '<password>hunter2x</password>\n', 'hunter2x'],
    ['a token', 'title: ghp_16C7e42F292c6912E7710c838347Ae178B4a\n', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
  ])('%s', (_title, composeFile, secret) => {
    expect(redact({ composeFile }, `failed with ${secret}`)).toBe('failed with (sensitive)');
  });

  test.each([
    ['a secret field', { refreshToken: 'tok-4711-tok' }, 'tok-4711-tok'],
    ['a secret field within another', { registry: { password: 'pw-4711-pw' } }, 'pw-4711-pw'],
    [
      'a value of env by its name, as its service sees it',
      { env: 'A=b\nDB_PASSWORD="first\\nsecond-line"\n' },
      'second-line',
    ],
    ['a value of env by its form', { env: 'URL=redis://:correct-horse@cache\n' }, 'correct-horse'],
    ['a password in an address of another field', { customGitUrl: 'https://bot:pw-4711-pw@host/a' }, 'pw-4711-pw'],
  ])('%s', (_title, row, secret) => {
    expect(redact(row, `failed with ${secret}`)).toBe('failed with (sensitive)');
  });

  test('and quotes its other lines and values', () => {
    const row = { composeFile: 'image: nginx\nPASSWORD: hunter2x\n', env: 'TIER=production\nHOST=shop.example.com\n' };
    const text = 'no such image: nginx in production at shop.example.com';
    expect(redact({ ...row, composeId: 'V1StGXR8_Z5jdHi6B-myT' }, `${text} V1StGXR8_Z5jdHi6B-myT`)).toBe(
      `${text} V1StGXR8_Z5jdHi6B-myT`,
    );
  });
});

test('the failure of a backup quotes the user of a database, and not its password', () => {
  const metadata = { mariadb: { databaseUser: 'nextcloud', databasePassword: 'nextpass-4711' } };
  const row = { backupId: 'b1', metadata };
  const ofCall = createRedactor();
  addSecretsOf(ofCall.add, row, kindNamed('backup'));
  const ofRows = createRedactor();
  for (const secret of secretsOfRows([row], [kindNamed('backup')])) ofRows.add(secret);
  for (const { redact } of [ofCall, ofRows])
    expect(redact('nextcloud:31 cannot log in with nextpass-4711')).toBe('nextcloud:31 cannot log in with (sensitive)');
});

test('of a compose file that is one secret, an error shows half a line, no whole line, and nothing that looks like a secret', () => {
  const composeFile =
    'services:\n  web:\n    image: nginx:internal-4711\n    environment:\n      PASSWORD: correct-horse\n';
  const redactor = createRedactor();
  redactor.add(composeFile);
  addSecretsOf(redactor.add, { composeFile });
  const errors: readonly (readonly [string, string])[] = [
    ['yaml: line 3: mapping values are not allowed: image: nginx:internal-4711', ': (sensitive)'],
    ['yaml: line 3: cannot read nginx:internal-4711', ': cannot read nginx:internal-4711'],
    ['yaml: line 5: cannot read "correct-horse"', ': cannot read "(sensitive)"'],
  ];
  for (const [error, shown] of errors) expect(redactor.redact(error).endsWith(shown), error).toBe(true);
});

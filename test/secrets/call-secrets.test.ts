import { describe, expect, test } from 'vitest';
import { knowingService } from '../../src/secrets/call-secrets.ts';
import { kindNamed } from '../support/plan-values.ts';

/** What a failure of a service may not quote. */

describe('the failure of a compose service does not quote', () => {
  test.each([
    ['a password in quotes', '    POSTGRES_PASSWORD: "two words"\n', 'two words'],
    ['a password in a list', 'command:\n  - --requirepass\n  - hunter2x\n', 'hunter2x'],
    ['a password over lines', 'private_key: |\n  first-line\n  second-line\n', 'second-line'],
    ['a password in an address', 'URL: postgres://shop:p@ss/word@db/shop\n', 'p@ss/word'],
    ['a password of XML', '<password>hunter2x</password>\n', 'hunter2x'],
    ['a token', 'title: ghp_16C7e42F292c6912E7710c838347Ae178B4a\n', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
  ])('%s', (_title, composeFile, secret) => {
    const { redactForeign } = knowingService(kindNamed('compose'), { composeFile });
    expect(redactForeign(`failed with ${secret}`)).toBe('failed with (sensitive)');
  });

  test('and quotes its other lines', () => {
    const { redactForeign } = knowingService(kindNamed('compose'), {
      composeFile: 'image: nginx\nPASSWORD: hunter2x\n',
    });
    expect(redactForeign('no such image: nginx')).toBe('no such image: nginx');
  });
});

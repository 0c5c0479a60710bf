import { describe, expect, test } from 'vitest';
import { actionsOf, everything } from '../support/faults.ts';
import { oneError, told } from '../support/problems.ts';
import { bench, head } from '../support/world.ts';

/** The folder of a certificate: the platform deletes it with the certificate, by `rm -rf` in a shell. */

const certificate = (path: string) => `{ certificateData: x, privateKey: y, certificatePath: ${path} }`;

describe('the folder of a certificate', () => {
  test.each(['.', '/', '..', '../', './', 'a/..', 'a/../..', '/etc', 'a//b', 'a b', 'a;b', '$HOME', '~', '-rf*'])(
    '%s is refused: its deletion deletes more',
    async (path) => {
      const text = `${head}certificates:\n  a: ${certificate(`§"${path}"`)}\n`;
      expect(await told(text)).toEqual(oneError('wrong-type', /must be a folder below that of all certificates/));
    },
  );

  test('that holds the folder of another one is refused', async () => {
    const [a, b] = [`  a: ${certificate('§shop')}\n`, `  b: ${certificate('shop/eu')}\n`];
    const refused = oneError('inconsistent', /the folder shop holds that of certificates\.b/);
    for (const blocks of [a + b, b + a]) expect(await told(`${head}certificates:\n${blocks}`)).toEqual(refused);
  });

  test('of its own is created, and then plans nothing', async () => {
    const made = bench();
    const text = `${head}certificates:\n  a: ${certificate('shop/eu')}\n  b: ${certificate('shop/eu-2.old')}\n`;
    await made.apply(text, everything);
    expect(actionsOf(await made.plan(text))).toEqual([]);
  });
});

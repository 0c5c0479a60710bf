import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readAccess } from '../../../src/controller/page/access.ts';

const folder = mkdtempSync(join(tmpdir(), 'trueup-access-'));
const fileOf = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const long = 'a-secret-of-more-than-32-characters';
const token = (name: string, text: string) =>
  ({ name, tokenFile: fileOf(name, text), role: 'agent', labels: {} }) as const;
const proxyIn = (text: string) => ({
  proxy: {
    from: ['10.0.0.0/8'],
    user: 'X-Forwarded-User',
    groups: 'X-Forwarded-Groups',
    secretHeader: 'X-Trueup-Proxy',
    secretFile: fileOf(`proxy-${text.trim().length}`, text),
  },
});

test('the secrets of files take the place of their names', async () => {
  const oidc = { issuer: 'https://id.example.com', clientId: 'trueup', groups: 'groups', scopes: ['openid'] };
  const read = await readAccess({
    signIn: { oidc: { ...oidc, clientSecretFile: fileOf('client', 'short\n') } },
    tokens: [token('ci', `${long}\n`)],
  });
  expect(read).toEqual({
    signIn: { oidc: { ...oidc, clientSecret: 'short' } },
    tokens: [{ name: 'ci', token: long, role: 'agent', labels: {} }],
  });
  const { signIn } = await readAccess({ signIn: proxyIn(long), tokens: [] });
  expect(signIn).toMatchObject({ proxy: { secret: long, from: ['10.0.0.0/8'] } });
});

test.each([
  ['a short token', proxyIn(long), [token('short', 'abc')], 'short must have 32'],
  ['a token of two lines', proxyIn(long), [token('lines', `${long}\n${long}`)], 'without blanks'],
  ['a short secret of the proxy', proxyIn('abc'), [], 'proxy-3 must have 32'],
  ['an empty file', proxyIn(' \n'), [], 'proxy-0 is empty'],
  ['one token for two programs', proxyIn(long), [token('a', long), token('b', long)], 'The token b is also'],
])('%s is refused, and not quoted', async (_title, signIn, tokens, sentence) => {
  const problem = await readAccess({ signIn, tokens }).catch(String);
  expect(problem).toContain(sentence);
  expect(problem).not.toContain(long);
});

test('a file that is missing is named', async () => {
  const gone = { ...token('gone', long), tokenFile: join(folder, 'none') };
  await expect(readAccess({ signIn: proxyIn(long), tokens: [gone] })).rejects.toThrow(
    `cannot read ${join(folder, 'none')}`,
  );
});

test('without a sign-in in the settings, each start has a link of its own', async () => {
  const codes = await Promise.all(
    [1, 2].map(async () => {
      const { signIn } = await readAccess({ tokens: [] });
      return 'link' in signIn ? signIn.link : undefined;
    }),
  );
  for (const link of codes)
    expect(link).toEqual({ code: expect.stringMatching(/^[\w-]{43}$/), name: userInfo().username });
  expect(codes[0]?.code).not.toBe(codes[1]?.code);
});

import { expect, test } from 'vitest';
import { maskText } from '../../src/secrets/looks-secret.ts';
import { effort } from '../support/whole.ts';

const maskEnvText = (text: string): string => maskText(text, { isEnv: true });

/** Texts that are made to be slow. Masking is linear: what takes the square of 1 MB does not end within the limit of a test. */

/** Longer texts are hidden as a whole. Characters. */
const longest = 1_000_000;
/** Every day and in CI shorter texts, of which a square still takes long. */
const size = effort({ fast: 250_000, all: longest });
const many = (text: string): string => text.repeat(Math.ceil(size / text.length)).slice(0, size);

test.each<[string, string]>([
  ['one word', many('a')],
  ['one number', many('1')],
  ['random letters', many('aB3')],
  ['blanks', many(' ')],
  ['lines', many('\n')],
  ['slashes', many('/')],
  ['addresses', many('://')],
  ['addresses with users', many('://a:b@')],
  ['addresses with colons', many('://a:b')],
  ['an address without end', `://${many('a:')}`],
  ['names of secrets', many('password')],
  ['passwords', many('password: x\n')],
  ['passwords on one line', many('password=x;')],
  ['passwords in JSON on one line', many('"password":"x",')],
  ['passwords with open quotes', many('password="x;')],
  ['passwords with open quotes on lines', many('password="x\n')],
  ['passwords with two kinds of quotes', many(`password="x password='y `)],
  ['escaped quotes', many(String.raw`password=\"x\\" `)],
  ['quotes in quotes', `password="${many(String.raw`\"`)}`],
  ['doubled quotes', `password='${many("''")}`],
  ['lists below passwords', many('tokens:\n  - a1\n')],
  ['one list below a password', `tokens:\n${many('  - a1\n')}`],
  ['deeper and deeper', Array.from({ length: 1_400 }, (_, depth) => `${' '.repeat(depth)}password:`).join('\n')],
  ['keys in PEM without end', many('-----BEGIN PRIVATE KEY-----\n')],
  ['certificates without end', many('-----BEGIN CERTIFICATE-----\n')],
  ['options', many('--password ')],
  ['options in lists', many('"--password", ')],
  ['short options', many('redis-cli -h a ')],
  ['short options of mysql', many('mysql -h a ')],
  ['defaults', many('${TOKEN:-')],
  ['elements', many('<password>')],
  ['elements with attributes', many('<password a="b">')],
  ['elements with blanks', many(`<password>${' '.repeat(200)}`)],
  ['data in elements', many('<password><![CDATA[')],
  ['pairs', many('value: x, name: ')],
  ['pairs with blanks', many(`value: a${' '.repeat(100)}`)],
  ['pairs with quotes', many(String.raw`value: "\"`)],
  ['names of pairs', many('name: a value: ')],
  ['definitions', many("define('PASSWORD', ")],
  ['variables of nginx', many('set $password ')],
  ['users and colons', many(',a:b')],
  ['users without hosts', many(' a:b@')],
  ['addresses of Go', many(' a:b@tcp')],
  ['options of curl', many('curl -u ')],
  ['options behind curl', many(' -u a')],
  ['routing keys', many('routing_key')],
  ['beginnings of tokens', many('eyJaaaaaaaaa.')],
  ['beginnings of hashes', many('$1$')],
  ['Bearer', many('Bearer ')],
  ['SQL', many("password '")],
  ['login', many('login a password ')],
  ['assignments', many('a=b ')],
  ['equal signs', many('=')],
  ['dashes', many('-')],
  ['words with dashes', many('a-')],
  ['names with dots', many('a.')],
  ['dollars', many('$')],
  ['backslashes', many('\\')],
])('%s', (_title, text) => {
  for (const mask of [maskText, maskEnvText]) {
    const masked = mask(text);
    if (text.length > longest) expect(masked).toBe(text.replaceAll(/[^\n]+/g, '(sensitive)'));
    else expect(masked.split('\n')).toHaveLength(text.split('\n').length);
  }
});

test('a text that is longer than any request is hidden as a whole', () => {
  for (const text of ['a'.repeat(longest + 1), 'a'.repeat(16 * longest)])
    for (const mask of [maskText, maskEnvText]) expect(mask(text)).toBe('(sensitive)');
  expect(maskText('a'.repeat(longest))).toHaveLength(longest);
});

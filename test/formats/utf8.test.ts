import { expect, test } from 'vitest';
import { decodeUtf8 } from '../../src/formats/utf8.ts';

test.each([
  ['empty', ''],
  ['ASCII', 'a: b\n'],
  ['other scripts, a byte order mark and the replacement character itself', '\uFEFFäß 中文 😀 \uFFFD\n'],
])('text stays as it is: %s', (_, text) => {
  expect(decodeUtf8(Buffer.from(text))).toEqual({ text });
});

test.each([
  ['a byte of Latin-1', Buffer.from('a: b\nc: caf\xe9\n', 'latin1'), 2, 7],
  ['behind the replacement character', Buffer.concat([Buffer.from('\uFFFD'), Buffer.from([0xff])]), 1, 2],
  ['a cut character at the end', Buffer.from('a\nbö').subarray(0, 4), 2, 2],
  ['UTF-16', Buffer.from('\uFEFFa', 'utf16le'), 1, 1],
  ['half of a surrogate pair', Buffer.from([0x61, 0xed, 0xa0, 0x80]), 1, 2],
])('what is not UTF-8 is refused with its place: %s', (_, bytes, line, column) => {
  expect(decodeUtf8(bytes)).toEqual({ problem: `is not UTF-8 text (line ${line}, column ${column})` });
});

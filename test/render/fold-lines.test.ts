import { expect, test } from 'vitest';
import { fold } from '../../src/render/fold-lines.ts';
import { plainStyle } from '../../src/render/style.ts';

const style = { ...plainStyle, width: 40 };

test('folding keeps a word whole that fits into a line of its own, such as a flag or an address', () => {
  const address = 'production.compose.shop.domains.www';
  expect(fold(`needs ${address} and more`, 0, style)).toEqual(['needs', `${address} and`, 'more']);
  expect(fold('x '.repeat(19) + '--allow-data-loss', 0, style).join('|')).toContain('|--allow-data-loss');
});

test('folding breaks a word that fits into no line', () => {
  const lines = fold(`needs ${'a'.repeat(50)}`, 0, style);
  expect(lines.join('')).toBe(`needs ${'a'.repeat(50)}`);
  expect(lines.every((line) => line.length <= 40)).toBe(true);
});

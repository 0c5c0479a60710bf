import { expect, it } from 'vitest';
import { plainStyle } from '../../src/render/style.ts';
import { cutLine, maxLineLength } from '../../src/render/text-lines.ts';

const half = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;
const family = '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}';

it('a line is cut between characters, at both ends', () => {
  for (const character of ['\u{1f680}', family, 'e\u0301', '\u{1f1e9}\u{1f1ea}']) {
    for (let shift = 0; shift < character.length; shift++) {
      const text = 'a'.repeat(shift) + character.repeat(400);
      for (const around of [0, text.length / 2, text.length - 1]) {
        const cut = cutLine(text, Math.floor(around), plainStyle);
        expect(cut).not.toMatch(half);
        const shown = cut.replaceAll(/…[^…]*…/g, '').replace(/^a*/, '');
        expect(shown).toBe(character.repeat(shown.length / character.length));
        const hidden = [...cut.matchAll(/… ([\d,]+) characters …/g)].map(([, count = '']) =>
          Number(count.replace(',', '')),
        );
        expect(hidden.reduce((sum, count) => sum + count, cut.replaceAll(/…[^…]*…/g, '').length)).toBe(text.length);
      }
    }
  }
});

it('a line that fits is not cut, and a character of many accents does not widen the cut', () => {
  const fits = '\u{1f680}'.repeat(maxLineLength / 2);
  expect(cutLine(fits, 0, plainStyle)).toBe(fits);
  const accents = `e${'\u0301'.repeat(1_000)}`;
  expect(cutLine(accents, 0, plainStyle)).toBe(`${accents.slice(0, maxLineLength)}… 601 characters …`);
});

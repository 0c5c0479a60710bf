import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { capturePicture, capturePlans, pictureWidth, renderCaptures } from '../scripts/support/captures.ts';
import { pictureOf, pictureTitle } from '../scripts/support/picture.ts';

it('docs/plans.md has what plan prints today (npm run captures)', { timeout: 180_000 }, async () => {
  const captured = await capturePlans();
  expect(captured.size).toBe(10);
  for (const texts of captured.values()) {
    expect([...texts.keys()]).toEqual([80, 120]);
    for (const [width, text] of texts)
      for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(width);
  }
  const page = renderCaptures(captured);
  expect(page.match(/^(?:80|120) columns:$/gm)).toHaveLength(10);
  expect(page).toBe(readFileSync(new URL('../docs/plans.md', import.meta.url), 'utf8'));
});

it('docs/pictures/plan.svg shows what plan prints today, and nothing but text', { timeout: 60_000 }, async () => {
  const picture = pictureOf(await capturePicture(), { title: pictureTitle, columns: pictureWidth });
  expect(picture).toContain('<tspan class="yellow">');
  for (const foreign of ['<script', 'href', '\u001b']) expect(picture).not.toContain(foreign);
  expect(picture).toBe(readFileSync(new URL('../docs/pictures/plan.svg', import.meta.url), 'utf8'));
});

import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { capturePicture, pictureWidth, renderCaptures } from '../scripts/support/captures.ts';
import { pictureOf, pictureTitle } from '../scripts/support/picture.ts';

it('docs/plans.md has what plan prints today (npm run captures)', { timeout: 180_000 }, async () => {
  const page = await renderCaptures();
  for (const width of [80, 120]) {
    const captures = page.split(`\n${width} columns:\n\n\`\`\`text\n`).slice(1);
    expect(captures).toHaveLength(10);
    for (const capture of captures)
      for (const line of capture.split('\n```')[0]?.split('\n') ?? []) expect(line.length).toBeLessThanOrEqual(width);
  }
  expect(page).toBe(readFileSync(new URL('../docs/plans.md', import.meta.url), 'utf8'));
});

it('docs/pictures/plan.svg shows what plan prints today, and nothing but text', { timeout: 60_000 }, async () => {
  const picture = pictureOf(await capturePicture(), { title: pictureTitle, columns: pictureWidth });
  expect(picture).toContain('<tspan class="yellow">');
  for (const foreign of ['<script', 'href', '\u001b']) expect(picture).not.toContain(foreign);
  expect(picture).toBe(readFileSync(new URL('../docs/pictures/plan.svg', import.meta.url), 'utf8'));
});

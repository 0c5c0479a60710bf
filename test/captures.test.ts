import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { renderCaptures } from '../scripts/support/captures.ts';

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

import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withDrafts } from '../../src/project/drafts.ts';

test('drafts of a killed run go also when its pid belongs to another program by now', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-drafts-'));
  const host = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);
  const [left, used] = ['00000000', '11111111'].map((end) => `.trueup-draft-${process.ppid}-${host}-${end}`);
  for (const name of [left, used]) {
    mkdirSync(join(folder, name ?? ''));
    writeFileSync(join(folder, name ?? '', '1'), 'a secret');
  }
  const old = new Date(Date.now() - 2 * 86_400_000);
  utimesSync(join(folder, left ?? ''), old, old);
  await withDrafts(folder, ({ write }) => write('x'));
  expect(readdirSync(folder)).toEqual([used]);
});

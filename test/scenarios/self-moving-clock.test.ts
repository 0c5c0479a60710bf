import { mkdtempSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { selfMovingClock } from '../support/virtual-clock.ts';

test('a slow disk takes no time on a clock that moves by itself, so that no deployment is late for it', async () => {
  const clock = selfMovingClock();
  const over = new AbortController();
  const limit = clock.sleep(900_000, over.signal);
  const file = await open(join(mkdtempSync(join(tmpdir(), 'trueup-clock-')), 'state'), 'w');
  for (let count = 0; count < 200; count++) {
    await file.appendFile('record\n');
    await file.datasync();
  }
  const taken = clock.monotonic();
  await file.close();
  over.abort();
  await limit;
  expect(taken).toBe(0);
});

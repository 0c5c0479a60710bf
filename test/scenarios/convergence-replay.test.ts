import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { failureOf } from './histories/failing.ts';

/**
 * Histories from documents: those that once failed, and the one that TRUEUP_HISTORY names, such as a failure of a
 * random one prints.
 */

const folder = new URL('../fixtures/histories/', import.meta.url).pathname;
const kept = readdirSync(folder).map((name) => join(folder, name));
const { TRUEUP_HISTORY } = process.env;

test.each([...kept, ...(TRUEUP_HISTORY === undefined ? [] : [TRUEUP_HISTORY])])(
  'the history in %s comes to a good end',
  async (path) => {
    expect(await failureOf(readFileSync(path, 'utf8'))).toBeUndefined();
  },
);

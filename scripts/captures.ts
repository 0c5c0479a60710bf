import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { renderCaptures } from './support/captures.ts';

/** Writes docs/plans.md; with --check it only says whether that is out of date. */

const path = resolve(import.meta.dirname, '../docs/plans.md');
const text = await renderCaptures();
const isSame = existsSync(path) && readFileSync(path, 'utf8') === text;
if (!process.argv.includes('--check')) writeFileSync(path, text);
else if (!isSame) {
  process.stderr.write('docs/plans.md is out of date: run npm run captures\n');
  process.exitCode = 1;
}

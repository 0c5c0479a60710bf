import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { capturePicture, capturePlans, pictureWidth, plansOfPage, renderCaptures } from './support/captures.ts';
import { pictureOf, pictureTitle } from './support/picture.ts';

/** Writes docs/plans.md and the picture of a plan; with --check it only says which of them is out of date. */

const files = {
  'docs/plans.md': renderCaptures(await capturePlans(plansOfPage)),
  'docs/pictures/plan.svg': pictureOf(await capturePicture(), { title: pictureTitle, columns: pictureWidth }),
};
for (const [name, text] of Object.entries(files)) {
  const path = resolve(import.meta.dirname, '..', name);
  if (existsSync(path) && readFileSync(path, 'utf8') === text) continue;
  if (process.argv.includes('--check')) {
    process.stderr.write(`${name} is out of date: run npm run captures\n`);
    process.exitCode = 1;
  } else {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

#!/usr/bin/env node
import { existsSync } from 'node:fs';
const main = new URL('../dist/cli/main.js', import.meta.url);
// Stacks then name the files of the source.
if (process.env.TRUEUP_DEBUG === '1') process.setSourceMapsEnabled(true);
if (existsSync(main)) await import(main.href);
else {
  console.error('trueup is not built: run `npm run build` first');
  process.exitCode = 1;
}

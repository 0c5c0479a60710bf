#!/usr/bin/env node
import { existsSync } from 'node:fs';
const main = new URL('../dist/ci/main.js', import.meta.url);
if (existsSync(main)) await import(main.href);
else {
  console.error('trueup is not built: run `npm run build` first');
  process.exitCode = 1;
}

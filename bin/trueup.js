#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
const main = new URL('../dist/cli/main.js', import.meta.url);
// Stacks then name the files of the source.
if (process.env.TRUEUP_DEBUG === '1') process.setSourceMapsEnabled(true);
// Most runs end before an optimised function gives back what its compilation took: ten times the work that is usual has to
// be done in one before Node 20 optimises it. Later versions have another compiler for that.
if (process.versions.node.startsWith('20.')) setFlagsFromString('--interrupt-budget=675840');
// The parser of HTTP is WebAssembly. To optimise its one large function takes 0.1 s and 30 MB, which no run gives back.
setFlagsFromString('--liftoff-only');
if (existsSync(main)) await import(main.href);
else {
  console.error('trueup is not built: run `npm run build` first');
  process.exitCode = 1;
}

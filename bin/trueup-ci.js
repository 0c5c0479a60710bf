#!/usr/bin/env node
const { existsSync } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const main = path.join(__dirname, '../dist/ci/main.js');
if (existsSync(main)) void import(pathToFileURL(main).href);
else {
  console.error('trueup is not built: run `npm run build` first');
  process.exitCode = 1;
}

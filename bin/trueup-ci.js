#!/usr/bin/env node
const { existsSync } = require('node:fs');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const { isServedNode } = require('./served-node.js');

if (isServedNode()) start(path.join(__dirname, '../dist/ci/main.js'));

function start(main) {
  if (existsSync(main)) {
    void import(pathToFileURL(main).href);
    return;
  }
  console.error('trueup is not built: run `npm run build` first');
  process.exitCode = 1;
}

#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCommandLine } from './command-line.ts';
import { watchStreams } from './streams.ts';

watchStreams();
process.exitCode = await runCommandLine(process, () => {
  // Node 20 lets the space for new objects grow to 16 MB. That saves no time; as it is by now, it takes 15 MB less.
  if (process.versions.node.startsWith('20.')) setFlagsFromString('--semi-space-growth-factor=1');
});

#!/usr/bin/env node
import { fileURLToPath } from 'node:url';
import { watchStreams } from '../cli/streams.ts';
import { runCi } from './run-ci.ts';

watchStreams();
process.exitCode = await runCi(process, fileURLToPath(new URL('../../bin/trueup.js', import.meta.url)));

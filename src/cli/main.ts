#!/usr/bin/env node
import { runCommandLine } from './command-line.ts';
import { watchStreams } from './streams.ts';

watchStreams();
process.exitCode = await runCommandLine(process);

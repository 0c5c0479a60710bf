import { runCommandLine } from './command-line.ts';
import { limitHeap } from './heap.ts';
import { watchStreams } from './streams.ts';

watchStreams();
let isOver = false;
// Node ends when nothing is left to wait for, also where a command still waits.
process.on('beforeExit', () => {
  if (!isOver) process.exitCode = 1;
});
// A bundle that Node loads with a code cache has no `await` outside of functions.
void runCommandLine(process, limitHeap).then((code) => {
  isOver = true;
  process.exitCode = code;
});

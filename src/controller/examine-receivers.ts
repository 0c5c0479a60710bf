import { counted } from '../render/fold-lines.ts';
import { type Finding, finding } from './finding.ts';
import type { Records } from './records/all.ts';

/** Says which receivers never got messages that were meant for them. */
export function examineReceivers(receivers: Awaited<ReturnType<Records['receivers']>>): readonly Finding[] {
  return receivers.map(({ name, waiting, dead, problem }) => {
    if (dead === 0) return finding('messages', 'good', `${name}: ${waiting === 0 ? 'none waits' : `${waiting} wait`}`);
    const why = problem === null ? '' : `; the last problem: ${problem}`;
    const message = `${name} did not take ${counted(dead, 'message')} in twelve attempts${why}`;
    return finding('messages', 'warning', message, 'Check the address in its file. The page has what they told of.');
  });
}

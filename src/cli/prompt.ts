import { createInterface } from 'node:readline/promises';
import { printed } from '../render/printable.ts';
import type { Process } from './process.ts';

/** Asks on the terminal of a process. Only the word yes means yes; an end of input means no. */
export async function askYes({ stdin, stdout }: Process, question: string): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stdout });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  try {
    const answer = await lines.question(printed(question), { signal: ended.signal });
    return answer.trim() === 'yes';
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    stdout.write(printed('\n'));
    return false;
  } finally {
    lines.close();
  }
}

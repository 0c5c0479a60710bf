import { createInterface } from 'node:readline/promises';

/** Asks on the terminal. Only the word yes means yes; an end of input means no. */
export async function askYes(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stdout });
  const ended = new AbortController();
  lines.once('close', () => ended.abort());
  try {
    const answer = await lines.question(question, { signal: ended.signal });
    return answer.trim() === 'yes';
  } catch (error) {
    if (!ended.signal.aborted) throw error;
    process.stdout.write('\n');
    return false;
  } finally {
    lines.close();
  }
}

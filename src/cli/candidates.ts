import type { Command as Program } from 'commander';
import { printable, printed } from '../render/printable.ts';
import { complete } from './complete.ts';
import { valuesFor } from './completion-source.ts';
import type { Process } from './process.ts';

/** Prints the candidates for a shell. Prints nothing on any error: the user is typing. */
export async function printCandidates(program: Program, words: readonly string[], process: Process): Promise<void> {
  const found = await complete(program, words, valuesFor(process)).catch(() => []);
  // A shell inserts what it is given: a value that cannot be printed as it is cannot be offered.
  const lines =
    found === 'files'
      ? [':files']
      : found
          .filter(({ value }) => printable(value) === value)
          .map(({ value, about }) => (about ? `${value}\t${about}` : value));
  process.stdout.write(printed(lines.map((line) => `${line}\n`).join('')));
}

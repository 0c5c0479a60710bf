import type { Command as Program } from 'commander';
import type { CompletionView } from '../../render/formats/plain.ts';
import { completionFormats } from '../../render/formats/plain.ts';
import { printable, printed } from '../../render/printable.ts';
import type { Command } from '../command.ts';
import { complete } from '../complete.ts';
import { completionScript, shells } from '../completion-scripts.ts';
import { valuesFor } from '../completion-source.ts';
import { usage } from '../options.ts';
import type { Process } from '../process.ts';

/** Prints the script of a shell. */
export function completionCommand(name: string): Command<CompletionView> {
  return {
    formats: completionFormats,
    execute: (_run, view) => {
      const shell = shells.find((item) => item === name);
      if (shell === undefined) throw usage(`no completion for the shell ${name}`, `Shells: ${shells.join(', ')}.`);
      view.script(completionScript(shell));
      return Promise.resolve('done');
    },
  };
}

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

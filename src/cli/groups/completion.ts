import type { Command } from 'commander';
import { Argument } from 'commander';
import type { Process } from '../process.ts';
import type { Runner } from './shared.ts';
import { examples } from './shared.ts';

/** Completion of a shell. */
export function addCompletion(program: Command, run: Runner, process: Process): void {
  const completion = program
    .command('completion')
    .description('print the completion script of a shell')
    .addArgument(new Argument('<shell>').choices(['bash', 'zsh', 'fish']))
    .addHelpText(
      'after',
      examples(
        'eval "$(trueup completion bash)"        # in ~/.bashrc',
        'source <(trueup completion zsh)         # in ~/.zshrc, after compinit',
        'trueup completion fish | source         # in ~/.config/fish/config.fish',
      ),
    );
  run(completion, async () => (await import('../commands/completion.ts')).completionCommand(completion.args[0] ?? ''));
  const complete = program.command('complete', { hidden: true }).argument('[words...]');
  complete.action(async () =>
    (await import('../commands/completion.ts')).printCandidates(program, complete.args, process),
  );
}

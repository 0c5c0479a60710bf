import { type Formats, jsonView, type ReportView, textView } from '../../render/output-format.ts';
import { defineCommand } from '../command.ts';
import { completionScript, shells } from '../completion-scripts.ts';
import { usage } from '../settle-options.ts';

/** A script, the same in every format. */
const formats: Formats<ReportView<string>> = {
  text: (screen) => ({ ...textView(screen), report: screen.out }),
  json: (screen) => ({ ...jsonView(screen), report: screen.out }),
};

/** Prints the script of a shell. */
export const command = defineCommand({
  arguments: { '<shell>': { choices: shells } },
  examples: [
    'eval "$(trueup completion bash)"        # in ~/.bashrc',
    'source <(trueup completion zsh)         # in ~/.zshrc, after compinit',
    'trueup completion fish | source         # in ~/.config/fish/config.fish',
  ],
  formats,
  execute: (_run, view, { args: [name = ''] }) => {
    const shell = shells.find((item) => item === name);
    if (shell === undefined) throw usage(`no completion for the shell ${name}`, `Shells: ${shells.join(', ')}.`);
    view.report(completionScript(shell));
    return Promise.resolve('done');
  },
});

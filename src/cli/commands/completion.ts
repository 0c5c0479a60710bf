import type { Formats, Screen, View } from '../../render/format.ts';
import { jsonView } from '../../render/json-view.ts';
import { textView } from '../../render/text-view.ts';
import { defineCommand } from '../command.ts';
import { completionScript, shells } from '../completion-scripts.ts';
import { usage } from '../options.ts';

/** Prints what `completion` reports: a script, in every format. */
interface CompletionView extends View {
  readonly script: Screen['out'];
}

const formats: Formats<CompletionView> = {
  text: (screen) => ({ ...textView(screen), script: screen.out }),
  json: (screen) => ({ ...jsonView(screen), script: screen.out }),
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
    view.script(completionScript(shell));
    return Promise.resolve('done');
  },
});

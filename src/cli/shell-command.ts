import { relative } from 'node:path';
import { shellWord } from '../diagnostics/shell-word.ts';
import { maskValue } from '../secrets/looks-secret.ts';
import type { Run } from './command.ts';

/**
 * The command line of another command for the same manifest, as a shell takes it: with the options of this run that
 * choose the manifest and what it may do. `flags`: options of that command.
 */
export function commandLine(
  { options, process }: Pick<Run, 'options' | 'process'>,
  words: readonly string[],
  flags: readonly string[] = [],
): string {
  const near = relative(process.cwd(), options.folder);
  const folder = near.startsWith('..') ? options.folder : near;
  const all = [
    'trueup',
    ...(folder === '' ? [] : ['-C', notAnOption(folder)]),
    ...(options.file === 'trueup.yaml' ? [] : ['-f', notAnOption(options.file)]),
    ...(options.preview === undefined ? [] : ['--preview', options.preview]),
    ...(options.valueFiles ?? []).flatMap(({ written }) =>
      written === undefined ? [] : ['--var-file', notAnOption(written)],
    ),
    ...[...options.variables].flatMap(([name, value]) => ['--var', `${name}=${String(maskValue(name, value))}`]),
    ...(options.allowsSecretCommands ? ['--allow-secret-commands'] : []),
    ...(options.allowsHttp === true ? ['--allow-http'] : []),
    ...(options.isPinned === undefined ? [] : [options.isPinned ? '--pinned' : '--no-pinned']),
  ];
  return [...all, ...words.map(notAnOption), ...flags].map(shellWord).join(' ');
}

/** A word that begins with a hyphen would be an option. */
function notAnOption(word: string): string {
  return word.startsWith('-') ? `./${word}` : word;
}

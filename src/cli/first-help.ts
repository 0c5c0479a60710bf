import { commands, nameIn } from './commands/index.ts';

/** The commands that one needs first. */
const first = ['init', 'validate', 'plan', 'apply', 'drift'];

/** The answer to a command line that names no command. */
export function firstHelp(about: string): string {
  const width = Math.max(...first.map((name) => name.length));
  const lines = first.map((name) => {
    const [, summary] = commands.find(([usage]) => nameIn(usage) === name) ?? [];
    return `  trueup ${name.padEnd(width)}  ${summary}\n`;
  });
  return `Trueup ${about.charAt(0).toLowerCase()}${about.slice(1)}\n\n${lines.join('')}
trueup --help lists all commands, options, variables and exit codes; trueup plan --help, those of plan.\n`;
}

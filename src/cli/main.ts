#!/usr/bin/env node
import type { Command } from 'commander';
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { watchStreams } from './streams.ts';

watchStreams();
const program = createProgram();
let named = program;
program.hook('preSubcommand', (_above, command) => {
  named = command;
});
try {
  await program.parseAsync();
} catch (error) {
  if (error instanceof CommanderError && error.code.startsWith('commander.help')) process.exitCode = error.exitCode;
  else if (error instanceof CommanderError && error.code === 'commander.version') process.exitCode = 0;
  else await report(error, named);
}

/** Reports a command line that cannot be followed, in the format that it asks for where that can be made out. */
async function report(error: unknown, command: Command): Promise<void> {
  const [{ chooseFormat, reportFailure }, { openTerminal }, { createRedactor }, { usage }, { formatsOf }, plain] =
    await Promise.all([
      import('./run.ts'),
      import('./terminal.ts'),
      import('../secrets/redactor.ts'),
      import('./options.ts'),
      import('./command.ts'),
      import('../render/formats/plain.ts'),
    ]);
  const { argv } = process;
  const name = argv.find((word) => word.startsWith('--format='))?.slice(9) ?? argv[argv.indexOf('--format') + 1] ?? '';
  const formats = (await formatsOf(command)) ?? plain.commonFormats;
  const terminal = openTerminal(!argv.includes('--no-color'));
  reportFailure(
    error instanceof CommanderError
      ? usage(oneLine(error.message), 'trueup --help lists commands and options.')
      : error,
    { terminal, redactor: createRedactor(), view: (chooseFormat(formats, name) ?? formats.text)(terminal) },
  );
}

/** The message in one line, and without the value of an option that does not exist: it may be a secret. */
function oneLine(message: string): string {
  return message
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/^(unknown option '[^'=]*)=.*'/, "$1'");
}

#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program.ts';
import { watchStreams } from './streams.ts';

watchStreams();
try {
  await createProgram().parseAsync();
} catch (error) {
  if (error instanceof CommanderError && error.code.startsWith('commander.help')) process.exitCode = error.exitCode;
  else if (error instanceof CommanderError && error.code === 'commander.version') process.exitCode = 0;
  else await tell(error);
}

/** A command line that cannot be followed; the format it asks for is honoured where it can be made out. */
async function tell(error: unknown): Promise<void> {
  const [{ reportFailure }, { openTerminal }, { createRedactor }, { usage }] = await Promise.all([
    import('./run.ts'),
    import('./terminal.ts'),
    import('../secrets/redactor.ts'),
    import('./options.ts'),
  ]);
  const { argv } = process;
  const isJson = argv.includes('--format=json') || argv[argv.indexOf('--format') + 1] === 'json';
  const layout = argv.includes('apply') || argv.includes('destroy') ? 'lines' : 'indented';
  reportFailure(
    error instanceof CommanderError ? usage(told(error.message), 'trueup --help shows what there is.') : error,
    {
      terminal: openTerminal(!argv.includes('--no-color')),
      redactor: createRedactor(),
      json: isJson ? layout : undefined,
    },
  );
}

/** In one line, and without the value of an option that does not exist: it may be a secret. */
function told(message: string): string {
  return message
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, ' ')
    .replace(/^(unknown option '[^'=]*)=.*'/, "$1'");
}

import type * as z from 'zod';
import type { anyDocument } from '../render/document-schemas.ts';
import { type Printed, printable, printed, unchanged } from '../render/printable.ts';

/** A JSON document of `trueup` with diagnostics. */
type Documented = Extract<z.output<typeof anyDocument>, { diagnostics: unknown }>;
type Diagnostic = Documented['diagnostics'][number];

/** Most annotations that GitHub keeps of one step, by severity. */
const maxAnnotations = 10;

/**
 * Commands that show diagnostics at their lines, in the files of a pull request:
 * https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
 *
 * @param prefix the folder of the manifest below the root of the repository, with a slash at its end; empty at the root
 */
export function annotations(diagnostics: readonly Diagnostic[], prefix: string): Printed {
  const words = { error: 'error', warning: 'warning', note: 'notice' } as const;
  const lines = Object.entries(words).flatMap(([severity, word]) =>
    diagnostics
      .filter((one) => one.severity === severity && one.position !== undefined)
      .slice(0, maxAnnotations)
      .map((one) => `::${word} ${properties(one, prefix)}::${messageOf(one)}\n`),
  );
  return unchanged(lines.join(''));
}

function properties({ code, position }: Diagnostic, prefix: string): string {
  const { file = '', line = 1, column = 1 } = position ?? {};
  const given = { file: prefix + file, line, col: column, title: `trueup: ${code}` };
  return Object.entries(given)
    .map(([name, value]) => `${name}=${escape(String(value)).replaceAll(':', '%3A').replaceAll(',', '%2C')}`)
    .join(',');
}

/** The sentence, and the remedy with its lines to paste. */
function messageOf({ message, remedy }: Diagnostic): string {
  return escape(message) + (remedy === undefined ? '' : ` -> ${remedy.split('\n').map(escape).join('%0A')}`);
}

/** Line ends would end the command, and a command in it would be carried out: runners look for some in the whole line. */
function escape(text: string): string {
  return printed(printable(text)).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

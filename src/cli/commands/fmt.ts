import { resolve } from 'node:path';
import { once } from '../../api/once.ts';
import { masking } from '../../manifest/quote.ts';
import { formatFiles } from '../../project/format-files.ts';
import type { FormatDocument } from '../../render/document-schemas.ts';
import { type Screen, reportFormats } from '../../render/output-format.ts';
import { counted } from '../../render/fold-lines.ts';
import { printable } from '../../render/printable.ts';
import { textDifference } from '../../render/text-lines.ts';
import { defineCommand } from '../command.ts';
import { withoutMark } from '../../formats/utf8.ts';

/** What `fmt` found in the files of a manifest. */
interface Formatted {
  readonly files: readonly { readonly path: string; readonly isChanged: boolean }[];
  readonly isWritten: boolean;
  /** It only asks whether everything is formatted. */
  readonly isCheck: boolean;
  /** The texts before and after, without what may be secret. */
  readonly differences: readonly { readonly path: string; readonly before: string; readonly after: string }[];
}

const formats = reportFormats<Formatted>({
  text: (result, screen) => screen.out(formattedText(result, screen)),
  json: ({ files, isWritten }): FormatDocument => ({
    format: 'trueup/format',
    version: 1,
    written: isWritten,
    files: files.map(({ path, isChanged }) => ({ path, changed: isChanged })),
  }),
});

function formattedText({ files, isWritten, isCheck, differences }: Formatted, { outStyle: style }: Screen): string {
  const changed = files.filter(({ isChanged }) => isChanged);
  const lines = changed.flatMap(({ path }) => {
    const found = differences.find((one) => one.path === path);
    const name = printable(path);
    if (found === undefined) return [name];
    return [style.paint('strong', name), ...textDifference([found.before, found.after], { indent: 0, style }), ''];
  });
  const of = `${changed.length} of ${counted(files.length, 'file')}`;
  const end =
    changed.length === 0
      ? `${counted(files.length, 'file')} formatted already.`
      : isWritten
        ? `Formatted ${of}.`
        : `${of} not formatted${isCheck ? ': run trueup fmt' : ''}.`;
  return `${[...lines, end].join('\n')}\n`;
}

/** Formats the files of a manifest. Sends nothing. */
export const command = defineCommand({
  arguments: { '[files...]': 'only these files, each below the folder of the manifest' },
  options: {
    '--check': 'write nothing; list the files that are not formatted, and exit with 1 if there are any',
    '--diff': 'write nothing; show what would change',
  },
  examples: ['trueup fmt', 'trueup fmt --check --diff', 'trueup fmt environments/production.yaml'],
  formats,
  several: { runs: 'in turn', takesPreviews: true },
  execute: async ({ options, process }, view, { args, flags: { check, diff } }) => {
    const writes = check !== true && diff !== true;
    const files = await formatFiles(
      options,
      args.map((path) => resolve(process.cwd(), path)),
      { writes },
    );
    const changed = files.filter(({ before, after }) => before !== after);
    const texts = files.flatMap(({ before, after }) => [before, after].map(withoutMark));
    const masked = once(() => masking(texts, options.kinds));
    const shown = (text: string) => masked()(withoutMark(text));
    const exit = check === true && changed.length > 0 ? 'failed' : 'done';
    view.report({
      files: files.map(({ path, before, after }) => ({ path, isChanged: before !== after })),
      isWritten: writes,
      isCheck: check === true,
      differences:
        diff === true
          ? changed.map(({ path, before, after }) => ({ path, before: shown(before), after: shown(after) }))
          : [],
    });
    return exit;
  },
});

import { resolve } from 'node:path';
import { maskedText } from '../../manifest/quote.ts';
import { formatFiles } from '../../project/format-files.ts';
import type { FmtView } from '../../render/formats/fmt.ts';
import { fmtFormats } from '../../render/formats/fmt.ts';
import type { Command } from '../command.ts';

/** The options of `fmt`. */
export interface FmtFlags {
  /** Fails where a file is not formatted, and writes nothing. */
  readonly check?: true;
  /** Shows the differences, and writes nothing. */
  readonly diff?: true;
}

/** Formats the files of a manifest. Sends nothing. */
export function fmtCommand(paths: readonly string[], { check, diff }: FmtFlags): Command<FmtView> {
  return {
    formats: fmtFormats,
    execute: async ({ options, process }, view) => {
      const writes = check !== true && diff !== true;
      const files = await formatFiles(
        options,
        paths.map((path) => resolve(process.cwd(), path)),
        { writes },
      );
      const changed = files.filter(({ before, after }) => before !== after);
      const shown = (text: string) => maskedText(text.replace(/^\uFEFF/, ''), options.kinds);
      const exit = check === true && changed.length > 0 ? 'failed' : 'done';
      view.formatted({
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
  };
}

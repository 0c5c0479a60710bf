import type { FormatDocument } from '../documents.ts';
import type { Formats, Screen, View } from '../format.ts';
import { jsonView, printJson } from '../json-view.ts';
import { counted } from '../lines.ts';
import { printable } from '../printable.ts';
import { textDifference } from '../text-lines.ts';
import { textView } from '../text-view.ts';

/** What `fmt` found in the files of a manifest. */
interface Formatted {
  readonly files: readonly { readonly path: string; readonly isChanged: boolean }[];
  readonly isWritten: boolean;
  /** It only asks whether everything is formatted. */
  readonly isCheck: boolean;
  /** The texts before and after, without what may be secret. */
  readonly differences: readonly { readonly path: string; readonly before: string; readonly after: string }[];
}

/** Prints what `fmt` reports. */
export interface FmtView extends View {
  readonly formatted: (result: Formatted) => void;
}

/** The formats of `fmt`. */
export const fmtFormats: Formats<FmtView> = {
  text: (screen) => ({ ...textView(screen), formatted: (result) => screen.out(formattedText(result, screen)) }),
  json: (screen) => ({
    ...jsonView(screen),
    formatted: ({ files, isWritten }) => {
      const document: FormatDocument = {
        format: 'trueup/format',
        version: 1,
        written: isWritten,
        files: files.map(({ path, isChanged }) => ({ path, changed: isChanged })),
      };
      printJson(screen, document);
    },
  }),
};

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

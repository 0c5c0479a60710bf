import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { bytesOf } from './markdown.ts';

/**
 * Most bytes of a report in Markdown. GitHub refuses a comment of more than 65,536 characters; texts differ on whether it
 * counts code points, UTF-16 units or bytes in UTF-8, and no text has more of the first two than of the last.
 */
export const mostBytes = 65_536;

/** The paragraphs of a report that fit into a number of bytes, and the number of those that do not. */
export function fitting(parts: readonly string[], room: number): { readonly shown: string[]; readonly left: number } {
  const shown: string[] = [];
  let bytes = 0;
  for (const part of parts) {
    bytes += bytesOf(part) + 2;
    if (bytes > room) break;
    shown.push(part);
  }
  return { shown, left: parts.length - shown.length };
}

/** Refuses a report that says too much even in its shortest form. */
export function tooLong(bytes: number, what: string): Stop {
  return new Stop('refused', [
    diagnostic('report-too-long', `${what} take ${bytes} bytes, and a comment holds ${mostBytes}`, {
      remedy: 'Use --format json or --format html, or plan parts with --target.',
    }),
  ]);
}

import type { YAMLMap, YAMLSeq } from 'yaml';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { linesOf, position } from '../manifest/tree.ts';

/** A replacement of a part of a text: from one offset to another. */
export interface Splice {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** The text after all replacements; their offsets are those of the text before. */
export function spliced(text: string, splices: readonly Splice[]): string {
  let next = text;
  // From the last to the first; of those at one place the first one comes first in the text.
  for (const { from, to, text: put } of splices.toReversed().toSorted((a, b) => b.from - a.from)) {
    next = next.slice(0, from) + put + next.slice(to);
  }
  return next;
}

/** The value that an edit is about. */
export interface About {
  readonly file: string;
  readonly text: string;
  readonly path: readonly string[];
}

/** An edit on its way: changes are collected, and made at the end. */
export interface Work extends About {
  readonly splices: Splice[];
}

/** The refusal of an edit, at the place that is in its way. */
export function refused({ file, text, path }: About, why: string, offset = 0, remedy?: string): Stop {
  const shown = path.at(-1) ?? file;
  return stop('refused', 'not-editable', `cannot change ${shown}: ${why}`, {
    remedy: remedy ?? 'Change it by hand.',
    position: position({ file, offset, lines: linesOf(text) }),
  });
}

/** The refusal where the tokens of a map or list do not fit its entries. */
export function unusual(node: YAMLMap | YAMLSeq, work: Work): Stop {
  return refused(work, 'it is written in an unusual way', node.range?.[0]);
}

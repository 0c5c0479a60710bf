import type { Diagnostic, Position } from '../../src/diagnostics/diagnostic.ts';

/** A problem as tests compare it. */
export interface MarkedProblem {
  readonly code: string;
  /** `the mark`, or the place. */
  readonly at: string;
  readonly says: string;
}

/** Files without the mark `§`, and how a problem in them is named. */
export function marked(files: Readonly<Record<string, string>>): {
  readonly texts: Record<string, string>;
  readonly nameOf: (problem: Diagnostic) => MarkedProblem;
} {
  const marks = new Set<string>();
  const texts = Object.fromEntries(
    Object.entries(files).map(([name, text]) => {
      const before = text.split('§')[0] ?? '';
      const [line, column] = [before.split('\n').length, (before.split('\n').at(-1) ?? '').length + 1];
      if (text.includes('§')) marks.add(`${name}:${line}:${column}`);
      return [name, text.replace('§', '')];
    }),
  );
  const placeOf = ({ file, line, column }: Position) => `${file}:${line}:${column}`;
  return {
    texts,
    nameOf: ({ code, message, remedy = '', position }) => {
      const at = position === undefined ? 'nowhere' : placeOf(position);
      return { code, at: marks.has(at) ? 'the mark' : at, says: `${message} -> ${remedy}` };
    },
  };
}

import { columnsOf } from '../render/columns.ts';
import type { Live } from '../render/output-format.ts';
import { type Printed, printed, unchanged } from '../render/printable.ts';

/** Draws on a terminal, to which `write` writes at once. */
export function createLive({ write, size }: { write: (text: Printed) => void; size: Live['size'] }): Live {
  let shown: readonly string[] = [];
  let width = 0;
  /** Rows of earlier drawings right above the lines, out of sight since the terminal became lower. */
  let outOfSight = 0;
  const draw = (lines: readonly string[], above = ''): void => {
    const { columns, rows } = size();
    const height = outOfSight + shown.reduce((sum, line) => sum + rowsOf(line, { drawnAt: width, columns }), 0);
    const toStart = height === 0 ? '' : `\r\u001B[${height}A`;
    const hasColours = true;
    // Lines that stay may be longer than the terminal is wide.
    const left = above === '' ? '' : clearBelow + printed(above, { hasColours });
    const all = lines.map((line) => `${printed(line, { hasColours })}${clearLine}\n`).join('');
    write(unchanged(`${toStart}${left}${wrapOff}${all}${clearBelow}${wrapOn}`));
    // A terminal that becomes higher shows them again; what is left above the lines stands between.
    outOfSight = above === '' ? Math.max(0, height - (rows - 1)) : 0;
    [shown, width] = [lines, columns];
  };
  return {
    size,
    show: (lines, above = '') => {
      const isSame = lines.length === shown.length && lines.every((line, at) => line === shown[at]);
      if (above !== '' || !isSame || (lines.length > 0 && width !== size().columns)) draw(lines, above);
    },
    above: (text, writeText) => {
      const lines = shown;
      if (lines.length === 0) {
        writeText(text);
        return;
      }
      draw([]);
      writeText(text.endsWith('\n') ? text : unchanged(`${text}\n`));
      outOfSight = 0;
      draw(lines);
    },
    leave: () => {
      shown = [];
      outOfSight = 0;
    },
  };
}

/** The rows that a line takes: a terminal that became narrower has wrapped wider lines. */
function rowsOf(line: string, { drawnAt, columns }: { drawnAt: number; columns: number }): number {
  return Math.max(1, Math.ceil(Math.min(columnsOf(line), drawnAt) / Math.max(1, columns)));
}

// A character that is wider than expected is cut off at the edge instead of breaking the line.
const wrapOff = '\u001B[?7l';
const wrapOn = '\u001B[?7h';
const clearLine = '\u001B[K';
const clearBelow = '\u001B[J';

import { columnsOf, cut, shortened } from './columns.ts';
import { indentOf, signOf } from './progress-rows.ts';
import type { OpenStage, ProgressRow, ProgressView } from './progress-view.ts';
import { openStageOf } from './progress-view.ts';
import { lastWords, wordsFor } from './progress-words.ts';
import type { Style, Tone } from './style.ts';
import { actionWords } from './words.ts';

/** The share of a line that names keep beside long words. */
const shareOfNames = 0.37;

/** The moment, the room and the colours of a drawing. */
interface Drawing {
  readonly now: number;
  /** The largest number of columns of a line. */
  readonly columns: number;
  /** Nothing more will happen. */
  readonly isOver: boolean;
  readonly paint: Style['paint'];
}

/**
 * Renders one row as one line: an open action with its state and time, which stay whole, while its name is shortened in
 * the middle; anything else as the name of what is below it.
 */
export function renderRow(row: ProgressRow, view: ProgressView, { now, columns, isOver, paint }: Drawing): string {
  const indent = indentOf(row.depth);
  const stage = openStageOf(view, row);
  if (stage === undefined) return indent + paint('strong', shortened(row.label, columns - indent.length));
  const { is } = stage;
  const symbol = signOf(row.action);
  const namesEnd = Math.min(view.names, Math.floor(columns * shareOfNames));
  const roomBeside = (words: string) => columns - columnsOf(words) - 2;
  const wordings = isOver ? [lastWords[is]] : wordsFor(row, stage, view, now);
  const words = wordings.find((one) => roomBeside(one) >= namesEnd) ?? wordings.at(-1) ?? '';
  const before = indent.length + symbol.length;
  const room = roomBeside(words);
  if (room <= before) return paint(tones[is], cut(words, columns));
  const label = shortened(row.label, room - before);
  const gap = Math.max(0, Math.min(namesEnd, room) - before - columnsOf(label)) + 2;
  return `${indent}${paintName(symbol, label, row, { is, paint })}${' '.repeat(gap)}${paint(tones[is], words)}`;
}

function paintName(
  symbol: string,
  label: string,
  { action = 'no-op' }: ProgressRow,
  { is, paint }: { is: OpenStage['is']; paint: Style['paint'] },
): string {
  const sign = symbol === '' ? '' : paint(actionWords[action].tone, symbol);
  return sign + paint(is === 'running' ? 'strong' : 'faint', label);
}

const tones: Readonly<Record<OpenStage['is'], Tone>> = { waiting: 'faint', running: 'info' };

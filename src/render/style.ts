/** The meaning of a piece of text, which a terminal shows as a colour. */
export type Tone = 'good' | 'bad' | 'change' | 'info' | 'faint' | 'strong';

/** The colours and the width of text, and whether it is cut. */
export interface Style {
  /** Columns to stay within; undefined: lines are as long as they are. */
  readonly width: number | undefined;
  readonly paint: (tone: Tone, text: string) => string;
  /** Nothing is cut short. */
  readonly isFull: boolean;
  /** Both sides of a value stand on lines of their own, each behind a sign, as in a diff. */
  readonly isDiff: boolean;
}

/** No colour and no limit, for a pipe or a file. */
export const plainStyle: Style = {
  width: undefined,
  paint: (_tone, text) => text,
  isFull: false,
  isDiff: false,
};

/** What a piece of text means, for the eye. */
export type Tone = 'good' | 'bad' | 'change' | 'info' | 'faint' | 'strong';

/** How text is dressed: the colours and the width are the caller's. */
export interface Style {
  /** Columns to stay within; undefined: lines are as long as they are. */
  readonly width: number | undefined;
  readonly paint: (tone: Tone, text: string) => string;
}

/** No colour and no limit: what a pipe or a file gets. */
export const plainStyle: Style = { width: undefined, paint: (_tone, text) => text };

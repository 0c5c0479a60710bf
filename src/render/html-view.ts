import type { Screen, View } from './format.ts';
import { textView } from './text-view.ts';

/** Prints what every command can report beside a page: on stderr, as text. Asks no questions, because stdout is a file. */
export function htmlView(screen: Screen): View {
  return { ...textView(screen), asks: false, warnings: () => {} };
}

import type { ApplyEvent } from '../apply/run.ts';
import { renderEvent } from '../render/progress-text.ts';
import type { Style } from '../render/style.ts';

/** Makes the listener that tells of an apply line by line; `clock` gives milliseconds. */
export function createProgress({
  write,
  style,
  clock,
}: {
  write: (text: string) => void;
  style: Style;
  clock: () => number;
}): (event: ApplyEvent) => void {
  const started = new Map<string, number>();
  return (event) => {
    if (event.event === 'started') started.set(event.address, clock());
    const begin = started.get(event.address);
    const seconds = begin === undefined || event.event === 'started' ? undefined : (clock() - begin) / 1_000;
    write(renderEvent(event, seconds, style));
  };
}

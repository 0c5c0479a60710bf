import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';

/** Stops a run whose state cannot be used; `what` follows the location: `is damaged in line 3`. */
export function unusable(location: string, what: string, about: { remedy?: string; cause?: unknown } = {}): Stop {
  const { remedy = restore, cause } = about;
  return new Stop('state', [diagnostic('state-unusable', `the state ${location} ${what}`, { remedy })], { cause });
}

/** Stops a run that may not write: another run holds the lock, or may hold it. */
export function locked(message: string, remedy: string): Stop {
  return new Stop('locked', [diagnostic('locked', message, { remedy })]);
}

const restore =
  'Nothing was overwritten. Restore the state from a copy. Without one move it away, in a database delete its row, and ' +
  'make it anew: trueup state rebuild.';

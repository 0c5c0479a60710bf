import { type Stop, stop } from './diagnostic.ts';

/** The error of a call whose words cannot be followed: an unknown name, options that exclude one another. */
export function usage(message: string, remedy?: string): Stop {
  return stop('usage', 'usage', message, { remedy });
}

import { shellWord } from '../diagnostics/shell-word.ts';
import type { Labels } from './settings.ts';

/** The labels that a worker names, sorted: `ring=canary, site=paris`; empty: none. The same labels have the same text. */
export function onlyText(only: Labels): string {
  return wordsOf(only).join(', ');
}

/** The options of a worker, or of the doctor, for platforms that are bound to labels: `--only site=paris`. */
export function onlyOptions(only: Labels): string {
  return wordsOf(only)
    .map((word) => `--only ${shellWord(word)}`)
    .join(' ');
}

/** Says that no worker reaches a platform, and how to start one. */
export function unservedProblem(only: Labels): string {
  const options = onlyOptions(only);
  return `no worker with ${options} is alive\n-> Start one that reaches the platform: trueup controller work ${options}`;
}

function wordsOf(only: Labels): readonly string[] {
  return Object.entries(only)
    .map(([name, value]) => `${name}=${value}`)
    .toSorted();
}

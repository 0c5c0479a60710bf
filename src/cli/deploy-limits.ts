import { didYouMean } from '../diagnostics/closest.ts';
import type { Kind } from '../kind/kind.ts';
import { readSeconds, usage } from './settle-options.ts';

/** Default time limit of a deployment, in seconds. */
const usualSeconds = 900;

const option = '--deploy-timeout';

/**
 * Reads the time limits of deployments from values such as `900` or `15m` for all kinds and `application=30m` for one; the limit
 * of a kind wins, and the last of several. Returns milliseconds by the name of a kind.
 */
export function readDeployLimits(given: readonly string[], kinds: readonly Kind[]): (kind: string) => number {
  const names = kinds.filter(({ commands }) => commands?.['deploy'] !== undefined).map(({ kind }) => kind);
  const byKind = new Map<string, number>();
  let general = usualSeconds;
  for (const text of given) {
    const at = text.indexOf('=');
    if (at === -1) {
      general = readLimit(option, text);
      continue;
    }
    const name = text.slice(0, at);
    if (!names.includes(name)) throw unknownKind(name, names);
    byKind.set(name, readLimit(`${option} ${name}`, text.slice(at + 1)));
  }
  return (kind) => (byKind.get(kind) ?? general) * 1_000;
}

function readLimit(name: string, text: string): number {
  return readSeconds(name, text, 1, 86_400);
}

function unknownKind(name: string, names: readonly string[]) {
  const remedy = didYouMean(name, names, `It takes ${names.toSorted().join(', ')}.`);
  return usage(`${option}: ${JSON.stringify(name)} is not a kind with deployments`, remedy);
}

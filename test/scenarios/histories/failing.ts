import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Parameters, RunDetails } from 'fast-check';
import type { History } from '../../support/random-commands.ts';
import { hows } from '../../support/random-commands.ts';
import type { Step } from './history.ts';
import { printHistory, readHistory } from './history.ts';
import { live } from './live.ts';
import { perform } from './perform.ts';
import { newRun } from './run.ts';

/** Histories that are tried, and how one that fails is told. */

/** A history in which something did not hold, with all that was done until then. */
class FailedHistory extends Error {
  readonly #steps: readonly Step[];

  constructor(cause: unknown, steps: readonly Step[]) {
    super(cause instanceof Error ? cause.message : String(cause));
    this.#steps = steps;
    if (cause instanceof Error && cause.stack !== undefined) this.stack = cause.stack;
  }

  /** Private, and not a member that whoever prints the error prints too. */
  get document(): string {
    return printHistory(this.#steps, this.message);
  }
}

const folder = mkdtempSync(join(tmpdir(), 'trueup-random-'));

const happened = new Set<string>();

/** What no random history of this file did, of all that can happen. */
export function unseen(): string[] {
  return [
    ...['over', 'unfinished', 'refused'].map((ending) => `apply: ${ending}`),
    ...['over', 'unfinished', 'outdated'].map((ending) => `apply the plan: ${ending}`),
    ...['over', 'refused'].flatMap((ending) => [`plan: ${ending}`, `rebuild the state: ${ending}`]),
    ...['over', 'unfinished'].map((ending) => `destroy: ${ending}`),
    ...['leave', 'lose the state', 'forget', 'by hand'].map((step) => `${step}: over`),
    'by hand before a run',
    'by hand in a run',
    ...hows.map((how) => `fault: ${how}`),
  ].filter((words) => !happened.has(words));
}

/** Whether reads of these histories went together. */
export const hasBatches = (): boolean => happened.has('bulk reads');

/** Lives a random history; throws a FailedHistory. */
export async function tryHistory(history: History): Promise<void> {
  const steps: Step[] = [];
  try {
    await live(newRun(folder, happened), history, steps);
  } catch (error) {
    throw new FailedHistory(error, steps);
  }
}

/** Does what the document of a history says; gives what did not hold, or undefined when all of it did. */
export async function failureOf(document: string): Promise<string | undefined> {
  const run = newRun(folder);
  const steps = readHistory(document);
  try {
    for (const step of steps) await perform(run, step);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

const env = process.env;

/**
 * How many histories are tried, from which seed. `TRUEUP_SEED` and `TRUEUP_RUNS` say it otherwise; `TRUEUP_PATH` is a
 * single history, as a failure prints it; with `TRUEUP_SHRINK=no` the first failure is told as it is.
 */
export function chance({ file, seed, runs }: { file: string; seed: number; runs: number }): Parameters<[History]> {
  const path = env.TRUEUP_PATH;
  return {
    seed: Number(env.TRUEUP_SEED ?? seed),
    numRuns: path === undefined ? Number(env.TRUEUP_RUNS ?? runs) : 1,
    ...(path === undefined ? {} : { path }),
    endOnFailure: env.TRUEUP_SHRINK === 'no' || path !== undefined,
    // What is found until then is told; a run that is cut short is no success.
    interruptAfterTimeLimit: limitMs - 15_000,
    markInterruptAsFailure: true,
    reporter: (details: RunDetails<[History]>) => {
      if (details.failed) throw new Error(tell(details, file));
    },
  };
}

/** The longest that one file of random histories may take. Milliseconds. */
export const limitMs = Number(env.TRUEUP_TIMEOUT ?? 600_000);

/** What failed, and the two ways to see it again. */
export function tell(details: RunDetails<[History]>, file: string): string {
  const { seed, counterexamplePath, errorInstance, numRuns, numShrinks } = details;
  if (counterexamplePath === null) return `only ${numRuns} histories were tried: the time was over`;
  const failed = errorInstance instanceof FailedHistory ? errorInstance : new FailedHistory(errorInstance, []);
  const path = join(mkdtempSync(join(tmpdir(), 'trueup-history-')), 'history.yaml');
  writeFileSync(path, failed.document);
  return [
    `the history at ${counterexamplePath} of seed ${seed} fails, after ${numRuns} of them and ${numShrinks} simplifications:`,
    failed.stack ?? failed.message,
    '',
    'The same again, by chance:',
    `  TRUEUP_SEED=${seed} TRUEUP_PATH=${counterexamplePath} npx vitest run ${file}`,
    `Without chance, from the document in ${path}, which is also below:`,
    `  TRUEUP_HISTORY=${path} npx vitest run test/scenarios/convergence-replay.test.ts`,
    '',
    '--- history ---',
    failed.document,
  ].join('\n');
}

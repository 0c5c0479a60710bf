import { appendFileSync } from 'node:fs';
import type { Process } from '../cli/process.ts';
import type { Printed } from '../render/printable.ts';
import { printed } from '../render/printable.ts';

/** Most characters of the output of a run in a comment; GitHub takes 65,536 in all. */
const mostCharacters = 60_000;

/** What a job hands to its forge beside its log. */
export interface Report {
  /** A line of the log. */
  readonly say: (text: string) => void;
  /** Commands to the runner. */
  readonly command: (commands: Printed) => void;
  /** Adds markdown to the page of the job, where the forge has one. */
  readonly summary: (markdown: string) => void;
  /** Sets an output of the step, for later steps. */
  readonly output: (name: string, value: string) => void;
}

/** The report of a process, by the variables that its runner sets. */
export function reportOf({ env, stdout }: Process): Report {
  const append = (name: string, text: string): void => {
    const file = env[name] ?? '';
    if (file !== '') appendFileSync(file, text);
  };
  return {
    say: (text) => void stdout.write(printed(`${text}\n`)),
    command: (commands) => void stdout.write(commands),
    summary: (markdown) => append('GITHUB_STEP_SUMMARY', `${markdown}\n`),
    output: (name, value) => append('GITHUB_OUTPUT', `${name}=${value}\n`),
  };
}

/** A text as a block of code that nothing in it can end. Its middle is left out where it is too long. */
export function codeBlock(text: string): string {
  const half = mostCharacters / 2;
  const shown =
    text.length <= mostCharacters
      ? text
      : `${text.slice(0, half)}\n… ${text.length - mostCharacters} characters left out; the log of the job has them …\n${text.slice(-half)}`;
  const longest = Math.max(2, ...[...shown.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}text\n${shown.trimEnd()}\n${fence}`;
}

import { appendFileSync } from 'node:fs';
import type { Process } from '../cli/process.ts';
import { textBlock } from '../render/diff-lines.ts';
import { codeBlock } from '../render/markdown.ts';
import { type Printed, printed } from '../render/printable.ts';

/** Most characters of the output of a run in a comment; at most three bytes each in UTF-8. */
const maxCharacters = 20_000;

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

/** What became of a job, as Markdown: a title, the output of the run, and a sentence below it. */
export function resultText(title: string, output: string, foot: string): string {
  return `${[`### Trueup: ${title}`, outputBlock(output), ...(foot === '' ? [] : [foot])].join('\n\n')}\n`;
}

/** The output of a run as a block of code. Its middle is left out where it is too long for a comment. */
export function outputBlock(text: string, most = maxCharacters): string {
  const half = Math.floor(most / 2);
  const left = text.length - 2 * half;
  const shown =
    left <= 0
      ? text
      : `${text.slice(0, half)}\n… ${left} characters left out; the log has them …\n${text.slice(-half)}`;
  return codeBlock(textBlock(shown.trimEnd().split('\n')), 'text');
}

import { usage } from '../diagnostics/usage.ts';

const commands = ['plan', 'apply', 'drift', 'comment'] as const;

/** The command line of `trueup-ci`. */
export interface CiOptions {
  readonly command: (typeof commands)[number];
  /** The folder of the manifest, as written; `.` where the command line names none. */
  readonly folder: string;
  /** The name of the manifest in that folder; of `comment`, which is about several, a pattern. */
  readonly file: string;
  /** --no-comment writes none on the pull request. */
  readonly comments: boolean;
  /** --document: the file that gets the result of `plan`, for the comment that another job writes. */
  readonly document?: string | undefined;
  /** The options that every `trueup` of this job gets: folder, manifest, variables, … */
  readonly shared: readonly string[];
  /** The other words: `trueup` checks them. Of `comment`, the files with documents. */
  readonly own: readonly string[];
}

/** Options of every command of `trueup` that take a value. */
const withValue: Readonly<Record<string, string>> = {
  '-C': '--directory',
  '--directory': '--directory',
  '-f': '--file',
  '--file': '--file',
  '--var': '--var',
  '--var-file': '--var-file',
  '--lock-timeout': '--lock-timeout',
  '--connections': '--connections',
};

/** The option of `trueup-ci plan` that takes a value. */
const documentOption = '--document';

/** Options of every command of `trueup` that take none. */
const withoutValue = ['--allow-secret-commands', '--allow-http', '--pinned', '--no-pinned'];

/** Options that `trueup-ci` sets itself. */
const reserved = ['--out', '--format', '--detailed-exitcode', '--show-values', '--auto-approve'];

/** Reads a command line. @throws {Stop} `usage` */
export function readOptions(words: readonly string[]): CiOptions {
  const [command, ...rest] = words;
  const known = commands.find((one) => one === command);
  if (known === undefined) {
    throw usage(`trueup-ci has no command ${JSON.stringify(command ?? '')}`, `It has these: ${commands.join(', ')}.`);
  }
  let [folder, file, comments, document]: [string, string, boolean, string?] = ['.', 'trueup.yaml', true];
  const [shared, own]: [string[], string[]] = [[], []];
  for (let at = 0; at < rest.length; at++) {
    const [, word = '', joined] = /^(--[^=]+|-[Cf](?=.)|[^=]+|)=?([\s\S]+)?$/.exec(rest[at] ?? '') ?? [];
    if (reserved.includes(word)) throw usage(`trueup-ci ${known} sets ${word} itself`, 'Leave it out.');
    if (rest[at] === '--no-comment') {
      comments = false;
      continue;
    }
    const isDocument = known === 'plan' && word === documentOption;
    const name = Object.hasOwn(withValue, word) ? withValue[word] : isDocument ? documentOption : undefined;
    if (name === undefined) {
      (withoutValue.includes(word) ? shared : own).push(rest[at] ?? '');
      continue;
    }
    const value = joined ?? rest[++at];
    if (value === undefined) throw usage(`${word} needs a value`);
    if (name === '--directory') folder = value;
    if (name === '--file') file = value;
    if (name === documentOption) document = value;
    else shared.push(`${name}=${value}`);
  }
  return { command: known, folder, file: known === 'comment' ? '*.yaml' : file, comments, document, shared, own };
}

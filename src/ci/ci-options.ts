import { usage } from '../diagnostics/usage.ts';

const commands = ['plan', 'apply', 'drift', 'comment', 'preview'] as const;

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
  readonly document: string | undefined;
  /** Of `preview`: the pull request and the commit that a person names. */
  readonly number: string | undefined;
  readonly commit: string | undefined;
  /** Of `preview`: for apply and destroy. */
  readonly inFlightTimeout: string | undefined;
  /** Of `preview`, --remove: removes it, also while the pull request is open. */
  readonly remove: boolean;
  /** Of `preview`, --prune: removes what has no open pull request. */
  readonly prune: boolean;
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

/** Options of one command of `trueup-ci`, which `trueup` does not get: with a value, and without one. */
const ofCommands: Readonly<Record<string, { readonly values: readonly string[]; readonly flags: readonly string[] }>> =
  {
    plan: { values: ['--document'], flags: [] },
    preview: { values: ['--number', '--commit', '--in-flight-timeout'], flags: ['--remove', '--prune'] },
  };

/** Options of every command of `trueup` that take none. */
const withoutValue = ['--allow-secret-commands', '--allow-http', '--pinned', '--no-pinned'];

/** Options that `trueup-ci` sets itself. */
const reserved = ['--out', '--format', '--detailed-exitcode', '--show-values', '--auto-approve'];

/** Commands whose plan file is that of one root file: `trueup plan --out` makes a folder for several. */
const ofOneRootFile: readonly string[] = ['plan', 'apply'];

/** Reads a command line. @throws {Stop} `usage` */
export function readOptions(words: readonly string[]): CiOptions {
  const [command, ...rest] = words;
  const known = commands.find((one) => one === command);
  if (known === undefined) {
    throw usage(`trueup-ci has no command ${JSON.stringify(command ?? '')}`, `It has these: ${commands.join(', ')}.`);
  }
  let [folder, file, comments] = ['.', 'trueup.yaml', true];
  const [shared, own]: [string[], string[]] = [[], []];
  const { values, flags } = ofCommands[known] ?? { values: [], flags: [] };
  const taken = new Map<string, string>();
  for (let at = 0; at < rest.length; at++) {
    const [, word = '', joined] = /^(--[^=]+|-[Cf](?=.)|[^=]+|)=?([\s\S]+)?$/.exec(rest[at] ?? '') ?? [];
    if (reserved.includes(word)) throw usage(`trueup-ci ${known} sets ${word} itself`, 'Leave it out.');
    if (rest[at] === '--no-comment') {
      comments = false;
      continue;
    }
    if (flags.includes(rest[at] ?? '')) {
      taken.set(word, '');
      continue;
    }
    const isTaken = values.includes(word);
    const name = Object.hasOwn(withValue, word) ? withValue[word] : isTaken ? word : undefined;
    if (name === undefined) {
      (withoutValue.includes(word) ? shared : own).push(rest[at] ?? '');
      continue;
    }
    const isEmpty = rest[at] === `${word}=`;
    const value = joined ?? (isEmpty ? '' : rest[++at]);
    if (value === undefined) throw usage(`${word} needs a value`);
    if (name === '--directory') folder = value;
    if (name === '--file') file = value;
    if (isTaken) taken.set(word, value);
    else shared.push(`${name}=${value}`);
  }
  if (ofOneRootFile.includes(known)) refuseSeveral(known, shared, own);
  return {
    command: known,
    folder,
    file: known === 'comment' ? '*.yaml' : file,
    comments,
    document: taken.get('--document'),
    number: taken.get('--number'),
    commit: taken.get('--commit'),
    inFlightTimeout: taken.get('--in-flight-timeout'),
    remove: taken.has('--remove'),
    prune: taken.has('--prune'),
    shared: shared.filter((one, at) => !isRepeated(one, shared.slice(at + 1))),
    own,
  };
}

/** @throws {Stop} `usage`, when options name several root files */
function refuseSeveral(command: string, shared: readonly string[], own: readonly string[]): void {
  const files = shared.flatMap((one) => (one.startsWith('--file=') ? [one.slice('--file='.length)] : []));
  const named = own.includes('--all') ? '--all' : `${files.slice(0, -1).join(', ')} and ${files.at(-1) ?? ''}`;
  if (files.length < 2 && named !== '--all') return;
  throw usage(`trueup-ci ${command} takes one root file, got ${named}`, 'Run one job for each root file.');
}

/** Whether an option that takes one value comes again: the last one counts, so that a job can override those of an action. */
function isRepeated(option: string, later: readonly string[]): boolean {
  const [name = ''] = option.split('=', 1);
  const isRepeatable = ['--var', '--var-file', '--file'].includes(name);
  return !isRepeatable && option.includes('=') && later.some((one) => one.startsWith(`${name}=`));
}

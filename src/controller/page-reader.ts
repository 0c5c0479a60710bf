import { type Safeguard, safeguards } from '../diagnostics/safeguards.ts';
import type { Reader } from '../render/html/reader-words.ts';
import type { StackRow } from './records/shown-stacks.ts';

/** Whether the reader may propose the drift of the stack as a pull request. */
export interface Proposing {
  readonly mayPropose?: boolean | undefined;
}

/** Who reads the plans, runs and drift of a stack on pages: approvals take the place of options. */
export function readerFor({ policy }: Pick<StackRow, 'policy'>, { mayPropose = false }: Proposing = {}): Reader {
  const isApplied = policy !== 'never';
  return {
    needed: isApplied ? 'an approval needs the box for data ticked' : 'the policy of this stack applies no plan',
    given: 'allowed by the approval',
    adoption: isApplied ? '; approving the plan allows it' : '; the policy of this stack applies no plan',
    unmanaged: '',
    tooMany: '',
    remedyOf: (one) => (isApplied || !isOfApproval(one) ? remedyOnPage(one) : undefined),
    wordsOf: inWordsOfPage,
    wayOf: (command) => ({ words: wayFor(command, { isApplied, mayPropose }), isCommand: false }),
  };
}

/** What a reader does where a command would do it. */
function wayFor(
  command: string,
  { isApplied, mayPropose }: { readonly isApplied: boolean; readonly mayPropose: boolean },
): string {
  const change = 'change the manifest and push it';
  if (/\bdrift adopt\b/.test(command)) return mayPropose ? `propose it as a pull request, or ${change}` : change;
  if (/\bdrift accept\b/.test(command)) return isApplied ? 'refuse the repair' : 'nothing repairs it';
  if (/\bexport\b/.test(command)) return 'write its block into the manifest and push it';
  return isApplied ? 'approve the plan' : 'change it on the platform: the policy of this stack applies no plan';
}

/** What is said to a reader of pages, who has neither a command line nor the environment of the workers. */
interface Said {
  readonly code: string;
  readonly severity?: 'error' | 'warning' | 'note';
  readonly remedy?: string | undefined;
}

/** What gives the permissions that options give to a command. */
const permitted: Readonly<Record<NonNullable<Safeguard['permission']>, string>> = {
  dataLoss: 'Tick the box for its data when you approve the plan, or refuse it.',
  massDeletion: 'Tick the box for data when you approve the plan, or refuse it.',
  adoption: 'Approve the plan to adopt what is there, or refuse it.',
  massRecreation: 'Check that the platform is the right one. Approve the plan to create all of it again, or refuse it.',
};

/** The permission for what a code is about. */
function permissionOf(code: string): NonNullable<Safeguard['permission']> | undefined {
  const all: readonly Safeguard[] = Object.values(safeguards);
  return all.find((one) => one.code === code && one.permission !== undefined)?.permission;
}

/** Whether an approval allows what a diagnostic is about. */
function isOfApproval({ code }: Said): boolean {
  return permissionOf(code) !== undefined;
}

/** What commands and their environment call otherwise than a controller does. */
const names: readonly (readonly [of: RegExp, here: string])[] = [
  [/\bTRUEUP_API_KEY\b/g, 'the key of the platform'],
  [/\bTRUEUP_STATE_URL\b/g, 'the address of the database'],
  [/ \(--no-wait\)/g, ''],
  // What failed is tried again by itself; a line that is to be changed is not.
  [/(?<!\bchange the line and )\bapply again\b/g, 'push again, or wait until it is tried again'],
  [/\bapply again\b/g, 'push again'],
  [/\btrueup logs \S+(?: --deployment)? shows more\b/g, 'Its log on the platform shows more'],
];

/** A text in the words of a controller. */
export function inWordsOfPage(text: string): string {
  return names.reduce((words, [of, here]) => words.replaceAll(of, here), text);
}

/** What no reader can do from a page: a command, an option of one, a variable that only a command reads. */
const isOfCommands = (text: string): boolean =>
  /(?:^|[\s'"`(])--[a-z]|\btrueup [a-z]|\bTRUEUP_(?!SECRET_|VAR_|ENV_ALLOW|FILE_ALLOW|AGE_)/.test(text);

/** The variables that the file of a platform gives to its stacks. */
const isOfEnvFile = (text: string): boolean => /\bTRUEUP_[A-Z]/.test(text);

const envFile = 'Such a variable stands in the file of variables of the platform.';
const otherwise = 'Change the manifest and push it, or ask who runs the controller.';

/** The remedy of a diagnostic as far as a reader of a page can follow it; undefined: there is nothing to do. */
export function remedyOnPage({ code, severity, remedy }: Said): string | undefined {
  const permission = permissionOf(code);
  if (permission !== undefined) return permitted[permission];
  if (remedy === undefined) return undefined;
  const clauses = inWordsOfPage(remedy).split(/(?<=[.;]) +/);
  const kept = clauses.flatMap((clause) => (isOfCommands(clause) ? alternativesIn(clause) : [clause]));
  // A note needs no person.
  if (kept.length === 0) return severity === 'note' ? undefined : otherwise;
  const text = kept.map((clause, at) => (kept[at - 1]?.endsWith(';') === true ? clause : capital(clause))).join(' ');
  return `${text.replace(/;$/, '.')}${isOfEnvFile(text) ? ` ${envFile}` : ''}`;
}

/** Of `do this, or do that`, what a reader can do. */
function alternativesIn(clause: string): string[] {
  const [, body = '', end = ''] = /^(.*?)([.;]?)$/s.exec(clause) ?? [];
  const left = body.split(/, or /).filter((one) => !isOfCommands(one));
  return left.length === 0 ? [] : [`${left.join(', or ')}${end}`];
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

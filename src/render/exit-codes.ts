import type { Diagnostic, Stop } from '../diagnostics/diagnostic.ts';

/** The exit codes of a run and their meanings; the help and docs/commands.md show this table. */
export const exitCodes = {
  done: { code: 0, about: 'done' },
  failed: {
    code: 1,
    about: 'failed: the platform refused or is not reachable, the plan or the command line was refused',
  },
  changes: { code: 2, about: 'plan --detailed-exitcode: there are changes; drift: something drifted that is new' },
  manifest: { code: 3, about: 'the manifest is not valid' },
  authentication: { code: 4, about: 'the API key is missing, not accepted, or may not do this' },
  locked: { code: 5, about: 'another run holds the lock' },
  partly: {
    code: 6,
    about:
      'partly applied: something was written, and something failed, was ignored or is not sure; or a field is ignored by the platform',
  },
  state: {
    code: 7,
    about: 'the state cannot be used: it is damaged, its key is missing, it belongs to another root file or project, …',
  },
  'known drift': { code: 8, about: 'drift: only what is known or accepted drifted' },
  interrupted: { code: 130, about: 'ended at once by a signal' },
} as const satisfies Record<string, { code: number; about: string }>;

/** Whether a run with this code did not do what it was asked for: neither done, nor changes, nor known drift. */
export function isErrorCode(code: number): boolean {
  return ![exitCodes.done.code, exitCodes.changes.code, exitCodes['known drift'].code].some((good) => good === code);
}

/** A reason of the table. */
export type Exit = keyof typeof exitCodes;

/** The table as lines for the help. */
export function describeExitCodes(): string {
  return Object.values(exitCodes)
    .map(({ code, about }) => `  ${String(code).padEnd(4)} ${about}\n`)
    .join('');
}

/** How a run ends that was stopped. */
export const stopExits: Readonly<Record<Stop['failure'], Exit>> = {
  manifest: 'manifest',
  refused: 'failed',
  authentication: 'authentication',
  locked: 'locked',
  platform: 'failed',
  state: 'state',
  usage: 'failed',
};

/** How a run of `drift` ends: by its drift; without drift, as failed when a notification failed or a field could not be read. */
export function driftExit({
  exitCode,
  diagnostics,
}: {
  readonly exitCode: 0 | 2 | 8;
  readonly diagnostics: readonly Pick<Diagnostic, 'code'>[];
}): 'done' | 'failed' | 'changes' | 'known drift' {
  const hasFailed = ({ code }: Pick<Diagnostic, 'code'>) => code === 'not-notified' || code === 'not-decrypted';
  if (exitCode === 0) return diagnostics.some(hasFailed) ? 'failed' : 'done';
  return exitCode === 2 ? 'changes' : 'known drift';
}

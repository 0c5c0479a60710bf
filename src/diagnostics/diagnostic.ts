import { type Code, codes } from './codes.ts';

/** A place in a file the user wrote; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The column behind its last character, where it ends in the same line. */
  readonly endColumn?: number | undefined;
  /** The places of the uses of templates that led there, the innermost first. */
  readonly uses?: readonly Position[] | undefined;
}

/** A position as editors and terminals understand it: `file:line:column`. */
export function positionText({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}

/** The line of a file that a diagnostic is about; what may be secret in it is masked. */
export interface Quote {
  readonly text: string;
  /** The part that the diagnostic is about: offsets in the text. */
  readonly from: number;
  readonly to: number;
}

/** A report to the user about one thing, with its position and its remedy. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: 'error' | 'warning' | 'note';
  /** The fact, in one sentence. */
  readonly message: string;
  /** More facts, one per line, such as the end of a log. */
  readonly details?: readonly string[];
  /** The next step, as an imperative. */
  readonly remedy?: string;
  /**
   * The same, where it removes something because the platform lacks something: printed behind what to check first, unless the
   * run proves address, key and profile.
   */
  readonly removal?: string;
  /** The resource it is about. */
  readonly address?: string;
  readonly position?: Position;
  /** The line at `position`, where its file is at hand. */
  readonly quote?: Quote;
}

/** What a diagnostic says beside its message. */
interface Hints {
  readonly details?: readonly string[] | undefined;
  readonly remedy?: string | undefined;
  readonly removal?: string | undefined;
  readonly address?: string | undefined;
  readonly position?: Position | undefined;
}

/** Makes a diagnostic; its severity comes from the table of codes. */
export function diagnostic(code: Code, message: string, hints: Hints = {}): Diagnostic {
  const { details = [], remedy, removal, address, position } = hints;
  return {
    code,
    severity: codes[code].severity,
    message,
    ...(details.length === 0 ? {} : { details }),
    ...(remedy === undefined ? {} : { remedy }),
    ...(removal === undefined ? {} : { removal }),
    ...(address === undefined ? {} : { address }),
    ...(position === undefined ? {} : { position }),
  };
}

/** Whether anything in the list stops the run. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((item) => item.severity === 'error');
}

/** The run that holds a lock. */
export interface LockHolder {
  /** A user, a machine and a process. */
  readonly owner: string;
  /** The command: `apply`. */
  readonly purpose: string;
  /** ISO 8601. */
  readonly since: string;
  /** Milliseconds until the lock expires, unless it is renewed; undefined where its place has no clock. */
  readonly expiresInMs: number | undefined;
}

/** Why a run stops, beside its diagnostics. */
interface Circumstances extends ErrorOptions {
  readonly holder?: LockHolder | undefined;
}

/** Stops a run because of something that the user has to fix; has the diagnostics, and the reason as `failure`. */
export class Stop extends Error {
  readonly diagnostics: readonly Diagnostic[];
  readonly failure: 'manifest' | 'refused' | 'authentication' | 'locked' | 'platform' | 'state' | 'usage';
  /** Of `locked`: the run that has the lock; undefined: this run lost it. */
  readonly holder: LockHolder | undefined;

  constructor(
    failure: Stop['failure'],
    diagnostics: readonly Diagnostic[],
    { holder, ...options }: Circumstances = {},
  ) {
    super(diagnostics.map((item) => item.message).join('\n'), options);
    this.name = 'Stop';
    this.failure = failure;
    this.diagnostics = diagnostics;
    this.holder = holder;
  }
}

/** The result of some work; undefined where it was stopped. @throws what is no `Stop` */
export function unlessStopped<T>(work: Promise<T>): Promise<T | undefined> {
  return work.catch((error: unknown) => {
    if (error instanceof Stop) return undefined;
    throw error;
  });
}

/** A stop with one error. A state that cannot be used always ends a run as `state`, which has an exit code of its own. */
export function stop<C extends Code>(
  failure: C extends `state-${string}` ? 'state' : Stop['failure'],
  code: C,
  message: string,
  { cause, holder, ...hints }: Hints & Circumstances = {},
): Stop {
  const circumstances = cause === undefined ? { holder } : { holder, cause };
  return new Stop(failure, [diagnostic(code, message, hints)], circumstances);
}

import type { Code } from './codes.ts';
import { codes } from './codes.ts';

/** A place in a file the user wrote; line and column count from 1. */
export interface Position {
  readonly file: string;
  readonly line: number;
  readonly column: number;
}

/** What is told to the user about one thing: what it is, where it is, and how to mend it. */
export interface Diagnostic {
  readonly code: Code;
  readonly severity: 'error' | 'warning' | 'note';
  /** What is the case, in one sentence. */
  readonly message: string;
  /** More lines of what is known, such as the end of a log. */
  readonly details?: readonly string[];
  /** What to do about it. */
  readonly remedy?: string;
  /** The resource it is about. */
  readonly address?: string;
  readonly position?: Position;
}

/** Makes a diagnostic; its severity comes from the table of codes. */
export function diagnostic(
  code: Code,
  message: string,
  about: {
    details?: readonly string[];
    remedy?: string | undefined;
    address?: string | undefined;
    position?: Position | undefined;
  } = {},
): Diagnostic {
  return {
    code,
    severity: codes[code].severity,
    message,
    ...(about.details === undefined || about.details.length === 0 ? {} : { details: about.details }),
    ...(about.remedy === undefined ? {} : { remedy: about.remedy }),
    ...(about.address === undefined ? {} : { address: about.address }),
    ...(about.position === undefined ? {} : { position: about.position }),
  };
}

/** Whether anything in the list stops the run. */
export function hasErrors(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.some((item) => item.severity === 'error');
}

/** Stops a run with what the user has to mend; carries the diagnostics and the reason as `failure`. */
export class Stop extends Error {
  readonly diagnostics: readonly Diagnostic[];
  readonly failure: 'manifest' | 'refused' | 'authentication' | 'locked' | 'platform' | 'state' | 'usage';

  constructor(failure: Stop['failure'], diagnostics: readonly Diagnostic[], options?: ErrorOptions) {
    super(diagnostics.map((item) => item.message).join('\n'), options);
    this.name = 'Stop';
    this.failure = failure;
    this.diagnostics = diagnostics;
  }
}

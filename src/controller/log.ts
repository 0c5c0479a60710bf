import { Stop } from '../diagnostics/diagnostic.ts';
import { usage } from '../diagnostics/usage.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { errorText } from './error-text.ts';

/** The log of a process: one line per event, without secrets. */
export interface Log {
  /** What happened, such as `ran`, and what it happened to. */
  readonly say: (event: string, about?: About) => void;
  /** What failed. The same failure again within a minute is left out. */
  readonly problem: (error: unknown, about?: About) => void;
}

type About = Readonly<Record<string, string | number>>;

/** A line for people, or a JSON document per line for programs. */
type LogForm = 'text' | 'json';

/** Reads the form of a log. @throws {Stop} `usage` */
export function logForm(text: string): LogForm {
  if (text === 'text' || text === 'json') return text;
  throw usage(`--log must be text or json, got ${JSON.stringify(text)}`);
}

interface LogOptions {
  /** Prints a line. */
  readonly write: (line: string) => void;
  readonly form: LogForm;
  readonly redact: Redactor['redact'];
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

const quietMs = 60_000;

/**
 * How sockets, the client of PostgreSQL and its server say that the database is away, each in another way and for each job. All else
 * that a process of the controller connects to has a sentence of its own.
 */
const away =
  /^(?:(?:connect|read|write|getaddrinfo) E|Connection terminated|timeout exceeded when trying|Query read timeout|the database system is |terminating connection)/;

/** Makes a log. */
export function createLog({ write, form, redact, now }: LogOptions): Log {
  /** The times of failures of the last minute, by their texts. */
  const last = new Map<string, number>();
  const print = (level: 'info' | 'error', event: string, about: About): void => {
    const time = new Date(now()).toISOString();
    const clean = Object.entries(about).map(
      ([key, value]) => [key, typeof value === 'string' ? redact(value) : value] as const,
    );
    if (form === 'json') write(JSON.stringify({ time, level, event, ...Object.fromEntries(clean) }));
    else write([time, level === 'error' ? `error: ${event}` : event, ...clean.map(shown)].join(' '));
  };
  return {
    say: (event, about = {}) => print('info', event, about),
    problem: (error, about = {}) => {
      const words = wordsOf(error);
      const isAway = away.test(words);
      const text = isAway ? 'away' : `${JSON.stringify(about)} ${words}`;
      for (const [known, at] of last) if (now() - at >= quietMs) last.delete(known);
      if (last.has(text)) return;
      last.set(text, now());
      if (isAway) print('error', 'failed', { message: `the database of the controller does not answer (${words})` });
      else print('error', 'failed', { ...about, message: words });
    },
  };
}

/** `key=value`, in one line. */
function shown([key, value]: readonly [string, string | number]): string {
  return `${key}=${typeof value === 'number' || /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value)}`;
}

/** The sentence of an error, with what to do about it. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Stop)) return errorText(error);
  return error.diagnostics
    .map(({ message, remedy }) => (remedy === undefined ? message : `${message} -> ${remedy}`))
    .join('; ');
}

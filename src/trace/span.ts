import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts about a span: never a value, a secret, a body or a query. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A stage, an action or a request of a run, from its beginning to its end. */
export interface Span {
  /** Begins a span below this one. */
  begin(options: SpanAbout): Span;
  /** Adds facts, until the end. */
  set(attributes: Attributes): void;
  /** Ends the span, once; with the sort of the problem where it failed, such as `refused`. */
  end(problem?: string): void;
}

/** What a span is called. */
export interface SpanAbout {
  readonly name: string;
  /** A request to another program; false by default. */
  readonly isRequest?: boolean;
  readonly attributes?: Attributes;
}

/** The span that the code is in: two runs in one process have their own. */
const current = new AsyncLocalStorage<Span>();

/**
 * Runs work as a span below the current one. Without a trace, it only runs: `about` is not called.
 *
 * @throws whatever the work throws.
 */
export function inSpan<T>(
  options: string | (() => SpanAbout),
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const above = current.getStore();
  if (above === undefined) return work(undefined);
  return runIn(above.begin(typeof options === 'string' ? { name: options } : options()), work);
}

/** Runs work as a span, and ends it. @throws whatever the work throws. */
export async function runIn<T>(span: Span, work: (span: Span) => Promise<T>): Promise<T> {
  try {
    const result = await current.run(span, () => work(span));
    span.end();
    return result;
  } catch (error) {
    span.end(sortOf(error));
    throw error;
  }
}

/** The sort of an error, without its words: they may quote a secret. */
function sortOf(error: unknown): string {
  if (error === null || typeof error !== 'object') return 'error';
  if ('failure' in error && typeof error.failure === 'string') return error.failure;
  return error instanceof Error ? error.name : 'error';
}

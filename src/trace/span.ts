import { AsyncLocalStorage } from 'node:async_hooks';

/** Facts about a span: never a value, a secret, a body or a query. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

/** A stage, an action or a request of a run, from its beginning to its end. */
export interface Span {
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

/** Keeps the spans of one run. */
export interface Tracer<S extends Span = Span> {
  /** Begins a span below another one; without that, below the caller of this program. */
  begin(about: SpanAbout, parent?: S): S;
}

interface Current {
  readonly span: Span;
  readonly begin: (about: SpanAbout) => Current;
}

/** The span that the code is in: two runs in one process have their own. */
const current = new AsyncLocalStorage<Current>();

/** Runs work as the first span of a tracer. @throws whatever the work throws. */
export function traceWith<S extends Span, T>(
  tracer: Tracer<S>,
  about: SpanAbout,
  work: (span: Span | undefined) => Promise<T>,
): Promise<T> {
  const begin = (what: SpanAbout, parent?: S): Current => {
    const span = tracer.begin(what, parent);
    return { span, begin: (below) => begin(below, span) };
  };
  return runIn(begin(about), work);
}

/** Runs work as a span below the current one; without a tracer, it only runs. @throws whatever the work throws. */
export function inSpan<T>(about: SpanAbout, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  const above = current.getStore();
  return above === undefined ? work(undefined) : runIn(above.begin(about), work);
}

async function runIn<T>(scope: Current, work: (span: Span | undefined) => Promise<T>): Promise<T> {
  const { span } = scope;
  try {
    const result = await current.run(scope, () => work(span));
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

import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { proxyErrorIn } from '../api/proxy-error.ts';
import { createTransport } from '../api/transport.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { defined } from '../formats/json.ts';
import type { Attributes, Span, SpanAbout } from './span.ts';
import { type TraceSettings, notExported } from './trace-settings.ts';

/** The surroundings of an exporter. */
export interface ExporterOptions {
  /** The version of this program. */
  readonly version: string;
}

/** Sends spans to a collector. */
export interface Exporter {
  /** Begins the first span, below that of the caller of this program. */
  begin(options: SpanAbout): Span;
  /** Sends what is left, within the timeout of the settings. A warning says what went wrong. Never throws. */
  close(): Promise<Diagnostic | undefined>;
}

/** A span as OTLP has it in JSON: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding */
interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: 1 | 3;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly OtlpAttribute[];
  readonly status: { readonly code: 0 | 2 };
}

interface OtlpAttribute {
  readonly key: string;
  readonly value: Readonly<Record<'stringValue', string> | Record<'intValue', string> | Record<'boolValue', boolean>>;
}

/** Spans of one request; a run sends those that ended while it goes on. */
const batch = 500;
/** Spans that wait while the collector takes none; more are dropped. */
const maxWaiting = 20_000;
const maxAnswerBytes = 64 * 1024;

/**
 * Makes an exporter that sends spans as OTLP over HTTP, in JSON, to the collector of the settings. Nothing that the collector
 * does slows the run down, except that its end waits for the timeout.
 */
export function createExporter(settings: TraceSettings, { version }: ExporterOptions): Exporter {
  const queue = createQueue(settings, version);
  const traceId = settings.parent?.traceId ?? randomBytes(16).toString('hex');
  return {
    begin: (options) =>
      beginSpan(options, { traceId, parentSpanId: settings.parent?.spanId, keep: (span) => queue.add(span) }),
    close: () => queue.close(),
  };
}

/** Where a span stands, and what takes it when it has ended. */
interface Context {
  readonly traceId: string;
  readonly parentSpanId: string | undefined;
  readonly keep: (span: OtlpSpan) => void;
}

function beginSpan({ name, isRequest, ...options }: SpanAbout, { traceId, parentSpanId, keep }: Context): Span {
  const spanId = randomBytes(8).toString('hex');
  const startTimeUnixNano = now();
  let attributes: Attributes = options.attributes ?? {};
  let isOver = false;
  return {
    begin: (below) => beginSpan(below, { traceId, parentSpanId: spanId, keep }),
    set: (more) => {
      attributes = { ...attributes, ...more };
    },
    end: (sort) => {
      if (isOver) return;
      isOver = true;
      keep({
        traceId,
        spanId,
        ...defined({ parentSpanId }),
        name,
        kind: isRequest === true ? 3 : 1,
        startTimeUnixNano,
        endTimeUnixNano: now(),
        attributes: toAttributes(sort === undefined ? attributes : { ...attributes, 'error.type': sort }),
        status: { code: sort === undefined ? 0 : 2 },
      });
    },
  };
}

/** Keeps the spans that have ended until they are sent. */
function createQueue(settings: TraceSettings, version: string) {
  const { url, headers, timeoutMs } = settings;
  const transport = createTransport({ url: url.origin, deadlineMs: timeoutMs, bodyLimit: maxAnswerBytes });
  const resource = { attributes: toAttributes({ ...settings.resource, 'telemetry.sdk.language': 'nodejs' }) };
  const waiting: OtlpSpan[] = [];
  let sending: Promise<void> | undefined;
  let dropped = 0;
  let problem: string | undefined;

  function add(span: OtlpSpan): void {
    if (waiting.length >= maxWaiting) dropped += 1;
    else waiting.push(span);
    // After a problem the end tries once more; until then nothing is sent.
    if (waiting.length < batch || sending !== undefined || problem !== undefined) return;
    sending = sendBatch().finally(() => {
      sending = undefined;
    });
  }

  async function sendBatch(): Promise<void> {
    const scopeSpans = [{ scope: { name: 'trueup', version }, spans: waiting.splice(0, batch) }];
    const request = {
      method: 'POST',
      path: url.pathname + url.search,
      headers: { ...headers, 'content-type': 'application/json', 'user-agent': `trueup/${version}` },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
    };
    const answer = await transport.send(request).catch((error: unknown) => error as Error);
    if (answer instanceof Error) problem ??= proxyErrorIn(answer)?.message ?? 'it did not answer';
    else if (answer.status < 200 || answer.status > 299) problem ??= `it answered ${answer.status}`;
  }

  async function sendAll(): Promise<void> {
    await sending;
    while (waiting.length > 0 && problem === undefined) await sendBatch();
  }

  async function close(): Promise<Diagnostic | undefined> {
    const ended = new AbortController();
    const limit = sleep(timeoutMs, undefined, { signal: ended.signal }).then(
      () => void (problem ??= `it did not answer within ${timeoutMs} ms`),
      () => {},
    );
    await Promise.race([sendAll(), limit]);
    ended.abort();
    await transport.close(true);
    if (problem === undefined && dropped === 0) return undefined;
    const why = problem ?? `it was too slow: ${dropped} spans were dropped`;
    return notExported(
      `the collector ${url.host}: ${why}`,
      'This does not affect the run. Check OTEL_EXPORTER_OTLP_ENDPOINT and its headers.',
    );
  }

  return { add, close };
}

/** Nanoseconds since 1970, exact to a microsecond. */
function now(): string {
  return `${Math.round((performance.timeOrigin + performance.now()) * 1_000)}000`;
}

function toAttributes(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }));
}

function toValue(value: Attributes[string]): OtlpAttribute['value'] {
  if (typeof value === 'string') return { stringValue: value };
  return typeof value === 'number' ? { intValue: String(value) } : { boolValue: value };
}

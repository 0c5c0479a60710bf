import { defined } from '../formats/json.ts';
import { withoutSlash } from '../api/slash.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';

/** Where spans go, and what they say of the program. */
export interface TraceSettings {
  /** The whole address that takes spans. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The longest time that the end of a run waits for the collector. Milliseconds. */
  readonly timeoutMs: number;
  readonly resource: Readonly<Record<string, string>>;
  /** The span of the caller. */
  readonly parent?: { readonly traceId: string; readonly spanId: string };
}

type Environment = Readonly<Record<string, string | undefined>>;

const defaultTimeoutMs = 5_000;
const maxTimeoutMs = 30_000;

/** Whether the environment asks for traces at all. Loads and reads nothing else. */
export function asksForTraces(env: Environment): boolean {
  if ((env['OTEL_SDK_DISABLED'] ?? '').toLowerCase() === 'true') return false;
  const exporter = env['OTEL_TRACES_EXPORTER'] ?? '';
  if (exporter === 'none') return false;
  return [exporter, env['OTEL_EXPORTER_OTLP_ENDPOINT'], env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT']].some(Boolean);
}

/**
 * Reads the variables of OpenTelemetry; a warning: no span is exported; undefined: the caller samples this run out.
 * https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/,
 * https://opentelemetry.io/docs/specs/otel/protocol/exporter/
 */
export function traceSettings(env: Environment): TraceSettings | Diagnostic | undefined {
  const { OTEL_TRACES_EXPORTER: exporter = '', OTEL_TRACES_SAMPLER: sampler = '' } = env;
  if (exporter !== '' && exporter !== 'otlp')
    return notExported('OTEL_TRACES_EXPORTER names another exporter than otlp', 'Set it to otlp, or to none.');
  const parent = readParent(env['TRACEPARENT'] ?? '');
  if (sampler === 'always_off' || (parent?.isSampled === false && sampler !== 'always_on')) return undefined;
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || env['OTEL_EXPORTER_OTLP_PROTOCOL'] || '';
  if (protocol === 'grpc')
    return notExported(
      'OTEL_EXPORTER_OTLP_PROTOCOL is grpc, and Trueup speaks http/json only',
      'Name the HTTP port of the collector, usually 4318, and set http/json.',
    );
  const url = endpoint(env);
  if (url === undefined)
    return notExported(
      'the address of the collector is not an http or https address',
      'Set OTEL_EXPORTER_OTLP_ENDPOINT to an address such as http://localhost:4318.',
    );
  const headers = {
    ...readPairs(env['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''),
    ...readPairs(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? ''),
  };
  const asked = Number(env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] || env['OTEL_EXPORTER_OTLP_TIMEOUT'] || Number.NaN);
  const timeoutMs = asked > 0 ? Math.min(asked, maxTimeoutMs) : defaultTimeoutMs;
  const attributes = readPairs(env['OTEL_RESOURCE_ATTRIBUTES'] ?? '');
  const name = env['OTEL_SERVICE_NAME'] || attributes['service.name'] || 'trueup';
  return {
    url,
    headers,
    timeoutMs,
    resource: { ...attributes, 'service.name': name },
    ...defined({ parent }),
  };
}

/** The warning that traces go nowhere. */
export function notExported(why: string, remedy: string): Diagnostic {
  return diagnostic('not-traced', `the trace of this run was not exported: ${why}`, { remedy });
}

function endpoint(env: Environment): URL | undefined {
  const traces = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] || undefined;
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'] || 'http://localhost:4318';
  const text = traces ?? `${withoutSlash(base)}/v1/traces`;
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  return url.protocol === 'http:' || url.protocol === 'https:' ? url : undefined;
}

/** `a=1,b=2`, with percent encoding, as in the header Baggage. What is no pair is left out. */
function readPairs(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    const name = pair.slice(0, Math.max(at, 0)).trim();
    return name === '' ? [] : [[decoded(name), decoded(pair.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(pairs);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** https://www.w3.org/TR/trace-context/#traceparent-header */
function readParent(text: string) {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(text.trim()) ?? [];
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags ?? '', 16) & 1) === 1 };
}

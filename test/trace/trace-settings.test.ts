import { describe, expect, it, test } from 'vitest';
import { asksForTraces, traceSettings } from '../../src/trace/trace-settings.ts';

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318' };
const parent = '0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331';

describe('the environment asks for traces', () => {
  test.each([
    [{}, false],
    [{ OTEL_SERVICE_NAME: 'x' }, false],
    [endpoint, true],
    [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:1' }, true],
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
    [{ ...endpoint, OTEL_TRACES_EXPORTER: 'none' }, false],
    [{ ...endpoint, OTEL_SDK_DISABLED: 'TRUE' }, false],
  ])('%j: %s', (env, asks) => {
    expect(asksForTraces(env)).toBe(asks);
  });
});

describe('the settings', () => {
  test.each([
    [{ OTEL_TRACES_EXPORTER: 'otlp' }, 'http://localhost:4318/v1/traces'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c.example/otlp/' }, 'https://c.example/otlp/v1/traces'],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://c.example/x' }, 'https://c.example/x'],
  ])('%j: spans go to %s', (env, url) => {
    expect(traceSettings(env)).toMatchObject({ url: new URL(url) });
  });

  it('have the headers, the name and the attributes of the variables', () => {
    const env = {
      ...endpoint,
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team = a=b ,broken',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-team=c',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=ci,service.name=other',
      OTEL_SERVICE_NAME: 'nightly',
      OTEL_EXPORTER_OTLP_TIMEOUT: '900000',
    };
    expect(traceSettings(env)).toMatchObject({
      headers: { authorization: 'Bearer abc', 'x-team': 'c' },
      resource: { 'deployment.environment.name': 'ci', 'service.name': 'nightly' },
      timeoutMs: 30_000,
    });
    expect(traceSettings(endpoint)).toMatchObject({ resource: { 'service.name': 'trueup' }, timeoutMs: 5_000 });
  });

  test.each([
    [`00-${parent}-01`, { parent: { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' } }],
    [`00-${parent}-00`, undefined],
    ['00-00000000000000000000000000000000-b7ad6b7169203331-01', {}],
    ['no parent', {}],
  ])('TRACEPARENT=%s', (TRACEPARENT, expected) => {
    const settings = traceSettings({ ...endpoint, TRACEPARENT });
    if (expected === undefined) expect(settings).toBeUndefined();
    else expect(settings).toMatchObject(expected);
    if (settings !== undefined && expected !== undefined && !('parent' in expected))
      expect(settings).not.toHaveProperty('parent');
  });

  test.each([
    [{ OTEL_TRACES_EXPORTER: 'zipkin' }, 'another exporter than otlp'],
    [{ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, 'speaks http/json only'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }, 'not an http or https address'],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'no address' }, 'not an http or https address'],
  ])('%j is one warning', (env, message) => {
    expect(traceSettings(env)).toMatchObject({
      code: 'not-traced',
      message: expect.stringContaining(message) as string,
    });
  });
});

import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { project, trueup } from '../cli/process.ts';
import { receivers } from '../support/receiver.ts';

const receiver = receivers();
const canary = 'canary-of-traces-5d1e';
const manifest = `trueup: 1
platform: emulator
project: prj_1
environments:
  production:
    redis:
      cache: { dockerImage: "redis:8", databasePassword: "\${secret:CACHE}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { TOKEN: "\${secret:CACHE}", REGION: value-of-a-variable }
`;

/** The form of OTLP in JSON, as far as Trueup fills it: ids in hex, 64-bit numbers as strings, no member besides. */
const attribute = z.strictObject({
  key: z.string().min(1),
  value: z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^-?\d+$/) }),
    z.strictObject({ boolValue: z.boolean() }),
  ]),
});
const nanoseconds = z.string().regex(/^\d{19}$/);
const spanForm = z.strictObject({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z
    .string()
    .regex(/^[0-9a-f]{16}$/)
    .optional(),
  name: z.string().min(1),
  kind: z.union([z.literal(1), z.literal(3)]),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes: z.array(attribute),
  status: z.strictObject({ code: z.union([z.literal(0), z.literal(2)]) }),
});
const form = z.strictObject({
  resourceSpans: z.tuple([
    z.strictObject({
      resource: z.strictObject({ attributes: z.array(attribute) }),
      scopeSpans: z.tuple([
        z.strictObject({
          scope: z.strictObject({ name: z.literal('trueup'), version: z.string() }),
          spans: z.array(spanForm),
        }),
      ]),
    }),
  ]),
});

type Collector = Awaited<ReturnType<typeof receiver>>;

function spansOf({ received }: Collector) {
  return received.flatMap(({ body }) => form.parse(JSON.parse(body)).resourceSpans[0].scopeSpans[0].spans);
}

function envFor({ host }: Pick<Collector, 'host'>) {
  return {
    TRUEUP_SECRET_CACHE: canary,
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://${host}`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20header-of-the-collector',
  };
}

describe('a trace', () => {
  it('of an apply has the run, its stages, its actions and their requests, and nothing secret', async () => {
    const collector = await receiver();
    const folder = project(manifest);
    const env = { ...envFor(collector), TRACEPARENT: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' };
    expect(await trueup(['-C', folder, 'apply', '--auto-approve'], { env })).toMatchObject({ code: 0 });
    expect(collector.received[0]).toMatchObject({
      method: 'POST',
      path: '/v1/traces',
      headers: { authorization: 'Bearer header-of-the-collector', 'content-type': 'application/json' },
    });
    const spans = spansOf(collector);
    const byId = new Map(spans.map((span) => [span.spanId, span]));
    const above = (name: string) => {
      const names: string[] = [];
      let span = spans.find((one) => one.name === name);
      while (span !== undefined) {
        names.push(span.name);
        span = byId.get(span.parentSpanId ?? '');
      }
      return names;
    };
    expect(above('POST compose.create')).toEqual(['POST compose.create', 'create compose', 'apply', 'trueup apply']);
    expect(above('POST redis.deploy')).toEqual(['POST redis.deploy', 'deploy redis', 'apply', 'trueup apply']);
    expect(above('GET user.get')).toEqual(['GET user.get', 'observe', 'plan', 'trueup apply']);
    expect(above('manifest')).toEqual(['manifest', 'trueup apply']);
    expect(above('state')).toEqual(['state', 'plan', 'trueup apply']);
    expect(above('read back')).toEqual(['read back', 'apply', 'trueup apply']);
    expect(spans.find(({ name }) => name === 'trueup apply')).toMatchObject({
      traceId: '0af7651916cd43dd8448eb211c80319c',
      parentSpanId: 'b7ad6b7169203331',
      status: { code: 0 },
      attributes: [{ key: 'process.exit.code', value: { intValue: '0' } }],
    });
    expect(spans.find(({ name }) => name === 'GET compose.one')?.attributes).toEqual([
      { key: 'http.request.method', value: { stringValue: 'GET' } },
      { key: 'url.path', value: { stringValue: '/api/compose.one' } },
      { key: 'server.address', value: { stringValue: 'embedded-emulator' } },
      { key: 'server.port', value: { intValue: '80' } },
      { key: 'http.response.status_code', value: { intValue: '200' } },
    ]);
    const all = JSON.stringify(collector.received.map(({ body }) => body));
    for (const word of [canary, 'value-of-a-variable', 'header-of-the-collector', 'composeId']) {
      expect(all).not.toContain(word);
    }
    expect(await trueup(['-C', folder, 'plan'], { env: envFor(collector) })).toMatchObject({
      code: 0,
      out: expect.stringContaining('No changes.') as string,
    });
  });

  it('of a run that fails says so, with the sort of the error and none of its words', async () => {
    const collector = await receiver();
    const folder = project(`${manifest}    unknown: ${canary}\n`);
    expect(await trueup(['-C', folder, 'plan'], { env: envFor(collector) })).toMatchObject({ code: 3 });
    const root = spansOf(collector).find(({ name }) => name === 'trueup plan');
    expect(root).toMatchObject({
      status: { code: 2 },
      attributes: [{ key: 'error.type', value: { stringValue: 'manifest' } }],
    });
    expect(JSON.stringify(collector.received.map(({ body }) => body))).not.toContain(canary);
  });

  it('names a resource as the manifest does, and compares its name with no secret', async () => {
    const collector = await receiver();
    const folder = project(manifest.replace('      shop:', `      ${canary}:`));
    const env = envFor(collector);
    expect(await trueup(['-C', folder, 'apply', '--auto-approve'], { env })).toMatchObject({ code: 0 });
    const bodies = collector.received.map(({ body }) => body).join('');
    expect(bodies).toContain(`production.compose.${canary}`);
    expect(await trueup(['-C', folder, 'plan'], { env })).toMatchObject({
      code: 0,
      out: expect.stringContaining('No changes.') as string,
    });
  });

  it('is not there without a variable that asks for it', async () => {
    const collector = await receiver();
    const env = { ...envFor(collector), OTEL_TRACES_EXPORTER: 'none' };
    expect(await trueup(['-C', project(manifest), 'plan'], { env })).toMatchObject({ code: 0, err: '' });
    expect(collector.received).toEqual([]);
  });
});

describe('a collector', () => {
  it.each([
    ['that refuses', 503, 'it answered 503'],
    ['that redirects', { status: 307, headers: { location: 'http://127.0.0.1:1/' } }, 'it answered 307'],
    ['that hangs up', 'cut', 'it did not answer'],
  ] as const)('%s costs the run one warning', async (_title, answer, why) => {
    const collector = await receiver(answer);
    const folder = project(manifest);
    const { code, out, err } = await trueup(['-C', folder, 'plan', '--format', 'json'], { env: envFor(collector) });
    expect({ code, reads: (JSON.parse(out) as { hasChanges: boolean }).hasChanges }).toEqual({ code: 0, reads: true });
    expect(err).toContain(`the trace of this run was not exported: the collector ${collector.host}: ${why}`);
    expect(err.match(/not-traced/g)).toHaveLength(1);
    expect(err).not.toContain('header-of-the-collector');
    expect(collector.received).toHaveLength(1);
  });

  it('that never answers is waited for until its timeout', async () => {
    const collector = await receiver('never');
    const env = { ...envFor(collector), OTEL_EXPORTER_OTLP_TIMEOUT: '50' };
    const { code, err } = await trueup(['-C', project(manifest), 'plan'], { env });
    expect({ code, err }).toMatchObject({ code: 0, err: expect.stringMatching(/it did not answer/) as string });
  });
});

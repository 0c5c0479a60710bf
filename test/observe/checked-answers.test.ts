import { describe, expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import type { WireAnswer } from '../../src/api/wire.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import type { Bench } from '../support/world.ts';
import { bench, head } from '../support/world.ts';

/** An answer that cannot be used stops the plan; it is never taken for "there is nothing". */

const manifest = `${head}environments:
  production:
    env: { A: "1" }
    postgres:
      main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: password-1 }
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        domains: { shop.example.com: { serviceName: web } }
`;

const json = { 'content-type': 'application/json' };
const answers: Record<string, WireAnswer> = {
  'an empty body': { status: 200, headers: json, body: '' },
  null: { status: 200, headers: json, body: 'null' },
  true: { status: 200, headers: json, body: 'true' },
  'a text': { status: 200, headers: json, body: '"ok"' },
  'an empty object': { status: 200, headers: json, body: '{}' },
  'truncated JSON': { status: 200, headers: json, body: '{"organizationId":"org_1","domains":[{"dom' },
  'a page of HTML': {
    status: 200,
    headers: { 'content-type': 'text/html' },
    body: '<html><title>Sign in</title></html>',
  },
  'HTML that claims to be JSON': { status: 200, headers: json, body: '<!doctype html><p>Sign in</p>' },
  'a bare 401': { status: 401, headers: json, body: '{"message":"Unauthorized"}' },
  'a 403': { status: 403, headers: json, body: '{"message":"Insufficient access","code":"FORBIDDEN","issues":[]}' },
  'a 404 page of a proxy': { status: 404, headers: { 'content-type': 'text/html' }, body: '<html>404</html>' },
  'a 404 of a missing operation': {
    status: 404,
    headers: json,
    body: '{"message":"Not found","code":"NOT_FOUND","data":{"code":"NOT_FOUND","httpStatus":404,"zodError":null}}',
  },
  'a 500': { status: 500, headers: json, body: '{"message":"Internal server error","code":"INTERNAL_SERVER_ERROR"}' },
  'a 502 of a proxy': { status: 502, headers: { 'content-type': 'text/plain' }, body: 'Bad gateway' },
};

async function attempt(made: Bench, operation: string, answer: WireAnswer): Promise<unknown> {
  const client = createClient({
    send: (request) =>
      request.path.startsWith(`/api/${operation}`) ? Promise.resolve(answer) : made.emulator.send(request),
    url: 'http://platform.test',
    apiKey: 'emulator-key',
    redact: made.redact,
    sleep: () => Promise.resolve(),
  });
  return plan(await made.manifest(manifest), { ...made.world(), client }).then(
    (planned) => planned.actions.map(({ action }) => action),
    (error: unknown) => error,
  );
}

describe.each(['user.get', 'environment.byProjectId', 'environment.one', 'postgres.one', 'compose.one'])(
  'when %s answers',
  (operation) => {
    test.each(Object.entries(answers))(
      '%s, the plan stops with one error that names the operation, and sends no write',
      async (_, answer) => {
        const made = bench();
        await made.apply(manifest);
        made.requests('POST');
        const state = JSON.stringify(made.store.state);
        const result = await attempt(made, operation, answer);
        const isError = result instanceof PlatformError || result instanceof Stop;
        expect(isError, JSON.stringify(result)).toBe(true);
        const { message } = result as Error;
        expect(message).toContain(operation);
        expect(message).not.toContain('\n');
        expect(message).not.toContain('emulator-key');
        expect(made.requests('POST')).toEqual([]);
        expect(JSON.stringify(made.store.state)).toBe(state);
      },
    );
  },
);

test('a service row without its domains stops the plan: a missing list is not an empty list', async () => {
  const made = bench();
  await made.apply(manifest);
  const id = made.store.state?.resources['production.compose.shop']?.id;
  const whole = (await made.emulator.act('compose.one', { composeId: id })) as Record<string, unknown>;
  const { domains: _, ...rest } = whole;
  const result = await attempt(made, 'compose.one', { status: 200, headers: json, body: JSON.stringify(rest) });
  expect(String(result)).toContain('the answer to compose.one has no list of domains');
});

test('an empty list of environments stops the plan: the project or the key is wrong', async () => {
  const made = bench();
  await made.apply(manifest);
  const result = await attempt(made, 'environment.byProjectId', { status: 200, headers: json, body: '[]' });
  expect(String(result)).toContain('there is no project prj_1, or the API key may not see it');
  expect(result).toMatchObject({ diagnostics: [{ quote: { text: 'project: prj_1', from: 9, to: 14 } }] });
});

test("a 404 with the platform's NOT_FOUND code proves that an object is gone", async () => {
  const made = bench();
  await made.apply(manifest);
  const id = made.store.state?.resources['production.postgres.main']?.id;
  await made.emulator.act('postgres.remove', { postgresId: id });
  const again = await made.plan(manifest);
  expect(again.actions.find(({ address }) => address === 'production.postgres.main')?.action).toBe('create');
});

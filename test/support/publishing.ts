import { createClient } from '../../src/api/client.ts';
import type { Contract } from '../../src/api/contract.ts';
import { extendedContracts, contracts } from '../../src/api/contract.ts';
import type { Send } from '../../src/api/wire.ts';
import type { Connection } from '../../src/workflow/connection.ts';
import type { Bench } from './world.ts';

/** What a platform tells of itself. */
export interface Told {
  /** undefined: it serves no such operation. */
  version?: string | undefined;
  /** The body of its OpenAPI document; by default one of all operations that Trueup knows. */
  document?: string;
}

/** An OpenAPI document of operations. */
export function documentOf({ operations, names }: Contract = extendedContracts.standard): string {
  const paths = [...operations].map(([operation, { endpoint }]) => {
    return [`/${names?.operation(operation) ?? operation}`, { [endpoint.method.toLowerCase()]: {} }];
  });
  return JSON.stringify({ openapi: '3.1.0', info: { version: 'v1' }, paths: Object.fromEntries(paths) as object });
}

/** A world over a platform that tells what it serves, and the reads of that since the last call. */
export function publishing(
  made: Bench,
  told: Told,
): { readonly world: () => Connection; readonly reads: () => string[] } {
  let asked: string[] = [];
  const json = (body: string, status = 200) =>
    Promise.resolve({ status, headers: { 'content-type': 'application/json' }, body });
  const missing = JSON.stringify({
    message: 'Not found',
    code: 'NOT_FOUND',
    data: { code: 'NOT_FOUND', httpStatus: 404 },
  });
  const send: Send = (request) => {
    const [, name = ''] = /^\/api\/settings\.(\w+)/.exec(request.path) ?? [];
    if (name === '') return made.emulator.send(request);
    asked.push(name);
    if (name === 'getDokployVersion' && told.version !== undefined) return json(JSON.stringify(told.version));
    if (name === 'getOpenApiDocument' && told.version !== undefined) return json(told.document ?? documentOf());
    return json(missing, 404);
  };
  return {
    // Each run begins with a client that knows the API document only.
    world: () => {
      const redact = made.redact;
      const sleep = () => Promise.resolve();
      const client = createClient({
        send,
        contract: contracts.standard,
        url: 'emulator:',
        apiKey: 'emulator-key',
        redact,
        sleep,
      });
      return { ...made.world(), client, discovers: true };
    },
    reads: () => {
      const seen = asked;
      asked = [];
      return seen;
    },
  };
}

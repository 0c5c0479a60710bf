/**
 * The typed client of the platform.
 *
 * ```ts
 * import { createClient, createRedactor, createTransport } from 'trueup/api';
 *
 * const { TRUEUP_URL: url = '', TRUEUP_API_KEY: apiKey = '' } = process.env;
 * const transport = createTransport({ url });
 * const client = createClient({ send: transport.send, url, apiKey, redact: createRedactor().redact });
 * process.stdout.write(`${JSON.stringify(await client.call('user.get', {}))}\n`);
 * await transport.close();
 * ```
 */

export type { Client, ClientOptions, OwnConnection } from '../api/client.ts';
export { createClient } from '../api/client.ts';
export type { Pause } from '../api/circuit-breaker.ts';
export type { Input, Operation } from '../api/contract.ts';
export { openApi } from '../api/openapi.ts';
export type { Transport, TransportOptions } from '../api/transport.ts';
export { createTransport } from '../api/transport.ts';
export type { Failure } from '../api/platform-error.ts';
export { PlatformError } from '../api/platform-error.ts';
export type { Send, WireAnswer, WireRequest } from '../api/wire.ts';
export type { Redactor } from '../secrets/redactor.ts';
export { createRedactor } from '../secrets/redactor.ts';

import type { FastifyInstance, InjectOptions, LightMyRequestResponse } from 'fastify';
import pg from 'pg';
import { createServer, type ServerOptions } from '../../src/controller/page/server.ts';
import { type Records, recordsIn } from '../../src/controller/records/all.ts';
import { migrate } from '../../src/controller/schema.ts';
import { startPostgres } from './postgres-server.ts';

/** The database of a controller, for one test file. */
export interface ControllerDatabase {
  readonly pool: pg.Pool;
  readonly records: Records;
  readonly url: string;
  readonly rows: <Row>(text: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;
  readonly stop: () => Promise<void>;
}

export async function startControllerDatabase(): Promise<ControllerDatabase> {
  const server = await startPostgres();
  const pool = new pg.Pool({ connectionString: server.url(), max: 4 });
  pool.on('error', () => undefined);
  await migrate(pool, 'trueup_controller');
  return {
    pool,
    records: recordsIn(pool, 'trueup_controller'),
    url: server.url(),
    rows: async <Row>(text: string, ...values: readonly unknown[]) =>
      (await pool.query(text.replaceAll('@', 'trueup_controller.'), [...values])).rows as Row[],
    stop: async () => {
      await pool.end();
      server.stop();
    },
  };
}

/** A page for a test, with what failed inside of it. */
export function pageFor(
  records: Records,
  options: Partial<ServerOptions>,
): FastifyInstance & { readonly failed: unknown[] } {
  const failed: unknown[] = [];
  const app = createServer({
    address: 'https://trueup.example.com',
    records,
    roles: [],
    tokens: [],
    parts: [],
    signIn: {
      proxy: { from: ['127.0.0.1'], user: 'x-user', groups: 'x-groups', secretHeader: 'x-proof', secret: 'proof' },
    },
    onError: (error) => void failed.push(error),
    ...options,
  });
  return Object.assign(app, { failed });
}

/** A browser that keeps cookies, and says where its forms come from. */
export interface Browser {
  readonly cookies: Map<string, string>;
  readonly get: (url: string, headers?: Readonly<Record<string, string>>) => Promise<LightMyRequestResponse>;
  readonly post: (
    url: string,
    form?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<LightMyRequestResponse>;
}

export function browserAt(
  app: FastifyInstance,
  address: string,
  always: Readonly<Record<string, string>> = {},
): Browser {
  const cookies = new Map<string, string>();
  const send = async (request: InjectOptions, headers: Readonly<Record<string, string>>) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const all = { host: new URL(address).host, accept: 'text/html', ...(cookie === '' ? {} : { cookie }), ...always };
    const answer = await app.inject({ ...request, headers: { ...all, ...headers } });
    for (const { name, value, maxAge, expires } of answer.cookies) {
      if (maxAge === 0 || value === '' || (expires !== undefined && expires.getTime() === 0)) cookies.delete(name);
      else cookies.set(name, value);
    }
    return answer;
  };
  return {
    cookies,
    get: (url, headers = {}) => send({ method: 'GET', url }, headers),
    post: (url, form = {}, headers = {}) =>
      send(
        { method: 'POST', url, payload: new URLSearchParams(form).toString() },
        {
          'content-type': 'application/x-www-form-urlencoded',
          origin: new URL(address).origin,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      ),
  };
}

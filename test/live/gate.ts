import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Agent } from 'undici';

/** One request that went through the gate. */
interface Passed {
  readonly method: string;
  /** Path below the address of the platform, without its query. */
  readonly path: string;
  readonly status: number;
}

/**
 * The only way from the tests to the platform, and independent of what is tested: a reverse proxy on this machine that
 * lets no write through which names an object that was there before.
 */
export interface Gate {
  readonly url: string;
  /** Ids of objects that are not ours: from now on no write that holds one is sent. */
  forbid(ids: Iterable<string>): void;
  /** Whether an id is one of those. */
  isForbidden(id: string): boolean;
  /** The writes that were held back, with the id in them. */
  readonly heldBack: readonly string[];
  readonly passed: readonly Passed[];
  /** The next answer to a write of an operation gets lost: the platform has carried it out, and nobody hears of it. */
  loseAnswerTo(operation: string): void;
  close(): Promise<void>;
}

/** The answer of the gate to a write that it does not let through. */
export const heldBack = 'held back: it names an object that is not of this run';

/** Most requests to the platform at a time. */
const mostConnections = 4;

/** Opens the gate to a platform. @throws {TypeError} when the address is none. */
export async function openGate(target: string): Promise<Gate> {
  const { origin, pathname } = new URL(target);
  const prefix = pathname.replace(/\/+$/, '');
  const agent = new Agent({ connections: mostConnections, pipelining: 1 });
  const forbidden = new Set<string>();
  const withheld: string[] = [];
  const passed: Passed[] = [];
  const losing = new Set<string>();

  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '/' } = request;
    const body = Buffer.concat(await request.toArray());
    const path = url.split('?')[0] ?? url;
    const named = method === 'GET' ? undefined : textsIn(body).find((text) => forbidden.has(text));
    if (named !== undefined) {
      withheld.push(`${method} ${path} names ${named}`);
      response.writeHead(403, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ message: heldBack, code: 'FORBIDDEN' }));
      return;
    }
    const answer = await agent.request({
      origin,
      path: prefix + url,
      method,
      headers: forwarded(request.headers),
      body: body.length === 0 ? null : body,
    });
    const content = Buffer.from(await answer.body.arrayBuffer());
    passed.push({ method, path, status: answer.statusCode });
    if (method !== 'GET' && losing.delete(path.replace('/api/', ''))) {
      response.destroy();
      return;
    }
    for (const name of ['content-type', 'date']) {
      const value = answer.headers[name];
      if (value !== undefined) response.setHeader(name, value);
    }
    response.writeHead(answer.statusCode);
    response.end(content);
  };

  const server = createServer((request, response) => {
    // An answer that does not come is none here either.
    forward(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    forbid: (ids) => {
      for (const id of ids) forbidden.add(id);
    },
    isForbidden: (id) => forbidden.has(id),
    heldBack: withheld,
    passed,
    loseAnswerTo: (operation) => void losing.add(operation),
    close: async () => {
      server.closeAllConnections();
      server.close();
      await agent.close();
    },
  };
}

/** What the platform is to see of the headers; compressed answers would only have to be read here. */
function forwarded(headers: IncomingMessage['headers']): Record<string, string> {
  return Object.fromEntries(
    ['x-api-key', 'content-type', 'accept'].flatMap((name) => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    }),
  );
}

/** Every text in a JSON body, however deep; none in anything else. */
function textsIn(body: Buffer): string[] {
  const texts: string[] = [];
  const walk = (value: unknown): void => {
    if (typeof value === 'string') texts.push(value);
    else if (typeof value === 'object' && value !== null) for (const inner of Object.values(value)) walk(inner);
  };
  try {
    walk(JSON.parse(body.toString()));
  } catch {
    // No JSON.
  }
  return texts;
}

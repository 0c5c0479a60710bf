import type { Dispatcher } from 'undici';
// The index of undici loads four times as much: proxies, mocks, caches, fetch, web sockets.
import Agent from 'undici/lib/dispatcher/agent.js';
import request from 'undici/lib/api/api-request.js';

/** Connections of undici. */
export { Agent };

/** Sends a request over such connections. Rejects when no head of an answer comes. */
export function sendOver(agent: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  return request.call(agent, options);
}

// oxlint-disable-next-line typescript/triple-slash-reference -- every program that compiles this module needs it
/// <reference path="./undici.d.ts" />
import type { Agent as AgentType, Dispatcher } from 'undici';
// The index of undici loads four times as much: proxies, mocks, caches, fetch, web sockets.
import BundledAgent from 'undici/lib/dispatcher/agent.js';
import request from 'undici/lib/api/api-request.js';

/** Connections of undici. */
export const Agent: typeof AgentType = BundledAgent;

/** Sends a request over such connections. Rejects when no head of an answer comes. */
export function sendOver(agent: Dispatcher, options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
  return request.call(agent, options);
}

// oxlint-disable-next-line typescript/triple-slash-reference -- every program that compiles this module needs it
/// <reference path="./undici.d.ts" />
import type { Agent as AgentType } from 'undici';
// The index of undici loads four times as much: proxies, mocks, caches, fetch, web sockets.
import connectorOf from 'undici/lib/core/connect.js';
import BundledAgent from 'undici/lib/dispatcher/agent.js';

/** Connections of undici. */
export const Agent: typeof AgentType = BundledAgent;

/** Makes what opens a connection of undici. */
export { connectorOf };

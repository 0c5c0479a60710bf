import type { Client } from './client.ts';
import { endpointOf } from './contract.ts';
import { keptIn } from './once.ts';

/** A client that sends each read once, and gives every caller its answer: what is judged together was read together. Never throws. */
export function remembering(client: Client): Client {
  const answers = new Map<string, Promise<unknown>>();
  return {
    ...client,
    invoke: (operation, input, options) => {
      if (endpointOf(operation).method !== 'GET') return client.invoke(operation, input, options);
      return keptIn(answers, JSON.stringify([operation, input]), () => client.invoke(operation, input, options));
    },
    get contract() {
      return client.contract;
    },
  };
}

import type { Client } from './client.ts';
import { endpointOf } from './contract.ts';
import { keptIn } from './once.ts';

/**
 * A client that sends each read once, and gives every caller its answer: what is judged together was read together. A read that goes
 * alone, because its answer among others did not fit, is another one. Never throws.
 */
export function remembering(client: Client): Client {
  const answers = new Map<string, Promise<unknown>>();
  return {
    ...client,
    invoke: (operation, input, options) => {
      if (endpointOf(operation).method !== 'GET') return client.invoke(operation, input, options);
      const key = JSON.stringify([operation, input, options?.inBulk === true]);
      return keptIn(answers, key, () => client.invoke(operation, input, options));
    },
    get contract() {
      return client.contract;
    },
  };
}

import type { Client } from './client.ts';
import { endpointOf } from './contract.ts';

/** A client that sends each read once, and gives every caller its answer: what is judged together was read together. Never throws. */
export function remembering(client: Client): Client {
  const answers = new Map<string, Promise<unknown>>();
  return {
    ...client,
    invoke: (operation, input, options) => {
      if (endpointOf(operation).method !== 'GET') return client.invoke(operation, input, options);
      const question = JSON.stringify([operation, input]);
      const answer = answers.get(question) ?? client.invoke(operation, input, options);
      answers.set(question, answer);
      return answer;
    },
    get contract() {
      return client.contract;
    },
  };
}

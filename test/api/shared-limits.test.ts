import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { sharedBreaker, sharedSlots } from '../../src/api/shared-limits.ts';
import type { Send } from '../../src/api/wire.ts';

test('clients of one platform share the requests at a time', async () => {
  let [underWay, most] = [0, 0];
  const send: Send = async () => {
    most = Math.max(most, ++underWay);
    await new Promise((resolve) => setTimeout(resolve, 5));
    underWay -= 1;
    return { status: 200, headers: {}, body: '[]' };
  };
  const limits = { slots: sharedSlots(), breaker: sharedBreaker() };
  const clients = [1, 2, 3].map(() =>
    createClient({ send, url: 'https://a.example', apiKey: 'k', redact: (text) => text, connections: 2, limits }),
  );
  await Promise.all(
    clients.flatMap((client) => [1, 2, 3].map(() => client.invoke('environment.byProjectId', { projectId: 'p' }))),
  );
  expect(most).toBe(2);
});

test('a pause of one client is a pause of all, and one of them asks; a client that ends leaves the others alone', async () => {
  let isOpen = false;
  const asked: string[] = [];
  const sendOf =
    (name: string): Send =>
    async ({ path }) => {
      asked.push(`${name} ${path}`);
      if (isOpen) return { status: 200, headers: {}, body: '[]' };
      return { status: 429, headers: {}, body: '{"message":"slow down"}' };
    };
  const limits = { slots: sharedSlots(), breaker: sharedBreaker() };
  const pauses: string[] = [];
  const clientOf = (name: string) =>
    createClient({
      send: sendOf(name),
      url: 'https://a.example',
      apiKey: 'k',
      redact: (text) => text,
      limits,
      sleep: async () => {
        await new Promise((resolve) => setTimeout(resolve, 1));
      },
      onPause: ({ event }) => pauses.push(`${name} ${event}`),
    });
  const [a, b] = [clientOf('a'), clientOf('b')];
  const first = a.invoke('environment.byProjectId', { projectId: 'p' }).catch((error: Error) => error.message);
  while (!pauses.includes('b paused')) await new Promise((resolve) => setTimeout(resolve, 1));
  const second = b.invoke('environment.byProjectId', { projectId: 'p' });
  a.close();
  expect(await first).toMatch(/./);
  expect(asked.filter((one) => one.startsWith('b '))).toEqual([]);
  isOpen = true;
  expect(await second).toEqual([]);
  expect(pauses).toContain('b resumed');
});

test('what clients share holds none that ended, with its key and its redactor', async () => {
  const limits = { slots: sharedSlots(), breaker: sharedBreaker() };
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const ended = (): WeakRef<object> => {
    const redact = (text: string): string => text;
    const send: Send = async () => ({ status: 200, headers: {}, body: '[]' });
    createClient({ send, url: 'https://a.example', apiKey: 'k', redact, limits }).close();
    return new WeakRef(redact);
  };
  const references = [ended(), ended()];
  // A reference is strong until the end of the turn that made it.
  await setImmediate();
  collect();
  expect(references.map((reference) => reference.deref())).toEqual([undefined, undefined]);
  // They are used by those that come.
  const send: Send = async () => ({ status: 200, headers: {}, body: '[]' });
  const client = createClient({ send, url: 'https://a.example', apiKey: 'k', redact: (text) => text, limits });
  expect(await client.invoke('environment.byProjectId', { projectId: 'p' })).toEqual([]);
});

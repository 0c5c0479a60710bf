import { expect, test } from 'vitest';
import { TransportError } from '../../src/api/platform-error.ts';
import type { Send, WireAnswer } from '../../src/api/wire.ts';
import { applyOver, plansNothing } from '../support/faults.ts';
import { bench, head } from '../support/world.ts';

/** How an apply ends whose platform takes no request for longer than the longest wait. */

const ofStatus = (status: number, body: string, type = 'application/json'): WireAnswer => ({
  status,
  headers: { 'content-type': type },
  body,
});

test.each<[string, () => WireAnswer]>([
  ['rejects the key', () => ofStatus(401, '{"message":"Unauthorized"}')],
  ['takes no more requests', () => ofStatus(429, '{"message":"Too many requests"}')],
  ['stands behind a sign-in of a proxy', () => ofStatus(401, '<html><title>Sign in</title></html>', 'text/html')],
  [
    'cannot be reached',
    () => {
      throw Object.assign(new TransportError('NOT_SENT', 'connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
  ],
])('sends nothing more to a platform that %s', async (_how, answer) => {
  const made = bench();
  const services = Array.from({ length: 30 }, (_, at) => `s${at}: { source: { type: docker, image: nginx } }`);
  const text = `${head}environments: { production: { application: { ${services.join(', ')} } } }\n`;
  let isShut = false;
  let writes = 0;
  const send: Send = async (request) => {
    isShut ||= request.method === 'POST' && request.path.includes('application.saveDockerProvider');
    if (!isShut) return made.emulator.send(request);
    if (request.method === 'POST') writes += 1;
    return answer();
  };
  const { outcomes } = await applyOver(made, text, send);
  expect(writes).toBeLessThan(10);
  expect(new Set(outcomes.flatMap(({ stopped }) => stopped ?? []))).toEqual(
    new Set(['the platform takes no more requests']),
  );
  await made.apply(text);
  await plansNothing(made, text);
});

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { createTransport } from '../../src/api/transport.ts';

it('the deadline is that of the operation, with any query', async () => {
  const asked: string[] = [];
  const platform = createServer((_request, response) => {
    setTimeout(() => response.end('true'), 60);
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  const transport = createTransport({
    url: `http://127.0.0.1:${(platform.address() as AddressInfo).port}`,
    deadlineMs: (operation) => {
      asked.push(operation);
      return operation === 'postgres.one' ? 10 : 5_000;
    },
  });
  const ask = (path: string) => transport.send({ method: 'GET', path, headers: {}, body: undefined });
  await expect(ask('/api/postgres.one?postgresId=a%2Fapi')).rejects.toThrow('no whole answer within 10 ms');
  expect((await ask('/api/postgres.deploy')).body).toBe('true');
  expect(asked).toEqual(['postgres.one', 'postgres.deploy']);
  await transport.close();
  platform.close();
});

it('a request whose deadline passed before it could go out opens no connection', async () => {
  let connections = 0;
  const platform = createServer((_request, response) => void response.end('true')).listen(0, '127.0.0.1');
  platform.on('connection', () => (connections += 1));
  await once(platform, 'listening');
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  const transport = createTransport({ url, deadlineMs: 5 });
  const sent = transport.send({ method: 'POST', path: '/api/compose.update', headers: {}, body: '{}' });
  const until = performance.now() + 50;
  while (performance.now() < until); // the program computes, and no timer runs
  await expect(sent).rejects.toThrow('no whole answer within 5 ms');
  await transport.close();
  expect(connections).toBe(0);
  platform.close();
});

it.each([2 ** 31, Infinity])('a deadline of %d ms, which no timer takes, does not pass at once', async (deadlineMs) => {
  const platform = createServer((_request, response) => {
    setTimeout(() => response.end('true'), 30);
  }).listen(0, '127.0.0.1');
  await once(platform, 'listening');
  const url = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  const transport = createTransport({ url, deadlineMs: () => deadlineMs });
  const answer = await transport.send({ method: 'GET', path: '/api/user.get', headers: {}, body: undefined });
  expect(answer.body).toBe('true');
  await transport.close();
  platform.close();
});

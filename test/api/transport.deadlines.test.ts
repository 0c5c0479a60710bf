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

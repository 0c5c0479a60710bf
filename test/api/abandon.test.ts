import { expect, test } from 'vitest';
import { abandonable } from '../../src/api/abandon.ts';
import type { WireAnswer, WireRequest } from '../../src/api/wire.ts';

const request: WireRequest = { method: 'POST', path: '/api/domain.create', headers: {}, body: '{}' };
const answer: WireAnswer = { status: 200, headers: {}, body: '{}' };

test('a request that is answered is not touched', async () => {
  const made = abandonable(() => () => Promise.resolve(answer));
  expect(await made.send(request)).toBe(answer);
  made.abandon();
});

test('requests on their way are given up at once, and no other one is sent', async () => {
  let sent = 0;
  const made = abandonable(() => () => {
    sent++;
    return new Promise(() => undefined);
  });
  const open = [made.send(request), made.send(request)];
  made.abandon();
  for (const one of open) await expect(one).rejects.toMatchObject({ code: 'ABANDONED' });
  await expect(made.send(request)).rejects.toMatchObject({ code: 'NOT_SENT' });
  expect(sent).toBe(2);
});

test('a write that waits for its connection meanwhile does not start', async () => {
  let connect: () => void = () => undefined;
  const connected = new Promise<void>((resolve) => {
    connect = resolve;
  });
  const written: WireRequest[] = [];
  const made = abandonable((mayWrite) => async (about) => {
    await connected;
    mayWrite();
    written.push(about);
    return answer;
  });
  const waiting = made.send(request);
  made.abandon();
  connect();
  await expect(waiting).rejects.toMatchObject({ code: 'ABANDONED' });
  await new Promise((resolve) => setTimeout(resolve, 1));
  expect(written).toEqual([]);
});

test('a write may not start when its lock is lost either', async () => {
  const made = abandonable(
    (mayWrite) => (about) => {
      mayWrite();
      return Promise.reject(new Error(`${about.path} was sent`));
    },
    () => {
      throw new Error('the lock is lost');
    },
  );
  await expect(made.send(request)).rejects.toThrow('the lock is lost');
});

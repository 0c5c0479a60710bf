import { createHmac, randomBytes } from 'node:crypto';
import { LineCounter } from 'yaml';
import { describe, expect, it, test } from 'vitest';
import type { Receiver } from '../../src/manifest/settings.ts';
import { notify } from '../../src/drift/notify.ts';
import type { NotifyOptions } from '../../src/drift/notify.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { finding, messageOf } from '../support/notifications.ts';
import { nameProxy, serveProxy } from '../support/http-proxy.ts';
import { receivers } from '../support/receiver.ts';

const receiver = receivers();
const message = messageOf([finding()]);
const at = { file: 'trueup.yaml', offset: 0, lines: new LineCounter() };
const key = randomBytes(32);

/** Sends the message to one receiver, without waiting between attempts. */
async function send(
  url: string | undefined,
  about: Partial<Receiver> = {},
  { env = {}, ...more }: Partial<NotifyOptions> & { readonly message?: typeof message } = {},
) {
  const pauses: number[] = [];
  const redactor = createRedactor();
  const { notified, diagnostics } = await notify(
    [{ as: 'json', on: 'new', url: 'HOOK', at, ...about }],
    more.message ?? message,
    {
      env: { ...(url === undefined ? {} : { TRUEUP_SECRET_HOOK: url }), ...env },
      redactor,
      platform: { emulator: true },
      clock: { wall: () => Date.parse('2026-03-01T03:00:00Z'), sleep: (ms) => Promise.resolve(void pauses.push(ms)) },
      ...more,
    },
  );
  return {
    notified,
    pauses,
    redactor,
    problem: diagnostics.map(({ message: text, remedy }) => `${text} ${remedy}`)[0],
  };
}

describe('behind a proxy', () => {
  test.each([
    [{ credentials: 'me:x' }, 'asks for a user and a password (407)', 'Set HTTPS_PROXY=', 1],
    [{}, 'answered 502 instead of connecting to hooks.example:443, after 4 attempts', 'NO_PROXY', 4],
  ])('that does %j the warning names the proxy', async (settings, event, remedy, attempts) => {
    const proxy = await serveProxy(settings);
    nameProxy({ HTTPS_PROXY: proxy.url });
    const { problem } = await send('https://hooks.example/T0123456789abcdefghij');
    const words = `did not confirm the notification (json): the proxy of HTTPS_PROXY (${proxy.url}) ${event}`;
    expect(problem).toContain(words);
    expect(problem).toContain(remedy);
    expect(proxy.log).toHaveLength(attempts);
  });
});

describe('a message', () => {
  test.each(['json', 'slack', 'discord', 'teams'] as const)('of the form %s reaches its receiver once', async (as) => {
    const { url, host, received } = await receiver();
    expect(await send(`${url}?wait=true`, { as })).toMatchObject({ notified: [{ as, host }], problem: undefined });
    expect(received).toMatchObject([
      {
        method: 'POST',
        path: '/hooks/T0123456789abcdefghij?wait=true',
        headers: { 'content-type': 'application/json', 'user-agent': expect.stringMatching(/^trueup\//) as string },
      },
    ]);
    expect(JSON.parse(received[0]?.body ?? '')).toBeTypeOf('object');
    expect(received[0]?.headers).not.toHaveProperty('webhook-signature');
  });

  it('is signed as Standard Webhooks says, over its id, its time and its bytes', async () => {
    const { url, received } = await receiver();
    const env = { TRUEUP_SECRET_KEY: `whsec_${key.toString('base64')}` };
    expect(await send(url, { signature: 'KEY' }, { env })).toMatchObject({ problem: undefined });
    const { headers, body = '' } = received[0] ?? {};
    const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signature } = headers ?? {};
    expect(time).toBe(String(Date.parse('2026-03-01T03:00:00Z') / 1_000));
    expect(String(id)).toMatch(/^msg_[0-9a-f-]{36}$/);
    const expected = createHmac('sha256', key)
      .update(`${String(id)}.${String(time)}.${body}`)
      .digest('base64');
    expect(signature).toBe(`v1,${expected}`);
  });

  it('is sent again with the same id after no answer, 429, 408 and 500, at most 4 times', async () => {
    const first = await receiver('cut', 500, { status: 429, headers: { 'retry-after': '7' } });
    const { pauses, problem } = await send(first.url);
    expect({ pauses, problem }).toEqual({ pauses: [500, 2_000, 8_000], problem: undefined });
    expect(first.received).toHaveLength(4);
    expect(new Set(first.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    const second = await receiver(503, 503, 503, 503, 200);
    expect((await send(second.url)).problem).toContain(
      'did not confirm the notification (json): it answered 503, after 4 attempts',
    );
    expect(second.received).toHaveLength(4);
  });

  it('waits as long as a receiver asks for, but not for hours', async () => {
    const first = await receiver({ status: 429, headers: { 'retry-after': '20' } });
    expect((await send(first.url)).pauses).toEqual([20_000]);
    const second = await receiver({ status: 429, headers: { 'retry-after': '3600' } });
    expect(await send(second.url)).toMatchObject({ pauses: [], problem: expect.stringContaining('429') as string });
  });

  test.each([
    [404, 'Make a new webhook, and set TRUEUP_SECRET_HOOK'],
    [400, 'takes messages of the form json'],
  ])('is not sent again after %d', async (status, remedy) => {
    const { url, received } = await receiver(status);
    expect((await send(url)).problem).toContain(remedy);
    expect(received).toHaveLength(1);
  });

  it('follows no redirect', async () => {
    const other = await receiver();
    const { url } = await receiver({ status: 307, headers: { location: other.url } });
    expect((await send(url)).problem).toContain('follows no redirects');
    expect(other.received).toEqual([]);
  });
});

describe('an address or a key', () => {
  test.each([
    ['is missing', undefined, {}, 'TRUEUP_SECRET_HOOK is not set'],
    ['is empty', '', {}, 'TRUEUP_SECRET_HOOK is not set'],
    ['is none', 'canary-of-a-password', {}, 'is no address of a receiver'],
    ['is plain http to another machine', 'http://hooks.canary.example/canary', {}, 'is no address of a receiver'],
    ['has a user', 'https://canary:canary@hooks.example', {}, 'is no address of a receiver'],
    ['is a file', 'file:///etc/canary', {}, 'is no address of a receiver'],
    ['belongs to the platform', 'https://deploy.example.com/api/canary', {}, 'is an address of the platform'],
    ['lacks its key', 'https://hooks.example', { signature: 'KEY' }, 'TRUEUP_SECRET_KEY is not set'],
    ['has a password as its key', 'https://hooks.example', { signature: 'WORD' }, 'TRUEUP_SECRET_WORD is no key'],
    ['has a short key', 'https://hooks.example', { signature: 'SHORT' }, 'TRUEUP_SECRET_SHORT is no key'],
  ])('that %s sends nothing, and shows nothing of it', async (_, url, about, words) => {
    const env = {
      TRUEUP_SECRET_WORD: 'canary-of-a-password',
      TRUEUP_SECRET_SHORT: `whsec_${randomBytes(23).toString('base64')}`,
    };
    const platform = { url: 'https://deploy.example.com' };
    const { problem, notified } = await send(url, about, { env, platform });
    expect(notified).toEqual([]);
    expect(problem).toContain(words);
    expect(problem).not.toMatch(/canary/);
  });

  it('is redacted afterwards, as a whole and its path, but no word of its path', async () => {
    const { url, host } = await receiver(404);
    const { problem, redactor } = await send(`${url}?sig=S0123456789abcdefghij&v=1`);
    expect(problem).toContain(host);
    expect(problem).not.toMatch(/T0123456789|answer-of-the-receiver/);
    for (const part of ['/hooks/T0123456789abcdefghij', 'T0123456789abcdefghij', 'S0123456789abcdefghij'])
      expect(redactor.redact(`at ${part}`)).not.toContain('0123456789');
    expect(redactor.redact('the hooks of production')).toBe('the hooks of production');
  });
});

test.each([
  ['new', 'new', true],
  ['new', 'expired', true],
  ['new', 'known', false],
  ['new', 'accepted', false],
  ['new', 'not yet applied', false],
  ['any', 'known', true],
  ['any', 'accepted', true],
  ['any', 'not yet applied', false],
] as const)('a receiver of %s drift, with %s: a message is %s', async (on, status, isSent) => {
  const { url, received } = await receiver();
  await send(url, { on }, { message: messageOf([finding({ status })]) });
  expect(received).toHaveLength(isSent ? 1 : 0);
  await send(url, { on }, { message: messageOf([finding({ status })]), isForced: true });
  expect(received).toHaveLength(isSent ? 2 : 1);
});

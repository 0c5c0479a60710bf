import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readHook } from '../../src/controller/hooks/hook-event.ts';
import type { HookForge } from '../../src/controller/hooks/hook-request.ts';
import { isAuthentic } from '../../src/controller/hooks/signature.ts';

const json = { 'content-type': 'application/json' };
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const asForm = (text: string) => `payload=${encodeURIComponent(text)}`;
const hex = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('hex');
const request = (headers: Readonly<Record<string, string | string[]>>, body: string) => ({
  headers: { ...json, ...headers },
  body: Buffer.from(body),
});

describe('a signature', () => {
  const time = 1_614_265_330;
  const whsec = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const signed = {
    'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    'webhook-timestamp': String(time),
    'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  };
  const hub = { 'x-hub-signature-256': 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17' };
  const jefe = '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843';
  const message = 'what do ya want for nothing?';
  const test2432 = '{"test": 2432232314}';

  // The examples of GitHub's documentation, of RFC 4231 and of Standard Webhooks.
  test.each<readonly [string, HookForge, Readonly<Record<string, string>>, string, string]>([
    ['the example of GitHub', 'github', hub, 'Hello, World!', "It's a Secret to Everybody"],
    ['the example of RFC 4231 from Forgejo', 'forgejo', { 'x-forgejo-signature': jefe }, message, 'Jefe'],
    ['the example of RFC 4231 from Gitea', 'forgejo', { 'x-gitea-signature': jefe }, message, 'Jefe'],
    [
      'a form of Gitea, whose JSON is signed',
      'forgejo',
      { ...form, 'x-gitea-signature': jefe },
      asForm(message),
      'Jefe',
    ],
    [
      'a form of GitHub, whose bytes are signed',
      'github',
      { ...form, 'x-hub-signature-256': `sha256=${hex('s', asForm('{}'))}` },
      asForm('{}'),
      's',
    ],
    ['a token of GitLab', 'gitlab', { 'x-gitlab-token': 'a token' }, '{}', 'a token'],
    ['the example of Standard Webhooks from GitLab', 'gitlab', signed, test2432, whsec],
    [
      'one of two keys that GitLab signs with',
      'gitlab',
      { ...signed, 'webhook-signature': `v1,AAAA ${signed['webhook-signature']}` },
      test2432,
      whsec,
    ],
  ])('of %s is right', (_what, forge, headers, body, secret) => {
    expect(isAuthentic(forge, request(headers, body), secret, time)).toBe(true);
    // The same with another body, with another secret, and without the headers.
    const isBound = !('x-gitlab-token' in headers);
    expect(isAuthentic(forge, request(headers, `${body} `), secret, time)).toBe(!isBound);
    expect(isAuthentic(forge, request(headers, body), secret.replace(/.$/, 'Q'), time)).toBe(false);
    expect(isAuthentic(forge, request({}, body), secret, time)).toBe(false);
  });

  test.each<readonly [string, HookForge, Readonly<Record<string, string | string[]>>, string]>([
    ['of SHA-1', 'github', { 'x-hub-signature': `sha1=${createHmac('sha1', 's').update('{}').digest('hex')}` }, 's'],
    ['without its prefix', 'github', { 'x-hub-signature-256': hex('s', '{}') }, 's'],
    ['that is shorter', 'github', { 'x-hub-signature-256': `sha256=${hex('s', '{}').slice(0, 40)}` }, 's'],
    ['that stands there twice', 'github', { 'x-hub-signature-256': [`sha256=${hex('s', '{}')}`, 'sha256='] }, 's'],
    ['that is empty', 'forgejo', { 'x-gitea-signature': '' }, 's'],
    ['of another forge', 'forgejo', { 'x-hub-signature-256': `sha256=${hex('s', '{}')}` }, 's'],
    [
      'that is right for Gitea beside a wrong one of Forgejo',
      'forgejo',
      { 'x-forgejo-signature': hex('t', '{}'), 'x-gitea-signature': hex('s', '{}') },
      's',
    ],
    ['that is the token, where GitLab signs', 'gitlab', { 'x-gitlab-token': whsec }, whsec],
    ['for a key that is too short', 'gitlab', { 'x-gitlab-token': 'whsec_AAAA' }, 'whsec_AAAA'],
    ['for no secret at all', 'gitlab', { 'x-gitlab-token': '' }, ''],
  ])('%s is wrong', (_what, forge, headers, secret) => {
    expect(isAuthentic(forge, request(headers, '{}'), secret, time)).toBe(false);
  });

  test('with a time holds for five minutes', () => {
    const at = (seconds: number) => isAuthentic('gitlab', request(signed, test2432), whsec, seconds);
    expect([time - 301, time - 300, time + 300, time + 301].map(at)).toEqual([false, true, true, false]);
    const later = { ...signed, 'webhook-timestamp': String(time + 600) };
    expect(isAuthentic('gitlab', request(later, test2432), whsec, time + 600)).toBe(false);
  });
});

describe('a webhook', () => {
  const main = { ref: 'refs/heads/main' };
  const pull = { pull_request: { base: { ref: 'main' }, head: { ref: 'fix' } } };
  test.each<readonly [HookForge, string, unknown, string, string | undefined]>([
    ['github', 'push', main, 'push', 'refs/heads/main'],
    ['github', 'push', { ...main, deleted: true }, 'push', 'refs/heads/main'],
    ['github', 'push', { ref: 'refs/tags/v1' }, 'push', 'refs/tags/v1'],
    ['github', 'create', { ref: 'v1', ref_type: 'tag' }, 'push', 'refs/tags/v1'],
    ['github', 'delete', { ref: 'a/b', ref_type: 'branch' }, 'push', 'refs/heads/a/b'],
    ['github', 'pull_request', pull, 'pull request', 'refs/heads/main'],
    ['github', 'pull_request', { pull_request: 'x' }, 'pull request', undefined],
    ['github', 'ping', { zen: 'Keep it logically awesome.' }, 'ping', undefined],
    ['github', 'issues', main, 'other', undefined],
    ['github', 'push', { ref: 1 }, 'push', undefined],
    ['github', 'push', { ref: 'x'.repeat(1_001) }, 'push', undefined],
    ['github', '__proto__', { ['__proto__']: main }, 'other', undefined],
    ['forgejo', 'push', main, 'push', 'refs/heads/main'],
    ['forgejo', 'pull_request', pull, 'pull request', 'refs/heads/main'],
    ['gitlab', '', { object_kind: 'push', ...main }, 'push', 'refs/heads/main'],
    ['gitlab', '', { object_kind: 'tag_push', ref: 'refs/tags/v1' }, 'push', 'refs/tags/v1'],
    [
      'gitlab',
      '',
      { object_kind: 'merge_request', object_attributes: { target_branch: 'main' } },
      'pull request',
      'refs/heads/main',
    ],
    ['gitlab', '', { object_kind: 'issue' }, 'other', undefined],
  ])('of %s, %s %j, says %s to %s', (forge, name, body, event, ref) => {
    const headers: Record<string, string> = forge === 'gitlab' ? {} : { [`x-${forge}-event`]: name };
    expect(readHook(forge, request(headers, JSON.stringify(body)))).toMatchObject({ event, ref });
  });

  test('in a form is read as JSON', () => {
    const headers = { ...form, 'x-github-event': 'push' };
    expect(readHook('github', request(headers, asForm(JSON.stringify(main))))).toMatchObject(main);
  });

  test.each(['', 'null', '[]', '"text"', '{"ref":"refs/heads/main"', '\u0000'])('of %j is none', (body) => {
    expect(readHook('github', request({ 'x-github-event': 'push' }, body))).toBeUndefined();
    expect(readHook('github', request({ ...form, 'x-github-event': 'push' }, body))).toBeUndefined();
  });

  test('has the id that its forge gives a delivery, or that of its body', () => {
    const id = (forge: HookForge, headers: Readonly<Record<string, string>>, body = '{}') =>
      readHook(forge, request(headers, body))?.id;
    const uuid = 'f6266f16-1bf3-46a5-9ea4-602e06ead473';
    expect(id('github', { 'x-github-delivery': uuid })).toBe(uuid);
    expect(id('forgejo', { 'x-gitea-delivery': uuid })).toBe(uuid);
    expect(id('gitlab', { 'idempotency-key': uuid })).toBe(uuid);
    // Two events of GitLab that one event caused, before it had Idempotency-Key.
    const first = id('gitlab', { 'x-gitlab-event-uuid': uuid }, '{"a":1}');
    const second = id('gitlab', { 'x-gitlab-event-uuid': uuid }, '{"a":2}');
    expect(new Set([first, second, uuid]).size).toBe(3);
    expect(id('gitlab', { 'x-gitlab-event-uuid': uuid }, '{"a":1}')).toBe(first);
    for (const odd of ["'; drop table", 'x'.repeat(101), '../..', '\u00e4'.repeat(9)])
      expect(id('github', { 'x-github-delivery': odd })).toMatch(/^[0-9a-f]{64}$/);
  });
});

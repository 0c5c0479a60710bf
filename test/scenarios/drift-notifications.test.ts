import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { applyCommand, driftCommand, planCommand, validateCommand } from '../cli/asked.ts';
import { edit } from '../support/drifting.ts';
import { receivers } from '../support/receiver.ts';
import { documentIn, places } from '../cli/place.ts';

/** What `trueup drift` sends to the receivers of a manifest, and when. */

const place = places();
const receiver = receivers();
const clock = { wall: () => Date.parse('2026-03-01T12:00:00Z'), sleep: () => Promise.resolve() };
const canary = 'canary-4711-of-the-shop';

afterEach(() => {
  for (const name of ['TRUEUP_SECRET_HOOK', 'TRUEUP_SECRET_TOKEN']) vi.stubEnv(name, undefined);
});

const shop = (notify = 'notify: [{ url: "${secret:HOOK}", as: json }]') => `drift: { ${notify} }
environments:
  production:
    compose:
      shop:
        env: { REGION: eu-1, TOKEN: "\${secret:TOKEN}" }
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
`;

/** A project that was applied, with one hot fix of its region and one of its token. */
async function drifted(notify?: string) {
  vi.stubEnv('TRUEUP_SECRET_TOKEN', canary);
  const at = await place(shop(notify), { secrets: { TOKEN: canary } });
  const fix = (env: string) =>
    edit({ emulator: at.emulator, apiKey: 'right-key-4711' }, 'compose.update', {
      composeId: at.idOf('production.compose.shop'),
      env,
    });
  await fix(`REGION=eu-2\nTOKEN=${canary}-changed`);
  at.requests();
  const drift = (flags = {}, format?: string) =>
    at.run(driftCommand(flags, clock), format === undefined ? {} : { format });
  return { ...at, fix, drift };
}

describe('trueup drift', () => {
  it('reports new drift once, and once that it is resolved; the platform gets GETs only', async () => {
    const { url, host, received } = await receiver();
    const { drift, fix, requests } = await drifted();
    vi.stubEnv('TRUEUP_SECRET_HOOK', url);
    const first = await drift();
    expect(first.exit).toBe('changes');
    expect(first.out).toContain(`Notified ${host} (json).`);
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({
      format: 'trueup/drift-notification',
      exitCode: 2,
      summary: { new: 2 },
      findings: [{ path: 'env.REGION' }, { path: 'env.TOKEN' }],
    });
    expect((await drift()).exit).toBe('known drift');
    expect(received).toHaveLength(1);
    await fix(`REGION=eu-1\nTOKEN=${canary}`);
    expect((await drift()).exit).toBe('done');
    expect(JSON.parse(received[1]?.body ?? '')).toMatchObject({ exitCode: 0, findings: [], summary: { resolved: 2 } });
    expect((await drift()).exit).toBe('done');
    expect(received).toHaveLength(2);
    expect(requests().filter((one) => one.startsWith('POST') && one !== 'POST compose.update')).toEqual([]);
  });

  it.each(['text', 'json'])('shows no value and no secret to receivers, and no address in %s', async (format) => {
    const hooks = ['json', 'slack', 'discord', 'teams'].map((as) => `{ url: "\${secret:HOOK}", as: ${as} }`);
    const { url, received } = await receiver();
    const { drift, folder } = await drifted(`notify: [${hooks.join(', ')}]`);
    vi.stubEnv('TRUEUP_SECRET_HOOK', url);
    const { out, err } = await drift({}, format);
    expect(received).toHaveLength(4);
    for (const { body } of received) expect(body).not.toMatch(/eu-1|eu-2|canary/);
    const memory = readFileSync(join(folder, 'drift.yaml'), 'utf8');
    for (const text of [out, err, memory]) expect(text).not.toMatch(/T0123456789abcdefghij|canary/);
    if (format === 'json') expect(documentIn({ exit: '', out, err })).toMatchObject({ notified: [{}, {}, {}, {}] });
  });

  it('remembers nothing while a receiver does not confirm, so that the next run reports it again', async () => {
    const { url, received } = await receiver(404, 200);
    const { drift, folder } = await drifted();
    vi.stubEnv('TRUEUP_SECRET_HOOK', url);
    const failed = await drift();
    expect(failed.exit).toBe('changes');
    expect(failed.out).toContain('warning[not-notified]');
    expect(failed.out).toContain('it answered 404');
    expect(existsSync(join(folder, 'drift.yaml'))).toBe(false);
    expect((await drift()).exit).toBe('changes');
    expect(received).toHaveLength(2);
    expect((await drift()).exit).toBe('known drift');
  });

  it('ends with the exit code of the drift; without drift, a failed notification makes it 1', async () => {
    const { url } = await receiver(...Array<number>(9).fill(404));
    const { drift, fix } = await drifted();
    await drift({ notify: false });
    vi.stubEnv('TRUEUP_SECRET_HOOK', url);
    expect((await drift({ notify: true })).exit).toBe('known drift');
    await fix(`REGION=eu-1\nTOKEN=${canary}`);
    const resolved = await drift({}, 'json');
    expect(resolved.exit).toBe('failed');
    expect(documentIn(resolved)).toMatchObject({ exitCode: 1, summary: { resolved: 2 } });
  });

  test.each([
    ['--no-notify', { notify: false }, 0],
    ['--no-remember', { remember: false }, 0],
    ['--notify --no-remember', { notify: true, remember: false }, 1],
    ['no option', {}, 1],
  ])('with %s', async (_, flags, count) => {
    const { url, received } = await receiver();
    const { drift } = await drifted();
    vi.stubEnv('TRUEUP_SECRET_HOOK', url);
    await drift(flags);
    expect(received).toHaveLength(count);
  });

  it('sends a message to every receiver with --notify, also without drift, and refuses it without receivers', async () => {
    const { url, received } = await receiver();
    const { drift, fix, rewrite } = await drifted();
    await fix(`REGION=eu-1\nTOKEN=${canary}`);
    vi.stubEnv('TRUEUP_SECRET_HOOK', url);
    expect((await drift({ notify: true })).exit).toBe('done');
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ exitCode: 0, findings: [] });
    rewrite(shop('notify: []'));
    expect(await drift({ notify: true })).toMatchObject({
      exit: 'stopped',
      err: expect.stringContaining('[usage]') as string,
    });
  });
});

test('validate, plan and apply notify nobody, and need no secret of a receiver', async () => {
  const { url, received } = await receiver();
  const { run } = await drifted();
  vi.stubEnv('TRUEUP_SECRET_HOOK', url);
  expect((await run(validateCommand)).exit).toBe('done');
  expect((await run(planCommand({}))).out).not.toMatch(/HOOK|notif/i);
  vi.stubEnv('TRUEUP_SECRET_HOOK', undefined);
  expect((await run(applyCommand({ autoApprove: true }))).exit).toBe('done');
  expect((await run(planCommand({ detailedExitcode: true }))).exit).toBe('done');
  expect(received).toEqual([]);
});

describe('the manifest', () => {
  test.each([
    [
      'a literal address',
      'url: "https://hooks.slack.com/services/canary", as: slack',
      'notify.0.url must be ${secret:NAME}',
    ],
    ['another source', 'url: "${env:HOOK}", as: json', 'notify.0.url must be ${secret:NAME}'],
    [
      'more than a secret',
      'url: "https://canary.example/${secret:HOOK}", as: json',
      'notify.0.url must be ${secret:NAME}',
    ],
    [
      'a signature of a chat',
      'url: "${secret:HOOK}", as: slack, signature: "${secret:KEY}"',
      'signature only beside as: json',
    ],
    [
      'a literal key',
      'url: "${secret:HOOK}", as: json, signature: canary-key',
      'notify.0.signature must be ${secret:NAME}',
    ],
    ['another form', 'url: "${secret:HOOK}", as: mail', 'notify.0.as must be json, slack, discord or teams'],
    ['no form', 'url: "${secret:HOOK}"', 'notify.0.as'],
  ])('is refused with %s, and its error shows no address', async (_, written, words) => {
    const { rewrite, run } = await drifted();
    rewrite(shop(`notify: [{ ${written} }]`));
    const { exit, err } = await run(validateCommand);
    expect(exit).toBe('stopped');
    expect(err).toContain(words);
    expect(err).not.toContain('canary');
  });

  it('takes expressions at no other place of drift:', async () => {
    const { rewrite, run } = await drifted();
    rewrite(shop('ignore: [{ address: "${secret:HOOK}" }]'));
    expect((await run(validateCommand)).err).toContain('drift must not hold ${secret:…}');
  });
});

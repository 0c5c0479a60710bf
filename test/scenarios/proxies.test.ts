import { describe, expect, onTestFinished, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { project, trueupProcess } from '../cli/process.ts';
import { certificateFor } from '../support/certificate.ts';
import { serveProxy, serveSecurely } from '../support/http-proxy.ts';
import { receivers } from '../support/receiver.ts';
import { secretOf, serveS3 } from '../support/s3-server.ts';

/** The real program where nothing but a proxy leads out of the machine: no server has a name that this machine knows. */

const receiver = receivers();
const [platformHost, hookHost] = ['deploy.example.test', 'hooks.example.test'];
const certificate = certificateFor([platformHost, hookHost]);
const [user, password] = ['proxy-user', 'p@ss/word-7f3a91c4'];
const encoded = encodeURIComponent(password);

const manifest = (more = '') => `trueup: 1
platform: { url: "https://${platformHost}" }
project: prj_1
${more}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        env: { REGION: eu }
`;

/** A platform with TLS, the proxy that leads to it, and the environment of a run. */
async function behindProxy(servers: Readonly<Record<string, number>> = {}) {
  const emulator = createEmulator({ apiKey: 'right-key', profile: 'dokploy' });
  const ports = { [`${platformHost}:443`]: await serveSecurely(emulator, certificate), ...servers };
  const proxy = await serveProxy({ servers: ports, credentials: `${user}:${password}` });
  const address = `http://${user}:${encoded}@127.0.0.1:${proxy.port}`;
  const env = { TRUEUP_API_KEY: 'right-key', NODE_EXTRA_CA_CERTS: certificate.file, HTTPS_PROXY: address };
  return { proxy, env, address };
}

const hosts = (log: readonly string[]) =>
  new Set(log.map((line) => line.replace(/^(?!CONNECT)\w+ (http:..[^/]*).*/, '$1')));

test('a plan and an apply go through the proxy, and then plans nothing', async () => {
  const { proxy, env } = await behindProxy();
  const folder = project(manifest());
  const run = (...words: string[]) => trueupProcess(['-C', folder, ...words], { env });
  expect(await run('plan')).toMatchObject({ code: 0, err: '' });
  const applied = await run('apply', '--auto-approve');
  expect(applied).toMatchObject({ code: 0 });
  const again = await run('plan');
  expect(again.out).toContain('No changes');
  expect(hosts(proxy.log)).toEqual(new Set([`CONNECT ${platformHost}:443`]));
});

test('state in a bucket, notifications and traces go through it too, and then plans nothing', async () => {
  const store = await serveS3(['states']);
  const [hook, collector] = [await receiver(), await receiver()];
  const secureHook = await serveSecurely(
    {
      send: async ({ method, path, body }) => {
        const { status } = await fetch(`http://${hook.host}${path}`, { method, ...(body && { body }) });
        return { status, headers: {}, body: '' };
      },
    },
    certificate,
  );
  onTestFinished(() => store.close());
  const { proxy, env, address } = await behindProxy({
    [`${hookHost}:443`]: secureHook,
    's3.example.test:9000': Number(new URL(store.url).port),
    'collector.example.test:4318': Number(collector.host.split(':')[1]),
  });
  const folder = project(
    manifest(
      'state: { backend: s3, bucket: states, endpoint: "http://s3.example.test:9000", region: us-east-1 }\n' +
        'drift: { notify: [{ url: "${secret:HOOK}", as: json }] }\n',
    ),
  );
  const all = {
    ...env,
    http_proxy: address,
    TRUEUP_ALLOW_HTTP: 'true',
    AWS_ACCESS_KEY_ID: 'one',
    AWS_SECRET_ACCESS_KEY: secretOf('one'),
    TRUEUP_SECRET_HOOK: `https://${hookHost}/of-the-tests`,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example.test:4318',
  };
  const run = (...words: string[]) => trueupProcess(['-C', folder, ...words], { env: all });
  expect(await run('state', 'key')).toMatchObject({ code: 0 });
  const applied = await run('apply', '--auto-approve');
  expect(applied).toMatchObject({ code: 0 });
  expect((await run('plan')).out).toContain('No changes');
  const notified = await run('drift', '--notify');
  expect(hook.received.length, notified.out + notified.err).toBeGreaterThan(0);
  expect(store.objects.size).toBeGreaterThan(0);
  expect(collector.received.length).toBeGreaterThan(0);
  expect(hosts(proxy.log)).toEqual(
    new Set([
      `CONNECT ${platformHost}:443`,
      `CONNECT ${hookHost}:443`,
      'http://s3.example.test:9000',
      'http://collector.example.test:4318',
    ]),
  );
});

describe('what a run says that does not get through', () => {
  test('has no part of the address of the proxy but its host', async () => {
    const { proxy, env } = await behindProxy();
    const folder = project(manifest());
    const withUser = (scheme: string, secret: string, port: number) =>
      `${scheme}://${user}:wrong-${secret}@127.0.0.1:${port}`;
    const unaccepted = 'does not accept the user and the password of HTTPS_PROXY (407)';
    for (const [address, words, ...more] of [
      [withUser('http', encoded, proxy.port), unaccepted],
      [withUser('http', encoded, proxy.port), unaccepted, '--format', 'json'],
      [withUser('socks5', encoded, proxy.port), 'HTTPS_PROXY names a SOCKS proxy'],
      [withUser('http', password, proxy.port), 'HTTPS_PROXY is not the address of an HTTP proxy'],
      [withUser('http', encoded, 1), 'the proxy of HTTPS_PROXY (http://127.0.0.1:1) refused the connection'],
    ] as const) {
      const given = { ...env, HTTPS_PROXY: address, TRUEUP_DEBUG: '1' };
      const { code, out, err } = await trueupProcess(['-C', folder, 'plan', ...more], { env: given });
      expect([code, out + err]).toEqual([1, expect.stringContaining(words)]);
      expect(out + err).not.toMatch(/word-7f3a91c4|wrong-|proxy-user/);
      expect(out + err).not.toContain(Buffer.from(`${user}:wrong-${password}`).toString('base64'));
    }
  });

  test('names NO_PROXY where that leads past the proxy, and ALL_PROXY, which is not used', async () => {
    const { env, address, proxy } = await behindProxy();
    const folder = project(manifest());
    const { HTTPS_PROXY: _, ...without } = env;
    const run = (more: Record<string, string>) =>
      trueupProcess(['-C', folder, 'plan'], { env: { ...without, ...more } });
    const past = await run({ HTTPS_PROXY: address, NO_PROXY: '.example.test' });
    expect(past.err).toContain('Because of NO_PROXY, Trueup does not use the proxy of HTTPS_PROXY here.');
    const other = await run({ ALL_PROXY: address });
    expect(other.err).toContain('Trueup does not use the proxy of ALL_PROXY here: set HTTPS_PROXY.');
    expect(proxy.log).toEqual([]);
  });
});

test('a platform of this machine is reached without the proxy', async () => {
  const platform = await serve(createEmulator({ apiKey: 'right-key', profile: 'dokploy' }));
  onTestFinished(() => platform.close());
  const { env, proxy } = await behindProxy();
  const folder = project(manifest().replace(`https://${platformHost}`, platform.url));
  expect(await trueupProcess(['-C', folder, 'plan'], { env })).toMatchObject({ code: 0, err: '' });
  expect(proxy.log).toEqual([]);
});

import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createEmulator, type Emulator } from '../../src/emulator/emulator.ts';
import { addRow, seedWorld } from '../../src/emulator/world.ts';
import { callerOf, inputs, type Answer } from '../emulator/caller.ts';

let emulator: Emulator;
let call: ReturnType<typeof callerOf>;
let minute: number;
beforeEach(() => {
  minute = 0;
  // Another minute at every look, so that "newest first" can be told from "last written first".
  emulator = createEmulator({ now: () => new Date(Date.UTC(2026, 0, 1, 0, (minute += 1))) });
  call = callerOf(emulator.send);
});

const list = async (operation: string) => (await call(operation)).body as unknown as Answer[];
const named = async (operation: string, name: string) => (await list(operation)).filter((row) => row['name'] === name);

test('an environment called production is made with its project only', async () => {
  expect(await call('environment.create', { name: 'production', projectId: 'prj_1' })).toMatchObject({
    status: 400,
    body: { code: 'BAD_REQUEST', message: 'You cannot create an environment with the name "production"' },
  });
});

describe('an SSH key', () => {
  const pem = (body: string, end = '\n') =>
    ['-----BEGIN OPENSSH PRIVATE KEY-----', body, '-----END OPENSSH PRIVATE KEY-----', ''].join(end);
  const privateKey = pem('c2VjcmV0');
  const input = { name: 'k', privateKey, publicKey: 'ssh-ed25519 AAAA k', organizationId: 'other' };
  const made = async () => {
    await call('sshKey.create', input);
    const [row] = await named('sshKey.all', 'k');
    return String(row?.['sshKeyId']);
  };

  test('is created without an answer, in the organization of the key', async () => {
    expect(await call('sshKey.create', input)).toEqual({ status: 200, body: undefined });
    const rows = await named('sshKey.all', 'k');
    expect(rows).toMatchObject([{ privateKey, organizationId: 'org_1', description: null, lastUsedAt: null }]);
  });

  test.each([
    { privateKey: 'secret' },
    { privateKey: pem('c2VjcmV0', '\r\n') },
    { privateKey: ` ${privateKey}` },
    { privateKey: privateKey.replace('END OPENSSH', 'END RSA') },
    { privateKey: pem('Proc-Type: 4,ENCRYPTED') },
    { publicKey: 'ecdsa-sha2-nistp256 AAAA k' },
    { publicKey: 'ssh-ed25519 ' },
  ])('is refused without the form of one: %o', async (wrong) => {
    const [member = ''] = Object.keys(wrong);
    const { status, body } = await call('sshKey.create', { ...input, ...wrong });
    expect([status, body]).toMatchObject([400, { code: 'BAD_REQUEST', issues: [{ path: [member] }] }]);
    expect(JSON.stringify(body)).not.toContain('c2VjcmV0');
  });

  test('may be created twice: nothing of it is unique', async () => {
    await made();
    await made();
    expect(await named('sshKey.all', 'k')).toHaveLength(2);
  });

  test('is listed newest first, whichever was updated last', async () => {
    const first = await made();
    const second = await made();
    await call('sshKey.update', { sshKeyId: first, description: 'd' });
    expect((await named('sshKey.all', 'k')).map((row) => row['sshKeyId'])).toEqual([second, first]);
  });

  test('is updated in part, but not in nothing', async () => {
    const sshKeyId = await made();
    const { body } = await call('sshKey.update', { sshKeyId, description: 'd', privateKey: 'other' });
    expect(body).toMatchObject({ sshKeyId, name: 'k', description: 'd', privateKey });
    expect((await call('sshKey.update', { sshKeyId, description: null })).body).toMatchObject({ description: null });
    expect((await call('sshKey.update', { sshKeyId })).status).toBe(400);
  });

  test('that is gone leaves applications, compose stacks and servers without a key', async () => {
    const world = seedWorld();
    const application = { applicationId: 'app_1', appName: 'app-1', environmentId: 'env_prj_1' };
    addRow(world, 'application', { ...application, customGitSSHKeyId: 'key_1' });
    addRow(world, 'server', { ...world.tables.server['srv_1'], serverId: 'srv_3', sshKeyId: 'key_1' });
    emulator = createEmulator({ world });
    call = callerOf(emulator.send);
    const { composeId } = (await call('compose.create', inputs.compose)).body;
    await call('compose.update', { composeId, customGitSSHKeyId: 'key_1' });

    await call('sshKey.remove', { sshKeyId: 'key_2' });
    expect(world.tables.application['app_1']).toMatchObject({ customGitSSHKeyId: 'key_1' });
    expect((await call('sshKey.remove', { sshKeyId: 'key_1' })).body).toMatchObject({ privateKey: 'private key 1' });
    expect(world.tables.application['app_1']).toMatchObject({ customGitSSHKeyId: null });
    expect(world.tables.server['srv_3']).toMatchObject({ sshKeyId: null });
    expect((await call('compose.one', { composeId })).body).toMatchObject({ customGitSSHKeyId: null });
  });

  test('that is not there is a 404 where it is read or removed, a 400 where it is updated', async () => {
    expect((await call('sshKey.one', { sshKeyId: 'x' })).status).toBe(404);
    expect((await call('sshKey.remove', { sshKeyId: 'x' })).status).toBe(404);
    const answer = await call('sshKey.update', { sshKeyId: 'x', name: 'n' });
    expect([answer.status, answer.body]).toMatchObject([400, { message: 'SSH Key not found' }]);
  });
});

describe('a generated key pair', () => {
  const header = '-----BEGIN OPENSSH PRIVATE KEY-----\n';

  test('of ed25519 is one pair in the format of OpenSSH, and is not stored', async () => {
    const before = (await list('sshKey.all')).length;
    const { privateKey, publicKey } = (await call('sshKey.generate', { type: 'ed25519' })).body as unknown as Pair;
    expect(publicKey).toMatch(/^ssh-ed25519 [A-Za-z0-9+/]+=* platform$/);
    expect(privateKey.startsWith(header)).toBe(true);

    const [type, point = Buffer.alloc(0)] = fieldsOf(Buffer.from(publicKey.split(' ')[1] ?? '', 'base64'));
    const [, , , secret = Buffer.alloc(0)] = secretFields(privateKey);
    expect(type?.toString()).toBe('ssh-ed25519');
    expect(pairs({ kty: 'OKP', crv: 'Ed25519', x: text(point), d: text(secret.subarray(0, 32)) }, point)).toBe(true);
    expect((await list('sshKey.all')).length).toBe(before);
  });

  test('of rsa, which is also the default', async () => {
    for (const input of [{ type: 'rsa' }, {}]) {
      const { privateKey, publicKey } = (await call('sshKey.generate', input)).body as unknown as Pair;
      expect(publicKey).toMatch(/^ssh-rsa AAAA[A-Za-z0-9+/]+=* platform$/);
      const [, exponent, modulus] = fieldsOf(Buffer.from(publicKey.split(' ')[1] ?? '', 'base64'));
      const [, type, n, e, , , p, q, comment] = secretFields(privateKey);
      expect([type?.toString(), comment?.toString()]).toEqual(['ssh-rsa', 'platform']);
      expect([n, e]).toEqual([modulus, exponent]);
      // A number that begins with a bit set would be read as a negative one.
      expect(modulus?.[0]).toBe(0);
      expect(numberIn(p) * numberIn(q)).toBe(numberIn(n));
    }
  });

  test('is another one each time', async () => {
    const pair = async () => (await call('sshKey.generate', { type: 'ed25519' })).body['publicKey'];
    expect(await pair()).not.toBe(await pair());
  });

  interface Pair {
    privateKey: string;
    publicKey: string;
  }

  const text = (content: Buffer) => content.toString('base64url');
  const numberIn = (content: Buffer | undefined) => BigInt(`0x${content?.toString('hex') ?? ''}`);

  /** The parts of a text that has the length before each of them. */
  function fieldsOf(content: Buffer): Buffer[] {
    if (content.length < 4) return [];
    const end = 4 + content.readUInt32BE(0);
    return [content.subarray(4, end), ...(end > content.length ? [] : fieldsOf(content.subarray(end)))];
  }

  /** The secret part of a private key: its two check numbers as the first field, then the parts of the key. */
  function secretFields(privateKey: string): Buffer[] {
    const lines = privateKey.split('\n').filter((line) => line !== '' && !line.startsWith('-----'));
    const content = Buffer.from(lines.join(''), 'base64');
    expect(content.subarray(0, 15).toString()).toBe('openssh-key-v1\0');
    const [cipher, kdf, options] = fieldsOf(content.subarray(15));
    expect([cipher, kdf, options].map(String)).toEqual(['none', 'none', '']);
    const [, secret = Buffer.alloc(0)] = fieldsOf(content.subarray(15 + 8 + 8 + 4 + 4));
    expect(secret.length % 8).toBe(0);
    expect(secret.subarray(0, 4)).toEqual(secret.subarray(4, 8));
    return [secret.subarray(0, 8), ...fieldsOf(secret.subarray(8))];
  }

  /** Whether what the private key signs is verified by the public one alone. */
  function pairs(jwk: { kty: string; crv: string; x: string; d: string }, point: Buffer): boolean {
    const { d: _d, ...open } = { ...jwk, x: text(point) };
    const signature = sign(null, Buffer.from('m'), createPrivateKey({ key: jwk, format: 'jwk' }));
    return verify(null, Buffer.from('m'), createPublicKey({ key: open, format: 'jwk' }), signature);
  }
});

describe('a certificate', () => {
  const input = { name: 'c', certificateData: 'data', privateKey: 'secret', organizationId: 'other' };
  const create = (values: Record<string, unknown> = {}) => call('certificates.create', { ...input, ...values });

  test('gets a path, and the organization of the key', async () => {
    const { body } = await create();
    expect(body).toMatchObject({ privateKey: 'secret', organizationId: 'org_1', autoRenew: null, serverId: null });
    expect(body['certificatePath']).toMatch(/^certificate(?:-[a-z0-9]+){3,6}-[a-z0-9]{6}$/);
    expect((await call('certificates.one', { certificateId: body['certificateId'] })).body).toEqual(body);
  });

  test('keeps an id and a path that were chosen, and takes neither a second time: 500', async () => {
    const { body } = await create({ certificateId: 'mine', certificatePath: 'p' });
    expect(body).toMatchObject({ certificateId: 'mine', certificatePath: 'p' });
    expect((await create({ certificateId: 'mine' })).status).toBe(500);
    expect((await create({ certificatePath: 'p' })).status).toBe(500);
    expect(await list('certificates.all')).toHaveLength(1);
  });

  test('is listed with its server, which must be there', async () => {
    await create({ name: 'a' });
    await create({ name: 'b', serverId: 'srv_1' });
    expect((await create({ serverId: 'x' })).status).toBe(500);
    expect(await list('certificates.all')).toMatchObject([
      { name: 'a', server: null },
      { name: 'b', server: { serverId: 'srv_1', name: 'server-1' } },
    ]);
  });

  test('is removed with the answer true, and then is a 404', async () => {
    const { certificateId } = (await create()).body;
    expect(await call('certificates.remove', { certificateId })).toEqual({ status: 200, body: true });
    for (const operation of ['certificates.one', 'certificates.remove'])
      expect((await call(operation, { certificateId })).status).toBe(404);
    expect((await create({ certificateId })).status).toBe(200);
  });

  test("can be changed in the platform's own pages only", async () => {
    const { certificateId, certificatePath } = (await create()).body;
    await emulator.act('certificates.update', { certificateId, name: 'n', privateKey: 'new' });
    expect((await call('certificates.one', { certificateId })).body).toMatchObject({
      name: 'n',
      certificateData: 'data',
      privateKey: 'new',
      certificatePath,
    });
    await expect(emulator.act('certificates.update', { certificateId: 'x', name: 'n' })).rejects.toThrow('404');
  });
});

describe('an AI provider', () => {
  const input = { name: 'a', apiUrl: 'https://api.test/v1', apiKey: 'secret', model: 'm', isEnabled: true };
  const made = async (values: Record<string, unknown> = {}) => {
    await call('ai.create', { ...input, ...values });
    return String((await list('ai.getAll'))[0]?.['aiId']);
  };

  test('is created with an empty list as the answer', async () => {
    expect(await call('ai.create', input)).toEqual({ status: 200, body: [] });
    expect(await list('ai.getAll')).toMatchObject([{ ...input, organizationId: 'org_1' }]);
  });

  test('is listed newest first and read in two ways, its key in clear', async () => {
    const first = await made();
    const second = await made({ name: 'b' });
    expect((await list('ai.getAll')).map((row) => row['aiId'])).toEqual([second, first]);
    for (const operation of ['ai.one', 'ai.get']) {
      expect((await call(operation, { aiId: first })).body).toMatchObject({ aiId: first, apiKey: 'secret' });
      expect((await call(operation, { aiId: 'x' })).status).toBe(404);
    }
  });

  test('is updated with name, url, key and model together, else it is a 500', async () => {
    const aiId = await made();
    expect((await call('ai.update', { aiId, ...input, name: 'n', isEnabled: false })).body).toEqual([]);
    expect((await call('ai.get', { aiId })).body).toMatchObject({ name: 'n', isEnabled: false });
    for (const member of ['name', 'apiUrl', 'apiKey', 'model']) {
      const { [member]: _left, ...rest } = { ...input, name: 'other' } as Record<string, unknown>;
      expect((await call('ai.update', { aiId, ...rest })).status).toBe(500);
    }
    const { isEnabled: _isEnabled, ...others } = input;
    expect((await call('ai.update', { aiId, ...others })).status).toBe(200);
    expect((await call('ai.get', { aiId })).body).toMatchObject({ name: 'a', isEnabled: false });
  });

  test('is created by an update of an unknown id, and can be deleted any number of times', async () => {
    expect((await call('ai.update', { aiId: 'chosen', name: 'half' })).status).toBe(500);
    expect((await call('ai.get', { aiId: 'chosen' })).status).toBe(404);
    await call('ai.update', { aiId: 'chosen', ...input });
    expect((await call('ai.get', { aiId: 'chosen' })).body).toMatchObject({ name: 'a', organizationId: 'org_1' });
    for (const _time of [1, 2]) expect(await call('ai.delete', { aiId: 'chosen' })).toEqual({ status: 200, body: [] });
    expect(await list('ai.getAll')).toEqual([]);
  });

  test('has models', async () => {
    const { body } = await call('ai.getModels', { apiUrl: 'https://api.test', apiKey: 'k' });
    expect(body).toMatchObject([{ id: 'model-large', object: 'model' }, { id: 'model-small' }]);
    expect((await call('ai.getModels', { apiUrl: 'no url', apiKey: 'k' })).status).toBe(400);
  });

  test('suggests something that can be deployed, if it is enabled', async () => {
    const aiId = await made();
    const [suggestion] = (await call('ai.suggest', { aiId, input: 'a site' })).body as unknown as Answer[];
    const order = { ...suggestion, envVariables: 'A=1' };
    expect(await call('ai.deploy', { environmentId: 'env_prj_1', ...order })).toEqual({ status: 200, body: null });

    const environment = (await call('environment.one', { environmentId: 'env_prj_1' })).body;
    const composeId = (environment['compose'] as Answer[])[0]?.['composeId'];
    const compose = (await call('compose.one', { composeId })).body;
    expect(compose).toMatchObject({
      name: 'Static site',
      sourceType: 'raw',
      composeFile: suggestion?.['dockerCompose'],
      env: 'A=1',
      isolatedDeployment: true,
      composeStatus: 'idle',
      domains: [{ host: 'site.example.test', port: 80, serviceName: 'web', domainType: 'compose' }],
      mounts: [{ type: 'file', filePath: 'index.html', content: '<h1>Site</h1>', mountPath: '' }],
    });
    expect(compose.appName).toMatch(/^project-1-static-site-[a-z0-9]{6}$/);
    expect((await call('user.get')).body['accessedServices']).toContain(composeId);

    const disabled = await made({ isEnabled: false });
    for (const other of [disabled, 'x'])
      expect((await call('ai.suggest', { aiId: other, input: 'a site' })).status).toBe(400);
  });

  test('deploys nothing where there is no environment, or with a domain that is none', async () => {
    const order = { id: 'x', dockerCompose: 'services: {}', envVariables: '', name: 'x', description: '' };
    expect((await call('ai.deploy', { ...order, environmentId: 'nope' })).status).toBe(404);
    const answer = await call('ai.deploy', { ...order, environmentId: 'env_prj_1', domains: [{ host: 'a.test' }] });
    expect([answer.status, answer.body]).toMatchObject([400, { message: 'Input validation failed' }]);
    expect((await call('environment.one', { environmentId: 'env_prj_1' })).body['compose']).toEqual([]);
  });
});

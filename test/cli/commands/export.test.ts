import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { exportDocument } from '../../../src/render/document-schemas.ts';
import { exportCommand, planCommand } from '../asked.ts';
import { execute, recordingTerminal } from '../../support/commands.ts';
import { createEmulator, type Emulator } from '../../../src/emulator/emulator.ts';
import { serve } from '../../../src/emulator/http-server.ts';
import { worldWithMember } from '../../support/kind-world.ts';
import { apiKey, places } from '../place.ts';
import { project, trueup } from '../process.ts';

/** What a plan says that finds no difference in a run without the secrets. */
const noChanges = 'No changes in what was compared. ';

/** `trueup export`, over HTTP and on the disk. */

const place = places();

const sections = `environments:
  production:
    env: { REGION: eu }
    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:PW}" }
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx\\n" }
        env: { DATABASE_URL: "postgres://shop:\${secret:PW}@\${ref:postgres.main.host}/shop", API_TOKEN: "\${secret:TOKEN}" }
        domains: { shop.example.com: { serviceName: web } }
`;
const secrets = { PW: 'canary-horse-4711', TOKEN: 'canary-token-0815' };

function newFolder(): string {
  return mkdtempSync(join(tmpdir(), 'trueup-export-cli-'));
}

/** Every file of a folder, without those of the state. */
function filesIn(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (path) => !path.startsWith('.trueup') && statSync(join(folder, path)).isFile(),
  );
  return Object.fromEntries(paths.toSorted().map((path) => [path, readFileSync(join(folder, path), 'utf8')]));
}

async function planIn(folder: string) {
  const { printed, terminal } = recordingTerminal();
  await execute(planCommand({}), { folder, terminal });
  return printed.out;
}

test('writes a project into a new folder, with its secrets in one private file, and then plans nothing', async () => {
  const { folder, run, requests } = await place(sections, { secrets });
  const out = newFolder();
  const ran = await run(exportCommand({ out, withSecrets: join(out, 'secrets.env') }));
  expect(ran.err).toBe('');
  expect(ran.exit).toBe('done');
  expect(requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
  const files = filesIn(out);
  expect(Object.keys(files)).toEqual([
    '.gitignore',
    'environments/production.yaml',
    'organization.yaml',
    'secrets.env',
    'secrets.env.example',
    'trueup.yaml',
  ]);
  expect(files['environments/production.yaml']).toContain(
    'DATABASE_URL: postgres://shop:${secret:PRODUCTION_MAIN_DATABASE_PASSWORD}@${ref:production.postgres.main.host}/shop',
  );
  expect(files['secrets.env']).toContain(`PRODUCTION_MAIN_DATABASE_PASSWORD=${secrets.PW}\n`);
  expect(statSync(join(out, 'secrets.env')).mode & 0o777).toBe(0o600);
  expect(files['.gitignore']).toBe('.trueup/\n/secrets.env\n');
  const { 'secrets.env': _, ...others } = files;
  const state = readFileSync(join(out, '.trueup/state.json'), 'utf8');
  for (const text of [JSON.stringify(others), state, ran.out, ran.err]) expect(text).not.toContain('canary');
  expect(await planIn(out)).toContain('No changes.');
  expect(requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
  expect(filesIn(folder)).toHaveProperty('trueup.yaml');
});

test('needs no value of a secret for the plan after it', async () => {
  const { run } = await place(sections, { secrets });
  const out = newFolder();
  await run(exportCommand({ out }));
  expect(Object.keys(filesIn(out))).not.toContain('secrets.env');
  expect(await planIn(out)).toContain(noChanges);
});

test('git ignores the copy of secrets.env.example, in which people write their secrets', async () => {
  const { run } = await place(sections, { secrets });
  const out = newFolder();
  await run(exportCommand({ out }));
  const files = filesIn(out);
  expect(files['secrets.env.example']).toContain('copy this file to secrets.env');
  expect(files['.gitignore']).toBe('.trueup/\n/secrets.env\n');
});

test('writes the same bytes each time', async () => {
  const { run } = await place(sections, { secrets });
  const [one, two] = [newFolder(), newFolder()];
  await run(exportCommand({ out: one }));
  await run(exportCommand({ out: two }));
  expect(filesIn(one)).toEqual(filesIn(two));
});

test('replaces no file without --force, and writes nothing then', async () => {
  const { run } = await place(sections, { secrets });
  const out = newFolder();
  writeFileSync(join(out, 'organization.yaml'), '# mine\n');
  const refused = await run(exportCommand({ out }));
  expect(refused.exit).toBe('stopped');
  expect(refused.err).toContain('[file-unwritable]');
  expect(filesIn(out)).toEqual({ 'organization.yaml': '# mine\n' });
  expect((await run(exportCommand({ out, force: true }))).exit).toBe('done');
  expect(filesIn(out)['organization.yaml']).toContain('sshKeys:');
});

test('--force replaces an earlier export: the same bytes again, and what changed on the platform', async () => {
  const { emulator, idOf, run, requests } = await place(sections, { secrets });
  const out = newFolder();
  const flags = { out, withSecrets: join(out, 'secrets.env') };
  expect((await run(exportCommand(flags))).exit).toBe('done');
  const before = filesIn(out);
  expect((await run(exportCommand(flags))).err).toContain('--force replaces an earlier export');
  const again = await run(exportCommand({ ...flags, force: true }));
  expect([again.err, again.exit]).toEqual(['', 'done']);
  expect(filesIn(out)).toEqual(before);
  expect(await planIn(out)).toContain('No changes.');
  await emulator.act('compose.update', { composeId: idOf('production.compose.shop'), description: 'by hand' });
  requests();
  writeFileSync(join(out, 'environments/production.yaml'), `# mine\n${before['environments/production.yaml']}`);
  const changed = await run(exportCommand({ ...flags, force: true }));
  expect([changed.err, changed.exit]).toEqual(['', 'done']);
  expect(filesIn(out)['environments/production.yaml']).toMatch(/^(?!# mine)[^]*description: by hand/);
  expect(await planIn(out)).toContain('No changes.');
  expect(requests().filter((request) => !request.startsWith('GET'))).toEqual([]);
});

test('--force replaces nothing that it would lose', async () => {
  const { emulator, folder, idOf, run, url } = await place(sections, { secrets });
  const refused = async (flags: Parameters<typeof exportCommand>[0], why: string, at: string) => {
    const state = () => readFileSync(join(at, '.trueup/state.json'), 'utf8');
    const before = [filesIn(at), state()];
    const ran = await run(exportCommand({ ...flags, force: true }));
    expect(ran.exit).toBe('stopped');
    expect(ran.err).toContain(why);
    expect([filesIn(at), state()]).toEqual(before);
  };
  await refused({}, 'no export wrote trueup.yaml: it has blocks', folder);
  const out = newFolder();
  await run(exportCommand({ out, withSecrets: join(out, 'secrets.env') }));
  await refused({ out }, 'names sources of secrets', out);
  const flags = { out, withSecrets: join(out, 'secrets.env') };
  await refused({ ...flags, url, project: 'prj_2' }, 'is of project prj_1', out);
  writeFileSync(join(out, 'environments/mine.yaml'), 'environments: { mine: {} }\n');
  await refused(flags, 'does not have environments/mine.yaml', out);
  rmSync(join(out, 'environments/mine.yaml'));
  const production = join(out, 'environments/production.yaml');
  const exported = readFileSync(production, 'utf8');
  for (const line of [
    'createOnly: [source.composeFile]',
    'after: [postgres.main]',
    'health: { within: 90s }',
    'deploy: never',
    'allow: { unkept-data: "it is a cache" }',
    'private: [env.API_TOKEN]',
    'protect: true',
  ]) {
    writeFileSync(production, exported.replace('    shop:\n', `    shop:\n        ${line}\n`));
    const word = line.slice(0, line.indexOf(':'));
    const why = `would not have ${word} of production.compose.shop;`;
    await refused(flags, why, out);
  }
  writeFileSync(production, exported);
  const values = readFileSync(join(out, 'secrets.env'), 'utf8');
  writeFileSync(join(out, 'secrets.env'), `${values}BY_HAND=correct-horse\n`);
  await refused(flags, 'the new one would not have BY_HAND;', out);
  writeFileSync(join(out, 'secrets.env'), values);
  await emulator.act('compose.delete', { composeId: idOf('production.compose.shop'), deleteVolumes: false });
  await refused(flags, 'the state has production.compose.shop', out);
});

test('a .gitignore that is there keeps its bytes, and gets the lines that are missing', async () => {
  const { run } = await place(sections, { secrets });
  const latin = Buffer.from([0x23, 0xe4, 0x0a]);
  for (const [before, added] of [
    [Buffer.from('node_modules/\n'), '.trueup/\n/secrets.env\n'],
    [Buffer.from('*.log\n\n# mine  '), '\n.trueup/\n/secrets.env\n'],
    [Buffer.from('*.log\r\n'), '.trueup/\r\n/secrets.env\r\n'],
    [Buffer.from('# .trueup/\n .trueup/\nx/.trueup/\n.trueup/key\n'), '.trueup/\n/secrets.env\n'],
    [Buffer.from('secrets.env.example\nx/secrets.env\n# secrets.env\n'), '.trueup/\n/secrets.env\n'],
    [latin, '.trueup/\n/secrets.env\n'],
    [Buffer.from(''), '.trueup/\n/secrets.env\n'],
    ...['secrets.env', '/secrets.env', '/secrets.env\r', 'secrets.env  '].map(
      (line) => [Buffer.from(`${line}\na\n`), line.endsWith('\r') ? '.trueup/\r\n' : '.trueup/\n'] as const,
    ),
    ...['.trueup/', '.trueup', '/.trueup', '/.trueup/\r', '**/.trueup/  ', '.trueup/*\n!.trueup/state.json'].map(
      (line) => [Buffer.from(`secrets.env\n${line}\nb`), ''] as const,
    ),
  ] as const) {
    const out = newFolder();
    writeFileSync(join(out, '.gitignore'), before);
    expect((await run(exportCommand({ out }))).exit).toBe('done');
    expect(readFileSync(join(out, '.gitignore'))).toEqual(Buffer.concat([before, Buffer.from(added)]));
    execFileSync('git', ['init', '-q'], { cwd: out });
    for (const path of ['.trueup/state.journal', 'secrets.env']) {
      execFileSync('git', ['check-ignore', '-q', path], { cwd: out });
    }
  }
});

test('git ignores the file of secrets, whatever its name, and others cannot read one that was there', async () => {
  const { run } = await place(sections, { secrets });
  for (const name of ['my[1].env', '!a.env', '#a.env', 'a?*.env', 'a  ', 'a b', 'a\\b.env', 'a\nb.env']) {
    const out = newFolder();
    const file = join(out, name);
    expect((await run(exportCommand({ out, withSecrets: file }))).exit).toBe('done');
    execFileSync('git', ['init', '-q'], { cwd: out });
    execFileSync('git', ['check-ignore', '-q', file], { cwd: out });
  }
  const out = newFolder();
  const file = join(out, 'my[1].env');
  expect((await run(exportCommand({ out: newFolder(), withSecrets: file }))).exit).toBe('done');
  const before = readFileSync(file, 'utf8');
  chmodSync(file, 0o644);
  expect((await run(exportCommand({ out, withSecrets: file }))).exit).toBe('done');
  expect(readFileSync(file, 'utf8')).toBe(before);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(join(out, '.gitignore'), 'utf8')).toBe('.trueup/\n/secrets.env\n/my\\[1\\].env\n');
});

test('encrypts the secrets for a recipient of age', async () => {
  const { run } = await place(sections, { secrets });
  const out = newFolder();
  const { generateIdentity, identityToRecipient } = await import('age-encryption');
  const recipient = await identityToRecipient(await generateIdentity());
  const file = join(out, 'secrets.env.age');
  expect((await run(exportCommand({ out, withSecrets: file }))).err).toContain('needs --age-recipient');
  expect((await run(exportCommand({ out, withSecrets: file, ageRecipient: [recipient] }))).exit).toBe('done');
  expect(readFileSync(file, 'utf8')).toMatch(/^-----BEGIN AGE ENCRYPTED FILE-----/);
  expect(readFileSync(join(out, 'trueup.yaml'), 'utf8')).toContain('- age: secrets.env.age');
});

test('--force replaces no encrypted file whose values it would lose, or cannot see', async () => {
  const { folder, run } = await place(sections, { secrets });
  const out = newFolder();
  const { Encrypter, armor, generateIdentity, identityToRecipient } = await import('age-encryption');
  const identity = await generateIdentity();
  const recipient = await identityToRecipient(identity);
  const file = join(out, 'secrets.env.age');
  const flags = { out, withSecrets: file, ageRecipient: [recipient], force: true as const };
  const encrypted = async (text: string) => {
    const encrypter = new Encrypter();
    encrypter.addRecipient(recipient);
    return encrypter.encrypt(text);
  };
  for (const content of [
    await encrypted('BY_HAND=correct-horse\n'),
    armor.encode(await encrypted('BY_HAND=correct-horse\n')),
    'ENC[AES256_GCM,data:eA==,iv:eA==,tag:eA==,type:str]\n',
  ]) {
    writeFileSync(file, content);
    for (const withSecrets of [file, join(out, 'secrets.env')]) {
      rmSync(join(out, 'secrets.env'), { force: true });
      writeFileSync(withSecrets, content);
      const isAge = withSecrets === file;
      const ran = await run(exportCommand({ ...flags, withSecrets, ageRecipient: isAge ? [recipient] : [] }));
      expect(ran.exit).toBe('stopped');
      const why = content.toString().startsWith('ENC') ? 'sops' : 'age, and this run has no identity';
      expect(ran.err).toContain(
        `cannot replace ${withSecrets}: its values are ciphertext of ${why}; nothing was written`,
      );
      expect(ran.err).toContain('Move the file away');
      expect(readFileSync(withSecrets)).toEqual(Buffer.from(content));
    }
  }
  rmSync(join(out, 'secrets.env'));
  vi.stubEnv('TRUEUP_AGE_IDENTITY', identity);
  try {
    writeFileSync(file, await encrypted('BY_HAND=correct-horse\n'));
    const lost = await run(exportCommand(flags));
    expect([lost.exit, lost.err]).toEqual([
      'stopped',
      expect.stringContaining(`cannot replace ${file}: the new one would not have BY_HAND; nothing was written`),
    ]);
    expect(lost.err).not.toContain('correct-horse');
    rmSync(file);
    for (const time of ['first', 'again']) {
      const ran = await run(exportCommand(flags));
      expect([time, ran.exit, ran.err]).toEqual([time, 'done', '']);
      expect(await planIn(out)).toContain('No changes.');
    }
    const written = readFileSync(file);
    vi.stubEnv('TRUEUP_AGE_IDENTITY', await generateIdentity());
    const closed = await run(exportCommand(flags));
    expect([closed.exit, readFileSync(file)]).toEqual(['stopped', written]);
    vi.stubEnv('TRUEUP_AGE_IDENTITY', identity);
    const other = join(out, 'other.env.age');
    writeFileSync(other, written);
    if (process.getuid?.() !== 0) return;
    chmodSync(dirname(out), 0o755);
    execFileSync('chown', ['-R', '65534', folder, out]);
    chmodSync(other, 0);
    process.seteuid?.(65_534);
    const unread = run(exportCommand({ ...flags, withSecrets: other })).finally(() => process.seteuid?.(0));
    await expect(unread).rejects.toThrow(`EACCES: permission denied, open '${other}'`);
    expect(readFileSync(other)).toEqual(written);
  } finally {
    vi.stubEnv('TRUEUP_AGE_IDENTITY', undefined);
  }
});

test('a pipe in the place of the file of the secrets is not waited for', async () => {
  const { run } = await place(sections, { secrets });
  const out = newFolder();
  const pipe = join(out, 'secrets.env');
  execFileSync('mkfifo', [pipe]);
  const ran = await run(exportCommand({ out, withSecrets: pipe, force: true }));
  expect([ran.exit, ran.err]).toEqual(['stopped', expect.stringContaining(pipe)]);
});

test('a folder in the place of the file of the secrets is named', async () => {
  const { run } = await place(sections, { secrets });
  const out = newFolder();
  const ran = await run(exportCommand({ out, withSecrets: out, force: true }));
  expect([ran.exit, ran.err]).toEqual([
    'stopped',
    expect.stringContaining(`cannot write ${out}: EISDIR: it is a folder`),
  ]);
});

test('adds what a manifest does not manage beside it, and touches nothing of what is there', async () => {
  const { emulator, folder, run } = await place(sections, { secrets });
  const act = (operation: string, input: Record<string, unknown>) => emulator.act(operation, input);
  const made = (await act('redis.create', {
    name: 'cache',
    environmentId: 'env_prj_1',
    databasePassword: 'canary-cache',
    dockerImage: 'redis:8',
  })) as { redisId: string };
  const before = filesIn(folder);
  expect((await run(exportCommand({}))).err).toContain('there is a manifest with resources');
  const ran = await run(exportCommand({ unmanaged: true }));
  expect([ran.err, ran.exit]).toEqual(['', 'done']);
  const after = filesIn(folder);
  const { 'trueup.yaml': root = '', ...rest } = before;
  expect(after).toMatchObject(rest);
  expect(after['trueup.yaml']).toBe(`${root}include:\n  - unmanaged.yaml\n`);
  expect(after['unmanaged.yaml']).toContain('cache:');
  expect(after['unmanaged.secrets.env.example']).toContain('secrets: [{ file: unmanaged.secrets.env }]');
  expect(after['.gitignore']).toBe('.trueup/\n/secrets.env\n/unmanaged.secrets.env\n');
  expect(JSON.stringify(after)).not.toContain('canary');
  const state = JSON.parse(readFileSync(join(folder, '.trueup/state.json'), 'utf8')) as {
    resources: Record<string, { id: string }>;
  };
  expect(state.resources['production.redis.cache']?.id).toBe(made.redisId);
  const again = await run(exportCommand({ unmanaged: true }));
  expect(again.out).toContain('is managed already');
  expect(filesIn(folder)).toEqual(after);
});

test('refers to the project of a block, and leaves out ids of other projects', async () => {
  const world = worldWithMember();
  const server = await serve(createEmulator({ apiKey, profile: 'dokploy', world }));
  try {
    const start = `trueup: 1\nplatform: { url: "${server.url}" }\nproject: { name: shop }\nenvironments: { production: {} }\n`;
    const folder = project({ 'trueup.yaml': start });
    const env = { TRUEUP_API_KEY: apiKey };
    const applied = await trueup(['apply', '-C', folder, '--auto-approve', '--adopt'], { env });
    expect(applied.code).toBe(0);
    const { projectId } = Object.values(world.tables.project).find(({ name }) => name === 'shop') ?? {};
    Object.assign(world.tables.member['member_9'] ?? {}, { accessedProjects: ['prj_1', projectId] });
    const exported = await trueup(['export', '-C', folder, '--unmanaged'], { env });
    expect(exported.code).toBe(0);
    const text = readFileSync(join(folder, 'unmanaged.yaml'), 'utf8');
    expect(text).toContain('accessedProjects:\n      - ${ref:project.id}\n');
    expect(text).not.toContain('prj_1');
    expect(exported.out).toContain('accessedProjects: ids that have no block here are not written, and stay (1)');
    expect((await trueup(['plan', '-C', folder], { env })).out).toContain(noChanges);
  } finally {
    await server.close();
  }
});

test('adds one object to the file where the blocks beside it stand', async () => {
  const { emulator, folder, run, url } = await place(sections, { secrets });
  const commented = `# ours\ntrueup: 1\nplatform: { url: "${url}" } # here\nproject: prj_1\n${sections}# the end\n`;
  writeFileSync(join(folder, 'trueup.yaml'), commented);
  const composeId = Object.keys(emulator.world.tables.compose)[0];
  await emulator.act('domain.create', {
    host: 'www.example.com',
    composeId,
    serviceName: 'web',
    domainType: 'compose',
    port: 8080,
  });
  await emulator.act('compose.create', {
    name: 'wiki',
    environmentId: 'env_prj_1',
    sourceType: 'raw',
    composeFile: 'services:\n  web:\n    image: wiki\n',
  });
  const wiki = await run(exportCommand({ address: 'production.compose["wiki"]' }));
  expect([wiki.err, wiki.exit]).toEqual(['', 'done']);
  const text = readFileSync(join(folder, 'trueup.yaml'), 'utf8');
  const block =
    '      wiki:\n        source:\n          type: raw\n          composeFile: |\n            services:\n              web:\n                image: wiki\n' +
    '        composePath: ./docker-compose.yml\n        composeType: docker-compose\n        autoDeploy: true\n' +
    '        createEnvFile: true\n        enableSubmodules: false\n        randomize: false\n' +
    '        isolatedDeployment: false\n        isolatedDeploymentsVolume: false\n        triggerType: push\n' +
    '        unset: [description, env, command, suffix, watchPaths, icon, serviceNetworks]\n';
  expect(text).toBe(commented.replace('# the end\n', `${block}# the end\n`));
  const refused = await run(exportCommand({ address: 'production.compose.shop.domains["www.example.com"]' }));
  expect(refused.err).toContain('it is not written with one key per line');
  expect(readFileSync(join(folder, 'trueup.yaml'), 'utf8')).toBe(text);
});

test('names the secrets of one object after it, in a file of its own, also beside one that is nearly alike', async () => {
  const { emulator, folder, run } = await place(sections, { secrets });
  const databasePassword = 'canary-of-two-4711';
  for (const name of ['a b', 'a-b'])
    await emulator.act('redis.create', { name, environmentId: 'env_prj_1', databasePassword });
  for (const address of ['production.redis.a-b', 'production.redis["a b"]'])
    expect(await run(exportCommand({ address }))).toMatchObject({ exit: 'done', err: '' });
  const files = filesIn(folder);
  expect(files['production-redis-a-b.secrets.env.example']).toContain('# production.redis.a-b: databasePassword\n');
  expect(files['production-redis-a-b-2.secrets.env.example']).toContain(
    '# production.redis["a b"]: databasePassword\nPRODUCTION_A_B_DATABASE_PASSWORD_2=\n',
  );
});

test('names a secret after the object that is exported, and not after another one with the same value', async () => {
  const { emulator, folder, run } = await place(sections, { secrets });
  for (const name of ['first', 'second'])
    await emulator.act('redis.create', { name, environmentId: 'env_prj_1', databasePassword: 'canary-of-two-4711' });
  expect(await run(exportCommand({ address: 'production.redis.second' }))).toMatchObject({ exit: 'done' });
  const text = readFileSync(join(folder, 'trueup.yaml'), 'utf8');
  expect(text).toContain('databasePassword: ${secret:PRODUCTION_SECOND_DATABASE_PASSWORD}\n');
});

test('prints one document with --format json', async () => {
  const { run } = await place(sections, { secrets });
  const out = newFolder();
  const ran = await run(exportCommand({ out }), { format: 'json' });
  const document = exportDocument.parse(JSON.parse(ran.out));
  expect(document.resources).toContainEqual({ address: 'production.postgres.main', kind: 'postgres' });
  expect(document.secrets.map(({ name }) => name)).toContain('PRODUCTION_MAIN_DATABASE_PASSWORD');
  expect(apiKey).not.toBe('');
});

test('adds a leaf below a service that the manifest declares, and names what there is for a wrong address', async () => {
  const { emulator, folder, run } = await place(sections, { secrets });
  const text = readFileSync(join(folder, 'trueup.yaml'), 'utf8');
  const composeId = Object.keys(emulator.world.tables.compose)[0];
  await emulator.act('mounts.create', {
    type: 'file',
    filePath: 'web.conf',
    mountPath: 'web.conf',
    content: 'a = 1\n'.repeat(40),
    serviceType: 'compose',
    serviceId: composeId,
  });
  const listed = await run(exportCommand({ unmanaged: true, out: folder }));
  expect(listed.out).toContain(`trueup export --address 'production.compose.shop.files["web.conf"]' adds it there`);
  writeFileSync(join(folder, 'trueup.yaml'), text);
  const wrong = await run(exportCommand({ address: 'production.compose.shop.files["wep.conf"]' }));
  expect(wrong.err).toContain('Did you mean production.compose.shop.files["web.conf"]?');
  const ran = await run(exportCommand({ address: 'production.compose.shop.files["web.conf"]' }));
  expect([ran.err, ran.exit]).toEqual(['', 'done']);
  const after = readFileSync(join(folder, 'trueup.yaml'), 'utf8');
  const added = '        files:\n          web.conf:\n            content: ${file:trueup/production/shop/web.conf}\n';
  expect(after.replace(added, '')).toBe(text);
  expect(readFileSync(join(folder, 'trueup/production/shop/web.conf'), 'utf8')).toBe('a = 1\n'.repeat(40));
});

test.skipIf(spawnSync('git', ['--version']).status !== 0)('says how git gets the files that a plan reads', async () => {
  const { emulator, folder, run } = await place(sections, { secrets });
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
  git('init');
  git('add', 'trueup.yaml');
  const made = await emulator.act('environment.create', { name: 'staging', projectId: 'prj_1' });
  const { environmentId } = made as { readonly environmentId: string };
  const blog = { name: 'blog', environmentId, composeType: 'docker-compose' } as const;
  const { composeId } = (await emulator.act('compose.create', blog)) as { readonly composeId: string };
  const composeFile = `services:\n${Array.from({ length: 40 }, (_, n) => `  web-${n}:\n    image: nginx\n`).join('')}`;
  await emulator.act('compose.update', { composeId, sourceType: 'raw', composeFile });
  const ran = await run(exportCommand({ unmanaged: true }));
  expect([ran.err, ran.exit]).toEqual(['', 'done']);
  const [, command = ''] =
    /^Nothing changed on the platform\. (git .*) lets plans read the new files\. Then trueup plan/m.exec(ran.out) ?? [];
  const [, ...paths] = command.split(' add ');
  expect(command).toBe(`git -C ${folder} add ${paths.join('')}`);
  expect((await run(planCommand({}))).err).toContain('is not tracked by git');
  execFileSync('sh', ['-c', command]);
  expect(await planIn(folder)).toContain(noChanges);
});

test('leaves no folder and no lock behind after a refusal, and what was there as it was', async () => {
  const { run, url } = await place(sections, { secrets });
  const around = newFolder();
  const out = join(around, 'new');
  expect((await run(exportCommand({ out, url, project: 'prj_none' }))).exit).not.toBe('done');
  expect(readdirSync(around)).toEqual([]);
  const other = newFolder();
  writeFileSync(join(other, 'organization.yaml'), '# mine\n');
  expect((await run(exportCommand({ out: other }))).exit).toBe('stopped');
  expect(readdirSync(other)).toEqual(['organization.yaml']);
  expect((await run(exportCommand({ out: other, force: true }))).exit).toBe('done');
  expect(await planIn(other)).toContain(noChanges);
});

test('says that a plan is empty only where nothing else of the manifest was changed', async () => {
  const { emulator, folder, rewrite, run } = await place(sections, { secrets });
  await emulator.act('environment.create', { name: 'staging', projectId: 'prj_1' });
  rewrite(sections.replace('REGION: eu', 'REGION: us'));
  const ran = await run(exportCommand({ unmanaged: true }));
  expect(ran.exit).toBe('done');
  expect(ran.out).toContain(
    'trueup plan shows no changes of these; it still shows those that the manifest had before.',
  );
  expect(await planIn(folder)).toContain('env.REGION: eu -> us');
  await emulator.act('environment.create', { name: 'testing', projectId: 'prj_1' });
  rewrite(`include: [unmanaged.yaml]\n${sections}`);
  expect((await run(exportCommand({ unmanaged: true }))).out).toContain('trueup plan shows no changes now.');
  expect(await planIn(folder)).toContain(noChanges);
});

test('--address of what only the state has says how to remove it from there', async () => {
  const { rewrite, run } = await place(sections, { secrets });
  rewrite(sections.replace(/ {4}postgres:\n.*\n/, '').replace('${ref:postgres.main.host}', 'x'));
  const ran = await run(exportCommand({ address: 'production.postgres.main' }));
  expect(ran.exit).toBe('stopped');
  expect(ran.err).toMatch(/-> Check that .+state\.json is the state of this manifest\./);
  expect(ran.err).toContain("Then trueup state rm 'production.postgres.main' removes it there.");
});

test('gives environments whose names differ by .yaml files and folders of their own', async () => {
  const services = Array.from({ length: 12 }, (_, at) => `  s${at}:\\n    image: nginx\\n`).join('');
  const stack = `compose: { shop: { source: { type: raw, composeFile: "services:\\n${services}" } } }`;
  const { run } = await place(`environments:\n  x: { ${stack} }\n  x.yaml: { ${stack} }\n`);
  const out = newFolder();
  expect(await run(exportCommand({ out }))).toMatchObject({ exit: 'done', err: '' });
  const files = Object.keys(filesIn(out)).filter((path) => path.startsWith('environments/x'));
  expect(files).toEqual([
    'environments/x-yaml.yaml',
    'environments/x-yaml/shop/docker-compose.yml',
    'environments/x.yaml',
    'environments/x/shop/docker-compose.yml',
  ]);
  expect(await planIn(out)).toContain(noChanges);
});

test('a secret that the manifest names keeps its name where the value is the same, and gets no second list', async () => {
  const name = 'PRODUCTION_MAIN_DATABASE_PASSWORD';
  const uses = `environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services:\\n  web:\\n    image: nginx\\n" }
        env: { PASSWORD: "\${secret:${name}}" }
`;
  const block = `    postgres:
      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: "\${secret:${name}}" }
`;
  for (const [value, named, lists] of [
    [secrets.PW, name, 0],
    ['another-value-1', `${name}_2`, 1],
  ] as const) {
    const made = await place(uses + block, { secrets: { [name]: secrets.PW } });
    made.rewrite(uses);
    await made.rewriteState((all) =>
      Object.fromEntries(Object.entries(all).filter(([address]) => address !== 'production.postgres.main')),
    );
    vi.stubEnv(`TRUEUP_SECRET_${name}`, value);
    const ran = await made.run(exportCommand({ address: 'production.postgres.main' }));
    expect([ran.exit, ran.err]).toEqual(['done', '']);
    const files = filesIn(made.folder);
    expect(files['trueup.yaml']).toContain(`databasePassword: \${secret:${named}}`);
    expect(Object.keys(files).filter((path) => path.endsWith('.example'))).toHaveLength(lists);
    if (value === secrets.PW) expect(await planIn(made.folder)).toContain('No changes.');
    vi.stubEnv(`TRUEUP_SECRET_${name}`, undefined);
  }
});

describe('of a platform whose API document cannot be read', () => {
  const document = /^\/api\/settings\.getOpenApiDocument/;
  const unread = <T extends Pick<Emulator, 'send'>>(emulator: T): T => ({
    ...emulator,
    send: async (request: Parameters<T['send']>[0]) =>
      document.test(request.path)
        ? { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }
        : emulator.send(request),
  });
  const message = 'gave no OpenAPI document that can be read: Trueup uses no operation beyond the API document';

  test('says so, as text, as JSON and where it finds nothing', async () => {
    const { run, url, folder } = await place(sections, { secrets, published: true, around: unread });
    const text = await run(exportCommand({ out: newFolder() }));
    expect(text.exit).toBe('done');
    expect(text.err).toContain(message);
    const json = await run(exportCommand({ out: newFolder() }), { format: 'json' });
    expect(json.exit).toBe('done');
    expect(exportDocument.parse(JSON.parse(json.out)).diagnostics).toContainEqual(
      expect.objectContaining({ code: 'no-capabilities', message: expect.stringContaining(message) as string }),
    );
    const out = newFolder();
    writeFileSync(join(out, 'trueup.yaml'), `trueup: 1\nplatform: { url: "${url}" }\nproject: prj_1\n`);
    const nothing = await run(exportCommand({ out, address: 'production.application.web' }));
    expect(nothing.err).toContain(`[no-capabilities]`);
    expect(nothing.err).toContain('the platform has nothing at production.application.web');
    expect(await planIn(folder)).toContain('No changes');
  });

  test('init says so where it exports nothing', async () => {
    const { url } = await place(sections, { secrets, published: true, around: unread });
    const folder = newFolder();
    const ran = await trueup(
      ['init', '-C', folder, '--url', url, '--project', 'prj_1', '--no-export', '--format', 'json'],
      { env: { TRUEUP_API_KEY: apiKey } },
    );
    expect(ran.code).toBe(0);
    expect(exportDocument.parse(JSON.parse(ran.out)).diagnostics).toMatchObject([{ code: 'no-capabilities' }]);
  });
});

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ciphertextIn } from '../../src/secrets/ciphertext.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { kinds } from '../../src/resources/index.ts';
import { validate } from '../../src/workflow/validate.ts';
import { head } from '../support/world.ts';

/** What a tool has encrypted is never taken for the value of an env, of a secret field or of a compose file. */

const sops = 'ENC[AES256_GCM,data:Tr7o,iv:1,tag:2,type:str]';
const dotenvx = `encrypted:${'B'.repeat(140)}=`;
const app = (more: string) => `application:\n      shop: { source: { type: docker, image: nginx }, ${more} }\n`;

/** The errors of a manifest with one service. */
async function refused(service: string, files: Readonly<Record<string, string>> = {}): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-ciphertext-'));
  const all = { 'trueup.yaml': `${head}environments:\n  production:\n    ${service}`, ...files };
  for (const [name, text] of Object.entries(all)) writeFileSync(join(folder, name), text);
  const nothing = () => undefined;
  const workspace = await openWorkspace(folder);
  const about = { workspace, file: 'trueup.yaml', kinds, env: nothing, secret: nothing, given: nothing };
  try {
    await validate({ ...about, addSecret: nothing });
    return [];
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    return error.diagnostics.map(({ code, message, remedy, position: at }) => {
      expect(`${message}${remedy ?? ''}`).not.toContain('Tr7o');
      return `${at?.file}:${at?.line} ${code}: ${message} -> ${remedy ?? ''}`;
    });
  }
}

test.each([
  [
    'sops',
    `A=1\nDB_PASSWORD=${sops}\nsops_mac=1\n`,
    2,
    'Write { sops: x.env } under secrets:. Then write ${secret:NAME}.',
  ],
  ['dotenvx', `A=1\nB="${dotenvx}"\n`, 2, 'Write { dotenvx: x.env } under secrets:. Then write ${secret:NAME}.'],
  [
    'ansible-vault',
    '$ANSIBLE_VAULT;1.1;AES256\n3132\n',
    1,
    'Write { command: [ansible-vault, view, x.env], prints: env } under secrets:.',
  ],
])('an env that is a file of %s', async (tool, text, line, remedy) => {
  const [found, ...others] = await refused(app('env: "${file:x.env}"'), { 'x.env': text });
  expect(others).toEqual([]);
  expect(found).toContain(`x.env:${line} ciphertext: env holds ciphertext of ${tool}, which`);
  expect(found).toContain(remedy);
});

test('a value of a sealed file, without its name', async () => {
  const sealed = `age:${Buffer.from('age-encryption.org/v1\n-> X25519 x').toString('base64')}`;
  expect(await refused(app(`env: { A: "1", DB_PASSWORD: "${sealed}" }`))).toEqual([
    expect.stringContaining('ciphertext: env.DB_PASSWORD holds ciphertext of sealed'),
  ]);
});

test('50,000 empty lines take no time', () => {
  const began = performance.now();
  for (const word of ['x ANSIBLE_VAULT;', 'x BEGIN PGP', 'x age:YWdl', 'x encrypted:'])
    expect(ciphertextIn(`${'\n'.repeat(50_000)}:${' '.repeat(50_000)}${word}`)).toBeUndefined();
  expect(performance.now() - began).toBeLessThan(5_000);
});

test('values in the manifest, at their lines', async () => {
  expect(await refused(app(`env: { A: "1", DB_PASSWORD: "${sops}" }`))).toEqual([
    expect.stringMatching(
      /^trueup\.yaml:\d+ ciphertext: env\.DB_PASSWORD holds ciphertext of sops.* -> Write \$\{secret:NAME\}/,
    ),
  ]);
  const text = `application:\n      shop:\n        source: { type: docker, image: nginx }\n        env: |\n          A=1\n          B=${dotenvx}\n`;
  const lines = `${head}environments:\n  production:\n    ${text}`.split('\n');
  const line = lines.findIndex((one) => one.includes('encrypted:')) + 1;
  expect(await refused(text)).toEqual([
    expect.stringMatching(new RegExp(`^trueup\\.yaml:${line} ciphertext: env holds`)),
  ]);
  const database = `postgres:\n      db: { dockerImage: postgres, databaseName: a, databaseUser: a, databasePassword: "${sops}" }\n`;
  expect(await refused(database)).toEqual([
    expect.stringMatching(/ciphertext: databasePassword holds ciphertext of sops/),
  ]);
  const compose = 'compose:\n      shop: { source: { type: raw, composeFile: "${file:c.yml}" } }\n';
  const files = { 'c.yml': `services:\n  web: { image: nginx, environment: { A: "${sops}" } }\n` };
  expect(await refused(compose, files)).toEqual([
    expect.stringMatching(/^c\.yml:2 ciphertext: source\.composeFile holds ciphertext of sops/),
  ]);
});

test('an application that decrypts its own files may have them', async () => {
  const key = `env: { DOTENV_PRIVATE_KEY: "\${secret:KEY}", A: "${dotenvx}" }`;
  expect(await refused(app(key))).toEqual([]);
  const text = `env: "DOTENV_PRIVATE_KEY_PRODUCTION=\${secret:KEY}\\nA=${dotenvx}\\n"`;
  expect(await refused(app(text))).toEqual([]);
  const mount = 'mounts: { s: { type: file, filePath: s.yaml, mountPath: /s.yaml, content: "${file:s.yaml}" } }';
  expect(await refused(app(mount), { 's.yaml': `A: ${sops}\nsops: {}\n` })).toEqual([]);
  expect(await refused(app('env: { A: "encrypted: yes", B: ENC_KEY, C: "encrypted:short" }'))).toEqual([]);
});

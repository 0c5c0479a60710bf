import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { credentialGlobs, credentialRule } from '../../src/manifest/private-names.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import { project, trueup } from '../cli/process.ts';

/** A manifest that was pulled names files that only this machine has. */

const hasGit = spawnSync('git', ['--version']).status === 0;

const reading = (...paths: readonly string[]) =>
  `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: { description: "${paths
    .map((path) => `\${file:${path}}`)
    .join('')}" } }\n`;

function git(folder: string, ...args: readonly string[]): void {
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
    cwd: folder,
    stdio: 'ignore',
  });
}

function write(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
}

/** A repository that tracks a manifest, `kept.txt` and links, and has files that it does not track. */
function repository(manifest: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = project({ 'trueup.yaml': manifest, 'kept.txt': 'kept' });
  git(folder, 'init');
  write(folder, { '.gitignore': 'ignored.txt\nbuild/\n' });
  symlinkSync('new.txt', join(folder, 'link'));
  symlinkSync('kept.txt', join(folder, 'link-to-kept'));
  git(folder, 'add', '--all');
  write(folder, {
    'new.txt': 'canary',
    'a b.txt': 'canary',
    'sub/new.txt': 'canary',
    'ignored.txt': 'canary',
    ...files,
  });
  return folder;
}

const validate = (folder: string, env: Record<string, string> = {}) => trueup(['validate', '-C', folder], { env });

/** Files of credentials that programs leave, as their documentation names them. */
const wellKnown: readonly string[] = [
  '.netrc',
  '_netrc',
  '.my.cnf',
  '.mylogin.cnf',
  '.pgpass',
  'pgpass.conf',
  '.curlrc',
  '.wgetrc',
  '.boto',
  '.s3cfg',
  '.passwd-s3fs',
  'rclone.conf',
  '.config/rclone/rclone.conf',
  '.msmtprc',
  '.authinfo',
  '.htpasswd',
  'htpasswd',
  '.envrc',
  'secrets.env',
  'shop.secrets.env',
  '.dev.vars',
  'terraform.tfstate',
  'terraform.tfstate.backup',
  'prod.tfvars',
  'prod.auto.tfvars.json',
  '.terraformrc',
  'credentials.tfrc.json',
  '.vault-token',
  '.vault_pass',
  'vault_pass.txt',
  'vault-password.txt',
  'kubeconfig',
  'kubeconfig.yaml',
  'prod.kubeconfig',
  'k3s.yaml',
  '.kube/config',
  '.docker/config.json',
  '.dockercfg',
  '.dockerconfigjson',
  '.config/containers/auth.json',
  'auth.json',
  '.npmrc',
  '.cargo/credentials.toml',
  '.gem/credentials',
  '.bundle/config',
  '.m2/settings.xml',
  'settings-security.xml',
  '.gradle/gradle.properties',
  'pip.conf',
  'NuGet.Config',
  'service-account.json',
  'service_account_key.json',
  'shop-service-account.json',
  'shop-firebase-adminsdk-x1.json',
  'application_default_credentials.json',
  'client_secret.json',
  'client_secret_1.apps.googleusercontent.com.json',
  'credentials',
  'credentials.json',
  'aws-credentials.csv',
  'rootkey.csv',
  'shop_accessKeys.csv',
  '.aws/config',
  '.oci/config',
  '.config/gh/hosts.yml',
  '.config/glab-cli/config.yml',
  '.config/doctl/config.yaml',
  '.config/hcloud/cli.toml',
  '.config/sops/age/keys.txt',
  '.pulumi/credentials.json',
  '.fly/config.yml',
  'ngrok.yml',
  '.cloudflared/x.json',
  '.sentryclirc',
  '.kaggle/kaggle.json',
  '.databrickscfg',
  '.snowsql/config',
  'secrets.yml',
  'secrets.yaml',
  'secrets.json',
  'secret.toml',
  'secrets.properties',
  '.secrets',
  'chap-secrets',
  'ipsec.secrets',
  'wp-config.php',
  'LocalSettings.php',
  'local.settings.json',
  'acme.json',
  'userlist.txt',
  'passwords.txt',
  'password',
  'sasl_passwd',
  'shadow',
  'smb.credentials',
  '.smbcredentials',
  'wg0.conf',
  'client.ovpn',
  'wpa_supplicant.conf',
  'krb5.keytab',
  'release.jks',
  'upload.keystore',
  'vault.kdbx',
  'deploy.ppk',
  'AuthKey_1.p8',
  'secring.gpg',
  '.password-store/shop.gpg',
  'sftp-config.json',
  '.vscode/sftp.json',
  'recentservers.xml',
  'sitemanager.xml',
  'dataSources.local.xml',
  '.bash_history',
  '.mysql_history',
  'wallet.dat',
  'token.json',
  '.github-token',
  'gcloud/legacy_credentials/a@example.com/adc.json',
  '.local/share/keyrings/login.keyring',
  '.flaskenv',
  '.age/key.txt',
  'sops-keys.txt',
  '.pki/nssdb/key4.db',
  'firefox/logins.json',
  'cookies.sqlite',
  '.docker/config.json.bak',
  'gcp-key.json',
  'gcp_key.json',
  '.netrc.bak',
  '.vault-pass.txt',
  '.doppler.yaml',
  '.op/config',
  '.heroku/netrc',
  '.circleci/cli.yml',
  '.jupyter/jupyter_server_config.json',
  'backup.kdb',
  '.subversion/auth/svn.simple/a',
  '.purple/accounts.xml',
  '.muttrc',
  '.offlineimaprc',
  '.irssi/config',
  '.minio/certs/x',
  '.mc/config.json',
  '.lftprc',
  '.influxdbv2/configs',
  '.mongorc.js',
  'odbc.ini',
  '.config/nomad/x',
  '.config/openstack/clouds.yaml',
  'clouds.yaml',
  'exports.openrc.sh',
  'admin-openrc.sh',
  'tnsnames.wallet/ewallet.sso',
  'cwallet.sso',
];

/** Names that no rule has, of files that many projects keep credentials in as well. */
const unknownNames: readonly string[] = [
  'config.php',
  'settings.py',
  'keys.txt',
  'prod.yml',
  'notes',
  'dump.sql',
  'x.bak',
];

describe('B4: a file by whose name it may hold credentials', () => {
  it('B4: is not read, in a repository or outside of one, nor with a pattern of TRUEUP_FILE_ALLOW', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-names-'));
    write(folder, Object.fromEntries(wellKnown.map((path) => [`x/${path}`, 'canary'])));
    const paths = wellKnown.map((path) => `x/${path}`);
    for (const options of [{}, { fileLimit: { allowed: ['*', 'x/*'] } }]) {
      const files = await (await openWorkspace(folder, options)).readAll(paths, 100);
      const read = paths.filter((path) => !('isPrivate' in (files.get(path) ?? {})));
      expect(read).toEqual([]);
    }
  });

  it.each(['service-account', '.env/', 'a'])('B4: in time in proportion to its name: %s', (piece) => {
    expect(credentialRule(piece.repeat(200_000))?.glob).toBe(piece === '.env/' ? '.env' : undefined);
  });

  it.each(['.git/config', '.trueup/key', '.trueup/state.json'])('B4: is never read: %s', async (path) => {
    const folder = mkdtempSync(join(tmpdir(), 'trueup-names-'));
    write(folder, { [path]: 'canary' });
    const workspace = await openWorkspace(folder, { fileLimit: { allowed: [path, '*'] } });
    const problem = { problem: expect.stringContaining('may hold credentials') as string };
    expect((await workspace.readAll([path], 100)).get(path)).toMatchObject(problem);
  });

  it.skipIf(!hasGit)('B4: is read when TRUEUP_FILE_ALLOW names it, also where git tracks it', async () => {
    const folder = repository(reading('tls/shop.key'), { 'tls/shop.key': 'shop' });
    git(folder, 'add', 'tls/shop.key');
    const run = await validate(folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('tls/shop.key may hold credentials (rule: *.key)');
    expect(run.err).toContain('or set TRUEUP_FILE_ALLOW=tls/shop.key');
    expect((await validate(folder, { TRUEUP_FILE_ALLOW: 'x,tls/shop.key' })).code).toBe(0);
    expect((await validate(folder, { TRUEUP_FILE_ALLOW: 'x,tls/*' })).err).toContain(
      "TRUEUP_FILE_ALLOW='x,tls/*,tls/shop.key'",
    );
  });

  it.skipIf(!hasGit).each(['userlist.txt', 'wp-config.php', '.htpasswd'])(
    'B4: is read where git tracks it and its name proves nothing: %s',
    async (path) => {
      const folder = repository(reading(path), { [path]: 'shop' });
      expect((await validate(folder)).err).toContain(`TRUEUP_FILE_ALLOW=${path}`);
      git(folder, 'add', path);
      expect((await validate(folder)).code).toBe(0);
    },
  );

  it('B4: has its rule in the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/secrets.md'), 'utf8');
    expect(credentialGlobs.filter((glob) => !page.includes(`\`${glob}\``))).toEqual([]);
  });
});

describe.skipIf(!hasGit)('B4: in a repository, ${file:} reads what git tracks', () => {
  it.each(['kept.txt', './sub/../kept.txt', 'link-to-kept'])('B4: %s', async (path) => {
    expect(await validate(repository(reading(path)))).toMatchObject({ code: 0 });
  });

  it('B4: also where it was changed since', async () => {
    expect((await validate(repository(reading('kept.txt'), { 'kept.txt': 'changed' }))).code).toBe(0);
  });

  it.each([
    ['new.txt', 'new.txt', 'new.txt'],
    ['sub/new.txt', 'sub/new.txt', 'sub/new.txt'],
    ['./sub/../new.txt', 'new.txt', 'new.txt'],
    ['link', 'link leads to new.txt, which', 'new.txt'],
    ['ignored.txt', 'ignored.txt', 'ignored.txt'],
    ['a b.txt', 'a b.txt', "'a b.txt'"],
  ])('B4: not %s, and says how to add it', async (path, name, word) => {
    const folder = repository(reading(path));
    const run = await validate(folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain(`error[private-source] trueup.yaml:4`);
    expect(run.err).toContain(`${name} is not tracked by git`);
    expect(run.err).toContain(`git -C ${folder} add ${word}`);
    expect(run.err).toContain(`TRUEUP_FILE_ALLOW=${word}`);
    expect(run.err).not.toContain('canary');
  });

  it('B4: names one command for all files', async () => {
    const folder = repository(reading('sub/new.txt', 'kept.txt', 'new.txt'));
    const run = await validate(folder);
    expect(run.err).toContain(`git -C ${folder} add new.txt sub/new.txt`);
    git(folder, 'add', 'new.txt', 'sub/new.txt');
    expect((await validate(folder)).code).toBe(0);
  });

  it('B4: nor any file of credentials under a name that no rule has', async () => {
    const paths = [...unknownNames, ...wellKnown];
    const folder = repository(reading(), Object.fromEntries(paths.map((path) => [path, 'canary'])));
    const files = await (await openWorkspace(folder)).readAll(paths, 100);
    expect(paths.filter((path) => !('isPrivate' in (files.get(path) ?? {})))).toEqual([]);
  });

  it.each(['new.txt', 'x, new.*', '*'])('B4: and what TRUEUP_FILE_ALLOW names: %s', async (allow) => {
    expect((await validate(repository(reading('new.txt')), { TRUEUP_FILE_ALLOW: allow })).code).toBe(0);
  });

  it('B4: nor a file of another repository inside of it', async () => {
    const folder = repository(reading('other/a.txt'));
    write(folder, { 'other/a.txt': 'canary' });
    git(join(folder, 'other'), 'init');
    git(join(folder, 'other'), 'add', 'a.txt');
    expect((await validate(folder)).err).toContain('other/a.txt is not tracked by git');
  });

  it('B4: nor anything where its index cannot be read', async () => {
    const folder = repository(reading('kept.txt'));
    git(folder, 'update-index', '--split-index');
    const run = await validate(folder);
    expect(run).toMatchObject({ code: 3, out: '' });
    expect(run.err).toContain('cannot read the index of git, which says whether it tracks kept.txt');
    expect(run.err).toContain('git update-index --no-split-index');
  });

  it('B4: and runs no program for that', async () => {
    const folder = repository(reading('kept.txt', 'new.txt'));
    expect((await validate(folder, { PATH: '/nowhere' })).err).toContain('new.txt is not tracked by git');
  });

  it('B4: reads any where git tracks nothing in the folder of the manifest: it is new', async () => {
    const folder = repository('', { 'infra/trueup.yaml': reading('a.txt'), 'infra/a.txt': 'text' });
    expect((await validate(join(folder, 'infra'))).code).toBe(0);
    git(folder, 'add', 'infra/trueup.yaml');
    const run = await validate(join(folder, 'infra'));
    expect(run.err).toContain('a.txt is not tracked by git');
    const empty = project({ 'trueup.yaml': reading('a.txt'), 'a.txt': 'text' });
    git(empty, 'init');
    expect((await validate(empty)).code).toBe(0);
  });

  it('B4: includes blocks of one developer', async () => {
    const folder = repository(`${reading('kept.txt')}include: [new.yaml]\n`, { 'new.yaml': 'variables: {}\n' });
    expect((await validate(folder)).code).toBe(0);
  });
});

import { globMatcher } from '../formats/glob.ts';

/** The folders of git and of Trueup: no setting lets a manifest read them. */
const ownFolders: readonly string[] = [
  // .git/config has the token that a checkout in a pipeline leaves, and addresses with passwords.
  '.git',
  '.trueup',
];

/** Files that hold credentials by their name alone: also one that git tracks is read only where its path is allowed. */
const certain: readonly string[] = namesIn(`
  .env .env.* .npmrc .yarnrc* .pypirc .netrc .pgpass .git-credentials .ssh .gnupg .aws .azure .config/gcloud .kube
  .docker/config.json id_rsa* id_ed25519* id_ecdsa* id_dsa* *.pem *.key *.p12 *.pfx
`);

/** Files in which programs keep credentials, by the names that they give them: one is read where git tracks it. */
const usual: readonly string[] = namesIn(`
  .envrc .dev.vars *.secrets.env .secrets secret.* secrets.* *-secrets *.secrets credentials credentials.*
  *credentials.json *credentials.csv *.credentials password password.txt passwords.txt .token .*-token token.json
  tokens.json pip.conf pip.ini .cargo .gem .bundle .composer auth.json auth.toml .m2 settings-security.xml .gradle
  nuget.config _netrc pgpass.conf .my.cnf .mylogin.cnf .curlrc .wgetrc .boto .s3cfg *passwd-s3fs *rclone.conf
  .msmtprc .fetchmailrc .mbsyncrc .authinfo* .smbcredentials .ftpconfig sftp-config.json sftp.json
  recentservers.xml sitemanager.xml dataSources.local.xml wpa_supplicant.conf wg*.conf *.ovpn .oci
  docker-config.json .dockercfg .dockerconfigjson containers/auth.json .config/gh .config/hub .config/glab-cli
  .config/doctl .config/hcloud .config/sops .config/stripe .config/argocd .argocd .pulumi .terraform.d .fly
  .terraformrc terraform.rc credentials.tfrc.json *.tfstate *.tfstate.* *.tfvars *.tfvars.json kubeconfig
  kubeconfig.* *.kubeconfig k3s.yaml ngrok.yml .ngrok2 .cloudflared .sentryclirc .kaggle .databrickscfg .snowsql
  *service-account*.json *service_account*.json *adminsdk*.json application_default_credentials.json
  client_secret*.json rootkey.csv *accesskeys.csv local.settings.json acme.json .vault-token *vault_pass*
  *vault-pass* .htpasswd htpasswd *passwd userlist.txt shadow wallet.dat wp-config.php LocalSettings.php .*_history
  .password-store secring.gpg *.p8 *.ppk *.jks *.keystore *.keytab *.kdb *.kdbx *.keyring *.sso .netrc.*
  .docker/config.json.* *-key.json *_key.json *-keys.txt gcloud clouds.yaml *openrc.sh odbc.ini key4.db logins.json
  cookies.sqlite .age .pki .op .heroku .circleci .jupyter .subversion .purple .irssi .minio .mc .flaskenv .muttrc
  .offlineimaprc .lftprc .mongorc.js .influxdbv2 .doppler.yaml .config/nomad
`);

/**
 * Files and folders that may hold credentials; `*` stands for any characters but `/`. Capitals do not count: some disks
 * ignore them.
 */
export const credentialGlobs: readonly string[] = [...ownFolders, ...certain, ...usual];

/** The words of a text. */
function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

const rules = credentialGlobs.map((glob) => {
  const steps = glob.toLowerCase().split('/');
  // A public key (`id_rsa.pub`) holds no credentials.
  return { glob, steps: steps.map((step) => ({ matches: globMatcher(step), passesKeys: step.startsWith('id_') })) };
});

/** The rule by which a file may hold credentials. */
interface CredentialRule {
  readonly glob: string;
  /** What may read it all the same: nothing, a run whose user names its path, or a run of a repository that tracks it. */
  readonly readBy: 'nothing' | 'a named path' | 'git';
}

/** The rule by which a file may hold credentials, from its path with `/`; undefined when none matches. */
export function credentialRule(path: string): CredentialRule | undefined {
  const names = path.toLowerCase().split('/');
  const glob = rules.find(({ steps }) => names.some((_, from) => isAt(steps, names, from)))?.glob;
  if (glob === undefined) return undefined;
  const readBy = ownFolders.includes(glob) ? 'nothing' : certain.includes(glob) ? 'a named path' : 'git';
  return { glob, readBy };
}

/** Whether the names of a path from a place on match a rule. */
function isAt(steps: (typeof rules)[number]['steps'], names: readonly string[], from: number): boolean {
  return steps.every(({ matches, passesKeys }, at) => {
    const name = names[from + at];
    return name !== undefined && matches(name) && !(passesKeys && name.endsWith('.pub'));
  });
}

/** Whether a rule is that of env files, which `secrets:` may name. */
export function isEnvFile(glob: string): boolean {
  return glob === '.env' || glob === '.env.*';
}

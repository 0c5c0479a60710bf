import { matchesGlob } from './glob.ts';

/** Files that hold secrets by their name alone, whichever program reads them: `secrets:` may name them. */
const secretFiles = namesIn(`
  .env .env.* .envrc .dev.vars *.secrets.env .secrets secret.* secrets.* *-secrets *.secrets credentials
  credentials.* *credentials.json *credentials.csv *.credentials password password.txt passwords.txt .token .*-token
  token.json tokens.json
`);

/** The folders of git and of Trueup: no setting lets a manifest read them. */
const ownFolders: readonly string[] = [
  // .git/config has the token that a checkout in a pipeline leaves, and addresses with passwords.
  '.git',
  '.trueup',
];

/**
 * Files and folders that hold credentials, by the names that programs give them; `*` stands for any characters but `/`.
 * Capitals do not count: some disks ignore them.
 */
export const credentialGlobs: readonly string[] = [
  ...ownFolders,
  ...secretFiles,
  // Packages
  ...namesIn(`
    .npmrc .yarnrc* .pypirc pip.conf pip.ini .cargo .gem .bundle .composer auth.json auth.toml .m2
    settings-security.xml .gradle nuget.config
  `),
  // Connections
  ...namesIn(`
    .netrc _netrc .pgpass pgpass.conf .my.cnf .mylogin.cnf .git-credentials .curlrc .wgetrc .boto .s3cfg
    *passwd-s3fs *rclone.conf .msmtprc .fetchmailrc .mbsyncrc .authinfo* .smbcredentials .ftpconfig sftp-config.json
    sftp.json recentservers.xml sitemanager.xml dataSources.local.xml wpa_supplicant.conf wg*.conf *.ovpn
  `),
  // Clouds, clusters and services
  ...namesIn(`
    .aws .azure .oci .kube .docker/config.json docker-config.json .dockercfg .dockerconfigjson containers/auth.json
    .config/gcloud .config/gh .config/hub .config/glab-cli .config/doctl .config/hcloud .config/sops .config/stripe
    .config/argocd .argocd .pulumi .terraform.d .fly .terraformrc terraform.rc credentials.tfrc.json *.tfstate
    *.tfstate.* *.tfvars *.tfvars.json kubeconfig kubeconfig.* *.kubeconfig k3s.yaml ngrok.yml .ngrok2 .cloudflared
    .sentryclirc .kaggle .databrickscfg .snowsql *service-account*.json *service_account*.json *adminsdk*.json
    application_default_credentials.json client_secret*.json rootkey.csv *accesskeys.csv local.settings.json
    acme.json .vault-token .vault_pass* vault_pass* vault-pass* .htpasswd htpasswd *passwd userlist.txt shadow
    wallet.dat wp-config.php LocalSettings.php .*_history .password-store
  `),
  // Keys
  ...namesIn(`
    .ssh .gnupg secring.gpg id_rsa* id_ed25519* id_ecdsa* id_dsa* *.pem *.key *.p8 *.p12 *.pfx *.ppk *.jks
    *.keystore *.keytab *.kdbx
  `),
];

/** The words of a text. */
function namesIn(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

const rules = credentialGlobs.map((glob) => ({ glob, steps: glob.toLowerCase().split('/') }));

/** The rule by which a file may hold credentials. */
interface CredentialRule {
  readonly glob: string;
  /** `secrets:` may name it. */
  readonly isSource: boolean;
  /** No setting allows it. */
  readonly isFinal: boolean;
}

/** The rule by which a file may hold credentials, from its path with `/`; undefined when none matches. */
export function credentialRule(path: string): CredentialRule | undefined {
  const names = path.toLowerCase().split('/');
  const glob = rules.find(({ steps }) => names.some((_, from) => isAt(steps, names, from)))?.glob;
  return glob === undefined
    ? undefined
    : { glob, isSource: secretFiles.includes(glob), isFinal: ownFolders.includes(glob) };
}

/** Whether the names of a path from a place on match a rule. A public key (`id_rsa.pub`) holds no credentials. */
function isAt(steps: readonly string[], names: readonly string[], from: number): boolean {
  return steps.every((step, at) => {
    const name = names[from + at];
    return name !== undefined && matchesGlob(step, name) && !(step.startsWith('id_') && name.endsWith('.pub'));
  });
}

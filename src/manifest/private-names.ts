interface NameRule {
  /** The rule as messages show it. */
  readonly rule: string;
  /** Names of files, or of folders around them; a regular expression. */
  readonly names: string;
}

/** The rule for env files: `${file:}` does not read them, `secrets:` does. */
export const envFiles = '.env and .env.*';

/** Names of files and folders that may hold credentials. A public key (`id_rsa.pub`) holds none. */
const nameRules: readonly NameRule[] = [
  // .git/config has the token that a checkout in a pipeline leaves, and addresses with passwords.
  { rule: '.git', names: '\\.git' },
  { rule: '.trueup', names: '\\.trueup' },
  { rule: envFiles, names: '\\.env(\\.[^/]*)?' },
  { rule: '.npmrc, .yarnrc* and .pypirc', names: '\\.npmrc|\\.yarnrc[^/]*|\\.pypirc' },
  { rule: '.netrc, .pgpass and .git-credentials', names: '\\.netrc|\\.pgpass|\\.git-credentials' },
  { rule: '.ssh and .gnupg', names: '\\.ssh|\\.gnupg' },
  { rule: '.aws, .azure, .config/gcloud and .kube', names: '\\.aws|\\.azure|\\.config/gcloud|\\.kube' },
  { rule: '.docker/config.json', names: '\\.docker/config\\.json' },
  {
    rule: 'id_rsa*, id_ed25519*, id_ecdsa* and id_dsa*',
    names: 'id_(rsa|ed25519|ecdsa|dsa)(?![^/]*\\.pub(/|$))[^/]*',
  },
  { rule: '*.pem, *.key, *.p12 and *.pfx', names: '[^/]*\\.(pem|key|p12|pfx)' },
];

/** Capitals do not count: some disks ignore them. */
const forms = nameRules.map(({ rule, names }) => ({ rule, form: new RegExp(`(^|/)(${names})(/|$)`, 'i') }));

/** The rule by which a file may hold credentials, from its path with `/`; undefined when none matches. */
export function credentialRule(path: string): string | undefined {
  return forms.find(({ form }) => form.test(path))?.rule;
}

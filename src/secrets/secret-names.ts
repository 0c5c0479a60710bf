/**
 * The names of keys that hold secrets, as data. Every pattern takes linear time: its repetitions are bounded, or no two of them
 * can match the same characters.
 */

/** A rule about the name of a key. The last word decides, after the words of `afterthoughts`. */
export interface KeyRule {
  readonly name: string;
  readonly says: string;
  /** Whether the words of a key, in lower case, name a secret. */
  readonly matches: (words: readonly string[]) => boolean;
  /** The name alone proves little: a plain word or a small number as value is no secret. */
  readonly isWeak?: true;
  readonly examples: readonly string[];
  /** Keys that look alike and name no secret. */
  readonly others: readonly string[];
}

const last = (words: readonly string[], back = 0): string => words.at(-1 - back) ?? '';

/** Words behind the name of a secret that leave it one: `PASSWORD_OLD`, `SECRET_KEY_BASE`, `TOKEN_1`. */
const afterthoughts: ReadonlySet<string> = new Set(
  (
    'base base64 b64 hex hash hashed value plain raw text string data encrypted current previous old new next primary ' +
    'secondary default prod production staging stage dev development test testing live local'
  ).split(' '),
);

/** Words at the end of a key that say something about a secret and are none: `PASSWORD_MIN_LENGTH`, `TOKEN_URL`. */
const aspects: ReadonlySet<string> = new Set(
  (
    'file files path dir directory folder mount name names label length size min max minimum maximum ttl expiry expires ' +
    'expire expiration lifetime timeout age days hours minutes seconds interval rotation policy algorithm alg algo type ' +
    'kind mode method scheme format header url uri endpoint host port provider backend driver store count limit required ' +
    'enabled enable disabled disable allowed allow reset change changed strength rounds iterations cost version issuer audience ' +
    'realm domain prefix suffix field column parameter param template subject page link command env user username email ' +
    'id ids grant scope scopes encoding encryption authentication hashing hasher validators validation'
  ).split(' '),
);

/** Words before `key` that make it a lookup, or one that is meant to be seen. */
const openKeys: ReadonlySet<string> = new Set(
  (
    'public pub publishable site primary foreign sort partition cache routing shard range composite unique map group ' +
    'locale i18n translation idempotency index lookup object feature flag hot hotkey shortcut order dictionary label ' +
    'annotation metric tag column row storage event topic message record field property config setting known host'
  ).split(' '),
);

/** Words before `key` with which it always is a secret. */
const secretKeys: ReadonlySet<string> = new Set(
  (
    'api secret private access master encryption encrypt signing sign app application session auth jwt account admin ' +
    'license licence service deploy webhook hmac aes crypto cipher shared ' +
    'consumer subscription root write read security cookie search token integration'
  ).split(' '),
);

/** The names of keys that hold secrets. */
export const keyRules: readonly KeyRule[] = [
  {
    name: 'password',
    says: 'password, passwd, passphrase, pwd, pw, pass or passcode, also at the end of a longer word',
    matches: (words) =>
      /(?:passw(?:or)?ds?|passphrase|passcode|requirepass|userpass|rootpass|dbpass|pwd|^pw|^pass|rootpw|dbpw)$/.test(
        last(words),
      ) &&
      !(last(words) === 'pass' && ['proxy', 'fastcgi', 'uwsgi', 'grpc', 'scgi'].includes(last(words, 1))) &&
      last(words) !== 'oldpwd',
    examples: [
      'POSTGRES_PASSWORD',
      'PGPASSWORD',
      'Pwd',
      'smtp_passwd',
      'dbPass',
      'requirepass',
      'ROOT_PW',
      'PASSWORD_OLD',
    ],
    others: ['PASSWORD_MIN_LENGTH', 'POSTGRES_PASSWORD_FILE', 'proxy_pass', 'BYPASS', 'COMPASS', 'passive', 'OLDPWD'],
  },
  {
    name: 'password of something',
    says: 'password, passwd, passphrase or secret anywhere, when the last word is no aspect of it, such as length, file or url',
    matches: (words) => words.some((word) => /^(?:password|passwd|passphrase|secret)$/.test(word)),
    examples: ['PASSWORD_FOR_BOB', 'REDIS_PASSWORD_JOBS', 'TRUEUP_SECRET_DB'],
    others: ['PASSWORD_HASHER', 'PASSWORD_RESET_URL', 'password_file', 'SECRET_NAME'],
  },
  {
    name: 'secret',
    says: 'secret or secrets, also at the end of a longer word',
    matches: (words) => /secrets?$/.test(last(words)),
    examples: ['CLIENT_SECRET', 'clientSecret', 'JWT_SECRET', 'AUTHSECRET', 'secret'],
    others: ['SECRET_NAME', 'secretary', 'SECRETS_DIR'],
  },
  {
    name: 'token',
    says: 'token, tokens, jwt, bearer or pat, also token at the end of a longer word',
    matches: (words) =>
      /(?:tokens?|^jwt|^bearer|^pat)$/.test(last(words)) &&
      !/^(?:max|min|num|total|context|csrf)$/.test(last(words, 1)),
    examples: ['ACCESS_TOKEN', 'accessToken', 'GITHUB_PAT', 'NPM_TOKEN', 'authtoken'],
    others: ['TOKEN_TTL', 'tokenizer', 'MAX_TOKENS', 'TOKEN_ENDPOINT', 'PATTERN'],
  },
  {
    name: 'key',
    says: 'key behind a word such as api, secret, private, access, master, encryption or session, also in one word',
    matches: (words) =>
      (/^(?:key|keys)$/.test(last(words)) &&
        secretKeys.has(last(words, 1)) &&
        !words.some((word) => openKeys.has(word) && word.startsWith('pub'))) ||
      /(?:api|secret|private|access|master|encryption|signing)keys?$/.test(last(words)) ||
      (last(words) === 'id' && last(words, 1) === 'key' && last(words, 2) === 'access'),
    examples: [
      'API_KEY',
      'apiKey',
      'APIKEY',
      'AWS_SECRET_ACCESS_KEY',
      'AWS_ACCESS_KEY_ID',
      'SECRET_KEY_BASE',
      'MEILI_MASTER_KEY',
    ],
    others: ['PUBLIC_KEY', 'NEXT_PUBLIC_API_KEY', 'KEY_PREFIX', 'keyspace', 'API_KEY_HEADER', 'monkey'],
  },
  {
    name: 'another key',
    says: 'key behind any other word, but for public, primary, sort, cache and the like',
    matches: (words) => /^keys?$/.test(last(words)) && !words.some((word) => openKeys.has(word)),
    isWeak: true,
    examples: ['MAPS_KEY', 'FERNET_KEY', 'key', 'PUSHER_KEYS'],
    others: ['PRIMARY_KEY', 'sort_key', 'CACHE_KEY', 'CASSANDRA_KEYSPACE', 'RECAPTCHA_SITE_KEY'],
  },
  {
    name: 'key of PagerDuty',
    says: 'key behind pagerduty, also its routing key; the routing keys of message brokers are none',
    matches: (words) => /^keys?$/.test(last(words)) && words.some((word) => /^(?:pagerduty|pd)$/.test(word)),
    examples: ['PAGERDUTY_ROUTING_KEY', 'pagerdutyServiceKey', 'PD_ROUTING_KEY'],
    others: ['ROUTING_KEY', 'RABBITMQ_ROUTING_KEY'],
  },
  {
    name: 'credential',
    says: 'credential, credentials, creds or dsn; htpasswd; the users of basicauth',
    matches: (words) =>
      /(?:credentials?|^creds?|^dsn|^htpasswd)$/.test(last(words)) ||
      (last(words) === 'users' && /^(?:basicauth|digestauth|auth)$/.test(last(words, 1))),
    examples: ['GOOGLE_CREDENTIALS', 'DB_CREDS', 'SENTRY_DSN', 'traefik.http.middlewares.a.basicauth.users'],
    others: ['CREDENTIALS_FILE', 'CREDENTIAL_HELPER_PATH', 'users'],
  },
  {
    name: 'auth',
    says: 'auth, authorization, cookie, salt, pepper, mnemonic or webhook, also auth at the end of a longer word',
    matches: (words) =>
      /(?:^auth|masterauth|basicauth|^authorization|^cookie|^salt|^pepper|^mnemonic|^webhook)$/.test(last(words)),
    isWeak: true,
    examples: ['NEO4J_AUTH', 'FLOWER_BASIC_AUTH', 'Authorization', 'AUTH_SALT', 'masterauth'],
    others: ['AUTH_URL', 'OAUTH_CLIENT_ID', 'AUTHOR', 'COOKIE_DOMAIN'],
  },
];

const known = new Map<string, 'strong' | 'weak' | undefined>();

/** The rule that a key matches; remembered, because the same keys come again. */
export function ruleOfKey(key: string): 'strong' | 'weak' | undefined {
  if (key.length > 128) return undefined;
  if (known.has(key)) return known.get(key);
  const words = wordsOf(key);
  const isAccessKeyId = /access_?key_?id$/i.test(key);
  const matching = isAspect(words) && !isAccessKeyId ? undefined : keyRules.filter((rule) => rule.matches(words));
  const found =
    matching === undefined || matching.length === 0
      ? undefined
      : matching.every((rule) => rule.isWeak === true)
        ? 'weak'
        : 'strong';
  if (known.size >= 10_000) known.clear();
  known.set(key, found);
  return found;
}

/** The words of a key in lower case, without what may stand behind the name of a secret. */
function wordsOf(key: string): string[] {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  while (words.length > 1 && (afterthoughts.has(words.at(-1) ?? '') || /^v?\d+$/.test(words.at(-1) ?? ''))) words.pop();
  const end = words.at(-1);
  if (end !== undefined) words[words.length - 1] = end.replace(/\d+$/, '') || end;
  return words;
}

/** Whether the last word of a key is an aspect of a secret, not the secret. */
function isAspect(words: readonly string[]): boolean {
  return aspects.has(last(words));
}

/**
 * The names of keys that hold secrets, as data. Every pattern takes linear time: its repetitions are bounded, or no two of them
 * can match the same characters.
 */

/** A rule about the name of a key. The last word decides, behind the words of `qualifiers`. */
export interface KeyRule {
  readonly name: string;
  readonly says: string;
  /** Returns true where the words of a key, in lower case, name a secret. */
  readonly matches: (words: readonly string[]) => boolean;
  /** Values that are no secret under such a name. */
  readonly open?: RegExp;
}

const setOf = (...words: readonly string[]): ReadonlySet<string> => new Set(words.join(' ').split(' '));
const last = (words: readonly string[], back = 0): string => words.at(-1 - back) ?? '';

/** Words behind the name of a secret that leave it one: `KEY_OLD`, `API_KEY_READ_ONLY`, `TOKEN_1`. */
const qualifiers = setOf(
  'base64 b64 hex hash hashed value plain raw text string data encrypted current previous old new next primary secondary default',
  'prod production staging stage dev test live local read write only readonly ro rw full admin root main master backup ci',
);

/** Words at the end of a key that say something about a secret and are none: `PASSWORD_MIN_LENGTH`, `TOKEN_URL`. */
const aspects = setOf(
  'file files path dir directory name names label length size min max minimum maximum count limit ttl expiry expires expire',
  'expiration lifetime timeout age days hours minutes seconds interval rotation policy algorithm algo type mode method scheme',
  'format encoding header url uri endpoint host port provider backend driver store required enabled enable disabled disable',
  'allowed allow reset change changed strength rounds iterations cost version issuer audience realm domain prefix suffix field',
  'column table parameter param template subject page link command env user users username email id ids grant scope scopes',
  'hasher hashers hashing hint hints in connector options pattern rules validators manager',
);

/** Words before `key` that make it a lookup, or one that is meant to be seen. */
const openKeys = setOf(
  'public pub publishable site host gpg pgp primary foreign unique sort partition shard cache index idempotency map translation routing',
);

/** Words before `key` with which it always is a secret. */
const secretKeys = setOf(
  'api secret private access master encryption encrypt enc signing sign app application session auth jwt account admin root',
  'license licence service deploy webhook hmac aes crypto cipher shared consumer subscription read write search security cookie token integration',
);

/** A word, a small number or a name of words. */
const plainWord =
  /^(?!.{65}|.*(?:secret|passw|token|change.?me)|[A-F]{8,}$)(?:[A-Za-z]{1,20}|-?\d{1,4}|[A-Za-z]{2,20}(?:[-_. ][A-Za-z]{1,20}){1,4}|\$\w+)$/i;

/** Ways to log in, and names of services that do it. */
const loginMethod =
  /^(?:none|no|disabled?|enabled?|required|optional|any|all|both|auto|default|basic|digest|bearer|jwt|plain|login|local|internal|external|native|simple|trust|peer|md5|s?sha\d*|cram-?md5|scram(?:-sha-?\d+)?|ntlm|gssapi|kerberos|krb5|x-?509|m?tls|ldaps?|saml2?|oidc|oauth2?|openid|sso|container|htpasswd|trace|debug|info|warn|error|cas|pam|radius|github|gitlab|google|discord|[\w-]+@(?:file|docker|swarm|internal|consul\w*|kubernetes\w*)|-?\d{1,3})$/i;

const passwordWord =
  /(?:passw(?:or)?ds?|passwort|kennwort|senha|contrasena|passphrase|passcode|(?<!^old)pwd|pw|psk|(?<!^(?:com|by|sur|tres|encom|over))pass)$/;

const isKeyWord = (words: readonly string[], back = 0): boolean => /^keys?$/.test(last(words, back));

/** Returns true for `key` behind a word with which it is a secret, as the last word or before words that are no aspect. */
const hasSecretKey = (words: readonly string[]): boolean =>
  words.some(
    (word, at) =>
      (/^keys?$/.test(word) && at > 0 && secretKeys.has(words[at - 1] ?? '')) ||
      /(?:api|secret|private|access|master|encryption|signing)keys?$/.test(word),
  );

/** The names of keys that hold secrets. */
export const keyRules: readonly KeyRule[] = [
  {
    name: 'password',
    says: 'password, passwd or passphrase anywhere; pwd, pw, psk, pass or passcode, also before the name of a user or service; all of them also at the end of a longer word',
    matches: (words) =>
      words.some(
        (word, at) =>
          passwordWord.test(word) &&
          (/^passw|^passphrase$/.test(word) ||
            at === words.length - 1 ||
            (at > 0 && !/^(?:through|thru|headers?|by|on|along)$/.test(words[at + 1] ?? ''))) &&
          !(word === 'pass' && /^(?:proxy|fastcgi|uwsgi|grpc|scgi)$/.test(words[at - 1] ?? '')),
      ),
  },
  {
    name: 'secret',
    says: 'secret anywhere, also at the end of a longer word',
    matches: (words) => words.some((word) => /secrets?$/.test(word)),
  },
  {
    name: 'token',
    says: 'token, tokens, jwt, bearer or pat, also token at the end of a longer word',
    matches: (words) =>
      /(?:tokens?|^jwt|^bearer|^pat)$/.test(last(words)) &&
      !words.some((word) => /^(?:max|min|num|total|context|csrf|per|input|output|prompt)$/.test(word)),
  },
  {
    name: 'key',
    says: 'key behind a word such as api, secret, private, access, master, encryption or session, also in one word and before words such as read only',
    matches: (words) =>
      (hasSecretKey(words) && !words.some((word) => word.startsWith('pub') && openKeys.has(word))) ||
      (last(words) === 'id' && isKeyWord(words, 1) && last(words, 2) === 'access'),
  },
  {
    name: 'one of two keys',
    says: 'primary, secondary or tertiary key behind another word, when the value is no name of a column',
    matches: (words) => words.length > 2 && isKeyWord(words) && /^(?:primary|secondary|tertiary)$/.test(last(words, 1)),
    open: /^(?:u?u?id|pk|sk|[A-Za-z]+_?id|[a-z]+(?:_[a-z]+)+|\d{1,4})$/i,
  },
  {
    name: 'another key',
    says: 'key behind any other word, but for public, primary, sort, cache and the like',
    matches: (words) => isKeyWord(words) && !words.some((word) => openKeys.has(word)),
    open: plainWord,
  },
  {
    name: 'routing key',
    says: 'routing key, as of PagerDuty, when the value is no word and no name with dots, as message brokers have them',
    matches: (words) => isKeyWord(words) && last(words, 1) === 'routing',
    open: /^[a-z_-]*$|[.*#]/i,
  },
  {
    name: 'credential',
    says: 'credential, credentials, creds or dsn; htpasswd; the users of basicauth',
    matches: (words) =>
      /(?:credentials?|^creds?|^dsn|^htpasswd)$/.test(last(words)) ||
      (last(words) === 'users' && /^(?:basicauth|digestauth|auth)$/.test(last(words, 1))),
  },
  {
    name: 'auth',
    says: 'auth, salt, pepper, mnemonic or Erlang cookie, also auth at the end of a longer word, when the value is no way to log in',
    matches: (words) =>
      /(?:^auth|masterauth|basicauth|^salt|^pepper|^mnemonic)$/.test(last(words)) ||
      (last(words) === 'cookie' && last(words, 1) === 'erlang'),
    open: loginMethod,
  },
  {
    name: 'cookie',
    says: 'authorization, cookie, webhook or seed, when the value is no plain word',
    matches: (words) => /^(?:authorization|cookie|webhook|seed)$/.test(last(words)),
    open: plainWord,
  },
  {
    name: 'pin',
    says: 'pin, and code behind pin, login, recovery, invite or access, when the value is no word and no smaller number',
    matches: (words) =>
      last(words) === 'pin' ||
      (last(words) === 'code' && /^(?:pin|login|recovery|invite|access)$/.test(last(words, 1))),
    open: /^(?:[A-Za-z]{1,20}|\d{1,3})$/,
  },
];

const known = new Map<string, readonly KeyRule[]>();

/** The rules that a key matches; remembered, because the same keys come again. */
export function rulesOfKey(key: string): readonly KeyRule[] {
  if (key.length > 128) return [];
  const before = known.get(key);
  if (before !== undefined) return before;
  const words = wordsOf(key);
  const isAspect = aspects.has(last(words)) && !/access_?key_?id$|auth[._-]?users$/i.test(key);
  const found = isAspect ? [] : keyRules.filter((rule) => rule.matches(words));
  if (known.size >= 10_000) known.clear();
  known.set(key, found);
  return found;
}

/** Returns true for a name whose value is meant to be seen, however random it looks: `COMMIT_SHA`, `VAPID_PUBLIC_KEY`. */
export function isOpenName(key: string): boolean {
  return (
    rulesOfKey(key).length === 0 &&
    (openName.test(key) || /(?:^|[._-])ids?$|[a-z]Ids?$/.test(key.replace(/IDS?$/, 'id')))
  );
}

const openName =
  /(?:(?:sha(?:1|256|384|512)?|md5)(?:sum)?|digest|checksum|commit|revision|rev|ref|integrity|etag|fingerprint|thumbprint|version|release|tag|image|branch|hash|uuid|guid|uid|recipient)s?$|(?:public|pub|publishable|site|gpg|pgp)[._-]?key$/i;

/** Returns true for a key that holds the name of a user: it is no secret, also beside a password in a secret field. */
export function isUserName(key: string): boolean {
  return /^(?:.*[a-z\d_.-])?(?:user|username|user_?name|login|role)$/i.test(key) && rulesOfKey(key).length === 0;
}

/** The words of a key in lower case, without what may stand behind the name of a secret. */
function wordsOf(key: string): string[] {
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
    .filter((word) => word !== '');
  while (words.length > 1 && (qualifiers.has(last(words)) || /^v?\d+$/.test(last(words)))) words.pop();
  const end = last(words);
  if (end !== '') words[words.length - 1] = end.replace(/\d+$/, '') || end;
  return words;
}

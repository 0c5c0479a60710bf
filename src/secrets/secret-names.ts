/**
 * The names of keys that hold secrets, as data. A rule reads the words of a key in lower case with blanks between them, at
 * most 128 characters, so that its pattern may search freely.
 */

/** A rule about the name of a key. The last word decides, behind the words of `qualifiers`. */
interface KeyRule {
  readonly name: string;
  readonly words: RegExp;
  /** Values that are no secret under such a name. */
  readonly open?: RegExp;
}

const anyOf = (...words: readonly string[]): string => `(?:${words.join(' ').replaceAll(' ', '|')})`;

/** Words behind the name of a secret that leave it one: `KEY_OLD`, `API_KEY_READ_ONLY`, `TOKEN_1`. */
const qualifiers = anyOf(
  'base64 b64 hex hash hashed value plain raw text string data encrypted current previous old new next primary secondary default',
  'prod production staging stage dev test live local read write only readonly ro rw full admin root main master backup ci',
);

/** Words at the end of a key that say something about a secret and are none: `PASSWORD_MIN_LENGTH`, `TOKEN_URL`. */
const aspects = anyOf(
  'file path dir directory name label length size min max minimum maximum count limit ttl expiry expire expiration lifetime',
  'timeout age day hour minute second interval rotation policy algorithm algo type mode method scheme format encoding header url',
  'uri endpoint host port provider backend driver store required enabled enable disabled disable allowed allow reset change',
  'changed strength round iteration cost version issuer audience realm domain prefix suffix field column table parameter param',
  'template subject page link command env user username email id grant scope hasher hashing hint in connector option pattern',
  'query rule validator manager',
);

/** Words before `key` that make it a lookup, or one that is meant to be seen. */
const openKeys = anyOf(
  'pub public publishable site host gpg pgp primary foreign unique sort partition shard cache index idempotency map translation',
  'routing',
);

/** Words before `key` with which it always is a secret, also in one word. */
const secretKeys = anyOf('api secret private access master encryption signing cookie auth session');

/** Words before `key` with which it always is a secret. */
const keysOfServices = anyOf(
  'encrypt enc sign app application jwt account admin root license licence service deploy webhook hmac aes crypto cipher shared',
  'consumer subscription read write search security token integration',
);

/** A word, a small number or a name of words. */
const plainWord =
  /^(?!.{65}|.*(?:secret|passw|token|change.?me)|[A-F]{8,}$)(?:[A-Za-z]{1,20}|-?\d{1,4}|[A-Za-z]{2,20}(?:[-_. ][A-Za-z]{1,20}){1,4})$/i;

/** Ways to log in, and names of services that do it. */
const loginMethod =
  /^(?:none|no|disabled?|enabled?|required|optional|all|auto|default|basic|digest|bearer|jwt|plain|login|local|internal|external|trust|peer|md5|s?sha\d*|s?cram(?:-?md5|-sha-?\d+)?|ntlm|gssapi|kerberos|m?tls|ldaps?|saml2?|oidc|oauth2?|openid|sso|container|htpasswd|debug|info|warn|error|github|gitlab|google|[\w-]+@(?:file|docker|swarm|internal|consul\w*|kubernetes\w*)|-?\d{1,3})$/i;

export const keyRules: readonly KeyRule[] = [
  {
    name: 'password',
    words:
      /(?:passw(?:or)?ds?|passphrase)\b|(?:passwort|kennwort|senha|contrasena|passcode|(?<!\bold)pwd|pw|psk|(?<!\b(?:com|by|sur|tres|encom|over|(?:proxy|fastcgi|uwsgi|grpc|scgi) ))pass)(?:$|(?<= \w*) (?!through|thru|header|by|on|along))/,
  },
  { name: 'secret', words: /secrets?\b/ },
  {
    name: 'token',
    words: /^(?!.*\b(?:max|min|num|total|context|csrf|per|input|output|prompt)\b).*(?:tokens?|\b(?:jwt|bearer|pat))$/,
  },
  {
    name: 'key',
    words: new RegExp(
      String.raw`^(?!.*\bpub(?:lic|lishable)?\b).*(?:${secretKeys} ?|\b${keysOfServices} )keys?\b|\baccess key id$`,
    ),
  },
  {
    name: 'one of two keys',
    words: / (?:primary|secondary|tertiary) keys?$/,
    open: /^(?:u?u?id|pk|sk|[A-Za-z]+_?id|[a-z]+(?:_[a-z]+)+|\d{1,4})$/i,
  },
  {
    name: 'another key or cookie',
    words: new RegExp(String.raw`^(?!.*\b${openKeys}\b).*\bkeys?$|\b(?:authorization|cookie|webhook|seed)$`),
    open: plainWord,
  },
  {
    name: 'routing key',
    words: /\brouting keys?$/,
    open: /^[a-z_-]*$|[.*#]/i,
  },
  {
    name: 'credential',
    words: /(?:credentials?|\b(?:creds?|dsn|htpasswd|(?:basic|digest)?auth users))$/,
  },
  {
    name: 'auth',
    words: /(?:\bauth|masterauth|basicauth|\b(?:salt|pepper|mnemonic|erlang cookie))$/,
    open: loginMethod,
  },
  {
    name: 'pin',
    words: /\b(?:pin|(?:pin|login|recovery|invite|access|auth) code)$/,
    open: /^(?:[A-Za-z]{1,20}|\d{1,3})$/,
  },
];

const qualified = new RegExp(String.raw`(?: (?:v?\d+|${qualifiers}))+$`);
const aspect = new RegExp(String.raw`\b(?<!\baccess key (?=id)|auth (?=users))${aspects}s?$`);
const known = new Map<string, readonly KeyRule[]>();

/** The rules that a key matches; remembered, because the same keys come again. */
export function rulesOfKey(key: string): readonly KeyRule[] {
  if (key.length > 128) return [];
  const before = known.get(key);
  if (before !== undefined) return before;
  const words = wordsOf(key)
    .replace(qualified, '')
    .replace(/(?<=[a-z])\d+$/, '');
  const found = aspect.test(words) ? [] : keyRules.filter((rule) => rule.words.test(words));
  if (known.size >= 10_000) known.clear();
  known.set(key, found);
  return found;
}

/** Returns true for a name whose value is meant to be seen, however random it looks: `COMMIT_SHA`, `VAPID_PUBLIC_KEY`. */
export function isOpenName(key: string): boolean {
  return openName.test(wordsOf(key)) && rulesOfKey(key).length === 0;
}

const openName =
  /(?:(?:sha\d*|md5)(?:sum)?|digest|checksum|commit|revision|rev|ref|integrity|(?:finger|thumb)print|version|release|tag|image|branch|hash|uid|recipient|\bid)s?$|(?:pub(?:lic|lishable)?|site|gpg|pgp) ?key$/;

/** Returns true for a key that holds the name of a user: it is no secret, also beside a password in a secret field. */
export function isUserName(key: string): boolean {
  return /(?:user(?: ?name)?|login|role)$/.test(wordsOf(key)) && rulesOfKey(key).length === 0;
}

/** The words of a key in lower case, with blanks between them. */
function wordsOf(key: string): string {
  return key
    .slice(0, 128)
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[^a-z\d]+/g, ' ')
    .trim();
}

import { isReference } from './not-secret.ts';
import { isOpenName } from './secret-names.ts';

/**
 * The forms of secrets, under any key or none, as data. Every pattern takes linear time: its repetitions are bounded, or no two
 * of them can match the same characters.
 */

/** A rule about the content of a value, or of a part of a text. */
interface ContentRule {
  readonly name: string;
  /** Global. The first group that takes part is the secret; without groups, the whole match. */
  readonly pattern: RegExp;
  /** Refuses what only looks alike: the secret, and up to 64 characters before and behind it. */
  readonly check?: (secret: string, before: string, behind: string) => boolean;
  /** A field that is declared open may hold such a value: an id, a commit. */
  readonly isGuess?: true;
  /** So certain that a comment with it holds a secret too. */
  readonly isToken?: true;
}

/** How tokens begin, by the services that give them. */
const tokens = [
  String.raw`eyJ(?=[\w-]{8,}\.) AGE-SECRET-KEY- gh[pousr]_ github_pat_ gl(?:pat|dt|rt|ptt|soat|cbt|ft|agent|oas)- (?:sk|rk)_(?:live|test)_ whsec_`,
  String.raw`AKIA ASIA xox[abeoprs]- xapp- AIza ya29\. GOCSPX- npm_(?=[^\W_]{12}) pypi- sk- hf_ SG\. dckr_(?:pat|oat)_ do[opr]_v1_ hv[sbr]\.`,
  String.raw`shp(?:at|ca|pa|ss)_ glsa_ glc_ tskey- lin_api_ gsk_ r8_ nvapi- key-(?=[\da-f]{32}) sntrys_ rubygems_`,
  // Of the tools that give secrets: Doppler, 1Password, Infisical.
  String.raw`dp\.(?:st|pt|ct|sa|scim|audit)\. ops_(?=eyJ) st\.(?=[\da-f]{8}-[\da-f]{4}-)`,
].flatMap((line) => line.split(' '));

/** Words of a command line, also as a list. */
const words = String.raw`["']?(?:[\s,]{1,16}["']?[\w.:$/{}=-]{1,64}["']?){0,8}?[\s,]{1,16}["']?`;

/** What ends an address; a variable in its user has signs of its own. */
const endOfAddress = String.raw`\s"'\x60<>;|\\`;
const userOfAddress = String.raw`(?:\$\{(?:[^{}\s]|\{[^{}\s]*\})*\}|(?!\$\{)[^/?#:@${endOfAddress}])`;

export const contentRules: readonly ContentRule[] = [
  {
    name: 'private key',
    isToken: true,
    pattern: /-----BEGIN [A-Z\d ]{0,42}PRIVATE KEY[^]*?(?:-----END [^]*?-----|$)/g,
  },
  {
    name: 'token',
    isToken: true,
    pattern: new RegExp(String.raw`(?<![A-Za-z0-9_-])(?:${tokens.join('|')})[\w+/=.-]{12,}`, 'g'),
  },
  {
    name: 'webhook',
    isToken: true,
    pattern:
      /(?:hooks\.slack\.com\/(?:services|workflows)\/|discord(?:app)?\.com\/api\/webhooks\/|\.webhook\.office\.com\/webhookb2\/|gotify:\/\/[^\s/"'<>]{1,253}\/|api\.telegram\.org\/(?:file\/)?bot)([^\s"'<>]{4,})/g,
  },
  {
    name: 'password hash',
    isToken: true,
    pattern:
      /(?:\$\$?(?:2[abxy]?|apr1|argon2(?:id|i|d)|scrypt|[156y])\$\$?[./A-Za-z0-9=,$+]{16,}|\{(?:SSHA|SHA|SMD5|CRYPT)\}[\w+/=$.]{8,})/g,
  },
  {
    name: 'bearer',
    pattern: /(?<![A-Za-z])(?:Bearer|Basic|Token)[ \t]{1,4}([A-Za-z0-9+/=._~-]{6,})/gi,
    check: (secret) => !/^(?:[A-Z]?[a-z]{1,24}|[A-Z]{1,24}|[A-Za-z]+(?:-[A-Za-z]+)+)[.,]?$/.test(secret),
  },
  {
    name: 'SQL',
    pattern: /(?<![A-Za-z_])(?:password|identified[ \t]{1,4}by(?:[ \t]{1,4}password)?)[ \t]{1,4}e?'([^'\n]{1,256})'/gi,
  },
  {
    name: 'short option',
    pattern: new RegExp(
      [
        String.raw`(?:redis-cli${words}-a|(?:mysql|mariadb)(?:-?admin|-?dump)?${words}-p(?![\s,])|(?:sshpass|mongo(?:sh|dump)?|docker[ \t]login)${words}-p`,
        String.raw`|(?:sqlcmd|bcp)${words}-P|ldap(?:search|add|modify|whoami)${words}-w)["']?[\s,]{0,4}["']?([^\s"',\]]{1,256})`,
      ].join(''),
      'g',
    ),
    check: (secret) => !isReference(secret) && !/^(?:-|\\+$)/.test(secret),
  },
  {
    name: 'access list',
    pattern:
      />(?<=[ \t]>)(?<=(?:^[ \t#]*|set|--|["'])user["']?[ \t,]+["']?[\w.-]{1,64}[ \t][^\n]{0,256})([^\s"'>]{1,256})/gim,
    check: (secret) => !isReference(secret),
  },
  {
    name: 'password file',
    pattern:
      /:(?:\*|\d{3,5}):(?<=(?:^|[\s"'=,#;])[\w.*-]{1,253}:[\d*]+:)(?:\d{1,2}:((?=[^\s"',;]*\d)[^\s"',;]{6,256})|[^\s:"',]{1,64}:[^\s:"',]{1,64}:([^\s"'/][^\n"']{0,255}))/g,
    check: (secret) => !isReference(secret),
  },
  {
    name: 'user of curl',
    pattern: new RegExp(
      [
        String.raw`(?<=[\s"',])(?:-[fsSkLgiIv]{0,8}u|-U|--user|--proxy-user)(?=["']?[\s,=]{0,64}(?:-[ \t])?["']?[^\s"':,]{1,64}:)`,
        String.raw`(?<=(?<![\w-])curl["'\s][^;|]{0,400})["']?[\s,=]{0,64}(?:-[ \t])?`,
        String.raw`(?:"[^\s"':]{1,64}:([^"\n]{1,256})|'[^\s"':]{1,64}:([^'\n]{1,256})|[^\s"':,]{1,64}:([^\s"',\]]{1,256}))`,
      ].join(''),
      'g',
    ),
    check: (secret) => !isReference(secret) && !/^(?:\$\(|<|\/\/|\d{1,5}$)/.test(secret),
  },
  {
    name: 'address',
    isToken: true,
    pattern: new RegExp(
      [
        String.raw`:\/\/(?:${userOfAddress}*:(?!\d{0,5}(?:[/?#${endOfAddress}]|$))`,
        // Over HTTP a path may have the second sign; any other password may have a slash.
        String.raw`(?:(?<=https?:\/\/[^:@\s]{0,256}:)([^/?#${endOfAddress}]+)@|((?::(?!\/\/)|[^:?#${endOfAddress}])+)@|((?::(?!\/\/)|[^:${endOfAddress}])+)@)`,
        String.raw`|(?!(?<!https?:\/\/)[a-z][a-z_-]{0,15}@)(${userOfAddress}+)@)`,
      ].join(''),
      'gi',
    ),
    check: (secret) => !isReference(secret),
  },
  {
    name: 'address without a scheme',
    pattern:
      /(?<![\w.%+:@/-])[\w.%+-]{1,64}:([^\s"'`]{1,256})@\w{0,16}\(|(?<![^\s"'`=,([{>])(?:[A-Za-z][\w.%+-]{0,63})?:([^\s"'`@/:,;|<>(){}[\]\\]{1,128})@(?=[A-Za-z\d]|\[[\da-f:]{2,39}\])/g,
    check: isOfUser,
  },
  {
    name: 'high entropy',
    isGuess: true,
    pattern: /(?<![A-Za-z0-9+/=_~-])[A-Za-z0-9+/_~-]{16,}={0,2}/g,
    check: (secret, before) => isRandom(secret) && !isKnownOpen(secret, before),
  },
];

/** Whether a part of a text between separators looks random: many changes between letters, capitals and digits. */
function isRandom(text: string): boolean {
  if (text.split(/[^A-Za-z0-9]+/).some((chunk) => chunk.length >= 16 && isRandomChunk(chunk))) return true;
  // Base64 has slashes and pluses at any place.
  return text.length >= 24 && /[+/]/.test(text) && isRandomChunk(text.replace(/[^A-Za-z0-9]+/g, ''));
}

function isRandomChunk(chunk: string): boolean {
  if (new Set(chunk).size < 8) return false;
  // A name of words, such as `s3ForcePathStyle`.
  if (chunk.replace(/[A-Z]?(?=[a-z]*[aeiouy])[a-z]{3,}/g, '').length / chunk.length <= 0.4) return false;
  // A capital and the small letters behind it are one word.
  const runs = chunk.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g)?.length ?? 0;
  return runs / chunk.length >= (/\d/.test(chunk) ? 0.3 : 0.42);
}

/** Words before a colon that are no user: what follows them is an address of mail, a package or an image. */
const label =
  /(?<![\w.%+-])(?:mailto|e?-?mail|to|b?cc|from|sender|contact|author|owner|sip|xmpp|jid|npm|pkg|patch|git(?:hub|lab)?|ssh|docker|oci|image|ur[li]|https?):$/i;

/** Whether what stands between a colon and a host is the password of a user. */
function isOfUser(secret: string, before: string, behind: string): boolean {
  if (isReference(secret) || /^(?:%[a-z]$|\/\/)/.test(secret) || label.test(before)) return false;
  if (/^@\w*\(/.test(behind)) return true;
  const [, host = '', isPlace] = /^@([\w.-]*|\[[\da-f:]*\])(:\d{2,5}(?!\d)|[/?])?/.exec(behind) ?? [];
  // A digest or a version.
  if (/^(?:sha\d+|md5|v?\d+(?:\.\d+){0,2}(?:-.*)?|latest)$/i.test(host)) return false;
  if (isPlace !== undefined) return true;
  return /[\w%+-]:$/.test(before) && !/^(?:[A-Za-z._-]+|v?\d+(?:\.\d+)*(?:-\w+)*)$/.test(secret);
}

/** Blocks of PEM with base64 and headers alone, such as certificates. */
export const openBlock =
  /-----BEGIN ([A-Z\d][A-Z\d ]{0,63})-----(?:(?:Version|Comment|Hash|Charset|MessageID|Proc-Type|DEK-Info):[^\n]{0,128}\n|[A-Za-z\d+/=\s]|\\[nr])*-----END \1-----/g;

/** Digests, commits and public keys, by what stands before them. */
function isKnownOpen(secret: string, before: string): boolean {
  const name =
    /([\w.-]{1,64})(?:["']\]?)?[ \t]{0,4}(?:=>?|:[-+=]?)[ \t]{0,4}["']?(?:\w{1,8}\.)?$|(\w{1,16})[ \t]{1,4}$/.exec(
      before,
    );
  return (
    /^(?:sha(?:1|256|384|512)?-|AAAA[BCEGI][23n]|pk_(?:live|test)_)/.test(secret) ||
    isOpenName(name?.[1] ?? name?.[2] ?? '') ||
    // A commit, in an address, behind a name or as the tag of an image.
    (/^[0-9a-f]{40}$/.test(secret) && /[/@#(-]$|\/[\w.-]+:$/.test(before))
  );
}

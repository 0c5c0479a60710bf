import { type Json, defined } from '../../formats/json.ts';
import type { ReadShort, ShortBlock } from '../../kind/short-form.ts';
import { cron, hostName } from '../../kind/value-forms.ts';

/** Readers of values in the short forms of compose files, crontabs and password files. */

/** An address: `shop.example.com`, `https://shop.example.com/path`; below one, its port or the service behind it. */
export const shortDomain: ReadShort = (value, key) => {
  if (key !== undefined) {
    const [, service, port] = /^([A-Za-z][\w-]*)?(?::?(\d{1,5}))?$/.exec(value) ?? [];
    if ((service ?? port) === undefined) return [];
    return [{ key, fields: defined({ serviceName: service, port: numberOf(port) }) }];
  }
  const [, scheme, host = '', port, path] = /^(https?:\/\/)?([^/:\s]+)(?::(\d{1,5}))?(\/\S*)?$/i.exec(value) ?? [];
  if (!hostName.safeParse(host).success) return [];
  const isTls = scheme?.toLowerCase() === 'https://';
  const isUsual = port === undefined || (scheme !== undefined && port === (isTls ? '443' : '80'));
  return [
    {
      key: host,
      fields: defined({ path: path === '/' ? undefined : path, https: isTls ? true : undefined }),
      open: defined({
        certificateType: isTls ? 'letsencrypt, none or custom' : undefined,
        port: isUsual ? undefined : `port of the container; ${port} may be the one of the proxy`,
      }),
    },
  ];
};

function numberOf(digits: string | undefined): number | undefined {
  return digits === undefined ? undefined : Number(digits);
}

/** Most ports of a range that become blocks of their own. */
const maxPorts = 12;

/** A port as compose files have it: `8080:80`, `127.0.0.1:8080:80/tcp`, `3000-3002:3000-3002`; below a key, what it names. */
export const shortPort: ReadShort = (value, key) => {
  const isPort = key !== undefined && /^\d+$/.test(key);
  const written = isPort ? `${key}:${value}` : value;
  const [, address, outside, inside, protocol] =
    /^(?:(\[[\da-fA-F:]+\]|\d+\.\d+\.\d+\.\d+):)?(?:(\d+(?:-\d+)?):)?(\d+(?:-\d+)?)(?:\/(tcp|udp))?$/.exec(written) ??
    [];
  if (inside === undefined) return [];
  const [targets, publishes] = [numbersIn(inside), outside === undefined ? undefined : numbersIn(outside)];
  if (targets === undefined || (publishes !== undefined && publishes.length !== targets.length)) return [];
  const lost = address === undefined || /^0(?:\.0){3}$/.test(address) ? undefined : address;
  return targets.map((target, index): ShortBlock => {
    const published = publishes?.[index];
    return {
      key,
      fields: defined({
        publishedPort: published,
        targetPort: target,
        protocol: protocol === 'udp' ? protocol : undefined,
      }),
      open: published === undefined ? { publishedPort: 'port of the server; yours has none' } : undefined,
      lost: lost === undefined ? undefined : `${lost}: it is published on every address of the server`,
    };
  });
};

/** The ports of `80` or `3000-3002`; undefined: none, or more than a remedy can list. */
function numbersIn(range: string): number[] | undefined {
  const [first = 0, last = first] = range.split('-').map(Number);
  return last < first || last - first >= maxPorts
    ? undefined
    : [...Array(last - first + 1).keys()].map((at) => first + at);
}

/** The field that a port of a compose file names, where a kind publishes one port. */
export const publishedPort = (value: string): number | undefined => {
  const [only, ...others] = shortPort(value) ?? [];
  const port = others.length === 0 ? only?.fields['publishedPort'] : undefined;
  return typeof port === 'number' ? port : undefined;
};

/** A mount as compose files have it: `./conf:/etc/conf:ro`, `data:/var/lib/data`; below a key, one of the two sides. */
export const shortMount: ReadShort = (value, key) => {
  const isTarget = key?.startsWith('/') === true;
  if (isTarget && value.startsWith('/')) {
    const reason = `folder of the server; yours is ${value}, unless you wrote the two the other way round`;
    return [{ key, fields: { type: 'bind' }, open: { hostPath: reason } }];
  }
  const written = key === undefined ? value : isTarget ? `${value}:${key}` : `${key}:${value}`;
  const [, source, target = '', mode] = /^(?:([^:\s]+):)?(\/[^:\s]*)(?::([\w,]+))?$/.exec(written) ?? [];
  if (target === '' || !/^[\w./~@+${}-]*$/.test(source ?? '')) return [];
  const isReadOnly = mode?.split(',').includes('ro') === true;
  const lost = isReadOnly ? 'ro: containers can write to every mount' : undefined;
  return [{ key: target, ...mounted(source), lost }];
};

function mounted(source: string | undefined): Pick<ShortBlock, 'fields' | 'open'> {
  if (source === undefined)
    return { fields: { type: 'volume' }, open: { volumeName: 'name of the volume; yours has none' } };
  if (source.startsWith('/')) return { fields: { type: 'bind', hostPath: source } };
  if (/^[A-Za-z0-9][\w.-]*$/.test(source)) return { fields: { type: 'volume', volumeName: source } };
  if (source.includes('$')) return { fields: {}, open: { type: `bind or volume; yours is ${source}` } };
  const reason = `folder of the server, from /; yours is ${source}`;
  return { fields: { type: 'bind' }, open: { hostPath: reason } };
}

/** A line of a crontab: `0 3 * * * npm run cleanup`; below a key, its time or its command, which is the value of `field`. */
export const crontabLine =
  (field: string): ReadShort =>
  (value, key) => {
    const [, time = '', command] = /^(@\w+|(?:\S+\s+){4}\S+)(?:\s+(\S.*))?$/s.exec(value.trim()) ?? [];
    if (!cron.safeParse(time).success) return key === undefined ? [] : [{ key, fields: { [field]: value } }];
    const words = (command ?? '').split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
    const name = key ?? (words.length === 0 ? undefined : words.slice(0, 3).join('-'));
    const fields = { cronExpression: time };
    return [{ key: name, fields: command === undefined ? fields : { ...fields, [field]: command } }];
  };

/** The time of a backup, which `field` has. */
export const shortBackup =
  (field: string): ReadShort =>
  (value, key) =>
    cron.safeParse(value).success ? [{ key, fields: { [field]: value } }] : [];

/** A user of a password file, `reader:…`, or the password below the user. */
export const shortUser: ReadShort = (value, key) => {
  const [, user, password] = /^([A-Za-z][\w.@-]*)(?::(.+))?$/s.exec(value) ?? [];
  const name = key ?? user;
  if (name === undefined) return [];
  const given = key === undefined ? password : value;
  const isHashed = given !== undefined && /^(?:\$|\{)/.test(given);
  return [
    {
      key: name,
      fields: given === undefined || isHashed ? {} : { password: given },
      open: isHashed ? { password: 'in clear: the platform hashes it' } : undefined,
    },
  ];
};

/** A policy of a compose file: `always`, `on-failure:3`. */
export const restartPolicy = (value: string): Json | undefined => {
  const [, word = '', attempts] = /^(no|always|unless-stopped|on-failure)(?::(\d+))?$/.exec(value) ?? [];
  const conditions: Readonly<Record<string, string>> = { no: 'none', 'on-failure': 'on-failure' };
  if (word === '') return undefined;
  return defined({ Condition: conditions[word] ?? 'any', MaxAttempts: numberOf(attempts) });
};

const image = /^[a-z0-9][\w./-]*(?::[\w.-]+)?(?:@sha256:[\da-f]+)?$/;

/** The repository or the image that an application comes from. */
export const shortSource = (value: string): Readonly<Record<string, Json>> | undefined => {
  if (/^(?:(?:https?|ssh):\/\/|git@)\S+$/.test(value))
    return { sourceType: 'git', customGitUrl: value, customGitBranch: null };
  return image.test(value) ? { sourceType: 'docker', dockerImage: value } : undefined;
};

/** The folder that a build sees, as compose files have it. */
export const buildCase = (value: string): Readonly<Record<string, Json>> | undefined =>
  /^\.?(?:\/?[\w.-]+)*\/?$/.test(value) && /^\.|\//.test(value)
    ? { buildType: 'dockerfile', dockerfile: 'Dockerfile', dockerContextPath: value }
    : undefined;

/** The file or the text of a compose. */
export const shortComposeFile = (value: string): Readonly<Record<string, Json>> | undefined =>
  /^[\w./-]+\.ya?ml$/.test(value)
    ? { sourceType: 'raw', composeFile: `\${file:${value.replace(/^\.\//, '')}}` }
    : /^services:/m.test(value)
      ? { sourceType: 'raw', composeFile: value }
      : undefined;

/** The image of a service, below its name. */
export const imageBelow =
  (fields: (image: string) => ShortBlock['fields']): ReadShort =>
  (value, key) =>
    key === undefined ? undefined : image.test(value) ? [{ key, fields: fields(value) }] : [];

/** The text of a file, below its path. */
export const textBelow =
  (field: string): ReadShort =>
  (value, key) =>
    key !== undefined ? [{ key, fields: { [field]: value } }] : value.includes(':') ? [] : undefined;

/** An address and the one that it leads to: `^https://www\.example\.com/(.*) -> https://example.com/$1`; or one below the other. */
export const shortRedirect: ReadShort = (value, key) => {
  const isAddress = (text: string) => /^\^|:\/\//.test(text);
  if (key !== undefined)
    return isAddress(key) && isAddress(value) ? [{ fields: { regex: key, replacement: value } }] : [];
  const [, regex, replacement] = /^(\S+)\s+(?:->|=>)?\s*(\S+)$/.exec(value) ?? [];
  return regex !== undefined && replacement !== undefined && isAddress(regex)
    ? [{ fields: { regex, replacement } }]
    : [];
};

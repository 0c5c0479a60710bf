import { createHash } from 'node:crypto';

/** Secrets, guesses at them, and the places of a manifest in which a guess can stand. Shares no code with the engine. */

/** How a run gets to know a secret. */
type Source =
  | 'TRUEUP_SECRET_X'
  | 'secrets.env'
  | 'TRUEUP_API_KEY'
  | 'TRUEUP_STATE_KEY'
  | 'TRUEUP_AGE_IDENTITY'
  | 'AWS_SECRET_ACCESS_KEY'
  | 'TRUEUP_FORGE_TOKEN'
  | 'GITHUB_TOKEN'
  | 'CI_JOB_TOKEN';

/** A secret, and one that has the same form and shares no more than its known beginning. */
export interface Known {
  readonly from: Source;
  readonly secret: string;
  readonly other: string;
}

/** Numbers from 0 to 1, the same in each run. */
export function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const alphabets = ['abcdefghijklmnopqrstuvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ', '0123456789'];

/** Another character of the same class; signs stay. */
function turned(sign: string, by: number): string {
  const alphabet = alphabets.find((one) => one.includes(sign));
  return alphabet === undefined ? sign : (alphabet[(alphabet.indexOf(sign) + by) % alphabet.length] ?? sign);
}

/** A text in the form of another one: each letter and digit behind the known beginning is another one of its class. */
function disguised(text: string, from: number): string {
  return text.slice(0, from) + Array.from(text.slice(from), (sign, at) => turned(sign, 3 + (at % 5))).join('');
}

/** A key of a state with so many random bytes. */
function stateKey(random: () => number): string {
  const bytes = Buffer.from(Array.from({ length: 32 }, () => Math.floor(random() * 256)));
  const sum = createHash('sha256').update(bytes).digest().subarray(0, 4);
  return `trueup-key-1-${Buffer.concat([bytes, sum]).toString('base64url')}`;
}

const letters = alphabets.join('');
const lower = 'abcdefghijklmnopqrstuvwxyz0123456789';
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

/** Known beginnings with the signs behind them, and how many. */
const forms: readonly (readonly [beginning: string, signs: string, length: number])[] = [
  ['ghp_', letters, 36],
  ['github_pat_', `${letters}_`, 71],
  ['glpat-', `${letters}_-`, 20],
  ['sk_live_', letters, 24],
  ['sk-ant-api03-', `${letters}-_`, 60],
  ['xoxb-', '0123456789', 40],
  ['AKIA', upper, 16],
  ['AGE-SECRET-KEY-1', upper, 58],
  ['eyJhbGciOiJIUzI1NiJ9.', `${letters}-_`, 80],
  ['whsec_', `${letters}+/`, 32],
  ['hvs.', letters, 24],
  ['', letters, 8],
  ['', lower, 9],
  ['', lower, 12],
  ['', '0123456789', 10],
  ['', '0123456789abcdef', 32],
  ['', '0123456789abcdef', 64],
  ['', `${letters}+/`, 43],
  ['', letters, 200],
  ['pw-', `${letters}"'\\ #:{}[]&*!|>%@\``, 30],
];

/** 50 secrets of 8 to 200 characters, known to a run from each source. */
export function knownSecrets(): readonly Known[] {
  const random = randomOf(31);
  const text = (signs: string, length: number) =>
    Array.from({ length }, () => signs[Math.floor(random() * signs.length)]).join('');
  const known: Known[] = [];
  const sources: readonly Source[] = [
    'TRUEUP_SECRET_X',
    'secrets.env',
    'TRUEUP_API_KEY',
    'TRUEUP_SECRET_X',
    'TRUEUP_FORGE_TOKEN',
    'GITHUB_TOKEN',
    'TRUEUP_SECRET_X',
    'CI_JOB_TOKEN',
    'AWS_SECRET_ACCESS_KEY',
  ];
  for (let turn = 0; turn < 2; turn++)
    for (const [index, [beginning, signs, length]] of forms.entries()) {
      const given = sources[(index + turn * 5) % sources.length] ?? 'TRUEUP_SECRET_X';
      const isPlain = /^[\w+/.-]*$/.test(beginning + signs);
      const from = isPlain ? given : 'TRUEUP_SECRET_X';
      const secret = beginning + text(signs, length);
      known.push({ from, secret, other: disguised(secret, beginning.length) });
    }
  for (let turn = 0; turn < 3; turn++)
    known.push({ from: 'TRUEUP_STATE_KEY', secret: stateKey(random), other: stateKey(random) });
  const address = (scheme: string) => `${scheme}://user:${text(letters, 14)}@db.example.com:5432/app`;
  for (const scheme of ['postgres', 'mysql', 'redis', 'https'] as const) {
    const secret = address(scheme);
    const [before = '', behind = ''] = secret.split(/(?<=user:)/);
    const [password = '', rest = ''] = behind.split(/(?=@)/);
    known.push({ from: 'TRUEUP_SECRET_X', secret, other: before + disguised(password, 0) + rest });
  }
  const identity = `AGE-SECRET-KEY-1${text(upper, 58)}`;
  known.push({ from: 'TRUEUP_AGE_IDENTITY', secret: identity, other: disguised(identity, 16) });
  const words = 'correct-horse-battery-staple';
  known.push({ from: 'TRUEUP_SECRET_X', secret: words, other: disguised(words, 0) });
  const lines = `${text(letters, 20)}\n${text(letters, 20)}\n`;
  known.push({ from: 'TRUEUP_SECRET_X', secret: lines, other: disguised(lines, 0) });
  return known;
}

/** Two texts of one form: one tells something about a secret, the other does not. */
export interface Guess {
  readonly form: string;
  readonly right: string;
  readonly wrong: string;
  /** The secret stands in it whole, as it is or as servers write it. */
  readonly isWhole: boolean;
  /** The wrong one is the right one of the other secret: it tries the same with the two secrets in turn. */
  readonly isMirrored: boolean;
}

/** Guesses at a secret that a run knows. */
export function guessesAt({ secret, other }: Known): readonly Guess[] {
  const cuts = [8, 12, 20, secret.length - 1].filter((length) => length < secret.length);
  /** The same with another last or first letter. */
  const wrongEnd = (text: string) => {
    const at = Array.from(text).findLastIndex((sign) => turned(sign, 1) !== sign);
    return text.slice(0, at) + turned(text[at] ?? '', 1) + text.slice(at + 1);
  };
  const wrongStart = (text: string) => {
    const at = Array.from(text).findIndex((sign) => turned(sign, 1) !== sign);
    return text.slice(0, at) + turned(text[at] ?? '', 1) + text.slice(at + 1);
  };
  const ofPart = { isWhole: false, isMirrored: false };
  const parts = [...new Set(cuts)].flatMap((length): Guess[] => [
    {
      form: `first ${length}`,
      right: secret.slice(0, length),
      wrong: wrongEnd(secret.slice(0, length)),
      ...ofPart,
    },
    { form: `last ${length}`, right: secret.slice(-length), wrong: wrongStart(secret.slice(-length)), ...ofPart },
  ]);
  const whole = (form: string, write: (text: string) => string, isWhole: boolean): Guess => ({
    form,
    right: write(secret),
    wrong: write(other),
    isWhole,
    isMirrored: true,
  });
  return [
    ...parts,
    whole('middle', (text) => text.slice(2, -2), false),
    whole('lower case', (text) => text.toLowerCase(), secret === secret.toLowerCase()),
    whole('upper case', (text) => text.toUpperCase(), secret === secret.toUpperCase()),
    whole('reversed', (text) => Array.from(text).toReversed().join(''), false),
    whole('base64', (text) => Buffer.from(text).toString('base64'), true),
    whole('hex', (text) => Buffer.from(text).toString('hex'), false),
    whole('in a URL', encodeURIComponent, true),
    whole('whole', (text) => text, true),
    { form: 'whole but for its last letter', right: secret, wrong: wrongEnd(secret), isWhole: true, isMirrored: false },
  ];
}

/** A place of a manifest that takes a guess. */
export interface Place {
  readonly name: string;
  /** The platform stores it, so that it may come back as a text from elsewhere. */
  readonly isField: boolean;
  /** true: no apply can carry it out. */
  readonly staysPlanned?: boolean;
  /** The files, of which `trueup.yaml` has its head already: `g` is the guess, `q` the guess in quotes. */
  readonly files: (g: string, q: string) => Readonly<Record<string, string>>;
}

const composeFile = '"services:\\n  web:\\n    image: nginx:1.27\\n"';

/** The places. `used`: the line of an env in which the manifest uses the secret, or nothing. */
export function placesOf(used: string): readonly Place[] {
  const places: Place[] = [];
  const add = (name: string, isField: boolean, files: Place['files']) => void places.push({ name, isField, files });
  const top = (name: string, write: (g: string, q: string) => string, isField = false) =>
    add(name, isField, (g, q) => ({ 'trueup.yaml': write(g, q) }));
  const rest = `environments: { production: { env: { A: "1"${used} } } }\n`;
  const setting = (name: string, write: (g: string, q: string) => string) =>
    top(name, (g, q) => `${write(g, q)}\n${rest}`);
  const within = (name: string, write: (g: string, q: string) => string, isField = true) =>
    top(name, (g, q) => `environments:\n  production:\n    env: { A: "1"${used} }\n${write(g, q)}\n`, isField);
  const describing = (name: string, write: (g: string, q: string) => string, isField = false) =>
    within(name, (g, q) => `    description: ${write(g, q)}`, isField);
  const service = (name: string, write: (g: string, q: string) => string, isField = true) =>
    within(
      name,
      (g, q) => `    compose:\n      shop: { source: { type: raw, composeFile: ${composeFile} }, ${write(g, q)} }`,
      isField,
    );
  const database = (name: string, write: (g: string, q: string) => string, isField = true) =>
    within(
      name,
      (g, q) =>
        `    postgres:\n      main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: x1, ${write(g, q)} }`,
      isField,
    );
  const inQuotes = (q: string, before: string, behind: string) => `"${before}${q.slice(1, -1)}${behind}"`;

  // Expressions.
  describing('an unknown variable', (_, q) => inQuotes(q, '${var:', '}'));
  describing('an unknown variable of the environment', (_, q) => inQuotes(q, '${env:', '}'));
  describing('an unknown secret', (_, q) => inQuotes(q, '${secret:', '}'));
  describing('an unknown reference', (_, q) => inQuotes(q, '${ref:', '.id}'));
  describing('an unknown output', (_, q) => inQuotes(q, '${ref:production.', '}'));
  describing('an unknown file', (_, q) => inQuotes(q, '${file:', '}'));
  describing('an unknown word', (_, q) => inQuotes(q, '${', ':a}'));
  describing('an expression without an end', (_, q) => inQuotes(q, '${var:', ''));
  describing('an escaped expression', (_, q) => inQuotes(q, '$${var:', '}'), true);
  describing('a text', (_, q) => inQuotes(q, 'it is ', ' and no more'), true);
  describing('a whole text', (_, q) => q, true);
  service('a variable of the platform', (_, q) => `env: { B: ${inQuotes(q, '${{environment.', '}}')} }`);

  // The tree.
  setting('an unknown key', (_, q) => `${q}: 1`);
  setting('an unknown key behind x-', (_, q) => `${inQuotes(q, 'x-', '')}: 1\ny: 2`);
  setting('a duplicate key', (_, q) => `x-a: { ${q}: 1, ${q}: 2 }`);
  setting('an anchor', (g) => `x-a: &${g.replaceAll(/[\s,[\]{}]/g, '')} 1\ny: 2`);
  setting('an alias without an anchor', (g) => `x-a: *${g.replaceAll(/[\s,[\]{}]/g, '')}`);
  setting('a tag', (g) => `x-a: !${g.replaceAll(/[\s,[\]{}]/g, '')} 1`);
  setting('a text without its quote', (g) => `x-a: "${g.replaceAll(/["\\]/g, '')}`);
  setting('a list without its end', (_, q) => `x-a: [${q}, b`);
  setting('a map within a line', (g) => `x-a: b: ${g.replaceAll('\n', ' ')}`);
  setting('a key that is a list', (_, q) => `? [${q}]\n: 1`);
  setting('a comment beside a mistake', (g) => `y: 2 # ${g.replaceAll('\n', ' ')}`);
  setting('a value beside a mistake', (_, q) => `y: ${q}`);
  within('an unknown key of an environment', (_, q) => `    ${q}: 1`, false);
  service('an unknown key of a block', (_, q) => `${q}: 1`, false);
  service('an unknown key of a group', (_, q) => `domains: { a.example.com: { serviceName: web, port: 80, ${q}: 1 } }`);

  // Settings.
  top('the version', (_, q) => `trueup: ${q}\n${rest}`);
  top('the platform', (_, q) => `platform: ${q}\n${rest}`);
  top('the address of the platform', (_, q) => `platform: { url: ${q} }\n${rest}`);
  top('a key of the platform', (_, q) => `platform: { emulator: true, profile: dokploy, ${q}: 1 }\n${rest}`);
  top('the project', (_, q) => `project: ${q}\n${rest}`);
  setting('the backend of the state', (_, q) => `state: { backend: ${q} }`);
  setting('the endpoint of the state', (_, q) => `state: { backend: s3, endpoint: ${q}, bucket: a }`);
  setting('the schema of the state', (_, q) => `state: { backend: postgres, schema: ${q} }`);
  setting('a file of secrets', (_, q) => `secrets: [{ file: ${q} }]`);
  setting('a file of age', (_, q) => `secrets: [{ age: ${q} }]`);
  setting('a program', (_, q) => `secrets: [{ command: [${q}] }]`);
  setting('a variable of a program', (_, q) => `secrets: [{ command: [a], env: [${q}] }]`);
  setting('the name of a variable', (_, q) => `variables: { ${q}: { default: a } }`);
  setting('the value of a variable', (_, q) => `variables: { a: { default: ${q}, b: 1 } }`);
  setting('a pattern', (_, q) => `include: [${q}]`);
  setting('a pattern with a star', (_, q) => `include: [${inQuotes(q, '', '*.yaml')}]`);
  setting('an address that moved', (_, q) => `moved: [{ from: ${q}, to: production }]`);
  setting('an address that something moved to', (_, q) => `moved: [{ from: production.compose.a, to: ${q} }]`);
  setting('ignored drift', (_, q) => `drift: { ignore: [{ address: ${q}, field: ${q}, because: ${q} }] }`);
  setting('the address of a receiver', (_, q) => `drift: { notify: [{ url: ${q}, as: json }] }`);
  setting(
    'the secret of a receiver',
    (_, q) => `drift: { notify: [{ url: ${inQuotes(q, '${secret:', '}')}, as: json }] }`,
  );
  setting('the form of a receiver', (_, q) => `drift: { notify: [{ url: "\${secret:Y}", as: ${q} }] }`);
  setting(
    'the signature of a receiver',
    (_, q) => `drift: { notify: [{ url: "\${secret:Y}", as: json, signature: ${q} }] }`,
  );
  setting('the memory of drift', (_, q) => `drift: { memory: ${q} }`);
  setting('the name of an output', (_, q) => `outputs: { ${q}: a }`);
  setting('the value of an output', (_, q) => `outputs: { a: ${q} }`);

  // Blocks.
  top(
    'the name of an environment',
    (_, q) => `environments: { production: { env: { A: "1"${used} } }, ${q}: {} }\n`,
    true,
  );
  within(
    'the key of a block',
    (_, q) => `    compose: { ${q}: { source: { type: raw, composeFile: ${composeFile} } } }`,
  );
  within(
    'a name that is there twice',
    (_, q) =>
      `    compose:\n      a: { name: ${q}, source: { type: raw, composeFile: ${composeFile} } }\n      b: { name: ${q}, source: { type: raw, composeFile: ${composeFile} } }`,
  );
  service('a private name', (_, q) => `private: [${q}], env: { B: "2" }`, false);
  service('a name without a value', (_, q) => `unset: [${q}]`, false);
  service('an option of deployments', (_, q) => `deploy: ${q}`, false);
  service('an option of protection', (_, q) => `protect: ${q}`, false);
  service('an id', (_, q) => `id: ${q}`);
  service('a host', (_, q) => `domains: { ${q}: { serviceName: web, port: 80 } }`);
  service('a host in a field', (_, q) => `domains: { a: { host: ${q}, serviceName: web, port: 80 } }`);
  service(
    'a host that is there twice',
    (_, q) =>
      `domains: { a: { host: ${q}, serviceName: web, port: 80 }, b: { host: ${q}, serviceName: web, port: 80 } }`,
  );
  service('a service of the compose file', (_, q) => `domains: { a.example.com: { serviceName: ${q}, port: 80 } }`);
  service('a port', (_, q) => `domains: { a.example.com: { serviceName: web, port: ${q} } }`);
  service('a path', (_, q) => `domains: { a.example.com: { serviceName: web, port: 80, path: ${q} } }`);
  service(
    'a path behind a slash',
    (_, q) => `domains: { a.example.com: { serviceName: web, port: 80, path: ${inQuotes(q, '/', '')} } }`,
  );
  service('the key of an env', (_, q) => `env: { ${q}: a }`);
  service('the value of an env', (_, q) => `env: { B: ${q} }`);
  service('a text of an env', (_, q) => `env: ${inQuotes(q, 'B=', '\\nno line of an env\\n')}`);
  service('the path of a file', (_, q) => `files: { ${q}: { content: a } }`);
  service('the content of a file', (_, q) => `files: { a.conf: { content: ${q} } }`);
  service('a schedule', (_, q) => `backups: { a: { schedule: ${q}, destinationId: dst_1, prefix: a/ } }`);
  service(
    'a destination',
    (_, q) =>
      `backups: { a: { schedule: "0 3 * * *", destinationId: ${q}, prefix: a/, serviceName: web, databaseType: postgres, database: a } }`,
  );
  Object.assign(places.at(-1)!, { staysPlanned: true });
  within(
    'a key of a compose file',
    (_, q) =>
      `    compose: { shop: { source: { type: raw, composeFile: ${inQuotes(q, 'services:\\n  web:\\n    ', ': nginx\\n')} } } }`,
  );
  within(
    'an image of a compose file',
    (_, q) =>
      `    compose: { shop: { source: { type: raw, composeFile: ${inQuotes(q, 'services:\\n  web:\\n    image: ', '\\n')} } } }`,
  );
  within(
    'a service name of a compose file',
    (_, q) =>
      `    compose: { shop: { source: { type: raw, composeFile: ${inQuotes(q, 'services:\\n  ', ': { image: nginx }\\n')} }, domains: { a.example.com: { serviceName: web, port: 80 } } } }`,
  );
  within(
    'a compose file that is no YAML',
    (_, q) =>
      `    compose: { shop: { source: { type: raw, composeFile: ${inQuotes(q, 'services: [', '')} }, domains: { a.example.com: { serviceName: web, port: 80 } } } }`,
  );
  within(
    'a published port of a compose file',
    (_, q) =>
      `    compose: { shop: { source: { type: raw, composeFile: ${inQuotes(q, "services:\\n  web:\\n    image: nginx\\n    ports: ['", ":80']\\n")} } } }`,
  );
  within('the type of a source', (_, q) => `    compose: { shop: { source: { type: ${q} } } }`);
  within(
    'a branch',
    (_, q) => `    application: { web: { source: { type: git, url: "https://git.example.com/a.git", branch: ${q} } } }`,
  );
  within(
    'the address of a repository',
    (_, q) => `    application: { web: { source: { type: git, url: ${q}, branch: main } } }`,
  );
  within(
    'an amount of memory',
    (_, q) => `    application: { web: { memoryLimit: ${q}, source: { type: docker, image: "nginx:1.27" } } }`,
  );
  within(
    'a volume',
    (_, q) =>
      `    application: { web: { source: { type: docker, image: "nginx:1.27" }, mounts: { /data: { type: volume, volumeName: ${q} } } } }`,
  );
  within(
    'an image of a database',
    (_, q) =>
      `    postgres: { main: { dockerImage: ${q}, databaseName: shop, databaseUser: shop, databasePassword: x1 } }`,
  );
  within(
    'the user of a database',
    (_, q) =>
      `    postgres: { main: { dockerImage: "postgres:17", databaseName: shop, databaseUser: ${q}, databasePassword: x1 } }`,
  );
  database('a command', (_, q) => `command: ${q}`);
  top(
    'a key of an ssh key',
    (_, q) => `sshKeys: { ${q}: { publicKey: "ssh-ed25519 AAAA shop", privateKey: a } }\n${rest}`,
    true,
  );
  top('a public key', (_, q) => `sshKeys: { a: { publicKey: ${q}, privateKey: a } }\n${rest}`, true);

  // Other files.
  add('a key of an included file', false, (_, q) => ({
    'trueup.yaml': `include: [part.yaml]\n${rest}`,
    'part.yaml': `${q}: 1\n`,
  }));
  add('the name of an included file', false, (g) => ({
    'trueup.yaml': `include: ["part-*"]\n${rest}`,
    [`part-${g.replaceAll(/[^\w.-]/g, '').slice(0, 100)}.yaml`]: 'y: 1\n',
  }));
  add('an accepted address', false, (_, q) => ({
    'trueup.yaml': rest,
    'accepted.yaml': `trueup-accepted: 1\naccepted:\n  - { address: ${q}, until: 2099-01-01, because: ${q}, by: ${q} }\n`,
  }));
  add('the memory of drift', false, (_, q) => ({
    'trueup.yaml': rest,
    'drift.yaml': `trueup-drift: 1\n${q}: [${q}]\n`,
  }));
  add('a file that a value names', true, (g) => ({
    'trueup.yaml': `environments: { production: { env: { A: "1"${used} }, description: "\${file:notes.txt}" } }\n`,
    'notes.txt': `notes ${g} and more`,
  }));
  return places;
}

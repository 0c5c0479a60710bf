/** A file of the attacker: its text, or the place that a link leads to. */
type HostileFile = string | { readonly link: string };

/** One manifest of an attacker, and what plan has to say of it. */
export interface HostileManifest {
  /** The intent of the attacker. */
  readonly intent: string;
  /** The lines of `trueup.yaml` after its head, or all of its files. */
  readonly files: string | Readonly<Record<string, HostileFile>>;
  /** What replaces the head: other settings than those of the project. */
  readonly head?: string;
  /** What a pipeline forgot to set, or set to nothing. */
  readonly env?: Readonly<Record<string, string>>;
  /**
   * The code of the diagnostic that plan stops with, or `planned`: it shows a plan. The attack then comes to nothing, and
   * is not a mistake in this table.
   */
  readonly ends: string;
}

/** The hosts that manifests name. */
export interface Hosts {
  /** The platform that the pipeline is for. */
  readonly platform: string;
  /** The hosts of the attacker. */
  readonly attacker: { readonly platform: string; readonly s3: string };
  /** The id of a database of another project. */
  readonly foreignId: string;
}

const head = (platform: string): string => `trueup: 1\nplatform: ${platform}\nproject: prj_1\n`;
const production = (fields: string): string => `environments: { production: { ${fields} } }\n`;
const describing = (text: string): string => production(`description: "${text}"`);
const reading = (path: string): string => describing(`\${file:${path}}`);
const compose = (fields: string): string => production(`compose: { shop: { ${fields} } }`);
const composeFile = 'source: { type: raw, composeFile: "services: { web: { image: nginx } }" }';
const postgres = (fields: string): string =>
  production(
    `postgres: { main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: x, ${fields} } }`,
  );
const output = (text: string): string => `${production('')}outputs: { stolen: "${text}" }\n`;

/** The manifests of an attacker who may send a pull request: 60 and more, each with an intent of its own. */
export function hostileManifests({ platform, attacker, foreignId }: Hosts): readonly HostileManifest[] {
  const link = (to: string, path = 'notes') => ({ 'trueup.yaml': reading(path), notes: { link: to } });
  const emulator = head('emulator');
  const state = (place: string) => `${head(`{ url: "${platform}" }`)}state: ${place}\n`;
  const pause = 'x'.repeat(200_000);
  return [
    // Files of the checkout and of the machine.
    { intent: 'print the token that a checkout leaves', files: reading('.git/config'), ends: 'private-source' },
    { intent: 'the same by a way around', files: reading('sub/../.git/config'), ends: 'private-source' },
    { intent: 'the same on a disk without capitals', files: reading('.GIT/config'), ends: 'private-source' },
    { intent: 'the same with more slashes', files: reading('.//.git//config'), ends: 'private-source' },
    { intent: 'print the env file of the service', files: reading('.env'), ends: 'private-source' },
    { intent: 'print the token of the package registry', files: reading('.npmrc'), ends: 'private-source' },
    { intent: 'print a private key', files: reading('deploy/id_ed25519'), ends: 'private-source' },
    { intent: 'print a private key of a server', files: reading('server.pem'), ends: 'private-source' },
    { intent: 'print the key of the state', files: reading('.trueup/key'), ends: 'private-source' },
    { intent: 'print a file that git ignores', files: reading('ignored.txt'), ends: 'private-source' },
    { intent: 'print a file beside the checkout', files: reading('../outside.txt'), ends: 'file-unreadable' },
    { intent: 'print the environment of the run', files: reading('/proc/self/environ'), ends: 'file-unreadable' },
    { intent: 'the same through a link', files: link('/proc/self/environ'), ends: 'file-unreadable' },
    { intent: 'read the token through a link', files: link('.git/config'), ends: 'private-source' },
    { intent: 'read it through a link to its folder', files: link('.git', 'notes/config'), ends: 'private-source' },
    { intent: 'leave the checkout through a link', files: link('../outside.txt'), ends: 'file-unreadable' },
    { intent: 'wait forever for a device', files: link('/dev/zero'), ends: 'file-unreadable' },
    { intent: 'print a file as an output', files: output('${file:.env}'), ends: 'private-source' },
    {
      intent: 'send a file to a container',
      files: compose('source: { type: raw, composeFile: "${file:.npmrc}" }'),
      ends: 'private-source',
    },
    {
      intent: 'have a file quoted as wrong YAML',
      files: `include: [.git/config]\n${production('')}`,
      ends: 'private-source',
    },
    { intent: 'the same with a pattern', files: `include: [".e*"]\n${production('')}`, ends: 'private-source' },
    { intent: 'the same outside', files: `include: [../outside.txt]\n${production('')}`, ends: 'file-unreadable' },
    {
      intent: 'the same through a link',
      files: { 'trueup.yaml': `include: ["part*"]\n${production('')}`, 'part.yaml': { link: '.git/config' } },
      ends: 'private-source',
    },
    {
      intent: 'have an ignored file quoted as wrong YAML',
      files: `include: [ignored.txt]\n${production('')}`,
      ends: 'yaml-syntax',
    },

    // Variables of the runner.
    { intent: 'print the token of the runner', files: describing('${env:GITHUB_TOKEN}'), ends: 'private-source' },
    { intent: 'the same with other capitals', files: describing('${env: github_token }'), ends: 'private-source' },
    { intent: 'print a key of the cloud', files: describing('${env:AWS_SECRET_ACCESS_KEY}'), ends: 'private-source' },
    { intent: 'print the API key', files: describing('${env:TRUEUP_API_KEY}'), ends: 'hostile-setting' },
    { intent: 'print a token as an output', files: output('${env:NPM_TOKEN}'), ends: 'private-source' },
    { intent: 'send the text of a function', files: describing('x${env:constructor}'), ends: 'bad-expression' },

    // Secrets that the manifest may use.
    { intent: 'print a secret as an output', files: output('${secret:DB}'), ends: 'planned' },
    { intent: 'have a secret quoted as a wrong name', files: postgres('name: "${secret:DB}/"'), ends: 'planned' },
    {
      intent: 'have a secret quoted as a wrong number',
      files: compose(`${composeFile}, domains: { a.example.com: { serviceName: web, port: "\${secret:DB}" } }`),
      ends: 'wrong-type',
    },
    {
      intent: 'have a secret quoted as a wrong schedule',
      files: postgres('backups: { a: { schedule: "${secret:DB}", destinationId: dst_1, prefix: a/ } }'),
      ends: 'wrong-type',
    },
    {
      intent: 'have a secret quoted as wrong YAML',
      files: compose('source: { type: raw, composeFile: "services: [ ${secret:DB}" }'),
      ends: 'inconsistent',
    },
    { intent: 'show a secret as an image', files: postgres('name: "x${secret:DB}"'), ends: 'planned' },
    {
      intent: 'show a secret by its name in a key',
      files: production('env: { "${secret:DB}": a }'),
      ends: 'env-value',
    },
    { intent: 'protect: by a secret', files: postgres('protect: "${secret:DB}"'), ends: 'wrong-type' },

    // Sources of secrets.
    {
      intent: 'run a program',
      head: `${head(`{ url: "${platform}" }`)}secrets: [{ command: [sh, -c, "env > stolen.txt; echo x", "{name}"] }]\n`,
      files: describing('${secret:UNKNOWN}'),
      ends: 'hostile-setting',
    },
    {
      intent: 'read the token as a file of secrets',
      head: `${head(`{ url: "${platform}" }`)}secrets: [{ file: .git/config }]\n`,
      files: describing('${secret:token}'),
      ends: 'private-source',
    },
    {
      intent: 'read the environment as a file of secrets',
      head: `${head(`{ url: "${platform}" }`)}secrets: [{ file: notes }]\n`,
      files: { 'trueup.yaml': describing('${secret:GITHUB_TOKEN}'), notes: { link: '/proc/self/environ' } },
      ends: 'file-unreadable',
    },
    {
      intent: 'have a file quoted as wrongly encrypted',
      head: `${head(`{ url: "${platform}" }`)}secrets: [{ age: sub/notes.txt }]\n`,
      files: describing('${secret:UNKNOWN}'),
      ends: 'secret-missing',
    },

    // Other hosts.
    {
      intent: 'send the API key to another platform',
      head: head(`{ url: "${attacker.platform}" }`),
      files: describing('x'),
      ends: 'hostile-setting',
    },
    {
      intent: 'the same with a user before the host',
      head: head(`{ url: "${platform}@${attacker.platform.replace('http://', '')}" }`),
      files: describing('x'),
      ends: 'wrong-type',
    },
    {
      intent: 'the same below the address of the platform',
      head: head(`{ url: "${platform}/other" }`),
      files: describing('x'),
      ends: 'hostile-setting',
    },
    {
      intent: 'run SQL by the name of a schema',
      head: state(`{ backend: postgres, schema: 'a"; drop table x; --' }`),
      files: describing('x'),
      ends: 'wrong-type',
    },
    { intent: 'have the emulator read a file', head: emulator, files: emulated('.env'), ends: 'hostile-setting' },
    {
      intent: 'have it read the environment',
      head: emulator,
      files: emulated('/proc/self/environ'),
      ends: 'hostile-setting',
    },

    // Objects of others.
    { intent: 'read out a database of another project', files: postgres(`id: "${foreignId}"`), ends: 'foreign-object' },
    { intent: 'the same with an environment', files: production('id: env_prj_2'), ends: 'foreign-object' },
    {
      intent: 'find it by an output',
      files: `${postgres(`id: "${foreignId}"`)}outputs: { stolen: "\${ref:production.postgres.main.host}" }\n`,
      ends: 'foreign-object',
    },

    // Commands to a runner or a terminal.
    { intent: 'the same at the start of a line', files: describing('a\\n::set-output name=a::b'), ends: 'planned' },
    {
      intent: 'give the runner a command in a key',
      files: production('env: { "a\\n::add-mask::b": "##[stop-commands]" }'),
      ends: 'env-value',
    },
    { intent: 'the same in an output', files: output('a\\n::set-output name=a::b'), ends: 'planned' },
    { intent: 'clear the terminal and write the title', files: describing('\\e[2J\\e]0;a\\x07\\r+'), ends: 'planned' },
    { intent: 'write to the terminal through an error of YAML', files: 'a: "\\e[2J" : b\n', ends: 'yaml-syntax' },

    // Time and memory.
    {
      intent: 'fill the memory with aliases',
      files: `x0: &x0 [a, a, a, a, a, a, a, a, a]\n${Array.from(
        { length: 9 },
        (_, n) => `x${n + 1}: &x${n + 1} [${`*x${n}, `.repeat(9)}]\n`,
      ).join('')}`,
      ends: 'yaml-syntax',
    },
    {
      intent: 'fill it with a variable',
      files: `variables: { a: { default: ${pause} } }\n${describing('${var:a}'.repeat(400))}`,
      ends: 'too-large',
    },
    {
      intent: 'fill it with the output of another object',
      files: postgres(`description: "${'${ref:compose.shop.appName}'.repeat(70_000)}"`).replace(
        'postgres:',
        `compose: { shop: { ${composeFile} } }, postgres:`,
      ),
      ends: 'too-large',
    },
    {
      intent: 'stop the clock with a pattern',
      files: {
        'trueup.yaml': `include: ["${'a*'.repeat(14)}b.yaml"]\n${production('')}`,
        [`${'a'.repeat(60)}.yaml`]: '',
      },
      ends: 'file-unreadable',
    },
    { intent: 'nest without end', files: `a: ${'['.repeat(20_000)}`, ends: 'yaml-syntax' },
    { intent: 'have one long key compared with all', files: `${'k'.repeat(1_000_000)}: 1\n`, ends: 'yaml-syntax' },

    // Names of members of every object.
    { intent: 'a variable of every object', files: describing('${var:__proto__}'), ends: 'bad-expression' },
    {
      intent: 'an output of every object',
      files: `${production('')}outputs: { toString: a, __proto__: b }\n`,
      ends: 'planned',
    },
    {
      intent: 'a reference to a member of every object',
      files: describing('${ref:constructor.name}'),
      ends: 'bad-reference',
    },
    { intent: 'a type of every object', files: compose('source: { type: constructor }'), ends: 'wrong-type' },
    {
      intent: 'an environment of every object',
      files: 'environments: { __proto__: {}, constructor: {} }\n',
      ends: 'planned',
    },

    // A shell.
    { intent: 'run a command at Tab', files: production('compose: { "$(touch ran)": {} }'), ends: 'planned' },
    {
      intent: 'offer a line of its own at Tab',
      files: production('compose: { "a\\n--auto-approve\\n": {} }'),
      ends: 'planned',
    },
  ];
}

/** The world of an embedded emulator as a link. */
function emulated(to: string): Readonly<Record<string, HostileFile>> {
  return { 'trueup.yaml': describing('x'), '.trueup/emulator.json': { link: to.startsWith('/') ? to : `../${to}` } };
}

import { hostileSecrets } from './hostile-secrets.ts';

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
  /** What a pipeline set otherwise, set to nothing, or forgot. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * The code of the diagnostic that plan stops with, or `planned`: it shows a plan. The attack then comes to nothing, and
   * is not a mistake in this table.
   */
  readonly ends: string;
  /** A text of the manifest that the plan in JSON shows as it is. */
  readonly shows?: string;
}

/** The hosts that manifests name. */
export interface Hosts {
  /** The platform that the pipeline is for. */
  readonly platform: string;
  /** The hosts of the attacker. */
  readonly attacker: { readonly platform: string; readonly s3: string; readonly postgres: string };
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

/** The manifests of an attacker who may send a pull request: 150, each with an intent of its own. */
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
    { intent: 'print a file that git does not track', files: reading('untracked.txt'), ends: 'private-source' },
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
      ends: 'private-source',
    },
    {
      intent: 'have the env file read as the manifest',
      files: { 'trueup.yaml': { link: '.env' } },
      ends: 'wrong-type',
    },
    {
      intent: 'have the key read as the manifest',
      files: { 'trueup.yaml': { link: 'server.pem' } },
      ends: 'wrong-type',
    },
    {
      intent: 'have a foreign file read as the manifest',
      files: { 'trueup.yaml': { link: '../outside.txt' } },
      ends: 'file-unreadable',
    },
    {
      intent: 'have the environment read as the manifest',
      files: { 'trueup.yaml': { link: '/proc/self/environ' } },
      ends: 'file-unreadable',
    },

    // Variables of the runner.
    { intent: 'print the token of the runner', files: describing('${env:GITHUB_TOKEN}'), ends: 'private-source' },
    { intent: 'the same with other capitals', files: describing('${env: github_token }'), ends: 'private-source' },
    { intent: 'print a key of the cloud', files: describing('${env:AWS_SECRET_ACCESS_KEY}'), ends: 'private-source' },
    { intent: 'print the API key', files: describing('${env:TRUEUP_API_KEY}'), ends: 'hostile-setting' },
    { intent: 'print a token as an output', files: output('${env:NPM_TOKEN}'), ends: 'private-source' },
    {
      intent: 'send an address with a password, whose name no rule knows',
      files: production('env: { A: "${env:DATABASE_URL}" }'),
      ends: 'private-source',
    },
    { intent: 'send the text of a function', files: describing('x${env:constructor}'), ends: 'private-source' },

    // Secrets that the manifest may use.
    { intent: 'print a secret as an output', files: output('${secret:DB}'), ends: 'planned' },
    {
      intent: 'have a secret quoted as a wrong name',
      files: postgres('name: "${secret:DB}/"'),
      ends: 'misplaced-secret',
    },
    {
      intent: 'have a secret quoted as a wrong number',
      files: compose(`${composeFile}, domains: { a.example.com: { serviceName: web, port: "\${secret:DB}" } }`),
      ends: 'misplaced-secret',
    },
    {
      intent: 'have a secret quoted as a wrong schedule',
      files: postgres('backups: { a: { schedule: "${secret:DB}", destinationId: dst_1, prefix: a/ } }'),
      ends: 'misplaced-secret',
    },
    {
      intent: 'have a secret quoted as wrong YAML',
      files: compose('source: { type: raw, composeFile: "services: [ ${secret:DB}" }'),
      ends: 'inconsistent',
    },
    { intent: 'show a secret as a name', files: postgres('appName: "x${secret:DB}"'), ends: 'misplaced-secret' },
    {
      intent: 'show a secret by its name in a key',
      files: production('env: { "${secret:DB}": a }'),
      ends: 'bad-expression',
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
      intent: 'the same where the pipeline set an empty address',
      head: head(`{ url: "${attacker.platform}" }`),
      env: { TRUEUP_URL: '' },
      files: describing('x'),
      ends: 'unpinned',
    },
    {
      intent: 'the same below the address of the platform',
      head: head(`{ url: "${platform}/other" }`),
      files: describing('x'),
      ends: 'hostile-setting',
    },
    {
      intent: 'send the API key elsewhere where the pipeline forgot to name the platform',
      head: head('{ url: "https://attacker.example.test" }'),
      env: { TRUEUP_URL: undefined },
      files: describing('x'),
      ends: 'unpinned',
    },
    {
      intent: 'have the state read from another store, with the key of the cloud',
      head: state(`{ backend: s3, endpoint: "${attacker.s3}", bucket: a }`),
      files: describing('x'),
      ends: 'hostile-setting',
    },
    {
      intent: 'the same where the pipeline forgot to name the state',
      head: state('{ backend: s3, endpoint: "https://attacker.example.test", bucket: a }'),
      env: { TRUEUP_STATE_URL: undefined },
      files: describing('x'),
      ends: 'unpinned',
    },
    {
      intent: 'the same where the pipeline set an empty location',
      head: state(`{ backend: s3, endpoint: "${attacker.s3}", bucket: a }`),
      env: { TRUEUP_STATE_URL: '' },
      files: describing('x'),
      ends: 'unpinned',
    },
    {
      intent: 'read the state of another project in the same database',
      head: state('{ backend: postgres, schema: other, name: prj_2 }'),
      env: { TRUEUP_STATE_URL: attacker.postgres },
      files: describing('x'),
      ends: 'hostile-setting',
    },
    {
      intent: 'have no state read, so that all is created again',
      head: state('{ backend: local }'),
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
    {
      intent: 'ask for more than a project',
      head: `trueup: 1\nplatform: { url: "${platform}" }\nproject: "prj_1&x=../user.get#"\n`,
      files: describing('x'),
      ends: 'platform-answer',
    },
    { intent: 'ask for more than an object', files: postgres('id: "x&postgresId=pg_foreign"'), ends: 'not-found' },
    {
      intent: 'have an object of another project taken for its own by a committed state',
      env: { TRUEUP_STATE_URL: undefined },
      files: {
        'trueup.yaml': `${postgres('')}outputs: { stolen: "\${ref:production.postgres.main.appName}" }\n`,
        '.trueup/state.json': forgedState(foreignId),
      },
      ends: 'state-forged',
    },

    // Commands to a runner or a terminal.
    { intent: 'give the runner a command in a description', files: describing('##[add-mask]a'), ends: 'planned' },
    {
      intent: 'the same in another language',
      files: describing('##vso[task.setvariable variable=A]b'),
      ends: 'planned',
    },
    { intent: 'the same at the start of a line', files: describing('a\\n::set-output name=a::b'), ends: 'planned' },
    {
      intent: 'give the runner a command in a key',
      files: production('env: { "a\\n::add-mask::b": "##[stop-commands]" }'),
      ends: 'env-value',
    },
    {
      intent: 'the same in the name of a block',
      files: compose(`name: "##[group]a", ${composeFile}`),
      ends: 'planned',
    },
    {
      intent: 'the same in the key of a block',
      files: production('compose: { "##[add-mask]a": { name: a } }'),
      ends: 'planned',
    },
    { intent: 'the same in an unknown key', files: `"##[add-mask]a": 1\n${production('')}`, ends: 'unknown-key' },
    { intent: 'the same in an output', files: output('a\\n::set-output name=a::b'), ends: 'planned' },
    {
      intent: 'give the runner a command in the name of a file',
      files: {
        'trueup.yaml': `include: ["parts/*"]\n${production('')}`,
        'parts/##[add-mask]a.yaml': 'x: 1\n',
        'parts/b\n::add-mask::c.yaml': 'x: 1\n',
        'parts/d\u202Ee\u001B[2J.yaml': 'x: [\n',
      },
      ends: 'unknown-key',
    },
    {
      intent: 'give the runner a command in a line of a compose file',
      files: {
        'trueup.yaml': compose('source: { type: raw, composeFile: "${file:compose.yaml}" }'),
        'compose.yaml': 'services: { web: { image: nginx } }\nx-a: |\n  b\n  ::set-output name=a::b\n  ##[add-mask]c\n',
      },
      ends: 'planned',
    },
    { intent: 'clear the terminal and write the title', files: describing('\\e[2J\\e]0;a\\x07\\r+'), ends: 'planned' },
    { intent: 'hide a change behind bidirectional text', files: describing('a\\u202Eb\\u2066c'), ends: 'planned' },
    { intent: 'the same in an environment', files: 'environments: { "a\\u202Eb": {} }\n', ends: 'planned' },
    {
      intent: 'hide a change in characters that do not show',
      files: describing('a\\u200Bb\\u2060c\\u00ADd\\U000E0041e'),
      ends: 'planned',
    },
    { intent: 'break lines that others read as one', files: describing('a\\u2028b\\u0085c'), ends: 'planned' },
    { intent: 'write to the terminal through an error of YAML', files: 'a: "\\e[2J" : b\n', ends: 'yaml-syntax' },

    // Time and memory.
    {
      intent: 'fill the memory with aliases',
      files: bomb(),
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
      intent: 'fill the memory with aliases in a compose file',
      files: {
        'trueup.yaml': compose(
          'source: { type: raw, composeFile: "${file:compose.yaml}" }, domains: { a.example.com: { serviceName: web, port: 80 } }',
        ),
        'compose.yaml': `services: { web: { image: nginx } }\n${bomb('x-')}`,
      },
      ends: 'inconsistent',
    },
    { intent: 'fill it with merged keys', files: `${merges()}\n`, ends: 'yaml-syntax' },
    {
      intent: 'stop the clock with a pattern',
      files: {
        'trueup.yaml': `include: ["${'a*'.repeat(14)}b.yaml"]\n${production('')}`,
        [`${'a'.repeat(60)}.yaml`]: '',
      },
      ends: 'file-unreadable',
    },
    {
      intent: 'stop the clock with long values that nearly fit',
      files: production(
        `compose: { shop: { ${composeFile}, env: { "${'A'.repeat(100_000)}!": a }, domains: { "${'a-'.repeat(50_000)}!": { serviceName: web, port: 80, path: "${'/a'.repeat(50_000)} " } } } }, postgres: { main: { dockerImage: "${'a/'.repeat(50_000)}:", databaseName: "${'a'.repeat(100_000)}!", databaseUser: a, databasePassword: x, backups: { a: { schedule: "${'*/1,'.repeat(50_000)}", destinationId: x, prefix: "${'a/'.repeat(50_000)} " } } } }, application: { a: { memoryLimit: "${'1'.repeat(100_000)}x", source: { type: git, url: "${'a@'.repeat(50_000)}", branch: "${'a/'.repeat(50_000)}.." } } }`,
      ),
      ends: 'env-value',
    },
    { intent: 'nest without end', files: `a: ${'['.repeat(20_000)}`, ends: 'yaml-syntax' },
    { intent: 'have one long key compared with all', files: `${'k'.repeat(1_000_000)}: 1\n`, ends: 'yaml-syntax' },
    {
      intent: 'run code by a tag of YAML',
      files: describing('x').replace('"x"', `!!js/function "function () { return 1 }"`),
      ends: 'yaml-syntax',
    },

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
      intent: 'offer a line of its own at Tab by a committed state',
      env: { TRUEUP_STATE_URL: undefined },
      files: {
        'trueup.yaml': production(''),
        '.trueup/state.json': forgedState(foreignId, 'production.postgres.a\n--auto-approve\u001B[2J'),
      },
      ends: 'state-forged',
    },
    {
      intent: 'offer a line of its own at Tab',
      files: production('compose: { "a\\n--auto-approve\\n": {} }'),
      ends: 'planned',
    },
    ...hostileSecrets(platform),
  ];
}

/** Lines of YAML that would have 9 to the power of 9 members, and begin with `prefix`. */
function bomb(prefix = ''): string {
  const lists = Array.from({ length: 9 }, (_, n) => `${prefix}x${n + 1}: &x${n + 1} [${`*x${n}, `.repeat(9)}]\n`);
  return `${prefix}x0: &x0 [a, a, a, a, a, a, a, a, a]\n${lists.join('')}`;
}

/** Maps of which each merges the one before it many times. */
function merges(): string {
  const maps = Array.from(
    { length: 60 },
    (_, n) => `a${n + 1}: &a${n + 1} { <<: [${`*a${n}, `.repeat(60)}], b${n}: 1 }\n`,
  );
  return `a0: &a0 { b: 1 }\n${maps.join('')}`;
}

/** A state that ties the database of the manifest to another object. */
function forgedState(id: string, address = 'production.postgres.main'): string {
  const record = { kind: 'postgres', id, parent: 'production', dependsOn: [], pairs: {}, options: {} };
  const place = { kind: 'environment', id: 'env_prj_1', parent: null, dependsOn: [], pairs: {}, options: {} };
  return JSON.stringify({
    formatVersion: 2,
    lineage: 'a',
    serial: 1,
    digestKey: 'a',
    organizationId: 'org_1',
    projectId: 'prj_1',
    resources: { production: place, [address]: record },
  });
}

/** The world of an embedded emulator as a link. */
function emulated(to: string): Readonly<Record<string, HostileFile>> {
  return { 'trueup.yaml': describing('x'), '.trueup/emulator.json': { link: to.startsWith('/') ? to : `../${to}` } };
}

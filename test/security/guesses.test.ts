import { describe, expect, it } from 'vitest';
import { newStateKey } from '../../src/secrets/state-key.ts';
import { project, trueup } from '../cli/process.ts';

/** Whoever may change a manifest learns nothing from guesses at the secrets of the run: no output compares them. */

const stateKey = newStateKey().text();
const env = {
  TRUEUP_STATE_KEY: stateKey,
  TRUEUP_API_KEY: 'right-key-4711-of-an-owner',
  TRUEUP_SECRET_PASSWORD: 'correct-horse-battery',
  GITHUB_TOKEN: 'job-token-0815-of-a-pipeline',
  TRUEUP_STATE_URL: 'postgres://shop:db-password-4712@db.example.com/state',
};

/** Another text of the same length and the same sort, with another last letter or digit. */
function wrong(guess: string): string {
  return guess.replace(/[a-z\d](?=[^a-z\d]*$)/i, (sign) =>
    /\d/.test(sign) ? (sign === '1' ? '2' : '1') : sign === 'x' ? 'y' : 'x',
  );
}

const known = [stateKey, env.TRUEUP_API_KEY, env.TRUEUP_SECRET_PASSWORD, env.GITHUB_TOKEN, 'db-password-4712'];
const guesses = [...known, stateKey.slice(0, 14), stateKey.slice(-12), env.TRUEUP_SECRET_PASSWORD.slice(0, 8)];

const top = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';
const redis = (more: string) => `${top}environments:
  production:
    redis:
      cache:
        dockerImage: redis:7
        databasePassword: x1
        ${more}
`;
const stack = (more: string) => `${top}environments:
  production:
    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        ${more}
`;

/** Where a guess may stand. */
const places: Readonly<Record<string, (guess: string) => string>> = {
  'a variable that is not declared': (guess) => redis(`description: "\${var:${guess}}"`),
  'a variable of the environment': (guess) => redis(`description: "\${env:${guess}}"`),
  'an expression that is not closed': (guess) => redis(`description: "${guess} \${var:a"`),
  'a reference': (guess) => redis(`description: "\${ref:redis.${guess}.id}"`),
  'the name of a secret': (guess) => redis(`command: "\${secret:${guess}}"`),
  'a key of a manifest': (guess) => `${top}"${guess}": 1\nenvironments: { production: {} }\n`,
  'a key of a block': (guess) => redis(`"${guess}": 1`),
  'a key that holds its value': (guess) => redis(`"description:${guess}":`),
  'a key of env': (guess) => redis(`env: { "${guess}": }`),
  'a key of a block twice': (guess) => redis(`env: { "${guess}": a, "${guess}": b }`),
  'the name of a block': (guess) =>
    `${top}environments:\n  production:\n    redis: { "${guess}": { dockerImage: [] } }\n`,
  'a value of the wrong type': (guess) => redis(`env: { A: ["${guess}"] }`),
  'a description': (guess) => redis(`description: "${guess}"`),
  'a value of env': (guess) => redis(`env: { A: "${guess}" }`),
  'a part of a text': (guess) => redis(`description: "see ${guess} there"`),
  'an image': (guess) => redis('').replace('redis:7', `redis:${guess}`),
  'a host': (guess) => stack(`domains: { "${guess}.example.com": { serviceName: web, port: 80 } }`),
  'a host twice': (guess) =>
    stack(`domains:
          a: { host: "${guess}.com", serviceName: web, port: 80 }
          b: { host: "${guess}.com", serviceName: web, port: 80 }`),
  'a service of a compose file': (guess) => stack(`domains: { a.com: { serviceName: "${guess}", port: 80 } }`),
  'a moved block': (guess) =>
    `${redis('')}moved: [{ from: "production.redis.${guess}", to: production.redis.cache }]\n`,
  'an output': (guess) => `${redis('')}outputs: { "${guess}": "${guess}" }\n`,
  'a project': (guess) => redis('').replace('prj_1', guess),
  'a file to include': (guess) => `${redis('')}include: ["${guess}.yaml"]\n`,
  'a comment, and wrong blanks': (guess) => `${redis('')}# ${guess}\nvariables:   {  a:  b }\n`,
};

const commands: readonly (readonly string[])[] = [
  ['validate'],
  ['validate', '--format', 'json'],
  ['validate', '--format', 'sarif'],
  ['plan'],
  ['plan', '--format', 'json'],
  ['plan', '--format', 'markdown'],
  ['graph'],
  ['fmt', '--diff'],
  ['drift', '--no-remember', '--format', 'json'],
  ['eval', 'production.redis.cache.description'],
  ['explain', 'production.redis.cache', '--offline'],
];

/** What the commands print of a manifest, but for the guess in it. */
async function printed(manifest: (guess: string) => string, guess: string, words: readonly string[]): Promise<string> {
  const folder = project(manifest(guess));
  const { code, out, err } = await trueup([...words, '-C', folder], {
    env: { ...env, TRUEUP_STATE_URL: '', TRUEUP_DEBUG: '1' },
  });
  const said = `${code}\n${out}\n${err}`.replaceAll(folder, 'FOLDER').replaceAll(/trueup-cli-\w+/g, '');
  return said.replaceAll(guess, 'GUESS').replaceAll(guess.toLowerCase(), 'GUESS');
}

/** Texts that their fields constrain: what stands around a secret must not decide whether the field takes it. */
const constrained: Readonly<Record<string, readonly [(around: string) => string, right: string, wrong: string]>> = {
  'the port of an address': [
    (around) => `ai: { a: { apiUrl: "http://h:${around}\${secret:PIN}/", apiKey: "", model: m } }\n`,
    '6', // of 4711: 64711 is a port
    '7',
  ],
  'a flag with a value': [
    (around) =>
      `destinations: { a: { provider: AWS, accessKey: a, secretAccessKey: b, bucket: c, region: d, endpoint: "https://h", additionalFlags: ["--a\${secret:FLAG}${around}"] } }\n`,
    '1', // behind `=x`
    '=1',
  ],
  'a host': [
    (around) => `registries: { a: { registryUrl: "h${around}\${secret:PASSWORD}", username: u, password: p } }\n`,
    '',
    'a',
  ],
  'a user name': [
    (around) => `registries: { a: { registryUrl: h, username: "${around}\${secret:PASSWORD}", password: p } }\n`,
    'a',
    ' ',
  ],
};

describe.each(Object.entries(constrained))('a guess beside a secret in %s', (_title, [manifest, right, wrong]) => {
  it.each(commands.slice(0, 6).map((words) => [words.join(' '), words] as const))(
    'prints the same in trueup %s',
    async (_name, words) => {
      const folder = (around: string) => project(`${top}environments: { production: {} }\n${manifest(around)}`);
      const said = async (around: string, secrets: Readonly<Record<string, string>>) => {
        const at = folder(around);
        const { code, out, err } = await trueup([...words, '-C', at], {
          env: { TRUEUP_STATE_KEY: stateKey, ...secrets },
        });
        return `${code}\n${out}\n${err}`.replaceAll(at, 'FOLDER').replaceAll(/trueup-cli-\w+/g, '');
      };
      const secrets = {
        TRUEUP_SECRET_PIN: '4711',
        TRUEUP_SECRET_FLAG: '=x',
        TRUEUP_SECRET_PASSWORD: 'correct-horse-battery',
      };
      const others = {
        TRUEUP_SECRET_PIN: '471199',
        TRUEUP_SECRET_FLAG: ' x',
        TRUEUP_SECRET_PASSWORD: 'correct/horse battery ',
      };
      for (const around of [right, wrong]) expect(await said(around, secrets), around).toBe(await said(around, others));
    },
  );
});

describe.each(Object.entries(places))('S7: a guess that stands as %s', (_title, manifest) => {
  it.each(commands.map((words) => [words.join(' '), words] as const))(
    'S7: prints the same in trueup %s',
    async (_name, words) => {
      for (const guess of guesses) {
        const said: string[] = [];
        for (const one of [guess, wrong(guess)]) said.push(await printed(manifest, one, words));
        expect(said[0], guess).toBe(said[1]);
      }
    },
  );
});

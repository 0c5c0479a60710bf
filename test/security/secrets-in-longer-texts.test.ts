import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { trueup } from '../cli/process.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { production, raw, reported } from '../diagnostics/provoked.ts';
import { inFormat, trueupInEveryFormat } from '../support/every-format.ts';

/** A password in clear that a parameter or a variable with the name of a secret makes a part of a longer text. */

const password = 'Tiger9zebra';
const shapes = [password, encodeURIComponent(`${password}@`), Buffer.from(password).toString('base64').slice(0, -2)];
const compose = `source: { type: raw, composeFile: "services: { web: { image: 'nginx:1.27', env_file: .env } }" }`;
const template = (block: string, parameter = '{}') =>
  `templates: { t: { parameters: { password: ${parameter} }, block: { ${block} } } }\n`;
const variable = `variables: { db_password: { default: ${password} } }\n`;

interface Form {
  readonly start: string;
  readonly block: string;
  readonly env?: Record<string, string>;
  /** Another section of the environment. */
  readonly beside?: string;
  /** How many objects the plan creates; by default one for each section. */
  readonly creates?: number;
}

/** A variable with an innocent name that is also a password. */
const flavour = `variables: { flavour: { default: ${password} } }\n`;
const beside =
  'postgres: { db: { dockerImage: "postgres:17", databaseName: d, databaseUser: u, databasePassword: "${var:flavour}" } }';

/** A template with a parameter of an innocent name, and a database that uses it. */
const secretOf = (block: string, parameter = '{}') =>
  `templates:\n  t: { parameters: { word: ${parameter} }, block: { ${block} } }\n`;
const used = (use: string, given = `, with: { word: ${password} }`) =>
  `postgres: { db: { ${use}${given}, dockerImage: "postgres:17", databaseName: d, databaseUser: u } }`;

const forms: readonly (readonly [string, Form])[] = [
  [
    'a parameter',
    { start: template('env: { OPTS: "-x ${param:password} -y" }'), block: `use: t, with: { password: ${password} }` },
  ],
  [
    'a parameter that is all of the text',
    { start: template('env: { OPTS: "${param:password}" }'), block: `use: t, with: { password: ${password} }` },
  ],
  [
    'the default of a parameter',
    { start: template('env: { OPTS: "-x ${param:password}" }', `{ default: ${password} }`), block: 'use: t' },
  ],
  [
    'a parameter that a template hands on',
    {
      start: `templates:\n  t: { parameters: { password: {} }, block: { use: u, with: { flags: "-x \${param:password}" } } }\n  u: { parameters: { flags: {} }, block: { env: { OPTS: "\${param:flags} $\${env:A}" } } }\n`,
      block: `use: t, with: { password: ${password} }`,
    },
  ],
  [
    'a text with another secret',
    {
      start: template('env: { OPTS: "-x ${param:password} -y ${secret:OTHER}" }'),
      block: `use: t, with: { password: "${password}\${secret:OTHER}" }`,
      env: { TRUEUP_SECRET_OTHER: 'another-secret' },
    },
  ],
  ['a variable', { start: variable, block: 'env: { OPTS: "-x ${var:db_password}" }' }],
  ['a variable that is encoded', { start: variable, block: 'env: { OPTS: "-x ${var:db_password|base64}" }' }],
  [
    'a variable with signs that are encoded',
    { start: variable.replace(password, `"${password}@"`), block: 'env: { OPTS: "-x ${var:db_password|urlencode}" }' },
  ],
  [
    'a variable of the command line',
    {
      start: 'variables: { db_password: {} }\n',
      block: 'env: { OPTS: "-x ${var:db_password}" }',
      env: { TRUEUP_VAR_db_password: password },
    },
  ],
  ['a variable in a description', { start: variable, block: 'description: "see ${var:db_password}"' }],
  [
    'a variable in a compose file',
    {
      start: variable,
      block: `source: { type: raw, composeFile: "services: { web: { image: 'nginx:1.27', command: 'x \${var:db_password}' } }" }`,
    },
  ],
  ['a variable that a secret field has', { start: flavour, beside, block: 'env: { OPTS: "${var:flavour}" }' }],
  [
    'a variable that a secret field has by a template',
    {
      start: `${flavour}templates: { t: { parameters: { word: {} }, block: { databasePassword: "\${param:word}" } } }\n`,
      beside: beside.replace('databasePassword: ', 'use: t, with: { word: ').replace('" } }', '" } } }'),
      block: 'env: { OPTS: "-x ${var:flavour|base64}" }',
    },
  ],
  [
    'a variable that a secret field has, in a description and an output',
    {
      start: `${flavour}outputs: { flags: "-x \${var:flavour}" }\n`,
      beside,
      block: 'description: "-x ${var:flavour}"',
    },
  ],
  [
    'a parameter that a secret field has',
    {
      start: secretOf(
        'databasePassword: "${param:word}", description: "x ${param:word}", env: { OPTS: "-x ${param:word}" }',
      ),
      beside: used('use: t'),
      block: 'env: { A: b }',
    },
  ],
  [
    'the default of a parameter that a secret field has, all of another value',
    {
      start: secretOf('databasePassword: "${param:word}", args: [--flag, "${param:word}"]', `{ default: ${password} }`),
      beside: used('use: t', ''),
      block: 'env: { A: b }',
    },
  ],
  [
    'a parameter that a secret field of another template has',
    {
      start: `${secretOf('use: u, with: { it: "${param:word}" }, env: { OPTS: "-x ${param:word}" }')}  u: { parameters: { it: {} }, block: { databasePassword: "\${param:it}" } }\n`,
      beside: used('use: t'),
      block: 'env: { A: b }',
    },
  ],
  [
    'a parameter of another template that gets the one of a secret field',
    {
      start: `${secretOf('use: u, with: { it: "-x ${param:word}" }, databasePassword: "${param:word}"')}  u: { parameters: { it: {} }, block: { env: { OPTS: "\${param:it}" } } }\n`,
      beside: used('use: t'),
      block: 'env: { A: b }',
    },
  ],
  [
    'a parameter that a secret field of a block below has',
    {
      start: secretOf(
        'source: { type: docker, image: nginx }, env: { OPTS: "-x ${param:word}" }, security: { u: { username: u, password: "${param:word}" } }',
      ),
      beside: `application: { web: { use: t, with: { word: ${password} }, deploy: never } }`,
      block: 'env: { A: b }',
      creates: 3,
    },
  ],
  [
    'a variable in an output',
    { start: `${variable}outputs: { flags: "-x \${var:db_password}" }\n`, block: 'env: { A: b }' },
  ],
];

test.each(forms)(
  '%s shows nowhere, is in no state, and is applied as it is',
  async (_, { start, block, env = {}, beside: more, creates = more === undefined ? 1 : 2 }) => {
    const cwd = mkdtempSync(join(tmpdir(), 'trueup-longer-texts-'));
    const body = block.includes('composeFile') ? block : `${compose}, ${block}`;
    const manifest = `trueup: 1\nplatform: emulator\nproject: prj_1\n${start}environments: { production: { compose: { main: { ${body} } }${more === undefined ? '' : `, ${more}`} } }\n`;
    writeFileSync(join(cwd, 'trueup.yaml'), manifest);
    const printed: string[] = [];
    const run = async (...args: string[]) => {
      const { out, err, code } = await trueupInEveryFormat(args, { cwd, env });
      printed.push(out, err);
      return { out, code };
    };
    const plan = await run('plan');
    expect([plan.code, inFormat('text', plan)]).toEqual([0, expect.stringContaining(`${creates} to create`) as string]);
    await run('explain', 'production.compose.main');
    await run('apply', '--auto-approve');
    await run('output');
    await run('drift');
    const { out } = await trueup(['plan'], { cwd, env });
    expect(out).toContain('No changes.');
    writeFileSync(join(cwd, 'trueup.yaml'), manifest.replaceAll('-x ', '-q ').replace("'x ", "'q "));
    await run('plan');
    const folder = join(cwd, '.trueup');
    const states = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      name.endsWith('state.json'),
    );
    expect(states).toHaveLength(1);
    for (const name of states) printed.push(readFileSync(join(folder, name), 'utf8'));
    for (const shape of shapes) expect(printed.join('\n')).not.toContain(shape);
  },
);

test.each([
  ['of another value in the text', 'networks: [front], command: "x ${value}"', 'names the network front'],
  ['of the value itself', 'networks: ["${value}x"]', 'with the value of ${var:db_password}, '],
])('a check %s says what it finds, and not the value', async (_, members, expected) => {
  const web = raw(`services: { web: { image: "nginx:1.27", ${members.replace('${value}', '${var:db_password}')} } }`);
  const found = await reported(() => read({ 'trueup.yaml': production(web) + variable }));
  const messages = found.map(({ code, message, remedy = '' }) => `${code}: ${message} -> ${remedy}`);
  expect(messages).toEqual([expect.stringContaining(expected)]);
  expect(messages.join()).not.toContain(password);
});

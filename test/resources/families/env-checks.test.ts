import { expect, test } from 'vitest';
import { read } from '../../diagnostics/in-manifests.ts';
import { database, production, stack } from '../../diagnostics/provoked.ts';

const messages = async (text: string) =>
  (await read({ 'trueup.yaml': production(text) }))
    .filter(({ code }) => code === 'refused-expression' || code === 'env-line')
    .map(({ code, message, remedy = '' }) => `${code}: ${message} ${remedy}`);
const says = (text: string) => [expect.stringContaining(text) as string];
const nothing: readonly string[] = [];

test.each([
  ['{ A: "${{ environment.REGION }}" }', says('Write ${{environment.REGION}}, without blanks')],
  ['{ A: "${{Environment.REGION}}" }', says('Write ${{environment.REGION}}')],
  ['{ A: "${{NOPE}}" }', says('A: the platform refuses ${{NOPE}}')],
  ['{ A: "${{REGIO}}", REGION: eu }', says('Did you mean REGION?')],
  ['{ A: "${{ github.sha }}" }', says('refused-expression')],
  ['"A=${{NOPE}}\\n"', says('refused-expression')],
  ['{ A: "${{ B }}", B: b }, envMode: merge', says('refused-expression')],
  ['{ A: "${{B}}", B: b }', nothing],
  ['{ A: "${{B}}" }, envMode: merge', nothing],
  ['{ A: "${{environment.REGION}} ${{project.X}}" }', nothing],
  ['{ A: "${{vault.team.db#password}}" }', nothing],
  ['{ A: "${{vault.team/db#password}}" }', says('refused-expression')],
  ['{ A: "${{ vault.team.db }}" }', says('refused-expression')],
  ['{ A: "$${B} ${B} {{C}}" }', nothing],
  ['{ A: "${secret:PW}" }', nothing],
])('F4: what the platform refuses in env: %s', async (env, expected) => {
  expect(await messages(database(`env: ${env}`))).toEqual(expected);
});

test('F4: is no question where nothing reads the env', async () => {
  expect(await messages(stack('env: { A: "${{NOPE}}" }, createEnvFile: false'))).toEqual([]);
});

test.each([
  ['A=1\\nuse flake\\n', says('line 2 sets no variable')],
  ['PATH_add bin\\nA=1\\n', says('line 1 sets no variable')],
  ['if true; then\\nA=1\\n', says('line 1')],
  ['A=1\\nB=2\\nA=3\\n', says('A stands in lines 1 and 3: the later one counts')],
  ['A=1\\nexport A=2\\n', says('A stands in lines 1 and 2')],
  ['=1\\n', says('line 1')],
  ['# a\\n\\nA=1\\n', nothing],
  ['export A=1\\nB: 2\\n', nothing],
  ['A="1\\n use flake\\n"\\n', nothing],
  ["A='1\\nB=2'\\nB=3\\n", nothing],
  ['A=\\n', nothing],
  ['A=a b c\\n', nothing],
])('F16: lines of an env text: %s', async (env, expected) => {
  expect(await messages(database(`env: "${env.replaceAll('"', String.raw`\"`)}"`))).toEqual(expected);
});

const sql = 'databaseName: shop, databaseUser: shop, databasePassword: "${secret:PW}"';
const insteadOf = (name: string, field: string) => [
  `env: ${name} counts in place of ${field}: the platform writes that first`,
];
test.each([
  ['postgres', `${sql}, env: { POSTGRES_DB: other }`, insteadOf('POSTGRES_DB', 'databaseName')],
  ['postgres', `${sql}, env: "POSTGRES_USER=admin\\n"`, insteadOf('POSTGRES_USER', 'databaseUser')],
  ['mysql', `${sql}, env: { MYSQL_ROOT_PASSWORD: root }`, insteadOf('MYSQL_ROOT_PASSWORD', 'databaseRootPassword')],
  [
    'mysql',
    `${sql}, env: { MYSQL_ROOT_PASSWORD: "\${secret:ROOT}" }`,
    insteadOf('MYSQL_ROOT_PASSWORD', 'databaseRootPassword'),
  ],
  ['mariadb', `${sql}, env: { MARIADB_DATABASE: other }`, insteadOf('MARIADB_DATABASE', 'databaseName')],
  [
    'mongo',
    'databaseUser: shop, databasePassword: abc, env: { MONGO_INITDB_ROOT_PASSWORD: other }',
    insteadOf('MONGO_INITDB_ROOT_PASSWORD', 'databasePassword'),
  ],
  ['postgres', `${sql}, env: { POSTGRES_PASSWORD: "\${secret:PW}", POSTGRES_DB: shop }`, nothing],
  ['postgres', `${sql}, env: { POSTGRES_INITDB_ARGS: x }`, nothing],
  ['mariadb', `${sql}, env: { MYSQL_DATABASE: other }`, nothing],
  ['redis', 'databasePassword: abc, env: { REDIS_PASSWORD: other }', nothing],
])('variables that take the place of fields: %s: %s', async (kind, more, expected) => {
  const files = { 'trueup.yaml': production(`    ${kind}: { main: { dockerImage: "${kind}:9", ${more} } }\n`) };
  for (const secrets of [{ PW: 'secret-1', ROOT: 'secret-2' }, {}]) {
    const found = (await read(files, { secrets })).filter(({ code }) => code === 'ignored-setting');
    expect(found.map((one) => one.message)).toEqual(expected);
  }
});

import { expect, test } from 'vitest';
import { shown } from '../../src/manifest/problem.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { database, production, raw, reported } from '../diagnostics/provoked.ts';

/** What checks say of a manifest with a password in clear: they name its key, and show no part of it. */

const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';

/** A compose with one service; `more` is added to its block. */
const web = (members: string, more = '', rest = '') =>
  raw(`services:\n  web: { image: "nginx:1.27", ${members} }\n${rest}`, more);
const stack = 'composeType: stack';
const isStack = (members: string) => web(members, stack);

/** The code of a finding, the manifest that it is about, and the part of the password that must not show. */
const rows: readonly (readonly [string, string, string?])[] = [
  ['rewritten-file', web('environment: { POSTGRES_PASSWORD: 04815162342 }'), '4815162342'],
  ['rewritten-file', web('environment: { POSTGRES_PASSWORD: 48151623420481516234 }'), '48151623420'],
  ['rewritten-file', web('environment: { POSTGRES_PASSWORD: "1974-11-05" }'), '1974-11-05'],
  ['rewritten-file', web('labels: { own: "1974-11-05" }', 'private: [own]'), '1974-11-05'],
  ['refused-expression', web("environment: { POSTGRES_PASSWORD: 'Tiger9${hunter2!xyz' }"), 'hunter2'],
  ['refused-expression', web("environment: ['POSTGRES_PASSWORD=Tiger9${hunter2!xyz']"), 'hunter2'],
  ['refused-expression', isStack("environment: { POSTGRES_PASSWORD: 'Tiger9$!hunter2' }"), '$!'],
  ['refused-expression', web('', "env: { DB_PASSWORD: 'Tiger9${{hunter2}}xyz' }"), 'hunter2'],
  ['refused-expression', database("env: { DB_PASSWORD: 'Tiger9${{hunter2}}xyz' }"), 'hunter2'],
  ['unset-variable', web("environment: { POSTGRES_PASSWORD: 'Tiger9$hunter2xyz' }"), 'hunter2'],
  ['unset-variable', web("environment: { POSTGRES_PASSWORD: 'Tiger9${hunter2:?}' }"), 'hunter2'],
  ['unset-variable', web(`volumes: ["${token}:\${MISSING}"]`)],
  ['unset-variable', web('volumes: ["${API_TOKEN}:${MISSING}"]', `env: { API_TOKEN: ${token} }`)],
  ['unset-variable', web('volumes: ["${OWN}:${MISSING}"]', 'private: [OWN], env: { OWN: ./hunter2 }'), 'hunter2'],
  ['unset-variable', web(`ports: ["${token}:\${MISSING}"]`)],
  ['unset-variable', raw(`services: { web: { image: "${token}:\${MISSING}" } }`)],
  ['stray-dollar', database("env: { DB_PASSWORD: 'Tiger9$HOST', HOST: a }"), 'HOST'],
  [
    'stray-dollar',
    `    postgres: { main: { dockerImage: "\${{${token}}}", databaseName: a, databaseUser: b, databasePassword: c } }\n`,
  ],
  ['refused-setting', web(`volumes: ["${token}:/a"]`)],
  ['refused-setting', web(`volumes: ["a/${token}:/a"]`)],
  ['refused-setting', web('volumes: ["${API_TOKEN}x:/a", "b:/b"]', `env: { API_TOKEN: ${token} }`)],
  ['refused-setting', web(`networks: ["${token}"]`)],
  ['refused-setting', web(`depends_on: ["${token}"]`)],
  ['refused-setting', web(`secrets: ["${token}"]`)],
  ['refused-setting', web(`profiles: ["${token}"]`)],
  ['refused-setting', web('environment: [48151623]', 'private: [environment]'), '48151623'],
  ['refused-setting', raw(`version: "${token}"\nservices: { web: { image: nginx } }`, stack)],
  ['ignored-setting', isStack(`ports: ["127.0.0.1:80:${token}"]`)],
  ['ignored-setting', web('', `composePath: ${token}/a.yml`)],
  ['lost-route', web('', `isolatedDeployment: true, suffix: ${token}`)],
  [
    'lost-route',
    raw(
      `services: { a: { image: nginx }, web: { image: nginx, profiles: [${token}] } }`,
      'domains: { shop.example.com: { serviceName: web, port: 80 } }',
    ),
  ],
  ['not-in-source', web(`env_file: "${token}.env"`)],
  ['not-in-source', web(`build: "./${token}"`)],
  ['unmounted-file', web(`volumes: ["../files/${token}.conf:/a"]`)],
  ['unmounted-file', web('', `files: { ${token}.conf: { content: a } }`)],
  ['lost-folder', web(`volumes: ["./${token}:/a"]`)],
  ['lost-folder', web(`volumes: ["./${token}.conf:/a"]`)],
  [
    'unkept-data',
    raw(
      `services: { db: { image: "postgres:17", environment: { PGDATA: /${token} }, volumes: ["a:/b"] } }\nvolumes: { a: {} }`,
    ),
  ],
  ['not-compose', raw(`${token}.yml`)],
  ['not-compose', raw(`services: { "${token}": a }`)],
  ['inconsistent', web('', `domains: { shop.example.com: { serviceName: ${token}, port: 80 } }`)],
  ['inconsistent', raw(`services: { web: { image: "a/${token}:edge" } }`, 'deploy: { onFailure: restore }')],
];

test.each(rows.map(([code, sections, secret = token]) => [code, sections, secret] as const))(
  'a password in clear is in no message: %s of %s',
  async (code, sections, secret) => {
    const found = await reported(() => read({ 'trueup.yaml': production(sections) }));
    expect(found.map((one) => one.code)).toContain(code);
    const messages = found.map(({ message, remedy = '' }) => `${message} -> ${remedy}`);
    expect(messages.filter((text) => text.includes(secret))).toEqual([]);
  },
);

/** A value of a field that shows, and how a message about it shows it. */
test.each([
  ['https://registry.example.com/@acme/shop', '"https://registry.example.com/@acme/shop"'],
  ['ssh://git@example.com/shop.git', '"ssh://git@example.com/shop.git"'],
  [token, '(sensitive)'],
  ['https://anna:hunter2@example.com', 'https://anna:(sensitive)@example.com'],
  [`a https://registry.example.com/@acme/${token}`, '(sensitive)'],
])('a wrong value shows as far as it is no secret: %s', (value, expected) => {
  expect(shown(value)).toContain(expected);
  expect(shown(value)).not.toMatch(/hunter2|ghp_/);
});

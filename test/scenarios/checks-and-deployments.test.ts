import { expect, test } from 'vitest';
import type { Row } from '../../src/formats/json.ts';
import { type deploymentCodes as all, deploymentCodes } from '../../src/kind/checks.ts';
import { read } from '../diagnostics/in-manifests.ts';
import { everything, platform, production, raw } from '../diagnostics/provoked.ts';

/**
 * Each check of deployments against the emulator: what it predicts happens when the check is silenced by `allow:`, and a manifest
 * that it takes deploys.
 */

type Code = (typeof all)[number] | 'overlap';

/** What came of the deployments, where a test looks for what is lost. */
interface Seen {
  /** The logs of those that failed or ignored something. */
  readonly log: string;
  /** The variables of all containers, a line for each. */
  readonly env: string;
  /** The compose file as docker got it. */
  readonly written: string;
  /** The folders that docker made, with how often a deployment emptied them. */
  readonly folders: string;
  /** The last state of each task of Swarm, with its error. */
  readonly tasks: string;
}

async function deployed(sections: string): Promise<Seen> {
  const made = platform();
  await made.apply(production(sections), everything);
  const { emulator } = made;
  const { compose, container, composeFile, deployment, folder, log } = emulator.world.tables;
  for (const composeId of Object.keys(compose)) await emulator.act('compose.redeploy', { composeId });
  const statuses = () => Object.values(deployment).map(({ status }) => status);
  // As many turns of the event loop as it takes: a slow machine is late by seconds.
  while (statuses().length <= Object.keys(compose).length || statuses().includes('running'))
    await new Promise((resolve) => setTimeout(resolve, 0));
  const names = Object.keys(container);
  const orders = Object.values(container).flatMap((row) => row['orders'] as unknown as { readonly env: string[] }[]);
  const tasks = await Promise.all(
    names.flatMap((appName) =>
      ['docker.getServiceContainersByAppName', 'docker.getStackContainersByAppName'].map(
        async (operation) => (await emulator.act(operation, { appName })) as Row[],
      ),
    ),
  );
  return {
    log: textsOf(log, 'text'),
    env: orders.flatMap(({ env }) => env).join('\n'),
    written: textsOf(composeFile, 'written'),
    folders: Object.values(folder)
      .map(({ path, emptied }) => `${String(path)}: ${Number(emptied)}`)
      .join('\n'),
    tasks: tasks
      .flatMap((ones) => ones.map((one) => `${String(one['currentState'])} ${String(one['error'])}`))
      .join('\n'),
  };
}

function textsOf(table: Readonly<Record<string, Row>>, column: string): string {
  return Object.values(table)
    .map((row) => String(row[column] ?? ''))
    .join('\n');
}

/** The codes that `validate` reports. */
async function found(sections: string): Promise<readonly string[]> {
  const codes: readonly string[] = [...deploymentCodes, 'overlap'];
  const diagnostics = await read({ 'trueup.yaml': production(sections) });
  return [...new Set(diagnostics.map(({ code }) => code))].filter(
    (code) => codes.includes(code) && code !== 'unread-file',
  );
}

const web = (members: string, more = '') => raw(`services:\n  web: { image: nginx, ${members} }\n`, more);
const domain = 'domains: { shop.example.com: { serviceName: web, port: 80 } }';
const stack = 'composeType: stack';
const back = 'x-a: &a { networks: [back], labels: [own=1] }\nnetworks: { back: {} }\nservices:\n';
const suffix = 'randomize: true, suffix: sfx';
/** With a suffix; `settings` of a harmless one have no `#`. */
const two = (first: string, rest = '', settings = `${suffix}, #`) =>
  raw(`services:\n  web: { image: nginx, ${first} }\n  db: { image: redis }\n${rest}`, settings);
const inStack = (members: string, rest = '', settings = `${stack}, #`) =>
  raw(`services:\n  web: { image: nginx, ${members} }\n${rest}`, settings);
const git = (settings: string) =>
  `    compose: { shop: { source: { type: git, url: "https://git.example.com/a.git", branch: main }, ${settings} } }\n`;
const other = (ports: string) =>
  `      other: { source: { type: raw, composeFile: "services: { web: { image: nginx, ports: ['${ports}'] } }" } }\n`;
/** A service that starts, and one in a profile. */
const off = (members: string, settings = '', rest = '') =>
  raw(
    `services:\n  web: { image: nginx, profiles: [a], environment: [A=1], ${members} }\n  on: { image: nginx, environment: [B=1] }\n${rest}`,
    settings,
  );
const application = (port: string) =>
  `    application: { web: { source: { type: docker, image: nginx }, ports: { ${port} } } }\n`;
const postgres = (image: string, path: string, more = '') =>
  `    application: { db: { source: { type: docker, image: "${image}" }, mounts: { ${path}: { type: volume, volumeName: pg } }${more} } }\n`;

/** A code, the sections of a manifest, where the loss shows, and how. `#` stands for the place of `allow:`. */
type Planted = readonly [Code, string, keyof Seen, RegExp];

const planted: readonly Planted[] = [
  ['not-compose', raw('service: {}', '#'), 'log', /no service selected/],
  ['not-compose', raw('services: [web]', '#'), 'log', /services must be a mapping/],
  ['not-compose', raw('services: { web: nginx }', '#'), 'log', /services\.web must be a mapping/],
  ['not-in-source', web('build: .', '#'), 'log', /failed to read dockerfile/],
  ['not-in-source', web('build: ./app', '#'), 'log', /path "\.\/app" not found/],
  ['not-in-source', web('env_file: app.env', '#'), 'log', /env file app\.env not found/],
  ['not-in-source', web('env_file: .env', 'createEnvFile: false, #'), 'log', /env file \.env not found/],
  ['not-in-source', web('extends: { file: base.yml, service: web }', '#'), 'log', /open base\.yml/],
  ['not-in-source', raw('include: [more.yml]\nservices: { web: { image: nginx } }', '#'), 'log', /open more\.yml/],
  [
    'not-in-source',
    raw('configs: { c: { file: ./c } }\nservices: { web: { image: nginx, configs: [c] } }', '#'),
    'log',
    /bind source path does not exist/,
  ],
  [
    'not-in-source',
    raw('secrets: { c: { file: ./c } }\nservices: { web: { image: nginx, secrets: [c] } }', `${stack}, #`),
    'log',
    /open \.\/c/,
  ],
  [
    'unset-variable',
    web('environment: { A: "${A:?set it}" }', '#'),
    'log',
    /required variable A is missing a value: set it/,
  ],
  ['unset-variable', web('environment: { A: "${A:?}" }', 'env: { A: "" }, #'), 'log', /required variable A/],
  [
    'unset-variable',
    web('environment: { A: "${A:?}" }', 'env: { A: "1" }, createEnvFile: false, #'),
    'log',
    /required variable A/,
  ],
  ['unset-variable', web('environment: { A: "is ${A}" }', '#'), 'env', /^A=is $/m],
  ['unset-variable', raw('services: { web: { image: "${A}" } }', '#'), 'log', /neither an image nor a build context/],
  ['unset-variable', raw('services: { web: { image: "nginx:${A}" } }', '#'), 'log', /invalid reference format: nginx:/],
  [
    'unset-variable',
    raw('services: { web: { image: "${A}/nginx" } }', 'env: { A: "" }, #'),
    'log',
    /invalid reference/,
  ],
  ['unset-variable', raw('services: { web: { image: "${A}" } }', `${stack}, #`), 'log', /no image specified/],
  ['unset-variable', web('ports: ["8080:${A}"]', '#'), 'log', /no port specified: 8080:<empty>/],
  ['unset-variable', web('ports: ["${A}:8080:${A}/udp"]', `${stack}, #`), 'log', /Does not match format 'ports'/],
  ['unset-variable', web('volumes: ["${A}:/a"]', '#'), 'log', /invalid spec: :\/a: empty section/],
  ['unset-variable', web('volumes: ["${A}"]', `${stack}, #`), 'log', /invalid empty volume spec/],
  ['unused-env', web('user: root', 'env: { A: "1" }, #'), 'env', /^(?!.*A=1)/s],
  ['env-line', web('env_file: .env', 'env: "A=1\\nuse flake\\n", #'), 'env', /^(?!.*flake)/s],
  ['env-line', web('env_file: .env', 'env: "A=1\\nA=2\\n", #'), 'env', /^(?!.*A=1).*A=2/s],
  [
    'refused-expression',
    web('command: "echo ${a.b}"', '#'),
    'log',
    /invalid interpolation format for services\.web\.command/,
  ],
  ['refused-expression', web('command: "echo $1"', `${stack}, #`), 'log', /invalid interpolation format/],
  [
    'refused-expression',
    web('env_file: .env', 'env: { A: "${{NONE}}" }, #'),
    'log',
    /Invalid service environment variable: NONE/,
  ],
  [
    'refused-expression',
    web('env_file: .env', 'env: { A: "${{ B }}", B: b }, #'),
    'log',
    /Invalid service environment variable:  B /,
  ],
  [
    'refused-expression',
    web('env_file: .env', 'env: { A: "${{vault.team/db}}" }, #'),
    'log',
    /Unresolved vault reference/,
  ],
  ['rewritten-file', web('environment: { D: "2024-01-01" }', '#'), 'env', /D=2024-01-01 00:00:00/],
  ['rewritten-file', web('environment: { N: "1_000" }', '#'), 'env', /N=1000/],
  ['rewritten-file', web('environment: { N: 12345678901234567 }', '#'), 'env', /N=12345678901234568/],
  [
    'rewritten-file',
    raw(
      'configs: { c: { content: a } }\nservices: { web: { image: nginx, configs: [{ source: c, mode: 0440 }] } }',
      '#',
    ),
    'written',
    /mode: 440/,
  ],
  ['rewritten-file', web('ports: !reset ["8080:80"]', '#'), 'written', /ports:\n +- "?8080:80/],
  [
    'lost-route',
    raw(`${back}  web: { <<: *a, image: nginx }\n`, `${domain}, #`),
    'written',
    /labels:\n +- traefik(?!.*own=1\n.*image)/s,
  ],
  [
    'lost-route',
    raw('x-a: &a { image: nginx }\nservices: { web: *a, api: *a }', `${domain}, #`),
    'written',
    /services:\n +web: \*|rule=Host.*rule=Host|api: \*/s,
  ],
  [
    'lost-route',
    raw('x-a: &a { web: { image: nginx } }\nservices: { <<: *a }', `${domain}, #`),
    'log',
    /service "web" which does not exist/,
  ],
  ['lost-route', web('network_mode: host', `${domain}, #`), 'log', /mutually exclusive/],
  ['lost-route', web('network_mode: host', 'isolatedDeployment: true, #'), 'log', /mutually exclusive/],
  [
    'refused-setting',
    web('user: root', 'command: "compose up -d; date", #'),
    'log',
    /Invalid characters in compose command/,
  ],
  ['refused-setting', web('user: root', 'command: "compose up -d && date", #'), 'log', /docker compose/],
  [
    'refused-setting',
    raw('services: { web: { user: root } }', `${stack}, #`),
    'log',
    /invalid image reference for service web/,
  ],
  [
    'refused-setting',
    web('ports: ["80:80"]', '#').replace('image: nginx, ', ''),
    'log',
    /neither an image nor a build/,
  ],
  ['refused-setting', web('network_mode: host, networks: [default]', '#'), 'log', /mutually exclusive/],
  ['refused-setting', web('networks: [back]', '#'), 'log', /refers to undefined network back/],
  ['refused-setting', web('volumes: ["data:/data"]', '#'), 'log', /refers to undefined volume data/],
  ['refused-setting', web('read_only: maybe', '#'), 'log', /invalid boolean: maybe/],
  ['refused-setting', web('healthcheck: { test: curl, interval: abc }', '#'), 'log', /invalid duration abc/],
  ['refused-setting', web('mem_limit: lots', '#'), 'log', /invalid size: lots/],
  ['refused-setting', web('volumes: [":/data"]', '#'), 'log', /empty section between colons/],
  ['refused-setting', web('volumes: ["data:/data"]', `${stack}, #`), 'log', /refers to undefined volume data/],
  ['refused-setting', web('secrets: [key]', '#'), 'log', /refers to undefined secret key/],
  ['refused-setting', web('depends_on: [db]', '#'), 'log', /depends on undefined service "db"/],
  ['refused-setting', web('network_mode: "service:vpn"', '#'), 'log', /depends on undefined service "vpn"/],
  [
    'refused-setting',
    raw('services: { web: { image: nginx, depends_on: [db] }, db: { image: redis, profiles: [data] } }', '#'),
    'log',
    /depends on undefined service "db"/,
  ],
  [
    'refused-setting',
    raw('x-a: &a { networks: [dokploy-network] }\nservices: { web: { <<: *a, image: nginx } }', '#'),
    'log',
    /refers to undefined network dokploy-network/,
  ],
  [
    'refused-setting',
    raw(
      'x-a: &a { depends_on: [db] }\nservices: { web: { <<: *a, image: nginx }, db: { image: redis } }',
      `${suffix}, #`,
    ),
    'log',
    /"web-sfx" depends on undefined service "db"/,
  ],
  ['refused-setting', raw(`${back}  web: { <<: *a, image: nginx }\n`, `${suffix}, #`), 'log', /undefined network back/],
  [
    'refused-setting',
    raw(
      'x-a: &a { volumes: ["data:/a"] }\nvolumes: { data: }\nservices: { web: { <<: *a, image: nginx } }',
      `${suffix}, #`,
    ),
    'log',
    /refers to undefined volume data/,
  ],
  [
    'refused-setting',
    raw(
      'x-a: &a { db: { condition: service_started } }\nservices: { web: { image: nginx, depends_on: { <<: *a } }, db: { image: redis } }',
      `${suffix}, #`,
    ),
    'log',
    /depends on undefined service "<<-sfx"|depends on undefined service "db"/,
  ],
  [
    'refused-setting',
    raw('x-a: &a { web: { image: nginx } }\nservices: { <<: *a, db: { image: redis } }', `${suffix}, #`),
    'log',
    /"<<-sfx" has neither an image/,
  ],
  ['refused-setting', two('network_mode: "service:db"'), 'log', /depends on undefined service "db"/],
  ['refused-setting', two('links: ["db:data"]'), 'log', /depends on undefined service "db"/],
  ['refused-setting', two('networks: [default]'), 'log', /undefined network default-sfx/],
  [
    'refused-setting',
    two('networks: { back: { ipv4_address: 10.1.0.2 } }', 'networks: { back: {} }\n'),
    'log',
    /additional properties 'ipv4_address-sfx'/,
  ],
  ['refused-setting', web('profiles: [a, b]', '#'), 'log', /no service selected/],
  ['refused-setting', raw('services: {}', '#'), 'log', /no service selected/],
  ['refused-setting', web('profiles: [a]', 'env: { COMPOSE_PROFILES: "b, c" }, #'), 'log', /no service selected/],
  [
    'refused-setting',
    web('profiles: [a]', 'env: { COMPOSE_PROFILES: a }, createEnvFile: false, #'),
    'log',
    /no service selected/,
  ],
  [
    'refused-setting',
    web('profiles: [a]', 'env: { COMPOSE_PROFILES: a }, command: "compose --profile b up -d", #'),
    'log',
    /no service selected/,
  ],
  ['lost-route', off('', `${domain}, #`), 'env', /^B=1$/],
  ['lost-route', off('', `${domain}, command: "compose --profile a up -d on", #`), 'env', /^B=1$/],
  ['overlap', web('profiles: [a], ports: ["80:80"]', 'env: { COMPOSE_PROFILES: a }'), 'log', /0\.0\.0\.0:80 failed/],
  ['overlap', web(`ports: ['3000:3000']`), 'log', /Bind for 0\.0\.0\.0:3000 failed/],
  ['overlap', web(`ports: ['127.0.0.1:3000:80']`), 'log', /Bind for 127\.0\.0\.1:3000 failed/],
  ['overlap', application('web: { publishedPort: 80, targetPort: 80 }'), 'log', /port '80' is already in use/],
  [
    'overlap',
    application('web: { publishedPort: 443, targetPort: 80, protocol: udp }'),
    'log',
    /port '443' is already/,
  ],
  ['overlap', application('web: { publishedPort: 3000, targetPort: 80 }'), 'log', /port '3000' is already in use/],
  ['refused-setting', inStack('profiles: [a]'), 'log', /services\.web Additional property profiles is not allowed/],
  ['refused-setting', inStack('pull_policy: always'), 'log', /Additional property pull_policy/],
  ['refused-setting', inStack('mem_limit: 1g'), 'log', /forbidden properties/],
  ['refused-setting', inStack('user: root', 'name: shop\n'), 'log', /\(root\) Additional property name/],
  ['refused-setting', inStack('user: root', 'version: "2.4"\n'), 'log', /unsupported Compose file version: 2\.4/],
  ['refused-setting', inStack('user: root', 'version: 3.8\n'), 'log', /version must be a string/],
  ['refused-setting', inStack('environment: { A: true }'), 'log', /environment\.A must be a string, number or null/],
  ['refused-setting', inStack('labels: { A: false }'), 'log', /labels\.A must be a string/],
  ['refused-setting', inStack('user: 1000'), 'log', /user must be a string/],
  ['refused-setting', inStack('command: [sleep, 9]'), 'log', /command\.1 must be a string/],
  [
    'refused-setting',
    inStack('depends_on: { db: { condition: service_started } }', '  db: { image: redis }\n'),
    'log',
    /depends_on must be a list/,
  ],
  ['refused-setting', inStack('ports: [{ target: 80, published: "8080" }]'), 'log', /published must be a integer/],
  ['refused-setting', inStack('ports: [{ target: 80, host_ip: 127.0.0.1 }]'), 'log', /Additional property host_ip/],
  ['refused-setting', inStack('ports: ["8080:80", "8080:80"]'), 'log', /must be unique/],
  ['refused-setting', inStack('deploy: { resources: { limits: { cpus: 0.5 } } }'), 'log', /cpus must be a string/],
  [
    'refused-setting',
    inStack('configs: [c]', 'configs: { c: { content: a } }\n'),
    'log',
    /Additional property content/,
  ],
  ['ignored-setting', inStack('privileged: true, links: [web]'), 'log', /unsupported options: links, privileged/],
  ['ignored-setting', inStack('ports: ["127.0.0.1:8080:80"]'), 'log', /service will listen on '0\.0\.0\.0'/],
  [
    'lost-route',
    web('user: root', 'isolatedDeployment: true, suffix: sfx, #'),
    'log',
    /network sfx declared as external, but could not be found/,
  ],
  [
    'ignored-setting',
    web('container_name: a, restart: on-failure', `${stack}, #`),
    'log',
    /Ignoring unsupported options: restart/,
  ],
  [
    'ignored-setting',
    web('env_file: .env', 'composePath: ./deploy/compose.yml, env: { A: "1" }, #'),
    'env',
    /^(?!.*A=1)/s,
  ],
  [
    'ignored-setting',
    web('user: root', 'randomize: true, suffix: sfx, isolatedDeployment: true, #'),
    'written',
    /^(?!.*web-sfx)/s,
  ],
  ['unmounted-file', web('volumes: ["../files/a.conf:/a.conf"]', '#'), 'folders', /files\/a\.conf: 0/],
  [
    'unmounted-file',
    web('volumes: ["../files/a.conf:/a.conf"]', `${stack}, #`),
    'tasks',
    /Rejected.*does not exist: .*files\/a\.conf/,
  ],
  ['lost-folder', web('volumes: ["./uploads:/srv"]', '#'), 'folders', /code\/uploads: 1/],
  ['lost-folder', web('volumes: [{ type: bind, source: up, target: /srv }]', '#'), 'folders', /code\/up: 1/],
  ['lost-folder', web('volumes: ["./a.conf:/a.conf:ro"]', '#'), 'folders', /code\/a\.conf: 1/],
  [
    'lost-folder',
    web('volumes: ["./uploads:/srv"]', `${stack}, #`),
    'tasks',
    /Rejected.*does not exist: .*code\/uploads/,
  ],
  ['unkept-data', postgres('postgres:18', '/var/lib/postgresql/data', ', #'), 'tasks', /Failed .*non-zero exit/],
  ['overlap', web(`ports: ['8080:80']`) + other('8080:80'), 'log', /port is already allocated/],
  ['overlap', web(`ports: ['80:80']`), 'log', /Bind for 0\.0\.0\.0:80 failed/],
  ['overlap', web(`ports: ['8080:80', '8080:81']`), 'log', /port is already allocated/],
  ['overlap', web(`ports: ['8080:80', '127.0.0.1:8080:80']`), 'log', /port is already allocated/],
  ['overlap', web(`ports: ['8080-8082:80-82', { target: 90, published: 8081 }]`), 'log', /port is already allocated/],
  ['overlap', web(`ports: ['8080:80']`, stack) + other('127.0.0.1:8080:80'), 'log', /already/],
  [
    'overlap',
    raw("services: { web: { image: nginx, ports: ['127.0.0.1:8080:80'] }, api: { image: nginx, ports: ['8080:81'] } }"),
    'log',
    /port is already allocated/,
  ],
  [
    'unmounted-file',
    web('volumes: ["../files/uploads:/srv"]', `${stack}, #`),
    'tasks',
    /Rejected.*does not exist: .*files\/uploads/,
  ],
];

/** Sections that no check finds anything in, and what shows that nothing is lost. */
const harmless: readonly (readonly [string, keyof Seen, RegExp])[] = [
  [web('ports: ["80:80/udp", "3000:3000/udp"]'), 'log', /^$/],
  [application('web: { publishedPort: 80, targetPort: 80, protocol: udp }'), 'log', /^$/],
  [application('web: { publishedPort: 8443, targetPort: 443 }'), 'log', /^$/],
  [raw('services: {}', stack), 'log', /^$/],
  [raw('x-a: &a { image: nginx }\nservices: { web: *a }'), 'log', /^$/],
  [web('env_file: ../files/app.env', 'files: { app.env: { content: "A=1" } }'), 'env', /^A=1$/m],
  [web('build: "https://github.com/traefik/whoami.git"'), 'log', /^$/],
  [web('build: { context: ., dockerfile_inline: "FROM nginx" }'), 'log', /^$/],
  [
    raw(
      'configs: { c: { file: ../files/c } }\nservices: { web: { image: nginx, configs: [c] } }',
      'files: { c: { content: a } }',
    ),
    'log',
    /^$/,
  ],
  [git('env: { A: "1" }'), 'log', /^$/],
  [web('environment: { A: "${A:-eu} ${HOME}" }'), 'env', /^A=eu \/root$/m],
  [web('environment: [A]', 'env: { A: "1" }'), 'env', /^A=1$/m],
  [web('environment: { A: "${A:?}" }', 'env: "A: 1\\n"'), 'env', /^A=1$/m],
  [web('environment: { A: "a $$b $1" }'), 'env', /^A=a \$b \$1$/m],
  [web('environment: ["D=2024-01-01", "N=1_000"]'), 'env', /^D=2024-01-01\nN=1_000$/],
  [web('environment: { D: "${D}" }', 'env: { D: "2024-01-01" }'), 'env', /^D=2024-01-01$/],
  [raw(`${back}  web: { <<: *a, image: nginx, labels: [own=1], networks: [back] }\n`, domain), 'written', /own=1/],
  [web('network_mode: host'), 'log', /^$/],
  [web('networks: [default]', `${stack}, ${domain}`), 'log', /^$/],
  [web('ports: ["127.0.0.1::80", ":81"]'), 'log', /^$/],
  [web('networks: [dokploy-network]'), 'written', /external: true/],
  [web('user: root', 'command: "compose up -d && docker compose ps"'), 'log', /^$/],
  [web('user: root', 'randomize: true, suffix: sfx'), 'written', /web-sfx/],
  [web('deploy: { replicas: 2 }', stack), 'tasks', /^Running/],
  [web('volumes: ["../files/a.conf:/a.conf"]', 'files: { a.conf: { content: a } }'), 'folders', /^$/],
  [web('volumes: ["../files/uploads:/srv", "/srv/a:/a"]'), 'folders', /^[^\n]*files\/uploads: 0$/],
  [postgres('postgres:18', '/var/lib/postgresql'), 'tasks', /^Running/],
  [postgres('postgres:17', '/var/lib/postgresql/data'), 'tasks', /^Running/],
  [web(`ports: ['8080:80']`) + other('8081:80'), 'log', /^$/],
  [web(`ports: ['127.0.0.1:8080:80']`) + other('127.0.0.2:8080:80'), 'log', /^$/],
  [web(`ports: ['8080:80', '8080:80/udp', '8080:80']`), 'log', /^$/],
  [web(`ports: ['8080-8090:80']`) + other('8080-8090:80'), 'log', /^$/],
  [web(`network_mode: host, ports: ['8080:80']`) + other('8080:80'), 'log', /^$/],
  [web('build: { context: ., dockerfile_inline: "FROM nginx" }').replace('image: nginx, ', ''), 'log', /^$/],
  [raw('services: { web: { image: "${A:-nginx}:${B:-1.27}", ports: ["${P:-8080}:80"] } }'), 'log', /^$/],
  [raw('services: { web: { image: "nginx:${A}", volumes: ["${V}:/v"] } }', 'env: { A: "1", V: /v }'), 'log', /^$/],
  [raw('services: { web: { image: nginx }, off: { profiles: [a], networks: [none] } }'), 'log', /^$/],
  [
    off(
      'build: ./a, env_file: b.env, ports: ["80:80"], volumes: ["./c:/c"], configs: [d]',
      'autoDeploy: true',
      'configs: { d: { file: ./d } }',
    ),
    'written',
    /env_file: b\.env/,
  ],
  [
    off('ports: ["80:80"], volumes: ["./c:/c"]', 'domains: { a.test: { serviceName: web, port: 80, enabled: false } }'),
    'folders',
    /^$/,
  ],
  [off('image: "fail:1"').replace('image: nginx, ', ''), 'env', /^B=1$/],
  [off('image: "stall:1"').replace('image: nginx, ', ''), 'env', /^B=1$/],
  [off('', `${domain}, env: { COMPOSE_PROFILES: "b , a" }`), 'env', /^A=1$/m],
  [off('', `${domain}, env: { COMPOSE_PROFILES: "*" }`), 'env', /^A=1$/m],
  [off('', `${domain}, command: "compose --profile a up -d"`), 'env', /^A=1$/m],
  [off('', `${domain}, command: "compose up -d web"`), 'env', /^A=1$/m],
  [off('', `${domain}, command: "compose pull && docker compose up -d --wait web"`), 'env', /^A=1$/m],
  [off('depends_on: [on]', 'command: "compose up -d --attach on web"'), 'env', /^B=1$/m],
  [web('ports: ["3000:3000/udp", "3001:3000", "3000"]'), 'log', /^$/],
  [
    raw(
      'services: { web: { image: nginx, depends_on: { db: { required: false } } }, db: { image: redis, profiles: [a] } }',
    ),
    'log',
    /^$/,
  ],
  [web('networks: { default: { aliases: [shop] } }, volumes: [/a]'), 'log', /^$/],
  [
    raw(
      'networks: { back: }\nvolumes: { data: }\nservices: { web: { image: nginx, networks: [back], volumes: ["data:/a"] } }',
    ),
    'log',
    /^$/,
  ],
  [
    raw('x-a: &a { restart: always, environment: { A: b } }\nservices: { web: { <<: *a, image: nginx } }', suffix),
    'log',
    /^$/,
  ],
  [
    raw(
      'x-a: &a { networks: [dokploy-network] }\nservices: { web: { image: nginx }, api: { <<: *a, image: nginx } }',
      domain,
    ),
    'log',
    /^$/,
  ],
  [raw('services: { web: { image: nginx, extends: { service: base } }, base: { image: redis } }', suffix), 'log', /^$/],
  [two('links: [db], volumes_from: [db], ipc: "service:db"', '', 'autoDeploy: true'), 'log', /^$/],
  [
    two(
      'depends_on: [db], networks: { back: { aliases: [a] } }, volumes: ["data:/a", "./../files:/f"]',
      'networks: { back: }\nvolumes: { data: }\n',
      suffix,
    ),
    'written',
    /back-sfx/,
  ],
  [web('read_only: "yes", tty: off, stop_grace_period: 1m30s, mem_limit: 512m, shm_size: 1GB'), 'log', /^$/],
  [web('healthcheck: { test: curl, interval: 1.5s, timeout: "0" }, init: "${INIT:-true}"'), 'log', /^$/],
  [web('user: root', 'isolatedDeployment: true'), 'log', /^$/],
  [
    inStack('environment: { A: "true", B: 1 }, labels: [a=true], user: "1000"', 'version: "3.8"\nx-a: 1\n', stack),
    'log',
    /^$/,
  ],
  [
    inStack(
      'ports: [{ target: 80, published: 8080, mode: host }], deploy: { resources: { limits: { cpus: "0.5" } } }',
      '',
      stack,
    ),
    'log',
    /^$/,
  ],
  [inStack('ports: [{ target: "${P:-80}", published: "${Q:-8080}" }], x-a: 1, deploy:', '', stack), 'log', /^$/],
  [
    inStack(
      'volumes: ["data:/data", "/srv/a:/a"], networks: { back: }',
      'networks: { back: }\nvolumes: { data: }\n',
      stack,
    ),
    'log',
    /^$/,
  ],
  [
    inStack(
      'secrets: [{ source: c, mode: 0o440 }], init: true, stop_grace_period: 1m, ulimits: { nofile: 5 }',
      'secrets: { c: { external: true } }\n',
      stack,
    ),
    'log',
    /^$/,
  ],
  [inStack('environment: { A: "${A:-$2a$14}" }', '', stack), 'env', /^A=\$2a\$14$/m],
  [inStack('restart: unless-stopped', '', stack), 'tasks', /^Running/],
  [inStack('env_file: [.env], expose: [80]', '', `${stack}, env: { A: "1" }`), 'env', /^A=1$/m],
  [inStack('volumes: ["../files/a:/a"]', '', `${stack}, files: { a/b.conf: { content: a } }`), 'tasks', /^Running/],
];

test.each(planted)('%s: %s', async (code, sections, where, loss) => {
  expect(await found(sections.replace(', #', ''))).toContain(code);
  expect((await deployed(sections.replace('#', `allow: { ${code}: planted }`)))[where]).toMatch(loss);
});

test.each(harmless)('nothing is found in %s', async (sections, where, kept) => {
  expect(await found(sections)).toEqual([]);
  expect((await deployed(sections))[where]).toMatch(kept);
});

/** What no deployment of a compose shows: what a server has, certificates, ports behind the proxy, backups, texts that are none of docker's. */
const elsewhere: readonly string[] = [
  'unread-file',
  'must-exist',
  'no-certificate',
  'default-port',
  'backup-fails',
  'stray-dollar',
  'not-effective',
];

test('each other code is planted, beside half as many harmless manifests', () => {
  const codes = new Set<string>(planted.map(([code]) => code));
  expect([...deploymentCodes, 'overlap'].filter((code) => !codes.has(code))).toEqual(elsewhere);
  expect(harmless.length).toBeGreaterThanOrEqual(planted.length / 2);
});

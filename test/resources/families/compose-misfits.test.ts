import { expect, test } from 'vitest';
import { read } from '../../diagnostics/in-manifests.ts';
import { production, raw } from '../../diagnostics/provoked.ts';

/**
 * Values that compose refuses, and those that it takes. Each row was given to `docker-compose config` of compose 2.40.3, as the
 * only service of a file.
 */

async function refused(text: string, more = ''): Promise<readonly string[]> {
  const all = await read({ 'trueup.yaml': production(raw(text, more)) });
  return all.flatMap(({ code, message, remedy }) =>
    code === 'refused-setting' ? [`${message.replace('source.composeFile: ', '')} -> ${remedy}`] : [],
  );
}

const web = (members: string) =>
  `services:\n  web: { image: nginx, ${members} }\n  db: { image: redis }\nvolumes: { data: {} }\nnetworks: { back: {} }\n`;

test.each([
  ['read_only: maybe', 'read_only of web: it must be true or false -> Write true or false.'],
  ['tty: 1', 'tty of web: it must be true or false -> Write true or false.'],
  ['init: ""', 'init of web: it must be true or false -> Write true or false.'],
  ['privileged: "${P:-}"', 'privileged of web: it must be true or false -> Write true or false.'],
  [
    'healthcheck: { test: curl, interval: abc }',
    'healthcheck.interval of web: it must be a duration such as 30s -> Write a duration such as 30s.',
  ],
  [
    'healthcheck: { test: curl, timeout: 30 }',
    'healthcheck.timeout of web: it must be a duration such as 30s -> Write a duration such as 30s.',
  ],
  ['stop_grace_period: 10 s', 'stop_grace_period of web: it must be a duration such as 30s -> Write'],
  ['healthcheck: { test: curl, retries: few }', 'healthcheck.retries of web: it must be a number -> Write a number.'],
  ['mem_limit: lots', 'mem_limit of web: it must be an amount such as 512m -> Write an amount such as 512m.'],
  ['mem_limit: 512Mi', 'mem_limit of web: it must be an amount such as 512m -> Write an amount such as 512m.'],
  ['deploy: { resources: { limits: { memory: 512 } } }', 'deploy.resources.limits.memory of web: it must be an amount'],
  ['deploy: { resources: { limits: { cpus: half } } }', 'deploy.resources.limits.cpus of web: it must be a number'],
  ['cpus: "50%"', 'cpus of web: it must be a number -> Write a number.'],
  ['deploy: { replicas: two }', 'deploy.replicas of web: it must be a whole number -> Write a whole number.'],
  ['user: 1000', 'user of web: it must be a text -> Write it in quotes: "1000".'],
  ['restart: true', 'restart of web: it must be a text -> Write it in quotes: "true".'],
  ['volumes: [":/data"]', 'volumes.0 of web: it must be a volume such as data:/data -> Write a volume'],
  ['volumes: ["data:/a:/b:/c"]', 'volumes.0 of web: it must be a volume such as data:/data -> Write a volume'],
  ['volumes: [{ type: disk, target: /a }]', 'volumes.0.type of web: it must be bind or volume or tmpfs or cluster'],
  ['ports: ["80:web"]', 'ports.0 of web: it must be a port such as 8080:80 -> Write a port such as 8080:80.'],
  ['ports: ["localhost:80:80"]', 'ports.0 of web: it must be a port such as 8080:80 -> Write a port such as 8080:80.'],
  ['ports: ["8080:80/http"]', 'ports.0 of web: it must be a port such as 8080:80 -> Write a port such as 8080:80.'],
  ['ports: ["80800:80"]', 'ports.0 of web: it must be a port such as 8080:80 -> Write a port such as 8080:80.'],
  ['ports: "80:80"', 'ports of web: it must be a list -> Write a list.'],
  ['ports: [{ target: 81, host_ip: localhost }]', 'ports.0.host_ip of web: it must be an address such as 127.0.0.1'],
  [
    'depends_on: { db: { condition: healthy } }',
    'depends_on.db.condition of web: it must be service_started or service_healthy or service_completed_successfully',
  ],
  ['depends_on: db', 'depends_on of web: it must be a map or a list -> Write a map or a list.'],
  ['environment: { A: [b] }', 'environment.A of web: it must be a text or a number or true or false or empty'],
  ['environment: [{ A: b }]', 'environment.0 of web: it must be a text -> Write a text.'],
  ['pull_policy: sometimes', 'pull_policy of web: it must be always, missing, never, build, daily, weekly or a time'],
  ['ulimits: { nofile: many }', 'ulimits.nofile of web: it must be a map or a whole number'],
  ['networks: { back: { priority: "5" } }', 'networks.back.priority of web: it must be a number -> Write it without'],
  ['enviroment: { A: b }', 'enviroment of web -> Did you mean environment?'],
  ['healthcheck: { test: curl, intervall: 5s }', 'healthcheck.intervall of web -> Did you mean interval?'],
])('compose refuses %s', async (members, expected) => {
  const all = await refused(web(members));
  expect(all).toHaveLength(1);
  expect(all[0]).toContain(`compose refuses ${expected}`);
});

test.each([
  'read_only: true, tty: "true", init: yes, privileged: "no", stdin_open: Off',
  'oom_kill_disable: "FALSE", attach: y',
  'read_only: "${R:-yes}", tty: "${T:-false}"',
  'healthcheck: { test: curl, interval: 1m30s, timeout: 1.5h, start_period: "0", start_interval: 500ms, retries: "3" }',
  'healthcheck: { test: ["CMD", "curl"], interval: 1d, timeout: "${T:-10s}", retries: 3 }',
  'healthcheck: { test: [NONE], disable: "false" }',
  'stop_grace_period: 1w',
  'mem_limit: 512m, memswap_limit: -1, shm_size: "1.5g", mem_reservation: 1GiB, mem_swappiness: "10"',
  'mem_limit: 5 mb, shm_size: 67108864, cpus: "0.5", cpu_shares: 512, pids_limit: -1',
  'deploy: { replicas: "2", resources: { limits: { cpus: 1.5, memory: 512M, pids: "5" } } }',
  'deploy: { update_config: { delay: 10s, max_failure_ratio: "0.1", order: start-first }, restart_policy: { window: 2m } }',
  'user: "1000", restart: no, hostname: a',
  'volumes: [/cache, "data:/data", "./../files/a:/a:ro", "data:/b:rw,z", "c:/x:/y", "${V:-data}:/c"]',
  'volumes: [{ type: tmpfs, target: /t, tmpfs: { size: 64m } }, { type: bind, source: /a, target: /b, read_only: "yes" }]',
  'ports: [81, "82", "8081:80", "127.0.0.1:8082:80/tcp", "127.0.0.1::83", "[::1]:8084:80", "8085-8086:85-86/udp", "87/TCP"]',
  'ports: [{ target: "81", published: 8081, host_ip: 127.0.0.1 }, { target: 82, published: "8082-8083", host_ip: "::1" }]',
  'depends_on: { db: { condition: service_healthy, restart: "yes", required: true } }',
  'depends_on: [db], expose: [80, "81"], profiles: []',
  'environment: { A: 1, B: true, C: null, D: 1.5 }, labels: ["a=b"], sysctls: { net.core.somaxconn: 1024 }',
  'command: null, entrypoint: [a, b], dns: 1.1.1.1, tmpfs: [/run], extra_hosts: { a: [1.1.1.1] }',
  'pull_policy: every_12h, ulimits: { nofile: "5", nproc: { soft: 1, hard: "2" } }',
  'networks: { back: { aliases: [a], priority: 5 } }, logging: { driver: local, options: { max-file: 3 } }',
  'x-own: [1], a_member_of_a_later_version: [1]',
  'read_only: "${NOT_KNOWN}", stop_grace_period: "${WAIT}"',
])('compose takes %s', async (members) => {
  expect(await refused(web(members), 'env: { NOT_KNOWN: "${{environment.RO}}" }').then(own)).toEqual([]);
});

/** An environment without the variable is another finding. */
function own(all: readonly string[]): readonly string[] {
  return all.filter((text) => text.startsWith('compose refuses'));
}

test('the definitions of a file are judged too, and several services are one finding', async () => {
  const volumes = (definition: string) => `services: { web: { image: nginx } }\nvolumes: { data: ${definition} }\n`;
  expect(await refused(volumes('{ external: maybe }'))).toEqual([
    'compose refuses volumes.data.external: it must be true or false or a map -> Write true or false or a map.',
  ]);
  expect(await refused(volumes('[local]'))).toEqual([
    'compose refuses volumes.data: it must be a map or empty -> Write a map or empty.',
  ]);
  expect(await refused(volumes('{ external: "yes", name: "${NAME:-shop}" }'))).toEqual([]);
  expect(await refused(volumes('{ driver_opts: { o: 5 } }'))).toEqual([]);
  expect(await refused('version: 3\nservices: { web: { image: nginx } }')).toEqual([
    'compose refuses version: it must be a text -> Write it in quotes: "3".',
  ]);
  expect(await refused('version: "3"\nname: shop\nservices: { web: { image: nginx } }')).toEqual([]);
  const two = 'services: { web: { image: nginx, tty: maybe }, api: { image: nginx, tty: 5 } }';
  expect(await refused(two)).toEqual([
    'compose refuses tty of web, api: it must be true or false -> Write true or false.',
  ]);
});

test('a healthcheck as a list begins with the word for its form', async () => {
  const check = (list: string, more = '') => refused(web(`healthcheck: { test: ${list} }${more}`));
  expect(await check('["curl", "-f", "http://localhost"]')).toEqual([
    'web has healthcheck.test as a list that begins with none of CMD, CMD-SHELL and NONE, and compose refuses the file -> ' +
      'Write CMD before the command, as in ["CMD", "curl", "-f", "http://localhost"].',
  ]);
  expect(await check('["CMD-SHELL", "curl"]')).toEqual([]);
  expect(await check('[]')).toEqual([]);
  expect(await check('curl')).toEqual([]);
  expect(await check('[curl]', ', profiles: [debug]')).toEqual([]);
});

test('what a variable leaves of a text is one finding', async () => {
  const all = await read({ 'trueup.yaml': production(raw(web('read_only: "${R}", volumes: ["${V}:/data"]'))) });
  expect(all.map(({ code }) => code)).toEqual(['unset-variable', 'unset-variable']);
});

const openPlaces = [
  'ports: ["${X}:80", "${X}:81:82"]',
  'ports: [{ target: 80, published: "${X}", host_ip: "${X}" }]',
  'deploy: { replicas: "${X}", resources: { limits: { cpus: "${X}", memory: "${X}" } } }',
  'mem_limit: "${X}", cpus: "${X}", read_only: "${X}", pull_policy: "${X}"',
  'healthcheck: { test: ["${X}", curl], interval: "${X}", retries: "${X}" }',
  'volumes: ["${X}:/a", "${X}/a:/b", "../files/${X}:/c"]',
  'networks: ["${X}"], depends_on: ["${X}"]',
  'network_mode: "service:${X}"',
  'env_file: ["${X}"], configs: [{ source: "${X}", target: /a }]',
  'user: "${X}", extra_hosts: ["a:${X}"]',
];

test.each(openPlaces.flatMap((members) => [members, members.replaceAll('${X}', '${secret:X}')]))(
  'a secret may be anything in %s',
  async (members) => {
    const found = (composeType: string) =>
      read(
        { 'trueup.yaml': production(raw(web(members), `composeType: ${composeType}, env: { X: "\${secret:X}" }`)) },
        { secrets: { X: 'one' } },
      );
    expect((await found('docker-compose')).filter(({ severity }) => severity === 'error')).toEqual([]);
    // There are members that a stack refuses whatever they have.
    expect(JSON.stringify(await found('stack'))).not.toContain('must be');
  },
);

test('a secret may name any profile, and one that may be on starts its service', async () => {
  const found = async (profile: string, env: string) => {
    const all = await read(
      { 'trueup.yaml': production(raw(`services: { web: { image: nginx, profiles: [${profile}] } }`, `env: ${env}`)) },
      { secrets: { X: 'debug' } },
    );
    return all.map(({ code }) => code);
  };
  expect(await found('debug', '{ COMPOSE_PROFILES: "${secret:X}" }')).toEqual([]);
  expect(await found('"${secret:X}"', '{ COMPOSE_PROFILES: debug }')).toEqual([]);
  expect(await found('"${secret:X}"', '{}')).toEqual(['refused-setting']);
});

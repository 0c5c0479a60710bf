import { expect, test } from 'vitest';
import { mistakes } from '../support/stages.ts';

/** The compose file of a preview comes with a pull request, and its containers run beside those of others. */

const root = `trueup: 1
platform: emulator
environment: pr
preview: { for: 3d, most: 10 }
include: [shop.yaml]
variables: { suffix: "-pr-\${preview:id}" }
`;

/** A compose file with one service, as YAML in braces, with what stands beside `services:` and in the block. */
interface File {
  readonly web?: string;
  readonly top?: string;
  readonly block?: string;
}

const found = ({ web = '', top = '', block = '' }: File) => {
  const image = web.includes('build:') ? '' : 'image: nginx, ';
  const text = JSON.stringify(`services: { web: { ${image}${web} } }\n${top}\n`);
  const stack = `source: { type: raw, composeFile: §${text} }, ${block}`;
  const shop = `project: prj_1\nvariables: { suffix: {} }\ncompose: { stack: { ${stack} } }\n`;
  return mistakes({ 'preview.yaml': root, 'shop.yaml': shop }, 'preview.yaml');
};
const folder = 'the service web mounts a folder of the host that each preview would share';
const port = 'the service web publishes a port that each preview would take';
const shared = (what: string) => `${what} has a name of its own on the server, and each preview would share it`;
const device = 'the volume d is a folder, a device or a share that each preview would use';
const ofHost = (what: string) => `${what} names a file outside of the folder of the compose`;

test.each<readonly [string, File, string]>([
  ['a folder', { web: "volumes: ['/srv/x:/x']" }, folder],
  ['a folder by a default', { web: "volumes: ['${DATA:-/srv/data}:/x']" }, folder],
  ['the socket of Docker by a default', { web: "volumes: ['${S:-/var/run/docker.sock}:/x']" }, folder],
  ['a folder by a variable', { web: "volumes: ['${D}:/x']", block: 'env: { D: /srv/data }' }, folder],
  ['a mount by a variable', { web: "volumes: ['${D}']", block: 'env: { D: "/srv/data:/x" }' }, folder],
  ['a folder by a variable in quotes', { web: "volumes: ['${D}:/x']", block: `env: { D: "'/srv'" }` }, folder],
  ['a folder by a default behind a comment', { web: "volumes: ['${D:-/srv}:/x']", block: 'env: { D: "#" }' }, folder],
  [
    'a folder by the second line of a variable',
    { web: "volumes: ['${D:-./d}:/x']", block: 'env: { E: "x\\nD=/srv" }' },
    folder,
  ],
  [
    'a folder by a variable that composePath seems to hide',
    { web: "volumes: ['${D:-./d}:/x']", block: 'composePath: a/../docker-compose.yml, env: { D: /srv }' },
    folder,
  ],
  [
    'a folder by a variable of the project',
    { web: "volumes: ['${D}:/x']", block: 'env: { D: "${{project.D}}" }' },
    folder,
  ],
  ['a folder by a secret', { web: "volumes: ['${secret:D}:/x']" }, folder],
  ['a folder by a secret of the env', { web: "volumes: ['${D:-./d}:/x']", block: "env: '${secret:ALL}'" }, folder],
  ['a folder by no variable', { web: "volumes: ['${D}/srv/data:/x']" }, folder],
  ['a folder in the long form', { web: "volumes: [{ type: bind, source: '${D:-/srv}', target: /x }]" }, folder],
  ['a folder above its own', { web: "volumes: ['../../shop/files:/x']" }, folder],
  [
    'a folder above its own in the long form',
    { web: 'volumes: [{ type: bind, source: a/../../.., target: /x }]' },
    folder,
  ],
  ['a volume of the cluster', { web: 'volumes: [{ type: cluster, source: shop, target: /x }]' }, folder],
  ['a process of the host', { web: "volumes: ['/proc/9999999/root:/x']" }, folder],
  ['a folder by an anchor', { web: 'x-v: &v ["/srv:/x"], volumes: *v' }, folder],
  ['a folder by a merge key', { web: '<<: { volumes: ["/srv:/x"] }' }, folder],
  ['a folder of a service with a profile', { web: "profiles: [x], volumes: ['/srv:/x']" }, folder],
  ['a port by a variable', { web: "ports: ['$P']", block: "env: { P: '8080:80' }" }, port],
  ['a port by a variable that is not known', { web: "ports: ['${P}']" }, port],
  ['a port in the long form', { web: "ports: [{ target: 80, published: '${P:-8080}' }]" }, port],
  ['a volume with a name', { top: 'volumes: { d: { name: shop-data } }' }, shared('the volume d')],
  ['a volume with a name by a default', { top: "volumes: { d: { name: '${N:-shop}' } }" }, shared('the volume d')],
  ['an external volume', { top: 'volumes: { shop-data: { external: true } }' }, shared('the volume shop-data')],
  ['an external volume by a variable', { top: "volumes: { d: { external: '${E}' } }" }, shared('the volume d')],
  ['an external volume of old', { top: 'volumes: { d: { external: { name: shop } } }' }, shared('the volume d')],
  [
    'the network of others',
    { top: 'networks: { n: { external: true, name: shop_default } }' },
    shared('the network n'),
  ],
  ['the network of the host', { top: 'networks: { host: { external: true } }' }, shared('the network host')],
  ['a secret of others', { top: 'secrets: { s: { external: true } }' }, shared('the secret s')],
  ['a config of others', { top: 'configs: { c: { name: shop } }' }, shared('the config c')],
  ['a folder as a volume', { top: 'volumes: { d: { driver_opts: { type: none, o: bind, device: /srv } } }' }, device],
  [
    'a folder without its slash',
    { top: 'volumes: { d: { driver_opts: { type: none, o: bind, device: srv } } }' },
    device,
  ],
  ['a disk as a volume', { top: 'volumes: { d: { driver_opts: { type: ext4, device: /dev/sda1 } } }' }, device],
  [
    'a layer over a folder',
    { top: 'volumes: { d: { driver_opts: { type: overlay, device: x, o: "lowerdir=/srv" } } }' },
    device,
  ],
  ['a folder below memory', { top: 'volumes: { d: { driver_opts: { type: tmpfs, o: bind, device: /srv } } }' }, device],
  [
    'a volume of another driver',
    { top: 'volumes: { d: { driver: local-persist, driver_opts: { mountpoint: /srv } } }' },
    device,
  ],
  ['a file of the host as a config', { top: 'configs: { c: { file: /etc/shadow } }' }, ofHost('the config c')],
  ['a file of others as a secret', { top: 'secrets: { s: { file: ../../shop/files/key } }' }, ofHost('the secret s')],
  ['a file by a variable', { top: "secrets: { s: { file: '${F:-~/.ssh/id}' } }" }, ofHost('the secret s')],
])('refuses %s', async (_is, file, message) => {
  expect(await found(file)).toEqual([
    { code: 'not-in-previews', at: 'the mark', says: expect.stringContaining(message) },
  ]);
});

const reaches = (keys: string) => `the service web has ${keys}, which may reach the host or others on it`;
const outside = (keys: string) => `the service web names a file or folder under ${keys} that is none of its own`;
const filled = (path: string) => `the service web may write into ${path}, and what a container puts there`;
const elsewhere = (key: string) => `${key} brings what stands in another file, which Trueup does not read`;

test.each<readonly [string, File, string]>([
  ['all rights', { web: 'privileged: true' }, reaches('privileged')],
  ['all rights by a variable', { web: "privileged: '${P:-yes}'" }, reaches('privileged')],
  ['all rights of a command', { web: 'post_start: [{ command: x, privileged: true }]' }, reaches('post_start')],
  [
    'all rights by a merge key in quotes',
    { web: '"<<": { privileged: true }' },
    'the compose file has a merge key in quotes',
  ],
  ['rights over the host', { web: 'cap_drop: [ALL], cap_add: [CHOWN, SYS_ADMIN]' }, reaches('cap_add')],
  [
    'a device',
    { web: 'devices: ["/dev/sda:/dev/sda"], device_cgroup_rules: ["b *:* rwm"]' },
    reaches('devices, device_cgroup_rules'),
  ],
  ['the network of the host', { web: 'network_mode: host' }, reaches('network_mode')],
  ['the network of another container', { web: "network_mode: 'container:shop-db'" }, reaches('network_mode')],
  ['processes of the host', { web: 'pid: host, ipc: host, uts: host' }, reaches('pid, ipc, uts')],
  [
    'users and groups of the host',
    { web: 'userns_mode: host, cgroup: host, cgroup_parent: shop' },
    reaches('cgroup_parent, userns_mode, cgroup'),
  ],
  ['no confinement', { web: 'security_opt: [no-new-privileges, "seccomp:unconfined"]' }, reaches('security_opt')],
  ['volumes of another container', { web: "volumes_from: ['container:shop-db']" }, reaches('volumes_from')],
  ['links to other containers', { web: 'external_links: [shop-db]' }, reaches('external_links')],
  ['the API of Docker', { web: 'use_api_socket: true' }, reaches('use_api_socket')],
  ['a program of the host', { web: 'provider: { type: x }' }, reaches('provider')],
  ['a credential of the host', { web: 'credential_spec: { file: x.json }' }, reaches('credential_spec')],
  ['another runtime', { web: 'runtime: x, annotations: { a: b }' }, reaches('runtime, annotations')],
  ['what Trueup does not know', { web: 'host_reach: true' }, reaches('host_reach')],
  ['variables of others', { web: 'env_file: [.env, ../../shop/code/.env]' }, outside('env_file')],
  ['variables of the host', { web: 'env_file: [{ path: /etc/environment, required: false }]' }, outside('env_file')],
  ['labels of a file', { web: 'label_file: ../files/labels' }, reaches('label_file')],
  ['an image of a folder of the host', { web: 'build: /etc, image: "web${var:suffix}"' }, outside('build')],
  [
    'an image of a folder beside',
    { web: 'build: { context: ., additional_contexts: { a: ../../shop } }' },
    outside('build'),
  ],
  ['an image by a file of the host', { web: 'build: { context: ., dockerfile: /etc/shadow }' }, outside('build')],
  ['an image of another disk', { web: 'build: "oci-layout:///srv"' }, outside('build')],
  [
    'a build with rights',
    { web: 'build: { context: ., ssh: [default], entitlements: [x] }' },
    reaches('build.ssh, build.entitlements'),
  ],
  ['a build in the network of the host', { web: 'build: { context: ., network: host }' }, reaches('build.network')],
  [
    'a build with the name of others',
    { web: 'build: ., image: shop' },
    'the service web builds an image whose name each preview would take',
  ],
  [
    'a build with a tag of others',
    { web: 'build: { context: ., tags: [shop] }' },
    'the service web builds an image whose name',
  ],
  [
    'another file by extends',
    { web: 'extends: { file: ../files/a.yml, service: a }' },
    elsewhere('extends of the service web'),
  ],
  ['another file by include', { top: 'include: [../files/a.yml]' }, elsewhere('include')],
  [
    'a network of the host by its driver',
    { top: 'networks: { n: { driver: macvlan } }' },
    'the network n has a driver or options',
  ],
  [
    'a network of the host by its options',
    { top: 'networks: { n: { driver_opts: { com.docker.network.bridge.name: br0 } } }' },
    'the network n has a driver or options',
  ],
  ['a log of the host', { web: 'logging: { driver: syslog }' }, reaches('logging')],
  ['a log by a variable', { web: 'logging: { driver: "${L}" }' }, reaches('logging')],
  [
    'what a container puts below its folder',
    { web: "volumes: ['./a:/a'] }, more: { image: nginx, volumes: ['./a/b:/b']" },
    filled('./a'),
  ],
  ['what a container puts into a file for the next start', { web: "volumes: ['./:/a']" }, filled('./')],
  ['what a container puts below ../files', { web: "volumes: ['../files/data:/data']" }, filled('../files/data')],
  [
    'what a container puts beside its file',
    { web: 'volumes: [{ type: bind, source: ../files, target: /data }]', block: 'files: { a.conf: { content: x } }' },
    filled('../files'),
  ],
  [
    'what a container puts below ../files, by a mode that the last one undoes',
    { web: "volumes: ['../files/data:/data:ro,rw']" },
    filled('../files/data'),
  ],
  [
    'a link in a folder with the id',
    { web: "volumes: ['/srv/${var:suffix}/a:/x']" },
    'the service web mounts a folder of the host',
  ],
  [
    'a model of the host',
    { top: 'models: { m: { model: x } }' },
    'the compose file has models, which may reach the host',
  ],
])('refuses the way to the host by %s', async (_is, file, message) => {
  expect(await found(file)).toEqual([
    { code: 'not-in-previews', at: 'the mark', says: expect.stringContaining(message) },
  ]);
});

test.each<readonly [string, File]>([
  ['volumes of its own', { web: "volumes: ['d:/x', '/cache']", top: 'volumes: { d: { driver: local } }' }],
  ['memory as a volume', { top: 'volumes: { d: { driver_opts: { type: tmpfs, device: tmpfs, o: "size=9m" } } }' }],
  [
    'files of its own',
    {
      web: "volumes: ['../files/a.conf:/a', './b:/b', '${D:-./d}:/d', '../files/c:/c:ro']",
      block: 'files: { a.conf: { content: x } }',
    },
  ],
  ['a log of its own', { web: 'logging: { driver: json-file, options: { max-size: 9m } }' }],
  ['a config of its own', { top: 'configs: { c: { file: ../files/a.conf }, e: { content: x } }' }],
  ['a folder with the id', { web: "volumes: ['/srv/${var:suffix}:/x']" }],
  ['a folder with the id by a variable', { web: "volumes: ['/srv/${D}:/x']", block: "env: { D: '${var:suffix}' }" }],
  ['a volume with the id', { top: 'volumes: { d: { name: "shop${var:suffix}" }, e: { external: false } }' }],
  [
    'a share with the id',
    { top: 'volumes: { d: { driver_opts: { type: nfs, o: addr=nas, device: ":/x/${var:suffix}" } } }' },
  ],
  ['the network of the platform', { top: 'networks: { dokploy-network: { external: true }, own: {} }' }],
  ['a port of a container', { web: "ports: [80, '81', { target: 82 }]" }],
  ['rights that are off', { web: 'privileged: false, devices: [], security_opt: ["no-new-privileges:true"]' }],
  ['rights in its container', { web: 'cap_drop: [ALL], cap_add: [NET_BIND_SERVICE, CAP_CHOWN], ipc: private' }],
  ['the network of its own service', { web: "network_mode: 'service:web', volumes_from: ['web:ro']" }],
  ['a base of its own', { web: 'extends: { service: web }, env_file: .env, x-more: 1' }],
  [
    'an image that it builds',
    { web: 'build: { context: "https://git.example.com/a.git", args: { A: b } }, image: "a${var:suffix}"' },
  ],
  ['an image of its text', { web: 'build: { dockerfile_inline: FROM nginx }' }],
  ['a network of its own', { top: 'networks: { n: { driver: bridge, internal: true } }\nx-more: 1\nname: shop' }],
  ['a variable elsewhere', { web: "environment: { A: '${A:-/srv}', B: '${secret:B}' }" }],
])('takes %s', async (_is, file) => {
  expect(await found(file)).toEqual([]);
});

test.each([
  ['run -v /:/host alpine', ''],
  ['compose -p shop up -d', ''],
  ['compose -f ../../shop/code/docker-compose.yml up -d', ''],
  ['compose --project-directory / up', ''],
  ['compose --env-file ../files/env up', ''],
  ['compose up -d && docker compose -p shop down -v', ''],
  ['compose run -v /:/host web', ''],
  ['stack deploy -c docker-compose.yml shop', ''],
  ['compose up -d', ', composeType: stack'],
  ['compose up -d', ', env: { A: "x\\nCOMPOSE_FILE=/srv/compose.yml" }'],
  ['compose up -d', ', env: "${secret:ALL}"'],
  ['compose up -d', ', createEnvFile: false'],
  ['compose up -d', ', env: { COMPOSE_PROJECT_NAME: shop }'],
])('refuses the command %s%s', async (command, more) => {
  expect(await found({ block: `command: "${command}"${more}` })).toEqual([
    expect.objectContaining({ code: 'not-in-previews', says: expect.stringContaining('command may start or change') }),
  ]);
});

test.each([
  'compose up -d --build --scale web=2',
  'compose --profile seed -f docker-compose.yml pull web && docker compose up -d --wait',
  'compose -p shop${var:suffix} up -d',
])('takes the command %s', async (command) => {
  expect(await found({ block: `command: "${command}"` })).toEqual([]);
});

test.each([
  ['/srv/${var:suffix}/../../var/run', 'hostPath leads to a folder that'],
  ['/proc/${var:id}/root', 'hostPath leads to a folder that'],
  ['/srv/${var:suffix}/link', 'hostPath has the id above its last part'],
])('refuses a mount of the folder %s', async (path, message) => {
  const mount = `mounts: { /x: { type: bind, hostPath: §"${path}" } }`;
  const app = `application: { web: { source: { type: docker, image: nginx }, ${mount} } }`;
  const shop = `project: prj_1\nvariables: { suffix: {}, id: { default: "" } }\n${app}\n`;
  const withId = root.replace('variables: {', 'variables: { id: "${preview:id}",');
  expect(await mistakes({ 'preview.yaml': withId, 'shop.yaml': shop }, 'preview.yaml')).toEqual([
    { code: 'not-in-previews', at: 'the mark', says: expect.stringContaining(message) },
  ]);
});

test.each([
  'application: { web: { source: { type: docker, image: nginx }, mounts: { /x: { type: file, filePath: §"a;id", content: x } } } }',
  `compose: { stack: { source: { type: raw, composeFile: "services: { web: { image: nginx } }" }, files: { §"a;id": { content: x, allow: { refused-setting: it is mine } } } } }`,
])('refuses a file whose path a shell of the platform would read, whatever its block allows: %s', async (body) => {
  const shop = `project: prj_1\nvariables: { suffix: {} }\n${body}\n`;
  expect(await mistakes({ 'preview.yaml': root, 'shop.yaml': shop }, 'preview.yaml')).toContainEqual({
    code: 'not-in-previews',
    at: 'the mark',
    says: expect.stringContaining('filePath holds blanks or signs that a shell of the platform reads'),
  });
});

test('refuses a file that only a run with its secrets can read', async () => {
  const other = 'compose: { stack: { source: { type: raw, composeFile: §"${secret:ALL}" } } }\n';
  expect(
    await mistakes(
      { 'preview.yaml': root, 'shop.yaml': `project: prj_1\nvariables: { suffix: {} }\n${other}` },
      'preview.yaml',
    ),
  ).toEqual([
    {
      code: 'not-in-previews',
      at: 'the mark',
      says: expect.stringContaining('has to be readable without its secrets'),
    },
  ]);
});

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
  const text = JSON.stringify(`services: { web: { image: nginx, ${web} } }\n${top}\n`);
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

test.each<readonly [string, File]>([
  ['volumes of its own', { web: "volumes: ['d:/x', '/cache']", top: 'volumes: { d: { driver: local } }' }],
  ['memory as a volume', { top: 'volumes: { d: { driver_opts: { type: tmpfs, device: tmpfs, o: "size=9m" } } }' }],
  ['files of its own', { web: "volumes: ['../files/a.conf:/a', './b:/b', '${D:-./d}:/d']" }],
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
  ['a variable elsewhere', { web: "environment: { A: '${A:-/srv}', B: '${secret:B}' }" }],
])('takes %s', async (_is, file) => {
  expect(await found(file)).toEqual([]);
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

import { testHistories } from '../support/history-tests.ts';
import { head } from '../support/world.ts';

/** Services and what stands below them, made, changed, moved, deleted and deployed by runs that are killed or meet a fault. */

const databases = `    postgres:
      main:
        description: of the shop
        dockerImage: postgres:17
        databaseName: a
        databaseUser: u
        databasePassword: password-1
        env: { C: "1" }
        mounts: { /x: { type: bind, hostPath: /srv/x }, /v: { type: volume, volumeName: v } }
        backups:
          n: { schedule: "0 3 * * *", destinationId: dst_1, prefix: n/ }
          m: { schedule: "0 4 * * *", destinationId: dst_1, prefix: m/ }
`;
const stacks = `    compose:
      shop:
        source: { type: raw, composeFile: "services: { web: { image: nginx } }" }
        composeType: docker-compose
        env: { DB: "\${ref:postgres.main.host}" }
        domains: { a.example.com: { serviceName: web, enabled: false } }
        files: { a.conf: { content: hello } }
`;
const region = '    env: { A: "1" }\n';
const about = '    description: before release\n    env: { B: "2" }\n';
const full = `${head}environments:\n  production:\n${region}  staging:\n${about}${databases}${stacks}`;
const empty = `${head}environments: { production: {} }\n`;
const replaced = full
  .replace('databaseName: a', 'databaseName: b')
  .replace('docker-compose', 'stack')
  .replace('a.example.com', 'b.example.com');
const store = stacks.replace('shop:', 'store:').replace('ref:', 'ref:production.');
const moved = `${head}moved:
  - { from: staging.compose.shop, to: preview.compose.store }
  - { from: staging.postgres.main, to: production.postgres.main }
  - { from: staging, to: preview }
environments:\n  production:\n${region}${databases}  preview:\n${about}${store}`;
const edited = full
  .replace('before release', 'next')
  .replace('B: "2"', 'B: "3"')
  .replace('of the shop', 'of the store')
  .replace('C: "1"', 'C: "2"')
  .replace('/srv/x', '/srv/y')
  .replace('prefix: n/', 'prefix: o/')
  .replace('enabled: false', 'enabled: true')
  .replace('hello', 'bye');

testHistories(
  {
    create: { before: [], after: full, posts: 16 },
    replace: { before: [full], after: replaced, posts: 17 },
    move: { before: [full], after: moved, posts: 3 },
    delete: { before: [full], after: empty, posts: 3 },
    edit: { before: [full], after: edited, posts: 9 },
  },
  'on disk',
);

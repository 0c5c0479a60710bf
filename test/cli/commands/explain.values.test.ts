import { describe, expect, test } from 'vitest';
import { documentOf, project, trueup } from '../process.ts';

/** Where each value of a block comes from: changes, keys of blocks, templates, parameters and variables, by their places. */

const files = {
  'staging.yaml': `trueup: 1
platform: emulator
environment: staging
include: [shop.yaml]
variables: { tag: canary-1.2 }
changes:
  redis: { cache: { memoryLimit: 1Gi, env: { B: !reset, C: !reset "canary-3" } } }
`,
  'shop.yaml': `project: prj_1
variables: { tag: { type: text }, port: { type: number, default: 4711 } }
templates:
  base: { block: { databasePassword: "\${secret:PW}", replicas: 1 } }
  store:
    parameters: { memory: { default: 256Mi }, image: {} }
    block:
      use: base
      dockerImage: "\${param:image}:\${var:tag}"
      memoryLimit: \${param:memory}
      env: { A: canary-a, B: canary-b, C: canary-c, P: "\${var:port}" }
redis:
  cache: { use: store, with: { image: canary-redis }, env: { A: canary-own } }
  queue: { use: store, with: { image: r, memory: 512Mi } }
`,
};

describe('explain of a stage', () => {
  const at = project(files);
  const explain = (address: string, ...more: readonly string[]) =>
    trueup(['explain', address, '--offline', '-C', at, '-f', 'staging.yaml', ...more]);

  test('prints the chain of each value, and no value', async () => {
    const { code, out } = await explain('staging.redis.cache', '--var', 'port=4712');
    expect(code).toBe(0);
    expect(out).not.toMatch(/canary|1Gi|4712/);
    expect(out.split('\n\n')[1]).toBe(`Values come from:
  databasePassword: template base, shop.yaml:4:38, used at shop.yaml:8:12, used at shop.yaml:13:17
  replicas: template base, shop.yaml:4:64, used at shop.yaml:8:12, used at shop.yaml:13:17
  dockerImage: template store, shop.yaml:9:20, used at shop.yaml:13:17
    \${param:image}: shop.yaml:13:39
    \${var:tag}: staging.yaml:5:19
  memoryLimit: changes, staging.yaml:7:34
    over: default of the parameter memory, shop.yaml:6:38, in the template at shop.yaml:10:20, used at shop.yaml:13:17
  name: shop.yaml:13:3
  env.A: shop.yaml:13:65
    over: template store, shop.yaml:11:17, used at shop.yaml:13:17
  env.C: changes, staging.yaml:7:67, behind !reset
    over: template store, shop.yaml:11:43, used at shop.yaml:13:17
  env.P: template store, shop.yaml:11:56, used at shop.yaml:13:17
    \${var:port}: --var port
  env.B: taken out by !reset, staging.yaml:7:46
`);
  });

  test('of one field, also of one that is taken out', async () => {
    const [memory, gone] = [
      await explain('staging.redis.queue.memoryLimit'),
      await explain('staging.redis.cache.env.B'),
    ];
    expect(memory.out).toContain(
      'Values come from:\n  memoryLimit: parameter memory, shop.yaml:14:50, in the template at shop.yaml:10:20, used at shop.yaml:14:17\n',
    );
    expect(gone.out).toContain('Values come from:\n  env.B: taken out by !reset, staging.yaml:7:46\n');
    const none = await explain('staging.redis.cache.env.X');
    expect([none.code, none.err]).toEqual([
      1,
      expect.stringContaining('there is nothing at staging.redis.cache.env.X'),
    ]);
  });

  test('as JSON', async () => {
    const document = documentOf(await explain('staging.redis.cache.memoryLimit', '--format', 'json'));
    expect(document).toMatchObject({
      format: 'trueup/address',
      values: [
        {
          path: 'memoryLimit',
          places: [
            { is: 'changes', position: { file: 'staging.yaml', line: 7 } },
            { is: 'default', name: 'memory', position: { file: 'shop.yaml', line: 6 }, hole: { line: 10 } },
          ],
          uses: [],
        },
      ],
    });
  });

  test('says nothing of this in a manifest without stages, templates and changes', async () => {
    const plain = project(
      'trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments: { production: { redis: { cache: { dockerImage: a } } } }\n',
    );
    const { out } = await trueup(['explain', 'production.redis.cache', '--offline', '-C', plain]);
    expect(out).toContain('declared: trueup.yaml:4:');
    expect(out).not.toContain('Values come from');
  });
});

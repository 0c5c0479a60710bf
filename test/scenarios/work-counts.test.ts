import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type * as Yaml from 'yaml';
import { parseDocument } from 'yaml';
import { beforeEach, expect, test, vi } from 'vitest';
import type * as SimpleYaml from '../../src/formats/simple-yaml.ts';
import { readSimpleYaml } from '../../src/formats/simple-yaml.ts';
import { bench, head } from '../support/world.ts';

/** How often a run reads the same text, and how many bytes it keeps for each object. Counts, never times. */

vi.mock('yaml', async (original) => {
  const all = await original<typeof Yaml>();
  return { ...all, parseDocument: vi.fn<typeof parseDocument>(all.parseDocument) };
});
vi.mock('../../src/formats/simple-yaml.ts', async (original) => {
  const all = await original<typeof SimpleYaml>();
  return { ...all, readSimpleYaml: vi.fn<typeof readSimpleYaml>(all.readSimpleYaml) };
});
beforeEach(() => void vi.clearAllMocks());

/** So many stacks, each with a compose file of its own, a domain and a file. */
const manifest = (stacks: number, more = '') => `${head}environments:
  production:
    compose:
${Array.from(
  { length: stacks },
  (_, n) => `      s${n}:
        source:
          type: raw
          composeFile: |
            services:
              web: { image: "nginx:1.${n}"${more} }
        domains:
          s${n}.example.com: { serviceName: web, port: 8080 }
        files:
          app.conf: { content: "a = 1" }
`,
).join('')}`;

const texts = () => vi.mocked(readSimpleYaml).mock.calls.map(([text]) => text);

test('a plan reads the manifest and each compose file once, and none of them with the whole parser', async () => {
  const made = bench();
  await made.apply(manifest(30));
  vi.clearAllMocks();
  const plan = await made.plan(manifest(30));
  expect(plan.actions.every(({ action }) => action === 'no-op')).toBe(true);
  expect(texts()).toHaveLength(31);
  expect(new Set(texts())).toHaveProperty('size', 31);
  expect(vi.mocked(parseDocument)).not.toHaveBeenCalled();
});

test('a compose file that needs the whole parser is read by it once', async () => {
  const made = bench();
  await made.plan(manifest(5, ', labels: &l { a: b }'));
  expect(vi.mocked(parseDocument)).toHaveBeenCalledTimes(5);
});

test('the state takes 500 bytes for each object at most, and a plan without a change keeps 3,000', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const made = bench();
  const text = manifest(200);
  await made.apply(text);
  const objects = Object.keys(made.store.state?.resources ?? {}).length;
  expect(objects).toBe(601);
  expect(JSON.stringify(made.store.state).length / objects).toBeLessThan(500);
  await made.plan(text);
  collect();
  const before = process.memoryUsage().heapUsed;
  const plan = await made.plan(text);
  collect();
  expect((process.memoryUsage().heapUsed - before) / objects).toBeLessThan(3_000);
  expect(plan.actions).toHaveLength(601);
});

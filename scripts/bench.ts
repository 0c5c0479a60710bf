import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { measureGrowth } from './support/growth.ts';
import { largeManifest } from './support/large-manifest.ts';
import { emulate, root } from './support/trueup.ts';

/**
 * How long plan and apply take, as ratios to the least time their requests can take: requests x latency / connections.
 * Every command is a process of its own, started as users start it; nothing here passes or fails.
 */

const latencyMs = 20;
const connections = 8;
const runs = Number(process.argv[2] ?? 3);
/** `bulk`: only plans with bulk reads and without. */
const only = process.argv[3];

interface Measured {
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
  readonly requests: number;
}

/** Runs a command and reads what it used from a hook in the process itself. */
async function measure(
  folder: string,
  args: readonly string[],
  apiKey: string,
  more: NodeJS.ProcessEnv = {},
): Promise<Measured> {
  const usage = join(folder, 'usage.json');
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      '--import',
      join(root, 'scripts/support/usage.mjs'),
      join(root, 'bin/trueup.js'),
      '-C',
      folder,
      '--connections',
      String(connections),
      ...args,
    ],
    {
      env: { ...process.env, TRUEUP_API_KEY: apiKey, TRUEUP_USAGE: usage, ...more },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await once(child, 'close')) as [number];
  const wall = (performance.now() - started) / 1000;
  const counts = [...output.matchAll(/(\d+) reads?, (\d+) writes?/g)].at(-1);
  if (code !== 0 || counts === undefined)
    throw new Error(`trueup ${args.join(' ')} ended in ${code}:\n${output.slice(-2000)}`);
  const { cpu, memory } = JSON.parse(execFileSync('cat', [usage], { encoding: 'utf8' })) as {
    cpu: number;
    memory: number;
  };
  return { wall, cpu, memory, requests: Number(counts[1]) + Number(counts[2]) };
}

async function story(services: number): Promise<Record<'apply' | 'plan' | 'idle', Measured>> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  const platform = await emulate(['--latency', String(latencyMs)]);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'trueup.yaml'), largeManifest(services, `{ url: "${platform.url}" }`));
    const apply = await measure(folder, ['apply', '--auto-approve'], platform.apiKey);
    const plan = await measure(folder, ['plan'], platform.apiKey);
    const idle = await measure(folder, ['apply', '--auto-approve'], platform.apiKey);
    return { apply, plan, idle };
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Collects traces. The last stage of a name, in seconds. */
async function collector(): Promise<{ url: string; seconds: (stage: string) => number; close: () => void }> {
  const durations = new Map<string, number>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString()) as Traces;
      for (const { scopeSpans } of resourceSpans) {
        for (const { name, startTimeUnixNano, endTimeUnixNano } of scopeSpans.flatMap(({ spans }) => spans))
          durations.set(name, Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e9);
      }
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seconds: (stage) => durations.get(stage) ?? Number.NaN,
    close: () => server.close(),
  };
}

/** The part of an OTLP request that is read here. */
interface Traces {
  readonly resourceSpans: readonly {
    readonly scopeSpans: readonly {
      readonly spans: readonly { name: string; startTimeUnixNano: string; endTimeUnixNano: string }[];
    }[];
  }[];
}

/** Plans of a server of the profile dokploy with bulk reads and without, in turn; and how long the reads of each take. */
async function reportBulk(services: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  const platform = await emulate(['--latency', String(latencyMs), '--profile', 'dokploy']);
  const traces = await collector();
  const results = new Map<string, (Measured & { readonly reading: number })[]>([
    ['together', []],
    ['alone', []],
  ]);
  try {
    writeFileSync(join(folder, 'trueup.yaml'), largeManifest(services, `{ url: "${platform.url}", profile: dokploy }`));
    await measure(folder, ['apply', '--auto-approve'], platform.apiKey);
    for (let run = 0; run < runs; run++) {
      for (const [how, list] of results) {
        const args = how === 'alone' ? ['plan', '--no-bulk'] : ['plan'];
        const measured = await measure(folder, args, platform.apiKey, { OTEL_EXPORTER_OTLP_ENDPOINT: traces.url });
        list.push({ ...measured, reading: traces.seconds('observe') });
      }
    }
  } finally {
    traces.close();
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`plan of ${services} services, profile dokploy, ${latencyMs} ms per request, `);
  process.stdout.write(
    `${connections} connections, median of ${runs} runs\nreads     requests  wall s  reading s  CPU s\n`,
  );
  for (const [how, list] of results) {
    const middle = (of: (one: (typeof list)[number]) => number) => median(list.map(of)).toFixed(2);
    const columns = [
      String(list[0]?.requests ?? 0).padStart(8),
      middle(({ wall }) => wall).padStart(6),
      middle(({ reading }) => reading).padStart(9),
      middle(({ cpu }) => cpu).padStart(5),
    ];
    process.stdout.write(`${how.padEnd(8)}  ${columns.join('  ')}\n`);
  }
  process.stdout.write('\n');
}

function bound(requests: number): number {
  return (requests * latencyMs) / 1000 / connections;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

await reportBulk(1000);
if (only === 'bulk') process.exit();

const sizes = [100, 1000] as const;
const results = new Map<number, Record<'apply' | 'plan' | 'idle', Measured>[]>();
for (const size of sizes) {
  const list: Record<'apply' | 'plan' | 'idle', Measured>[] = [];
  for (let run = 0; run < runs; run++) list.push(await story(size));
  results.set(size, list);
}
const names = { plan: 'plan without a change', apply: 'first apply', idle: 'apply without a change' } as const;
process.stdout.write(
  `${latencyMs} ms per request, ${connections} connections, median of ${runs} runs; the bound is requests x latency / connections\n\n`,
);
process.stdout.write('services  command                  requests  wall s  bound s  ratio  CPU s  peak MB\n');
for (const size of sizes) {
  for (const command of ['plan', 'apply', 'idle'] as const) {
    const all = (results.get(size) ?? []).map((item) => item[command]);
    const wall = median(all.map((item) => item.wall));
    const least = bound(all[0]?.requests ?? 0);
    const columns = [
      String(size).padStart(8),
      names[command].padEnd(23),
      String(all[0]?.requests ?? 0).padStart(8),
      wall.toFixed(2).padStart(7),
      least.toFixed(2).padStart(8),
      (wall / least).toFixed(2).padStart(6),
      median(all.map((item) => item.cpu))
        .toFixed(2)
        .padStart(6),
      median(all.map((item) => item.memory))
        .toFixed(0)
        .padStart(8),
    ];
    process.stdout.write(`${columns.join('  ')}\n`);
  }
}
for (const command of ['plan', 'apply', 'idle'] as const) {
  const [small, large] = sizes.map((size) => median((results.get(size) ?? []).map((item) => item[command].wall)));
  process.stdout.write(`\n${names[command]}: t(1000) / t(100) = ${((large ?? 0) / (small ?? 1)).toFixed(1)}`);
}
process.stdout.write('\n');
for (const { work, ratio } of await measureGrowth())
  process.stdout.write(`${work}: CPU(80,000) / CPU(20,000) = ${ratio.toFixed(1)}\n`);

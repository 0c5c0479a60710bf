import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
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
async function measure(folder: string, args: readonly string[], apiKey: string): Promise<Measured> {
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
    { env: { ...process.env, TRUEUP_API_KEY: apiKey, TRUEUP_USAGE: usage }, stdio: ['ignore', 'pipe', 'pipe'] },
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

/** Plans of a server of the profile dokploy, with bulk reads and without, in turn. */
async function bulkStory(services: number): Promise<Record<'together' | 'alone', Measured[]>> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  const platform = await emulate(['--latency', String(latencyMs), '--profile', 'dokploy']);
  const results: Record<'together' | 'alone', Measured[]> = { together: [], alone: [] };
  try {
    writeFileSync(join(folder, 'trueup.yaml'), largeManifest(services, `{ url: "${platform.url}", profile: dokploy }`));
    await measure(folder, ['apply', '--auto-approve'], platform.apiKey);
    for (let run = 0; run < runs; run++) {
      results.together.push(await measure(folder, ['plan'], platform.apiKey));
      results.alone.push(await measure(folder, ['plan', '--no-bulk'], platform.apiKey));
    }
    return results;
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function reportBulk(services: number): Promise<void> {
  const results = await bulkStory(services);
  process.stdout.write(
    `plan of ${services} services, profile dokploy, ${latencyMs} ms per request, ${connections} connections\n`,
  );
  process.stdout.write('reads     requests  wall s  CPU s\n');
  const wall = (all: readonly Measured[]) => median(all.map((item) => item.wall));
  for (const how of ['together', 'alone'] as const) {
    const all = results[how];
    const cpu = median(all.map((item) => item.cpu)).toFixed(2);
    const columns = [String(all[0]?.requests ?? 0).padStart(8), wall(all).toFixed(2).padStart(6), cpu.padStart(5)];
    process.stdout.write(`${how.padEnd(8)}  ${columns.join('  ')}\n`);
  }
  process.stdout.write(`wall: ${(wall(results.alone) / wall(results.together)).toFixed(1)} times as fast together\n\n`);
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

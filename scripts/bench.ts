import { execFileSync, spawn } from 'node:child_process';
import { once as onceEmitted } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from '../src/api/once.ts';
import { measureGrowth } from './support/growth.ts';
import { installPackage } from './support/installed.ts';
import { largeManifest, largeManifestFiles, leanManifest, plainManifest } from './support/large-manifest.ts';
import { measureStages } from './support/stages-load.ts';
import { emulate, root } from './support/trueup.ts';

/**
 * How long plan, apply and destroy take, as ratios to a bare client that makes the same objects in the same run, and how long a
 * small command takes to start. The package is packed and installed first: every command is a process of its own, of what users
 * get. Nothing here passes or fails.
 */

const latencyMs = 20;
const connections = 10;
const runs = Number(process.argv[2] ?? 3);
/**
 * `bare`: only 400 services beside the bare client; `large`: only 2,016 of them; `bulk`: `bare`, and what bulk reads change; `growth`: only what a run takes
 * for ten and a hundred times as many services; `stages`: only what stages take beside the same written out; `start`: only how
 * long small commands take to start.
 */
const only = process.argv[3];

const installed = once(() => {
  const made = installPackage();
  process.on('exit', () => rmSync(made.folder, { recursive: true, force: true }));
  return made;
});

interface Measured {
  readonly wall: number;
  readonly cpu: number;
  readonly memory: number;
  readonly requests: number;
  readonly syncs: number;
}

/** Runs a command of Trueup in a folder. */
function measure(
  folder: string,
  args: readonly string[],
  apiKey: string,
  more: NodeJS.ProcessEnv = {},
): Promise<Measured> {
  const words = [installed().program, '-C', folder, '--connections', String(connections), ...args];
  return measureProgram(folder, words, { TRUEUP_API_KEY: apiKey, ...more });
}

/** Runs a program that prints its requests, and reads what it used from a hook in the process itself. */
async function measureProgram(folder: string, words: readonly string[], env: NodeJS.ProcessEnv): Promise<Measured> {
  const usage = join(folder, 'usage.json');
  const started = performance.now();
  const child = spawn(process.execPath, ['--import', join(root, 'scripts/support/usage.mjs'), ...words], {
    env: { ...process.env, TRUEUP_USAGE: usage, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (text: Buffer) => (output += text.toString()));
  child.stderr.on('data', (text: Buffer) => (output += text.toString()));
  const [code] = (await onceEmitted(child, 'close')) as [number];
  const wall = (performance.now() - started) / 1000;
  const [, reads = 0, writes = 0] = [...output.matchAll(/(\d+) reads?, (\d+) writes?/g)].at(-1) ?? [];
  if (code !== 0) throw new Error(`${words.join(' ')} ended in ${code}:\n${output.slice(-2000)}`);
  const { cpu, memory, syncs } = JSON.parse(execFileSync('cat', [usage], { encoding: 'utf8' })) as {
    cpu: number;
    memory: number;
    syncs: number;
  };
  return { wall, cpu, memory, syncs, requests: Number(reads) + Number(writes) };
}

const commands = {
  plan: 'plan without a change',
  apply: 'first apply',
  idle: 'apply without a change',
  edit: 'apply of 1 %',
  saved: 'apply of a saved plan of 1 %',
  destroy: 'destroy',
} as const;
type Story = Record<keyof typeof commands, Measured>;
/** What the clients for comparison do too: they apply nothing a second time, and the bare one has no saved plans. */
const clientCommands = ['apply', 'plan', 'edit', 'saved', 'destroy'] as const;
type ClientStory = Partial<Record<(typeof clientCommands)[number], Measured>>;

/** The clients for comparison, with what each is given behind the address, the key, the command and the connections. */
const clients = {
  bare: { file: 'bench/floor.mjs', given: (_folder: string, services: number) => String(services) },
  promises: { file: 'bench/promises.mjs', given: (folder: string) => folder },
} as const;
type ClientName = keyof typeof clients;

/** What a client takes for the same objects. */
async function clientStory(name: ClientName, services: number): Promise<ClientStory> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  const platform = await emulate(['--latency', String(latencyMs), '--profile', 'dokploy']);
  const { file, given } = clients[name];
  const run = (command: string, isEdited = false) => {
    writeFileSync(join(folder, 'trueup.yaml'), leanManifest(services, `{ url: "${platform.url}" }`, isEdited));
    const words = [platform.url, platform.apiKey, command, String(connections), given(folder, services)];
    return measureProgram(folder, [join(root, file), ...words], {});
  };
  try {
    const apply = await run('apply');
    const plan = await run('plan');
    const edit = await run('edit', true);
    if (name === 'bare') return { apply, plan, edit, destroy: await run('destroy', true) };
    await run('save');
    return { apply, plan, edit, saved: await run('saved'), destroy: await run('destroy') };
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Applies, plans, changes and destroys, without deployments. `reads`: on a server of the profile dokploy. */
async function story(services: number, reads?: 'together' | 'alone'): Promise<Story> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  const profile = reads === undefined ? [] : ['--profile', 'dokploy'];
  const words = reads === undefined ? '' : ', profile: dokploy';
  const platform = await emulate(['--latency', String(latencyMs), ...profile]);
  const write = (isEdited: boolean) =>
    writeFileSync(join(folder, 'trueup.yaml'), leanManifest(services, `{ url: "${platform.url}"${words} }`, isEdited));
  const run = (...args: string[]) =>
    measure(folder, reads === 'alone' ? [...args, '--no-bulk'] : args, platform.apiKey);
  const applied = ['apply', '--auto-approve', '--no-deploy'];
  const savedPlan = join(folder, 'saved.plan');
  try {
    write(false);
    const apply = await run(...applied);
    const plan = await run('plan', '--no-deploy');
    const idle = await run(...applied);
    write(true);
    const edit = await run(...applied);
    write(false);
    await run('plan', '--no-deploy', '--out', savedPlan);
    const saved = await run('apply', savedPlan);
    const destroy = await run('destroy', '--auto-approve', '--allow-data-loss');
    return { plan, apply, idle, edit, saved, destroy };
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
  await onceEmitted(server, 'listening');
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
async function reportBulk(services: number, { isPlain }: { readonly isPlain: boolean }): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  const platform = await emulate(['--latency', String(latencyMs), '--profile', 'dokploy']);
  const traces = await collector();
  const results = new Map<string, (Measured & { readonly reading: number })[]>([
    ['together', []],
    ['alone', []],
  ]);
  try {
    const manifest = isPlain ? plainManifest : largeManifest;
    writeFileSync(join(folder, 'trueup.yaml'), manifest(services, `{ url: "${platform.url}", profile: dokploy }`));
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
  process.stdout.write(
    `plan of ${services} services ${isPlain ? 'alone' : 'with four objects each'}, profile dokploy, ${latencyMs} ms per request, `,
  );
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

const growing = [
  'validate',
  'first apply',
  'plan without a change',
  'apply of 1 % of the services',
  'destroy',
  'bench/promises.mjs: first apply',
  'bench/promises.mjs: plan',
] as const;

/** Each command for so many services: the manifest in eleven files, the platform on this machine, with bulk reads. */
async function measureGrowing(services: number): Promise<Measured[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  const platform = await emulate(['--latency', '0', '--profile', 'dokploy']);
  const write = (isEdited: boolean) => {
    const files = largeManifestFiles(services, `{ url: "${platform.url}", profile: dokploy }`, isEdited);
    for (const [name, text] of files) writeFileSync(join(folder, name), text);
  };
  const run = (...args: string[]) => measure(folder, args, platform.apiKey);
  try {
    write(false);
    const validate = await run('validate');
    const apply = await run('apply', '--auto-approve', '--no-deploy');
    const plan = await run('plan', '--no-deploy');
    write(true);
    const edit = await run('apply', '--auto-approve', '--no-deploy');
    const destroy = await run('destroy', '--auto-approve', '--allow-data-loss');
    write(false);
    const promises = (command: string) => {
      const words = [platform.url, platform.apiKey, command, String(connections), folder];
      return measureProgram(folder, [join(root, clients.promises.file), ...words], {});
    };
    return [validate, apply, plan, edit, destroy, await promises('apply'), await promises('plan')];
  } finally {
    await platform.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What each command takes for 100, 1,000 and 10,000 services; and how much more for each object than with a tenth of them. */
async function reportGrowth(): Promise<void> {
  const found = new Map([100, 1_000, 10_000].map((services) => [services, [] as Measured[][]]));
  for (let run = 0; run < runs; run++) for (const [services, list] of found) list.push(await measureGrowing(services));
  process.stdout.write(
    `${'command'.padEnd(30)} services  requests   fsyncs   wall s    CPU s  peak MB  per object: wall    CPU  memory\n`,
  );
  for (const [place, command] of growing.entries()) {
    let tenth: readonly number[] = [];
    for (const [services, list] of found) {
      const middle = (of: (one: Measured) => number) => median(list.flatMap((all) => all[place] ?? []).map(of));
      const used = [middle(({ wall }) => wall), middle(({ cpu }) => cpu), middle(({ memory }) => memory)];
      const counts = [services, middle(({ requests }) => requests), middle(({ syncs }) => syncs)];
      const ratios = tenth.map((one, at) => ((used[at] ?? 0) / 10 / one).toFixed(2));
      const columns = [
        ...counts.map((one) => String(one).padStart(8)),
        ...used.map((one, at) => one.toFixed(at === 2 ? 0 : 2).padStart(8)),
      ];
      process.stdout.write(
        `${command.padEnd(30)} ${columns.join(' ')}  ${ratios.map((one) => one.padStart(8)).join(' ')}\n`,
      );
      tenth = used;
    }
  }
}

const smallManifest = `trueup: 1
project: prj_1
platform: emulator
environments:
  production:
    application:
      web: { source: { type: docker, image: "nginx:1.27" } }
    redis:
      cache: { dockerImage: "redis:7", databasePassword: a }
`;

/** What a user waits for before anything is done, as ratios to the start of Node. */
async function reportStarts(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-bench-'));
  writeFileSync(join(folder, 'trueup.yaml'), smallManifest);
  const words = {
    'node -e 0': ['-e', '0'],
    'trueup --version': [installed().program, '--version'],
    'trueup validate': [installed().program, '-C', folder, 'validate'],
  };
  const times = new Map(Object.keys(words).map((name) => [name, [] as number[]]));
  for (let run = 0; run < runs * 5; run++) {
    for (const [name, args] of Object.entries(words)) {
      const began = performance.now();
      execFileSync(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
      times.get(name)?.push(performance.now() - began);
    }
  }
  rmSync(folder, { recursive: true, force: true });
  const floor = median(times.get('node -e 0') ?? []);
  for (const [name, all] of times)
    process.stdout.write(`${name}: ${median(all).toFixed(0)} ms, ${(median(all) / floor).toFixed(1)} x node -e 0\n`);
  process.stdout.write('\n');
}

async function reportStages(): Promise<void> {
  for (const { work, ratio } of await measureStages())
    process.stdout.write(`${work}: CPU(examples/stages) / CPU(written out) = ${ratio.toFixed(2)}\n`);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

/** The runs of one command, in columns: requests, time, that of the bare client, their ratio, CPU and memory. */
function columnsOf(all: readonly Measured[], bare: readonly Measured[]): string {
  const middle = (of: (one: Measured) => number) => median(all.map(of));
  const wall = middle((one) => one.wall);
  const floor = median(bare.map((one) => one.wall));
  return [
    String(all[0]?.requests ?? 0).padStart(8),
    wall.toFixed(2).padStart(7),
    (bare.length === 0 ? '' : floor.toFixed(2)).padStart(7),
    (bare.length === 0 ? '' : (wall / floor).toFixed(2)).padStart(6),
    middle((one) => one.cpu)
      .toFixed(2)
      .padStart(6),
    middle((one) => one.memory)
      .toFixed(0)
      .padStart(8),
  ].join('  ');
}

/** One row of a table: how Trueup works in it, and how many services there are. */
interface Telling {
  readonly name: string;
  readonly services: number;
  readonly reads?: 'together' | 'alone';
}

type ClientStories = Record<ClientName, ClientStory[]>;

/** What the bare client does for a command: it looks at everything where a saved plan says what changes. */
const floorOf = (command: keyof Story): keyof ClientStory =>
  command === 'saved' ? 'edit' : command === 'idle' ? 'plan' : command;

/** Tells stories some times over, in turn with those of the other clients, and prints what each command took. */
async function reportStories(title: string, tellings: readonly Telling[]): Promise<ReadonlyMap<string, Story[]>> {
  const told = new Map(tellings.map(({ name }) => [name, [] as Story[]]));
  const others = new Map<number, ClientStories>(tellings.map(({ services }) => [services, { bare: [], promises: [] }]));
  for (let run = 0; run < runs; run++) {
    for (const [services, stories] of others)
      for (const [name, all] of Object.entries(stories)) all.push(await clientStory(name as ClientName, services));
    for (const { name, services, reads } of tellings) told.get(name)?.push(await story(services, reads));
  }
  process.stdout.write(
    `${title.padEnd(8)}  command                       requests  wall s  bare s  ratio  CPU s  peak MB\n`,
  );
  for (const { name, services } of tellings) {
    for (const [command, words] of Object.entries(commands) as [keyof Story, string][]) {
      const all = (told.get(name) ?? []).map((one) => one[command]);
      const floor = (others.get(services)?.bare ?? []).flatMap((one) => one[floorOf(command)] ?? []);
      process.stdout.write(`${name.padStart(8)}  ${words.padEnd(28)}  ${columnsOf(all, floor)}\n`);
    }
  }
  for (const [services, stories] of others) {
    for (const [name, ofClient] of Object.entries(stories))
      for (const command of clientCommands) {
        const all = ofClient.flatMap((one) => one[command] ?? []);
        if (all.length === 0) continue;
        const floor = name === 'bare' ? [] : stories.bare.flatMap((one) => one[floorOf(command)] ?? []);
        const words = `${command}, ${services} services`.padEnd(28);
        process.stdout.write(`${name.padStart(8)}  ${words}  ${columnsOf(all, floor)}\n`);
      }
  }
  process.stdout.write('\n');
  return told;
}

if (only === 'start') {
  await reportStarts();
  process.exit();
}
if (only === 'growth') {
  await reportGrowth();
  process.exit();
}
if (only === 'stages') {
  await reportStages();
  process.exit();
}
if (only !== 'bare' && only !== 'large') {
  await reportBulk(1000, { isPlain: true });
  await reportBulk(1000, { isPlain: false });
}
process.stdout.write(
  `${latencyMs} ms per request, ${connections} connections, median of ${runs} runs; a bare client makes the same objects without any check (bench/floor.mjs), another one keeps the promises of an apply (bench/promises.mjs)\n\n`,
);
const services = only === 'large' ? 2016 : 400;
await reportStories('reads', [
  { name: 'together', services, reads: 'together' },
  { name: 'alone', services, reads: 'alone' },
]);
if (only === 'bulk' || only === 'bare' || only === 'large') process.exit();

const told = await reportStories('services', [
  { name: '100', services: 100 },
  { name: '1000', services: 1000 },
]);
for (const command of Object.keys(commands) as (keyof Story)[]) {
  const [small, large] = [...told.values()].map((stories) => median(stories.map((one) => one[command].wall)));
  process.stdout.write(`${commands[command]}: t(1000) / t(100) = ${((large ?? 0) / (small ?? 1)).toFixed(1)}\n`);
}
process.stdout.write('\n');
await reportStarts();
for (const { work, ratio } of await measureGrowth())
  process.stdout.write(`${work}: CPU(80,000) / CPU(20,000) = ${ratio.toFixed(1)}\n`);
await reportStages();

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Json } from '../../src/formats/json.ts';
import { trueup } from '../cli/process.ts';
import { declareMentioned, modelOf } from '../support/random-blocks.ts';
import { twoManifests } from '../support/random-commands.ts';
import { applyEdit } from '../support/random-edits.ts';
import type { Block, Model } from '../support/random-manifest.ts';
import { blocksOf, fieldOf } from '../support/random-manifest.ts';
import { treeOf, yamlOf } from '../support/random-yaml.ts';
import { effort } from '../support/whole.ts';
import { randomOf } from './guesses.ts';
import type { Hostile } from './hostile-platform.ts';
import { shownIn, serveHostile } from './hostile-platform.ts';

/**
 * Random manifests with random secrets, on a platform that quotes every secret it was sent. None of them may show: in no
 * output, no state, no plan file, no message to a receiver and no trace.
 */

const folders = mkdtempSync(join(tmpdir(), 'trueup-hostile-platform-'));
let server: Awaited<ReturnType<typeof serveHostile>>;
let listener: Awaited<ReturnType<typeof serveHostile>>;
beforeAll(async () => {
  [server, listener] = [await serveHostile(), await serveHostile()];
});
afterAll(() => {
  server.close();
  listener.close();
});

const signs = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const odd = `${signs}"'<>&%+/=;:,.#!?()[]{}|~^*@$ \\\`äé`;

/** A secret of 8 to 60 characters in the form of an example. */
function secretLike(example: unknown, random: () => number): string {
  const text = (of: string, length: number) =>
    Array.from({ length }, () => of[Math.floor(random() * of.length)]).join('');
  const word = () => text(signs, 8 + Math.floor(random() * 52));
  if (typeof example === 'string' && example.startsWith('http')) return `https://hooks.test/${word()}`;
  const title = /^-----BEGIN ([A-Z ]+)-----/.exec(typeof example === 'string' ? example : '')?.[1];
  if (title !== undefined) return `-----BEGIN ${title}-----\n${word()}\n-----END ${title}-----\n`;
  const chance = random();
  // Databases take few signs in passwords.
  if (example === 'a password' || chance < 0.5) return word();
  // At its ends no blank: what reads a variable or a file may take it away.
  if (chance < 0.8) return `${text(signs, 4)}${text(odd, 4 + Math.floor(random() * 50))}${text(signs, 4)}`;
  return `postgres://shop:${word()}@db.example.com/shop`;
}

/** Lets fields and variables of a manifest hold secrets. Gives their values by their names. */
function hide(model: Model, random: () => number): Record<string, string> {
  const secrets: Record<string, string> = {};
  const secret = (example: unknown) => {
    const name = `S${Object.keys(secrets).length}`;
    secrets[name] = secretLike(example, random);
    return `\${secret:${name}}`;
  };
  for (const { block } of blocksOf(model)) {
    for (const [name, value] of Object.entries(block.fields)) {
      const { secrecy, examples, map } = fieldOf(block.kind, name);
      if (secrecy !== 'secret' || map !== undefined || typeof value !== 'string') continue;
      const example = examples.find((one) => typeof one === 'string' && !one.includes('${'));
      block.fields[name] = secret(/^(?:http|-----)/.test(String(example)) ? example : 'a password');
    }
    const compose = block.fields['composeFile'];
    if (typeof compose === 'string' && random() < 0.5)
      block.fields['composeFile'] = `${compose}x-secret:\n  a: '${secret('')}'\n`.replace(/'(\$\{[^}]*\})'/, '"$1"');
    hideInEnv(block, secret, random);
  }
  return secrets;
}

function hideInEnv(block: Block, secret: (example: unknown) => string, random: () => number): void {
  const { env } = block;
  if (env?.is !== 'map') return;
  const entries = Object.entries(env.entries).map(([key, value]) =>
    typeof value === 'string' && random() < 0.6
      ? ([key, random() < 0.5 ? secret('') : `before ${secret('')}, after`] as const)
      : ([key, value] as const),
  );
  block.env = { ...env, entries: { ...Object.fromEntries(entries), TOKEN: `x-${secret('')}` } };
}

/** The number of runs of a history, of those that applied, and what they showed. */
interface Outcome {
  runs: number;
  applied: number;
  readonly shown: string[];
}

/** Plans, applies, edits, rotates, drifts and destroys one random manifest on a hostile platform. */
async function history(seed: number): Promise<Outcome> {
  const random = randomOf(seed);
  const [drawn] = fc.sample(twoManifests, { numRuns: 1, seed });
  if (drawn === undefined) throw new Error('no manifest');
  const name = `h${seed}`;
  const folder = join(folders, name);
  mkdirSync(folder);
  const model = modelOf(structuredClone(drawn));
  declareMentioned(model);
  let secrets = hide(model, random);
  const apiKey = secretLike('', () => 0.3 + random() * 0.1);
  const hook = `${listener.url}/${name}/hooks/${secretLike('', () => random() * 0.5)}`;
  const platform: Hostile = {
    emulator: createEmulator({ apiKey, published: true }),
    secrets: [],
    failing: 0,
    quoting: 0,
    random,
  };
  server.platforms.set(name, platform);
  const write = () => {
    const tree = treeOf(model, []);
    const drift = {
      notify: [
        { url: '${secret:HOOK}', as: (['json', 'slack', 'teams', 'discord'] as const)[seed % 4] ?? 'json', on: 'any' },
      ],
    };
    const all: Record<string, Json> = { ...tree, platform: { url: `${server.url}/${name}` }, drift };
    writeFileSync(join(folder, 'trueup.yaml'), yamlOf(all));
  };
  const outcome: Outcome = { runs: 0, applied: 0, shown: [] };
  const known = new Set<string>();
  const run = async (words: readonly string[], how: { failing: number; quoting: number }) => {
    Object.assign(platform, how, { secrets: [...Object.values(secrets), apiKey] });
    for (const secret of [...Object.values(secrets), apiKey, hook.slice(-20)]) known.add(secret);
    const given = Object.fromEntries(Object.entries(secrets).map(([key, value]) => [`TRUEUP_SECRET_${key}`, value]));
    const traces = random() < 0.25 ? { OTEL_EXPORTER_OTLP_ENDPOINT: `${listener.url}/${name}` } : {};
    const env = { TRUEUP_API_KEY: apiKey, TRUEUP_SECRET_HOOK: hook, ...given, ...traces };
    const { code, out, err } = await trueup(words, { cwd: folder, env });
    outcome.runs += 1;
    if (words[0] === 'apply' && code === 0) outcome.applied += 1;
    look(words.join(' '), out + err);
    return code;
  };
  const look = (what: string, text: string) => {
    for (const secret of known) {
      const form = shownIn(text, secret);
      if (form === undefined) continue;
      const at = text.indexOf(form);
      const around = text.slice(Math.max(0, at - 200), at + form.length + 20);
      outcome.shown.push(`seed ${seed}: trueup ${what} shows ${JSON.stringify(secret)}: …${around}…`);
    }
  };
  const format = () => ['text', 'json', 'html', 'markdown', 'sarif', 'junit'][Math.floor(random() * 6)] ?? 'text';
  const plan = ['plan', '--format', format()];
  const quick = ['--in-flight-timeout', '1', '--deploy-timeout', '1'];
  const apply = ['apply', '--auto-approve', '--adopt', '--allow-data-loss', '--allow-mass-delete', ...quick];
  const [calm, quoting, hostile] = [
    { failing: 0, quoting: 0 },
    { failing: 0, quoting: 40 },
    { failing: 8, quoting: 60 },
  ];
  write();
  await run(plan, random() < 0.5 ? quoting : calm);
  if (random() < 0.7) await run([...apply, ...(random() < 0.5 ? ['--format', 'json'] : [])], hostile);
  await run(apply, random() < 0.3 ? quoting : calm);
  await run(['plan', '--out', 'saved.plan'], quoting);
  await run(['drift', '--notify', '--format', ['text', 'json', 'markdown', 'html'][seed % 4] ?? 'text'], quoting);
  await run(
    [['status'], ['doctor'], ['output'], ['state', 'list'], ['status', '--format', 'json']][seed % 5] ?? ['status'],
    hostile,
  );
  // Others of the secrets, and another manifest.
  secrets = Object.fromEntries(
    Object.entries(secrets).map(([key, value]) => [key, random() < 0.5 ? secretLike(value, random) : value]),
  );
  for (const edit of drawn.edits.slice(0, 3)) applyEdit(model, edit);
  declareMentioned(model);
  write();
  await run(['plan', '--format', format()], quoting);
  await run(apply, hostile);
  await run(['plan', '--detailed-exitcode', '--format', format()], hostile);
  await run(
    ['destroy', '--auto-approve', '--allow-data-loss', '--in-flight-timeout', '1'],
    random() < 0.5 ? calm : hostile,
  );
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile());
  for (const { parentPath, name: file } of files)
    if (file !== 'trueup.yaml') look(`left ${file}`, readFileSync(join(parentPath, file), 'utf8'));
  for (const message of listener.received.get(name) ?? []) look('sent a message or a trace', message);
  server.platforms.delete(name);
  listener.received.delete(name);
  rmSync(folder, { recursive: true, force: true });
  return outcome;
}

describe('a hostile platform that quotes secrets', () => {
  // What fails names its number: TRUEUP_HISTORY=26 runs that one alone.
  const only = process.env['TRUEUP_HISTORY'];
  const count = only === undefined ? effort({ fast: 12, all: 200, soak: 1_120 }) : 1;

  test(`gets none shown by the runs of ${count} random histories`, async () => {
    const outcomes: Outcome[] = [];
    let next = Number(only ?? 1);
    const behind = next + count;
    const work = async () => {
      while (next < behind) outcomes.push(await history(next++));
    };
    // Each waits for its platform most of the time.
    await Promise.all(Array.from({ length: 24 }, work));
    const sum = (number: (outcome: Outcome) => number) => outcomes.reduce((total, one) => total + number(one), 0);
    expect(outcomes.flatMap(({ shown }) => shown).slice(0, 5)).toEqual([]);
    expect(sum(({ runs }) => runs)).toBeGreaterThanOrEqual(count * 9);
    if (only === undefined) expect(sum(({ applied }) => applied)).toBeGreaterThan(count / 2);
  }, 3_600_000);
});

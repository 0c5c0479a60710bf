import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator } from '../../src/exports/emulator.ts';
import { memoryStore } from '../../src/exports/state.ts';
import { open, planDocument, platformAt, stateAt } from '../../src/index.ts';

/**
 * Opens, plans and closes projects, one after the other, and prints the bytes that are in use more after them; then it
 * does so while it keeps every platform, so that a test can see what a leak looks like. A process of its own, started
 * with --expose-gc and both numbers of projects.
 */

const [closed = 200, leaking = 50] = process.argv.slice(2).map(Number);
/** After so many, all that is compiled and cached once is there. */
const warmUp = 120;

const kept: unknown[] = [];
let opened = 0;

const blockOf = (index: number, project: number) =>
  `      db${index}: { dockerImage: "postgres:17", databaseName: d${index}, databaseUser: u, databasePassword: "\${secret:P${project}}" }\n`;

async function planOne(keeps: boolean): Promise<void> {
  const project = opened++;
  const folder = mkdtempSync(join(tmpdir(), 'trueup-many-'));
  const blocks = Array.from({ length: 20 }, (_, index) => blockOf(index, project)).join('');
  writeFileSync(
    join(folder, 'trueup.yaml'),
    `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments:\n  production:\n    postgres:\n${blocks}`,
  );
  const emulator = createEmulator({ apiKey: 'a-key' });
  const platform = platformAt({ url: 'http://emulator', apiKey: 'a-key', send: emulator.send });
  const state = stateAt({ openStore: () => memoryStore() });
  const env = { [`TRUEUP_SECRET_P${project}`]: `secret-number-${project}-of-a-project` };
  const one = await open(folder, { env, platform, state });
  if (planDocument(await one.plan()).summary.create !== 20) throw new Error('the plan is not what it should be');
  await one.close();
  if (keeps) kept.push(emulator, one);
}

function usedBytes(): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('start this with --expose-gc');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

/** The bytes that are in use more after so many projects. */
async function growth(projects: number, keeps: boolean): Promise<number> {
  const before = usedBytes();
  for (let index = 0; index < projects; index++) await planOne(keeps);
  return usedBytes() - before;
}

await growth(warmUp, false);
const printed = [await growth(closed, false), await growth(leaking, true)];
if (kept.length !== 2 * leaking) throw new Error('the platforms were not kept');
process.stdout.write(JSON.stringify(printed));

import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEmulator } from '../../src/exports/emulator.ts';
import { memoryStore } from '../../src/exports/state.ts';
import { open, planDocument, platformAt } from '../../src/index.ts';

/**
 * Opens, plans and closes projects, one after the other, and prints the memory that is used before and after. A process
 * of its own, started with --expose-gc. `leak` keeps every platform, so that a test can see what a leak looks like.
 */

const [count = '200', mode = ''] = process.argv.slice(2);
/** After so many, all that is compiled and cached once is there. */
const warmUp = 120;

const kept: unknown[] = [];

const blockOf = (index: number, project: number) =>
  `      db${index}: { dockerImage: "postgres:17", databaseName: d${index}, databaseUser: u, databasePassword: "\${secret:P${project}}" }\n`;

async function planOne(project: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trueup-many-'));
  const blocks = Array.from({ length: 20 }, (_, index) => blockOf(index, project)).join('');
  writeFileSync(
    join(folder, 'trueup.yaml'),
    `trueup: 1\nplatform: emulator\nproject: prj_1\nenvironments:\n  production:\n    postgres:\n${blocks}`,
  );
  const emulator = createEmulator({ apiKey: 'a-key' });
  const platform = platformAt({
    url: 'http://emulator',
    apiKey: 'a-key',
    send: emulator.send,
    openStore: () => memoryStore(),
  });
  const env = { [`TRUEUP_SECRET_P${project}`]: `secret-number-${project}-of-a-project` };
  const opened = await open(folder, { env, platform });
  if (planDocument(await opened.plan()).summary.create !== 20) throw new Error('the plan is not what it should be');
  await opened.close();
  if (mode === 'leak') kept.push(emulator, opened);
}

function usedBytes(): number {
  const collect = (globalThis as { gc?: () => void }).gc;
  if (collect === undefined) throw new Error('start this with --expose-gc');
  collect();
  collect();
  return process.memoryUsage().heapUsed;
}

for (let project = 0; project < warmUp; project++) await planOne(project);
const before = usedBytes();
for (let project = warmUp; project < warmUp + Number(count); project++) await planOne(project);
process.stdout.write(JSON.stringify({ before, after: usedBytes(), kept: kept.length }));

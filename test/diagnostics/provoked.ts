import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { PlatformError } from '../../src/api/platform-error.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import { explain } from '../../src/cli/run-command.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Plan } from '../../src/plan/action.ts';
import type { Bench } from '../support/world.ts';
import { bench } from '../support/world.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';

/** What a provocation of a diagnostic works with, and how the diagnostics of its run are collected. */

/** The end of a run: a plan, a result, diagnostics, or nothing to report. */
export type Ended = Plan | ApplyResult | readonly Diagnostic[] | undefined;

/** A run that ends in one of these, or in an error. */
type Run = () => Promise<Ended>;

/** A run on a platform of its own that reports a code. */
export type Provocation = (made: Bench) => Promise<readonly Diagnostic[]>;

/** A platform with the ids `id_1`, `id_2`, … so that the same run has the same messages each time. */
export function platform(options: Parameters<typeof createEmulator>[0] = {}): Bench {
  const clock = selfMovingClock();
  let ids = 0;
  const newId = () => `id_${++ids}`;
  return bench({ clock, emulator: createEmulator({ now: () => new Date(clock.wall()), newId, ...options }) });
}

/** Everything that a run reports. */
export async function reported(run: Run): Promise<readonly Diagnostic[]> {
  try {
    return diagnosticsIn(await run());
  } catch (error) {
    if (error instanceof Stop || error instanceof PlatformError) return explain(error, String).diagnostics;
    throw error;
  }
}

/** Everything that an end reports. */
export function diagnosticsIn(ended: Ended): readonly Diagnostic[] {
  if (ended === undefined) return [];
  if ('outcomes' in ended) return ended.outcomes.flatMap(({ diagnostics }) => diagnostics);
  if ('actions' in ended) return [...ended.diagnostics, ...ended.actions.flatMap(({ notes }) => notes)];
  return ended;
}

/** Writes files into a new folder. */
export function folderWith(files: Readonly<Record<string, string>>): string {
  return filesIn({ folder: mkdtempSync(join(tmpdir(), 'trueup-provoked-')) }, files);
}

/** Writes files into the folder of a test. */
export function filesIn({ folder }: Pick<Bench, 'folder'>, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

/** The lines that every manifest begins with. */
export const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';

/** A manifest with a git provider, which the platform lists only once somebody has connected it. */
export const gitProvider = `${head}gitlab:
  lab: { gitlabUrl: "https://lab.example.com", applicationId: a, secret: b, redirectUri: "https://deploy.example.com/callback" }
`;

/** The sections of the production environment as a manifest. */
export function production(sections: string): string {
  return `${head}environments:\n  production:\n${sections}`;
}

/** A database in the production environment; `more` is added to its block. */
export function database(more = '', key = 'main'): string {
  const rest = more === '' ? '' : `, ${more}`;
  return `    postgres:\n      ${key}: { dockerImage: "postgres:17", databaseName: shop, databaseUser: shop, databasePassword: example${rest} }\n`;
}

/** A stack in the production environment; `more` is added to its block. */
export function stack(more = '', image = 'nginx:1.27'): string {
  const rest = more === '' ? '' : `, ${more}`;
  return `    compose:\n      shop: { source: { type: raw, composeFile: "services: { web: { image: '${image}' } }" }${rest} }\n`;
}

/** A compose with a text of its own in the production environment; `more` is added to its block. */
export function raw(composeFile: string, more = ''): string {
  const rest = more === '' ? '' : `, ${more}`;
  return `    compose:\n      shop: { source: { type: raw, composeFile: ${JSON.stringify(composeFile)} }${rest} }\n`;
}

/** A preview with a schedule that `seed:` names. */
export const seeded = `trueup: 1
platform: emulator
project: prj_1
environment: pr
preview: { seed: [application.api.schedules.seed] }
application:
  api:
    source: { type: docker, image: nginx:1.27 }
    schedules: { seed: { cronExpression: '0 3 * * *', command: npm run seed } }
`;

/** The id that the state has for an address. */
export function idOf(made: Bench, address: string): string {
  const id = made.store.state?.resources[address]?.id;
  if (typeof id !== 'string') throw new Error(`the state has no id for ${address}`);
  return id;
}

/** Permissions for everything. */
export const everything = { dataLoss: true, adoption: true, massDeletion: true };

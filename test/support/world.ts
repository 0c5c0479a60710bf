import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { waitOut } from '../../src/apply/wait-out.ts';
import { createClient } from '../../src/api/client.ts';
import type { Clock } from '../../src/state/clock.ts';
import type { ApplyResult } from '../../src/apply/result.ts';
import type { Emulator } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Manifest } from '../../src/manifest/manifest.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import type { Plan } from '../../src/plan/action.ts';
import { applyPlan, plan, planDestruction, validate } from '../../src/reconcile.ts';
import type { World } from '../../src/reconcile.ts';
import { kinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import { quickClock } from './quick-clock.ts';

/** A platform, a state and a folder for one test. */
export interface Bench {
  readonly emulator: Emulator;
  readonly store: ReturnType<typeof memoryStore>;
  readonly folder: string;
  readonly secrets: Record<string, string>;
  readonly env: Record<string, string>;
  /** On which no apply of this test waits for long. */
  readonly clock: Clock;
  /** Hides what the manifests of this test addSecret. */
  readonly redact: (text: string) => string;
  /** Writes files and reads the manifest in trueup.yaml. */
  manifest(files: string | Record<string, string>): Promise<Manifest>;
  world(): World;
  plan(files: string | Record<string, string>): Promise<Plan>;
  apply(
    files: string | Record<string, string>,
    permissions?: { dataLoss?: boolean; adoption?: boolean; massDeletion?: boolean },
  ): Promise<ApplyResult>;
  destroy(files: string | Record<string, string>): Promise<ApplyResult>;
  /** How many requests of a method the platform got since the last call. */
  requests(method: 'GET' | 'POST'): string[];
}

/** The lines that every manifest of a test begins with. */
export const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';

/** Makes a world of its own for a test: an emulator, a state in memory and a folder for files. */
export function bench(options: { emulator?: Emulator; folder?: string; clock?: Clock } = {}): Bench {
  const store = memoryStore();
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'trueup-test-'));
  const secrets: Record<string, string> = {};
  const env: Record<string, string> = {};
  const clock = options.clock ?? quickClock();
  // What is made while nobody really waits is made late all the same.
  const emulator = options.emulator ?? createEmulator({ now: () => new Date(clock.wall()) });
  const redactor = createRedactor();
  let seen = 0;
  const self: Bench = {
    emulator,
    store,
    folder,
    secrets,
    env,
    clock,
    redact: redactor.redact,
    manifest: async (files) => {
      for (const [name, text] of Object.entries(typeof files === 'string' ? { 'trueup.yaml': files } : files)) {
        mkdirSync(dirname(join(folder, name)), { recursive: true });
        writeFileSync(join(folder, name), text);
      }
      const { manifest } = await validate({
        workspace: await openWorkspace(folder),
        file: 'trueup.yaml',
        kinds,
        env: (name) => env[name],
        secret: (name) => secrets[name],
        given: () => undefined,
        addSecret: redactor.add,
      });
      return manifest;
    },
    world: () => ({
      client: createClient({ send: emulator.send, url: 'emulator:', apiKey: 'emulator-key', redact: redactor.redact }),
      store,
      kinds,
      addSecret: redactor.add,
      redact: redactor.redact,
      clock,
    }),
    plan: async (files) => plan(await self.manifest(files), self.world()),
    apply: async (files, permissions = {}) => {
      await waitOut(store, { fenceMs: 60_000, clock });
      return applyPlan(await self.plan(files), self.world(), {
        permissions: { dataLoss: false, adoption: false, ...permissions },
        connections: 4,
        clock,
      });
    },
    destroy: async (files) =>
      applyPlan(await planDestruction(await self.manifest(files), self.world()), self.world(), {
        permissions: { dataLoss: true, adoption: true },
        connections: 4,
        clock,
      }),
    requests: (method) => {
      const fresh = emulator.log.slice(seen);
      seen = emulator.log.length;
      return fresh.filter((request) => request.method === method).map((request) => request.operation);
    },
  };
  return self;
}

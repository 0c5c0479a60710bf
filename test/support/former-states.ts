import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ApplyResult } from '../../src/apply/job.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { World as EmulatedWorld } from '../../src/emulator/world.ts';
import type { Plan } from '../../src/plan/action.ts';
import type { Drift } from '../../src/drift/drift-run.ts';
import { findDrift } from '../../src/drift/drift-run.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { session } from '../../src/workflow/session.ts';
import { localStore } from '../../src/state/backends/local.ts';
import { everything } from './faults.ts';
import { testKeys } from './state-key.ts';
import { selfMovingClock } from './virtual-clock.ts';
import type { Bench } from './world.ts';
import { bench } from './world.ts';

/** Projects that an earlier version applied: their manifests, states and platforms, in test/fixtures/former-states. */

const fixtures = new URL('../fixtures/former-states/', import.meta.url);

export type FormerName = 'at-rest' | 'first' | 'interrupted' | 'remembered';

/** The secrets of all of them. */
export const formerSecrets: Readonly<Record<string, string>> = {
  SSH_KEY: '-----BEGIN OPENSSH PRIVATE KEY-----\nb25lLTQ3MTE=\n-----END OPENSSH PRIVATE KEY-----\n',
  CERTIFICATE_KEY: '-----BEGIN PRIVATE KEY-----\nb25lLTQ3MTI=\n-----END PRIVATE KEY-----\n',
  S3_ACCESS: 's3-access-4713',
  S3_SECRET: 's3-secret-4714',
  HOOK: 'hook-4715-hook',
  MODEL_KEY: 'model-key-4716',
  FORGE_SECRET: 'forge-secret-4717',
  SHARED: 'shared-4718-shared',
  DB_PASSWORD: 'db-password-4719',
  CACHE_PASSWORD: 'cache-password-4720',
  TOKEN: 'token-4721-token',
  READER_PASSWORD: 'reader-password-4722',
  SMTP_PASSWORD: 'smtp-password-4723',
  ROOT_PASSWORD: 'root-password-4724',
};

/** A project of an earlier version, in a folder of its own. The state is read from the disk again by each run. */
export interface Former {
  readonly made: Bench;
  /** The texts of the manifest and of the files that it names. */
  readonly files: Readonly<Record<string, string>>;
  readonly plan: (files?: Readonly<Record<string, string>>, options?: Parameters<typeof plan>[2]) => Promise<Plan>;
  readonly apply: (files?: Readonly<Record<string, string>>) => Promise<ApplyResult>;
  readonly drift: (files?: Readonly<Record<string, string>>) => Promise<Drift>;
  /** What is on the disk of the state, by the names of the files. */
  readonly stored: () => Readonly<Record<string, string>>;
  /** Takes secrets away; those that are named stay. */
  readonly keepSecrets: (names: readonly string[]) => void;
}

/** Opens a project of an earlier version, long after its last run. `meanwhile` changes the platform before that. */
export function openFormer(name: FormerName, meanwhile: (world: EmulatedWorld) => void = () => undefined): Former {
  const fixture = new URL(`${name}/`, fixtures);
  const read = (file: string) => readFileSync(new URL(file, fixture), 'utf8');
  const world = JSON.parse(read('world.json')) as EmulatedWorld;
  meanwhile(world);
  const clock = selfMovingClock(Date.parse('2026-12-01T12:00:00Z'));
  const documentedOnly = name !== 'at-rest';
  const emulator = createEmulator({ world, documentedOnly, now: () => new Date(clock.wall()) });
  const made = bench({ emulator, clock, documentedOnly });
  const folder = mkdtempSync(join(tmpdir(), 'trueup-former-'));
  cpSync(new URL('state/', fixture), folder, { recursive: true });
  const names = ['trueup.yaml', 'note.txt', 'internal.crt', 'deploy.pub'];
  const files = Object.fromEntries(
    names.filter((file) => existsSync(new URL(file, fixture))).map((file) => [file, read(file)]),
  );
  const store = () => localStore(folder, { keys: testKeys });
  const keepSecrets = (kept: readonly string[]) => {
    for (const [secret, value] of Object.entries(formerSecrets))
      if (kept.includes(secret)) made.secrets[secret] = value;
      else delete made.secrets[secret];
  };
  keepSecrets(Object.keys(formerSecrets));
  return {
    made,
    files,
    keepSecrets,
    plan: async (text = files, options = {}) =>
      plan(await made.manifest(text), { ...made.world(), store: store() }, options),
    apply: async (text = files) =>
      session(
        await made.manifest(text),
        made.platform({ store: store() }),
        { purpose: 'apply', clock, connections: 4 },
        async (run) => run.apply(await run.plan(), everything),
      ),
    drift: async (text = files) => {
      const about = { folder: { folder: made.folder, file: 'trueup.yaml' }, now: clock.wall() };
      return findDrift(await made.manifest(text), { ...made.world(), store: store() }, about);
    },
    stored: () =>
      Object.fromEntries(
        readdirSync(folder, { recursive: true, withFileTypes: true })
          .filter((one) => one.isFile() && !one.parentPath.endsWith('lease'))
          .map((one) => join(one.parentPath, one.name))
          .map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]),
      ),
  };
}

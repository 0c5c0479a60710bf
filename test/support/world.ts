import { testKeys } from './state-key.ts';
import { mkdtempSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { createClient } from '../../src/api/client.ts';
import type { Contract, Profile } from '../../src/api/contract.ts';
import { contracts, extendedContracts } from '../../src/api/contract.ts';
import type { Send } from '../../src/api/wire.ts';
import type { BeatingClock, Clock } from '../../src/state/clock.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import type { Emulator, EmulatorOptions } from '../../src/emulator/emulator.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { Manifest } from '../../src/manifest/manifest.ts';
import type { Workspace } from '../../src/manifest/workspace.ts';
import { openWorkspace } from '../../src/manifest/workspace.ts';
import type { Plan } from '../../src/plan/action.ts';
import type { Permissions } from '../../src/plan/safeguard.ts';
import type { Connection } from '../../src/workflow/connection.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { validate } from '../../src/workflow/validate.ts';
import type { Platform, PlanRequest } from '../../src/workflow/session.ts';
import { session } from '../../src/workflow/session.ts';
import { kinds as allKinds } from '../../src/resources/index.ts';
import { createRedactor } from '../../src/secrets/redactor.ts';
import { createMemory, memoryStore } from '../../src/state/backends/memory.ts';
import type { Host } from '../../src/state/host.ts';
import type { StateStore } from '../../src/state/state.ts';
import { spoken, testBulk } from './profile.ts';
import { selfMovingClock } from './virtual-clock.ts';

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
  world(): Connection;
  /** The platform of this test, for sessions; what is written of its state may go into another store. */
  platform(over?: { readonly store?: StateStore; readonly host?: Host }): Platform;
  plan(files: string | Record<string, string>): Promise<Plan>;
  apply(files: string | Record<string, string>, permissions?: Partial<Permissions>): Promise<ApplyResult>;
  destroy(files: string | Record<string, string>): Promise<ApplyResult>;
  /** How many requests of a method the platform got since the last call. */
  requests(method: 'GET' | 'POST'): string[];
}

/** The lines that every manifest of a test begins with. */
export const head = 'trueup: 1\nplatform: emulator\nproject: prj_1\n';

/** A clock that somebody else lets go on: it beats at no time of its own. */
function beating(clock: Clock): BeatingClock {
  return { every: () => () => undefined, ...clock };
}

/** What a test has of its own: a platform that goes by the clock of the test, or both of them. */
type BenchOptions = {
  readonly folder?: string;
  readonly kinds?: readonly Kind[];
  /** The words that client and platform speak; those of Dokploy by default. */
  readonly profile?: Profile;
  /** true: the platform keeps to the API document. */
  readonly documentedOnly?: boolean;
  /** Operations beyond the document that the platform does not serve. */
  readonly lacks?: readonly string[];
  /** true: what has the same text and values is read once. By default each run gets a manifest of its own, as a process does. */
  readonly keepsManifests?: boolean;
} & (
  | { readonly emulate?: EmulatorOptions; readonly clock?: Clock; readonly emulator?: undefined }
  | { readonly emulator: Emulator; readonly clock: Clock; readonly emulate?: undefined }
);

/**
 * The folder of a test. It is on the disk when somebody asks for it, or for more than `trueup.yaml`: until then that one
 * file is in memory, because most tests have nothing else and write it again and again.
 */
function folderOf(given: string | undefined) {
  let folder = given;
  let only: string | undefined;
  const onDisk = (): string => {
    if (folder === undefined) {
      folder = mkdtempSync(join(tmpdir(), 'trueup-test-'));
      if (only !== undefined) writeFileSync(join(folder, 'trueup.yaml'), only);
    }
    return folder;
  };
  const workspace = (): Promise<Workspace> => openWorkspace(onDisk());
  const inMemory = (text: string): Workspace => ({
    get root() {
      return onDisk();
    },
    files: new Set(),
    asked: new Set(),
    read: async (path, limit) => {
      const bytes = Buffer.from(text);
      return path === 'trueup.yaml' && folder === undefined && bytes.byteLength <= limit
        ? { text: bytes.toString() }
        : (await workspace()).read(path, limit);
    },
    readAll: async (paths, limit) => {
      const all = [...paths];
      return all.length === 0 ? new Map() : (await workspace()).readAll(all, limit);
    },
    readBytes: async (path, limit) => (await workspace()).readBytes(path, limit),
    beside: (from, path) => (path === '' || isAbsolute(path) ? path : join(dirname(from), path)),
    match: async (pattern) =>
      folder === undefined && pattern.startsWith('accepted') ? [] : (await workspace()).match(pattern),
  });
  return {
    onDisk,
    isInMemory: () => folder === undefined,
    /** Writes files, or `trueup.yaml` alone, and opens the folder. */
    write: async (files: string | Record<string, string>): Promise<Workspace> => {
      if (typeof files === 'string' && folder === undefined) {
        only = files;
        return inMemory(files);
      }
      for (const [name, text] of Object.entries(typeof files === 'string' ? { 'trueup.yaml': files } : files)) {
        mkdirSync(dirname(join(onDisk(), name)), { recursive: true });
        writeFileSync(join(onDisk(), name), text);
      }
      return workspace();
    },
  };
}

/** The contract of a platform that serves everything but some operations. */
function without(lacking: readonly string[], profile: Profile): Contract {
  const whole = extendedContracts[profile];
  if (lacking.length === 0) return whole;
  const operations = [...whole.operations].filter(([name]) => !lacking.includes(name));
  return { ...whole, operations: new Map(operations) };
}

/** Makes a world of its own for a test: an emulator, a state in memory and a folder for files. */
export function bench(options: BenchOptions = {}): Bench {
  const { documentedOnly = false, lacks = [], profile = 'dokploy', kinds = allKinds } = options;
  const contract = documentedOnly ? contracts[profile] : without(lacks, profile);
  const clock = beating(options.clock ?? selfMovingClock());
  const memory = createMemory(clock);
  const store = memoryStore(undefined, { memory, keys: testKeys });
  const files = folderOf(options.folder);
  const secrets: Record<string, string> = {};
  const env: Record<string, string> = {};
  // What is made while nobody really waits is made late all the same.
  const emulator =
    options.emulator ??
    createEmulator({
      documentedOnly,
      lacks,
      batches: testBulk,
      ...options.emulate,
      now: () => new Date(clock.wall()),
    });
  const redactor = createRedactor();
  const manifests = new Map<string, Promise<Manifest>>();
  let seen = 0;
  const clientOver = (send: Send) =>
    createClient({
      ...spoken(send, contract),
      url: 'emulator:',
      apiKey: 'emulator-key',
      redact: redactor.redact,
    });
  const applying = async (files: string | Record<string, string>, request: PlanRequest, permissions: Permissions) =>
    session(await self.manifest(files), self.platform(), { purpose: 'apply', clock }, async (run) =>
      run.apply(await run.plan(request), permissions),
    );
  const read = async (workspace: Workspace): Promise<Manifest> => {
    const { manifest } = await validate({
      workspace,
      file: 'trueup.yaml',
      kinds,
      env: (name) => env[name],
      secret: (name) => secrets[name],
      given: () => undefined,
      addSecret: redactor.add,
    });
    return manifest;
  };
  const self: Bench = {
    emulator,
    store,
    get folder() {
      return files.onDisk();
    },
    secrets,
    env,
    clock,
    redact: redactor.redact,
    manifest: async (written) => {
      const workspace = await files.write(written);
      if (options.keepsManifests !== true || !files.isInMemory()) return read(workspace);
      const key = JSON.stringify([written, secrets, env]);
      const manifest = manifests.get(key) ?? read(workspace);
      manifests.set(key, manifest);
      return manifest;
    },
    world: () => ({
      client: clientOver(emulator.send),
      store,
      kinds,
      endpoint: 'platform: emulator',
      addSecret: redactor.add,
      redact: redactor.redact,
      clock,
    }),
    platform: ({ store: other, host } = {}) => ({
      kinds,
      connect: ({ mayWrite }) => {
        // The state is the one of the test, the lock is the one of the session.
        const locked = memoryStore(undefined, {
          memory,
          clock,
          keys: testKeys,
          ...(host === undefined ? {} : { host }),
        });
        const { lock, holder, close } = locked;
        return Promise.resolve({
          ...self.world(),
          client: clientOver(async (request) => {
            if (request.method === 'POST') mayWrite?.();
            return emulator.send(request);
          }),
          store: other === undefined ? locked : { ...other, lock, holder, close },
          close,
        });
      },
    }),
    plan: async (files) => plan(await self.manifest(files), self.world()),
    apply: (files, permissions = {}) => applying(files, {}, { dataLoss: false, adoption: false, ...permissions }),
    destroy: (files) => applying(files, { destroys: true }, { dataLoss: true, adoption: true }),
    requests: (method) => {
      const fresh = emulator.log.slice(seen);
      seen = emulator.log.length;
      return fresh.filter((request) => request.method === method).map((request) => request.operation);
    },
  };
  return self;
}

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { sought } from '../../src/state/known-capabilities.ts';
import { systemClock } from '../../src/state/clock.ts';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Emulator, EmulatorOptions } from '../../src/emulator/emulator.ts';
import { serve } from '../../src/emulator/http-server.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import { anyDocument } from '../../src/render/document-schemas.ts';
import type { State } from '../../src/state/state.ts';
import { localStore } from '../../src/state/backends/local.ts';
import type { Asked } from '../support/commands.ts';
import { execute, recordingTerminal } from '../support/commands.ts';
import { keepTestKey } from '../support/state-key.ts';
import type { ProcessOfTest } from '../support/process.ts';
import { selfMovingClock } from '../support/virtual-clock.ts';
import { bench } from '../support/world.ts';
import { project } from './process.ts';

/** A folder with a manifest and its state, and the platform that they are of, over HTTP. */

/** The key of the platforms of these tests. */
export const apiKey = 'right-key-4711';

/** What a command gave. */
export interface Ran {
  readonly exit: string;
  readonly out: string;
  readonly err: string;
}

/** Serves platforms for the tests of this file, and stops them afterwards. */
export function places() {
  const open: { close(): Promise<void> }[] = [];
  beforeAll(() => void vi.stubEnv('TRUEUP_API_KEY', apiKey));
  afterAll(async () => {
    vi.unstubAllEnvs();
    await Promise.all(open.map((server) => server.close()));
  });

  /** Applies a manifest, of which the sections are given, in a new folder. */
  return async (
    sections: string,
    options: EmulatorOptions & {
      secrets?: Record<string, string>;
      around?: <T extends Emulator>(emulator: T) => T;
    } = {},
  ) => {
    const emulator = createEmulator({ profile: 'standard', ...options, apiKey });
    const shown = (options.around ?? around)(emulator);
    const server = await serve(shown);
    open.push(server);
    const folder = project({});
    const text = `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${sections}`;
    // A platform that takes its time is waited for.
    const clock = options.deployDelayMs === undefined ? selfMovingClock(Date.now()) : systemClock;
    const made = bench({ documentedOnly: true, emulator: { ...emulator, send: inside(emulator) }, folder, clock });
    Object.assign(made.secrets, options.secrets ?? {});
    const { outcomes, state } = await made.apply(text, { dataLoss: true, adoption: true });
    const failed = outcomes.filter(({ result }) => result !== 'done');
    if (failed.length > 0) throw new Error(JSON.stringify(failed.flatMap(({ diagnostics }) => diagnostics)));
    keepTestKey(join(folder, '.trueup'));
    // An apply of the program would have found that the platform does not tell what it serves.
    const platform = { version: null, operations: [], sought: sought() };
    await localStore(join(folder, '.trueup')).write({ ...state, platform });
    emulator.log.splice(0);
    return {
      emulator,
      folder,
      url: server.url,
      state,
      /** The id of what stands at an address. */
      idOf: (address: string) => state.resources[address]?.id ?? '',
      /** Replaces the manifest. */
      rewrite: (more: string) =>
        writeFileSync(
          join(folder, 'trueup.yaml'),
          `trueup: 1\nplatform: { url: "${server.url}" }\nproject: prj_1\n${more}`,
        ),
      /**
       * Replaces the records of the state by a valid state, as whoever holds all keys of the state can write one: nothing
       * but its ids is wrong.
       */
      rewriteState: async (
        change: (resources: State['resources']) => State['resources'],
        more: Pick<State, 'platform'> = {},
      ) => {
        const store = localStore(join(folder, '.trueup'));
        const saved = (await store.read()) ?? state;
        await store.write({ ...saved, ...more, serial: saved.serial + 1, resources: change(saved.resources) });
        await store.close();
      },
      /** Leaves a record in the journal of the state, as a run does that cannot save the state at its end. */
      leaveInJournal: async (address: string) => {
        const store = localStore(join(folder, '.trueup'));
        const saved = (await store.read()) ?? state;
        const record = saved.resources[address] ?? null;
        const others = Object.fromEntries(Object.entries(saved.resources).filter(([other]) => other !== address));
        const before = { ...saved, serial: saved.serial + 1, resources: others };
        await store.write(before);
        await store.append(before, address, record);
        await store.close();
      },
      /** The requests since the last call, as `METHOD operation`. */
      requests: () => emulator.log.splice(0).map(({ method, operation }) => `${method} ${operation}`),
      /** Runs a command in this process; `exit` is its ending, or what stopped it. */
      run: (command: Asked, about: About = {}) => runAt(folder, command, about),
    };
  };
}

/** The platform as it is; tests put something else around it. */
function around<T>(emulator: T): T {
  return emulator;
}

/** The bench has a key of its own, and the words of Dokploy, whatever those of the platform are. */
function inside({ send }: Emulator): Emulator['send'] {
  return (request) => send({ ...request, headers: { ...request.headers, 'x-api-key': apiKey } }, { isInside: true });
}

/** How a command runs; `signals` sends it signals. */
interface About {
  readonly format?: string;
  readonly width?: number;
  readonly height?: number;
  readonly signals?: ProcessOfTest;
}

async function runAt(folder: string, command: Asked, { format, width, height, signals }: About): Promise<Ran> {
  const { printed, terminal } = recordingTerminal({
    ...(width === undefined ? {} : { width }),
    ...(height === undefined ? {} : { height }),
  });
  const about = {
    folder,
    terminal,
    ...(format === undefined ? {} : { format }),
    ...(signals === undefined ? {} : { signals }),
  };
  const exit = await execute(command, about).catch((error: unknown) => {
    if (error instanceof PlatformError) printed.err += error.message;
    else if (error instanceof Stop)
      printed.err += error.diagnostics
        .map(({ code, message, remedy, address }) => `[${code}] ${address ?? ''} ${message} -> ${remedy ?? ''}\n`)
        .join('');
    else throw error;
    return 'stopped';
  });
  return { exit, ...printed };
}

/** The one JSON document of a command. */
export function documentIn({ out }: Ran) {
  return anyDocument.parse(JSON.parse(out));
}

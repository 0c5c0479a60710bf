import { once } from 'node:events';
import { resolve } from 'node:path';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { contracts, type Profile, profiles } from '../../api/contract.ts';
import { closest } from '../../diagnostics/closest.ts';
import { usage } from '../../diagnostics/usage.ts';
import { createEmulator } from '../../emulator/emulator.ts';
import { createFaults } from '../../emulator/faults/faults.ts';
import { serve } from '../../emulator/server.ts';
import type { EmulateView } from '../../render/formats/emulate.ts';
import { emulateFormats } from '../../render/formats/emulate.ts';
import { printable } from '../../render/printable.ts';
import type { Command, Run } from '../command.ts';
import { emulatorKey } from '../../project/connect.ts';
import { openEmulatorFile } from '../../project/emulator-file.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { readFaultsFile } from '../faults-file.ts';
import { readInteger, readMilliseconds } from '../options.ts';

/** The options of `emulate`. */
export interface EmulateFlags {
  readonly port: string;
  readonly host: string;
  readonly data?: string;
  readonly latency: string;
  readonly deployTime: string;
  readonly documentedOnly?: true;
  readonly strict?: true;
  readonly profile?: string;
  readonly faults?: string;
}

/** Serves the emulator over HTTP until a signal stops it. */
export function emulateCommand(flags: EmulateFlags): Command<EmulateView> {
  return { formats: emulateFormats, execute: (run, view) => emulate(run, view, flags) };
}

async function emulate({ process, terminal }: Run, view: EmulateView, flags: EmulateFlags): Promise<Exit> {
  const port = readInteger('--port', flags.port, 0, 65_535);
  const latencyMs = readMilliseconds('--latency', flags.latency, 0, 60_000);
  const behaviour = {
    apiKey: emulatorKey,
    deployDelayMs: readMilliseconds('--deploy-time', flags.deployTime, 0, 3_600_000),
    documentedOnly: flags.documentedOnly === true,
    strict: flags.strict === true,
    profile: readProfile(flags.profile),
  };
  const { names } = contracts[behaviour.profile];
  const plan = flags.faults === undefined ? undefined : await readFaultsFile(process.cwd(), flags.faults, names);
  const opened =
    flags.data === undefined
      ? { emulator: createEmulator(behaviour), close: () => Promise.resolve() }
      : await openEmulatorFile(resolve(process.cwd(), flags.data), 'emulate', behaviour);
  try {
    const { emulator } = opened;
    const faults =
      plan === undefined
        ? {}
        : { faults: createFaults(emulator, plan, (line) => terminal.err(`${printable(line)}\n`)) };
    const server = await serve(emulator, { host: flags.host, port, latencyMs, ...faults }).catch((error: unknown) => {
      throw cannotListen(flags, error);
    });
    const ended = new AbortController();
    const stop = Promise.race([once(process, 'SIGINT', ended), once(process, 'SIGTERM', ended)]);
    view.listening({ url: server.url, apiKey: emulatorKey });
    await stop;
    ended.abort();
    await server.close();
    return 'done';
  } finally {
    await opened.close();
  }
}

function readProfile(given: string | undefined): Profile {
  const profile = profiles.find((name) => name === (given ?? 'standard'));
  if (profile !== undefined) return profile;
  const guess = closest(given ?? '', profiles);
  throw usage(
    `--profile must be ${profiles.join(' or ')}, got ${JSON.stringify(given)}`,
    guess === undefined ? undefined : `Did you mean ${guess}?`,
  );
}

function cannotListen({ host, port }: EmulateFlags, error: unknown): Stop {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  const why = code === 'EADDRINUSE' ? 'the port is in use' : code;
  return new Stop(
    'refused',
    [
      diagnostic('usage', `cannot listen on ${host}:${port}: ${why}`, {
        remedy: 'Choose another --port; 0 chooses a free one.',
      }),
    ],
    { cause: error },
  );
}

import { once } from 'node:events';
import { resolve } from 'node:path';
import { type Profile, contracts, profiles } from '../../api/contract.ts';
import { didYouMean } from '../../diagnostics/closest.ts';
import { type Stop, stop } from '../../diagnostics/diagnostic.ts';
import { systemCode } from '../../diagnostics/system-code.ts';
import { usage } from '../../diagnostics/usage.ts';
import { createEmulator } from '../../emulator/emulator.ts';
import { createFaults } from '../../emulator/faults/faults.ts';
import { serve } from '../../emulator/http-server.ts';
import { emulatorKey } from '../../project/open-connection.ts';
import { openEmulatorFile } from '../../project/emulator-file.ts';
import type { EmulatorDocument } from '../../render/document-schemas.ts';
import type { Exit } from '../../render/exit-codes.ts';
import { printable } from '../../render/printable.ts';
import { type ReportView, reportFormats } from '../../render/output-format.ts';
import type { FlagsOf, Options } from '../flags.ts';
import { type Run, defineCommand } from '../command.ts';
import { readFaultsFile } from '../faults-file.ts';
import { readInteger, readMilliseconds } from '../settle-options.ts';

const formats = reportFormats<Pick<EmulatorDocument, 'url' | 'apiKey'>>({
  text: ({ url, apiKey }, { out }) => out(`TRUEUP_URL=${url}\nTRUEUP_API_KEY=${apiKey}\n`),
  json: (at): EmulatorDocument => ({ format: 'trueup/emulator', version: 1, ...at }),
});

const options = {
  '--port <n>': { about: 'port to listen on; 0 takes a free one', default: '4050' },
  '--host <address>': { about: 'address to listen on', default: '127.0.0.1' },
  '--data <file>': 'file that stores the emulated platform; default: none, it ends with the process',
  '--latency <time>': { about: 'delay of each answer, in ms or as in 2s', default: '0' },
  '--deploy-time <time>': { about: 'duration of a deployment, in ms or as in 2s', default: '0' },
  '--documented-only': 'serve only the operations of the API document: none creates a project or connects a provider',
  '--profile <name>': { about: 'names that the API uses: standard or dokploy', default: 'standard' },
  '--strict': 'refuse members that the API document does not have; the real platform ignores them',
  '--faults <file>': 'YAML file of the requests that go wrong, when, and how; stderr reports each',
} as const satisfies Options;

type EmulateFlags = FlagsOf<typeof options>;

/** Serves the emulator over HTTP until a signal stops it. */
export const command = defineCommand({
  options,
  notes: `A file of faults, as docs/faults.md explains:
  faults:
    - { on: "*.create", at: 1, after: drop }   # executed, but the connection ends before the answer
    - { on: GET, chance: 30%, before: { answer: 503 } }`,
  examples: [
    'trueup emulate',
    'trueup emulate --data world.json',
    'trueup emulate --port 0 --documented-only',
    'trueup emulate --profile dokploy',
    'trueup emulate --faults faults.yaml',
  ],
  formats,
  execute: (run, view, { flags }) => emulate(run, view, flags),
});

async function emulate(
  { process, terminal }: Run,
  view: ReportView<Pick<EmulatorDocument, 'url' | 'apiKey'>>,
  flags: EmulateFlags,
): Promise<Exit> {
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
    view.report({ url: server.url, apiKey: emulatorKey });
    await stop;
    ended.abort();
    await server.close();
    return 'done';
  } finally {
    await opened.close();
  }
}

function readProfile(given: string): Profile {
  const profile = profiles.find((name) => name === given);
  if (profile !== undefined) return profile;
  const message = `--profile must be ${profiles.join(' or ')}, got ${JSON.stringify(given)}`;
  throw usage(message, didYouMean(given, profiles, undefined));
}

function cannotListen({ host, port }: EmulateFlags, error: unknown): Stop {
  const code = systemCode(error);
  const why = code === 'EADDRINUSE' ? 'the port is in use' : code;
  return stop('refused', 'usage', `cannot listen on ${host}:${port}: ${why}`, {
    remedy: 'Choose another --port; 0 chooses a free one.',
    cause: error,
  });
}

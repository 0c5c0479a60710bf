import { setTimeout as sleep } from 'node:timers/promises';
import { diagnose } from '../../api/diagnose.ts';
import { PlatformError } from '../../api/platform-error.ts';
import { type Diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { serveRemembered } from '../../observe/discover.ts';
import { type ServiceState, chooseServices, observeServices, servicesOf } from '../../operate/service-states.ts';
import { type Target, findTarget } from '../../project/target.ts';
import { exitCodes } from '../../render/exit-codes.ts';
import { type Formats, type Screen, type View, jsonView, printJson, textView } from '../../render/output-format.ts';
import { statusJson, renderService, renderServices, renderVersion } from '../../render/status-views.ts';
import { fileOption } from '../../project/folder.ts';
import { describeLeft } from '../../project/left-states.ts';
import { type RootFile, rootFiles } from '../../project/root-files.ts';
import { printable } from '../../render/printable.ts';
import { type Run, defineCommand } from '../command.ts';
import { readState, withPlatform } from '../connect.ts';
import { readSeconds, usage } from '../settle-options.ts';

/** Prints what `status` reports. */
interface StatusView extends View {
  readonly services: (
    services: readonly ServiceState[],
    counts: { readonly reads: number; readonly writes: number },
    platformVersion?: string,
  ) => void;
  /** Begins to print the services again and again; undefined: a format that cannot. */
  readonly watch: (() => (services: readonly ServiceState[]) => void) | undefined;
}

const formats: Formats<StatusView> = {
  text: (screen) => ({
    ...textView(screen),
    services: (services, _counts, version) => {
      if (services.length > 0) screen.out(renderServices(services, screen.outStyle));
      if (version !== undefined) screen.out(renderVersion(version, screen.outStyle));
      if (services.length === 0) screen.err('The state has no services: nothing was applied from here.\n');
    },
    watch: () => (screen.size === undefined ? printChanges(screen) : redraw(screen)),
  }),
  json: (screen) => ({
    ...jsonView(screen),
    services: (...shown) => printJson(screen, statusJson(...shown)),
    watch: undefined,
  }),
};

function redraw({ out, clear, outStyle, size }: Screen): (services: readonly ServiceState[]) => void {
  return (services) => {
    clear();
    out(renderServices(services, outStyle, size?.()));
  };
}

/** Adds a line for each service that changed since it was printed last. */
function printChanges({ out, outStyle }: Screen): (services: readonly ServiceState[]) => void {
  const shown = new Map<string, string>();
  return (services) => {
    const lines = services.map((service) => [service.address, renderService(service, outStyle)] as const);
    const fresh = lines.filter(([address, line]) => shown.get(address) !== line);
    for (const [address, line] of fresh) shown.set(address, line);
    out(fresh.map(([, line]) => line).join(''));
  };
}

function leftToPreviewList({ file }: Pick<RootFile, 'file'>): string {
  return `note: ${printable(file)} has previews, which are not shown here: trueup preview list${printable(fileOption({ file }))}\n`;
}

/** Shows the status of all services of the state, or of those at and below some addresses. Sends GETs only. */
export const command = defineCommand({
  arguments: { '[address...]': 'services, or environments; default: all services of the state' },
  options: {
    '--watch': 'repeat until interrupted; in a pipe, print a line for each change',
    '--interval <time>': { about: 'time between two reads with --watch', default: '2s' },
  },
  examples: [
    'trueup status',
    'trueup status production --watch',
    'trueup status --format json | jq \'.services[] | select(.status == "error")\'',
  ],
  formats,
  several: {
    runs: 'at once',
    refuses: ['watch'],
    besides: (folder) => [
      ...describeLeft(folder).map((left) => `warning: ${printable(left)}\n`),
      ...rootFiles(folder).flatMap((one) => (one.isPreview ? [leftToPreviewList(one)] : [])),
    ],
  },
  remembers: (kind) => kind.service !== undefined,
  execute: async (run, view, { args: addresses, flags }) => {
    const { options } = run;
    const intervalMs = readSeconds('--interval', flags.interval, 1, 3_600) * 1_000;
    const target = await findTarget(options);
    if (flags.watch === true) {
      const show = view.watch?.();
      if (show === undefined) {
        throw usage('--watch has no end, and --format json prints one document', 'Run it again and again instead.');
      }
      await watch(run, view, { show, addresses, target, intervalMs });
      return 'done';
    }
    const { services, counts, version } = await readServices(run, addresses, target);
    view.services(services, counts, version);
    return 'done';
  },
});

/** Reads the services once. Opens the platform each time: the embedded emulator serves one process at a time. */
async function readServices(run: Run, addresses: readonly string[], target: Target) {
  const { options } = run;
  const { kinds } = options;
  const state = await readState(target, options);
  const all = state === undefined ? [] : servicesOf(state, kinds);
  const chosen = chooseServices(all, addresses, Object.keys(state?.resources ?? {}));
  if (state === undefined || chosen.length === 0)
    return { services: [], counts: { reads: 0, writes: 0 }, version: undefined };
  return withPlatform(run, target.platform, { purpose: 'status' }, async ({ client }) => {
    serveRemembered(client, state);
    const services = await observeServices(chosen, { client, kinds, state, addSecret: options.redactor.add });
    return { services, counts: client.counts, version: state.platform?.version ?? undefined };
  });
}

/** Reads the services again and again until it is interrupted. */
async function watch(
  run: Run,
  view: StatusView,
  about: {
    show: (services: readonly ServiceState[]) => void;
    addresses: readonly string[];
    target: Target;
    intervalMs: number;
  },
): Promise<void> {
  const { show, addresses, target, intervalMs } = about;
  const { process } = run;
  const ended = new AbortController();
  const end = () => ended.abort();
  process.on('SIGINT', end).on('SIGTERM', end);
  const once = async (): Promise<void> => {
    try {
      show((await readServices(run, addresses, target)).services);
    } catch (error) {
      const diagnostics = passing(error);
      if (diagnostics === undefined) throw error;
      view.failure(diagnostics, exitCodes.failed.code);
    }
  };
  try {
    while (!ended.signal.aborted) {
      await once();
      await sleep(intervalMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

/** The diagnostics of an error that may pass: a restart of the platform, or another run with the state. */
function passing(error: unknown): readonly Diagnostic[] | undefined {
  if (error instanceof Stop && error.failure === 'locked') return error.diagnostics;
  if (!(error instanceof PlatformError)) return undefined;
  const isPassing = ['connection', 'timeout', 'throttled', 'server'].includes(error.failure);
  return isPassing ? [diagnose(error)] : undefined;
}

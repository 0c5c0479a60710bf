import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformError } from '../../api/errors.ts';
import type { Diagnostic } from '../../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../../diagnostics/diagnostic.ts';
import { readStateOf } from '../../operate/addressed.ts';
import { chooseServices } from '../../operate/choose-services.ts';
import type { ServiceState } from '../../operate/services.ts';
import { observeServices, servicesOf } from '../../operate/services.ts';
import { renderDiagnostics } from '../../render/diagnostics-text.ts';
import { statusJson } from '../../render/status-json.ts';
import { renderService, renderServices } from '../../render/status-text.ts';
import { kinds } from '../../resources/index.ts';
import { openPlatform } from '../connect.ts';
import { openStore } from '../open-store.ts';
import { readInteger, usage } from '../options.ts';
import type { Command, Run } from '../run.ts';
import { printJson } from '../run.ts';
import type { Target } from '../target.ts';
import { findTarget } from '../target.ts';

/** What `status` can be told. */
export interface StatusFlags {
  readonly watch?: true;
  readonly interval: string;
}

/** Shows how every service of the state is, or those at and below some addresses; sends nothing but GETs. */
export function statusCommand(addresses: readonly string[], flags: StatusFlags): Command {
  return async (run) => {
    const { options, terminal } = run;
    const intervalMs = readInteger('--interval', flags.interval, 1, 3_600) * 1_000;
    const target = await findTarget(options);
    if (flags.watch === true) {
      if (options.isJson) {
        throw usage('--watch has no end, and --format json prints one document', 'Run it again and again instead.');
      }
      await watch(run, { addresses, target, intervalMs });
      return 'done';
    }
    const { services, counts } = await look(run, addresses, target);
    if (options.isJson) printJson(terminal, statusJson(services, counts));
    else if (services.length > 0) terminal.out(renderServices(services, terminal.outStyle));
    else terminal.err('The state has no services: nothing was applied from here.\n');
    return 'done';
  };
}

/** One look. The platform is opened for each, because the embedded emulator lets in one process at a time. */
async function look({ options, redactor, terminal }: Run, addresses: readonly string[], target: Target) {
  const state = await readStateOf(target.project, openStore(target, { options, redactor }));
  const all = state === undefined ? [] : servicesOf(state, kinds);
  const chosen = chooseServices(all, addresses, Object.keys(state?.resources ?? {}));
  if (state === undefined || chosen.length === 0) return { services: [], counts: { reads: 0, writes: 0 } };
  const { client, close } = await openPlatform(target.platform, { options, redactor, terminal, purpose: 'status' });
  try {
    const services = await observeServices(chosen, { client, kinds, state, redactor });
    return { services, counts: client.counts };
  } finally {
    await close();
  }
}

/** Looks again and again until it is interrupted: redraws a terminal, and adds a line for each change elsewhere. */
async function watch(
  run: Run,
  { addresses, target, intervalMs }: { addresses: readonly string[]; target: Target; intervalMs: number },
): Promise<void> {
  const { terminal } = run;
  const ended = new AbortController();
  const end = () => ended.abort();
  process.on('SIGINT', end).on('SIGTERM', end);
  const isTerminal = terminal.outStyle.width !== undefined;
  const shown = new Map<string, string>();
  const once = async (): Promise<void> => {
    try {
      const { services } = await look(run, addresses, target);
      if (isTerminal) terminal.out(clearScreen + renderServices(services, terminal.outStyle));
      else terminal.out(changes(services, shown, run));
    } catch (error) {
      const diagnostics = passing(error);
      if (diagnostics === undefined) throw error;
      terminal.err(renderDiagnostics(diagnostics, terminal.errStyle));
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

/** What has changed since it was told last. */
function changes(services: readonly ServiceState[], shown: Map<string, string>, { terminal }: Run): string {
  const lines = services.map((service) => [service.address, renderService(service, terminal.outStyle)] as const);
  const fresh = lines.filter(([address, line]) => shown.get(address) !== line);
  for (const [address, line] of fresh) shown.set(address, line);
  return fresh.map(([, line]) => line).join('');
}

/** A platform that is being restarted, or a state or an emulator that another run has, is no end of the watch. */
function passing(error: unknown): readonly Diagnostic[] | undefined {
  if (error instanceof Stop && error.failure === 'locked') return error.diagnostics;
  if (!(error instanceof PlatformError)) return undefined;
  const isPassing = ['connection', 'timeout', 'throttled', 'server'].includes(error.failure);
  return isPassing ? [diagnostic('platform-answer', error.message)] : undefined;
}

const clearScreen = '\u001B[H\u001B[2J';

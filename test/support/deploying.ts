import { expect, vi } from 'vitest';
import type { Ask } from '../../src/api/ask-address.ts';
import type { Send } from '../../src/api/wire.ts';
import type { ApplyEvent, ApplyResult } from '../../src/apply/job.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { Row } from '../../src/formats/json.ts';
import type { PlanOptions } from '../../src/workflow/make-plan.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { type Connecting, session } from '../../src/workflow/session.ts';
import { systemClock } from '../../src/state/clock.ts';
import { actionsOf, everything, platformOver, worldOver } from './faults.ts';
import type { Bench } from './world.ts';
import { bench } from './world.ts';

/** A platform whose deployments take so many seconds, in a time that runs as fast as the machine can. */
export function platformWith(deploySeconds = 0, lacks: readonly string[] = []): Bench {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date', 'performance'],
    now: Date.UTC(2030, 0, 1),
  });
  const emulator = createEmulator({ deployDelayMs: deploySeconds * 1_000, lacks });
  return bench({ emulator, lacks, clock: systemClock });
}

/** How a test applies a manifest. */
export interface Applying extends PlanOptions {
  readonly send?: Send;
  readonly waits?: boolean;
  readonly limitSeconds?: number;
  readonly inFlightTimeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: ApplyEvent) => void;
  /** Asks addresses after deployments; none by default. */
  readonly ask?: Ask;
  /** false: as `--no-probe`. */
  readonly asks?: boolean;
  /** How long the process stands still now and then: other things keep the machine busy. Milliseconds. */
  readonly stallMs?: number;
}

/** Plans and applies a manifest, while the time passes as it has to; gives the seconds that it took, too. */
export async function applyInTime(
  made: Bench,
  text: string,
  {
    send = made.emulator.send,
    waits = true,
    limitSeconds = 900,
    inFlightTimeoutMs = 60_000,
    ask,
    asks = true,
    stallMs = 0,
    ...options
  }: Applying = {},
): Promise<ApplyResult & { readonly seconds: number }> {
  const { deploys = true, narrowing, signal, onEvent } = options;
  const about = { ...(signal === undefined ? {} : { signal }), ...(onEvent === undefined ? {} : { onEvent }) };
  const deploying = { waits, limitMs: () => limitSeconds * 1_000 };
  const at = { purpose: 'apply', deploying, inFlightTimeoutMs, clock: systemClock };
  let begin = 0;
  const { connect, ...platform } = platformOver(made, send);
  const asking = { ...platform, connect: async (to: Connecting) => ({ ...(await connect(to)), ask }) };
  const applying = session(await made.manifest(text), asking, at, async (run) => {
    const planned = await run.plan({ deploys, asks, narrowing });
    begin = performance.now();
    return run.apply(planned, everything, about);
  });
  const result = await passing(applying, stallMs);
  return { ...result, seconds: (performance.now() - begin) / 1_000 };
}

/** Lets time pass until something is done. `stallMs`: so long nothing goes on now and then, and all timers fire late. */
export async function passing<T>(work: Promise<T>, stallMs = 0): Promise<T> {
  const time = { isOver: false };
  const over = work.finally(() => {
    time.isOver = true;
  });
  over.catch(() => undefined);
  for (let turn = 0; !time.isOver; turn++) {
    if (turn > 100_000) throw new Error('it does not come to an end');
    await vi.advanceTimersByTimeAsync(50);
    // No promise goes on meanwhile.
    if (stallMs > 0 && turn % 37 === 0) vi.advanceTimersByTime(stallMs);
  }
  return over;
}

/** The orders to deploy that the platform got since the last call, in their order, by the name of the service. */
export function ordersIn(made: Bench): string[] {
  const { tables } = made.emulator.world;
  const fresh = made.emulator.log.slice(seen.get(made) ?? 0);
  seen.set(made, made.emulator.log.length);
  return fresh.flatMap(({ operation, input }) => {
    const [group = '', verb] = operation.split('.');
    if (verb !== 'deploy' && verb !== 'redeploy') return [];
    const rows = tables[group as keyof typeof tables] as Readonly<Record<string, Row>>;
    return [String(rows[String((input as Row)[`${group}Id`])]?.name)];
  });
}

const seen = new WeakMap<Bench, number>();

/** Nothing is left to do, and nothing is sent to find that out. */
export async function plansNothingMore(made: Bench, text: string): Promise<void> {
  made.requests('POST');
  const world = worldOver(made, made.emulator.send);
  expect(actionsOf(await passing(plan(await made.manifest(text), world)))).toEqual([]);
  const before = JSON.stringify(made.store.state);
  await applyInTime(made, text);
  expect(made.requests('POST')).toEqual([]);
  expect(JSON.stringify(made.store.state)).toBe(before);
}

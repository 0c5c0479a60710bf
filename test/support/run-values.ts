import { attempts } from '../../src/api/attempts.ts';
import { contracts } from '../../src/api/contract.ts';
import type { Client } from '../../src/api/client.ts';
import { PlatformError } from '../../src/api/platform-error.ts';
import type { Job, JobEvent } from '../../src/apply/job.ts';
import type { ApplyInput, Run } from '../../src/apply/apply-run.ts';
import { dispatch, jobOf, startRun } from '../../src/apply/apply-run.ts';
import type { Json, Row } from '../../src/formats/json.ts';
import type { ObservedObject } from '../../src/observe/observed.ts';
import type { Action } from '../../src/plan/action.ts';
import { memoryStore } from '../../src/state/backends/memory.ts';
import type { StateRecord } from '../../src/state/record.ts';
import { inputOf, makeDigest, makeDigests } from './plan-values.ts';

/** Runs that apply a plan which nobody made, on a platform that answers what a test says. */

/** What a platform answers to an operation: undefined when it says that there is no such thing. */
export type Answers = (operation: string, input: Readonly<Record<string, unknown>>) => unknown;

/** What is known before a run, and what differs in it from others. */
export interface RunFacts {
  readonly objects?: Readonly<Record<string, ObservedObject>>;
  /** How many milliseconds ago the plan read them; more than a minute by default. */
  readonly readAgoMs?: number;
  readonly destroys?: boolean | undefined;
  readonly resources?: Readonly<Record<string, StateRecord>>;
  readonly answers?: Answers;
  readonly more?: Partial<ApplyInput>;
}

/** A run in which nothing was sent yet, and the requests that the platform gets; time passes only when somebody waits. */
export function runOf(
  actions: readonly Action[],
  { objects = {}, readAgoMs = 61_000, destroys = false, resources = {}, answers, more }: RunFacts = {},
) {
  let now = 1_000;
  const { state, observed: seen, kinds } = inputOf(objects, resources);
  const observed = { ...seen, since: now - readAgoMs };
  const requests: string[] = [];
  const client: Client = {
    call: () => Promise.reject(new Error('only operations that are known as text are sent')),
    invoke: async (operation, input) => {
      requests.push([operation, ...Object.values(input).map(String)].join(' '));
      const answer = answers?.(operation, input);
      if (answer === undefined) throw failure('not found', 404);
      return answer;
    },
    withConnection: (_operation, work) => work({ ...client, hasPaused: false }),
    contract: contracts.standard,
    serve: () => undefined,
    counts: { reads: 0, writes: 0 },
    redact: (text) => text,
    platformTime: () => undefined,
    bulkStatus: () => undefined,
    readKeyLimit: async () => undefined,
    close: () => undefined,
  };
  const run: Run = startRun({
    plan: {
      base: state,
      saved: state,
      observed,
      actions,
      diagnostics: [],
      destroys,
      narrowed: undefined,
    },
    kinds,
    client,
    store: { ...memoryStore(), append: () => Promise.resolve() },
    digests: makeDigests,
    addSecret: () => undefined,
    connections: 1,
    ask: undefined,
    deploying: { waits: true, limitMs: () => attempts.deployment.limitMs },
    inFlightTimeoutMs: attempts.effect.timeoutMs,
    quietSince: now,
    onEvent: () => undefined,
    signal: undefined,
    clock: {
      wall: () => now,
      monotonic: () => now,
      sleep: (ms) => {
        now += ms;
        return Promise.resolve();
      },
    },
    ...more,
  });
  return { run, requests, passed: () => now - 1_000 };
}

/** The job of an action in a run. */
export const jobFor = (run: Run, { address }: Pick<Action, 'address'>): Job => jobOf(run, address);

/** Moves the action at an address on. */
export function dispatchAt(run: Run, address: string, ...events: readonly JobEvent[]): void {
  for (const event of events) dispatch(run, jobOf(run, address), event);
}

/** A failed call. */
export function failure(what: PlatformError['failure'], status?: number): PlatformError {
  return new PlatformError({
    operation: 'redis.one',
    url: 'https://platform.example/api/redis.one',
    isWrite: false,
    failure: what,
    outcome: 'not executed',
    event: 'something went wrong',
    status,
  });
}

/** What a state holds of a value that may be secret. */
export const digestOf = (value: Json): { readonly digest: string } => ({ digest: makeDigest(JSON.stringify(value)) });

/** A platform that has one object, whoever asks. */
export const having =
  (row: Row): Answers =>
  () =>
    row;

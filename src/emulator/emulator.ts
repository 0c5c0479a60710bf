import type { Send, WireRequest } from '../api/wire.ts';
import type { Platform } from './context.ts';
import { HungUp } from './errors.ts';
import { bootstrapOf } from './keys.ts';
import { randomId } from './names.ts';
import { createOpenRequests } from './open-requests.ts';
import { createQueue } from './queue.ts';
import { respond, type Manners } from './respond.ts';
import { interruptDeployments } from './restart.ts';
import { routeOf } from './served.ts';
import { createStore } from './store.ts';
import { seedWorld, type World } from './world.ts';

/** How an emulator is set up. */
export interface EmulatorOptions {
  /** Default: `seedWorld()`. */
  world?: World;
  now?: () => Date;
  /** Default: 21 random characters of A-Z a-z 0-9 _ -, as on the platform. */
  newId?: () => string;
  /** The key of the owner; default `emulator-key`. Others are made by `user.createApiKey`. */
  apiKey?: string;
  /** Refuses members that the contract does not know; by default they are dropped silently, as on the platform. */
  strict?: boolean;
  /** Leaves out the operations that the API document does not have. */
  documentedOnly?: boolean;
  /** Operations beyond the API document that it leaves out, by name; none by default. */
  lacks?: readonly string[];
  /** How long a deployment takes, in milliseconds; default 0: it is done a moment after it was ordered. */
  deployDelayMs?: number;
  /** Answers several operations in one request, as the server of Dokploy does. */
  batches?: boolean;
  /** The longest body that is taken, in bytes; default 1 MiB. */
  bodyLimit?: number;
}

/** One request in the log. */
export interface LoggedRequest {
  method: string;
  operation: string;
  /** What the platform itself answered; 0 when it gave no answer, or was not asked because of a fault. */
  status: number;
  input: unknown;
  /** What went wrong on purpose, in the words of the file of faults. */
  fault?: string;
}

/** What can be said of one request. */
interface Sending {
  /** What goes wrong with it, for the log. */
  readonly fault?: string | undefined;
  /** What it reads instead of the world. */
  readonly world?: World | undefined;
}

/** The platform in memory. */
export interface Emulator {
  /** Answers a request in process: the same code as behind HTTP. */
  send: (request: WireRequest, about?: Sending) => ReturnType<Send>;
  /** Adds to the log. */
  note(entry: LoggedRequest): void;
  /** Every request, in order; the oldest go when there are 100,000. */
  log: LoggedRequest[];
  /** Plain JSON. A row that is put in by hand shows in no list: use `act`. */
  world: World;
  /** Acts like a person in the platform's own pages: the parsed answer, not in the log; throws unless it is a 200. */
  act(operation: string, input?: Record<string, unknown>): Promise<unknown>;
  /** What a restart does: jobs that wait are lost, those that run are cancelled, open requests get no answer. */
  restart(): void;
  /** Called after each write, for persistence. */
  onCommit?: (() => void) | undefined;
}

const logLength = 100_000;

/** Creates an emulator of the platform, in memory. Never throws. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { now = () => new Date(), newId = randomId, deployDelayMs = 0 } = options;
  const world = options.world ?? seedWorld();
  const manners: Manners = {
    bootstrap: bootstrapOf(world, options.apiKey ?? 'emulator-key'),
    strict: options.strict ?? false,
    documentedOnly: options.documentedOnly ?? false,
    lacks: new Set(options.lacks),
    batches: options.batches ?? false,
    bodyLimit: options.bodyLimit ?? 1024 * 1024,
  };
  const log: LoggedRequest[] = [];

  const platform: Platform = {
    store: createStore(world, () => emulator.onCommit?.()),
    queue: createQueue(deployDelayMs),
    requests: createOpenRequests(),
    now: () => now().toISOString(),
    newId,
    deployDelayMs,
  };

  const emulator: Emulator = {
    world,
    log,
    onCommit: undefined,
    async send(request, { fault, world: readable } = {}) {
      const over = readable === undefined ? platform : { ...platform, store: createStore(readable, () => undefined) };
      const { answer, operation, input } = await respond(over, manners, request);
      const about = fault === undefined ? {} : { fault };
      emulator.note({ method: request.method, operation, status: answer?.status ?? 0, input, ...about });
      if (answer === undefined) throw new HungUp();
      return answer;
    },
    note(entry) {
      log.push(entry);
      // In blocks, because each removal at the front moves all that remains.
      if (log.length > logLength) log.splice(0, logLength / 10);
    },
    async act(operation, input = {}) {
      const { answer } = await respond(
        platform,
        { ...manners, documentedOnly: false, lacks: new Set() },
        actRequest(manners, operation, input),
      );
      if (answer === undefined) throw new HungUp();
      if (answer.status !== 200) throw new Error(`${operation}: ${answer.status} ${answer.body}`);
      return answer.body === '' ? undefined : (JSON.parse(answer.body) as unknown);
    },
    restart() {
      platform.queue.forget();
      platform.requests.hangUp();
      interruptDeployments(world);
      emulator.onCommit?.();
    },
  };
  return emulator;
}

function actRequest(manners: Manners, operation: string, input: Record<string, unknown>): WireRequest {
  const method = routeOf(operation)?.endpoint.method ?? 'GET';
  const headers = { 'x-api-key': manners.bootstrap.key, 'content-type': 'application/json' };
  if (method === 'POST') return { method, path: `/api/${operation}`, headers, body: JSON.stringify(input) };
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { method, path: `/api/${operation}?${query.toString()}`, headers, body: undefined };
}

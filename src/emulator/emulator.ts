import { type Profile, contracts } from '../api/contract.ts';
import type { Send, WireAnswer, WireRequest } from '../api/wire.ts';
import type { Platform } from './context.ts';
import { createEdge, type Edge } from './edge.ts';
import { HungUp } from './error-answers.ts';
import { bootstrapOf } from './keys.ts';
import { randomId } from './made-up-names.ts';
import { createOpenRequests } from './open-requests.ts';
import { createQueue } from './queue.ts';
import { publish } from './openapi-answer.ts';
import { respond, servedBy, type ServerOptions } from './respond.ts';
import { interruptDeployments } from './restart.ts';
import { routeOf } from './served.ts';
import { createStore } from './table-store.ts';
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
  /** Whose words requests and answers are in; those of Dokploy by default. */
  profile?: Profile;
  /** Tells its operations and its version, as Dokploy does; by default with `profile: 'dokploy'`. */
  published?: boolean;
  /** Leaves out the operations that the API document does not have. */
  documentedOnly?: boolean;
  /** Operations beyond the API document that it leaves out, by name; none by default. */
  lacks?: readonly string[];
  /** How long a deployment takes, in milliseconds; default 0: it is done a moment after it was ordered. */
  deployDelayMs?: number;
  /** Answers several operations in one request, as Dokploy does; by default with `profile: 'dokploy'`. */
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
  /** true: it is in the words of Dokploy, and so is the answer, whatever the profile. */
  readonly isInside?: boolean;
}

/** The platform in memory. */
export interface Emulator {
  /** Answers a request in process: the same code as behind HTTP. */
  send: (request: WireRequest, about?: Sending) => ReturnType<Send>;
  /** Between the words of its profile and those of Dokploy. */
  readonly edge: Edge;
  /** Adds to the log. */
  note(entry: LoggedRequest): void;
  /** Every request, in order, in the words of Dokploy; the oldest go when there are 100,000. */
  log: LoggedRequest[];
  /** Plain JSON. A row that is put in by hand shows in no list: use `act`. */
  world: World;
  /** Acts like a person in the platform's own pages, in the words of Dokploy: the parsed answer, not in the log; throws unless it is a 200. */
  act(operation: string, input?: Record<string, unknown>): Promise<unknown>;
  /** What a restart does: jobs that wait are lost, those that run are cancelled, open requests get no answer. */
  restart(): void;
  /** Called after each write, for persistence. */
  onCommit: (() => void) | undefined;
}

const logLength = 100_000;

/** Creates an emulator of the platform, in memory. Never throws. */
export function createEmulator(options: EmulatorOptions = {}): Emulator {
  const { now = () => new Date(), newId = randomId, deployDelayMs = 0, profile } = options;
  const { names } = contracts[profile ?? 'dokploy'];
  const edge = createEdge(names);
  const world = options.world ?? seedWorld();
  const can = { documentedOnly: options.documentedOnly ?? false, lacks: new Set(options.lacks) };
  const isPublished = options.published ?? profile === 'dokploy';
  const serverOptions: ServerOptions = {
    ...can,
    bootstrap: bootstrapOf(world, options.apiKey ?? 'emulator-key'),
    strict: options.strict ?? false,
    batches: options.batches ?? profile === 'dokploy',
    names,
    published: isPublished ? publish(() => servedBy(can), names) : new Map(),
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

  async function execute(request: WireRequest, { fault, world: readable }: Sending): Promise<WireAnswer> {
    const over = readable === undefined ? platform : { ...platform, store: createStore(readable, () => undefined) };
    const { answer, operation, input } = await respond(over, serverOptions, request);
    const about = fault === undefined ? {} : { fault };
    emulator.note({ method: request.method, operation, status: answer?.status ?? 0, input, ...about });
    if (answer === undefined) throw new HungUp();
    return answer;
  }

  const emulator: Emulator = {
    world,
    log,
    edge,
    onCommit: undefined,
    send(request, about = {}) {
      const answering = async (asked: WireRequest) => execute(asked, about);
      return about.isInside === true ? answering(request) : edge.speak(answering)(request);
    },
    note(entry) {
      log.push(entry);
      // In blocks, because each removal at the front moves all that remains.
      if (log.length > logLength) log.splice(0, logLength / 10);
    },
    async act(operation, input = {}) {
      const { answer } = await respond(
        platform,
        { ...serverOptions, documentedOnly: false, lacks: new Set() },
        actRequest(serverOptions, operation, input),
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

function actRequest(serverOptions: ServerOptions, operation: string, input: Record<string, unknown>): WireRequest {
  const method = routeOf(operation)?.endpoint.method ?? 'GET';
  const headers = { 'x-api-key': serverOptions.bootstrap.key, 'content-type': 'application/json' };
  if (method === 'POST') return { method, path: `/api/${operation}`, headers, body: JSON.stringify(input) };
  const query = new URLSearchParams(
    Object.entries(input).map(([name, value]): [string, string] => [name, String(value)]),
  );
  return { method, path: `/api/${operation}?${query.toString()}`, headers, body: undefined };
}

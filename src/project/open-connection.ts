import { defined } from '../formats/json.ts';
import { join } from 'node:path';
import { type Client, createClient } from '../api/client.ts';
import { attempts } from '../api/attempts.ts';
import type { Pause } from '../api/circuit-breaker.ts';
import { type Contract, beyondDocument, serving } from '../api/contract.ts';
import { abandonable } from '../api/abandon.ts';
import { createAsk } from '../api/ask-address.ts';
import { type Transport, createTransport } from '../api/transport.ts';
import type { Send } from '../api/wire.ts';
import { stop } from '../diagnostics/diagnostic.ts';
import { lateOperations } from '../kind/command-call.ts';
import type { Settings } from '../manifest/settings.ts';
import type { OpenConnection, Platform } from '../workflow/session.ts';
import type { Environment, ProjectFolder } from './folder.ts';
import { refuseLeft } from './left-states.ts';
import { refuseLinks } from './links.ts';
import { namedElsewhere } from './named-elsewhere.ts';
import { tracedSend } from '../trace/traced-send.ts';
import { openStore } from './open-store.ts';
import { type NamedPlatform, clientAt, contractAt, profileOf } from '../api/profile.ts';
import { checkPlatform } from './platform-address.ts';
import { targetOf } from './target.ts';

/** The folder and the limits that a platform is opened with. */
export interface OpeningInput {
  readonly options: ProjectFolder;
  /** Shown to a run that waits for the embedded emulator: `plan`. */
  readonly purpose: string;
  /** Most requests at a time; 4 by default. */
  readonly connections?: number;
  /** The deadline of every request, or of each by its operation, in milliseconds. */
  readonly deadlineMs?: number | ((operation: string) => number) | undefined;
  /** true: every operation that Trueup knows can be called, whether the platform serves it or not. */
  readonly takesAll?: boolean;
  /** Called right before each write; throws when no write may start any more. */
  readonly mayWrite?: () => void;
  /** true: each read is sent once, and nothing waits for a platform that takes no requests. */
  readonly isImpatient?: true;
  /** Called when the platform takes no requests for now, and when it does again. */
  readonly onPause?: (pause: Pause) => void;
  /** Called with how many requests are on their way at a time from now on, when the platform is overloaded. */
  readonly onFewer?: (connections: number) => void;
  /** false: each read is a request of its own; by default reads go together where the platform takes that. */
  readonly bulk?: boolean;
  /** Called at most once, when reads turn out not to go together; with the reason, as a clause. */
  readonly onBulkOff?: (why: string) => void;
}

/** A client with its open connections. */
export interface OpenClient {
  readonly client: Client;
  readonly close: () => Promise<void>;
  /** Gives up the requests on their way, with unknown outcome; every later one fails, unsent. Never throws. */
  readonly abandon: () => void;
}

/**
 * The platform and the state of a manifest, for sessions. Opens nothing yet. Never throws.
 */
export function platformOf(
  settings: Settings,
  about: Pick<OpeningInput, 'options' | 'onPause' | 'onFewer' | 'bulk' | 'onBulkOff'>,
): Platform {
  return { kinds: about.options.kinds, connect: (connecting) => connect(settings, { ...about, ...connecting }) };
}

/**
 * Opens the platform and the state of a manifest. Sends nothing yet.
 *
 * @throws {Stop} `refused`, when the environment does not allow the platform or the state of the manifest; `authentication`,
 *   without an API key; `state`, when a credential of the state is missing; `locked`, when another process has the embedded
 *   emulator.
 */
export async function connect(settings: Settings, about: OpeningInput): Promise<OpenConnection> {
  const { platform, state } = targetOf(settings, about.options);
  const store = openStore(state, about.options);
  const { client, close, abandon } = await openPlatform(platform, about);
  return {
    client,
    abandon,
    store,
    mayBegin: state.backend === 'local' ? (manifest) => refuseLeft(about.options, manifest) : undefined,
    namedElsewhere: (made) => namedElsewhere(made, about.options),
    kinds: about.options.kinds,
    endpoint: platform.emulator ? 'platform: emulator' : platform.url,
    discovers: !platform.emulator,
    // Nothing is served at the addresses of the emulator.
    ask: platform.emulator ? undefined : createAsk(),
    addSecret: about.options.redactor.add,
    close: async () => {
      try {
        await close();
      } finally {
        await store.close();
      }
    },
  };
}

/**
 * Opens a platform without its state. Sends nothing yet.
 *
 * @throws {Stop} as `connect`.
 */
export async function openPlatform(platform: NamedPlatform, input: OpeningInput): Promise<OpenClient> {
  checkPlatform(platform, input.options);
  return platform.emulator ? openEmbedded(platform, input) : openServer(platform.url, platform, input);
}

/** Opens the emulator in the folder of the manifest. */
async function openEmbedded(platform: NamedPlatform, input: OpeningInput): Promise<OpenClient> {
  const { options, purpose, mayWrite } = input;
  const folder = join(options.folder, '.trueup');
  // openEmulatorFile refuses emulator.json itself when it is a link.
  refuseLinks(options.folder, folder, ['emulator.json.open']);
  refuseLinks(options.folder, join(folder, 'emulator.json.open'), ['lease']);
  // Most runs have another platform.
  const [{ openEmulatorFile }, { servedOperations }] = await Promise.all([
    import('./emulator-file.ts'),
    import('../emulator/served.ts'),
  ]);
  const behaviour = { apiKey: emulatorKey, profile: profileOf(platform) };
  const file = join(folder, 'emulator.json');
  const openFile = () => openEmulatorFile(file, purpose, behaviour);
  const { emulator, close } = await (options.platforms?.oneAtATime(file, openFile) ?? openFile());
  const { send, abandon } = abandonable(
    (guard) => async (request) => {
      if (request.method === 'POST') guard();
      return emulator.send(request);
    },
    mayWrite,
  );
  const served = beyondDocument.filter((operation) => servedOperations.includes(operation));
  const opening = {
    url: 'http://embedded-emulator',
    apiKey: emulatorKey,
    contract: serving(contractAt(platform), served),
  };
  return closing(clientOf(send, opening, platform, input), { close, abandon });
}

function openServer(url: string, platform: NamedPlatform, input: OpeningInput): OpenClient {
  const { options, deadlineMs, mayWrite, takesAll = false } = input;
  const apiKey = readApiKey(options.env, url);
  let transport: Transport | undefined;
  const { send, abandon } = abandonable((guard) => {
    transport = createTransport({ url, isLong: lateIn(options), mayWrite: guard, ...defined({ deadlineMs }) });
    return transport.send;
  }, mayWrite);
  const close = async (isAbandoned: boolean): Promise<void> => transport?.close(isAbandoned);
  const contract = contractAt(platform, takesAll);
  return closing(clientOf(send, { url, apiKey, contract }, platform, input), { close, abandon });
}

function clientOf(
  send: Send,
  { url, apiKey, contract }: { readonly url: string; readonly apiKey: string; readonly contract: Contract },
  platform: NamedPlatform,
  input: OpeningInput,
): Client {
  const { options, connections, onPause, onFewer, bulk, onBulkOff, isImpatient = false } = input;
  options.redactor.add(apiKey);
  const client = createClient({
    send: tracedSend(send, url),
    url,
    apiKey,
    redact: options.redactor.redact,
    contract,
    isLong: lateIn(options),
    // The key of the embedded emulator has none.
    ...(platform.emulator ? {} : { limitOfNewKey: attempts.newKey }),
    ...defined({ connections, onPause, onFewer, bulk, onBulkOff, limits: options.platforms?.limitsOf(url, apiKey) }),
    ...(isImpatient ? { readAttempts: 1, pauseLimitMs: 0 } : {}),
  });
  return clientAt(client, platform, { at: url, isExamining: isImpatient });
}

/** Whether an operation answers when its work is over. */
function lateIn({ kinds }: ProjectFolder): (operation: string) => boolean {
  const late = lateOperations(kinds);
  return (operation) => late.has(operation);
}

/** A client that waits for nothing any more once its connections end. */
function closing(
  client: Client,
  {
    close,
    abandon,
  }: { readonly close: (isAbandoned: boolean) => Promise<void>; readonly abandon: OpenClient['abandon'] },
): OpenClient {
  let isAbandoned = false;
  return {
    client,
    close: async () => {
      client.close();
      await close(isAbandoned);
    },
    abandon: () => {
      isAbandoned = true;
      client.close();
      abandon();
    },
  };
}

/** The API key of the embedded emulator, which guards nothing. */
export const emulatorKey = 'emulator-key';

function readApiKey(env: Environment, url: string): string {
  const key = env['TRUEUP_API_KEY'] ?? '';
  if (key !== '') return key;
  throw stop('authentication', 'secret-missing', `there is no API key for ${url}`, {
    remedy: 'Set TRUEUP_API_KEY. The key is made in the profile of a user of the platform.',
  });
}

import { defined } from '../formats/json.ts';
import { join } from 'node:path';
import { type Client, type ClientOptions, createClient } from '../api/client.ts';
import { attempts } from '../api/attempts.ts';
import type { Pause } from '../api/circuit-breaker.ts';
import { type Profile, beyondDocument, serving } from '../api/contract.ts';
import { abandonable } from '../api/abandon.ts';
import { createAsk } from '../api/ask-address.ts';
import { type Transport, createTransport } from '../api/transport.ts';
import type { Send } from '../api/wire.ts';
import { type Diagnostic, Stop, stop } from '../diagnostics/diagnostic.ts';
import { lateOperations } from '../kind/command-call.ts';
import type { Settings } from '../manifest/settings.ts';
import type { StateStore } from '../state/state.ts';
import type { OpenConnection, Platform } from '../workflow/session.ts';
import type { Environment, ProjectFolder } from './folder.ts';
import { refuseLeft } from './left-states.ts';
import { refuseLinks } from './links.ts';
import type { Plan } from '../plan/action.ts';
import { namedElsewhere } from './named-elsewhere.ts';
import { ownedByOtherWord } from './owned-twice.ts';
import { tracedSend } from '../trace/traced-send.ts';
import { openStore } from './open-store.ts';
import { type NamedPlatform, clientAt, contractAt, profileOf, recognising } from '../api/profile.ts';
import { platformName } from '../plan/plan-facts.ts';
import { checkAddress, checkPlatform } from './platform-address.ts';
import { locateState } from './state-location.ts';

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
  /** What a program names instead of the manifest. */
  readonly given?: Given;
}

/** The platform and the storage of the state that a program names; what is left out is that of the manifest. */
export interface Given {
  readonly platform?: GivenPlatform | undefined;
  readonly openStore?: ((options: ProjectFolder) => StateStore) | undefined;
}

/** A platform that a program names, with its key. */
export interface GivenPlatform {
  readonly url: string;
  readonly apiKey: string;
  /** Its words; undefined: the manifest or the platform itself shows them. */
  readonly profile: Profile | undefined;
  /** Sends requests instead of HTTP: those of an emulator. */
  readonly send: Send | undefined;
  /** What all that is opened of it shares. */
  readonly limits: NonNullable<ClientOptions['limits']>;
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
  about: Pick<OpeningInput, 'options' | 'onPause' | 'onFewer' | 'bulk' | 'onBulkOff' | 'given'>,
): Platform {
  return { kinds: about.options.kinds, connect: (connecting) => connect(settings, { ...about, ...connecting }) };
}

/** What the other root files of the folder say against a plan. */
async function otherRootFiles(made: Plan, options: ProjectFolder): Promise<readonly Diagnostic[]> {
  return [...(await namedElsewhere(made, options)), ...(await ownedByOtherWord(made, options))];
}

/**
 * Opens the platform and the state of a manifest. Sends nothing yet.
 *
 * @throws {Stop} `refused`, when the environment does not allow the platform or the state of the manifest; `authentication`,
 *   without an API key; `state`, when a credential of the state is missing; `locked`, when another process has the embedded
 *   emulator.
 */
export async function connect(settings: Settings, about: OpeningInput): Promise<OpenConnection> {
  const { options, given: { platform: given, openStore: openGivenStore } = {} } = about;
  const { platform } = settings;
  const own = openGivenStore === undefined ? openOwnState(settings, options) : { store: openGivenStore(options) };
  const { client, close, abandon } = await (given === undefined
    ? openPlatform(platform, about)
    : openGiven(given, platform, about));
  const isEmulated = given === undefined ? platform.emulator === true : given.send !== undefined;
  return {
    client,
    abandon,
    ...own,
    // Root files name objects of the platform that is theirs.
    namedElsewhere: given === undefined ? (made) => otherRootFiles(made, options) : undefined,
    kinds: options.kinds,
    endpoint: given === undefined ? platformName(platform) : given.url,
    discovers: given !== undefined || !isEmulated,
    // Nothing is served at the addresses of an emulator.
    ask: isEmulated ? undefined : createAsk(),
    addSecret: options.redactor.add,
    close: async () => {
      try {
        await close();
      } finally {
        await own.store.close();
      }
    },
  };
}

/** Opens the state of a manifest. */
function openOwnState(settings: Settings, options: ProjectFolder): Pick<OpenConnection, 'store' | 'mayBegin'> {
  const state = locateState(settings, options);
  const mayBegin: OpenConnection['mayBegin'] =
    state.backend === 'local' ? (manifest) => refuseLeft(options, manifest) : undefined;
  return { store: openStore(state, options), mayBegin };
}

/**
 * Opens a platform without its state. Sends nothing yet.
 *
 * @throws {Stop} as `connect`.
 */
export async function openPlatform(platform: NamedPlatform, input: OpeningInput): Promise<OpenClient> {
  checkPlatform(platform, input.options);
  if (platform.emulator) return openEmbedded(platform, input);
  const hostile = checkAddress(platform.url, { named: 'the platform', ofStore: false }, input.options);
  if (hostile.length > 0) throw new Stop('refused', hostile);
  return openServer(platform.url, platform, input);
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
  const { send, abandon } = abandonable((guard) => guarded(emulator.send, guard), mayWrite);
  const served = beyondDocument.filter((operation) => servedOperations.includes(operation));
  const contract = serving(contractAt(platform), served);
  const at = 'http://embedded-emulator';
  // Its key has no limit.
  const client = createClient({ send: tracedSend(send, at), ...clientOptions(at, emulatorKey, input), contract });
  return closing(clientAt(client, platform, { at, isExamining: input.isImpatient === true }), { close, abandon });
}

function openServer(url: string, platform: NamedPlatform, input: OpeningInput): OpenClient {
  const { options, takesAll = false, isImpatient = false } = input;
  const { client, ...opened } = openHttp(
    { ...clientOptions(url, readApiKey(options.env, url), input), contract: contractAt(platform, takesAll) },
    input,
  );
  return closing(clientAt(client, platform, { at: url, isExamining: isImpatient }), opened);
}

/** Opens a platform that a program names, in the words that the manifest has for its own. */
function openGiven(
  { url, apiKey, profile, send, limits }: GivenPlatform,
  { profile: inManifest }: NamedPlatform,
  input: OpeningInput,
): OpenClient {
  if (profile !== undefined && inManifest !== undefined && profile !== inManifest)
    throw contradiction(inManifest, profile);
  const contract = contractAt({ url, profile: inManifest ?? profile });
  const { client, ...opened } = openHttp({ ...clientOptions(url, apiKey, input), limits, contract }, input, send);
  const named =
    inManifest === undefined
      ? profile && { profile, by: 'platformAt', at: 'there' }
      : { profile: inManifest, by: 'the manifest', at: 'under platform:' };
  return closing(recognising(client, named), opened);
}

/** The error for a manifest and a program that name different words. */
function contradiction(inManifest: Profile, profile: Profile): Stop {
  const message = `the manifest says profile: ${inManifest}, and platformAt says ${profile}`;
  return stop('refused', 'inconsistent', message, { remedy: 'Make the two agree, or leave one out.' });
}

/** A client over HTTP, or over what sends instead. */
function openHttp(
  about: Omit<ClientOptions, 'send'>,
  { options, deadlineMs, mayWrite }: OpeningInput,
  given?: Send,
): Omit<OpenClient, 'close'> & { readonly close: (isAbandoned: boolean) => Promise<void> } {
  let transport: Transport | undefined;
  const { send, abandon } = abandonable((guard) => {
    if (given !== undefined) return guarded(given, guard);
    transport = createTransport({
      url: about.url,
      isLong: lateIn(options),
      mayWrite: guard,
      ...defined({ deadlineMs }),
    });
    return transport.send;
  }, mayWrite);
  const close = async (isAbandoned: boolean): Promise<void> => transport?.close(isAbandoned);
  const client = createClient({ send: tracedSend(send, about.url), limitOfNewKey: attempts.newKey, ...about });
  return { client, close, abandon };
}

/** Calls a guard right before each write. */
function guarded(send: Send, guard: () => void): Send {
  return async (request) => {
    if (request.method === 'POST') guard();
    return send(request);
  };
}

function clientOptions(url: string, apiKey: string, input: OpeningInput): Omit<ClientOptions, 'send' | 'contract'> {
  const { options, connections, onPause, onFewer, bulk, onBulkOff, isImpatient = false } = input;
  options.redactor.add(apiKey);
  return {
    url,
    apiKey,
    redact: options.redactor.redact,
    isLong: lateIn(options),
    ...defined({ connections, onPause, onFewer, bulk, onBulkOff, limits: options.platforms?.limitsOf(url, apiKey) }),
    ...(isImpatient ? { readAttempts: 1, pauseLimitMs: 0 } : {}),
  };
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

import type { Client, ReadClient } from '../api/client.ts';
import { type Contract, type Operation, isOperation } from '../api/contract.ts';
import { PlatformError } from '../api/platform-error.ts';
import { attempts } from '../api/attempts.ts';
import { type KeyLimit, describeLimit, howToGetKey, remedyForLimit } from '../api/key-limit.ts';
import { isLoopback } from '../api/loopback.ts';
import { compareWords } from '../api/profile.ts';
import { type NeededRight, rightsTo } from '../api/needed-rights.ts';
import { withArticle } from '../diagnostics/article.ts';
import { Stop } from '../diagnostics/diagnostic.ts';
import { type Row, isRow, defined } from '../formats/json.ts';
import { kindsThere, operationsOf } from '../kind/kinds-on.ts';
import { groupBy } from '../kind/group.ts';
import { type Kind, root } from '../kind/kind.ts';
import { lossesOf } from '../kind/unserved-parts.ts';
import type { Resource } from '../manifest/resource.ts';
import { discover } from '../observe/discover.ts';
import type { Clock } from '../state/clock.ts';
import type { Holder } from '../state/holder.ts';
import type { Capabilities, State, StateStore } from '../state/state.ts';

/** One thing that is needed, and how it is. */
export interface Examined<Name extends string> {
  readonly name: Name;
  /** `unknown`: another check that failed is in its way. */
  readonly is: 'good' | 'warning' | 'bad' | 'unknown';
  readonly message: string;
  /** More of it, a line each. */
  readonly details?: readonly string[] | undefined;
  /** What to do about it. */
  readonly remedy?: string | undefined;
}

/** One thing that a run needs, and how it is. */
export type Check = Examined<
  'address' | 'key' | 'rights' | 'version' | 'profile' | 'capabilities' | 'bulk reads' | 'clock' | 'state' | 'variables'
>;

/** What the examination of a platform needs. */
interface PlatformInput {
  /** A client that sends each read once and waits for nothing. */
  readonly client: ReadClient & Pick<Client, 'platformTime' | 'bulkStatus' | 'readKeyLimit'>;
  /** The address, for messages. */
  readonly url: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  /** false: the contract of the client says what the platform serves. */
  readonly discovers: boolean;
  /** What the state remembers of the platform. */
  readonly remembered: Capabilities | undefined;
  /** The operations that an apply of the manifest can need; undefined without a manifest that can be read. */
  readonly needed?: readonly Operation[] | undefined;
}

/** Examines a platform and what the key may do there, with at most 10 GETs. @throws whatever is no failure of the platform. */
export async function examinePlatform(input: PlatformInput): Promise<readonly Check[]> {
  const { client, url } = input;
  const caller = await client.invoke('user.get', {}).catch(asFailure);
  if (caller instanceof PlatformError) return [...refusal(caller, url), ...rest(caller)];
  if (!isRow(caller) || typeof caller['organizationId'] !== 'string') {
    const message = `${url} answers, and not as the platform does: the answer to user.get names no organization`;
    const remedy = 'Correct the address: it is the one that the dashboard opens at, without a path.';
    return [check('address', 'bad', message, remedy)];
  }
  const found = input.discovers ? await discover(client, undefined).catch(asFailure) : undefined;
  const limit = await limitOf(found, input);
  return [
    check('address', 'good', `${url} is reachable${url.startsWith('https:') ? ', and its certificate is valid' : ''}`),
    ...(url.startsWith('http:') && !isLoopback(new URL(url).hostname) ? [unencrypted(url)] : []),
    keyCheck(limit),
    rightsOf(caller, input),
    ...capabilitiesOf(found, input),
    profileCheck(caller, client),
    await bulkOf(client),
    clockOf(input),
  ];
}

function check(name: Check['name'], is: Check['is'], message: string, remedy?: string): Check {
  return { name, is, message, ...defined({ remedy }) };
}

/** The limit of the key; `ran out`: the platform accepted the key, and then rejected it. */
async function limitOf(
  found: Awaited<ReturnType<typeof discover>> | PlatformError | undefined,
  { client, discovers }: PlatformInput,
): Promise<KeyLimit | 'none' | 'ran out'> {
  if (found instanceof PlatformError && found.isKeyRefused) return 'ran out';
  if (!discovers) return 'none';
  const limit = await client.readKeyLimit().catch(asFailure);
  if (limit instanceof PlatformError && limit.isKeyRefused) return 'ran out';
  if (limit !== undefined && !(limit instanceof PlatformError)) return limit;
  // No read shows the limit, so the key is used as often as a new one may be.
  while (client.counts.reads <= attempts.newKey.uses / attempts.newKey.usesOfRequest) {
    const answer = await client.invoke('user.get', {}).catch(asFailure);
    if (answer instanceof PlatformError) return answer.isKeyRefused ? 'ran out' : 'none';
  }
  return 'none';
}

function asFailure(error: unknown): PlatformError {
  if (error instanceof PlatformError) return error;
  throw error;
}

/** The checks of a platform that does not answer as it should. */
function refusal(error: PlatformError, url: string): Check[] {
  if (error.isKeyRefused) {
    const remedy = `${remedyForLimit()} A key that worked before may be used up: ${describeLimit()}.`;
    const message = 'the platform rejects the API key (401): it is wrong, deleted, expired or used up';
    return [check('address', 'good', `${url} is reachable`), check('key', 'bad', message, remedy)];
  }
  return [check('address', 'bad', error.message, error.remedy)];
}

function rest(error: PlatformError): Check[] {
  const names = ['rights', 'version', 'capabilities', 'clock'] as const;
  const why = error.isKeyRefused ? 'the key' : 'the address';
  return names.map((name) => check(name, 'unknown', `not known: ${why} comes first`));
}

function unencrypted(url: string): Check {
  const remedy = 'Use https: whoever is between this machine and the platform can read the API key.';
  return check('address', 'warning', `${url} is not encrypted`, remedy);
}

function keyCheck(limit: KeyLimit | 'none' | 'ran out'): Check {
  if (limit === 'none') return check('key', 'good', 'the platform accepts the API key');
  if (limit === 'ran out') {
    const message = `the platform accepted the API key once and then rejected it: the key has a rate limit, and it ran out; ${describeLimit()}`;
    return check('key', 'bad', message, remedyForLimit());
  }
  // A run waits for a short window.
  const isTooFew = limit.uses <= attempts.newKey.uses && limit.windowMs > attempts.pause.limitMs;
  const message = `the platform accepts the API key for now: ${describeLimit(limit)}`;
  return check('key', isTooFew ? 'bad' : 'warning', message, howToGetKey);
}

/** What the caller may do of what the manifest needs. Owners and admins may do everything. */
function rightsOf(caller: Row, { client, needed }: PlatformInput): Check {
  const name = 'rights';
  const role = String(caller['role']);
  const message = `the key is one of ${withArticle(role)}`;
  const rights = rightsTo(needed ?? []);
  const ofAdmins = rights.find(({ right }) => right === adminsRight);
  const others = rights.filter((one) => one !== ofAdmins);
  const line = ({ right, operations }: NeededRight) =>
    `${inWords(client, right)}: ${operations.map((operation) => served(client, operation)).join(', ')}`;
  const smallest =
    needed === undefined
      ? []
      : ofAdmins === undefined
        ? [
            `smallest role for this manifest: member${others.length === 0 ? '' : ', with these rights'}`,
            ...others.map((one) => `  ${line(one)}`),
          ]
        : [`smallest role for this manifest: admin, for ${line(ofAdmins).replace(`${adminsRight}: `, '')}`];
  if (role === 'owner' || role === 'admin') return { name, is: 'good', message, details: smallest };
  const lacking = [
    ...(ofAdmins === undefined ? [] : [adminsRight]),
    ...others.flatMap(({ right }) => (isFlag(right) && caller[right] !== true ? [inWords(client, right)] : [])),
  ];
  const remedy =
    ofAdmins === undefined
      ? 'Use the key of an owner or admin, or give the member these rights, and access to the project and its services.'
      : 'Use the key of an owner or admin.';
  const has = ', who has the flags that this manifest needs; access to the project and its services is not checked';
  const lacks = needed === undefined ? '' : lacking.length === 0 ? has : `, who lacks: ${lacking.join(', ')}`;
  return { name, is: 'warning', message: message + lacks, details: smallest, remedy };
}

/** The operations that an apply of resources can need, each once. A single object that comes with its parent is never created or deleted. */
export function neededFor(resources: readonly Resource[]): Operation[] {
  const counts = groupBy(resources.map(({ kind, address }) => [kind.kind, address] as const));
  const needed = resources.flatMap(({ kind, parent }) => {
    const { create, read, readMore, update, delete: remove, move } = kind.operations;
    const isAdopted = kind.lifecycle?.provided !== undefined && counts.get(kind.kind)?.length === 1;
    const above = resources.find(({ address }) => address === parent)?.kind.kind ?? root;
    const listed = kind.parents[above]?.listed;
    const list = listed !== undefined && 'call' in listed ? [listed.call] : [];
    return [...[read, readMore, update, ...(isAdopted ? [] : [create, remove, move])].flat(), ...list];
  });
  const operations = needed.map((one) => (typeof one === 'object' ? one.call : one));
  return [...new Set(operations)].filter((operation) => operation !== undefined);
}

const adminsRight = 'the role owner or admin';

function isFlag(right: string): boolean {
  return /^can[A-Z]\w*$/.test(right);
}

/** A right in the words of the platform. */
function inWords({ contract: { names } }: PlatformInput['client'], right: string): string {
  return isFlag(right) ? (names?.member(right) ?? right) : right;
}

function served({ contract: { names } }: PlatformInput['client'], operation: string): string {
  return names?.operation(operation) ?? operation;
}

function capabilitiesOf(
  found: Awaited<ReturnType<typeof discover>> | PlatformError | undefined,
  { client, kinds, remembered }: PlatformInput,
): Check[] {
  if (found === undefined) return [check('capabilities', 'good', 'all that the emulator has')];
  if (found instanceof PlatformError) {
    const message = `not known: ${found.sentence}`;
    return [check('version', 'unknown', message), check('capabilities', 'unknown', message)];
  }
  const { capabilities, diagnostics } = found;
  const version = capabilities?.version ?? undefined;
  const [unread] = diagnostics;
  if (unread !== undefined) {
    const remedy = 'Look at the log of the platform, and at what is between it and this machine.';
    return [check('version', 'good', version ?? 'known'), check('capabilities', 'warning', unread.message, remedy)];
  }
  if (version === undefined) {
    const lacks = 'it keeps to the API document: Trueup uses no operation beyond that';
    return [
      check('version', 'good', 'the platform does not tell its version'),
      check('capabilities', 'good', `${lacks}${lackingKinds(kinds, client.contract)}`),
    ];
  }
  const changed =
    remembered === undefined || remembered.version === version
      ? ''
      : `; the state remembers ${remembered.version ?? 'none'}`;
  return [check('version', 'good', `${version}${changed}`), ...usedOf(kinds, client)];
}

/** The operations beyond the API document that the kinds use: how many are missing, and what that costs, a check for each kind. */
function usedOf(kinds: readonly Kind[], { contract }: ReadClient): Check[] {
  const used = new Set(kinds.flatMap(operationsOf).filter((operation) => !isOperation(operation)));
  const missing: readonly Operation[] = [...used].filter((operation) => !contract.operations.has(operation));
  if (missing.length === 0) {
    return [check('capabilities', 'good', `all ${used.size} operations beyond the API document that Trueup uses`)];
  }
  const there = new Map(kindsThere(kinds, contract).map((kind) => [kind.kind, kind]));
  const costs = kinds.flatMap((full): Check[] => {
    const on = there.get(full.kind);
    const losses = on === undefined ? [] : lossesOf(full, on);
    if (losses.length === 0) return [];
    const lacking = [...new Set(operationsOf(full))].filter((operation) => missing.includes(operation)).join(', ');
    return [check('capabilities', 'warning', `${full.kind}: ${losses.join('; ')} (not served: ${lacking})`)];
  });
  const message = `${missing.length} of the ${used.size} operations beyond the API document that Trueup uses are missing`;
  const remedy = 'A newer version of the platform may have them. The page of each kind says what needs them.';
  return [check('capabilities', 'warning', `${message}${lackingKinds(kinds, contract)}`, remedy), ...costs];
}

function lackingKinds(kinds: readonly Kind[], contract: Contract): string {
  const there = new Set(kindsThere(kinds, contract).map(({ kind }) => kind));
  const gone = new Set(kinds.flatMap(({ kind, section }) => (there.has(kind) ? [] : [section])));
  return gone.size === 0 ? '' : `; without these sections: ${[...gone].join(', ')}`;
}

function profileCheck(caller: Row, { contract }: ReadClient): Check {
  const { message, remedy } = compareWords(caller, contract);
  return check('profile', remedy === undefined ? 'good' : 'bad', message, remedy);
}

/** Tries one batch, of two reads; one of them is sent alone too. */
async function bulkOf(client: PlatformInput['client']): Promise<Check> {
  const name = 'bulk reads';
  const { profile, hasBatches } = client.contract;
  if (hasBatches !== true)
    return check(name, 'good', `none: platforms of the profile ${profile} have no path for them`);
  if (client.bulkStatus() === undefined) return check(name, 'good', 'none: switched off by an option');
  const options = { inBulk: true, isDiagnostic: true };
  await Promise.all(
    (['user.haveRootAccess', 'user.get'] as const).map((operation) =>
      client.invoke(operation, {}, options).catch(asFailure),
    ),
  );
  const status = client.bulkStatus();
  if (status?.is === 'on') {
    return check(name, 'good', 'many reads go in one request: the platform answered a batch as single reads');
  }
  const why = status?.is === 'off' ? status.why : 'the platform gave a batch no answer that can be compared';
  const remedy = 'Nothing has to be done: each object is read by itself. A proxy may change or block /api/trpc.';
  return check(name, 'warning', `none: ${why}`, remedy);
}

/** A deployment, a lock and a key that expires go by the clock. The header Date has seconds. */
function clockOf({ client, clock }: PlatformInput): Check {
  const there = client.platformTime();
  if (there === undefined) return check('clock', 'unknown', 'the answers of the platform have no date');
  const seconds = Math.round((clock.wall() - there) / 1_000);
  if (Math.abs(seconds) <= 60) return check('clock', 'good', 'this machine and the platform agree, to the minute');
  const message = `the clock of this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} that of the platform`;
  return check('clock', 'warning', message, 'Set both clocks, best by NTP.');
}

/** Examines a state: whether it can be read with its key, and who holds its lock. Writes nothing. */
export async function examineState(
  open: () => StateStore,
): Promise<{ readonly checks: readonly Check[]; readonly state: State | undefined }> {
  let store: StateStore | undefined;
  try {
    store = open();
    const state = await store.read();
    const holder = await store.holder();
    const where = `${store.location}, with ${store.keyName}`;
    const message =
      state === undefined ? `none yet: an apply begins it (${store.location})` : `version ${state.serial} (${where})`;
    return {
      state,
      checks: [check('state', 'good', message), ...(holder === undefined ? [] : [locked(holder)])],
    };
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const checks = error.diagnostics.map(({ message, remedy }) => check('state', 'bad', message, remedy));
    return { state: undefined, checks };
  } finally {
    await store?.close();
  }
}

function locked({ owner, purpose }: Holder): Check {
  const message = `${owner} holds the lock, for ${purpose}`;
  const remedy = 'Wait until that run ends. If it does not exist any more: trueup state unlock.';
  return check('state', 'warning', message, remedy);
}

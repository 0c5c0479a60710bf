import { expect } from 'vitest';
import type { Send, WireRequest } from '../../src/api/wire.ts';
import { createEmulator } from '../../src/emulator/emulator.ts';
import type { World as Tables } from '../../src/emulator/world.ts';
import { seedWorld } from '../../src/emulator/world.ts';
import type { Row } from '../../src/formats/json.ts';
import type { Plan } from '../../src/plan/action.ts';
import { readNarrowing } from '../../src/plan/narrow.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { session } from '../../src/workflow/session.ts';
import type { State, StateStore } from '../../src/state/state.ts';
import type { Host } from '../../src/state/host.ts';
import { thisHost } from '../../src/state/host.ts';
import type { DeploymentWatch } from './deployment-watch.ts';
import { watchDeployments } from './deployment-watch.ts';
import { actionsOf, answered, connection, failed, operationOf, platformOver, worldOver } from './faults.ts';
import type { Bench } from './world.ts';
import { testBulk } from './profile.ts';
import { selfMovingClock } from './virtual-clock.ts';
import { bench } from './world.ts';

/** Runs that end or fail at one of their requests, and the world that comes of them. */

/** A platform and its state, to begin from again and again. */
export interface Start {
  readonly tables: Tables;
  readonly state: State | undefined;
  /** The wall time of that moment: deployments that come later are the newer ones. Milliseconds since 1970. */
  readonly at?: number;
  /** Operations that the platform lacks; by default the one that would change a certificate in place. */
  readonly lacks?: readonly string[];
}

/** A platform as a person would have set it up, and no state. */
export const nothing: Start = { tables: seedWorld(), state: undefined };

/** A bench whose platform somebody watches. */
export interface Watched extends Bench {
  readonly watch: DeploymentWatch;
}

/** A platform and a state of their own, as they were at the start; what runs there is what was written. */
export function begin({ tables, state, at, lacks = ['certificates.update'] }: Start): Watched {
  const clock = selfMovingClock(at);
  const emulator = createEmulator({
    world: structuredClone(tables),
    lacks,
    batches: testBulk,
    now: () => new Date(clock.wall()),
  });
  const watch = watchDeployments(emulator);
  const made = bench({ emulator, clock, lacks });
  made.store.state = structuredClone(state);
  return { ...made, watch };
}

/** Ids of services that do not run with what was written to them, of those that a run can deploy. */
export function undeployed({ watch, emulator }: Watched): string[] {
  const { application } = emulator.world.tables;
  return watch.stale().filter((id) => {
    return application[id] === undefined || application[id].sourceType === 'docker';
  });
}

/** How often the service was told to deploy that was told so most often. */
export function mostOrders({ watch }: Watched): number {
  return Math.max(0, ...watch.orders().values());
}

/** What undisturbed runs of some manifests, one after the other, lead to. */
export async function startAfter(...texts: readonly string[]): Promise<Start> {
  const made = begin(nothing);
  for (const text of texts) expect(await run(made, text, { adoption: true })).toEqual([]);
  return { tables: made.emulator.world, state: made.store.state, at: made.clock.wall() + 1 };
}

/** One run; gives what of it did not succeed. Only a first one may take over what is there already. */
export async function run(
  made: Bench,
  text: string,
  options: { store?: StateStore; send?: Send; adoption?: boolean; host?: Host; replace?: readonly string[] } = {},
): Promise<string[]> {
  const { store = made.store, send = made.emulator.send, adoption = false, replace = [] } = options;
  const permissions = { dataLoss: true, adoption, massDeletion: true };
  const platform = platformOver(made, send, store, options.host);
  const at = { purpose: 'apply', clock: made.clock };
  const { outcomes } = await session(await made.manifest(text), platform, at, async (open) =>
    open.apply(await open.plan({ narrowing: readNarrowing({ replace }) }), permissions),
  );
  return outcomes
    .filter((outcome) => outcome.result !== 'done')
    .map(({ action, result }) => `${result} ${action.address}`);
}

/** Runs twice more at most (or as often as is said), and gives the plan that is left, which changes nothing. */
export async function goOn(
  made: Bench,
  text: string,
  options: { store?: () => StateStore; send?: Send; runs?: number } = {},
): Promise<Plan> {
  const { store = () => made.store, send = made.emulator.send, runs = 2 } = options;
  let failures = await run(made, text, { store: store(), send });
  for (let again = 1; again < runs && failures.length > 0; again++)
    failures = await run(made, text, { store: store(), send });
  expect(failures).toEqual([]);
  const left = await plan(await made.manifest(text), worldOver(made, send, store()));
  expect(actionsOf(left)).toEqual([]);
  return left;
}

/** How many POSTs the platform got. */
export function postsTo({ emulator }: Bench): number {
  return emulator.log.filter((request) => request.method === 'POST').length;
}

const kept = [
  'project' as const,
  ...(['environment', 'application', 'postgres', 'compose', 'domain', 'mount', 'backup', 'volumeBackup'] as const),
  ...(['sshKey', 'certificate', 'ai', 'gitProvider', 'github', 'gitlab', 'bitbucket', 'gitea', 'member'] as const),
];
const byChance = ['appName', 'createdAt', 'refreshToken', 'accessToken', 'uniqueConfigKey', 'accessedServices'];

/** Everything that is on the platform, without what chance decides. */
export function worldOf({ emulator }: Bench): string[] {
  const all = kept.flatMap((table) =>
    Object.entries(emulator.world.tables[table] as Record<string, Row>).map(([id, row]) => ({ table, id, row })),
  );
  const isChance = (name: string, value: unknown) =>
    byChance.includes(name) || (name === 'certificatePath' && String(value).startsWith('certificate-'));
  const named = all.map(({ table, row }) =>
    JSON.stringify([table, ...Object.entries(row).filter(([name, value]) => !isChance(name, value) && value !== null)]),
  );
  const labels = all
    .flatMap(({ table, id, row }) => {
      const label = [table, row.name, row.publicKey, row.certificateData].filter(Boolean).join(' ');
      return [[id, label] as const, ...(typeof row.appName === 'string' ? [[row.appName, label] as const] : [])];
    })
    .filter(([id]) => id.length > 12); // the others are those of the platform that all worlds begin with
  return named.map((text) => labels.reduce((result, [name, label]) => result.replaceAll(name, label), text)).toSorted();
}

/** A platform that does something else with one of the POSTs. */
export function faultAt(made: Bench, at: number, fault: Fault): { send: Send; hit: () => string } {
  let posts = 0;
  let hit = 'none';
  const send: Send = async (request) => {
    if (request.method !== 'POST' || ++posts !== at) return made.emulator.send(request);
    hit = operationOf(request);
    return fault(made.emulator.send, request);
  };
  return { send, hit: () => hit };
}

/** Something else than carrying out a request and answering it. */
export type Fault = (send: Send, request: WireRequest) => ReturnType<Send>;

export const lost: Fault = (send, request) => send(request).then(() => Promise.reject(connection('ECONNRESET')));
export const failedAfter: Fault = (send, request) => send(request).then(() => failed('commit, then fail'));
export const emptied: Fault = (send, request) => send(request).then(() => answered(''));
export const failedBefore: Fault = () => Promise.resolve(failed('disk full'));
export const refused: Fault = () => Promise.reject(connection('ECONNREFUSED'));
export const ignored: Fault = () => Promise.resolve(answered(''));

/** Where a process ends: at its n-th GET; at its n-th POST, before or after that is carried out; when it saves its n-th record. */
export interface Death {
  readonly at: number;
  readonly where: 'before the GET' | 'before the POST' | 'after the POST' | 'before the save' | 'after the save';
}

/** The process of a run that ends: its number is beyond those of any machine, so that for all others it is no more. */
const deadHost: Host = { ...thisHost(), pid: 2 ** 30 };

/**
 * A run whose process ends somewhere: nothing more is sent, and nothing more is saved. False when it was over before.
 */
export async function killedRun(
  made: Bench,
  text: string,
  { at, where }: Death,
  {
    store = made.store,
    watch = (send) => send,
    replace = [],
  }: { readonly store?: StateStore; readonly watch?: (send: Send) => Send; readonly replace?: readonly string[] } = {},
): Promise<boolean> {
  let gets = 0;
  let posts = 0;
  let saves = 0;
  let isDead = false;
  const never = new Promise<never>(() => undefined);
  let die = () => undefined as void;
  const death = new Promise<'killed'>((resolve) => {
    die = () => resolve('killed');
  });
  // What was sent before is carried out before anybody looks.
  const underway = new Set<Promise<unknown>>();
  const end = () => {
    isDead = true;
    void Promise.allSettled(underway).then(die);
    return never;
  };
  const send: Send = async (request) => {
    if (isDead) return never;
    if (request.method === 'GET' && where === 'before the GET' && ++gets === at) return end();
    if (request.method !== 'POST' || ++posts !== at || !where.endsWith('POST')) {
      const answer = made.emulator.send(request);
      underway.add(answer);
      return answer;
    }
    if (where === 'after the POST') await made.emulator.send(request);
    return end();
  };
  const dying: StateStore = {
    ...store,
    append: async (base, ...entry) => {
      if (isDead) return never;
      const isLast = where.endsWith('save') && ++saves === at;
      if (isLast && where === 'before the save') return end();
      await store.append(base, ...entry);
      return isLast ? end() : undefined;
    },
    write: (state) => (isDead ? never : store.write(state)),
  };
  const finished = run(made, text, { store: dying, send: watch(send), adoption: true, host: deadHost, replace });
  const became = await Promise.race([death, finished]);
  await store.read(); // what was being written is written, as a disk does without its process
  return became === 'killed';
}

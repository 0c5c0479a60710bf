import { createClient } from '../../../src/api/client.ts';
import { extendedContracts } from '../../../src/api/contract.ts';
import type { Send, WireRequest } from '../../../src/api/wire.ts';
import type { Manifest } from '../../../src/manifest/manifest.ts';
import type { Plan } from '../../../src/plan/action.ts';
import { everything } from '../../../src/plan/narrow.ts';
import { plan } from '../../../src/workflow/make-plan.ts';
import { spoken } from '../profile.ts';
import { kinds } from '../../../src/resources/index.ts';
import type { Connecting, Platform } from '../../../src/workflow/session.ts';
import { session } from '../../../src/workflow/session.ts';
import { localStore } from '../../../src/state/backends/local.ts';
import type { Host } from '../../../src/state/host.ts';
import type { State, StateStore } from '../../../src/state/state.ts';
import { connection, notesOf, operationOf } from '../faults.ts';
import type { Files } from './memory-disk.ts';
import { memoryDisk } from './memory-disk.ts';
import type { ImagedPlatform, PlatformImage } from './platform.ts';
import { platformFrom } from './platform.ts';
import { createChance } from '../../../src/emulator/faults/chance.ts';
import type { VirtualTime } from '../../../src/state/conformance/virtual-time.ts';
import { virtualTime } from '../../../src/state/conformance/virtual-time.ts';
import { finishIn } from '../virtual-clock.ts';
import { timersRunIn } from './timers.ts';
import { testKeys } from '../state-key.ts';

/** A machine with a disk, and a platform somewhere: one run after the other works on them. */

/** How long a request may take to land. Milliseconds. */
export const inFlightTimeoutMs = 60_000;

const folder = '/project/.trueup';

/** Everything that outlives a process. */
export interface Place {
  readonly platform: PlatformImage;
  readonly files: Files;
  /** Milliseconds since the beginning of all time. */
  readonly at: number;
  /** Requests that were sent and are not there yet. */
  readonly underway: readonly Underway[];
}

/** A request on its way. */
export interface Underway {
  readonly request: WireRequest;
  readonly sentAt: number;
  /** When it is carried out, should the process end before. */
  readonly landsAt: number;
}

/** A moment of a run at which its process may end. */
export interface Moment {
  /** What it is about to do, or what was done for it. */
  readonly what: string;
  readonly place: Place;
  /** What is about to be added to the journal. */
  readonly appended?: string;
}

/** What a process is told. */
export interface Task {
  readonly manifest: Manifest;
  readonly adoption?: boolean;
  /** Addresses that are replaced on purpose. */
  readonly replaces?: readonly string[];
  /** How many requests at a time; 1: everything takes the same time. */
  readonly connections?: number;
  /** Decides how long everything takes. */
  readonly seed?: number;
  /** The connection breaks at the n-th request that may write: before it arrives, or before its answer does. */
  readonly loses?: { readonly nth: number; readonly what: 'request' | 'answer' };
}

/** What came of a process. */
export interface Ended {
  /** What did not succeed. */
  readonly failures: readonly string[];
  /** What it said beside that. */
  readonly said: readonly string[];
  readonly place: Place;
  readonly state: State | undefined;
  /** The plan after it. */
  readonly left: Plan;
  readonly platform: ImagedPlatform;
}

/** A process begins, works until it ends, and plans once more; each of its moments is told, where `tell` is given. */
export async function runProcess(place: Place, task: Task, tell?: (moment: Moment) => void) {
  const { manifest, adoption = false, replaces = [], connections = 4, seed = 0, loses } = task;
  const time = virtualTime(place.at);
  timersRunIn(time);
  const { clock } = time;
  const platform = platformFrom(place.platform, clock.wall);
  const pace = createChance(seed);
  // Never two things at the same time: what the platform does at once is over then.
  const wait = () => clock.sleep(connections === 1 ? 1 : 1 + Math.floor(pace() * 20) + pace() / 2);
  const underway = new Set<Underway>();
  for (const late of place.underway) {
    const { request, landsAt } = late;
    if (landsAt < place.at)
      await finishIn(
        time,
        platform.send(request).then(() => clock.sleep(0.1)),
      );
    else {
      underway.add(late);
      time.at(landsAt, () => {
        underway.delete(late);
        void platform.send(request);
      });
    }
  }
  const moment = (what: string, appended?: string): void => {
    if (tell === undefined) return;
    const now = { platform: platform.image(), files: machine.files(), at: clock.monotonic() };
    tell({
      what,
      place: { ...now, underway: [...underway] },
      ...(appended === undefined ? {} : { appended }),
    });
  };
  const machine = memoryDisk(place.files, {
    now: clock.monotonic,
    step: async ({ path, appended }) => {
      if (path.includes('/lease')) return;
      moment(`before ${appended === undefined ? 'a change of' : 'an append to'} ${path}`, appended);
      await wait();
    },
  });
  const store = localStore(folder, { disk: machine.disk, clock, host: hostOf(), keys: testKeys });
  let posts = 0;
  const send: Send = async (request) => {
    if (request.method !== 'POST') {
      await wait();
      const answer = await platform.send(request);
      await wait();
      return answer;
    }
    mayWrite?.();
    const lost = (posts += 1) === loses?.nth ? loses.what : undefined;
    const sentAt = clock.monotonic();
    const sent = { request, sentAt, landsAt: sentAt };
    underway.add(sent);
    moment(`${operationOf(request)} is on its way`);
    await wait();
    underway.delete(sent);
    if (lost === 'request') throw connection('ECONNRESET');
    const answer = await platform.send(request);
    await wait();
    if (lost === 'answer') throw connection('ECONNRESET');
    moment(`the answer to ${operationOf(request)} is on its way`);
    return answer;
  };
  let mayWrite: Connecting['mayWrite'];
  const sent: Platform = {
    kinds,
    connect: (about) => {
      mayWrite = about.mayWrite;
      return Promise.resolve({ ...worldOf(time, send, store), close: store.close });
    },
  };
  const permissions = { dataLoss: true, adoption, massDeletion: true };
  const options = { purpose: 'apply', connections, clock, inFlightTimeoutMs };
  const running = session(manifest, sent, options, async (run) => {
    const made = await run.plan({ begins: { lineage: 'of-the-test' }, narrowing: { ...everything, replaces } });
    const { outcomes } = await run.apply(made, permissions);
    moment('it ends');
    return { made, outcomes };
  });
  const { made, outcomes } = await finishIn(time, running);
  // What was on its way is there before anybody looks.
  const last = Math.max(0, ...place.underway.map(({ landsAt }) => landsAt));
  await finishIn(time, clock.sleep(Math.max(0, last - clock.monotonic()) + 1));
  const left = await finishIn(
    time,
    plan(manifest, worldOf(time, platform.send, localStore(folder, { disk: machine.disk, keys: testKeys }))),
  );
  const ended: Ended = {
    failures: outcomes.flatMap(({ action, result, diagnostics }) =>
      result === 'done' ? [] : [`${result} ${action.address}: ${diagnostics.map(({ message }) => message).join('; ')}`],
    ),
    said: [...notesOf(made), ...outcomes.flatMap(({ diagnostics }) => diagnostics), ...notesOf(left)].map(
      ({ code, message }) => `${code}: ${message}`,
    ),
    place: { platform: platform.image(), files: machine.files(), at: clock.monotonic(), underway: [] },
    state: await readState(machine.files()),
    left,
    platform,
  };
  return ended;
}

/** The state in the files of a place. */
export function readState(files: Files): ReturnType<StateStore['read']> {
  return localStore(folder, { disk: memoryDisk(files, { now: () => 0 }).disk, keys: testKeys }).read();
}

let pids = 0;

function hostOf(): Host {
  const pid = ++pids;
  return { owner: `test pid ${pid}`, machine: 'this', pid, isAlive: (other) => other === pid, newId: () => `p${pid}` };
}

function worldOf({ clock }: VirtualTime, send: Send, store: StateStore) {
  const client = createClient({
    ...spoken(send, extendedContracts.standard),
    url: 'http://platform.test',
    apiKey: 'emulator-key',
    redact: (text) => text,
    sleep: clock.sleep,
    clock: clock.monotonic,
    random: () => 0.5,
  });
  return { client, store, kinds, endpoint: 'the platform', addSecret: () => undefined, redact: (text: string) => text };
}

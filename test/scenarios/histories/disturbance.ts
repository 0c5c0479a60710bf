import { createClient } from '../../../src/api/client.ts';
import type { Send, WireAnswer, WireRequest } from '../../../src/api/wire.ts';
import { createFaults } from '../../../src/emulator/faults/faults.ts';
import type { Connection } from '../../../src/workflow/connection.ts';
import type { StateStore } from '../../../src/state/state.ts';
import { answered, connection, operationOf } from '../../support/faults.ts';
import { batchFaults } from '../../support/bulk.ts';
import { spoken, testBulk } from '../../support/profile.ts';
import { actMeanwhile } from './by-hand.ts';
import type { StepThat } from './history.ts';
import type { Run } from './run.ts';

type Faults = StepThat<'apply'>['faults'];
type Meanwhile = StepThat<'apply'>['meanwhile'];

/** A world in which something goes wrong. */
export interface Disturbed {
  readonly world: Connection;
  /** How often something went wrong. */
  readonly hits: () => number;
  /** Resolves when the process has ended in the middle; it never does otherwise. */
  readonly death: Promise<'killed'>;
}

/** Makes things go wrong at POSTs of a run, or at the saving of its records, and people act between its requests. */
export function disturb(
  run: Run,
  { faults, meanwhile }: { readonly faults: Faults; readonly meanwhile: Meanwhile },
): Disturbed {
  const { made } = run;
  const count = { requests: 0, posts: 0, saves: 0, hits: 0 };
  const is = { dead: false, blind: false, cut: false };
  const never = new Promise<never>(() => undefined);
  let die = () => undefined as void;
  const death = new Promise<'killed'>((resolve) => {
    die = () => resolve('killed');
  });
  const hit = (how: string): void => {
    count.hits++;
    run.happened.add(`fault: ${how}`);
  };
  // What was sent before the process ends is carried out before anybody looks.
  const underway = new Set<Promise<unknown>>();
  const onItsWay = <T>(answer: Promise<T>): Promise<T> => {
    underway.add(answer);
    void Promise.allSettled([answer]).then(() => underway.delete(answer));
    return answer;
  };
  const end = (): Promise<never> => {
    is.dead = true;
    void Promise.allSettled(underway).then(die);
    return never;
  };
  // While somebody acts, nothing else happens: it is sure then who did what.
  let turn: Promise<void> = Promise.resolve();
  const enter = async (): Promise<() => void> => {
    const at = count.requests++;
    const acts = meanwhile.filter(({ before }) => before === at);
    if (acts.length > 0) {
      const isFirst = at === 0;
      run.happened.add(isFirst ? 'by hand before a run' : 'by hand in a run');
      turn = turn.then(async () => {
        await Promise.allSettled(underway);
        for (const one of acts) await actMeanwhile(run, one, { isFirst });
      });
    }
    for (let last; last !== turn;) {
      last = turn;
      await last;
    }
    let leave = () => undefined as void;
    void onItsWay(new Promise<void>((resolve) => (leave = resolve)));
    return leave;
  };
  const send: Send = async (request) => {
    if (is.dead) return never;
    const leave = await enter();
    try {
      return sendNow(request);
    } finally {
      leave();
    }
  };
  // With bulk reads their batches fail too, and nothing else may come of that.
  const seed = JSON.stringify([faults, meanwhile]).length;
  const read = testBulk ? createFaults(made.emulator, batchFaults(seed)).send : made.emulator.send;
  const sendNow: Send = async (request) => {
    if (is.dead) return never;
    const isPost = request.method === 'POST';
    if (operationOf(request).startsWith('trpc/')) run.happened.add('bulk reads');
    if (is.cut || (is.blind && !isPost)) throw connection('ECONNRESET');
    const at = isPost ? count.posts++ : -1;
    const fault = faults.find((one) => one.at === at && one.how !== 'killed saving');
    if (fault === undefined) return onItsWay((isPost ? made.emulator.send : read)(request));
    hit(fault.how);
    if (fault.how === 'late' || fault.how === 'killed late')
      run.underway.set(request, carryOutLate(run, request, fault.ms));
    if (fault.how === 'killed late' || fault.how === 'killed before') return end();
    if (fault.how === 'late' || fault.how === 'before') throw connection('ECONNRESET');
    if (fault.how === 'refused') throw connection('ECONNREFUSED');
    const answer = await onItsWay(made.emulator.send(request));
    return afterwards(fault.how, answer);
  };
  const afterwards = (how: Faults[number]['how'], answer: WireAnswer): WireAnswer | Promise<never> => {
    if (how === 'killed') return end();
    if (how === 'after') throw connection('ECONNRESET');
    if (how === '500 after') return answered('{"message":"commit then fail"}', 500);
    // From here on nothing can be read, or nothing gets through at all.
    if (how === 'blind') is.blind = true;
    if (how === 'dead') is.cut = true;
    return answer;
  };
  const store: StateStore = {
    ...made.store,
    append: async (base, ...entry) => {
      if (is.dead) return never;
      const at = count.saves++;
      if (faults.some((one) => one.how === 'killed saving' && one.at === at)) {
        hit('killed saving');
        return end();
      }
      return made.store.append(base, ...entry);
    },
    write: (state) => (is.dead ? never : made.store.write(state)),
  };
  return { world: worldOf(run, send, store), hits: () => count.hits, death };
}

/** A world without any trouble. */
export function calm(run: Run): Connection {
  return worldOf(run, run.made.emulator.send, run.made.store);
}

function worldOf({ made }: Run, send: Send, store: StateStore): Connection {
  const client = createClient({
    ...spoken(send, made.world().client.contract),
    url: 'emulator:',
    apiKey: 'emulator-key',
    redact: made.redact,
    sleep: () => Promise.resolve(),
  });
  return { ...made.world(), client, store };
}

/** Carries out a request some time after its connection failed. */
async function carryOutLate(run: Run, request: WireRequest, ms: number): Promise<void> {
  const { emulator, clock } = run.made;
  await clock.sleep(ms);
  await emulator.send(request);
  const entry = emulator.log.findLast(({ operation }) => operation === operationOf(request));
  if (entry !== undefined) run.late.add(entry);
  run.underway.delete(request);
}

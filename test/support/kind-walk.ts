import { expect, test } from 'vitest';
import { Stop } from '../../src/diagnostics/diagnostic.ts';
import type { Outcome } from '../../src/apply/job.ts';
import type { Kind } from '../../src/kind/kind.ts';
import type { Action, Plan } from '../../src/plan/action.ts';
import type { Permissions } from '../../src/plan/safeguard.ts';
import { applyPlan } from '../../src/workflow/apply-plan.ts';
import { benchAfter } from './kind-world.ts';
import type { Stand } from './kind-manifests.ts';
import { canBeCopied, copyOf, manifestOf, markOf } from './kind-manifests.ts';
import type { Bench } from './world.ts';

/**
 * Stands of one kind that are tried together on one platform: a plan and an apply are made of all of them at a time, and each
 * sees its own part. Most of the cost of a plan does not depend on how many objects it has.
 */

/** A stand while it is tried. All of its walkers wait for each other before each plan. */
export interface Walker {
  readonly stand: Stand;
  readonly made: Bench;
  /** Makes a plan of its manifest; gives the part of it that is about this stand. @throws {Stop} with what is about it. */
  plan(text: string): Promise<Plan>;
  /** Plans and applies what needs no permission but for the data that is lost, and for what cannot be created. @throws as `plan` does. */
  apply(text: string): Promise<Walked>;
  /** The same in a session, with these permissions. @throws as `plan` does. */
  session(text: string, permissions?: Partial<Permissions>): Promise<Walked>;
  /** The operations that wrote to its objects since the last call. */
  posts(): string[];
  /** The part of the state that is about it. */
  records(): string;
  /** Removes its own object from the state. */
  forget(address: string): void;
  /** Does one after the other what others of them do too. */
  inTurn(work: () => Promise<unknown>): Promise<void>;
  /** The ids that are those of its objects. */
  own(ids: readonly string[]): string[];
}

/** The part of an apply that is about one stand. */
interface Walked {
  readonly actions: readonly Action[];
  readonly outcomes: readonly Outcome[];
  readonly posts: readonly string[];
  /** Whether an apply of all of them, without a change, wrote to the state: to any record, or to what is not in records. */
  readonly wroteAnyway: boolean;
}

/** Applies a manifest to a platform of a kind, for what tests begin with. */
export type Begin = (made: Bench, text: string) => Promise<unknown>;

/** One of the stands that are tried together, with the manifests that were applied before, one after the other. */
interface Member {
  readonly stand: Stand;
  readonly begun: readonly string[];
}

/** A test of one stand. */
type Question = (walker: Walker) => Promise<void>;

const marks = /-c\d{3}/;

/** Gathers the stands of each kind while a file declares its tests. */
export function createCompanies(begin: Begin) {
  const companies = new Map<string, Company>();
  const kinds = new Map<Kind, number>();
  let singles = 0;
  return {
    /** Adds a stand to those of its kind that are tried for one purpose. `begunWith` gives its manifests, of the copy of it that is tried. */
    join(purpose: string, original: Stand, begunWith: (stand: Stand) => readonly string[]) {
      if (!kinds.has(original.kind)) kinds.set(original.kind, kinds.size);
      const isAlone = !canBeCopied(original);
      const name = isAlone ? `alone ${singles++}` : `${purpose} ${kinds.get(original.kind)}`;
      const company = companies.get(name) ?? createCompany(begin);
      companies.set(name, company);
      const stand = isAlone ? original : copyOf(original, markOf(company.members.length));
      const member = { stand, begun: begunWith(stand) };
      company.members.push(member);
      return {
        stand,
        /** Declares a test: the question is put to all stands at once that it is declared for. */
        ask: (name: string, title: string, from: 'nothing' | 'begun', question: Question): void => {
          const answers = company.declare(`${from} ${name}`, member, question);
          test(title, async () => {
            expect(await answers().get(member)).toBe('answered');
          });
        },
      };
    },
  };
}

type Company = ReturnType<typeof createCompany>;

function createCompany(begin: Begin) {
  const members: Member[] = [];
  const questions = new Map<string, Map<Member, Question>>();
  const walks = new Map<string, ReadonlyMap<Member, Promise<'answered'>>>();
  return {
    members,
    /** Adds a stand to those that a question is put to; gives what comes of it for each of them. */
    declare(name: string, member: Member, question: Question) {
      const asked = questions.get(name) ?? new Map<Member, Question>();
      questions.set(name, asked.set(member, question));
      return (): ReadonlyMap<Member, Promise<'answered'>> => {
        const walk = walks.get(name) ?? walkTogether(asked, name.startsWith('begun') ? members : [], begin);
        walks.set(name, walk);
        return walk;
      };
    },
  };
}

/** A plan that a walker waits for. */
interface Request {
  readonly walker: Walker;
  readonly text: string;
  readonly how: 'plan' | 'apply' | Partial<Permissions>;
  readonly settle: (answer: Answer) => void;
}

type Answer = { readonly plan: Plan } | { readonly walked: Walked } | { readonly error: unknown };

/** Puts a question to stands that share a platform. `begun`: those that are on it before. */
function walkTogether(
  asked: ReadonlyMap<Member, Question>,
  begun: readonly Member[],
  begin: Begin,
): ReadonlyMap<Member, Promise<'answered'>> {
  const [first] = asked.keys();
  if (first === undefined) throw new Error('the question has no stand');
  /** What is declared of each stand. */
  const texts = new Map<Member, string>();
  const layers = first.begun.map((_, layer) => manifestOf(begun.map((member) => member.begun[layer] ?? '')));
  const bench = benchAfter(begun.length === 0 ? [] : layers, begin, first.stand.documentedOnly);
  for (const member of begun) texts.set(member, member.begun.at(-1) ?? '');
  const walkers: Walker[] = [];
  let waiting: Request[] = [];
  let busy = asked.size;

  /** Once all wait, those who want the same get it. Whoever only plans goes first, and then waits with the others. */
  async function rest(made: Bench): Promise<void> {
    busy -= 1;
    const [next] = waiting.toSorted((a, b) => Number(b.how === 'plan') - Number(a.how === 'plan'));
    if (busy > 0 || next === undefined) return;
    const how = JSON.stringify(next.how);
    const served = waiting.filter((one) => JSON.stringify(one.how) === how);
    waiting = waiting.filter((one) => !served.includes(one));
    const answers = await serve(made, served);
    busy += served.length;
    for (const [{ settle }, answer] of answers) settle(answer);
  }

  /** Answers requests together; those who are refused alone. */
  async function serve(made: Bench, requests: readonly Request[]): Promise<[Request, Answer][]> {
    try {
      const done = await perform(made, requests);
      return requests.map((request) => [request, done(request.walker)]);
    } catch (error) {
      const [request] = requests;
      if (request === undefined || requests.length === 1)
        return requests.map((one) => [one, { error: error instanceof Stop ? partOf(error, one.walker) : error }]);
      const isRefused = ({ walker }: Request) => error instanceof Stop && partOf(error, walker).diagnostics.length > 0;
      const refused = requests.filter(isRefused);
      const others = requests.filter((one) => !isRefused(one));
      if (refused.length > 0 && others.length > 0)
        return [...(await serve(made, refused)), ...(await serve(made, others))];
      if (refused.length > 0 && error instanceof Stop)
        return requests.map((one) => [one, { error: partOf(error, one.walker) }]);
      // No diagnostic names a stand: the refused one is found by planning it alone.
      return [...(await serve(made, [request])), ...(await serve(made, requests.slice(1)))];
    }
  }

  function partOf(error: Stop, walker: Walker): Stop {
    const about = error.diagnostics.filter(({ address = '', message, details = [] }) =>
      isOf(walker.stand, [address, message, ...details].join(' ')),
    );
    return new Stop(error.failure, about, { cause: error });
  }

  async function perform(made: Bench, requests: readonly Request[]): Promise<(walker: Walker) => Answer> {
    const [{ how }] = requests as [Request];
    const chosen = new Map(requests.map(({ walker, text }) => [walker.stand, text]));
    const others = [...texts].filter(([{ stand }]) => !chosen.has(stand)).map(([, text]) => text);
    const text = manifestOf([...chosen.values(), ...others]);
    const start = made.emulator.log.length;
    const before = JSON.stringify(made.store.state);
    const planned = typeof how === 'object' ? undefined : await made.plan(text);
    if (planned !== undefined) expectOthersAsBefore(planned.actions, requests);
    if (planned !== undefined && how === 'plan')
      return ({ stand }) => ({ plan: { ...planned, actions: planned.actions.filter(isAbout(stand)) } });
    const { outcomes } = await (planned === undefined
      ? made.apply(text, { ...many, ...(how as Partial<Permissions>) })
      : carryOut(made, planned));
    const actions = outcomes.map(({ action }) => action);
    expectOthersAsBefore(actions, requests);
    const isNothing = (planned?.actions ?? actions).every(({ action }) => action === 'no-op');
    const wroteAnyway = isNothing && JSON.stringify(made.store.state) !== before;
    for (const member of asked.keys()) {
      const own = chosen.get(member.stand);
      if (own !== undefined) texts.set(member, own);
    }
    for (const { walker } of requests) noteIds(made, walker);
    return (walker) => ({
      walked: {
        actions: (planned?.actions ?? actions).filter(isAbout(walker.stand)),
        outcomes: outcomes.filter(({ action }) => isAbout(walker.stand)(action)),
        posts: postsOf(made, walker, { start, walkers }),
        wroteAnyway,
      },
    });
  }

  return new Map(
    [...asked].map(([member, question]) => {
      const answer = bench.then(async (made): Promise<'answered'> => {
        const walker = walkerOn(made, member, walkers, (text, how) => {
          const answered = new Promise<Answer>((settle) => waiting.push({ walker, text, how, settle }));
          void rest(made);
          return answered;
        });
        walkers.push(walker);
        await question(walker).finally(() => void rest(made));
        return 'answered';
      });
      answer.catch(() => undefined); // its test reports it
      return [member, answer];
    }),
  );
}

/** Many stands are tried at a time. */
const many = { massDeletion: true, massRecreation: true };

/** Applies a plan that needs no permission but for the data that is lost, and for what cannot be created. */
export function carryOut(made: Bench, planned: Plan) {
  const adoption = planned.actions.some((action) => action.kind.operations.create === undefined);
  const permissions = { ...many, dataLoss: true, adoption };
  return applyPlan(planned, made.world(), { permissions, connections: 4, clock: made.clock });
}

/** The last work on each platform that others wait for. */
const turns = new WeakMap<Bench, Promise<void>>();

/** The ids that the objects of each walker have or had. */
const idsOf = new WeakMap<Walker, Set<string>>();

function noteIds({ store }: Bench, walker: Walker): void {
  const ids = idsOf.get(walker) ?? new Set();
  for (const [address, { id }] of Object.entries(store.state?.resources ?? {}))
    if (isOf(walker.stand, address) && typeof id === 'string') ids.add(id);
  idsOf.set(walker, ids);
}

function walkerOn(
  made: Bench,
  { stand }: Member,
  walkers: readonly Walker[],
  request: (text: string, how: Request['how']) => Promise<Answer>,
): Walker {
  let seen = made.emulator.log.length;
  const walked = async (text: string, how: Request['how']): Promise<Walked> => {
    const answer = await request(text, how);
    if ('walked' in answer) return answer.walked;
    throw 'error' in answer ? answer.error : new Error('it was only planned');
  };
  const walker: Walker = {
    stand,
    made,
    plan: async (text) => {
      const answer = await request(text, 'plan');
      if ('plan' in answer) return answer.plan;
      throw 'error' in answer ? answer.error : new Error('it was applied');
    },
    apply: (text) => walked(text, 'apply'),
    session: (text, permissions = {}) => walked(text, permissions),
    posts: () => {
      const start = seen;
      seen = made.emulator.log.length;
      return postsOf(made, walker, { start, walkers });
    },
    records: () => {
      const { resources, deployments, ...about } = made.store.state ?? { resources: {}, deployments: {} };
      const own = [resources, deployments ?? {}].map((all) =>
        Object.fromEntries(Object.entries(all).filter(([address]) => isOf(stand, address))),
      );
      return JSON.stringify(stand.mark === undefined ? [...own, about] : own);
    },
    forget: (address) => {
      const { state } = made.store;
      if (state === undefined) return;
      const { [address]: _, ...resources } = state.resources;
      made.store.state = { ...state, resources };
    },
    inTurn: async (work) => {
      const before = turns.get(made);
      const turn = (async () => {
        await before?.catch(() => undefined); // its test reports it
        await work();
      })();
      turns.set(made, turn);
      return turn;
    },
    own: (ids) => {
      noteIds(made, walker);
      return ids.filter((id) => stand.mark === undefined || idsOf.get(walker)?.has(id) === true);
    },
  };
  noteIds(made, walker);
  return walker;
}

/** Whether a text names the mark of a stand; alone on its platform everything is its own. */
function isOf({ mark }: Stand, text: string): boolean {
  return mark === undefined || text.includes(mark);
}

/** Actions that are about a stand, or about what all of them stand in. */
function isAbout(stand: Stand): (action: Action) => boolean {
  return ({ address }) => isOf(stand, address) || !marks.test(address);
}

/** Checks that a plan changes no stand that asked for no change. */
function expectOthersAsBefore(actions: readonly Action[], requests: readonly Request[]): void {
  const stray = actions.filter(
    ({ action, address }) =>
      action !== 'no-op' && marks.test(address) && !requests.some(({ walker }) => isOf(walker.stand, address)),
  );
  expect(stray.map(({ action, address }) => `${action} ${address}`)).toEqual([]);
}

/** The operations that wrote to the objects of a walker; one that names no walker counts for all of them. */
function postsOf(
  { emulator }: Bench,
  walker: Walker,
  { start, walkers }: { readonly start: number; readonly walkers: readonly Walker[] },
): string[] {
  return emulator.log.slice(start).flatMap(({ method, operation, input }) => {
    if (method !== 'POST') return [];
    const text = JSON.stringify(input);
    const isNamed = (one: Walker): boolean =>
      isOf(one.stand, text) || [...(idsOf.get(one) ?? [])].some((id) => text.includes(id));
    return isNamed(walker) || !walkers.some(isNamed) ? [operation] : [];
  });
}

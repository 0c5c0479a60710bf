import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type WaveStack, decide } from '../../../src/controller/waves/decide.ts';
import { type WaveSettings, stepsOf, waveOf } from '../../../src/controller/waves/steps.ts';
import { type Happening, type Plan, type Saying, ending, histories, modelOf } from './model.ts';

/** What a wave lets happen, beside a model; and which stacks its steps have. */

interface Run {
  readonly kind: 'apply' | 'look' | 'plan';
  readonly stack: number;
  endedAt: number | undefined;
  isGood: boolean | undefined;
}

/** A wave over a list of runs. */
function listed({ steps, healthyMinutes }: Plan) {
  let now = 0;
  let runs: Run[] = [];
  let wave = { step: 0, isStopped: false, resumedAt: undefined as number | undefined };
  let isHeld = false;
  const places = [...steps];
  const inStep = new Set<number>();
  const leftOut = new Map<number, 'gone' | 'never'>();
  const stackOf = (step: number, at: number): WaveStack => {
    const own = runs.filter(({ stack }) => stack === at);
    const begun = own.findLastIndex(({ kind }) => kind === 'apply');
    const bad = own.findLastIndex(({ isGood }) => isGood === false);
    const from = begun === -1 ? own.findIndex(({ kind, isGood }) => kind === 'look' && isGood === true) : begun;
    const good = own.find(({ isGood }, index) => isGood === true && index >= from && index > bad);
    const says = own.findLast(({ isGood }) => isGood !== undefined);
    return {
      id: String(at),
      step,
      isInStep: inStep.has(at),
      hasBegun: begun !== -1,
      healthyAt: begun === -1 && bad === -1 ? 'always' : good?.endedAt,
      failed: says?.isGood === false ? { at: says.endedAt ?? 0, because: 'it failed' } : undefined,
      leftOut: leftOut.get(at),
    };
  };
  const look = () => {
    const decision = decide(
      { ...wave, steps: Math.max(...steps) + 1, healthyMinutes },
      places.map((step, at) => stackOf(step, at)),
      now,
    );
    wave = { ...wave, step: decision.step, isStopped: decision.is === 'stopped' };
    return decision;
  };
  const happens = (what: Happening): void => {
    now += 0.001; // no two moments are the same
    if (what.is === 'minutes') now += what.minutes * 60_000;
    if (what.is === 'commit') {
      const isKept = (at: number): boolean => what.kept.includes(at) && leftOut.get(at) !== 'gone';
      const changed = steps.flatMap((_, at) => (isKept(at) ? [] : [at]));
      leftOut.clear();
      isHeld &&= changed.length < steps.length;
      if (changed.length > 0) {
        for (const [at, step] of steps.entries())
          places[at] = changed.includes(at) ? step : (places[at] ?? 0) <= wave.step ? 0 : step;
        wave = { ...wave, step: 0, isStopped: isHeld };
      }
      runs = runs.filter(({ stack }) => !changed.includes(stack));
      for (const at of changed) inStep.delete(at);
    }
    if (what.is === 'stop') [wave.isStopped, isHeld] = [true, true];
    if (what.is === 'resume') isHeld = false;
    if (what.is === 'resume') wave = { ...wave, isStopped: false, resumedAt: now };
    if (what.is === 'begin') {
      runs.push({ kind: 'apply', stack: what.at, endedAt: undefined, isGood: undefined });
      inStep.delete(what.at);
    }
    if (what.is === 'end') {
      const run = runs.findLast(({ kind, stack }) => kind === 'apply' && stack === what.at);
      if (run !== undefined)
        Object.assign(run, { endedAt: now, isGood: what.as === 'lost' ? undefined : what.as === 'done' });
      if (what.as === 'done') inStep.add(what.at);
    }
    if (what.is === 'look' || what.is === 'plan') {
      runs.push({ kind: what.is, stack: what.at, endedAt: now, isGood: what.isGood });
      const hasBegun = runs.some(({ kind, stack }) => kind === 'apply' && stack === what.at);
      if (what.is === 'look' && what.isGood && !hasBegun) inStep.add(what.at);
    }
    if (what.is === 'leave out' && what.because === undefined) leftOut.delete(what.at);
    if (what.is === 'leave out' && what.because !== undefined) leftOut.set(what.at, what.because);
  };
  look();
  return {
    happens: (what: Happening): void => {
      happens(what);
      if (what.is !== 'pause') look();
    },
    says: (): Saying => {
      const { is, step, may } = look();
      return { is, step, may: [...may].map(Number).toSorted((a, b) => a - b) };
    },
  };
}

test('a wave lets happen what its model lets happen in 200 random histories, and comes to its end', () => {
  const seen = { open: 0, stopped: 0, done: 0 };
  const paused = Array.from({ length: 8 }, (_, at): Happening => ({ is: 'pause', at, isPaused: false }));
  fc.assert(
    fc.property(histories, ({ plan, history }) => {
      const model = modelOf(plan);
      const wave = listed(plan);
      for (const what of [...history, ...paused, ...ending]) {
        const fitting = model.fits(what);
        if (fitting === undefined) continue;
        model.happens(fitting);
        wave.happens(fitting);
        const said = wave.says();
        seen[said.is]++;
        expect(said).toEqual(model.says());
        if (said.is === 'done') return;
      }
      expect.unreachable();
    }),
    { numRuns: 200 },
  );
  expect([seen.open > 1_000, seen.stopped > 100, seen.done]).toEqual([true, true, 200]);
});

const settings = (steps: WaveSettings['steps'], labels = {}): WaveSettings => ({
  name: 'shops',
  labels,
  healthyMinutes: 10,
  steps,
});
const stacks = Array.from({ length: 41 }, (_, at) => ({
  id: `shop:${at}.yaml`,
  labels: at === 7 ? { ring: 'canary', tier: 'shop' } : { tier: at % 2 === 0 ? 'shop' : 'site' },
}));

test('each stack is in one step: those with its labels, a share of those left over, and the rest', () => {
  const steps = stepsOf(settings([{ labels: { ring: 'canary' } }, { share: 10 }, { share: 50 }, 'rest']), stacks, 'c1');
  expect(steps.map((step) => step.length)).toEqual([1, 4, 18, 18]);
  expect(steps[0]).toEqual(['shop:7.yaml']);
  expect(steps.flat().toSorted()).toEqual(stacks.map(({ id }) => id).toSorted());
});

test('a share takes one stack at least, the same ones in each process, and others with another commit', () => {
  const small = stacks.slice(0, 3);
  expect(stepsOf(settings([{ share: 1 }, 'rest']), small, 'c1').map((step) => step.length)).toEqual([1, 2]);
  const first = (commit: string, from = stacks) => stepsOf(settings([{ share: 25 }, 'rest']), from, commit)[0];
  expect(first('c1', stacks.toReversed())).toEqual(first('c1'));
  expect(first('c2')).not.toEqual(first('c1'));
});

test('what was let in already is in the first step, beside a share of the others', () => {
  const some = stacks.map((stack, at) => ({ ...stack, isLetIn: at >= 30 }));
  const [first = [], second = []] = stepsOf(settings([{ share: 10 }, 'rest']), some, 'c1');
  const letIn = some.slice(30).map(({ id }) => id);
  expect(first.filter((id) => letIn.includes(id))).toEqual(letIn);
  expect([first.length, second.length]).toEqual([11 + 3, 27]);
});

test('stacks that no step takes come last, and a step may have none', () => {
  expect(stepsOf(settings([{ labels: { ring: 'x' } }, { labels: { ring: 'canary' } }]), stacks, 'c1')).toEqual([
    [],
    ['shop:7.yaml'],
    expect.toSatisfy((rest: readonly string[]) => rest.length === 40),
  ]);
});

test('a stack belongs to the first wave whose labels it has, and a name of an object is no label', () => {
  const waves = [settings(['rest'], { tier: 'shop', ring: 'canary' }), settings(['rest'], { tier: 'shop' })];
  const found = (labels: Readonly<Record<string, string>>) => waves.indexOf(waveOf(waves, { id: 'x', labels })!);
  expect([found({ tier: 'shop', ring: 'canary' }), found({ tier: 'shop' }), found({ tier: 'site' })]).toEqual([
    0, 1, -1,
  ]);
  expect(waveOf([settings(['rest'], { constructor: 'x' })], { id: 'x', labels: {} })).toBeUndefined();
});

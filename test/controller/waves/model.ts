import fc from 'fast-check';

/** Random histories of waves, and a model that counts minutes instead of comparing moments. */

/** Something that happens in a wave; `at` picks a stack. */
export type Happening =
  | { readonly is: 'begin'; readonly at: number }
  | { readonly is: 'end'; readonly at: number; readonly as: 'done' | 'partly' | 'lost' }
  | { readonly is: 'look' | 'plan'; readonly at: number; readonly isGood: boolean }
  | { readonly is: 'leave out'; readonly at: number; readonly because: 'gone' | 'never' | undefined }
  | { readonly is: 'pause'; readonly at: number; readonly isPaused: boolean }
  | { readonly is: 'minutes'; readonly minutes: number }
  | { readonly is: 'resume' | 'stop' }
  /** `kept`: the stacks that a commit leaves as they are. */
  | { readonly is: 'commit'; readonly kept: readonly number[] };

/** What a wave says of itself. */
export interface Saying {
  readonly is: 'open' | 'stopped' | 'done';
  readonly step: number;
  /** Stacks that may begin, as numbers. */
  readonly may: readonly number[];
}

export interface Plan {
  /** The step of each stack, from 0. */
  readonly steps: readonly number[];
  readonly healthyMinutes: number;
}

const at = fc.nat(7);

const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 8, arbitrary: fc.record({ is: fc.constant('begin' as const), at }) },
  {
    weight: 8,
    arbitrary: fc.record({
      is: fc.constant('end' as const),
      at,
      as: fc.constantFrom('done', 'done', 'done', 'done', 'partly', 'lost'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      is: fc.constantFrom('look', 'plan'),
      at,
      isGood: fc.constantFrom(true, true, true, true, false),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('leave out' as const),
      at,
      because: fc.constantFrom('gone' as const, 'never' as const, undefined),
    }),
  },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('pause' as const), at, isPaused: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ is: fc.constant('minutes' as const), minutes: fc.nat(12) }) },
  { weight: 2, arbitrary: fc.record({ is: fc.constant('resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ is: fc.constant('stop' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      is: fc.constant('commit' as const),
      kept: fc.oneof(fc.constant([]), fc.uniqueArray(at, { maxLength: 8 })),
    }),
  },
);

/** Plans of one to eight stacks, and what happens to them. */
export const histories = fc.record({
  plan: fc.record({
    steps: fc.array(fc.nat(3), { minLength: 1, maxLength: 8 }),
    healthyMinutes: fc.nat(10),
  }),
  history: fc.array(happening, { minLength: 20, maxLength: 120 }),
});

/** What brings every wave to its end: people have it go on, and all that runs ends well. */
export const ending: readonly Happening[] = Array.from({ length: 5 }, (): readonly Happening[] => [
  { is: 'resume' },
  ...Array.from({ length: 8 }, (_, at): readonly Happening[] => [
    { is: 'end', at, as: 'done' },
    { is: 'plan', at, isGood: true },
    { is: 'begin', at },
    { is: 'end', at, as: 'done' },
  ]).flat(),
  { is: 'minutes', minutes: 10 },
]).flat();

interface Modelled {
  readonly step: number;
  isRunning: boolean;
  isPaused: boolean;
  hasBegun: boolean;
  isInStep: boolean;
  /** Its last run was a bad one, and people did not have the wave go on since. */
  alarms: boolean;
  isWell: boolean;
  hasFailed: boolean;
  /** Minutes without a bad run since it was brought to the commit; none was needed where nothing changed. */
  quiet: number;
  leftOut: 'gone' | 'never' | undefined;
}

/** What is promised, as a machine that every happening changes. */
export interface Model {
  /** What can happen now; undefined: nothing. An end of what does not run becomes a begin, and so on. */
  readonly fits: (happening: Happening) => Happening | undefined;
  /** Whether a begin of an apply comes to nothing, where nothing runs and something is to be applied. */
  readonly refuses: (happening: Happening) => boolean;
  readonly happens: (happening: Happening) => void;
  readonly says: () => Saying;
}

export function modelOf({ steps, healthyMinutes }: Plan): Model {
  const fresh = (step: number, isPaused: boolean): Modelled => ({
    step,
    isRunning: false,
    isPaused,
    hasBegun: false,
    isInStep: false,
    alarms: false,
    isWell: true,
    hasFailed: false,
    quiet: 0,
    leftOut: undefined,
  });
  let stacks = steps.map((step) => fresh(step, false));
  const last = Math.max(...steps);
  let open = 0;
  let isStopped = false;
  /** A person stopped it. */
  let isHeld = false;
  let isDone = false;
  const counted = () => stacks.filter(({ leftOut, step }) => leftOut === undefined && step <= open);
  /** Opens what can be opened, until something alarms. */
  const settle = (): void => {
    while (!isStopped && !isDone) {
      if (counted().some(({ alarms }) => alarms)) isStopped = true;
      else if (open === last) {
        isDone = counted().every(({ isInStep, isWell }) => isInStep && isWell);
        return;
      } else if (counted().every(({ isInStep, isWell, quiet }) => isInStep && isWell && quiet >= healthyMinutes))
        open++;
      else return;
    }
  };
  const bad = (stack: Modelled): void => {
    Object.assign(stack, { alarms: true, isWell: false, hasFailed: true, quiet: 0 });
  };
  const good = (stack: Modelled): void => {
    stack.alarms = false;
    if (!stack.isWell) Object.assign(stack, { isWell: true, quiet: 0 });
  };
  const mayBegin = (stack: Modelled) => stack.step <= open && (!isStopped || stack.hasBegun);
  const does = (what: Happening): void => {
    const stack = 'at' in what ? stacks[what.at] : undefined;
    if (what.is === 'commit') {
      const isKept = (old: Modelled, number: number) => what.kept.includes(number) && old.leftOut !== 'gone';
      const changes = !stacks.every(isKept);
      const isHandedOn = stacks.some(isKept);
      const stepOf = (old: Modelled): number => (changes && old.step <= open ? 0 : old.step);
      stacks = stacks.map((old, number) =>
        isKept(old, number)
          ? { ...old, step: stepOf(old), leftOut: undefined }
          : fresh(steps[number] ?? 0, old.isPaused),
      );
      isHeld &&= isHandedOn;
      if (changes) [open, isStopped, isDone] = [0, isHeld, false];
    }
    if (what.is === 'minutes')
      for (const one of stacks) if (one.isInStep && one.isWell && one.quiet !== Infinity) one.quiet += what.minutes;
    if (what.is === 'stop') [isStopped, isHeld] = [true, true];
    if (what.is === 'resume') {
      [isStopped, isHeld] = [false, false];
      for (const one of stacks) one.alarms = false;
    }
    if (stack === undefined) return;
    if (what.is === 'begin') Object.assign(stack, { isRunning: true, hasBegun: true, isInStep: false });
    if (what.is === 'end') {
      stack.isRunning = false;
      if (what.as === 'partly') bad(stack);
      if (what.as === 'done') {
        good(stack);
        Object.assign(stack, { isInStep: true, quiet: 0 });
      }
    }
    if (what.is === 'look' || what.is === 'plan') {
      if (!what.isGood) bad(stack);
      else {
        good(stack);
        // A look, and a plan without changes, find that nothing is to be done.
        if (what.is === 'look' && !stack.isInStep && !stack.hasBegun)
          Object.assign(stack, { isInStep: true, quiet: stack.hasFailed ? 0 : Infinity });
      }
    }
    if (what.is === 'leave out') stack.leftOut = what.because;
    if (what.is === 'pause') stack.isPaused = what.isPaused;
  };
  settle();
  return {
    fits: (what) => {
      if (!('at' in what)) {
        if ((what.is === 'resume' && !isStopped) || (what.is === 'stop' && (isStopped || isDone))) return undefined;
        return what;
      }
      const stack = stacks[what.at];
      if (stack === undefined || (isDone && what.is !== 'pause')) return undefined;
      if (what.is === 'begin') {
        const may =
          mayBegin(stack) && !stack.isRunning && !stack.isPaused && stack.leftOut === undefined && !stack.isInStep;
        return may ? what : undefined;
      }
      if (what.is === 'end') return stack.isRunning ? what : undefined;
      if (what.is === 'look' && stack.hasBegun && !stack.isInStep) return undefined;
      if (what.is === 'look' || what.is === 'plan') return stack.isRunning ? undefined : what;
      return what;
    },
    refuses: (what) => {
      const stack = what.is === 'begin' && !isDone ? stacks[what.at] : undefined;
      if (stack === undefined || stack.isRunning || stack.isInStep) return false;
      return !mayBegin(stack) || stack.isPaused || stack.leftOut !== undefined;
    },
    happens: (what) => {
      does(what);
      settle();
    },
    says: () => ({
      is: isDone ? 'done' : isStopped ? 'stopped' : 'open',
      step: open,
      may: stacks.flatMap((stack, at) => (mayBegin(stack) ? [at] : [])),
    }),
  };
}

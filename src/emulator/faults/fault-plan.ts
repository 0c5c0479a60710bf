import * as z from 'zod';

/** What a file of faults says: which requests go wrong, when, and how. Times become milliseconds, chances a share. */

const units = { ms: 1, s: 1_000, m: 60_000 } as const;
const longest = 3_600_000;

const isTime = 'takes a time such as 500ms, 2s or 1m';
const time = z
  .string({ error: isTime })
  .regex(/^\d{1,9}(\.\d{1,3})?(ms|s|m)$/, isTime)
  .transform((text) => {
    const [, amount = '', unit = ''] = /^([\d.]+)([a-z]+)$/.exec(text) ?? [];
    return Number(amount) * units[unit as keyof typeof units];
  })
  .refine((ms) => ms <= longest, 'takes 60m at most');

const isShare = 'takes a share such as 30%';
const share = z
  .string({ error: isShare })
  .regex(/^\d{1,3}(\.\d{1,6})?%$/, isShare)
  .transform((text) => Number(text.slice(0, -1)) / 100)
  .refine((part) => part <= 1, 'takes 100% at most');

const isCount = 'takes a whole number from 1';
const count = z.int({ error: isCount }).min(1, isCount).max(1_000_000_000, 'takes 1000000000 at most');

const statusOf = (least: number) => {
  const error = `takes an HTTP status from ${least} to 599`;
  return z.int({ error }).min(least, error).max(599, error);
};

/** The errors of the platform itself, which have a code. */
const codes = [400, 401, 403, 404, 409, 415, 500] as const;

const edit = {
  do: z.string({ error: 'takes an operation' }).optional(),
  with: z.record(z.string(), z.unknown(), { error: 'takes a map of members' }).optional(),
};

const drop = z.literal(true, { error: 'takes true' }).optional();

const beforeShape = {
  delay: time.optional(),
  ...edit,
  drop,
  answer: statusOf(400).optional(),
  retryAfter: time.optional(),
  page: statusOf(200).optional(),
};

const before = z
  .preprocess(expandDrop, z.strictObject(beforeShape, { error: keysOnly('takes drop, or a map of what goes wrong') }))
  .check((context) => {
    const { value } = context;
    const isOne = onlyOne(value, ['drop', 'answer', 'page']) ?? saysSomething(value) ?? editIsWhole(value);
    const alone =
      value.retryAfter !== undefined && value.answer === undefined ? 'retryAfter goes with answer' : undefined;
    complain(context, isOne ?? alone);
  });

const afterShape = {
  delay: time.optional(),
  ...edit,
  drop,
  answer: z.literal(codes, { error: `takes one of ${codes.join(', ')}` }).optional(),
  page: statusOf(200).optional(),
  cut: z.enum(['json', 'length', 'reset'], { error: 'takes json, length or reset' }).optional(),
  drip: time.optional(),
  items: z.enum(['fewer', 'more', 'shuffled', 'failed'], { error: 'takes fewer, more, shuffled or failed' }).optional(),
  hide: z
    .union([z.literal('all'), z.record(z.string(), z.unknown())], {
      error: 'takes all, or a map of what the hidden rows hold',
    })
    .optional(),
  unseen: time.optional(),
};

const after = z
  .preprocess(expandDrop, z.strictObject(afterShape, { error: keysOnly('takes drop, or a map of what goes wrong') }))
  .check((context) => {
    const { value } = context;
    complain(
      context,
      onlyOne(value, ['drop', 'answer', 'page', 'cut', 'drip', 'items']) ?? saysSomething(value) ?? editIsWhole(value),
    );
  });

const effectShape = { before: before.optional(), after: after.optional(), late: time.optional() };

const effect = z
  .strictObject(effectShape, { error: keysOnly('takes a map of before, after or late') })
  .check((context) => {
    complain(context, effectIsWhole(context.value));
  });

const numbers = z.union([count.transform((number) => [number]), z.array(count).min(1)], {
  error: `${isCount}, or a list of those`,
});

const texts = z.union([z.string().transform((text) => [text]), z.array(z.string()).min(1)], {
  error: 'takes an operation, or a list of those',
});

const rule = z
  .strictObject(
    {
      on: texts,
      at: numbers.optional(),
      every: count.optional(),
      chance: share.optional(),
      times: count.optional(),
      ...effectShape,
      oneOf: z.array(effect, { error: 'takes a list of what goes wrong' }).min(1, 'names nothing').optional(),
    },
    { error: keysOnly('takes a map of on and what goes wrong') },
  )
  .check((context) => {
    const { value } = context;
    const problem =
      value.oneOf === undefined ? effectIsWhole(value) : onlyOne(value, ['oneOf', 'before', 'after', 'late']);
    complain(context, problem ?? onlyOne(value, ['at', 'every', 'chance']));
  });

/** Reads a file of faults, as data. */
export const faultPlan = z.strictObject(
  {
    seed: z.int({ error: 'takes a whole number' }).default(1),
    faults: z.array(rule, { error: 'takes a list of faults' }).max(1_000, 'takes 1000 faults at most'),
  },
  { error: keysOnly('takes a map of seed and faults') },
);

/** Which requests go wrong, when, and how. */
export type FaultPlan = z.output<typeof faultPlan>;

/** A fault of a file: its requests, their turns, and the effects. */
export type Rule = FaultPlan['faults'][number];

/** The effect of a fault on one request: before its execution, after it, or a late execution. */
export type Effect = z.output<typeof effect>;

/** A change that another person makes meanwhile. */
export interface Edit {
  readonly do?: string | undefined;
  readonly with?: Readonly<Record<string, unknown>> | undefined;
}

/** The keys that can stand in each map of the file. */
export const keysIn = {
  file: Object.keys(faultPlan.shape),
  rule: Object.keys(rule.shape),
  alternative: Object.keys(effectShape),
  before: Object.keys(beforeShape),
  after: Object.keys(afterShape),
} as const;

function expandDrop(value: unknown): unknown {
  return value === 'drop' ? { drop: true } : value;
}

/** A message for what is no map; a key too many keeps its own. */
function keysOnly(message: string) {
  return (issue: { readonly code?: string | undefined }) => (issue.code === 'invalid_type' ? message : undefined);
}

type Given = Readonly<Record<string, unknown>>;

function given(value: Given, names: readonly string[]): string[] {
  return names.filter((name) => value[name] !== undefined);
}

function onlyOne(value: Given, names: readonly string[]): string | undefined {
  const found = given(value, names);
  return found.length > 1 ? `${found.join(' and ')} cannot stand together` : undefined;
}

function saysSomething(value: Given): string | undefined {
  return Object.keys(value).length === 0 ? 'says nothing' : undefined;
}

function editIsWhole(value: Edit): string | undefined {
  return value.with !== undefined && value.do === undefined ? 'with goes with do' : undefined;
}

function effectIsWhole(value: {
  before?: Given | undefined;
  after?: Given | undefined;
  late?: unknown;
}): string | undefined {
  if (given(value, ['before', 'after', 'late']).length === 0)
    return 'does not say what goes wrong: before, after or late';
  if (value.late !== undefined && (value.before ?? value.after) !== undefined) return 'late stands alone';
  const ending = given(value.before ?? {}, ['drop', 'answer', 'page'])[0];
  if (ending === undefined || value.after === undefined) return undefined;
  return `has an after that never comes, because before has ${ending}`;
}

function complain(context: z.core.ParsePayload<unknown>, message: string | undefined): void {
  // What is wrong with a part explains more than what is wrong with the whole.
  if (message === undefined || context.issues.length > 0) return;
  context.issues.push({ code: 'custom', message, input: context.value });
}

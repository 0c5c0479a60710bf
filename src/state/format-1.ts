import * as z from 'zod';
import { once } from '../api/once.ts';
import { defined } from '../formats/json.ts';
import type { FormerRecord } from './format-3.ts';
import type { Deploys, Pair, PendingCreate } from './record.ts';

/** A record as format 1 had it. */
export const firstRecord = once(() => {
  const key = z.record(z.string(), z.json());
  const stored = z.union([z.strictObject({ value: z.json() }), z.strictObject({ digest: z.string() })]);

  return z.strictObject({
    kind: z.string(),
    id: z.string().nullable(),
    parent: z.string().nullable(),
    dependsOn: z.array(z.string()),
    pairs: z.record(
      z.string(),
      z.strictObject({ wanted: stored, answered: stored, kept: z.literal(false).optional() }),
    ),
    options: z.record(z.string(), z.json()),
    /** A request was about to be sent: a create when it has a key or fields, or nothing is settled. */
    intent: z
      .strictObject({
        at: z.number(),
        key: key.optional(),
        below: z.string().optional(),
        sent: z.record(z.string(), stored).optional(),
        fenceMs: z.number().optional(),
      })
      .optional(),
    /** The create was sent more than once; `true`: under the key of the block. */
    repeated: z.union([z.literal(true), z.array(z.strictObject({ key, below: z.string().optional() }))]).optional(),
    deployed: z
      .strictObject({
        inputs: z.string().optional(),
        owes: z.strictObject({ code: z.literal(true).optional() }).optional(),
        saved: z.strictObject({ inputs: z.string(), newest: z.string().nullable() }).optional(),
        sent: z
          .strictObject({
            mark: z.string(),
            inputs: z.string(),
            at: z.number(),
            newest: z.string().nullable().optional(),
            isAnswered: z.literal(true).optional(),
            id: z.string().optional(),
          })
          .optional(),
      })
      .optional(),
  });
});

type FirstRecord = z.output<ReturnType<typeof firstRecord>>;

/** The in-flight timeout of a run that wrote none down. Milliseconds. */
const usualTimeoutMs = 60_000;

/** Gives a record of format 1 the form of format 2. */
export function migrateFirst(former: FirstRecord): FormerRecord {
  const { id, intent, repeated, deployed, pairs, ...rest } = former;
  const facts = {
    ...rest,
    pairs: Object.fromEntries(Object.entries(pairs).map(([part, pair]) => [part, migratePair(pair)])),
    ...defined({ duplicates: repeated === true ? [{}] : repeated, deployed: deployed && lastDeployment(deployed) }),
  };
  if (id === null) return { ...facts, id, ...defined({ pending: intent && creation(former, intent) }) };
  return { ...facts, id, ...defined({ pending: pendingOf(former) }) };
}

/** It was ignored at least once; how often was not counted. */
function migratePair({ kept, ...pair }: FirstRecord['pairs'][string]): Pair {
  return kept === false ? { ...pair, ignored: 1 } : pair;
}

function pendingOf(former: FirstRecord): FormerRecord['pending'] {
  const { intent, deployed: { sent } = {} } = former;
  if (sent !== undefined) {
    return {
      ...sent,
      is: 'deploy',
      timeoutMs: usualTimeoutMs,
      newest: sent.newest ?? null,
      ...defined({ isWriting: intent && (true as const) }),
    };
  }
  if (intent === undefined) return undefined;
  const { at, key: named, sent: says, fenceMs } = intent;
  // The first versions recorded no more of a create than that nothing is settled.
  const isCreate = named !== undefined || says !== undefined || Object.keys(former.pairs).length === 0;
  if (isCreate) return creation(former, intent);
  return { is: 'write', at, timeoutMs: fenceMs ?? usualTimeoutMs };
}

function creation({ repeated }: FirstRecord, intent: NonNullable<FirstRecord['intent']>): PendingCreate {
  const { sent: says = {}, fenceMs: timeoutMs = usualTimeoutMs, ...rest } = intent;
  // How often was not counted.
  return { is: 'create', ...rest, timeoutMs, says, sends: repeated === undefined ? 1 : 2 };
}

function lastDeployment({
  inputs,
  owes,
  saved,
  sent,
}: NonNullable<FirstRecord['deployed']>): Pick<Deploys, 'inputs' | 'stale'> {
  const isStale = owes !== undefined || saved !== undefined || sent !== undefined;
  return defined({ inputs, stale: isStale ? { ...owes, ...defined({ saved }) } : undefined });
}

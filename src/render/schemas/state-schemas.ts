import * as z from 'zod';
import { type Frozen, document, int, strings } from './schema-parts.ts';

/** What `state list` prints. */
export const stateListDocument = document('state-list', 1, {
  serial: int.optional(),
  resources: z.array(z.object({ address: z.string(), kind: z.string(), id: z.string().nullable() })),
});

const stored = z.union([z.object({ value: z.json() }), z.object({ digest: z.literal(true) })]);

/** What `state show` prints. */
export const stateShowDocument = document('state-resource', 1, {
  address: z.string(),
  kind: z.string(),
  id: z.string().nullable(),
  parent: z.string().nullable(),
  dependsOn: strings,
  fields: z.record(z.string(), z.object({ wanted: stored, answered: stored, kept: z.boolean() })),
  options: z.record(z.string(), z.json()),
});

/** What `state mv` and `state rm` print. */
export const stateEditDocument = document('state-edit', 1, {
  serial: int,
  dryRun: z.boolean(),
  moved: z.array(z.object({ from: z.string(), to: z.string(), kind: z.string(), id: z.string().nullable() })),
  removed: z.array(
    z.object({ address: z.string(), kind: z.string(), id: z.string().nullable(), protected: z.boolean() }),
  ),
});

/** What `state unlock` prints: the holder that lost the lock, or null. */
export const unlockDocument = document('unlock', 1, {
  removed: z.object({ owner: z.string(), purpose: z.string(), since: z.string() }).nullable(),
});

/** What `state key` prints without `--print`. */
export const stateKeyDocument = document('state-key', 1, {
  state: z.string(),
  /** The variable or the file that has the key. */
  key: z.string(),
  /** The state has a new key. */
  rotated: z.boolean(),
  /** A state of an earlier version was written with a MAC. */
  migrated: z.boolean(),
});

/** What `state accept-older` prints. */
export const acceptOlderDocument = document('accept-older', 1, {
  /** The version of the state afterwards; left out where there is no state. */
  serial: int.optional(),
  /** false: the state is the newest one, and nothing was changed. */
  accepted: z.boolean(),
});

export type StateListDocument = Frozen<z.output<typeof stateListDocument>>;
export type StateShowDocument = Frozen<z.output<typeof stateShowDocument>>;
export type StateEditDocument = Frozen<z.output<typeof stateEditDocument>>;
export type UnlockDocument = Frozen<z.output<typeof unlockDocument>>;
export type StateKeyDocument = Frozen<z.output<typeof stateKeyDocument>>;
export type AcceptOlderDocument = Frozen<z.output<typeof acceptOlderDocument>>;

import * as z from 'zod';
import { once } from '../api/once.ts';
import { defined } from '../formats/json.ts';
import type { Deploys, Pending, PendingDeploy, StateRecord } from './record.ts';

/** What format 2 and 3 held of the deployments of a service in its record. */
interface FormerDeploys {
  readonly deployed?: Pick<Deploys, 'inputs' | 'stale'> | undefined;
  readonly pending?: Pending | FormerPendingDeploy | undefined;
}

/** A pending deployment was the one pending operation of a record. `isWriting`: so was a write, which had no time of its own. */
type FormerPendingDeploy = PendingDeploy & { readonly is: 'deploy'; readonly isWriting?: true | undefined };

/** A record as the formats 2 and 3 had it. */
export type FormerRecord = FormerDeploys & { readonly id: string | null } & Omit<StateRecord, 'id' | 'pending'>;

/** The form of one record of the formats 2 and 3. */
export const formerRecordSchema = once(() => {
  const key = z.record(z.string(), z.json());
  const stored = z.union([
    z.strictObject({ value: z.json() }),
    z.strictObject({ digest: z.string(), secretLines: z.array(z.number().int()).optional() }),
  ]);
  const ignored = z.union([z.literal(1), z.literal(2)]);
  const sent = { at: z.number(), timeoutMs: z.number() };
  const pendingCreate = z.strictObject({
    ...sent,
    is: z.literal('create'),
    key: key.optional(),
    below: z.string().optional(),
    says: z.record(z.string(), stored),
    sends: z.number(),
  });
  const pendingWrite = z.strictObject({ ...sent, is: z.literal('write') });
  const pendingDeploy = z.strictObject({
    ...sent,
    is: z.literal('deploy'),
    mark: z.string(),
    inputs: z.string(),
    newest: z.string().nullable(),
    isAnswered: z.literal(true).optional(),
    id: z.string().optional(),
    isWriting: z.literal(true).optional(),
  });
  const facts = {
    parent: z.string().nullable(),
    dependsOn: z.array(z.string()),
    pairs: z.record(z.string(), z.strictObject({ wanted: stored, answered: stored, ignored: ignored.optional() })),
    options: z.record(z.string(), z.json()),
    duplicates: z.array(z.strictObject({ key: key.optional(), below: z.string().optional() })).optional(),
    deployed: z
      .strictObject({
        inputs: z.string().optional(),
        stale: z
          .strictObject({
            code: z.literal(true).optional(),
            saved: z.strictObject({ inputs: z.string(), newest: z.string().nullable() }).optional(),
          })
          .optional(),
      })
      .optional(),
    bornAt: z.string().optional(),
  };

  return z.union([
    z.strictObject({
      kind: z.string(),
      id: z.string(),
      ...facts,
      pending: z.discriminatedUnion('is', [pendingCreate, pendingWrite, pendingDeploy]).optional(),
    }),
    z.strictObject({ kind: z.string(), id: z.null(), ...facts, pending: pendingCreate.optional() }),
  ]);
});

/** Gives a record of format 2 or 3 the form of format 4: the deployments of a service stand beside it. */
export function migrateRecord(former: FormerRecord): { readonly record: StateRecord; readonly deploys?: Deploys } {
  const { deployed, pending, ...facts } = former;
  if (pending?.is !== 'deploy') {
    if (deployed === undefined) return { record: former as StateRecord };
    return { record: { ...facts, ...defined({ pending }) } as StateRecord, deploys: deployed };
  }
  const { is: _, isWriting, ...deploy } = pending;
  const { at, timeoutMs } = deploy;
  const write = isWriting === true ? { is: 'write', at, timeoutMs } : undefined;
  const record = { ...facts, ...defined({ pending: write }) } as StateRecord;
  return { record, deploys: { ...deployed, pending: deploy } };
}

import { attempts } from '../api/attempts.ts';
import { saysCreate, takes } from '../kind/row-values.ts';
import { deployedFrom } from '../plan/deployment-record.ts';
import { sentPairs } from '../plan/settle.ts';
import { knownPairs, pendingCreate, wasThere, withPending, withWrite } from '../state/pending-operation.ts';
import type { Deploys, PendingCreate, StateRecord, StoredWanted } from '../state/record.ts';
import { keyOf } from './find-created.ts';
import { chosenId } from './fill-members.ts';
import { type Run, digestsAt, dispatch, recordNow, recordOf, saveRecord, sentNow } from './apply-run.ts';
import { type Row, defined } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import { resolveField } from '../manifest/fields.ts';
import { type Member, type Step, isLeftOut, isAdoption } from '../plan/action.ts';
import type { Outputs } from '../manifest/wanted.ts';
import { deploymentsIn } from '../observe/listed-deployments.ts';
import { toStored } from '../state/stored.ts';
import { type Job, mayHaveWritten, resultOf } from './job.ts';

/**
 * Records, before the first request of an action, the pending write to its object and the services that it makes stale.
 * A new object has no record yet: `announceCreate` makes it.
 */
export async function announceWrite(run: Run, job: Job): Promise<void> {
  const id = job.object?.id;
  // Of an earlier run: it holds until the platform accepts a request.
  const unproven = recordNow(run, job)?.pending?.unproven;
  const sent = { ...sentNow(run), ...defined({ unproven }) };
  const write = id === undefined ? undefined : withWrite(recordUntil(run, job, id), { id, ...sent });
  await Promise.all([saveStale(run, job), ...(write === undefined ? [] : [saveRecord(run, job, write)])]);
  dispatch(run, job, { is: 'announced' });
}

/** The record of an object until its writes are over: it may use what it used before, and what it is to use. */
function recordUntil(run: Run, job: Job, id: string): StateRecord {
  const before = recordBefore(run, job, id);
  return { ...before, dependsOn: [...new Set([...before.dependsOn, ...job.action.dependsOn])] };
}

/** The record of an object before the first write of this run. */
function recordBefore(run: Run, job: Job, id: string): StateRecord {
  const now = recordNow(run, job);
  if (wasThere(now)) return now;
  // The fields that its create sent are its settled pairs from now on; another person created an adopted object.
  return recordOf(job, id, isAdoption(job.action) ? {} : knownPairs(now));
}

/** Records a create before it is sent. */
export async function announceCreate(run: Run, job: Job, step: Step): Promise<void> {
  const pending = creationOf(run, job, step);
  const id = chosenId(job.action, step) ?? null;
  await saveRecord(run, job, { ...recordOf(job, id, {}), pending });
  dispatch(run, job, { is: 'announced' });
}

/** Renews the time of a pending operation just before its request: the in-flight timeout counts from it. */
export async function announceTime(run: Run, job: Job, isAgain: boolean): Promise<void> {
  const { address } = job.action;
  const record = run.journal.now(address);
  const { at } = sentNow(run);
  if (record?.pending === undefined || (!isAgain && Math.abs(at - record.pending.at) <= attempts.reading.noteAgeMs))
    return;
  await run.journal.save(address, { record: withPending(record, { at }) });
}

/** The pending create of an action: a later run finds its object by the key and the fields in it. */
export function creationOf(run: Run, job: Job, step: Step): PendingCreate {
  const { action } = job;
  const { outputs } = run;
  const key = keyOf(run, job);
  const says: Record<string, StoredWanted> = {};
  let isOpen = true;
  const sent = sentPairs(action, outputs, run.input.digests);
  for (const { attribute, field, wanted } of action.attributes) {
    if (wanted === undefined || attribute.key !== undefined) continue;
    const isOfKey = key !== undefined && Object.hasOwn(key, attribute.field);
    if (isOfKey && (field.secrecy !== undefined || wanted.isSecret)) isOpen = false;
    const isSent = takes(step.operation, attribute.field) || saysCreate(action.kind, attribute.field);
    const stored = isSent ? sent[attribute.field]?.wanted : undefined;
    if (stored === undefined) continue;
    if (isOfKey && 'digest' in stored) isOpen = false;
    says[attribute.field] = stored;
  }
  for (const [name, from] of Object.entries(step.members)) {
    const text = from.is === 'map' ? writtenMap(from, outputs) : undefined;
    const field = action.kind.fields[name];
    if (text === undefined || field === undefined) continue;
    says[name] = toStored(
      { attribute: { field: name }, field, isSecret: true, digest: digestsAt(run, action)(name) },
      text,
    );
  }
  const below = job.parent?.object?.id;
  const before = pendingCreate(recordNow(run, job));
  return {
    is: 'create',
    ...sentNow(run),
    ...defined({ key: isOpen ? key : undefined, below }),
    says,
    sends: (before?.sends ?? 0) + 1,
  };
}

/** The text of a map that a create sends; undefined while a value of it is not known. */
function writtenMap({ field, entries }: Extract<Member, { is: 'map' }>, outputs: Outputs): string | undefined {
  const resolved = [...entries].map(([key, wanted]) => [key, resolveField(field, wanted, outputs)] as const);
  const known = resolved.flatMap(([key, one]) => (one.is === 'known' ? [[key, String(one.value)] as const] : []));
  return known.length < resolved.length ? undefined : field.map?.write(new Map(known)).text;
}

/** Records the services that an action makes stale, before its first request: after a kill, a later run deploys them. */
async function saveStale(run: Run, job: Job): Promise<void> {
  await Promise.all(
    job.makesStale.map(async (service) => {
      // Its own record is written with the pending operation; that of one without an id says that its create is pending.
      if (service === job || service.object === undefined) return;
      service.scope.staleSaved ??= saveDeploys(run, service, service.deploys ?? {});
      await service.scope.staleSaved;
    }),
  );
}

/** Records the deployments of a service. */
export async function saveDeploys(run: Run, service: Job, deploys: Deploys, how?: 'with the rest'): Promise<void> {
  service.deploys = deploys;
  const { address } = service.action;
  // A service that is about to be adopted has no record yet.
  const isRecorded = (run.journal.now(address) ?? undefined) !== undefined;
  const record = isRecorded ? undefined : recordOfService(run, service);
  await run.journal.save(address, { record, deploys }, how);
}

/** The record of a service, before its deployment. */
export function recordOfService(run: Run, service: Job): StateRecord {
  return recordNow(run, service) ?? recordOf(service, service.object?.id ?? null, {});
}

/** Records whether a service is stale, once everything in it is over and was read back. */
export async function settleStale(run: Run, job: Job): Promise<void> {
  const { service, kind } = job.action;
  if (service === undefined || (isLeftOut(job.action) && service.staleness === undefined)) return;
  const known = job.deploys;
  // Stale since earlier, and nothing written now; or recorded by a deployment of this run that failed.
  if (known?.stale?.saved !== undefined) return;
  // Its deployment failed in this run, and the former version is back.
  if (known?.failed !== service.known?.failed) return;
  const isDone = (other: Job) => resultOf(other) === 'done';
  if (!job.scope.jobs.every(isDone)) return;
  const inputs = service.inputs(run.outputs);
  if (inputs === undefined || known?.pending !== undefined) return;
  if (known?.stale === undefined) {
    await saveDeploys(run, job, deployedFrom(known ?? {}, inputs), 'with the rest');
    return;
  }
  const saved = savedIn(kind, await rowAfter(run, job), inputs);
  if (saved === undefined || !job.staleThrough.every(isDone)) return;
  await saveDeploys(run, job, { ...known, stale: { ...known.stale, ...saved } }, 'with the rest');
}

/** Says of a stale service that everything is saved: a deployment newer than those in its row has all of it. */
export function savedIn(kind: Kind, row: Row | undefined, inputs: string) {
  const listed = row === undefined ? undefined : deploymentsIn(kind, row);
  return listed === undefined ? undefined : { saved: { inputs, newest: listed.at(-1)?.id ?? null } };
}

/** The row of a service after all writes. Read again when another scope, written later, makes it stale. */
async function rowAfter(run: Run, { action, planned, object, scope, staleThrough }: Job): Promise<Row | undefined> {
  const { kind } = action;
  const isElsewhere = staleThrough.some((other) => mayHaveWritten(other) && other.scope !== scope);
  if (!isElsewhere || object === undefined || kind.service?.deployments === undefined) {
    return scope.readBack ?? planned?.row;
  }
  return run.together.row(kind, object.id).catch(() => undefined); // without it nothing is recorded
}

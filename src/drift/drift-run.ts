import { defined } from '../formats/json.ts';
import { type Diagnostic, type Stop, diagnostic, stop } from '../diagnostics/diagnostic.ts';
import { notSent, readingOnly } from '../api/client.ts';
import type { Finding } from './finding.ts';
import { findingsOf } from './findings.ts';
import { type Ignored, withoutIgnored } from './ignore.ts';
import { type Judged, exitCodeOf, judge } from './judge.ts';
import { subjectKey } from '../manifest/entry-list.ts';
import type { Entry } from './drift-memory.ts';
import { didYouMean } from '../diagnostics/closest.ts';
import { resolveAddress, resolvePath, resolveSection } from '../kind/aliases.ts';
import { isWithin } from '../kind/address.ts';
import { kindsThere } from '../kind/kinds-on.ts';
import { withTop } from '../kind/top.ts';
import type { AcceptedDrift, Acceptance } from '../manifest/accepted-drift.ts';
import type { Manifest } from '../manifest/manifest.ts';
import type { Plan } from '../plan/action.ts';
import type { Values } from '../plan/shown-values.ts';
import type { Connection } from '../workflow/connection.ts';
import { plan } from '../workflow/make-plan.ts';
import { isoTime, systemClock } from '../state/clock.ts';
import { digestsAt } from '../state/digests.ts';
import { acceptCommand, acceptancesOn, isTooFar } from '../plan/find-acceptance.ts';
import { type MemoryStore, memoryStore, writeAccepted } from './files.ts';
import type { RootPlace } from '../project/folder.ts';
import type { Notifying } from './notify.ts';

/** The result of comparing a platform. */
export interface Drift extends Pick<Judged, 'findings' | 'resolved'> {
  /** The plan that it was computed from. */
  readonly plan: Plan;
  readonly exitCode: 0 | 2 | 8;
  readonly ignored: readonly Ignored[];
  readonly memory: { readonly location: string; readonly isUpdated: boolean };
  /** Receivers that confirmed a notification. */
  readonly notified: Notifying['notified'];
  readonly diagnostics: readonly Diagnostic[];
}

/** How a platform is compared. */
export interface DriftOptions {
  readonly folder: RootPlace;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** false: the memory stays as it is; true by default. */
  readonly remembers?: boolean;
  readonly values?: Values;
  /** Reports what was found, before it is remembered: the memory stays as it is when that fails. */
  readonly notify?: ((found: Drift) => Promise<Notifying>) | undefined;
  /** Ends the pauses of a platform that takes no requests. */
  readonly signal?: AbortSignal | undefined;
}

/** For a connection of `trueup drift`: refuses every write before it goes out. */
export function refuseWrites(): never {
  throw notSent('a request');
}

/**
 * Compares the platform with what was applied last, and the manifest with both. Sends GETs and nothing else;
 * needs no right to write. Writes the memory, unless `remembers` is false.
 *
 * @throws {Stop} as planning does; `manifest`, when the memory cannot be used; `refused`, when it cannot be written.
 */
export async function findDrift(manifest: Manifest, connection: Connection, options: DriftOptions): Promise<Drift> {
  const { planned, judged, ignored, memory } = await compare(manifest, connection, options);
  const found: Drift = {
    plan: planned,
    findings: judged.findings,
    resolved: judged.resolved,
    ignored,
    exitCode: exitCodeOf(judged.findings),
    memory: { location: memory.location, isUpdated: false },
    notified: [],
    diagnostics: [...diagnosticsOf(planned), ...formerly(judged.memory, memory.location, dayOf(options))],
  };
  const { notified, diagnostics } = (await options.notify?.(found)) ?? { notified: [], diagnostics: [] };
  const isUpdated = options.remembers !== false && diagnostics.length === 0 && (await memory.write(judged.memory));
  return {
    ...found,
    memory: { ...found.memory, isUpdated },
    notified,
    diagnostics: [...found.diagnostics, ...diagnostics],
  };
}

/** Findings that a person accepts. */
export interface AcceptRequest extends Acceptance {
  /** An address, or the id of an object without one. */
  readonly subject: string;
  /** Fields of it, each with all below it; none: all that was found there. */
  readonly fields?: readonly string[];
}

/**
 * Accepts what is found at an address now, until a day. Sends GETs and nothing else.
 *
 * @throws {Stop} `refused`, when nothing is found there; and as `findDrift`.
 */
export async function acceptDrift(
  manifest: Manifest,
  connection: Connection,
  { request, ...options }: DriftOptions & { readonly request: AcceptRequest },
): Promise<{ readonly location: string; readonly accepted: readonly Finding[] }> {
  const { judged } = await compare(manifest, connection, options);
  const { subject, fields, ...accepted } = request;
  const chosen = driftAt(judged.findings, { subject, fields });
  const added = chosen.map((one) => acceptedFrom(one, accepted));
  const location = await writeAccepted(options.folder, added);
  return { location, accepted: chosen.map((one) => ({ ...one, status: 'accepted', accepted })) };
}

/** The entry that accepts a finding. @throws {Stop} `refused`, for what apply puts back all the same */
function acceptedFrom(finding: Finding, acceptance: Acceptance): AcceptedDrift {
  const { kind, objectId, field, address, digest, is } = finding;
  if (objectId === undefined || digest === undefined || (is === 'drifted' && field === undefined)) {
    const message = `${address ?? objectId ?? kind} was moved on the platform, and apply moves it back; nothing was written`;
    const remedy = 'Move its block in the manifest to where it is, or let apply move it back.';
    throw stop('refused', 'bad-reference', message, { remedy, address });
  }
  return { kind, objectId, digest: digest(), ...acceptance, ...defined({ field, address }) };
}

interface Compared {
  readonly planned: Plan;
  readonly judged: Judged;
  readonly ignored: readonly Ignored[];
  readonly memory: MemoryStore;
}

async function compare(manifest: Manifest, connection: Connection, options: DriftOptions): Promise<Compared> {
  const { settings, resources } = manifest;
  const { store, client } = connection;
  const { values, signal } = options;
  const memory = memoryStore(settings.drift, options.folder, store);
  // A broken memory is said before the plan.
  await memory.read();
  const clock = { ...(connection.clock ?? systemClock), wall: () => options.now };
  const planned = await plan(
    { ...manifest, deployments: [] },
    {
      ...connection,
      client: readingOnly(connection.client),
      values,
      signal,
      clock,
    },
    { readsEveryList: true },
  );
  if (planned.saved === undefined) throw nothingApplied(store.location);
  const key = await store.key();
  const digestsOfObjects = digestsAt(key, planned.base);
  const all = findingsOf({
    plan: planned,
    kinds: kindsThere(
      settings.ownsProject === true ? withTop(connection.kinds) : connection.kinds,
      connection.client.contract,
    ),
    resources,
    digestsOfObjects,
    values,
    redact: client.redact,
  });
  const { found, ignored } = withoutIgnored(all.found, settings.drift?.ignore);
  const left = new Set(ignored.map((one) => subjectKey(one.found)));
  const isUnknown = (entry: Entry) => left.has(subjectKey(entry)) || all.isUncompared(entry);
  const before = (await memory.read()).map(entryMeant);
  const today = dayOf(options);
  const acceptanceOf = acceptancesOn(today, manifest.accepted, digestsOfObjects).of;
  const judged = judge({ found, memory: before, acceptanceOf, today, isUnknown });
  return { planned, judged, ignored, memory };
}

/** The day of a comparison, in UTC. */
function dayOf({ now }: Pick<DriftOptions, 'now'>): string {
  return isoTime(now).slice(0, 10);
}

/** What is remembered of a finding, in the words of Dokploy: an earlier version may have written others. */
function entryMeant(entry: Entry): Entry {
  const { address, field } = entry;
  return {
    ...entry,
    kind: resolveSection(entry.kind),
    address: address && resolveAddress(address),
    field: field && resolvePath(field),
  };
}

/** The acceptances that an earlier version wrote into the memory: apply never obeyed them, and no review has seen them. */
function formerly(entries: readonly Entry[], location: string, today: string): Diagnostic[] {
  return entries.flatMap(({ accepted, address, objectId, field }) => {
    if (accepted === undefined) return [];
    const { until, because } = accepted;
    const subject = address ?? objectId;
    const message = `${location} accepts drift of ${subject}${field === undefined ? '' : ` ${field}`} until ${until}, as an earlier version wrote it; that counts for nothing`;
    const day = until < today || isTooFar(until, today) ? 'DAY' : until;
    const remedy = `To renew it: ${acceptCommand({ subject, field, until: day, because })}.`;
    return [diagnostic('acceptance-void', message, { remedy })];
  });
}

/** Without a state nothing can have drifted. A job whose state is another one must not look healthy. */
function nothingApplied(location: string): Stop {
  const message = `there is no state at ${location}: nothing was applied with it, so drift has nothing to compare with`;
  const remedy =
    'Apply first. If you did, this run uses another state: check state: in the manifest, and TRUEUP_STATE_URL. ' +
    'If the state is lost: trueup state rebuild.';
  return stop('state', 'state-unusable', message, { remedy });
}

/** What a plan says of all, and the errors of its objects. Duplicates are findings, and no secret is needed. */
function diagnosticsOf({ diagnostics, actions }: Plan): Diagnostic[] {
  const errors = actions.flatMap(({ notes }) =>
    notes.filter(({ severity, code }) => severity === 'error' && code !== 'secret-missing'),
  );
  return [...diagnostics.filter(({ code }) => code !== 'duplicate'), ...errors];
}

/** What drifted at an address or of an object, or in fields of it. @throws {Stop} `refused`, when nothing did, or not in each */
export function driftAt(
  all: readonly Finding[],
  { subject, fields = [] }: { readonly subject: string; readonly fields?: readonly string[] | undefined },
): readonly Finding[] {
  const address = resolveAddress(subject);
  const there = all.filter((one) => one.address === address || one.objectId === subject);
  const drift = there.filter(({ is }) => is !== 'not yet applied');
  const isIn = (one: Finding, field: string) =>
    [one.path, one.field].some((path) => path !== undefined && isWithin(path, resolvePath(field)));
  const without = fields.find((field) => !drift.some((one) => isIn(one, field)));
  if (drift.length > 0 && without === undefined)
    return drift.filter((one) => fields.length === 0 || fields.some((field) => isIn(one, field)));
  const refuse = (message: string, remedy: string) =>
    stop('refused', 'bad-reference', `${message}; nothing was written`, { remedy });
  if (drift.length > 0) {
    const paths = drift.map(({ path }) => path ?? 'the object itself').join(', ');
    throw refuse(`${subject} has no drift in ${without}`, `It has drift in ${paths}.`);
  }
  if (there.length > 0)
    throw refuse(`${subject} has only changes that were not applied yet`, 'Apply them, or undo them in the manifest.');
  const known = all.flatMap(({ address, is }) => (address === undefined || is === 'not yet applied' ? [] : [address]));
  throw refuse(`nothing has drifted at ${subject}`, didYouMean(subject, known, 'trueup drift lists what has.'));
}

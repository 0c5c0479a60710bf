import type { Acceptance, Finding, Found, Status } from '../drift/finding.ts';
import { findingId } from '../drift/finding.ts';
import type { Ignored } from '../drift/ignore.ts';
import type { Entry } from '../drift/memory.ts';
import type { CommandText } from '../drift/remedies.ts';
import { remediesFor, remedyText } from '../drift/remedies.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { DriftAcceptDocument, DriftDocument } from './documents.ts';
import { driftExit, exitCodes } from './exit-codes.ts';
import type { PlanAbout } from './plan-head.ts';
import { aboutJson } from './plan-json.ts';

/** What `drift` found, with the requests that it took. */
export interface DriftView {
  readonly drift: {
    readonly findings: readonly Finding[];
    readonly resolved: readonly (Entry & { readonly id: string })[];
    readonly ignored: readonly Ignored[];
    readonly exitCode: 0 | 2 | 8;
    readonly memory: { readonly location: string; readonly isUpdated: boolean };
    /** Receivers that confirmed a notification. */
    readonly notified?: readonly Notified[];
    readonly diagnostics: readonly Diagnostic[];
  };
  readonly counts: { readonly reads: number; readonly writes: number };
  readonly about: PlanAbout;
  /** Lists what is ignored, and cuts nothing short. */
  readonly isFull: boolean;
  readonly command: CommandText;
}

/** A receiver that confirmed a notification. */
export interface Notified {
  readonly as: NonNullable<DriftDocument['notified']>[number]['as'];
  readonly host: string;
}

/** What `drift accept` did. */
export interface DriftAcceptView {
  readonly location: string;
  readonly accepted: readonly Finding[];
}

/** What `drift` found as a document. Secrets are redacted already. */
export function driftJson({ drift, counts, about, isFull, command }: DriftView): DriftDocument {
  const { findings, resolved, ignored, memory, notified = [], diagnostics } = drift;
  return {
    format: 'trueup/drift',
    version: 1,
    exitCode: exitCodes[driftExit(drift)].code,
    requests: { reads: counts.reads, writes: counts.writes },
    ...aboutJson(about),
    memory: { ...memory },
    summary: summaryOf(drift),
    findings: findings.map((finding) => findingJson(finding, command)),
    resolved: resolved.map((entry) => keyJson(entry)),
    ...(isFull
      ? {
          ignored: ignored.map(({ found, because }) => ({
            ...keyJson(found),
            ...(because === undefined ? {} : { because }),
          })),
        }
      : {}),
    ...(notified.length === 0 ? {} : { notified: notified.map((one) => ({ ...one })) }),
    diagnostics: diagnostics.map(diagnosticJson),
  };
}

/** The numbers of findings by their status. */
export function summaryOf({ findings, ignored, resolved }: DriftView['drift']): DriftDocument['summary'] {
  const count = (name: Status) => findings.filter(({ status }) => status === name).length;
  return {
    new: count('new'),
    known: count('known'),
    accepted: count('accepted'),
    expired: count('expired'),
    'not yet applied': count('not yet applied'),
    ignored: ignored.length,
    resolved: resolved.length,
  };
}

/** What `drift accept` did as a document. */
export function driftAcceptJson({ location, accepted }: DriftAcceptView): DriftAcceptDocument {
  return {
    format: 'trueup/drift-accept',
    version: 1,
    memory: { location },
    accepted: accepted.map((finding) => ({
      ...keyJson(finding),
      accepted: { ...(finding.accepted ?? noAcceptance) },
    })),
  };
}

const noAcceptance: Acceptance = { until: '', because: '', by: '' };

type FindingJson = DriftDocument['findings'][number];

function findingJson(finding: Finding, command: CommandText): FindingJson {
  const { kind, objectId, name, applied, platform, manifest, unit, summary, edited, position } = finding;
  const { status, since, accepted, flapping } = finding;
  const { id, is, address, path } = keyJson(finding);
  return {
    id,
    is,
    ...(address === undefined ? {} : { address }),
    kind,
    ...(objectId === undefined ? {} : { objectId }),
    ...(name === undefined ? {} : { name }),
    ...(path === undefined ? {} : { path }),
    // Shown values are JSON already; the document's type only spells it without readonly.
    ...(applied === undefined ? {} : { applied: applied as ShownJson }),
    ...(platform === undefined ? {} : { platform: platform as ShownJson }),
    ...(manifest === undefined ? {} : { manifest: manifest as ShownJson }),
    ...(unit === undefined ? {} : { unit: typeof unit === 'string' ? unit : { ...unit } }),
    ...(summary === undefined ? {} : { summary }),
    ...(edited === undefined ? {} : { edited }),
    status,
    ...(since === undefined ? {} : { since }),
    ...(accepted === undefined ? {} : { accepted: { ...accepted } }),
    ...(flapping === undefined ? {} : { flapping: { ...flapping } }),
    ...(position === undefined ? {} : { position }),
    remedy: remedyText(finding, command),
    remedies: remediesFor(finding).map(({ aim, command: words }) =>
      words === undefined ? { aim } : { aim, command: command(words) },
    ),
  };
}

type ShownJson = NonNullable<FindingJson['applied']>;

function keyJson(
  one: Pick<Found, 'is' | 'kind' | 'objectId' | 'address' | 'path' | 'field'> & { readonly id?: string },
): DriftDocument['resolved'][number] {
  const { is, address, path = one.field } = one;
  return {
    id: one.id ?? findingId(one),
    is,
    ...(address === undefined ? {} : { address }),
    ...(path === undefined ? {} : { path }),
  };
}

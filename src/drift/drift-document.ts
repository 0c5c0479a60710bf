import { defined } from '../formats/json.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import type { Drift } from './drift-run.ts';
import { type Finding, type Found, findingId } from './finding.ts';
import { type CommandText, remediesFor, remedyText } from './remedies.ts';
import { diagnosticJson } from '../render/diagnostics-json.ts';
import type { DriftAcceptDocument, DriftDocument } from '../render/document-schemas.ts';
import { driftExit, exitCodes } from '../render/exit-codes.ts';
import type { PlanAbout } from '../render/plan-head.ts';
import { type WithLists, unlistedIn } from '../plan/not-compared.ts';
import { comparisonOf } from '../documents/plan-document.ts';

/** What `drift` found, and what else a run knows. */
export interface DriftInput {
  readonly drift: Omit<Drift, 'plan' | 'notified'> & {
    /** The plan that it was computed from. */
    readonly plan: WithLists;
    readonly notified?: Drift['notified'];
  };
  readonly counts: { readonly reads: number; readonly writes: number };
  readonly about: PlanAbout;
  /** Lists what is ignored. */
  readonly isFull: boolean;
  readonly command: CommandText;
  /** Warnings of the manifest. */
  readonly warnings?: readonly Diagnostic[];
}

/** What `drift` found as a document: every view is made from it. Secrets are redacted already. */
export function driftDocument({ drift, counts, about, isFull, command, warnings = [] }: DriftInput): DriftDocument {
  const { plan, findings, resolved, ignored, memory, notified = [], diagnostics } = drift;
  const { compared, notCompared } = comparisonOf(plan);
  return {
    format: 'trueup/drift',
    version: 2,
    exitCode: exitCodes[driftExit(drift)].code,
    requests: { reads: counts.reads, writes: counts.writes },
    ...about,
    memory,
    compared,
    notCompared: [...notCompared, ...unlistedIn(plan)],
    summary: summaryOf(drift),
    findings: findings.map((finding) => findingDocument(finding, command)),
    resolved: resolved.map(subjectOf),
    ...defined({
      ignored: isFull
        ? ignored.map(({ found, because }) => ({ ...subjectOf(found), ...defined({ because }) }))
        : undefined,
      notified: notified.length === 0 ? undefined : notified,
    }),
    diagnostics: [
      ...warnings.map((item) => ({ ...diagnosticJson(item), source: 'manifest' as const })),
      ...diagnostics.map(diagnosticJson),
    ],
  };
}

/** The numbers of findings by their status. */
function summaryOf({ findings, ignored, resolved }: DriftInput['drift']): DriftDocument['summary'] {
  const count = (name: Finding['status']) => findings.filter(({ status }) => status === name).length;
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
export function driftAcceptDocument({
  location,
  accepted,
}: {
  readonly location: string;
  readonly accepted: readonly Finding[];
}): DriftAcceptDocument {
  return {
    format: 'trueup/drift-accept',
    version: 1,
    memory: { location },
    accepted: accepted.flatMap((finding) =>
      finding.accepted === undefined ? [] : [{ ...subjectOf(finding), accepted: finding.accepted }],
    ),
  };
}

type FindingDocument = DriftDocument['findings'][number];

/** One finding as a member of a document. */
function findingDocument(finding: Finding, command: CommandText): FindingDocument {
  const { single, name, applied, platform, manifest, unit, summary, edited, position } = finding;
  const { status, since, accepted, flapping } = finding;
  const { path, ...subject } = subjectOf(finding);
  return {
    ...subject,
    ...defined({ single, name, path, applied, platform, manifest, unit, summary, edited }),
    status,
    ...defined({ since, accepted, flapping, position }),
    remedy: remedyText(finding, command),
    remedies: remediesFor(finding).map(({ aim, command: words }) => ({
      aim,
      ...defined({ command: words && command(words) }),
    })),
  };
}

function subjectOf(
  one: Pick<Found, 'is' | 'kind' | 'objectId' | 'address' | 'path' | 'field'> & { readonly id?: string },
): DriftDocument['resolved'][number] {
  const { is, address, kind, objectId, path = one.field } = one;
  return {
    id: one.id ?? findingId(one),
    is,
    ...defined({ address }),
    kind,
    ...defined({ objectId, path }),
  };
}

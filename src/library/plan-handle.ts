import { Stop, stop } from '../diagnostics/diagnostic.ts';
import type { Plan as MadePlan } from '../plan/action.ts';
import { type PlanFile, parsePlanFile, planFileText } from '../plan/plan-file.ts';
import { type Purpose, planFile as makeFile } from '../plan/plan-facts.ts';
import { mistakes } from '../plan/safeguard.ts';
import { readVersion } from '../project/version.ts';
import type { PlanDocument } from '../render/document-schemas.ts';
import type { PlanAbout } from '../render/plan-head.ts';
import { planDocument as documentOf } from '../documents/plan-document.ts';
import { planViews } from '../render/views.ts';
import type { ReviewedPlan } from '../workflow/reviewed.ts';
import type { StateKey } from '../secrets/state-key.ts';
import { isoTime } from '../state/clock.ts';
import { type Handle, createHandles } from './handle.ts';

/** A plan, to be read as a document and to be applied. It holds nothing that the platform has, and no secret. */
export type Plan = Handle<'plan'>;

interface Content {
  readonly document: PlanDocument;
  /** undefined: it cannot be applied, whatever is permitted. */
  readonly file: PlanFile | undefined;
  readonly refuse: () => never;
}

const handles = createHandles<'plan', Content>('plan');

/** Keeps what users may know of a plan; without its rows and secrets. Never throws. */
export function keepPlan(
  made: MadePlan,
  purpose: Purpose,
  about: {
    readonly counts: { readonly reads: number; readonly writes: number };
    readonly now: number;
    readonly key: StateKey;
    readonly head: PlanAbout;
  },
): Plan {
  const document = documentOf({ plan: made, counts: about.counts, about: about.head });
  const inTheWay = mistakes(made);
  const shown = JSON.stringify(document);
  const at = isoTime(about.now);
  return handles.make({
    document,
    file: inTheWay.length > 0 ? undefined : makeFile(made, purpose, { version: readVersion(), at, shown }, about.key),
    refuse: () => {
      throw new Stop('refused', inTheWay);
    },
  });
}

/** The plan as the document `trueup/plan`, version 2. @throws {TypeError} when it is no plan of Trueup. */
export function planDocument(plan: Plan): PlanDocument {
  return handles.read(plan).document;
}

/** The plan as `trueup plan` prints it, without colour. @throws {TypeError} when it is no plan of Trueup. */
export function planText(plan: Plan): string {
  return planViews.text(planDocument(plan));
}

/**
 * The text of a plan file, as `trueup plan --out` writes it: keep it for a review, and apply it later.
 *
 * @throws {Stop} `refused`, when the plan cannot be applied. @throws {TypeError} when it is no plan of Trueup.
 */
export function planFile(plan: Plan): string {
  return planFileText(reviewedPlan(plan).file);
}

/** A plan as one that was reviewed. @throws {Stop} `refused`, when it cannot be applied or the text is no plan file. */
export function reviewedPlan(plan: Plan | string): ReviewedPlan {
  const version = readVersion();
  if (typeof plan !== 'string') {
    const { file, refuse } = handles.read(plan);
    return { file: file ?? refuse(), name: 'the plan', version };
  }
  const parsed = parsePlanFile(plan);
  if (!('problem' in parsed)) return { file: parsed, name: 'the plan in the file', version };
  throw stop('refused', 'plan-file', `the plan file ${parsed.problem}`, { remedy: parsed.remedy });
}

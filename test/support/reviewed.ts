import { expect } from 'vitest';
import type { ReviewedPlan } from '../../src/workflow/reviewed.ts';
import { planFile } from '../../src/plan/plan-facts.ts';
import { plan } from '../../src/workflow/make-plan.ts';
import { planAgain } from '../../src/workflow/reviewed.ts';
import type { ApplyResult } from '../../src/apply/job.ts';
import type { Narrowing, Plan } from '../../src/plan/action.ts';
import { everything } from '../../src/plan/narrow.ts';
import type { PlanFile } from '../../src/plan/plan-file.ts';
import { parsePlanFile, planFileText } from '../../src/plan/plan-file.ts';
import type { Permissions } from '../../src/plan/safeguard.ts';
import { mistakes } from '../../src/plan/safeguard.ts';
import { session } from '../../src/workflow/session.ts';
import { refusal } from './faults.ts';
import type { Bench } from './world.ts';

/** Plans that are put into a file, reviewed, and applied from it. */

/** What a plan is made for. */
type Purpose = { readonly deploys?: boolean; readonly destroys?: boolean; readonly narrowing?: Narrowing };

/** Plans, and gives the text of the file. */
export async function review(
  made: Bench,
  text: string | Record<string, string>,
  { deploys = true, destroys = false, narrowing = everything }: Purpose = {},
): Promise<string> {
  const purpose = { manifest: await made.manifest(text), deploys, destroys, narrowing };
  const planned = await plan(purpose.manifest, made.world(), purpose);
  expect(mistakes(planned)).toEqual([]);
  return planFileText(planFile(planned, purpose, thisVersion, await made.store.key()));
}

/** A file as it is read again. */
export function fileIn(text: string): PlanFile {
  const file = parsePlanFile(text);
  if ('problem' in file) throw new Error(file.problem);
  return file;
}

/** What a file does: its facts, by the address of each action. */
export function actionsIn(text: string): PlanFile['facts'] {
  const { facts } = fileIn(text);
  const isAction = (path: string): boolean => path.startsWith('action ');
  return Object.fromEntries(Object.entries(facts).filter(([, one]) => Object.keys(one).some(isAction)));
}

/** A file as it is applied. */
export function reviewedPlan(text: string): ReviewedPlan {
  return { file: fileIn(text), name: 'the plan in plan.trueup', version: thisVersion.version };
}

/** The version that makes and applies the plan files of tests, and when it makes them. */
export const thisVersion = { version: '0.2.0', at: '2030-01-01T00:00:00.000Z', shown: '' };

/** `full`: everything is read, and not only what the plan touches. */
type Reading = { readonly full?: boolean };

/** Makes the plan of a file again; it stops when that is another one. */
export async function again(
  made: Bench,
  file: string,
  text: string | Record<string, string>,
  reading: Reading = {},
): Promise<Plan> {
  return planAgain(reviewedPlan(file), await made.manifest(text), made.world(), reading);
}

/** Applies a file. */
export async function applyFile(
  made: Bench,
  file: string,
  text: string | Record<string, string>,
  { full = false, ...permissions }: Reading & Partial<Permissions> = {},
): Promise<ApplyResult> {
  const options = { purpose: 'apply', clock: made.clock };
  return session(await made.manifest(text), made.platform(), options, async (run) =>
    run.apply(await run.plan({ reviewed: reviewedPlan(file), full }), {
      dataLoss: false,
      adoption: true,
      ...permissions,
    }),
  );
}

/** Why a file is not applied; nothing is sent. */
export async function refused(
  made: Bench,
  file: string,
  text: string | Record<string, string>,
  reading: Reading = {},
): Promise<string[]> {
  made.requests('POST');
  const [first, ...reasons] = await refusal(made, () => again(made, file, text, reading));
  expect(made.requests('POST')).toEqual([]);
  expect(first?.message).toMatch(/^the plan in plan\.trueup is out of date \(\d+ reasons? below\); nothing was sent$/);
  expect([first, ...reasons].map((item) => item?.code)).toEqual([
    'plan-outdated',
    ...reasons.map(() => 'plan-outdated'),
  ]);
  return reasons.map(({ message }) => message);
}

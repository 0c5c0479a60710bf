import { flags } from '../diagnostics/safeguards.ts';
import type { ShownAction, ShownPlan } from '../plan/action.ts';
import { countIgnored, hasChanges } from '../plan/action.ts';
import { someOf } from '../plan/mass-deletion.ts';
import { needsDataLoss } from '../plan/risks.ts';
import { renderAction } from './action-text.ts';
import { renderDiagnostic } from './diagnostics-text.ts';
import { groupActions } from './groups.ts';
import { counted, fold, requestCounts } from './lines.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { actionWords, countActions, ignoredWords, leftOutWords, narrowedWords, noChanges, within } from './words.ts';

/** A plan with the requests that it took. */
export interface PlanView {
  readonly plan: ShownPlan;
  /** Requests sent so far. */
  readonly counts: { readonly reads: number; readonly writes: number };
  /** Text is not cut short. */
  readonly isFull?: boolean;
}

/** Renders a plan as text. */
export function renderPlan({ plan, counts, isFull }: PlanView, given: Style): string {
  const style: Style = isFull === true ? { ...given, isFull } : given;
  const blocks = groupActions(plan.actions).map((group) => {
    const root = group.actions.find(({ action }) => action.address === group.address);
    const heading = root === undefined ? [`  ${style.paint('strong', printable(group.address))}`] : [];
    return [...heading, ...group.actions.flatMap((one) => renderAction(one, group.address, style))];
  });
  const { narrowed } = plan;
  if (narrowed !== undefined) blocks.unshift(fold(`This plan is ${narrowedWords(narrowed)}.`, 0, style));
  for (const item of plan.diagnostics) blocks.push(renderDiagnostic(item, style));
  blocks.push(ending(plan, counts, style));
  return `${blocks.map((lines) => lines.join('\n')).join('\n\n')}\n`;
}

function ending(plan: ShownPlan, counts: PlanView['counts'], style: Style): string[] {
  const lines = [...notDeployed(plan.actions), ...permissions(plan.actions), ...errors(plan)].flatMap((line) =>
    fold(line, 0, style),
  );
  const { narrowed } = plan;
  if (narrowed !== undefined) {
    const words = `This plan is ${narrowedWords(narrowed)}; ${leftOutWords(narrowed, style.isFull === true)}.`;
    lines.push(...fold(words, 0, style));
  }
  const last = summary(plan);
  if (last !== '') lines.push(style.paint('strong', last));
  lines.push(style.paint('faint', requestCounts(counts)));
  return lines;
}

function summary(plan: ShownPlan): string {
  const ignored = countIgnored(plan.actions);
  // What has errors was not compared: it does not match the manifest.
  if (!hasChanges(plan) && plan.destroys !== true && errors(plan).length > 0) return ignoredWords(ignored).join(' ');
  if (!hasChanges(plan)) return noChanges(ignored, plan);
  const parts = [...countActions(within(plan))].map(([name, count]) => `${count} ${actionWords[name].plan}`);
  return [`Plan: ${parts.join(', ')}.`, ...ignoredWords(ignored)].join(' ');
}

/** The services that need a deployment that this plan does not include. */
function notDeployed(actions: readonly ShownAction[]): string[] {
  const left = actions.filter(
    ({ service, notes }) => service?.isLeft === true && !notes.some(({ code }) => code === 'not-deployed'),
  );
  if (left.length === 0) return [];
  return [
    `Takes effect with the next deployment of ${someOf(left.map(({ address }) => printable(address)))}. ` +
      'This plan does not deploy; trueup run deploy ADDRESS does.',
  ];
}

function permissions(actions: readonly ShownAction[]): string[] {
  const lines: string[] = [];
  const adopted = actions.filter((action) => action.needsConsent).length;
  if (adopted > 0)
    lines.push(`Apply takes over ${counted(adopted, 'object')} and needs consent: ${flags.adoption}, or answer yes.`);
  const risky = actions.filter(needsDataLoss).length;
  if (risky > 0) lines.push(`Apply puts data of ${counted(risky, 'resource')} at risk and needs ${flags.dataLoss}.`);
  return lines;
}

function errors(plan: ShownPlan): string[] {
  const found = [...plan.diagnostics, ...plan.actions.flatMap((action) => action.notes)];
  const count = found.filter((item) => item.severity === 'error').length;
  return count === 0 ? [] : [`This plan cannot be applied: ${counted(count, 'error')} above.`];
}

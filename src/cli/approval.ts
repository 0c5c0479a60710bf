import type { NamedPlatform } from '../api/profile.ts';
import { type Stop, stop } from '../diagnostics/diagnostic.ts';
import { type Plan, hasChanges, needsConsent } from '../plan/action.ts';
import { type Permissions, requirePermissions } from '../plan/safeguard.ts';
import { counted } from '../render/fold-lines.ts';
import { type PlanAbout, placeWords } from '../render/plan-head.ts';
import { printable } from '../render/printable.ts';
import { parentApproves } from './parent.ts';
import { askYes } from './prompt.ts';
import type { Run } from './command.ts';

/** The options of `apply` and `destroy` that give consent. */
interface ConsentFlags {
  readonly autoApprove?: true;
  readonly adopt?: true;
  readonly allowDataLoss?: true;
  readonly allowMassDelete?: true;
  readonly allowMassRecreate?: true;
}

/** Gets the consent that a plan needs, by flag or by question; undefined: the answer is no. */
export async function approve(
  run: Run,
  made: Plan,
  task: { flags: ConsentFlags; command: 'apply' | 'destroy'; about: PlanAbout },
): Promise<Permissions | undefined> {
  const { flags, command } = task;
  const isAsking = run.cannotAsk === undefined && flags.autoApprove !== true;
  const permissions = {
    dataLoss: flags.allowDataLoss === true,
    adoption: flags.adopt === true || isAsking,
    massDeletion: flags.allowMassDelete === true,
    massRecreation: flags.allowMassRecreate === true,
  };
  requirePermissions(made, permissions);
  if (!hasChanges(made)) return permissions;
  if (flags.autoApprove === true) return (await parentApproves(run.process, run.options.env)) ? permissions : undefined;
  if (run.cannotAsk !== undefined) {
    throw unapproved(run.cannotAsk, `Review the plan with trueup plan, then run trueup ${command} --auto-approve.`);
  }
  return (await askYes(run.process, question(made, task))) ? permissions : undefined;
}

/** Asks before a service stops or data is lost; `about` names that where the run cannot ask. False: the answer is no. */
export async function confirm(
  { cannotAsk, process, terminal }: Run,
  { question, about, isGiven }: { question: string; about: string; isGiven: boolean },
): Promise<boolean> {
  if (isGiven) return true;
  if (cannotAsk !== undefined) throw unapproved(cannotAsk, `To approve it, add --yes: ${about}.`);
  if (await askYes(process, `${question}\nContinue? Only yes is accepted: `)) return true;
  terminal.err('Nothing was sent.\n');
  return false;
}

/** The platform as a question before a command names it. */
export function placeOf(platform: NamedPlatform): string {
  return platform.emulator ? 'the embedded emulator' : new URL(platform.url).host;
}

function unapproved(why: string, remedy: string): Stop {
  return stop('refused', 'consent', `cannot ask for approval: ${why}; nothing was sent`, { remedy });
}

function question(made: Plan, { flags, command, about }: Parameters<typeof approve>[2]): string {
  const adopted = flags.adopt === true ? 0 : made.actions.filter(needsConsent).length;
  const takesOver =
    adopted === 0
      ? ''
      : ` This takes over ${counted(adopted, 'object')} that exist${adopted === 1 ? 's' : ''} already.`;
  const place = printable(placeWords(about));
  const what = command === 'apply' ? `Apply this plan to ${place}?` : `Delete all of this from ${place}?`;
  return `\n${what}${takesOver} Only yes is accepted: `;
}

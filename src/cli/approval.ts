import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import type { Plan } from '../plan/action.ts';
import { hasChanges } from '../plan/action.ts';
import type { Permissions } from '../plan/safeguard.ts';
import { requirePermissions } from '../plan/safeguard.ts';
import { counted } from '../render/lines.ts';
import { askYes } from './prompt.ts';
import type { Run } from './command.ts';

/** What the command line permits. */
export interface ApplyFlags {
  readonly autoApprove?: true;
  readonly adopt?: true;
  readonly allowDataLoss?: true;
  readonly allowMassDelete?: true;
  /** Seconds that a request without an answer may take to land. */
  readonly fence?: string;
}

/** What the command line says of deployments. */
export interface DeployFlags {
  /** false: none is planned. */
  readonly deploy?: boolean;
  /** false: none is waited for. */
  readonly wait?: boolean;
  readonly deployTimeout?: readonly string[];
}

/** Gets the consent that a plan needs, by flag or by question; undefined means that somebody said no. */
export async function approve(
  run: Run,
  made: Plan,
  { flags, verb }: { flags: ApplyFlags; verb: 'apply' | 'destroy' },
): Promise<Permissions | undefined> {
  const isAsking = run.canAsk && flags.autoApprove !== true;
  const permissions = {
    dataLoss: flags.allowDataLoss === true,
    adoption: flags.adopt === true || isAsking,
    massDeletion: flags.allowMassDelete === true,
  };
  requirePermissions(made, permissions);
  if (!hasChanges(made) || flags.autoApprove === true) return permissions;
  if (!isAsking) {
    throw new Stop('refused', [
      diagnostic('consent', `nobody can be asked whether to ${verb} this plan, so nothing was sent`, {
        remedy: `Review it with trueup plan, then run trueup ${verb} --auto-approve.`,
      }),
    ]);
  }
  return (await askYes(question(made, flags, verb))) ? permissions : undefined;
}

/** Asks before something is stopped or lost; `about` is what is meant, where nobody can be asked. False: somebody said no. */
export async function confirm(
  { canAsk, terminal }: Run,
  { question, about, isGiven }: { question: string; about: string; isGiven: boolean },
): Promise<boolean> {
  if (isGiven) return true;
  if (!canAsk) {
    throw new Stop('refused', [
      diagnostic('consent', `nobody can be asked about ${about}`, { remedy: 'Run it with --yes if that is meant.' }),
    ]);
  }
  if (await askYes(`${question}\nGo on? Only yes is accepted: `)) return true;
  terminal.err('Nothing was sent.\n');
  return false;
}

function question(made: Plan, flags: ApplyFlags, verb: 'apply' | 'destroy'): string {
  const adopted = flags.adopt === true ? 0 : made.actions.filter((action) => action.needsConsent).length;
  const takesOver =
    adopted === 0
      ? ''
      : ` This takes over ${counted(adopted, 'object')} that exist${adopted === 1 ? 's' : ''} already.`;
  const what = verb === 'apply' ? 'Apply this plan?' : 'Delete all of this?';
  return `\n${what}${takesOver} Only yes is accepted: `;
}

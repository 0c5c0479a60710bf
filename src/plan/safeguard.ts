import { type Diagnostic, diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { onePerSecret } from '../diagnostics/one-per-secret.ts';
import { type Safeguard, flags, safeguards } from '../diagnostics/safeguards.ts';
import { type Action, type Plan, isDeletion, needsConsent, stays } from './action.ts';
import { isOfAnother } from './removal.ts';
import { needsDataLoss } from './risks.ts';

/** What the user permitted beyond an ordinary apply. */
export interface Permissions {
  /** Data may be put at risk. */
  readonly dataLoss: boolean;
  /** Objects that exist already may be adopted. */
  readonly adoption: boolean;
  /** More may be deleted than one edit usually means. */
  readonly massDeletion?: boolean;
  /** More may be created again than one deletion by hand usually explains. */
  readonly massRecreation?: boolean;
}

/**
 * Checks that a plan may be applied.
 *
 * @throws {Stop} `refused`, with everything that keeps the plan from being applied.
 */
export function requirePermissions(plan: Plan, permissions: Permissions): void {
  const stopping = obstacles(plan, permissions);
  if (stopping.length > 0) throw new Stop('refused', stopping);
}

/** The reasons, as errors, why a plan may not be applied with these permissions; none when it may. Pure. */
export type Guard = (plan: Plan, permissions: Permissions) => readonly Diagnostic[];

/** The guards of every plan. A policy is one more function in such a list. */
export const guards: readonly Guard[] = [
  errorsOfPlan,
  errorsOfActions,
  unlessAllowed('massDeletion'),
  unlessAllowed('massRecreation'),
  dataLoss,
  adoption,
];

/** Everything that keeps a plan from being applied, guard by guard. Never throws, unless a guard does. */
export function obstacles(plan: Plan, permissions: Permissions, asked: readonly Guard[] = guards): Diagnostic[] {
  return asked.flatMap((guard) => guard(plan, permissions));
}

/** Everything that keeps a plan from being applied whatever is permitted. */
export function mistakes(plan: Plan): Diagnostic[] {
  return obstacles(plan, { dataLoss: true, adoption: true, massDeletion: true, massRecreation: true });
}

function errorsOfPlan({ diagnostics }: Plan): readonly Diagnostic[] {
  return diagnostics.filter(({ severity }) => severity === 'error');
}

function errorsOfActions({ actions }: Plan): readonly Diagnostic[] {
  const errors = actions.flatMap(({ notes }) => notes.filter(({ severity }) => severity === 'error'));
  return onePerSecret(errors);
}

/** Gives the warnings of a plan that a permission allows as errors, where it is missing. */
function unlessAllowed(permission: keyof Permissions): Guard {
  const all: readonly Safeguard[] = Object.values(safeguards);
  const codes = all.flatMap((safeguard) => (safeguard.permission === permission ? [safeguard.code] : []));
  return ({ diagnostics }, permissions) =>
    permissions[permission] === true
      ? []
      : diagnostics.flatMap((item) => (codes.includes(item.code) ? [{ ...item, severity: 'error' as const }] : []));
}

function dataLoss({ actions, destroys }: Plan, permissions: Permissions): readonly Diagnostic[] {
  if (permissions.dataLoss) return [];
  const risky = actions.filter(needsDataLoss);
  const hasNoBlock = (one: Action): boolean => isDeletion(one) && !destroys;
  if (risky.length > few) {
    const details = risky.map(({ address, dataAtRisk = '' }) => `${address}: ${dataAtRisk}`);
    const lifting = risky.every(hasNoBlock)
      ? 'put their blocks back with protect: false, apply that, and remove them then'
      : 'write protect: false in each block and apply that first';
    const remedy = `Allow it with ${flags.dataLoss}, or ${lifting}.`;
    return [
      diagnostic(safeguards.data.code, `this puts data of ${risky.length} resources at risk`, { details, remedy }),
    ];
  }
  return risky.map((one) => {
    const { address, dataAtRisk = '', position, id = '' } = one;
    const lifting = hasNoBlock(one)
      ? 'put its block back with protect: false, apply that, and remove it then'
      : 'write protect: false in the block and apply that first';
    const remedy = isOfAnother(dataAtRisk)
      ? `Look at ${id} on the platform. To keep it: trueup state rm '${address}'. If it may go, apply needs ${flags.dataLoss}.`
      : `Allow it with ${flags.dataLoss}, or ${lifting}.`;
    const isStill = one.steps.length === 0 && stays(one);
    // Only the variables of its parent change: they reach it with its next deployment.
    const doing = isStill ? 'deploy' : one.action;
    const message = `to ${doing} ${address} puts data at risk: ${dataAtRisk}`;
    return diagnostic(safeguards.data.code, message, { address, position, remedy });
  });
}

function adoption({ actions, saved, diagnostics }: Plan, permissions: Permissions): readonly Diagnostic[] {
  if (permissions.adoption) return [];
  // A preview adopts nothing, whatever is permitted, and its plan says so.
  const refused = new Set(diagnostics.flatMap(({ code, address }) => (code === 'not-in-previews' ? [address] : [])));
  const foreign = actions.filter((one) => needsConsent(one) && !refused.has(one.address));
  if (foreign.length > few) {
    const details = foreign.map(({ address, id = '' }) => `${address} (${id})`);
    const rebuild = saved === undefined ? ' If a state had them and is lost: trueup state rebuild.' : '';
    const remedy = `Take them over with ${flags.adoption}, or pin each with id:.${rebuild}`;
    const message = `${foreign.length} resources exist on the platform and are not ours yet`;
    return [diagnostic(safeguards.adoption.code, message, { details, remedy })];
  }
  const remedy = `Take it over with ${flags.adoption}, or pin it with id:.`;
  return foreign.map(({ address, id = '', position }) => {
    const message = `${address} exists on the platform (${id}) and is not ours yet`;
    return diagnostic(safeguards.adoption.code, message, { address, position, remedy });
  });
}

/** The number of resources up to which a refusal says of each by itself what to do. */
const few = 3;

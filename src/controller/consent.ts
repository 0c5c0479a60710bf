import { safeguards, type Safeguard } from '../diagnostics/safeguards.ts';
import type { PlanDocument } from '../index.ts';
import { needsDataLoss } from '../plan/risks.ts';

/** What an apply of a plan needs a yes for. */
export interface Consent {
  /** The addresses whose data may be lost; all that it deletes, where that is more than one edit usually means. */
  readonly losing: readonly string[];
  /** A person must approve it, whatever the policy is: it may lose data, adopts objects, or creates many again. */
  readonly isNeeded: boolean;
}

/** Reads from a plan what a person has to allow. */
export function consentFor({ actions, diagnostics }: PlanDocument): Consent {
  const deletesMany = diagnostics.some(({ code }) => codesOf('massDeletion').includes(code));
  const deletes = (action: string): boolean => deletesMany && (action === 'delete' || action === 'replace');
  const losing = actions.filter((one) => needsDataLoss(one) || deletes(one.action)).map(({ address }) => address);
  const createsMany = diagnostics.some(({ code }) => codesOf('massRecreation').includes(code));
  const adopts = actions.some(({ needsConsent }) => needsConsent);
  return { losing, isNeeded: losing.length > 0 || deletesMany || createsMany || adopts };
}

function codesOf(permission: Safeguard['permission']): readonly string[] {
  const all: readonly Safeguard[] = Object.values(safeguards);
  return all.filter((one) => one.permission === permission).map(({ code }) => code);
}

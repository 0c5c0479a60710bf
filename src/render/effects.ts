import { flags } from '../diagnostics/safeguards.ts';
import type { PlanDocument } from './document-schemas.ts';
import { counted } from './fold-lines.ts';
import type { Tone } from './style.ts';
import { newValues } from './action-words.ts';

/** What a plan as a whole does or needs, and the objects that it is about: a sentence of a text, an item of a page. */
export interface Effect {
  readonly tone: Extract<Tone, 'change' | 'info'>;
  readonly words: string;
  readonly addresses: readonly string[];
  /** A sentence behind the addresses. */
  readonly more?: string;
}

/** What a plan does to running services and to changes on the platform. */
export function effectsOf(plan: PlanDocument): Effect[] {
  const { restarts = [], rotated = [], recreates, waitsFor, notDeployed, overwrites } = plan;
  const rotations = rotated.filter((one) => one.restarts.length > 0);
  const isAll = rotations.length > 0 && rotations.every((one) => one.restarts.length === restarts.length);
  const secrets = newValues(rotations.map(({ secret }) => secret));
  const first = rotated.filter(({ changedFirst = [] }) => changedFirst.length > 0);
  const firstNames = newValues(first.map(({ secret }) => secret));
  const namesOf = (of: 'changedFirst' | 'clients') => [...new Set(first.flatMap((one) => one[of] ?? []))];
  return [
    effect('change', () => 'Overwrites changes that were made on the platform', overwrites),
    effect('change', (services) => `Stops, and creates again, ${services}`, recreates),
    effect('change', (services) => `Restarts ${services}${isAll ? ` for ${secrets}` : ''}`, restarts),
    ...(isAll ? [] : rotations).map(({ secret, restarts: some }) =>
      effect('change', (services) => `Restarts ${services} for ${newValues([secret])}`, some),
    ),
    effect('change', (services) => `Gives ${firstNames} first to ${services}`, namesOf('changedFirst')),
    effect(
      'change',
      (services) => `Until they restart, connections with the old value may fail, from ${services}`,
      namesOf('clients'),
    ),
    effect('change', (services) => `Waits for deployments that an earlier run started, of ${services}`, waitsFor),
    {
      ...effect('info', (services) => `Takes effect with the next deployment of ${services}`, notDeployed),
      more: 'This plan does not deploy; trueup run deploy ADDRESS does.',
    },
  ].filter(({ addresses }) => addresses.length > 0);
}

function effect(
  tone: Effect['tone'],
  wordsOf: (services: string) => string,
  addresses: readonly string[] = [],
): Effect {
  return { tone, words: wordsOf(counted(addresses.length, 'service')), addresses };
}

/** What a command needs before it adopts objects. */
export const adoptionConsent = ` and needs consent: ${flags.adoption}, or answer yes`;

/** The objects that an apply adopts, and the consent that it needs; empty, where it was applied. */
export function adoptionIn({ actions, allowed }: PlanDocument, needed: string = adoptionConsent): Effect[] {
  const addresses = actions.filter((action) => action.needsConsent).map(({ address }) => address);
  if (addresses.length === 0) return [];
  const consent = allowed?.adoption === true && needed !== '' ? ' (allowed)' : needed;
  return [{ tone: 'info', words: `Apply adopts ${counted(addresses.length, 'object')}${consent}`, addresses }];
}

/** Says how many objects the plan does not manage. */
export function notManaged({ unmanaged = 0 }: PlanDocument, listedBy = ' (trueup export --unmanaged)'): string[] {
  if (unmanaged === 0) return [];
  const words = `${counted(unmanaged, 'object')} of the project ${unmanaged === 1 ? 'is' : 'are'} not managed`;
  return [`${words}${listedBy}.`];
}

import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { closest } from '../diagnostics/closest.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { normalAddress } from '../kind/address.ts';
import type { Kind } from '../kind/kind.ts';
import { kindAt } from '../manifest/kind-at.ts';
import type { Resource } from '../manifest/resource.ts';
import { kinds } from '../resources/index.ts';
import { createRedactor } from '../secrets/redactor.ts';
import type { State, StateRecord } from '../state/state.ts';
import { loadManifest } from './load.ts';
import { openStore, readOnce } from './open-store.ts';
import type { Settled } from './options.ts';
import type { Target } from './target.ts';

/** An object of the platform that the user named by its address. */
export interface Addressed {
  readonly address: string;
  readonly kind: Kind;
  readonly id: string;
  /** What is remembered of it; undefined when only its id was given. */
  readonly record: StateRecord | undefined;
}

/** The state of a manifest, as far as it is there; one of another project than the manifest's is refused. */
export async function readState(
  options: Settled,
  target: Pick<Target, 'project' | 'state'>,
): Promise<State | undefined> {
  const { project } = target;
  const store = openStore(target, { options, redactor: createRedactor() });
  const state = await readOnce(store);
  if (state === undefined || project === undefined || state.projectId === project) return state;
  throw new Stop('state', [
    diagnostic(
      'state-unusable',
      `the state ${store.place} belongs to project ${state.projectId}, and the manifest names ${project}`,
      { remedy: 'Use the project the state belongs to, or a folder of its own for the other one.' },
    ),
  ]);
}

/**
 * Finds objects by their addresses: the id is what the state remembers, else what the block pins with `id:`, else
 * `givenId`. All addresses that lead nowhere are told at once.
 */
export function findObjects(
  options: Settled,
  state: State | undefined,
  { addresses, givenId }: { readonly addresses: readonly string[]; readonly givenId?: string | undefined },
): readonly Addressed[] {
  const written = new Set(addresses.map((word) => normalAddress(word) ?? word));
  const known = state?.resources ?? {};
  // The manifest is asked only for what the state does not know; a mistake in it keeps nobody from anything else.
  const declared = [...written].every((address) => typeof known[address]?.id === 'string') ? [] : declaredIn(options);
  const objects: Addressed[] = [];
  const problems: Diagnostic[] = [];
  for (const address of written) {
    const record = Object.hasOwn(known, address) ? known[address] : undefined;
    const resource = declared.find((item) => item.address === address);
    const kind = kinds.find((item) => item.kind === record?.kind) ?? resource?.kind ?? kindAt(address, kinds);
    const id = record?.id ?? resource?.pinned ?? givenId;
    if (kind !== undefined && id !== undefined && (givenId === undefined || id === givenId)) {
      objects.push({ address, kind, id, record });
    } else {
      const others = [...Object.keys(known), ...declared.map((item) => item.address)];
      problems.push(problemWith(address, { kind, id, record, isDeclared: resource !== undefined, others }));
    }
  }
  if (problems.length > 0) throw new Stop('refused', problems);
  return objects;
}

function declaredIn(options: Settled): readonly Resource[] {
  try {
    return loadManifest(options, createRedactor()).manifest.resources;
  } catch (error) {
    if (error instanceof Stop) return [];
    throw error;
  }
}

interface Found {
  readonly kind: Kind | undefined;
  readonly id: string | undefined;
  readonly record: StateRecord | undefined;
  readonly isDeclared: boolean;
  readonly others: readonly string[];
}

function problemWith(address: string, { kind, id, record, isDeclared, others }: Found): Diagnostic {
  if (id !== undefined && kind !== undefined) {
    return diagnostic('ambiguous', `${address} is tied to ${id}, and --id names another object`, {
      remedy: 'Leave out --id, or name the address that it belongs to.',
    });
  }
  if (record !== undefined) {
    return diagnostic('bad-reference', `the id of ${address} is not known yet: its creation was never confirmed`, {
      remedy: 'trueup apply finds it. --id names an object that exists.',
    });
  }
  if (isDeclared) {
    return diagnostic('bad-reference', `${address} is declared and not applied yet`, {
      remedy: 'trueup apply makes it. --id names an object that exists.',
    });
  }
  const guess = closest(address, others);
  return diagnostic('bad-reference', `the state has no resource ${address}`, {
    remedy: guess === undefined ? 'trueup state list shows what it has.' : `Did you mean ${guess}?`,
  });
}

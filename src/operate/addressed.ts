import { didYouMean } from '../diagnostics/closest.ts';
import { type Diagnostic, diagnostic, Stop, stop, unlessStopped } from '../diagnostics/diagnostic.ts';
import { resolveAddress } from '../kind/aliases.ts';
import type { Kind } from '../kind/kind.ts';
import { topOf, withTop } from '../kind/top.ts';
import { kindAt } from '../manifest/kind-at.ts';
import type { Resource } from '../manifest/resource.ts';
import type { IdSource } from '../observe/ownership.ts';
import type { StateRecord } from '../state/record.ts';
import { isBoundTo, ownName } from '../state/bound.ts';
import type { State, StateStore } from '../state/state.ts';

/** An object of the platform that the user named by its address. */
export interface Addressed {
  readonly address: string;
  readonly kind: Kind;
  readonly id: string;
  readonly foundBy: IdSource;
  /** Its record in the state; undefined when the user gave only the id. */
  readonly record: StateRecord | undefined;
}

/**
 * Reads the state once and ends the connection to it; undefined when there is none.
 *
 * @throws {Stop} `state`, when it cannot be used, or belongs to another project than `project`.
 */
export async function readStateOf(project: string | undefined, store: StateStore): Promise<State | undefined> {
  try {
    const state = await store.read();
    if (state !== undefined) checkProject(state, project, store.location);
    return state;
  } finally {
    await store.close();
  }
}

/** @throws {Stop} `state`, when a state belongs to another project than `project`. */
export function checkProject(state: State, project: string | undefined, location: string): void {
  if (project === undefined || isBoundTo(state, project)) return;
  throw stop(
    'state',
    'state-unusable',
    `the state ${location} belongs to project ${ownName(state)}, and the manifest names ${project}`,
    { remedy: 'Use the project the state belongs to, or a folder of its own for the other one.' },
  );
}

/** The facts that addresses are looked up in. */
interface AddressInput {
  readonly kinds: readonly Kind[];
  readonly state: State | undefined;
  /** Reads the resources of the manifest; called only for what the state does not know. */
  readonly declared: () => Promise<readonly Resource[]>;
  readonly addresses: readonly string[];
  readonly givenId?: string | undefined;
}

/**
 * Finds objects by their addresses: the id is the one in the state, else the one that the block pins with `id:`, else
 * `givenId`. Sends nothing.
 *
 * @throws {Stop} `refused`, with every address that leads nowhere.
 */
export async function findObjects(input: AddressInput): Promise<readonly Addressed[]> {
  const { kinds, state, addresses, givenId } = input;
  const written = new Set(addresses.map((word) => resolveAddress(word)));
  const top = topOf(withTop(kinds));
  const all = top === undefined || kinds.includes(top) ? kinds : [...kinds, top];
  const known = state?.resources ?? {};
  // A mistake in the manifest does not stop commands to objects that the state knows.
  const declared = [...written].every((address) => Object.hasOwn(known, address) && known[address]?.id !== null)
    ? []
    : ((await unlessStopped(input.declared())) ?? []);
  const objects: Addressed[] = [];
  const problems: Diagnostic[] = [];
  for (const address of written) {
    const record = Object.hasOwn(known, address) ? known[address] : undefined;
    const resource = declared.find((item) => item.address === address);
    const kind = all.find((item) => item.kind === record?.kind) ?? resource?.kind ?? kindAt(address, kinds)?.kind;
    const id = record?.id ?? resource?.pinned ?? givenId;
    if (kind !== undefined && id !== undefined && (givenId === undefined || id === givenId)) {
      const foundBy = typeof record?.id === 'string' ? 'id' : resource?.pinned === undefined ? 'option' : 'pin';
      objects.push({ address, kind, id, foundBy, record });
    } else {
      const others = [...Object.keys(known), ...declared.map((item) => item.address)];
      problems.push(problemWith(address, { kind, id, record, isDeclared: resource !== undefined, others }));
    }
  }
  if (problems.length > 0) throw new Stop('refused', problems);
  return objects;
}

/**
 * The same objects with the kinds as a platform can.
 *
 * @throws {Stop} `refused`, when the platform does not serve the kind of one.
 */
export function objectsOn(objects: readonly Addressed[], kinds: readonly Kind[]): readonly Addressed[] {
  const byName = new Map(kinds.map((kind) => [kind.kind, kind]));
  const problems: Diagnostic[] = [];
  const found = objects.flatMap((object) => {
    const { address, kind: full } = object;
    const kind = byName.get(full.kind);
    if (kind !== undefined) return [{ ...object, kind }];
    const message = `${address}: the platform has no ${full.section}: it does not serve ${full.operations.read}`;
    problems.push(diagnostic('unsupported', message, { address }));
    return [];
  });
  if (problems.length > 0) throw new Stop('refused', problems);
  return found;
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
  const { message, remedy } = notInState(address, others);
  return diagnostic('bad-reference', message, { remedy });
}

/** The message and the remedy for an address that the state does not have. */
export function notInState(address: string, known: readonly string[]) {
  const remedy = didYouMean(address, known, 'trueup state list shows what it has.');
  return { message: `the state has no resource ${address}`, remedy };
}

import type { StateRecord, Stored } from '../state/record.ts';
import type { State } from '../state/state.ts';
import { printable } from './printable.ts';
import type { Style } from './style.ts';
import { inlineShown } from './value-text.ts';
import type { EditedState } from '../operate/edit-state.ts';
import type { Holder } from '../state/holder.ts';
import type {
  AcceptOlderDocument,
  StateEditDocument,
  StateKeyDocument,
  StateListDocument,
  StateShowDocument,
  UnlockDocument,
} from './document-schemas.ts';

/** Renders the resources of a state, one per line. */
export function renderStateList(state: State | undefined, style: Style): string {
  return sortedRecords(state)
    .map(([address, { id }]) => `${printable(address)} ${style.paint('faint', idWords(id))}\n`)
    .join('');
}

/** Renders one resource of a state: the wanted values, and those of the platform where they differ. */
export function renderStateRecord(address: string, record: StateRecord, style: Style): string {
  const lines = [
    style.paint('strong', printable(address)),
    `  kind: ${record.kind}`,
    `  id: ${idWords(record.id)}`,
    ...(record.parent === null ? [] : [`  parent: ${printable(record.parent)}`]),
    ...(record.dependsOn.length === 0 ? [] : [`  needs: ${record.dependsOn.map(printable).join(', ')}`]),
    ...Object.entries(record.options).map(
      ([name, value]) => `  ${printable(name)}: ${printable(JSON.stringify(value))}`,
    ),
    ...Object.entries(record.pairs).map(([part, { wanted, answered, ignored }]) => {
      const [ours, theirs] = [storedWords(wanted), storedWords(answered)];
      const other = ours === theirs ? '' : style.paint('info', ` (the platform answers ${theirs})`);
      return `  ${printable(part)}: ${ours}${other}${ignored !== undefined ? style.paint('bad', ' (ignored by the platform)') : ''}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

/** Renders a change of a state, one line per resource. */
export function renderStateEdit({ edited, isDryRun }: StateEdit, style: Style): string {
  const { moved, removed } = edited;
  const [move, remove] = isDryRun ? ['would move', 'would remove'] : ['moved', 'removed'];
  const lines = [
    ...moved.map(({ from, to, record: { id } }) => [`${move} ${printable(from)} to ${printable(to)}`, id, ''] as const),
    ...removed.map(
      ({ address, record: { id, options } }) =>
        [`${remove} ${printable(address)}`, id, options['protect'] === true ? ', its protection too' : ''] as const,
    ),
  ].map(([words, id, more]) => `${words} ${style.paint('faint', idWords(id))}${more}`);
  const next =
    moved.length > 0
      ? 'Rename the block in the manifest too: the platform was not touched.'
      : 'The platform was not touched. While a block declares one of them, the next plan adopts it again.';
  return `${[...lines, isDryRun ? 'Nothing was written.' : next].join('\n')}\n`;
}

function storedWords(stored: Stored): string {
  return 'digest' in stored
    ? '(digest)'
    : inlineShown(stored.value === null ? { is: 'absent' } : { is: 'value', value: stored.value });
}

function idWords(id: string | null): string {
  return id === null ? '(not known yet)' : printable(id);
}

/** The resources of a state as a document; without a state the list is empty. */
export function stateListJson(state: State | undefined): StateListDocument {
  return {
    format: 'trueup/state-list',
    version: 1,
    serial: state?.serial,
    resources: sortedRecords(state).map(([address, { kind, id }]) => ({ address, kind, id })),
  };
}

/** One resource of a state as a document; digests are left out. */
export function stateShowJson(address: string, record: StateRecord): StateShowDocument {
  return {
    format: 'trueup/state-resource',
    version: 1,
    address,
    kind: record.kind,
    id: record.id,
    parent: record.parent,
    dependsOn: record.dependsOn,
    fields: Object.fromEntries(
      Object.entries(record.pairs).map(([part, pair]) => [
        part,
        { wanted: storedJson(pair.wanted), answered: storedJson(pair.answered), kept: pair.ignored === undefined },
      ]),
    ),
    options: record.options,
  };
}

/** A change of a state that a person asked for. */
export interface StateEdit {
  readonly edited: EditedState;
  /** The version of the state afterwards. */
  readonly serial: number;
  /** Nothing was written. */
  readonly isDryRun: boolean;
}

/** A change of a state as a document. */
export function stateEditJson({ edited, serial, isDryRun }: StateEdit): StateEditDocument {
  return {
    format: 'trueup/state-edit',
    version: 1,
    serial,
    dryRun: isDryRun,
    moved: edited.moved.map(({ from, to, record: { kind, id } }) => ({ from, to, kind, id })),
    removed: edited.removed.map(({ address, record: { kind, id, options } }) => ({
      address,
      kind,
      id,
      protected: options['protect'] === true,
    })),
  };
}

/** The holder that lost the lock of a state, as a document. */
export function unlockJson(holder: Pick<Holder, 'owner' | 'purpose' | 'since'> | undefined): UnlockDocument {
  const removed = holder === undefined ? null : { owner: holder.owner, purpose: holder.purpose, since: holder.since };
  return { format: 'trueup/unlock', version: 1, removed };
}

/** The key of a state: where it is, and what changed. */
export interface StateKeyReport {
  /** The location of the state. */
  readonly state: string;
  /** The variable or the file that has the key. */
  readonly key: string;
  /** What the run did beside naming the key; undefined: nothing. */
  readonly did: 'rotated' | 'migrated' | undefined;
}

/** The place of the key of a state as a document, without the key. */
export function stateKeyJson({ state, key, did }: StateKeyReport): StateKeyDocument {
  return {
    format: 'trueup/state-key',
    version: 1,
    state,
    key,
    rotated: did === 'rotated',
    migrated: did === 'migrated',
  };
}

/** The result of `state accept-older`. */
export interface AcceptOlderReport {
  /** The version of the state afterwards; undefined without a state. */
  readonly serial: number | undefined;
  /** false: the state is the newest one. */
  readonly isAccepted: boolean;
}

/** The result of `state accept-older` as a document. */
export function acceptOlderJson({ serial, isAccepted }: AcceptOlderReport): AcceptOlderDocument {
  return {
    format: 'trueup/accept-older',
    version: 1,
    serial,
    accepted: isAccepted,
  };
}

/** The records of a state by address. */
function sortedRecords(state: State | undefined): [string, StateRecord][] {
  return Object.entries(state?.resources ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function storedJson(stored: Stored): StateShowDocument['fields'][string]['wanted'] {
  return 'digest' in stored ? { digest: true } : stored;
}

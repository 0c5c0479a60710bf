import type { StateRecord, Stored } from '../state/record.ts';
import type { State } from '../state/state.ts';
import { printable } from './printable.ts';
import { type StateEdit, sortedRecords } from './state-json.ts';
import type { Style } from './style.ts';
import { inlineShown } from './value-text.ts';

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

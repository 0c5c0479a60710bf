import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { type Json, same } from '../formats/json.ts';
import { writtenFields } from '../kind/written.ts';
import { type Resource, resourcePosition } from '../manifest/resource.ts';
import type { StateRecord } from '../state/record.ts';
import type { Action, Change, Shown } from './action.ts';

type Options = Action['options'];

/** The options of a resource as an apply leaves them in the state, and how they differ from those in the state. */
export interface PlannedOptions {
  readonly options: Options;
  readonly changes: readonly Change[];
  readonly notes: readonly Diagnostic[];
}

/**
 * Compares the options of a block with those in the state. An option that is left out has its default again, which is the
 * safe one. Only `protect: true` stays: to lift a protection is a decision, and a line that got lost is none.
 */
export function planOptions(
  resource: Resource,
  recorded: Options = {},
  cause: 'create' | 'first managed' | 'edit' = 'edit',
): PlannedOptions {
  const { address, kind, link, options: declared } = resource;
  const stays = declared.protect === undefined && recorded.protect === true;
  const options = stays ? { ...declared, protect: true } : declared;
  const names = new Set([...Object.keys(options), ...Object.keys(recorded)]);
  if (names.size === 0) return { options, changes: [], notes: [] };
  const written = writtenFields(kind, link);
  const changes = [...names].flatMap((name): Change[] => {
    const option = written.get(name);
    if (option?.is !== 'option') return []; // of a kind as an earlier version had it
    const before = recorded[name] ?? option.otherwise;
    const after = options[name] ?? option.otherwise;
    if (same(before, after)) return [];
    return [
      {
        path: name,
        cause: after === undefined ? 'removed' : cause,
        before: shown(cause === 'create' ? recorded[name] : before),
        after: shown(after),
        ...(after === undefined ? { last: shown(before) } : {}),
        atDeploy: false,
        forcesReplacement: false,
      },
    ];
  });
  if (!stays) return { options, changes, notes: [] };
  const note = diagnostic('still-protected', `${address} stays protected: its block does not say protect: any more`, {
    remedy: 'Write protect: true again, or protect: false to lift the protection.',
    address,
    position: resourcePosition(resource),
  });
  return { options, changes, notes: [note] };
}

/**
 * The protection that holds for a run. It is lifted, and data may go without a flag, only once an apply recorded that: the
 * edit that would delete an object cannot lift its protection too.
 */
export function protection(declared: Options, record: Pick<StateRecord, 'options'> | undefined): boolean | undefined {
  const [block, state] = [declared.protect, record?.options.protect];
  if (block === true || state === true) return true;
  return block === false && state === false ? false : undefined;
}

function shown(value: Json | undefined): Shown {
  return value === undefined ? { is: 'absent' } : { is: 'value', value };
}

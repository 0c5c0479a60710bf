import type { WireAnswer } from '../../api/wire.ts';
import type { Emulator } from '../emulator.ts';
import { type Row, readMap } from '../json-rows.ts';
import type { Asked } from './asked.ts';
import type { Edit } from './fault-plan.ts';

/** Does on the platform what another person does; `$member` stands for what the request says, or its answer. */
export async function injectEdit(
  emulator: Emulator,
  edit: Edit,
  { asked, answer }: { readonly asked: Asked; readonly answer?: WireAnswer },
): Promise<void> {
  if (edit.do === undefined) return;
  const known = { ...asked.input, ...(answer && readMap(answer.body)) };
  await emulator.act(edit.do, fill(edit.with ?? {}, known) as Row);
}

/** `$$` is a dollar sign at the beginning of a text. */
function fill(value: unknown, known: Row): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item, known));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, known)]));
  }
  if (typeof value !== 'string' || !value.startsWith('$')) return value;
  if (value.startsWith('$$')) return value.slice(1);
  const member = value.slice(1);
  if (known[member] === undefined) throw new Error(`the request says nothing of ${member}`);
  return known[member];
}

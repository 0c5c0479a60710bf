import { requiredMembers } from '../api/contract.ts';
import type { KindCommand, PossibleCommand } from './kind-command.ts';
import { type Json, type Row, member, same } from '../formats/json.ts';
import type { Kind } from './kind.ts';
import { idMember, takes, takesNull, valueAt } from './row-values.ts';

/** The alternatives of a command of a kind; none when the kind does not have the command. */
export function alternativesOf(kind: Kind, name: string): readonly KindCommand[] {
  const { commands = {} } = kind;
  const found = Object.hasOwn(commands, name) ? commands[name] : undefined;
  return found === undefined ? [] : [found].flat();
}

/** The first alternative that matches an object as it was read. */
export function commandFor(kind: Kind, name: string, row: Row): KindCommand | undefined {
  return alternativesOf(kind, name).find(({ when = {} }) =>
    Object.entries(when).every(([at, value]) => same(member(row, at) ?? null, value)),
  );
}

/** The command that `seed:` runs. */
export const seedCommand = 'execute';

/** The operations that answer only when the work that they order is over, which may take minutes. */
export function lateOperations(kinds: readonly Kind[]): ReadonlySet<string> {
  const all = kinds.flatMap((kind) => Object.keys(kind.commands ?? {}).flatMap((name) => alternativesOf(kind, name)));
  return new Set(all.flatMap((command) => ('call' in command && command.answers === 'late' ? [command.call] : [])));
}

/** What the operation is sent: the id where it takes one, and what else it takes of the row. */
export function commandInput(kind: Kind, { call, with: members = {} }: PossibleCommand, id: string, row: Row): Row {
  const input: Record<string, Json> = {};
  const name = idMember(kind, call);
  if (takes(call, name)) input[name] = id;
  for (const [as, from] of Object.entries(members)) {
    const value = valueAt(row, from) ?? null;
    if (value !== null || (requiredMembers(call).includes(as) && takesNull(call, as))) input[as] = value;
  }
  return input;
}

import { alternativesOf, commandInput, commandFor } from '../kind/command-call.ts';
import type { Addressed } from './addressed.ts';
import { consequenceOf } from '../api/consequences.ts';
import { type Diagnostic, diagnostic } from '../diagnostics/diagnostic.ts';
import { flags, safeguards } from '../diagnostics/safeguards.ts';
import type { Row } from '../formats/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { PossibleCommand } from '../kind/kind-command.ts';
import { type Secret, secret } from '../secrets/secret.ts';

/** A command on one object of the platform, with its one request: `stop` a compose. */
export interface ObjectCommand {
  readonly address: string;
  readonly kind: Kind;
  readonly id: string;
  /** `start`, `rebuild`. */
  readonly name: string;
  readonly operation: PossibleCommand;
  /** Holds no secret: ids, names and addresses. */
  readonly input: Row;
  /** The object before the command, with its secrets. */
  readonly before: Secret<Row>;
  /** Clauses that say what the command ends or interrupts. Ask the user first when there are any. */
  readonly consequences: readonly string[];
}

/** The object of a command, as the platform and the state have it. */
export interface CommandTarget {
  readonly address: string;
  readonly kind: Kind;
  readonly id: string;
  readonly row: Row;
  /** The declared `protect:` of the object: true keeps its data, false gives it up. */
  readonly protect: boolean | undefined;
}

/** Makes the command for one object; gives a diagnostic where the platform or `protect:` does not allow it. Never throws. */
export function makeCommand(
  target: CommandTarget,
  name: string,
  permissions: { readonly dataLoss: boolean },
): ObjectCommand | Diagnostic {
  const { address, kind, id, row, protect } = target;
  const operation = commandFor(kind, name, row);
  if (operation === undefined || 'cannot' in operation) {
    const why = operation === undefined ? 'the platform has no documented operation for it as it is' : operation.cannot;
    return diagnostic('cannot-change', `cannot ${name} ${address}: ${why}`, { address, remedy: operation?.remedy });
  }
  const { dataAtRisk, interrupts } = operation;
  if (dataAtRisk !== undefined && protect === true) {
    return diagnostic(
      safeguards.protected.code,
      `to ${name} ${address} deletes ${dataAtRisk}, and protect: true keeps it`,
      {
        address,
        remedy: 'Write protect: false in the block and apply that first, if the data may go.',
      },
    );
  }
  if (dataAtRisk !== undefined && protect === undefined && !permissions.dataLoss) {
    return diagnostic(safeguards.data.code, `to ${name} ${address} deletes ${dataAtRisk}`, {
      address,
      remedy: `Allow it with ${flags.dataLoss}, if the data may go.`,
    });
  }
  const input = commandInput(kind, operation, id, row);
  const consequences = [consequenceOf(operation.call, input), interrupts].filter((clause) => clause !== undefined);
  return { address, kind, id, name, operation, input, before: secret(row), consequences };
}

/** Seconds for a read, for an operation that answers at once, and for one that answers when its work is over. */
const usual = { read: 30, quick: 60, slow: 1_800 };

/** Longest wait for the end of a command when the user gives none. Seconds. */
export const usualCommandSeconds = usual.slow;

/** The deadline of each request of a command, in milliseconds; `seconds` is the limit that the user gives. Never throws. */
export function commandDeadlines(
  objects: readonly Pick<Addressed, 'kind'>[],
  name: string,
  seconds: number | undefined,
): (operation: string) => number {
  const limits = new Map(
    objects.flatMap(({ kind }) =>
      alternativesOf(kind, name).flatMap((alternative): [string, number][] =>
        'call' in alternative
          ? [[alternative.call, seconds ?? (alternative.answers === 'late' ? usual.slow : usual.quick)]]
          : [],
      ),
    ),
  );
  return (operation) => 1_000 * (limits.get(operation) ?? usual.read);
}

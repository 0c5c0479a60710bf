import { consequenceOf } from '../api/consequences.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic } from '../diagnostics/diagnostic.ts';
import type { Row } from '../kind/json.ts';
import type { Kind } from '../kind/kind.ts';
import type { Way } from '../kind/verb.ts';
import { verbInput, wayFor } from '../kind/verb.ts';
import type { Secret } from '../secrets/secret.ts';
import { secret } from '../secrets/secret.ts';

/** One object that is to be told something, with the request for it. */
export interface Order {
  readonly address: string;
  readonly kind: Kind;
  readonly id: string;
  readonly verb: string;
  readonly way: Way;
  /** Holds no secret: ids, names and addresses. */
  readonly input: Row;
  /** The object as it was read before, with its secrets. */
  readonly before: Secret<Row>;
  /** What it ends or interrupts, as clauses; when there are some, somebody is to be asked first. */
  readonly consequences: readonly string[];
}

/** What an order is made of. */
export interface Wish {
  readonly address: string;
  readonly kind: Kind;
  readonly id: string;
  readonly row: Row;
  /** The declared `protect:` of the object: true keeps its data, false gives it up. */
  readonly protect: boolean | undefined;
}

/** Makes the order for one object as it was read; or says why it cannot be told that, or may not. */
export function makeOrder(wish: Wish, verb: string, permits: { readonly dataLoss: boolean }): Order | Diagnostic {
  const { address, kind, id, row, protect } = wish;
  const way = wayFor(kind, verb, row);
  if (way === undefined || 'cannot' in way) {
    const why = way === undefined ? 'the platform has no documented operation for it as it is' : way.cannot;
    return diagnostic('cannot-change', `cannot ${verb} ${address}: ${why}`, { address, remedy: way?.remedy });
  }
  const { dataAtRisk, interrupts } = way;
  if (dataAtRisk !== undefined && protect === true) {
    return diagnostic('protected', `to ${verb} ${address} deletes ${dataAtRisk}, and protect: true keeps it`, {
      address,
      remedy: 'Remove protect: true from the block and apply that first, if the data may go.',
    });
  }
  if (dataAtRisk !== undefined && protect === undefined && !permits.dataLoss) {
    return diagnostic('data-at-risk', `to ${verb} ${address} deletes ${dataAtRisk}`, {
      address,
      remedy: 'Allow it with --allow-data-loss, if the data may go.',
    });
  }
  const input = verbInput(kind, way, id, row);
  const consequences = [consequenceOf(way.call, input), interrupts].filter((clause) => clause !== undefined);
  return { address, kind, id, verb, way, input, before: secret(row), consequences };
}

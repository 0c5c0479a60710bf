import type { Told } from '../apply/carry-out.ts';
import { redacted } from '../secrets/secret.ts';
import { diagnosticJson } from './diagnostics-json.ts';
import type { RunDocument } from './documents.ts';

/** What became of orders, and how much of it is shown. */
export interface OrdersView {
  readonly verb: string;
  readonly told: readonly Told[];
  readonly counts: { readonly reads: number; readonly writes: number };
  readonly showsSecrets: boolean;
}

/** What became of orders, for programs. */
export function ordersJson({ verb, told, counts, showsSecrets }: OrdersView, exitCode: number): RunDocument {
  return {
    format: 'trueup/run',
    version: 1,
    verb,
    exitCode,
    requests: { reads: counts.reads, writes: counts.writes },
    outcomes: told.map(({ order, result, answer, status, renewed, diagnostics }) => ({
      address: order.address,
      kind: order.kind.kind,
      id: order.id,
      operation: order.way.call,
      result,
      ...(answer === undefined ? {} : { answer: answer as NonNullable<RunDocument['outcomes'][number]['answer']> }), // JSON already
      ...(status === undefined ? {} : { status }),
      ...(renewed === undefined
        ? {}
        : { renewed: { member: order.way.renews ?? '', value: showsSecrets ? renewed : redacted } }),
      diagnostics: diagnostics.map(diagnosticJson),
    })),
  };
}

import type { Client } from '../api/client.ts';
import { closest } from '../diagnostics/closest.ts';
import type { Diagnostic } from '../diagnostics/diagnostic.ts';
import { diagnostic, Stop } from '../diagnostics/diagnostic.ts';
import { isWithin } from '../kind/address.ts';
import { waysOf } from '../kind/verb.ts';
import { readRow } from '../observe/read-row.ts';
import type { Order } from '../plan/order.ts';
import { makeOrder } from '../plan/order.ts';
import { protectOf } from '../plan/removal.ts';
import { kinds } from '../resources/index.ts';
import { knowingInput } from '../secrets/call-secrets.ts';
import type { Redactor } from '../secrets/redactor.ts';
import type { State } from '../state/state.ts';
import type { Addressed } from './addressed.ts';
import { usage } from './options.ts';

/** Stops a run whose verb is none of any kind. */
export function checkVerb(verb: string): void {
  const known = [...new Set(kinds.flatMap((kind) => Object.keys(kind.verbs ?? {})))];
  if (known.includes(verb)) return;
  const guess = closest(verb, known);
  throw usage(
    `nothing can be told to ${verb}`,
    guess === undefined ? `There is ${known.join(', ')}.` : `Did you mean ${guess}?`,
  );
}

/** Stops a run in which some objects cannot be told this, because of what they are. */
export function refuseOthers(verb: string, objects: readonly Addressed[], state: State | undefined): void {
  const problems = objects.flatMap(({ address, kind }): Diagnostic[] => {
    if (waysOf(kind, verb).length > 0) return [];
    const others = Object.keys(kind.verbs ?? {});
    const below = Object.entries(state?.resources ?? {}).flatMap(([other, record]) =>
      isWithin(other, address) && canBeTold(record.kind, verb) ? [other] : [],
    );
    const message = `cannot ${verb} ${address}: the platform has no documented operation for it on a ${kind.kind}`;
    const remedy = below.length > 0 ? `Below it: ${below.join(', ')}.` : `What there is for it: ${others.join(', ')}.`;
    return [
      diagnostic('cannot-change', message, {
        address,
        remedy: below.length + others.length === 0 ? undefined : remedy,
      }),
    ];
  });
  if (problems.length > 0) throw new Stop('refused', problems);
}

function canBeTold(name: string, verb: string): boolean {
  return kinds.some((kind) => kind.kind === name && waysOf(kind, verb).length > 0);
}

/** Reads every object, and refuses all when one cannot be told: half of what was meant is done by no mistake in words. */
export async function makeOrders(
  client: Client,
  redactor: Redactor,
  { verb, objects, dataLoss }: { verb: string; objects: readonly Addressed[]; dataLoss: boolean },
): Promise<readonly Order[]> {
  const rows = await Promise.all(objects.map(({ kind, id }) => readRow(client, kind, id)));
  const problems: Diagnostic[] = [];
  const orders = objects.flatMap(({ address, kind, id, record }, index): Order[] => {
    const row = rows[index];
    if (row === undefined) {
      const remedy = 'It may have been deleted there: trueup plan shows what differs.';
      problems.push(diagnostic('not-found', `the platform has no ${kind.kind} with id ${id}`, { address, remedy }));
      return [];
    }
    // A failure may quote the row; what is secret in it is not to be printed.
    knowingInput(redactor, row);
    const wish = { address, kind, id, row, protect: protectOf(record?.options ?? {}) };
    const made = makeOrder(wish, verb, { dataLoss });
    if ('severity' in made) problems.push(made);
    else return [made];
    return [];
  });
  if (problems.length > 0) throw new Stop('refused', problems);
  return orders;
}

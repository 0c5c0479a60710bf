import { hasChanges } from '../../src/plan/action.ts';
import type { Code } from '../../src/diagnostics/codes.ts';
import type { Diagnostic } from '../../src/diagnostics/diagnostic.ts';
import type { Bench } from '../support/world.ts';
import type { Ended, Provocation } from './provoked.ts';
import { diagnosticsIn, everything } from './provoked.ts';

/**
 * A part of a remedy: a function that does what it says after the code was provoked, and ends as the next run; the reason why
 * only a person can do it; or a fact, which asks for nothing.
 */
type Remedy = ((made: Bench) => Promise<Ended>) | { readonly forPeople: string } | 'fact';

/** A remedy as it is printed, in the parts that are tested one by one. */
export type Row = Readonly<Record<string, Remedy>>;

/** A remedy that names a flag, an id, the state or a protection, beside the first one of its code. */
export interface OtherRemedy {
  readonly code: Code;
  readonly provoke: Provocation;
  readonly row: Row;
}

/** Applies a manifest with every permission, and plans it again: that plan has no change. */
export async function applied(made: Bench, text: string | Record<string, string>): Promise<readonly Diagnostic[]> {
  const result = await made.apply(text, everything);
  const next = await made.plan(text);
  if (hasChanges(next))
    throw new Error(`the plan after apply has changes: ${next.actions.map(({ address }) => address).join(', ')}`);
  return [...diagnosticsIn(result), ...diagnosticsIn(next)];
}

import type { Operation } from '../api/contract.ts';
import type { Json } from './json.ts';

/** What a person can have done to an object with `trueup run`, such as `start`; or why that is not possible. */
export type KindCommand = {
  /** Members of the row with their values, for which this holds; without it, for all that is left. */
  readonly when?: Readonly<Record<string, Json>>;
} & (
  | {
      readonly call: Operation;
      /** Members that the operation takes beside the id, by where the row holds them. */
      readonly with?: Readonly<Record<string, string>>;
      /** What does not work meanwhile, as a clause: reason to ask first. */
      readonly interrupts?: string;
      /** What it deletes, as a short noun phrase. */
      readonly dataAtRisk?: string;
      /** `late`: the answer comes when the work is over, which may take minutes. `early`: before it begins. */
      readonly answers?: 'late' | 'early';
      /** It finds something out and changes nothing. */
      readonly isTest?: true;
      /** Members of an answer that is a 200 in any case: whether it went well, why not, and what else is told. */
      readonly verdict?: { readonly good: string; readonly why: string; readonly tells: readonly string[] };
      /** The member of the row that is another one afterwards; it is a secret. */
      readonly renews?: string;
    }
  | { readonly cannot: string; readonly remedy: string }
);

/** An alternative of a command that the platform has an operation for. */
export type PossibleCommand = Extract<KindCommand, { readonly call: unknown }>;

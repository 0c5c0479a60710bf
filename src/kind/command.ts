import type { Operation } from '../api/contract.ts';
import type { Json, Row } from './json.ts';

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
      /** Reads an answer that is a 200 in any case. */
      readonly verdict?: (answer: Row) => Verdict;
      /** The member of the row that is another one afterwards; it is a secret. */
      readonly renews?: string;
    }
  | { readonly cannot: string; readonly remedy: string }
);

/** Whether a command did what it was to do. `findings` hold no secret: people read them; empty ones are left out. */
export type Verdict =
  | { readonly passed: true; readonly findings: Row }
  | { readonly passed: false; readonly reason: string | undefined };

/** An alternative of a command that the platform has an operation for. */
export type PossibleCommand = Extract<KindCommand, { readonly call: unknown }>;

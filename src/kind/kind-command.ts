import type { Operation } from '../api/contract.ts';
import type { Json, Row } from '../formats/json.ts';

/** A command of `trueup run` for a kind, such as `start`; or the reason why the platform cannot do it. */
export type KindCommand = {
  /** Members of the row with the values that this alternative is for; without it, it matches every row. */
  readonly when?: Readonly<Record<string, Json>>;
} & (
  | {
      readonly call: Operation;
      /** Members that the operation takes beside the id, and where the row holds each. */
      readonly with?: Readonly<Record<string, string>>;
      /** What stops working meanwhile, as a clause: Trueup asks first. */
      readonly interrupts?: string;
      /** The data that the command deletes, as a short noun phrase. */
      readonly dataAtRisk?: string;
      /** `late`: the platform answers after the work, which may take minutes. `early`: before the work begins. */
      readonly answers?: 'late' | 'early';
      /** The command finds something out and changes nothing. */
      readonly isTest?: true;
      /** Reads the answer of an operation that answers 200 also when the command failed. */
      readonly verdict?: (answer: Row) => Verdict;
      /** The member of the row in its list that has the runs of the command, each with its id and status. */
      readonly runsAt?: string;
      /** The member of the row that gets a new value; it is a secret. */
      readonly renews?: string;
    }
  | { readonly cannot: string; readonly remedy: string }
);

/** The outcome of a command, as its answer says it. `findings` are shown to people and hold no secret. */
export type Verdict =
  | { readonly passed: true; readonly findings: Row }
  | { readonly passed: false; readonly reason: string | undefined };

/** An alternative of a command that the platform has an operation for. */
export type PossibleCommand = Extract<KindCommand, { readonly call: unknown }>;

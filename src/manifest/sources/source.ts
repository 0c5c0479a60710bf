import type { Code } from '../../diagnostics/codes.ts';
import type { Place } from '../tree.ts';
import type { Reference } from '../reference.ts';
import type { FileText } from '../workspace.ts';

/** A source of values: the word before the colon of `${word:argument}`, and how its argument becomes a value. */
export interface ExpressionSource {
  /** The word before the colon: letters, digits and `-`. */
  readonly name: string;
  /** The index of the brace that closes an argument which begins at `from`; -1 when none does. */
  readonly closing: (text: string, from: number) => number;
  /** Its values are texts that never show; each is added as a secret of the run. On those of `secret` nothing is computed. */
  readonly conceals?: 'secret' | 'env';
  /** A word such as `|urlencode` or `|base64` behind its argument encodes its value. */
  readonly isEncodable?: true;
  /** The files that an argument names, relative to the file that it stands in. They are read before `resolve` is called. */
  readonly files: (argument: string) => readonly string[];
  /** Checks an argument and gives its value. Called once per expression, at `at`. */
  readonly resolve: (argument: string, values: Values, at: Place) => Resolution;
}

/** What an expression stands for. */
export type Resolution =
  | { readonly is: 'text'; readonly text: string }
  /** A value that keeps its type where it stands alone, and as it was written where it is part of a text. */
  | {
      readonly is: 'scalar';
      readonly value: string | number | boolean;
      readonly written: string;
      /** Its name is that of a secret, or a secret field has it: where a secret may stand, it never shows. */
      readonly isSecret?: boolean;
    }
  /** Several texts; they stand alone only. */
  | { readonly is: 'list'; readonly value: readonly string[] }
  /** An output of another resource; it may be known only after apply. */
  | { readonly is: 'reference'; readonly reference: Reference }
  /** A secret that this run does not have; its name is the argument. */
  | { readonly is: 'missing' }
  /** What this run does not need to know. */
  | { readonly is: 'unknown' }
  | Refusal;

/** The reason why an expression stands for nothing, and the remedy. */
export interface Refusal {
  readonly is: 'refused';
  readonly code: Code;
  readonly message: string;
  readonly remedy?: string | undefined;
}

/** The values that sources read from. */
export interface Values {
  readonly env: (name: string) => string | undefined;
  readonly envLimit: EnvLimit;
  /** The value of a declared variable. */
  readonly variable: (name: string) => VariableValue | undefined;
  /** Whether the value of a variable is that of a secret field, wherever else it stands. */
  readonly isSecretVariable: (name: string) => boolean;
  /** What gives a variable its value: `production.yaml:5:20`, `--var tag`; undefined: it has none. */
  readonly variableFrom: (name: string) => string | undefined;
  /** The names of the declared variables. */
  readonly variableNames: readonly string[];
  readonly secret: (name: string) => string | undefined;
  /** The text of a file that `files` named, relative to the file at `from`. */
  readonly file: (path: string, from: Place) => FileText;
  /** Finds an output by its path, from the resource that the expression stands in. */
  readonly find: (path: string) => Reference | { readonly problem: string; readonly remedy?: string };
}

/**
 * The reason why a manifest must not read a variable of the environment, and the value of TRUEUP_ENV_ALLOW that allows it;
 * undefined: it may.
 */
export type EnvLimit = (name: string) => { readonly why: string; readonly allowing: string } | undefined;

/** A value, and the same as it was written: 16.10 is no 16.1 in the middle of a text. A list is no part of a text. */
export type TypedValue =
  | { readonly value: string | number | boolean; readonly written: string }
  | { readonly value: readonly string[]; readonly written: undefined };

/** The value of a variable, or why it has none; `each preview`: a command line gives it with the id of a preview. */
export type VariableValue =
  | TypedValue
  | { readonly problem: string; readonly remedy: string }
  | { readonly givenBy: 'each preview' };

/** Closes an argument at the next brace. */
export function nextBrace(text: string, from: number): number {
  return text.indexOf('}', from);
}

/** Refuses an expression for its argument. */
export function badExpression(message: string, remedy: string): Refusal {
  return { is: 'refused', code: 'bad-expression', message, remedy };
}

/** Refuses an expression that would read secrets of the run or of the repository. */
export function refusePrivate(message: string, remedy: string): Refusal {
  return { is: 'refused', code: 'private-source', message, remedy };
}

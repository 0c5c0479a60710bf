/** More about an option than its line of the help. */
export interface OptionAbout {
  readonly about: string;
  readonly default?: string;
  /** All values are kept, in their order; else two different values are refused. */
  readonly isRepeatable?: true;
  /** Checks a value. @throws {Stop} `usage` */
  readonly read?: (value: string) => string;
}

/** An option: its line of the help, or more about it. */
export type OptionText =
  | string
  | OptionAbout
  /** Another name of that option, or an earlier form. The help does not show it. */
  | { readonly means: string }
  | { readonly isHidden: true };

/** Options by their form: `--full`, `--no-wait`, `--out <file>`, `--list [what]`. */
export type Options = Readonly<Record<string, OptionText>>;

/** The values of options: those with a default are always there. */
export type FlagsOf<O> = {
  readonly [F in keyof O as O[F] extends { default: string } ? NameOf<F> : never]: ValueOf<F, O[F]>;
} & {
  readonly [F in keyof O as O[F] extends { default: string } | { means: string } ? never : NameOf<F>]?: ValueOf<
    F,
    O[F]
  >;
};

type NameOf<F> = F extends `-${string}, --${infer Long}`
  ? NameOf<`--${Long}`>
  : F extends `--no-${infer Name}`
    ? Camel<Name>
    : F extends `--${infer Name} ${string}`
      ? Camel<Name>
      : F extends `--${infer Name}`
        ? Camel<Name>
        : never;

type ValueOf<F, About> = F extends `${string} <${string}>`
  ? About extends { isRepeatable: true }
    ? readonly string[]
    : string
  : F extends `${string} [${string}]`
    ? string | true
    : F extends `--no-${string}`
      ? boolean
      : true;

type Camel<Text extends string> = Text extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Text;

/** The pages that are looked at. They are made elsewhere, so that the types of the browser meet none of the source. */
export interface ProvidedPages {
  readonly plan: string;
  readonly apply: string;
  readonly drift: string;
  readonly hostile: string;
  readonly hostileDrift: string;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly pages: ProvidedPages;
    /** What no page holds. */
    readonly secretOfPages: string;
  }
}

/** The pages that are looked at. They are made elsewhere, so that the types of the browser meet none of the source. */
export interface ProvidedPages {
  readonly plan: string;
  readonly apply: string;
  readonly drift: string;
  readonly hostile: string;
  readonly hostileDrift: string;
}

/** A controller that listens. */
export interface ProvidedController {
  readonly address: string;
  /** What the proxy adds to the requests of somebody who administers everything. */
  readonly headers: Readonly<Record<string, string>>;
  /** The address of its database. */
  readonly database: string;
  /** The addresses of pages by the state that they show. */
  readonly pages: Readonly<Record<string, string>>;
}

declare module 'vitest' {
  interface ProvidedContext {
    readonly pages: ProvidedPages;
    readonly controller: ProvidedController;
    /** What no page holds. */
    readonly secretOfPages: string;
  }
}

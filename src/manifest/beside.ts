/** Finds a key at the top of a file that the manifest does not include, or a name below it. Gives what to write, or undefined. */
export type DeclaredBeside = (key: 'project' | 'variables' | 'templates', name?: string) => string | undefined;

/** What files of the folder declare that the manifest does not include. */
export interface Beside {
  /** The remedy where one of them declares what the manifest lacks; undefined: none does. */
  readonly declaredBeside?: DeclaredBeside | undefined;
}

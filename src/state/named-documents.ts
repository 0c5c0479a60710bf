/** Named documents beside a state, such as reports and histories. The lock of the state does not guard them. */
export interface Documents {
  /** Replaces a document as a whole. @throws Stop when the location fails. */
  readonly put: (name: string, text: string) => Promise<void>;
  /** Reads a document; undefined when there is none of that name. @throws Stop when the location fails. */
  readonly get: (name: string) => Promise<string | undefined>;
  /** Removes a document; a missing one is no error. @throws Stop when the location fails. */
  readonly remove: (name: string) => Promise<void>;
  /** The names of all documents, sorted. @throws Stop when the location fails. */
  readonly list: () => Promise<readonly string[]>;
}

/** A name that every backend can keep; `.tmp` is the end of drafts in a folder. */
const form = /^[a-z0-9][a-z0-9._-]{0,99}$(?<!\.tmp)/;

/** Keeps names from a backend that it could not keep. @throws Error for such a name: a mistake of the caller. */
export function withCheckedNames({ put, get, remove, list }: Documents): Documents {
  const check = (name: string): void => {
    if (form.test(name)) return;
    throw new Error(
      `a document cannot have the name ${JSON.stringify(name)}: up to 100 of a-z, 0-9, ".", "_" and "-" are possible, ` +
        'the first a letter or a digit, without ".tmp" at the end',
    );
  };
  return {
    put: async (name, text) => {
      check(name);
      await put(name, text);
    },
    get: async (name) => {
      check(name);
      return get(name);
    },
    remove: async (name) => {
      check(name);
      await remove(name);
    },
    list: async () => (await list()).filter((name) => form.test(name)).toSorted(),
  };
}

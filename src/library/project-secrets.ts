import { type Redactor, createRedactor } from '../secrets/redactor.ts';

/** The secrets of a manifest. Each piece of work gets a redactor of its own, so that none grows for ever. */
export interface ProjectSecrets {
  readonly add: Redactor['add'];
  /** A redactor that knows these secrets; it may learn more, and forgets them with the work that it is made for. */
  readonly redactor: () => Redactor;
}

/** Makes an empty set of secrets. Never throws. */
export function createSecrets(): ProjectSecrets {
  const known = new Set<Parameters<Redactor['add']>[0]>();
  return {
    add: (secret) => void known.add(secret),
    redactor: () => {
      const redactor = createRedactor();
      for (const secret of known) redactor.add(secret);
      return redactor;
    },
  };
}

import { Stop } from '../diagnostics/diagnostic.ts';
import { redactDiagnostic } from '../plan/redacted.ts';
import type { Redactor } from '../secrets/redactor.ts';
import { createRedactor } from '../secrets/redactor.ts';

/** The secrets of a manifest. Each piece of work gets a redactor of its own, so that none grows for ever. */
export interface ProjectSecrets {
  readonly add: (secret: string) => void;
  /** A redactor that knows these secrets; it may learn more, and forgets them with the work that it is made for. */
  readonly redactor: () => Redactor;
}

/** Makes an empty set of secrets. Never throws. */
export function createSecrets(): ProjectSecrets {
  const known = new Set<string>();
  return {
    add: (secret) => void known.add(secret),
    redactor: () => {
      const redactor = createRedactor();
      for (const secret of known) redactor.add(secret);
      return redactor;
    },
  };
}

/**
 * Does some work; no diagnostic of a failure quotes a secret that the redactor knows.
 *
 * @throws whatever the work throws; a `Stop` is redacted.
 */
export async function redactingErrors<T>(redactor: Redactor, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Stop)) throw error;
    const diagnostics = error.diagnostics.map((item) => redactDiagnostic(item, redactor.redact));
    throw new Stop(error.failure, diagnostics);
  }
}
